//! C and C++: includes, and linkage from a declaration to its definition.

use std::rc::Rc;

use sdl_model::facts::{Def, DefFlags, DefIx, Expr, ImportKind};
use sdl_model::{Lang, SymbolKind};

use super::platform;
use crate::modules::paths::{join_path, shared_depth};
use crate::modules::{self, ModRef, Place};
use crate::world::{DefRef, FileIndex, FileIx, Question, Sym, World, last_name};

/// Most files that one file may include, directly or not. Further ones are ignored.
const CLOSURE: usize = 256;

/// The file that an include names: the one beside the file, or else the only or nearest one whose path ends in the
/// text. A name in angle brackets is searched along the compiler's path, where the file's own folder comes last.
pub(super) fn resolve_include(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    if let Some(text) = text.strip_prefix('<') {
        return if platform::is_system_header(text) {
            own_library(w, text)
        } else {
            by_suffix(w, file, text, true)
        };
    }
    if let Some(at) = join_path(file.path.dir(), text).and_then(|path| w.open_path(&path)) {
        return Place::Module(ModRef::File(at));
    }
    by_suffix(w, file, text, false)
}

/// A header of the system's library, where the repository is that library, for example glibc.
fn own_library(w: &World<'_>, text: &str) -> Place {
    let name = text.rsplit('/').next().unwrap_or(text);
    let found = w.files_named(name).iter().copied().find(|id| {
        w.path_of(*id).is_some_and(|path| {
            let dir = path.as_str().strip_suffix(text).and_then(|dir| dir.strip_suffix('/'));
            dir == Some("include") && !platform::is_of_other_system(&path)
        })
    });
    found.and_then(|id| w.open(id)).map_or(Place::External, |at| Place::Module(ModRef::File(at)))
}

/// The file whose path ends in `text`. Of several, one that a build for Linux on x86-64 reads, then the nearest to
/// `file`. On request, the file right beside it comes last.
pub(in crate::languages) fn by_suffix(
    w: &World<'_>,
    file: &FileIndex,
    text: &str,
    beside_last: bool,
) -> Place {
    let beside = join_path(file.path.dir(), text).filter(|_| beside_last);
    let Some(text) = join_path("", text.trim_start_matches("../").trim_start_matches("./")) else {
        return Place::External;
    };
    let name = text.rsplit('/').next().unwrap_or(&text);
    let suffix = format!("/{text}");
    let at_home = !platform::is_elsewhere(&file.path);
    let mut found: Vec<_> = w
        .files_named(name)
        .iter()
        .filter_map(|id| Some((w.path_of(*id)?, *id)))
        .filter(|(path, _)| path.as_str() == text || path.as_str().ends_with(&suffix))
        .map(|(path, id)| {
            let is_beside = beside.as_deref() == Some(path.as_str());
            let is_elsewhere = at_home && platform::is_elsewhere(&path);
            let depth = path.as_str().matches('/').count();
            (is_beside, is_elsewhere, usize::MAX - shared_depth(path.dir(), file.path.dir()), depth, path, id)
        })
        .collect();
    found.sort();
    found
        .first()
        .and_then(|(.., id)| w.open(*id))
        .map_or(Place::External, |at| Place::Module(ModRef::File(at)))
}

/// The files that a file includes, directly or not, in breadth-first order.
pub(in crate::languages) fn included_files(w: &World<'_>, from: FileIx) -> Rc<[FileIx]> {
    closure_of(w, from, true)
}

/// The same. Without `all`, files included only by a build for another system are left out.
fn closure_of(w: &World<'_>, from: FileIx, all: bool) -> Rc<[FileIx]> {
    let q = Question::Included { from, for_all_systems: all };
    w.derive(&w.memos.files, q, Rc::default(), || {
        let mut found = vec![from];
        // The files that a Linux build includes come first.
        if all && is_c(w.file(from).lang()) {
            found.extend(closure_of(w, from, false).iter());
        }
        let mut at = 0;
        while let Some(&file) = found.get(at)
            && found.len() < CLOSURE
        {
            at += 1;
            let index = w.file(file);
            for import in index.includes.iter().filter_map(|ix| index.import(*ix)) {
                let is_textual = matches!(import.kind, ImportKind::Include | ImportKind::SystemInclude);
                if is_textual && !all && !import.reexport && is_c(index.lang()) {
                    continue;
                }
                if let Place::Module(ModRef::File(next)) = modules::imported_module(w, file, import)
                    && !found.contains(&next)
                {
                    found.push(next);
                }
            }
        }
        found.remove(0);
        found.into()
    })
}

fn is_c(lang: Lang) -> bool {
    matches!(lang, Lang::C | Lang::Cpp)
}

/// Whether the text of `target` becomes part of `file`.
pub(super) fn includes_file(w: &World<'_>, file: FileIx, target: FileIx) -> bool {
    included_files(w, file).contains(&target)
}

/// Whether a definition is for another system than the one of a default build.
pub(super) fn is_elsewhere(w: &World<'_>, at: DefRef) -> bool {
    let file = w.file(at.file);
    file.outline.def(at.def).is_some_and(|def| def.flags.has(DefFlags::LEFT_OUT))
        || (is_c(file.lang()) && platform::is_elsewhere(&file.path))
}

/// The macro between `function` and the byte `at` of its file that renames it: `#define f g`, where `g` is a function
/// with a body in sight.
pub(super) fn renaming_macro(w: &World<'_>, from: FileIx, function: DefIx, at: u32) -> Option<DefIx> {
    let file = w.file(from);
    let name = file.name(function)?;
    let between = file.outline.def(function)?.span.start..at;
    let (renames, value) = file.children(DefIx::MODULE, name).find_map(|ix| {
        let found = file.outline.def(ix).filter(|found| between.contains(&found.span.start))?;
        Some((ix, other_name(&file, found)?))
    })?;
    let value = w.sym(value);
    (value != name && body_in_sight(w, from, value).is_some()).then_some(renames)
}

/// The name that a macro without parameters expands to, whatever the settings.
fn other_name<'f>(file: &'f FileIndex, def: &Def) -> Option<&'f str> {
    let depends = def.flags.has(DefFlags::LEFT_OUT) || def.flags.has(DefFlags::OPTIONAL);
    let value = def.value.filter(|_| def.kind == SymbolKind::Constant && !depends)?;
    match file.outline.arena.expr(value) {
        Expr::Name(name) => Some(file.outline.str(*name)),
        _ => None,
    }
}

/// Whether types of this `kind` are named after a keyword, and so are separate from other names: `struct stat`.
pub(super) fn is_tag(kind: SymbolKind, lang: Lang) -> bool {
    lang == Lang::C && kind.is_type() && kind != SymbolKind::Type
}

/// The struct, union or enumeration `name` among the included files.
pub(super) fn find_tagged(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let found = included_files(w, from).iter().find_map(|at| {
        let file = w.file(*at);
        let is_one = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| is_tag(def.kind, file.lang()));
        let def = file.children(DefIx::MODULE, name).find(is_one)?;
        Some(DefRef { file: *at, def })
    });
    found.map_or(Place::Missing, Place::Def)
}

/// The definition of `name` among the included files. A declaration leads on to its definition.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let mut best: Option<((bool, bool, u8), u8, DefRef)> = None;
    let mut other = None;
    let is_libc = platform::is_of_libc(&w.text(name));
    // Definitions that a Linux build excludes count where it has no other, and for files of another system.
    let taken = closure_of(w, from, platform::is_elsewhere(&w.file(from).path));
    for (ix, at) in included_files(w, from).iter().enumerate() {
        let file = w.file(*at);
        let left_out = 4 * u8::from(ix >= taken.len());
        for def in file.children(DefIx::MODULE, name) {
            let Some(found) = file.outline.def(def).filter(|def| def.owner.is_none()) else { continue };
            if left_out == 0 {
                other = other.or_else(|| other_name(&file, found).map(|text| w.sym(text)));
            }
            let rank = match found.kind {
                SymbolKind::Function if found.flags.has(DefFlags::ABSTRACT) => 1,
                SymbolKind::Macro => 2,
                // A macro without parameters counts only where nothing else has the name, because it may rename a
                // function of its own name: `#define open open64`.
                SymbolKind::Constant => 3,
                kind if is_tag(kind, file.lang()) => 3,
                _ => 0,
            };
            let is_optional = found.flags.has(DefFlags::OPTIONAL);
            let is_left_out = found.flags.has(DefFlags::LEFT_OUT)
                // A replacement for a function of the system's library, which a setting asks for.
                || (is_optional && is_libc && !platform::is_own_library(&file.path));
            let rank = rank + left_out.max(4 * u8::from(is_left_out));
            // A definition present whatever the settings comes before one that only some settings ask for.
            let is_firm = matches!(found.kind, SymbolKind::Function | SymbolKind::Macro) && !is_optional;
            let order = (rank >= 4, !is_firm, rank);
            if best.is_none_or(|(known, ..)| order < known) {
                best = Some((order, rank, DefRef { file: *at, def }));
            }
        }
    }
    // Not a definition that only another system's build includes and that replaces one of this system's library.
    let best = best.map(|(_, rank, def)| (rank, def)).filter(|(rank, _)| *rank < 4 || !is_libc);
    // A macro with parameters hides the function of its name, unless only a setting asks for it.
    if let Some((1, prototype)) = best {
        let file = w.file(prototype.file);
        let is_optional = |ix| file.outline.def(ix).is_some_and(|def| def.flags.has(DefFlags::OPTIONAL));
        let both = is_optional(prototype.def);
        let hides = |ix: &DefIx| {
            let found = file.outline.def(*ix);
            found.is_some_and(|def| {
                let hides = !def.flags.has(DefFlags::LEFT_OUT) && !def.flags.has(DefFlags::ABSTRACT);
                def.kind == SymbolKind::Macro && hides && (both || !is_optional(*ix))
            })
        };
        if let Some(def) = file.children(DefIx::MODULE, name).find(hides) {
            return Place::Def(DefRef { def, ..prototype });
        }
    }
    // `#define f g`, where `g` is a function with a body in sight.
    if let (Some((0 | 1, _)), Some(other)) = (best, other.filter(|other| *other != name))
        && let Some(function) = body_in_sight(w, from, other)
    {
        return Place::Def(function);
    }
    match best {
        Some((1 | 5, prototype)) => Place::Def(linked_definition(w, prototype).unwrap_or(prototype)),
        Some((_, found)) => Place::Def(found),
        None => Place::Missing,
    }
}

/// Whether a file that `from` includes has a function `name` whatever the settings.
pub(super) fn has_firm_function(w: &World<'_>, from: FileIx, name: Sym) -> bool {
    closure_of(w, from, false).iter().any(|at| {
        let file = w.file(*at);
        file.children(DefIx::MODULE, name).any(|ix| {
            file.outline.def(ix).is_some_and(|def| {
                let depends = def.flags.has(DefFlags::LEFT_OUT) || def.flags.has(DefFlags::OPTIONAL);
                def.kind == SymbolKind::Function && def.owner.is_none() && !depends
            })
        })
    })
}

/// The function `name` with a body in a file or one that it includes.
fn body_in_sight(w: &World<'_>, from: FileIx, name: Sym) -> Option<DefRef> {
    std::iter::once(&from).chain(included_files(w, from).iter()).find_map(|at| {
        let file = w.file(*at);
        let is_body = |ix: &DefIx| {
            file.outline
                .def(*ix)
                .is_some_and(|def| def.kind == SymbolKind::Function && !def.flags.has(DefFlags::ABSTRACT))
        };
        let def = file.children(DefIx::MODULE, name).find(is_body)?;
        Some(DefRef { file: *at, def })
    })
}

/// The definition of a declared function that the linker would take, if only one has a body.
pub(super) fn linked_definition(w: &World<'_>, prototype: DefRef) -> Option<DefRef> {
    let file = w.file(prototype.file);
    let name = file.name(prototype.def)?;
    let declared = file.outline.def(prototype.def)?;
    let is_function = declared.kind == SymbolKind::Function && declared.flags.has(DefFlags::ABSTRACT);
    if !matches!(file.lang(), Lang::C | Lang::Cpp) || !is_function {
        return None;
    }
    let around = declared.parent.and_then(|parent| file.outline.def(parent));
    let namespace = around
        .filter(|around| around.kind == SymbolKind::Namespace)
        .map_or(Some(""), |around| Some(file.outline.str(around.name)));
    let is_body = |def: &DefIx| {
        file.outline.def(*def).is_some_and(|def| {
            // `struct f *f(void);`
            let is_code = !matches!(def.kind, SymbolKind::Macro | SymbolKind::Constant)
                && !is_tag(def.kind, file.lang());
            is_code && !def.flags.has(DefFlags::ABSTRACT) && !def.flags.has(DefFlags::LEFT_OUT)
        })
    };
    if let Some(def) = declared.parent.and_then(|scope| file.children(scope, name).find(is_body)) {
        return Some(DefRef { def, ..prototype });
    }
    // A function declared for its own file only has no definition elsewhere.
    if declared.flags.has(DefFlags::STATIC) {
        return None;
    }
    let mut found: Vec<(usize, DefRef)> = w
        .named(name)?
        .iter()
        .filter(|hit| matches!(hit.kind, SymbolKind::Function | SymbolKind::Method))
        .filter_map(|hit| {
            let at = w.open(hit.file)?;
            let index = w.file(at);
            let def = index.find(hit.symbol)?;
            let found = index.outline.def(def)?;
            // `void space::f() {…}`: a function's qualifier looks like a class.
            let is_member = found.kind == SymbolKind::Method;
            if is_member && found.owner.and_then(|owner| last_name(&index.outline, owner)) != namespace {
                return None;
            }
            let flags = found.flags;
            // A static function of another file is skipped, because a declaration in a header can't mean it.
            (!flags.has(DefFlags::ABSTRACT) && (at == prototype.file || !flags.has(DefFlags::STATIC)))
                .then(|| (shared_depth(index.path.dir(), file.path.dir()), DefRef { file: at, def }))
        })
        .collect();
    // If there is one definition for each system, such as `poll_linux.c` and `poll_win.c`, take the one for Linux.
    let at_home = |def: &DefRef| !is_elsewhere(w, *def);
    if found.len() > 1 && at_home(&prototype) && found.iter().any(|(_, def)| at_home(def)) {
        found.retain(|(_, def)| at_home(def));
    }
    // Several programs in one repository may define it, for example `usage`. The nearest one counts, if no other is
    // as near.
    let nearest = found.iter().map(|(near, _)| *near).max()?;
    found.retain(|(near, _)| *near == nearest);
    let (_, first) = *found.first()?;
    if found.iter().any(|(_, def)| def.file != first.file) {
        return None;
    }
    // Several definitions in one file are alternatives, of which a build takes one.
    found.iter().map(|(_, def)| *def).min_by_key(|def| def.def)
}
