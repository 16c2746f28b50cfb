//! The settings for running commands: `runtime.json` in the state folder, written by a person.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use sdl_contract::{Candidate, Code, Explained, Refusal};

const FILE: &str = "runtime.json";
/// A larger file is not a list of programs.
const MOST_BYTES: u64 = 64 << 10;

/// The commands that may be run. Everything has a default except `enabled`, which is off.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Whether anything may be run at all.
    pub enabled: bool,
    /// The programs that a call may name.
    pub executables: Vec<Allowed>,
    /// Variables that a call may set.
    pub allow_env: Vec<String>,
    /// Variables of the daemon that commands get beside the few that they need.
    pub pass_env: Vec<String>,
    /// The longest time that a command may take, in milliseconds.
    pub max_timeout_ms: u64,
    /// Address space of a command in MiB, where the platform limits it. 0 for no limit.
    pub memory_mb: u64,
    /// Processes and threads that a command may have beside those that the user has already, where the platform
    /// limits them. 0 for no limit.
    pub max_processes: u64,
}

/// A program that may be run: a name that is looked up in the daemon's `PATH`, or an absolute path. It takes any
/// arguments or only some.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Allowed {
    /// Allowed with any arguments.
    Freely(String),
    /// Allowed with some arguments.
    Narrowly(Narrowly),
}

/// A program that may be run with some arguments.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Narrowly {
    program: String,
    /// The allowed beginnings of the arguments.
    args: Vec<Vec<String>>,
    /// Options that may follow. One that ends with `*` matches all options with this prefix. Other arguments that begin
    /// with a dash are refused.
    #[serde(default)]
    options: Vec<String>,
}

impl Allowed {
    fn program(&self) -> &str {
        match self {
            Self::Freely(program) => program,
            Self::Narrowly(narrowly) => &narrowly.program,
        }
    }

    /// Returns why the arguments are not allowed; none if they are.
    fn refuses(&self, args: &[String]) -> Option<String> {
        let Self::Narrowly(allowed) = self else { return None };
        let Some(begin) =
            allowed.args.iter().filter(|begin| args.starts_with(begin)).max_by_key(|begin| begin.len())
        else {
            let begins: Vec<String> = allowed.args.iter().map(|begin| begin.join(" ")).collect();
            return Some(format!("its arguments have to begin with one of: {}", begins.join(", ")));
        };
        let is_known = |arg: &String| {
            allowed.options.iter().any(|option| match option.strip_suffix('*') {
                Some(start) => arg.starts_with(start),
                None => arg == option,
            })
        };
        let rest = args.get(begin.len()..).unwrap_or_default();
        let other = rest.iter().find(|arg| arg.starts_with('-') && *arg != "--" && !is_known(arg))?;
        let other: String = other.chars().take(80).collect();
        Some(format!("the option {other:?} is not allowed after {:?}", begin.join(" ")))
    }
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
            max_processes: 256,
        }
    }
}

impl Settings {
    /// Reads the settings in force. An error if nothing may be run, or if the file can't be trusted. `read_file` reads
    /// a file of at most that many bytes, if it exists and only its owner can write it.
    pub fn read(
        state: &Path,
        read_file: impl FnOnce(&Path, u64) -> Result<Option<Vec<u8>>, String>,
    ) -> Result<Self, Refusal> {
        let path = state.join(FILE);
        let denied = |why: String| Err(Refusal::new(Code::Denied, why));
        let how = format!(
            "a person can enable it in {}: {{\"enabled\": true, \"executables\": [\"cargo\"]}}",
            path.display()
        );
        let text = match read_file(&path, MOST_BYTES) {
            Ok(Some(text)) => text,
            Ok(None) => return denied(format!("running commands is off; {how}")),
            Err(why) => return denied(format!("running commands is off: {} {why}", path.display())),
        };
        let settings: Self = match serde_json::from_slice(&text) {
            Ok(settings) => settings,
            Err(error) => return denied(format!("running commands is off: {}: {error}", path.display())),
        };
        if !settings.enabled {
            return denied(format!("running commands is off; {how}"));
        }
        Ok(settings)
    }
}

/// Returns the program that a call may run under this name with these arguments. Never one that is in the repository
/// because of `PATH`.
pub fn allowed_program(
    settings: &Settings,
    (wanted, args): (&str, &[String]),
    root: &Path,
) -> Result<PathBuf, Refusal> {
    let shown: String = wanted.chars().take(80).collect();
    let entries: Vec<&Allowed> =
        settings.executables.iter().filter(|allowed| allowed.program() == wanted).collect();
    if entries.is_empty() {
        let mut names: Vec<&str> = settings.executables.iter().map(Allowed::program).collect();
        names.dedup();
        let message = format!("{shown:?} is not among the executables that may be run: {}", names.join(", "));
        return Err(Refusal::new(Code::Denied, message)
            .at("executable")
            .or_one_of(names.into_iter().take(20).map(|name| Candidate::of("executable", name))));
    }
    let refusals: Vec<String> = entries.iter().filter_map(|allowed| allowed.refuses(args)).collect();
    if refusals.len() == entries.len() {
        let message = format!("{shown:?} may not be run with these arguments: {}", refusals.join("; or "));
        return Err(Refusal::new(Code::Denied, message).at("args"));
    }
    let given = Path::new(wanted);
    if given.is_absolute() {
        return Ok(given.to_owned());
    }
    let missing = || {
        let message = format!("{shown:?} may be run, and is not in the daemon's PATH");
        Refusal::new(Code::Unavailable, message).at("executable")
    };
    if given.components().count() != 1 {
        let message =
            format!("{shown:?} is neither a name nor an absolute path: correct the list of executables");
        return Err(Refusal::new(Code::Denied, message).at("executable"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(given))
        .filter(|program| program.is_file());
    let outside = |program: &PathBuf| !program.canonicalize().is_ok_and(|real| real.starts_with(root));
    found.find(outside).ok_or_else(missing)
}
