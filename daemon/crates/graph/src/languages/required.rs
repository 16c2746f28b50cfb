//! Ruby and Bash: files that are loaded by path, into one namespace.

use sdl_model::facts::DefIx;
use sdl_model::{Lang, SymbolKind};

use super::c;
use crate::modules::paths::join_path;
use crate::modules::{ModRef, Place};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World};

/// The file that `require`, `require_relative`, `source` or `.` names.
pub(super) fn find_module(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    let text = without_variables(text);
    let with_extension = match file.lang() {
        Lang::Ruby if !has_extension(text, "rb") => format!("{text}.rb"),
        _ => text.to_owned(),
    };
    let beside = join_path(file.path.dir(), &with_extension).and_then(|path| w.open_path(&path));
    match beside {
        Some(at) => Place::Module(ModRef::File(at)),
        None => c::by_suffix(w, file, &with_extension, false),
    }
}

fn has_extension(text: &str, extension: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

/// The text after the last variable: `lib.sh` of `$(dirname "$0")/lib.sh`.
fn without_variables(text: &str) -> &str {
    match text.rfind(['$', '"', ')', '}']) {
        Some(at) => text.get(at..).and_then(|rest| rest.split_once('/')).map_or(text, |(_, rest)| rest),
        None => text,
    }
}

/// The definition of `name` among the files that a file loads.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    c::loaded_files(w, from)
        .iter()
        .find_map(|at| {
            let file = w.file(*at);
            let def = file.child(DefIx::MODULE, name)?;
            Some(Place::Def(DefRef { file: *at, def }))
        })
        .unwrap_or(Place::Missing)
}

/// A constant of Ruby's top level. The program loads the file that defines it in some way that the text need not show.
pub(super) fn find_root_name(w: &World<'_>, name: &str) -> Place {
    let mut found: Vec<_> = w
        .named(w.sym(name))
        .iter()
        .flat_map(|hits| hits.iter())
        .filter(|hit| hit.kind.is_type() || hit.kind == SymbolKind::Constant)
        .filter_map(|hit| {
            let at = w.open(hit.file)?;
            let file = w.file(at);
            let def = file.find(hit.symbol)?;
            let is_top = file
                .outline
                .def(def)
                .is_some_and(|def| def.parent == Some(DefIx::MODULE) && def.owner.is_none());
            (file.lang() == Lang::Ruby && is_top).then_some((hit.symbol.0, DefRef { file: at, def }))
        })
        .collect();
    found.sort_unstable_by_key(|(id, _)| *id);
    found.first().map_or(Place::Missing, |(_, def)| Place::Def(*def))
}
