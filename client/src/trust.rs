//! Whether the listener on a socket is this user's daemon. This is checked because in a folder that all users share,
//! such as `/tmp`, somebody else can create the socket first.

use std::path::Path;

use interprocess::local_socket::tokio::Stream;

use crate::error::ClientError;

/// The socket's folder must be ours, and others must not be able to write into it. One that is not there is found out
/// by connecting.
#[cfg(unix)]
pub(crate) fn check_folder(socket: &Path) -> Result<(), ClientError> {
    use std::sync::Arc;

    let Some(folder) = socket.parent() else { return Ok(()) };
    let Ok(metadata) = std::fs::symlink_metadata(folder) else { return Ok(()) };
    crate::paths::check_folder(folder, &metadata).map_err(|error| Arc::new(error).into())
}

/// Whoever listens must be this user, or the system's own, which listens for daemons that it starts on demand.
#[cfg(unix)]
pub(crate) fn check_peer(stream: &Stream, socket: &Path) -> Result<(), ClientError> {
    use interprocess::local_socket::traits::StreamCommon as _;

    let own = rustix::process::geteuid().as_raw();
    let peer = stream.peer_creds().ok().and_then(|peer| peer.euid());
    judge_peer(own, peer).map_err(|reason| ClientError::Untrusted { path: socket.to_owned(), reason })
}

#[cfg(unix)]
fn judge_peer(own: u32, peer: Option<u32>) -> Result<(), String> {
    match peer {
        Some(peer) if peer == own || peer == 0 => Ok(()),
        Some(peer) => Err(format!("it belongs to user {peer}, not to user {own}")),
        None => Err("the system does not report its user".to_owned()),
    }
}

/// The name of a pipe on Windows is made by its owner alone while the owner has it.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn check_folder(_socket: &Path) -> Result<(), ClientError> {
    Ok(())
}

#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn check_peer(_stream: &Stream, _socket: &Path) -> Result<(), ClientError> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::judge_peer;

    #[test]
    fn only_our_own_daemon_and_the_systems_sockets_are_trusted() {
        assert!(judge_peer(1000, Some(1000)).is_ok() && judge_peer(1000, Some(0)).is_ok());
        assert!(
            judge_peer(1000, Some(1001)).is_err()
                && judge_peer(0, Some(1000)).is_err()
                && judge_peer(0, None).is_err()
        );
    }
}
