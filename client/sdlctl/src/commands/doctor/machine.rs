//! The machine as the checks see it: files, variables, programs. A test describes one below a temporary folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use sdl_client::Paths;

use super::mounts::Mounts;

/// Bytes of a file that are read at most. The files of `/proc` that are read are far smaller.
const MAX_READ_BYTES: u64 = 1 << 20;

/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 20_000;

/// A machine.
pub(super) struct Machine {
    /// The folder of a fixture that is used in place of `/`. Empty on a real machine.
    root: PathBuf,
    pub(super) variables: BTreeMap<String, OsString>,
    pub(super) home: PathBuf,
    /// The working directory.
    pub(super) cwd: PathBuf,
    /// This program.
    pub(super) program: PathBuf,
    /// The number of the user.
    pub(super) user: u32,
    pub(super) now: SystemTime,
    /// The folders of client and daemon, or why there are none.
    pub(super) paths: Result<Paths, String>,
    /// What `sdl-setup` knows of the machine.
    pub(super) clients: Option<sdl_setup::Machine>,
    /// The room on the file system of a folder.
    pub(super) room: fn(&Path) -> Option<Room>,
    /// The build that a program of ours prints.
    pub(super) build: fn(&Path) -> Option<String>,
}

/// The room on a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes that this user may still write.
    pub(super) free_bytes: u64,
    /// Files that can still be made; none if the file system has no such limit.
    pub(super) free_files: Option<u64>,
}

/// What the system knows about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct About {
    pub(super) user: u32,
    pub(super) mode: u32,
    pub(super) is_socket: bool,
    pub(super) is_folder: bool,
    pub(super) bytes: u64,
    pub(super) modified: Option<SystemTime>,
}

impl Machine {
    /// The machine that this process runs on.
    pub(super) fn of_this_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let cwd = std::env::current_dir().unwrap_or_default();
        let project = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&cwd).to_owned();
        Self {
            root: PathBuf::new(),
            variables,
            home: std::env::home_dir().unwrap_or_default(),
            clients: sdl_setup::Machine::of_this_process(project),
            cwd,
            program: std::env::current_exe().unwrap_or_default(),
            user: own_user(),
            now: SystemTime::now(),
            paths: Paths::from_env().map_err(|error| error.to_string()),
            room: room_of,
            build: build_of,
        }
    }

    /// Where a path of the machine is.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(rest) if !self.root.as_os_str().is_empty() => self.root.join(rest),
            _ => path.to_owned(),
        }
    }

    /// The beginning of a file as text.
    pub(super) fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = Vec::new();
        let file = File::open(self.place(path.as_ref())).ok()?;
        file.take(MAX_READ_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The end of a file as text.
    pub(super) fn read_end(&self, path: &Path) -> Option<String> {
        let mut file = File::open(self.place(path)).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_READ_BYTES))).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_READ_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A number that is alone in a file.
    pub(super) fn read_number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.read(path)?.trim().parse().ok()
    }

    /// The names in a folder; empty if it can't be read.
    pub(super) fn names_in(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(self.place(folder)).into_iter().flatten().flatten();
        entries.take(MAX_ENTRIES).filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// The target of a link.
    pub(super) fn link_target(&self, path: &Path) -> Option<String> {
        fs::read_link(self.place(path)).ok()?.into_os_string().into_string().ok()
    }

    /// Whether a path is there.
    pub(super) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.place(path.as_ref()).symlink_metadata().is_ok()
    }

    /// Whether a path is a file, with links followed.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.place(path).is_file()
    }

    /// What the system knows about a file. A link is not followed.
    pub(super) fn about(&self, path: &Path) -> Option<About> {
        about_file(&fs::symlink_metadata(self.place(path)).ok()?)
    }

    /// A variable that is a text.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name)?.to_str()
    }

    /// A file with links followed, as a path of the machine.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        let Ok(found) = self.place(path).canonicalize() else { return path.to_owned() };
        let root = self.root.canonicalize().unwrap_or_default();
        match found.strip_prefix(&root) {
            Ok(rest) if !self.root.as_os_str().is_empty() => Path::new("/").join(rest),
            _ => found,
        }
    }

    /// The file systems that are mounted.
    pub(super) fn mounts(&self) -> Mounts {
        Mounts::parse(&self.read("/proc/self/mountinfo").unwrap_or_default())
    }

    /// All processes, by their numbers.
    pub(super) fn processes(&self) -> Vec<u32> {
        self.names_in(Path::new("/proc")).iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// The folder for settings by the XDG convention.
    pub(super) fn config_folder(&self) -> PathBuf {
        let named = self.variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| self.home.join(".config"))
    }

    /// Whether this is a container.
    pub(super) fn is_container(&self) -> bool {
        self.has("/.dockerenv")
            || self.has("/run/.containerenv")
            || ["container", "KUBERNETES_SERVICE_HOST", "REMOTE_CONTAINERS"]
                .iter()
                .any(|name| self.variables.contains_key(*name))
    }

    /// Whether this is Linux in Windows.
    pub(super) fn is_wsl(&self) -> bool {
        self.read("/proc/version").is_some_and(|text| text.to_ascii_lowercase().contains("microsoft"))
    }

    /// Every program of that name: beside this one, then in the folders of `PATH`. Each file once.
    pub(super) fn programs(&self, name: &str) -> Vec<PathBuf> {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let path = self.variables.get("PATH").cloned().unwrap_or_default();
        let beside = self.program.parent().map(Path::to_owned);
        let folders = beside.into_iter().chain(std::env::split_paths(&path).collect::<Vec<_>>());
        let mut found: Vec<PathBuf> = Vec::new();
        for candidate in folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(&file)) {
            let resolved = self.resolve(&candidate);
            if self.has_file(&candidate) && !found.contains(&resolved) {
                found.push(resolved);
            }
        }
        found
    }
}

#[cfg(unix)]
fn about_file(metadata: &fs::Metadata) -> Option<About> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    Some(About {
        user: metadata.uid(),
        mode: metadata.mode() & 0o7777,
        is_socket: metadata.file_type().is_socket(),
        is_folder: metadata.is_dir(),
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
    })
}

/// Windows has neither modes nor sockets of this kind.
#[cfg(not(unix))]
fn about_file(_metadata: &fs::Metadata) -> Option<About> {
    None
}

#[cfg(unix)]
fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn own_user() -> u32 {
    0
}

#[cfg(unix)]
fn room_of(folder: &Path) -> Option<Room> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    let free_files = (stat.f_files > 0).then_some(stat.f_favail);
    Some(Room { free_bytes: stat.f_bavail.saturating_mul(stat.f_frsize), free_files })
}

#[cfg(not(unix))]
fn room_of(_folder: &Path) -> Option<Room> {
    None
}

/// Runs `PROGRAM --version`, which all programs of ours answer with their name and build.
fn build_of(program: &Path) -> Option<String> {
    let ran = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(ran.stdout).ok()?;
    text.lines().next()?.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
impl Machine {
    /// A machine below `root`, with a user whose files are in `/home/me`. Everything on it is as it should be.
    pub(super) fn fixture(root: &Path) -> Self {
        let home = PathBuf::from("/home/me");
        let state = home.join(".local/state/sdl");
        let machine = Self {
            root: root.to_owned(),
            variables: [("PATH", "/usr/bin:/home/me/.local/bin"), ("XDG_RUNTIME_DIR", "/run/user/1000")]
                .map(|(name, value)| (name.to_owned(), OsString::from(value)))
                .into(),
            cwd: home.join("app"),
            program: home.join(".local/bin/sdlctl"),
            user: own_user(),
            now: SystemTime::now(),
            paths: Ok(Paths::new(state.clone(), Some("/run/user/1000/sdl".into()))),
            clients: None,
            room: |_| Some(Room { free_bytes: 100 << 30, free_files: Some(1 << 20) }),
            build: |_| Some(sdl_proto::BUILD.to_owned()),
            home,
        };
        for program in ["sdlctl", "sdld", "sdl-mcp"] {
            machine.write(&format!("/home/me/.local/bin/{program}"), "");
        }
        machine.write("/home/me/app/.git/HEAD", "ref: refs/heads/main\n");
        machine.write("/home/me/.local/state/sdl/log/start.log", "");
        machine.write("/run/user/1000/sdl/start.lock", "");
        machine.set_mode("/home/me/.local/state/sdl", 0o700);
        machine.write("/proc/self/mountinfo", "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
        machine
    }

    /// Puts a file there.
    pub(super) fn write(&self, path: &str, text: &str) {
        let place = self.place(Path::new(path));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }

    /// Puts a link there.
    #[cfg(unix)]
    pub(super) fn link(&self, path: &str, target: &str) {
        let place = self.place(Path::new(path));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, place).unwrap();
    }

    /// Gives a file other permissions.
    pub(super) fn set_mode(&self, path: &str, mode: u32) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(self.place(Path::new(path)), fs::Permissions::from_mode(mode)).unwrap();
        }
        #[cfg(not(unix))]
        let _ = (path, mode);
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.into());
    }
}
