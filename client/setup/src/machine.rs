//! A machine as planning sees it: folders, variables, programs. A test describes one below a temporary folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The operating systems whose paths the catalog knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    /// Linux, and other systems that follow its conventions.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The system that this program was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

/// Where a machine keeps things.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its system.
    pub os: Os,
    /// The user's home folder.
    pub home: PathBuf,
    /// The root of the project whose files are written.
    pub project: PathBuf,
    /// Environment variables. Only absolute paths are believed.
    pub variables: BTreeMap<String, PathBuf>,
    /// Folders in which programs are looked for.
    pub programs: Vec<PathBuf>,
    /// Folders in which macOS keeps applications.
    pub applications: Vec<PathBuf>,
}

impl Machine {
    /// A machine with nothing on it but a home and a project.
    pub fn new(os: Os, home: PathBuf, project: PathBuf) -> Self {
        Self { os, home, project, variables: BTreeMap::new(), programs: Vec::new(), applications: Vec::new() }
    }

    /// This machine, as the environment of this process describes it. `None` if there is no home folder.
    pub fn of_this_process(project: PathBuf) -> Option<Self> {
        let home = std::env::home_dir().filter(|home| home.is_absolute())?;
        let mut machine = Self::new(Os::current(), home, project);
        for name in crate::catalog::variables() {
            let value = std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
            if let Some(value) = value {
                machine.variables.insert(name.to_owned(), value);
            }
        }
        machine.programs =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        machine.applications = vec![PathBuf::from("/Applications"), machine.home.join("Applications")];
        Some(machine)
    }

    /// The folder for settings by the XDG convention, which some clients follow on every system.
    pub fn config_folder(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME").map_or_else(|| self.home.join(".config"), Path::to_owned)
    }

    /// The folder for settings by the system's own convention.
    pub fn app_data(&self) -> PathBuf {
        match self.os {
            Os::Linux => self.config_folder(),
            Os::Mac => self.home.join("Library/Application Support"),
            Os::Windows => {
                self.variable("APPDATA").map_or_else(|| self.home.join("AppData/Roaming"), Path::to_owned)
            }
        }
    }

    /// A variable that holds a path.
    pub fn variable(&self, name: &str) -> Option<&Path> {
        self.variables.get(name).map(PathBuf::as_path)
    }

    /// Whether a program of that name can be started.
    pub fn has_program(&self, name: &str) -> bool {
        let endings: &[&str] = if self.os == Os::Windows { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
        self.programs
            .iter()
            .any(|folder| endings.iter().any(|ending| folder.join(format!("{name}{ending}")).is_file()))
    }
}
