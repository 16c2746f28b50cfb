//! Runs other programs, and reports their failures.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The reason why a command stopped, in words.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Fault>;

/// The root of the workspace.
pub(crate) fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// The target folder: this program is in `<target>/<profile>/`.
pub(crate) fn target_dir() -> Outcome<PathBuf> {
    let exe = env::current_exe()?;
    exe.ancestors().nth(2).map(Path::to_owned).ok_or_else(|| Fault::new("xtask is not in a target folder"))
}

/// The file of one of our programs in a profile's folder.
pub(crate) fn program_path(profile: &str, name: &str) -> Outcome<PathBuf> {
    Ok(target_dir()?.join(profile).join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// The cargo that runs this.
pub(crate) fn cargo_command() -> Run {
    in_root(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program that runs at the root of the workspace and reads no input.
pub(crate) fn in_root(program: impl AsRef<OsStr>) -> Run {
    let mut command = Command::new(program);
    command.current_dir(workspace_root()).stdin(Stdio::null());
    Run(command)
}

/// Whether a program exists and succeeds with these arguments.
pub(crate) fn has_program(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A command to run.
pub(crate) struct Run(Command);

impl Run {
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.0.args(arguments);
        self
    }

    pub(crate) fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.args([argument])
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs it in full view.
    pub(crate) fn run(mut self) -> Outcome {
        let status = self.0.status().map_err(|error| self.fault(&error))?;
        if status.success() { Ok(()) } else { Err(self.fault(&status)) }
    }

    /// Runs it and captures its output; its errors stay in view.
    pub(crate) fn read(mut self) -> Outcome<String> {
        self.0.stderr(Stdio::inherit());
        let output = self.0.output().map_err(|error| self.fault(&error))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            eprint!("{}", String::from_utf8_lossy(&output.stdout));
            Err(self.fault(&output.status))
        }
    }

    /// Runs it and takes all that it prints, whatever its outcome.
    pub(crate) fn output(mut self) -> Outcome<Output> {
        self.0.output().map_err(|error| self.fault(&error))
    }

    fn fault(&self, why: &dyn fmt::Display) -> Fault {
        Fault::new(format!("`{}`: {why}", self.shown()))
    }

    /// The command as a person would type it.
    pub(crate) fn shown(&self) -> String {
        let name = Path::new(self.0.get_program()).file_name().unwrap_or_default().to_string_lossy();
        let mut text = name.into_owned();
        for argument in self.0.get_args() {
            let argument = argument.to_string_lossy();
            let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
            text.push(' ');
            if !argument.is_empty() && argument.chars().all(plain) {
                text.push_str(&argument);
            } else {
                text.push('\'');
                text.push_str(&argument.replace('\'', r"'\''"));
                text.push('\'');
            }
        }
        text
    }
}
