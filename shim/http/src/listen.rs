//! Where connections come from, and when the end has come.

use std::net::SocketAddr;

use tokio::net::TcpListener;

/// The listener: the one that a service manager passed, else one of our own.
pub(crate) async fn open_listener(address: SocketAddr, allow_remote: bool) -> Result<TcpListener, String> {
    let listener = match passed_listener()? {
        Some(listener) => listener,
        None => {
            check_address(address, allow_remote)?;
            TcpListener::bind(address).await.map_err(|error| format!("can't listen on {address}: {error}"))?
        }
    };
    check_address(listener.local_addr().map_err(|error| error.to_string())?, allow_remote)?;
    Ok(listener)
}

fn check_address(address: SocketAddr, allow_remote: bool) -> Result<(), String> {
    if allow_remote || address.ip().is_loopback() {
        return Ok(());
    }
    Err(format!(
        "{address} can be reached from other machines, and there is no TLS here: give --allow-remote if that is meant, \
         with a proxy before it"
    ))
}

#[cfg(unix)]
fn passed_listener() -> Result<Option<TcpListener>, String> {
    let fault = |error: std::io::Error| format!("the socket that was passed can't be used: {error}");
    let mut passed = listenfd::ListenFd::from_env();
    let Some(listener) = passed.take_tcp_listener(0).map_err(fault)? else { return Ok(None) };
    listener.set_nonblocking(true).map_err(fault)?;
    TcpListener::from_std(listener).map(Some).map_err(fault)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn passed_listener() -> Result<Option<TcpListener>, String> {
    Ok(None)
}

/// Waits until somebody asks for the end.
#[cfg(unix)]
pub(crate) async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Waits until somebody asks for the end.
#[cfg(not(unix))]
pub(crate) async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_reach_it_only_on_request() {
        for (address, is_right) in [
            ("127.0.0.1:0", true),
            ("127.8.8.8:0", true),
            ("[::1]:0", true),
            ("0.0.0.0:0", false),
            ("[::]:0", false),
            ("192.0.2.1:0", false),
        ] {
            let parsed: SocketAddr = address.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(check_address(parsed, false).is_ok(), is_right, "{address}");
            assert!(check_address(parsed, true).is_ok());
        }
    }
}
