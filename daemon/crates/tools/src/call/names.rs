//! How tools are called on the wire. Underscores by default (`sdl_slice_build`), because several clients refuse dots.

use crate::Names;

const PREFIX: &str = "sdl";
/// The suffix of a raw twin's name.
pub(crate) const RAW: &str = "_raw";
/// Longer names are refused by some clients.
#[cfg(test)]
pub(crate) const LONGEST: usize = 40;

/// `slice.refresh` as `sdl_slice_refresh`.
pub(crate) fn underscored_name(action: &str) -> String {
    format!("{PREFIX}_{}", action.replace('.', "_"))
}

/// Returns the name of `slice.refresh` that clients see.
pub(crate) fn advertised_name(action: &str, names: Names) -> String {
    match names {
        Names::Underscored => underscored_name(action),
        Names::Dotted => format!("{PREFIX}.{action}"),
    }
}

/// The form under which tools are looked up: `sdl.slice.refresh`, `sdl_slice_refresh` and `slice.refresh` have the same.
pub(crate) fn fold_name(name: &str) -> String {
    let folded = name.replace('.', "_");
    match folded.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('_')) {
        Some(rest) => rest.to_owned(),
        None => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_one_name() {
        for name in ["sdl_slice_refresh", "sdl.slice.refresh", "slice.refresh", "slice_refresh"] {
            assert_eq!(fold_name(name), "slice_refresh");
        }
        assert_eq!(fold_name("sdl_slice_refresh_raw"), "slice_refresh_raw");
        assert_eq!(advertised_name("slice.refresh", Names::Underscored), "sdl_slice_refresh");
        assert_eq!(advertised_name("slice.refresh", Names::Dotted), "sdl.slice.refresh");
    }
}
