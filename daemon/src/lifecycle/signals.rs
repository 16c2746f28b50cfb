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

/// Calls `reload` at each SIGHUP. Never returns where there are such signals.
#[cfg(unix)]
pub(super) async fn follow_hangups(reload: impl Fn()) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
    while hangup.recv().await.is_some() {
        tracing::info!("SIGHUP: the settings of upstreams are read again");
        reload();
    }
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(super) async fn follow_hangups(_: impl Fn()) {}
