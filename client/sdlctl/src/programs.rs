//! Other programs of this project that this one starts, because it has no network in it. For example, `sdlctl ui` runs
//! `sdl-ui`.

use std::path::PathBuf;

/// The program called `name`: the one that `variable` names in the environment, or else the one beside this program. If neither
/// is there, the name alone, which the system looks up in `PATH`.
pub(crate) fn program_beside(name: &str, variable: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    if let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) {
        return named.into();
    }
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| name.into())
}
