//! Keeps tests in their sandbox: `cargo xtask guard [--write PATH]... -- PROGRAM [ARGUMENT]...` runs a program that can
//! write only below the named paths.
//!
//! The kernel does it (Landlock), so links, `..` and child processes are held too. A write elsewhere fails with
//! "permission denied" and leaves no trace. Landlock does not cover a file's mode, owner, times and extended attributes.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::command::{self, Fault, Outcome};

/// Devices that take writes and keep nothing, such as `/dev/null`.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 2] = ["/dev/null", "/dev/tty"];

/// The folder for temporary files in memory, if the system has one.
const MEMORY: &str = "/dev/shm";

/// Names the folder in memory to the tests.
const MEMORY_VARIABLE: &str = "SDL_TEST_MEMORY_DIR";

/// The folders that one run of the tests may write to. Removed with this value.
pub(crate) struct Sandbox {
    temp: TempDir,
    memory: Option<TempDir>,
    xtask: PathBuf,
    target: PathBuf,
}

impl Sandbox {
    /// Makes the folders; `xtask` is this program. Fails, with the reason, if this system can't hold a program to them.
    pub(crate) fn new(xtask: PathBuf) -> Outcome<Self> {
        check_guard()?;
        // Short names, because paths of sockets below them must be short.
        let folder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("sdl-");
            builder
        };
        Ok(Self {
            temp: folder().tempdir()?,
            memory: folder().tempdir_in(MEMORY).ok(),
            xtask,
            target: command::target_dir()?,
        })
    }

    /// The configuration that makes cargo, and nextest, run each test program through this one.
    pub(crate) fn cargo_config(&self) -> Outcome<String> {
        let mut words = vec![path_text(&self.xtask)?, "guard".to_owned()];
        let memory = self.memory.as_ref().map(TempDir::path);
        for path in [Some(self.temp.path()), memory, Some(&*self.target)].into_iter().flatten() {
            words.extend(["--write".to_owned(), path_text(path)?]);
        }
        words.push("--".to_owned());
        // A list of JSON strings is one of TOML strings.
        let words = serde_json::to_string(&words).map_err(|error| Fault::new(error.to_string()))?;
        Ok(format!("target.'cfg(all())'.runner={words}"))
    }

    /// The variables that lead tests to their folders.
    pub(crate) fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let memory = self.memory.as_ref().map(|memory| (MEMORY_VARIABLE, memory.path().to_owned()));
        [("TMPDIR", self.temp.path().to_owned())].into_iter().chain(memory).collect()
    }
}

fn path_text(path: &std::path::Path) -> Outcome<String> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Fault::new(format!("{} is not UTF-8, which cargo's settings are", path.display())))
}

/// `cargo xtask guard`.
pub(crate) fn run_guard(mut words: &[&str]) -> Outcome {
    let mut writable = Vec::new();
    let program = loop {
        match words {
            ["--write", path, rest @ ..] => {
                writable.push(PathBuf::from(path));
                words = rest;
            }
            ["--", program @ ..] if !program.is_empty() => break program,
            _ => {
                return Err(Fault::new(
                    "usage: cargo xtask guard [--write PATH]... -- PROGRAM [ARGUMENT]...",
                ));
            }
        }
    };
    enter_guard(&writable, program)
}

#[cfg(target_os = "linux")]
fn landlock_rules() -> Result<landlock::RulesetCreated, landlock::RulesetError> {
    use landlock::{Compatible, RulesetAttr};
    landlock::Ruleset::default()
        .set_compatibility(landlock::CompatLevel::HardRequirement)
        .handle_access(write_access())?
        .create()
}

/// All that writes. The third version of Landlock is the first that knows truncation, and without the second nothing can
/// be moved from folder to folder.
#[cfg(target_os = "linux")]
fn write_access() -> landlock::BitFlags<landlock::AccessFs> {
    landlock::AccessFs::from_write(landlock::ABI::V3)
}

/// Fails if this system has no guard.
#[cfg(target_os = "linux")]
fn check_guard() -> Outcome {
    match landlock_rules() {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::new(format!("Landlock 3 (Linux 6.2) is not to be had here: {error}"))),
    }
}

/// Fails: other systems' guards are not used yet.
#[cfg(not(target_os = "linux"))]
fn check_guard() -> Outcome {
    Err(Fault::new("it needs Landlock, which only Linux has"))
}

/// Becomes the program.
#[cfg(target_os = "linux")]
fn enter_guard(writable: &[PathBuf], program: &[&str]) -> Outcome {
    use std::os::unix::process::CommandExt;

    use landlock::{AccessFs, PathBeneath, PathFd, RulesetCreatedAttr};

    let failed = |error: &dyn std::fmt::Display| Fault::new(format!("guard: {error}"));
    let mut rules = landlock_rules().map_err(|error| failed(&error))?;
    let devices = DEVICES.into_iter().map(PathBuf::from).filter(|path| path.exists());
    for path in writable.iter().cloned().chain(devices) {
        let folder = path.is_dir();
        let path = PathFd::new(path).map_err(|error| failed(&error))?;
        let access =
            if folder { write_access() } else { write_access() & AccessFs::from_file(landlock::ABI::V3) };
        rules = rules.add_rule(PathBeneath::new(path, access)).map_err(|error| failed(&error))?;
    }
    rules.restrict_self().map_err(|error| failed(&error))?;
    let (name, arguments) = program.split_first().ok_or_else(|| Fault::new("guard: no program"))?;
    let error = std::process::Command::new(name).args(arguments).exec();
    Err(Fault::new(format!("guard: {name}: {error}")))
}

#[cfg(not(target_os = "linux"))]
fn enter_guard(_writable: &[PathBuf], _program: &[&str]) -> Outcome {
    check_guard()
}
