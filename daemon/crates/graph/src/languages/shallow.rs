//! Shallow languages: the meanings that a text can have in all of them.
//!
//! Their facts come from queries, and their own rules for finding modules are not known. So an import is a path, a
//! package or a file of that name, and a dotted name is a definition with the same full name. Such an edge has the
//! confidence of the lowest of the measured languages (see `confidence`).

use sdl_model::facts::{DefFlags, DefIx, Import, ImportKind};
use sdl_model::{Lang, Visibility};

use super::c::by_suffix;
use crate::infer::{MemberRules, NameRules, TypeRules};
use crate::modules::paths::join_path;
use crate::modules::{self, ModRef, Place, as_place, find_declared, find_inside};
use crate::resolve::CallRules;
use crate::world::{DefRef, FileIndex, FileIx, ModuleRules, Sym, World};

/// Most parts of a name that are looked at, and most scopes around it.
const MAX_PARTS: usize = 16;
/// Most files of a package that are opened for a name with very many definitions.
const MAX_FILES: usize = 256;

/// A shallow language.
pub(super) struct Shallow;

impl ModuleRules for Shallow {
    fn module(&self, w: &World<'_>, from: FileIx, _: DefIx, text: &str) -> Place {
        let file = w.file(from);
        let extensions = file.traits().files.extensions;
        // `package:name/path.dart`: no text states where the package is.
        let (scheme, text) = text.split_once(':').unwrap_or(("", text));
        let is_path = text.contains('/')
            || text.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
        if !scheme.is_empty() {
            return text
                .split_once('/')
                .map_or(Place::External, |(_, path)| by_suffix(w, &file, path, false));
        }
        if is_path {
            let beside = join_path(file.path.dir(), text).and_then(|path| w.open_path(&path));
            return match beside {
                Some(at) => Place::Module(ModRef::File(at)),
                None => by_suffix(w, &file, text, false),
            };
        }
        let named = by_full_name(w, file.lang(), text);
        if named.is_found() {
            return named;
        }
        if !w.files_of_package(text).is_empty() {
            return Place::Module(ModRef::Package(file.lang(), w.sym(text)));
        }
        let path = text.replace('.', "/");
        extensions
            .iter()
            .flat_map(|extension| [format!("{path}.{extension}"), format!("{path}/init.{extension}")])
            .map(|path| by_suffix(w, &file, &path, false))
            .find(|place| place.is_found())
            .unwrap_or(Place::External)
    }

    fn import_name(&self, w: &World<'_>, from: FileIx, import: &Import, name: &str) -> Option<Place> {
        let file = w.file(from);
        let whole = format!("{}.{name}", file.outline.str(import.module));
        let found = by_full_name(w, file.lang(), &whole);
        Some(found).filter(|place| place.is_found())
    }

    fn file_member(&self, w: &World<'_>, at: FileIx, name: Sym) -> Option<Place> {
        let found = find_declared(w, at, name);
        if found.is_found() {
            return Some(found);
        }
        let file = w.file(at);
        // The value of the module as a whole for its importers: `return M`.
        let whole = w.sym("default");
        let whole = file.exports.iter().find(|(exported, _)| *exported == whole);
        if let Some(def) = whole.and_then(|(_, local)| file.child(DefIx::MODULE, *local)) {
            let owned = || file.owned_by(file.name(def)?, name).next();
            let found = file.child(def, name).or_else(owned);
            if let Some(def) = found {
                return Some(Place::Def(DefRef { file: at, def }));
            }
        }
        Some(reexported(w, at, &file, name))
    }

    fn package_member(&self, w: &World<'_>, lang: Lang, package: Sym, name: Sym) -> Place {
        member_of_package(w, lang, package, name)
    }

    fn implicit(&self, w: &World<'_>, from: FileIx, _: DefIx, name: Sym) -> Place {
        let file = w.file(from);
        let Some(package) = file.outline.package else { return Place::Missing };
        around(file.outline.str(package))
            .map(|package| member_of_package(w, file.lang(), w.sym(package), name))
            .find(|place| place.is_found())
            .unwrap_or(Place::Missing)
    }

    fn spelled(&self, w: &World<'_>, from: FileIx, scope: DefIx, dotted: &str, name: &str) -> Place {
        let file = w.file(from);
        let name = format!("{dotted}.{name}");
        let package = file.outline.package.map_or("", |package| file.outline.str(package));
        let scope = file.outline.def(scope).map_or("", |def| file.outline.str(def.qualified));
        let scope = joined(package, scope);
        // As written, then from the scopes around, the innermost first.
        std::iter::once(name.clone())
            .chain(around(&scope).map(|around| format!("{around}.{name}")))
            .map(|name| by_full_name(w, file.lang(), &name))
            .find(|place| place.is_found())
            .unwrap_or(Place::Missing)
    }
}

impl NameRules for Shallow {}

impl MemberRules for Shallow {}

impl TypeRules for Shallow {}

impl CallRules for Shallow {
    /// A definition that a query marked as private is visible only in its file.
    fn is_hidden(&self, file: &FileIndex, def: DefIx) -> bool {
        file.outline.def(def).is_none_or(|def| def.visibility == Visibility::Private)
    }
}

/// The meaning of `name` in the files of `lang` that declare a package.
fn member_of_package(w: &World<'_>, lang: Lang, package: Sym, name: Sym) -> Place {
    let files = w.files_of_package(&w.text(package));
    let mut candidates: Vec<_> = match w.named(name) {
        Some(hits) => hits.iter().map(|hit| hit.file).filter(|file| files.contains(file)).collect(),
        None => files.iter().copied().take(MAX_FILES).collect(),
    };
    // Of copies in one tree, the one in the fewest folders.
    candidates.sort_by_cached_key(|id| {
        w.path_of(*id).map(|path| (path.as_str().matches('/').count(), path.clone()))
    });
    candidates
        .into_iter()
        .filter_map(|id| w.open(id))
        .filter(|at| w.file(*at).lang() == lang)
        .map(|at| find_declared(w, at, name))
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

/// The definition of `lang` whose name, with all names around it, is `full`.
fn by_full_name(w: &World<'_>, lang: Lang, full: &str) -> Place {
    let within = |package: &str, rest: &str| {
        let mut parts = rest.split('.');
        let first = parts.next().unwrap_or_default();
        let found = member_of_package(w, lang, w.sym(package), w.sym(first));
        parts.fold(found, |place, part| find_inside(w, place, part))
    };
    let dots = full.rmatch_indices('.').take(MAX_PARTS).filter_map(|(at, _)| full.split_at_checked(at));
    let in_package = dots
        .map(|(package, rest)| (package, rest.trim_start_matches('.')))
        .filter(|(package, _)| !w.files_of_package(package).is_empty())
        .map(|(package, rest)| within(package, rest))
        .find(|place| place.is_found());
    in_package.unwrap_or_else(|| by_qualified_name(w, lang, full))
}

/// The same for a definition that states its name in full, as `defmodule A.B` does.
fn by_qualified_name(w: &World<'_>, lang: Lang, full: &str) -> Place {
    let last = full.rsplit('.').next().unwrap_or(full);
    let Some(hits) = w.named(w.sym(last)) else { return Place::Missing };
    let mut found: Vec<_> = hits
        .iter()
        .filter_map(|hit| {
            let at = w.open(hit.file)?;
            let file = w.file(at);
            let def = file.find(hit.symbol)?;
            let found = file.outline.def(def)?;
            let is_it = file.lang() == lang
                && file.outline.package.is_none()
                && !found.flags.has(DefFlags::LOCAL)
                && file.outline.str(found.qualified) == full;
            let place = is_it.then(|| as_place(&file, DefRef { file: at, def: DefIx::MODULE }, def))?;
            Some((!hit.kind.is_type(), file.path.clone(), def, place))
        })
        .collect();
    found.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    found.first().map_or(Place::Missing, |(.., place)| *place)
}

/// The definition of `name` among the files that a file re-exports.
fn reexported(w: &World<'_>, at: FileIx, file: &FileIndex, name: Sym) -> Place {
    file.wildcards
        .iter()
        .filter_map(|ix| file.import(*ix))
        .filter(|import| import.kind == ImportKind::Wildcard && import.reexport)
        .filter_map(|import| match modules::imported_module(w, at, import) {
            Place::Module(ModRef::File(target)) if target == at => None,
            Place::Module(target) => Some(modules::find_member(w, target, name)),
            _ => None,
        })
        .find(|place| place.is_found())
        .unwrap_or(Place::Missing)
}

fn joined(package: &str, name: &str) -> String {
    match (package, name) {
        ("", name) => name.to_owned(),
        (package, "") => package.to_owned(),
        _ => format!("{package}.{name}"),
    }
}

/// `a.b.c`, `a.b`, `a`.
fn around(dotted: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dotted), |at| at.rsplit_once('.').map(|(outer, _)| outer))
        .filter(|at| !at.is_empty())
        .take(MAX_PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_around_a_name() {
        assert_eq!(around("a.b.c").collect::<Vec<_>>(), ["a.b.c", "a.b", "a"]);
        assert_eq!(around("").count(), 0);
        assert_eq!(joined("", "a"), "a");
        assert_eq!(joined("p", ""), "p");
    }
}
