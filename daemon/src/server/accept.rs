//! Accepting connections.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
#[cfg(unix)]
use interprocess::local_socket::traits::StreamCommon;
use sdl_proto::{Handshake, WireError, code};
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

use super::connection::{run_connection, send_farewell};
use super::handle::{Phase, Shared};
use super::{Listener, Options, ServerHandle, Service};

/// How long to stop accepting after a failure, for example because no file descriptor is free.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `listeners` until [`ServerHandle::shutdown`]; returns when every connection is closed.
pub async fn serve_listeners<S: Service>(handle: ServerHandle<S>, listeners: Vec<Listener>) {
    let shared = handle.shared;
    let mut acceptors = JoinSet::new();
    for listener in listeners {
        acceptors.spawn(accept_connections(listener, Arc::clone(&shared)));
    }
    shared.reached(Phase::Draining).await;
    let drain = shared.options.drain;
    let all_closed = async { while acceptors.join_next().await.is_some() {} };
    tokio::pin!(all_closed);
    if tokio::time::timeout(drain, &mut all_closed).await.is_err() {
        tracing::warn!("requests were still running after {drain:?}; they are cancelled");
        shared.advance(Phase::Stopped);
        all_closed.await;
    }
    shared.advance(Phase::Stopped);
}

/// Accepts from one listener; ends when the server drains and its connections are closed.
async fn accept_connections<S: Service>(listener: Listener, shared: Arc<Shared<S>>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(stream) => {
                    let shared = Arc::clone(&shared);
                    connections.spawn(admit_client(stream, shared));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = shared.reached(Phase::Draining) => break,
        }
    }
    // The socket goes first, because a client that connects now should start the next daemon instead of waiting for
    // this one.
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Turns away other users and connections beyond the limit.
async fn admit_client<S: Service>(stream: Stream, shared: Arc<Shared<S>>) {
    if let Err(error) = check_peer(&stream) {
        tracing::warn!(%error, "a connection was refused");
        return;
    }
    let Some(place) = shared.places.take() else {
        let reason = full_error(&shared.options);
        if let Ok(hello) = Handshake::ours().encode() {
            let mut io = &stream;
            let _ = tokio::time::timeout(PAUSE, io.write_all(&hello)).await;
        }
        return send_farewell(&stream, &shared.options, reason).await;
    };
    run_connection(stream, shared, place).await;
}

/// Why there is no room.
pub(super) fn full_error(options: &Options) -> WireError {
    let text = format!("all {} connections of the daemon are at work; try again", options.max_connections);
    WireError::new(code::BUSY, text)
}

/// Only processes of the daemon's own user are let in. The socket's mode alone is not enough, because somebody may
/// have changed it.
#[cfg(unix)]
fn check_peer(stream: &Stream) -> io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    match stream.peer_creds()?.euid() {
        Some(user) if user == own => Ok(()),
        Some(user) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it comes from user {user}, the daemon runs as user {own}"),
        )),
        None => {
            Err(io::Error::new(io::ErrorKind::Unsupported, "the system does not report the caller's user"))
        }
    }
}

/// On Windows nothing is checked here, because the pipe's security descriptor lets in only its owner.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn check_peer(_stream: &Stream) -> io::Result<()> {
    Ok(())
}
