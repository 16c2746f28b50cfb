//! Waits for the signals that ask a process to end.

/// Returns at the first SIGTERM or SIGINT.
#[cfg(unix)]
pub(super) async fn asked_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => tracing::info!("SIGTERM: stopping"),
        _ = interrupt.recv() => tracing::info!("SIGINT: stopping"),
    }
    Ok(())
}

/// Returns at the first Ctrl-C.
#[cfg(not(unix))]
pub(super) async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
