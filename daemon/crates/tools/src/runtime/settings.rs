//! What may be run: `runtime.json` in the state folder, written by a person.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Candidate, Code, ToolError};

const FILE: &str = "runtime.json";
/// A larger file is no list of programs.
const MOST_BYTES: u64 = 64 << 10;

/// What may be run. Everything has a default but `enabled`, which is off.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// Whether anything may be run at all.
    pub(crate) enabled: bool,
    /// Names, looked up in the daemon's `PATH`, and absolute paths.
    pub(crate) executables: Vec<String>,
    /// Variables that a call may set.
    pub(crate) allow_env: Vec<String>,
    /// Variables of the daemon that commands get beside the few that they need.
    pub(crate) pass_env: Vec<String>,
    /// The longest that a command may take.
    pub(crate) max_timeout_ms: u64,
    /// Address space of a command, where the platform limits it. 0 for no limit.
    pub(crate) memory_mb: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            executables: Vec::new(),
            allow_env: Vec::new(),
            pass_env: Vec::new(),
            max_timeout_ms: 120_000,
            memory_mb: 8_192,
        }
    }
}

impl Settings {
    /// The settings in force. An error if nothing may be run, or the file is not one to be trusted.
    pub(crate) fn read(state: &Path) -> Result<Self, ToolError> {
        let path = state.join(FILE);
        let denied = |why: String| Err(ToolError::new(Code::Denied, why));
        let how = format!(
            "a person can enable it in {}: {{\"enabled\": true, \"executables\": [\"cargo\"]}}",
            path.display()
        );
        let Ok(file) = std::fs::File::open(&path) else {
            return denied(format!("running commands is off; {how}"));
        };
        if let Some(why) = untrusted(&file) {
            return denied(format!("running commands is off: {} {why}", path.display()));
        }
        let mut text = String::new();
        let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
        let settings: Self = match read {
            Ok(bytes) if bytes as u64 <= MOST_BYTES => match serde_json::from_str(&text) {
                Ok(settings) => settings,
                Err(error) => {
                    return denied(format!("running commands is off: {}: {error}", path.display()));
                }
            },
            _ => return denied(format!("running commands is off: {} cannot be read", path.display())),
        };
        if !settings.enabled {
            return denied(format!("running commands is off; {how}"));
        }
        Ok(settings)
    }
}

/// Why a file may have been written by someone else.
#[cfg(unix)]
fn untrusted(file: &std::fs::File) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let Ok(about) = file.metadata() else { return Some("cannot be looked at") };
    if !about.is_file() {
        return Some("is not a file");
    }
    if about.uid() != rustix::process::geteuid().as_raw() && about.uid() != 0 {
        return Some("belongs to someone else");
    }
    (about.mode() & 0o022 != 0).then_some("can be written by others; chmod 600 it")
}

#[cfg(not(unix))]
fn untrusted(_file: &std::fs::File) -> Option<&'static str> {
    None
}

/// The program that a call may run under this name. Never one that lies in the repository because of `PATH`.
pub(crate) fn program(settings: &Settings, wanted: &str, root: &Path) -> Result<PathBuf, ToolError> {
    let shown: String = wanted.chars().take(80).collect();
    if !settings.executables.iter().any(|allowed| allowed == wanted) {
        let message = format!(
            "{shown:?} is not among the executables that may be run: {}",
            settings.executables.join(", ")
        );
        let allowed = settings.executables.iter().take(20);
        return Err(ToolError::new(Code::Denied, message)
            .at("executable")
            .or_one_of(allowed.map(|name| Candidate::of("executable", name.clone()))));
    }
    let given = Path::new(wanted);
    if given.is_absolute() {
        return Ok(given.to_owned());
    }
    let missing = || {
        let message = format!("{shown:?} may be run, and is not in the daemon's PATH");
        ToolError::new(Code::Unavailable, message).at("executable")
    };
    if given.components().count() != 1 {
        let message =
            format!("{shown:?} is neither a name nor an absolute path: mend the list of executables");
        return Err(ToolError::new(Code::Denied, message).at("executable"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(given))
        .filter(|program| program.is_file());
    let outside = |program: &PathBuf| !program.canonicalize().is_ok_and(|real| real.starts_with(root));
    found.find(outside).ok_or_else(missing)
}
