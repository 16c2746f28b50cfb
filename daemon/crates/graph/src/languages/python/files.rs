//! The file or folder that a dotted name denotes.

use sdl_model::{Lang, RelPath};

use crate::modules::paths::in_dir;
use crate::modules::{ModRef, Place};
use crate::world::World;

/// Whether folder `dir` holds the first part of a module's name, or, where that is a folder of folders, its second.
pub(super) fn has_module(w: &World<'_>, dir: &str, text: &str) -> bool {
    let mut parts = text.split('.');
    let first = in_dir(dir, parts.next().unwrap_or(text));
    let here = |base: &str| w.path(&format!("{base}.py")).is_some() || holds_modules(w, base);
    here(&first) || parts.next().is_some_and(|second| here(&format!("{first}/{second}")))
}

/// The module `rest` (dotted, may be empty) below folder `base`.
pub(super) fn find_module_file(w: &World<'_>, base: &str, rest: &str) -> Place {
    let path = if rest.is_empty() { base.to_owned() } else { in_dir(base, &rest.replace('.', "/")) };
    if !path.is_empty() {
        for suffix in [".py", "/__init__.py", ".pyi", "/__init__.pyi"] {
            if suffix == ".py" && rest.is_empty() {
                continue;
            }
            if let Some(file) = w.open_path(&format!("{path}{suffix}")) {
                return Place::Module(ModRef::File(file));
            }
        }
    }
    if holds_modules(w, &path) {
        Place::Module(ModRef::Dir(Lang::Python, w.sym(&path)))
    } else {
        Place::Missing
    }
}

/// Whether modules lie directly in a folder.
fn holds_modules(w: &World<'_>, dir: &str) -> bool {
    let is_module = |path: &RelPath| matches!(path.extension(), Some("py" | "pyi"));
    w.files_in_dir(dir).iter().any(|id| w.path_of(*id).is_some_and(|path| is_module(&path)))
}
