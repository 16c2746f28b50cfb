//! Names that are never source, whatever the ignore files say or forget to say.
//!
//! A name gets onto the lists only if no project keeps source under it. `dist`, `build`, `out`, `bin`, `vendor` and
//! the like are not here: some projects do, and those that don't ignore them by themselves. Names that are source in
//! some places and waste in others (`target`, `venv`) count as waste only beside or around a file that proves it.

/// The metadata of version control: not even an ignore file can bring these back.
const METADATA: &[&str] =
    &[".bzr", ".fossil", ".git", ".hg", ".jj", ".pijul", ".repo", ".sl", ".svn", "CVS", "_darcs"];

/// Dependencies, caches and tools' own state. Sorted.
const FOLDERS: &[&str] = &[
    ".angular",
    ".aws-sam",
    ".bloop",
    ".cache",
    ".dart_tool",
    ".direnv",
    ".eggs",
    ".gradle",
    ".hypothesis",
    ".idea",
    ".ipynb_checkpoints",
    ".metals",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".nx",
    ".pants.d",
    ".parcel-cache",
    ".pc",
    ".pnpm-store",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".sass-cache",
    ".serverless",
    ".stack-work",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    ".vs",
    ".zig-cache",
    "DerivedData",
    "__pycache__",
    "__pypackages__",
    "bower_components",
    "dist-newstyle",
    "elm-stuff",
    "jspm_packages",
    "node_modules",
    "zig-cache",
];

/// Files that operating systems leave about. Sorted.
const FILES: &[&str] = &[".DS_Store", "Thumbs.db", "desktop.ini"];

/// Files beside which a folder `target` is a build's output.
const TARGET_MARKERS: &[&str] = &["Cargo.toml", "build.sbt", "pom.xml", "project.clj"];

/// The file that marks a Python environment.
const VENV_MARKER: &str = "pyvenv.cfg";

/// Folders that are a Python environment if they hold [`VENV_MARKER`].
const VENVS: &[&str] = &["env", "venv", "virtualenv"];

/// Version control's own data. A worktree's `.git` is a file.
pub(crate) fn is_metadata(name: &str, is_folder: bool) -> bool {
    name == ".git" || (is_folder && METADATA.binary_search(&name).is_ok())
}

/// Whether the entry `name` is never source. `exists` reports whether there is an entry at a path relative to the
/// folder that holds `name`; it is called only for the few names that need it.
pub(crate) fn is_waste(name: &str, is_folder: bool, exists: impl Fn(&str) -> bool) -> bool {
    if !is_folder {
        return FILES.binary_search(&name).is_ok();
    }
    FOLDERS.binary_search(&name).is_ok()
        || (name == "target" && TARGET_MARKERS.iter().any(|marker| exists(marker)))
        || (VENVS.contains(&name) && exists(&format!("{name}/{VENV_MARKER}")))
}

/// A change of the file `name` can turn another path into waste or back: that path, relative to the file's folder. The
/// empty path means the folder itself.
pub(crate) fn judged_by(name: &str) -> Option<&'static str> {
    if TARGET_MARKERS.contains(&name) {
        Some("target")
    } else if name == VENV_MARKER || name == ".git" {
        Some("")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(FOLDERS.is_sorted() && FILES.is_sorted() && METADATA.is_sorted());
    }

    #[test]
    fn what_can_be_source_needs_proof() {
        for name in ["target", "venv", "env"] {
            assert!(!is_waste(name, true, |_| false), "{name}");
            assert!(is_waste(name, true, |_| true), "{name}");
            assert!(!is_waste(name, false, |_| true), "a file named {name}");
        }
        for name in ["dist", "build", "out", "vendor", "lib", "bin", "obj", "src"] {
            assert!(!is_waste(name, true, |_| true), "{name}");
        }
        assert!(is_waste("node_modules", true, |_| false));
        assert!(!is_waste("node_modules", false, |_| false));
        assert!(is_metadata("CVS", true) && !is_metadata("CVS", false) && is_metadata(".git", false));
    }
}
