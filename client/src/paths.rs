//! The paths of the daemon's state, its logs, and its socket.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use sdl_proto::PROTOCOL_MAJOR;

/// The longest path that every Unix takes as a socket's address (`sun_path` has 104 bytes on macOS, one is for the
/// end mark).
#[cfg(unix)]
const MAX_SOCKET_PATH: usize = 103;

/// The folder for a socket whose own folder has too long a path. It is not `$TMPDIR`, because client and daemon may
/// have different values of that.
const SHORT_FOLDER: &str = "/tmp";

/// The folders and files that client and daemon must agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    state: PathBuf,
    runtime: PathBuf,
    socket: PathBuf,
}

/// Why the folders can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    /// The system does not say where the user's folders are.
    #[error("no home folder is known: set HOME, or SDL_STATE_DIR to an absolute path")]
    NoHome,
    /// An override is not usable.
    #[error("{variable} is {value:?}, which is not an absolute path")]
    NotAbsolute {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: PathBuf,
    },
    /// A folder can't be made or looked at.
    #[error("folder {path}: {source}", path = .path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A folder is somebody else's, or others may write to it.
    #[error("folder {path} can't be trusted: {reason}", path = .path.display())]
    Untrusted {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Paths {
    /// The paths of this user, or of the environment's overrides `SDL_STATE_DIR` and `SDL_RUNTIME_DIR`.
    ///
    /// With only the state folder overridden the socket moves along, so that one variable is enough to set up a
    /// separate daemon.
    pub fn from_env() -> Result<Self, PathsError> {
        let overridden =
            |variable: &'static str| match std::env::var_os(variable).filter(|value| !value.is_empty()) {
                None => Ok(None),
                Some(value) => {
                    let value = PathBuf::from(value);
                    if value.is_absolute() {
                        Ok(Some(value))
                    } else {
                        Err(PathsError::NotAbsolute { variable, value })
                    }
                }
            };
        let state = overridden("SDL_STATE_DIR")?;
        let runtime = overridden("SDL_RUNTIME_DIR")?;
        match (state, runtime) {
            (Some(state), runtime) => Ok(Self::new(state, runtime)),
            (None, runtime) => {
                let user = ProjectDirs::from("", "", "sdl").ok_or(PathsError::NoHome)?;
                let state = user.state_dir().unwrap_or_else(|| user.data_local_dir()).to_owned();
                Ok(Self::new(state, runtime.or_else(|| user.runtime_dir().map(Path::to_owned))))
            }
        }
    }

    /// Paths below explicit folders; the runtime folder is by default one inside of the state folder.
    pub fn new(state: PathBuf, runtime: Option<PathBuf>) -> Self {
        Self::with_short_folder(state, runtime, Path::new(SHORT_FOLDER))
    }

    /// As [`new`](Self::new), with another folder for the sockets whose own path is too long.
    pub fn with_short_folder(state: PathBuf, runtime: Option<PathBuf>, short: &Path) -> Self {
        let runtime = runtime.unwrap_or_else(|| state.join("run"));
        let socket = socket_in(&runtime, short);
        Self { state, runtime, socket }
    }

    /// Files that survive a restart: ledgers, settings.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Files that do not: socket, start-up locks.
    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// Logs of the daemon.
    pub fn logs(&self) -> PathBuf {
        self.state.join("log")
    }

    /// The daemon's socket, or the named pipe on Windows. Its name holds the protocol's major number.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Held by a client while it starts a daemon.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Held by the daemon for as long as it lives: one daemon for one state folder.
    pub fn instance_lock(&self) -> PathBuf {
        self.state.join("daemon.lock")
    }

    /// Standard error of a daemon that a client started, until its own log takes over.
    pub fn start_log(&self) -> PathBuf {
        self.logs().join("start.log")
    }

    /// Removes other users' rights to the contents of the state folder, because a folder made by hand or by an older
    /// build may be readable by others.
    #[cfg(unix)]
    pub fn tighten(&self) -> Result<(), PathsError> {
        use std::os::unix::fs::PermissionsExt as _;

        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| PathsError::Io { path, source }
        };
        for folder in [self.state.clone(), self.logs()] {
            let entries = fs::read_dir(&folder).map_err(failed(&folder))?.flatten().map(|entry| entry.path());
            for path in entries.chain([folder.clone()]) {
                let metadata = match fs::symlink_metadata(&path) {
                    Ok(metadata) => metadata,
                    // A log that was rotated away, or a file of a client that has finished.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(failed(&path)(error)),
                };
                let mode = metadata.permissions().mode();
                if (metadata.is_file() || metadata.is_dir()) && mode & 0o077 != 0 {
                    let private = fs::Permissions::from_mode(mode & 0o700);
                    match fs::set_permissions(&path, private) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => {
                            return Err(failed(&path)(error));
                        }
                        Ok(()) | Err(_) => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// On Windows a user's folders keep others out by themselves.
    #[cfg(windows)]
    #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub fn tighten(&self) -> Result<(), PathsError> {
        Ok(())
    }

    /// Makes the folders, for the user alone, and checks that nobody else can tamper with them.
    pub fn create(&self) -> Result<(), PathsError> {
        for folder in [&self.state, &self.runtime, &self.logs()] {
            private_folder(folder)?;
        }
        match self.socket.parent() {
            Some(folder) if cfg!(unix) && folder != self.runtime => private_folder(folder),
            _ => Ok(()),
        }
    }
}

#[cfg(unix)]
fn socket_in(runtime: &Path, short: &Path) -> PathBuf {
    let name = format!("sdl-v{PROTOCOL_MAJOR}.sock");
    let path = runtime.join(&name);
    if path.as_os_str().len() <= MAX_SOCKET_PATH {
        return path;
    }
    // The socket's name is derived from its folder, because two long paths must not share one.
    let user = rustix::process::geteuid().as_raw();
    let place = fnv1a_hash(runtime.as_os_str().to_owned());
    short.join(format!("sdl-{user}-{place:016x}")).join(name)
}

#[cfg(windows)]
fn socket_in(runtime: &Path, _short: &Path) -> PathBuf {
    // The name contains a hash of the runtime folder's path, because pipes share one namespace for all users and
    // set-ups.
    let place = fnv1a_hash(runtime.as_os_str().to_owned());
    PathBuf::from(format!(r"\\.\pipe\sdl-v{PROTOCOL_MAJOR}-{place:016x}"))
}

/// A hash that is the same in every build, unlike that of the standard library.
fn fnv1a_hash(text: OsString) -> u64 {
    text.as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Makes a folder that only its owner can enter. One that exists must be ours, and others must not be able to write
/// into it.
pub fn private_folder(path: &Path) -> Result<(), PathsError> {
    let failed = |source| PathsError::Io { path: path.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path).map_err(failed)?;
    check_folder(path, &fs::symlink_metadata(path).map_err(failed)?)
}

#[cfg(unix)]
pub(crate) fn check_folder(path: &Path, metadata: &fs::Metadata) -> Result<(), PathsError> {
    use std::os::unix::fs::MetadataExt;
    let untrusted = |reason: String| Err(PathsError::Untrusted { path: path.to_owned(), reason });
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return untrusted(format!("it belongs to user {}, not to user {user}", metadata.uid()));
    }
    if metadata.is_symlink() {
        // Our own link: the folder that it leads to counts.
        let target = fs::metadata(path).map_err(|source| PathsError::Io { path: path.to_owned(), source })?;
        return check_folder(path, &target);
    }
    if metadata.mode() & 0o022 != 0 {
        return untrusted(format!("others may write to it; run `chmod 700 {}`", path.display()));
    }
    Ok(())
}

/// On Windows a user's folders inherit an access list that keeps others out; there is nothing cheap to check.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn check_folder(_path: &Path, _metadata: &fs::Metadata) -> Result<(), PathsError> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn the_socket_moves_along_with_the_state_folder() {
        let paths = Paths::new("/s".into(), None);
        assert_eq!(paths.socket(), Path::new("/s/run/sdl-v1.sock"));
        let paths = Paths::new("/s".into(), Some("/r".into()));
        assert_eq!(paths.socket(), Path::new("/r/sdl-v1.sock"));
    }

    #[test]
    fn a_path_too_long_for_a_socket_gets_a_short_stand_in() {
        let long = |tail: &str| Paths::new(format!("/{}/{tail}", "x".repeat(120)).into(), None);
        let socket = long("a").socket().to_owned();
        assert!(socket.as_os_str().len() <= MAX_SOCKET_PATH);
        assert_eq!(socket, long("a").socket());
        assert_ne!(socket, long("b").socket());
    }

    #[test]
    fn folders_are_made_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("a/b"), None);
        paths.create().unwrap();
        paths.create().unwrap();
        for made in [paths.state(), paths.runtime(), &paths.logs()] {
            assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700, "{}", made.display());
        }
    }

    #[test]
    fn a_state_folder_that_others_can_read_is_closed_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("state"), None);
        paths.create().unwrap();
        let list = paths.state().join("repos.json");
        fs::write(&list, "[]").unwrap();
        let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        chmod(&list, 0o644);
        chmod(paths.state(), 0o755);
        paths.tighten().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&list), mode(paths.state())), (0o600, 0o700));
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        let error = private_folder(&open).unwrap_err();
        assert!(error.to_string().contains("chmod 700"), "{error}");
        let link = folder.path().join("link");
        symlink(&open, &link).unwrap();
        assert!(matches!(private_folder(&link), Err(PathsError::Untrusted { .. })));
    }
}
