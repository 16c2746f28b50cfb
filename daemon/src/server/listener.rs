//! The socket or pipe that clients connect to.

use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::tokio::{Listener as LocalListener, Stream};
use interprocess::local_socket::{GenericFilePath, ListenerOptions};

use super::Instance;

/// The reasons why there is no socket to listen on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another daemon answers there.
    #[error(
        "another daemon (build {build}) answers on {path} although this one holds its own state folder: do two state \
         folders share one runtime folder?", path = .path.display()
    )]
    Taken {
        /// The socket.
        path: PathBuf,
        /// The other's build.
        build: String,
    },
    /// The system refused.
    #[error("can't listen on {path}: {source}", path = .path.display())]
    Io {
        /// The socket.
        path: PathBuf,
        /// Its error.
        source: io::Error,
    },
    /// The service manager passed something unusable.
    #[error("the socket inherited from the service manager can't be used: {0}")]
    Inherited(io::Error),
}

/// A place to accept connections from.
pub struct Listener {
    inner: LocalListener,
}

impl Listener {
    /// Listens on `path`.
    ///
    /// The instance lock proves that no other daemon of this state folder runs. A socket left by a dead one is removed,
    /// but only after a connection attempt has shown that nobody answers there.
    pub async fn bind(path: &Path, _held: &Instance) -> Result<Self, BindError> {
        let failed = |source| BindError::Io { path: path.to_owned(), source };
        if let Some(build) = sdl_client::answering_build(path).await {
            return Err(BindError::Taken { path: path.to_owned(), build });
        }
        remove_stale(path).map_err(failed)?;
        let name = path.to_fs_name::<GenericFilePath>().map_err(failed)?;
        let options = for_owner_only(ListenerOptions::new().name(name)).map_err(failed)?;
        let inner = match options.create_tokio() {
            // A failure is ignored, because some systems can't set a socket's mode before it exists, and the folder
            // around it is private anyway.
            #[cfg(unix)]
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                bind_then_restrict(path).map_err(failed)?
            }
            result => result.map_err(failed)?,
        };
        Ok(Self { inner })
    }

    /// The sockets that systemd, launchd's shim or `systemfd` has opened for us; empty when there are none.
    ///
    /// They belong to the service manager: their files stay when the daemon stops.
    #[cfg(unix)]
    pub fn inherited() -> Result<Vec<Self>, BindError> {
        use interprocess::os::unix::uds_local_socket::{
            Listener as UnixListener, tokio::Listener as TokioListener,
        };

        let mut passed = listenfd::ListenFd::from_env();
        let mut listeners = Vec::new();
        for index in 0..passed.len() {
            let Some(socket) = passed.take_unix_listener(index).map_err(BindError::Inherited)? else {
                continue;
            };
            let mut inner =
                TokioListener::try_from(UnixListener::from(socket)).map_err(BindError::Inherited)?;
            inner.do_not_reclaim_name_on_drop();
            listeners.push(Self { inner: inner.into() });
        }
        Ok(listeners)
    }

    /// There is no socket activation on Windows.
    #[cfg(windows)]
    pub fn inherited() -> Result<Vec<Self>, BindError> {
        Ok(Vec::new())
    }

    pub(super) async fn accept(&self) -> io::Result<Stream> {
        self.inner.accept().await
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "it can fail on Windows")]
fn for_owner_only(options: ListenerOptions<'_>) -> io::Result<ListenerOptions<'_>> {
    use interprocess::os::unix::local_socket::ListenerOptionsExt;
    Ok(options.mode(0o600))
}

#[cfg(unix)]
fn bind_then_restrict(path: &Path) -> io::Result<LocalListener> {
    use std::os::unix::fs::PermissionsExt;
    let listener = ListenerOptions::new().name(path.to_fs_name::<GenericFilePath>()?).create_tokio()?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Full access for the pipe's owner, none for anybody else, nothing inherited. Not yet run on Windows.
#[cfg(windows)]
fn for_owner_only(options: ListenerOptions<'_>) -> io::Result<ListenerOptions<'_>> {
    use interprocess::os::windows::local_socket::ListenerOptionsExt;
    use interprocess::os::windows::security_descriptor::SecurityDescriptor;
    let text = widestring::u16cstr!("D:P(A;;GA;;;OW)");
    Ok(options.security_descriptor(SecurityDescriptor::deserialize(text)?))
}

/// Removes the socket of a daemon that is gone. Anything that is not a socket stays, because the daemon did not
/// create it.
#[cfg(unix)]
fn remove_stale(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_socket() => {
            tracing::info!(path = %path.display(), "removing the socket of a daemon that is gone");
            std::fs::remove_file(path)
        }
        Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "something that is not a socket is there")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// A pipe vanishes with its owner.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn remove_stale(_path: &Path) -> io::Result<()> {
    Ok(())
}
