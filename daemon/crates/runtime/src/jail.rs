//! The folder in which a command runs, and the environment that it gets from the daemon.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sdl_model::RelPath;

use crate::Settings;
use sdl_contract::{Candidate, Code, Explained, Refusal};

/// Variables that programs need to work at all, such as `PATH`.
const PASSED: [&str; 8] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SHELL"];

/// The folder to run in: the repository's root or one below it, also after its links are followed.
pub fn run_folder(root: &Path, relative: Option<&str>) -> Result<PathBuf, Refusal> {
    let refused = |why: &str| {
        let shown: String = relative.unwrap_or(".").chars().take(200).collect();
        let message = format!("{shown:?} {why} {}", root.display());
        Refusal::new(Code::UnknownPath, message).at("relativeCwd")
    };
    let root = root.canonicalize().map_err(|_| refused("cannot be reached below"))?;
    let folder = match relative.unwrap_or(".") {
        "." | "./" => root.clone(),
        relative => {
            let relative = relative.strip_prefix("./").unwrap_or(relative);
            let path = RelPath::new(relative.strip_suffix('/').unwrap_or(relative))
                .ok_or_else(|| refused("is not a path inside"))?;
            root.join(path.as_str()).canonicalize().map_err(|_| refused("is not a folder inside"))?
        }
    };
    if !folder.starts_with(&root) {
        return Err(refused("leads out of"));
    }
    if folder.is_dir() { Ok(folder) } else { Err(refused("is not a folder inside")) }
}

/// The whole environment of a command: a few variables of the daemon, those that the settings pass, and those of the call
/// that the settings allow.
pub fn command_environment(
    settings: &Settings,
    wanted: &BTreeMap<String, String>,
) -> Result<BTreeMap<OsString, OsString>, Refusal> {
    let mut all = BTreeMap::new();
    for name in PASSED.into_iter().chain(settings.pass_env.iter().map(String::as_str)) {
        if let Some(value) = std::env::var_os(name) {
            all.insert(name.into(), value);
        }
    }
    for (name, value) in wanted {
        let shown: String = name.chars().take(80).collect();
        let field = format!("env.{shown}");
        if !settings.allow_env.contains(name) {
            let message = format!("a call may not set {shown}; allowEnv in runtime.json names what it may");
            return Err(Refusal::new(Code::Denied, message).at(field).or_one_of(
                settings.allow_env.iter().take(20).map(|name| Candidate::of("env", name.clone())),
            ));
        }
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(Refusal::invalid(field, "a variable has a name without = and no zero characters"));
        }
        all.insert(name.into(), value.into());
    }
    Ok(all)
}
