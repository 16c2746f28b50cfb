//! Where the built programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::workspace;

/// A program of this workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `sdld`.
    Daemon,
    /// `sdl-mcp`.
    Shim,
    /// `sdlctl`.
    Ctl,
    /// `sdl-gate`. The daemon starts the one beside it.
    Gate,
    /// `sdl-http`.
    Http,
    /// `sdl-ui`. `sdlctl ui` starts the one beside it.
    Ui,
    /// `sdl-share`. `sdlctl share` starts the one beside it.
    Share,
}

impl Program {
    /// Every program.
    pub const ALL: [Self; 7] =
        [Self::Daemon, Self::Shim, Self::Ctl, Self::Gate, Self::Http, Self::Ui, Self::Share];

    /// Its package, and its file without the platform's suffix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Daemon => "sdld",
            Self::Shim => "sdl-mcp",
            Self::Ctl => "sdlctl",
            Self::Gate => "sdl-gate",
            Self::Http => "sdl-http",
            Self::Ui => "sdl-ui",
            Self::Share => "sdl-share",
        }
    }

    /// Its file. Builds it first unless `SDL_TEST_BIN_DIR` names a folder that has it.
    ///
    /// # Panics
    /// If the build fails.
    pub fn path(self) -> PathBuf {
        program_folder().join(format!("{}{}", self.name(), env::consts::EXE_SUFFIX))
    }
}

/// The folder with the programs.
fn program_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| match env::var_os("SDL_TEST_BIN_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => build_programs(),
    })
}

/// Builds the programs in the profile that this test was built in: a stale daemon under a new test proves nothing.
fn build_programs() -> PathBuf {
    let profile_dir = profile_dir();
    let mut cargo = Command::new(workspace::cargo_program());
    cargo.current_dir(workspace::workspace_root()).args(["build", "--quiet"]);
    for program in Program::ALL {
        cargo.args(["--package", program.name()]);
    }
    if let Some(target_dir) = profile_dir.parent() {
        cargo.arg("--target-dir").arg(target_dir);
    }
    if profile_dir.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "building the programs for the tests failed ({status:?}): run `cargo build`, or set SDL_TEST_BIN_DIR"
    );
    profile_dir
}

/// `target/<profile>`, seen from `target/<profile>/deps/<test>` or `target/<profile>/<bench>`.
fn profile_dir() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    let dir = exe.parent().unwrap_or(Path::new("."));
    if dir.ends_with("deps") { dir.parent().unwrap_or(dir).to_owned() } else { dir.to_owned() }
}
