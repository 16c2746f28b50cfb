//! C and C++: includes, and linkage from a declaration to its definition.

use std::rc::Rc;
use std::sync::Arc;

use sdl_ledger::{HitFlags, NameHit};
use sdl_model::facts::{Def, DefFlags, DefIx, Expr};
use sdl_model::{FileId, Lang, RelPath, SymbolKind};

use super::platform;
use crate::hash::NumberSet;
use crate::modules::paths::{join_path, shared_depth};
use crate::modules::{self, ModRef, Place};
use crate::world::{Closure, DefRef, FileIndex, FileIx, Kinds, Question, Sym, World, last_name};

/// Most files that one file may include, directly or not. Further ones are ignored.
const CLOSURE: usize = 256;

/// The file that an include names, opened.
pub(super) fn resolve_include(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    match find_included(w, file.id, &file.path, w.sym(text)).and_then(|id| w.open(id)) {
        Some(at) => Place::Module(ModRef::File(at)),
        None => Place::External,
    }
}

/// The file that an include names: the one beside the file, or else the only or nearest one whose path ends in the
/// text. A name in angle brackets is searched along the compiler's path, where the file's own folder comes last.
pub(super) fn find_included(w: &World<'_>, from: FileId, path: &RelPath, text: Sym) -> Option<FileId> {
    w.derive(&w.memos.targets, Question::Inclusion(from.0, text), None, || {
        let text = &*w.text(text);
        if let Some(text) = text.strip_prefix('<') {
            return if platform::is_system_header(text) {
                own_library(w, text)
            } else {
                file_by_suffix(w, path, text, true)
            };
        }
        join_path(path.dir(), text)
            .and_then(|path| w.path(&path))
            .or_else(|| file_by_suffix(w, path, text, false))
    })
}

/// A header of the system's library, where the repository is that library, for example glibc.
fn own_library(w: &World<'_>, text: &str) -> Option<FileId> {
    let path = RelPath::new(&format!("include/{text}"))?;
    w.path(path.as_str()).filter(|_| !platform::is_of_other_system(&path))
}

/// The file whose path ends in `text`, opened: see [`file_by_suffix`].
pub(in crate::languages) fn by_suffix(
    w: &World<'_>,
    file: &FileIndex,
    text: &str,
    beside_last: bool,
) -> Place {
    file_by_suffix(w, &file.path, text, beside_last)
        .and_then(|id| w.open(id))
        .map_or(Place::External, |at| Place::Module(ModRef::File(at)))
}

/// The file whose path ends in `text`. Of several, one that a build for Linux on x86-64 reads, then the nearest to
/// the file at `from`. On request, the file right beside it comes last.
fn file_by_suffix(w: &World<'_>, from: &RelPath, text: &str, beside_last: bool) -> Option<FileId> {
    let beside = join_path(from.dir(), text).filter(|_| beside_last);
    let text = join_path("", text.trim_start_matches("../").trim_start_matches("./"))?;
    let name = text.rsplit('/').next().unwrap_or(&text);
    let suffix = format!("/{text}");
    let at_home = !platform::is_elsewhere(from);
    let paths = w.paths_named(name);
    let fitting = paths.iter().filter(|(path, _)| path.as_str() == text || path.as_str().ends_with(&suffix));
    let order = |(path, _): &&(RelPath, FileId)| {
        let is_beside = beside.as_deref() == Some(path.as_str());
        let is_elsewhere = at_home && platform::is_elsewhere(path);
        let depth = path.as_str().matches('/').count();
        (is_beside, is_elsewhere, usize::MAX - shared_depth(path.dir(), from.dir()), depth, path.clone())
    };
    fitting.min_by_key(order).map(|(_, id)| *id)
}

/// The files that a file loads, directly or not, in breadth-first order. For languages other than C and C++.
pub(in crate::languages) fn loaded_files(w: &World<'_>, from: FileIx) -> Rc<[FileIx]> {
    w.derive(&w.memos.files, Question::Loaded(from), Rc::default(), || {
        let mut found = vec![from];
        let mut at = 0;
        while let Some(&file) = found.get(at)
            && found.len() < CLOSURE
        {
            at += 1;
            let index = w.file(file);
            for import in index.includes.iter().filter_map(|ix| index.import(*ix)) {
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

/// The files that a file includes, directly or not, in breadth-first order.
fn included_files(w: &World<'_>, from: FileIx) -> Arc<Closure> {
    closure_of(w, w.file(from).id, true)
}

/// The same. Without `all`, files included only by a build for another system are left out.
fn closure_of(w: &World<'_>, from: FileId, all: bool) -> Arc<Closure> {
    let q = Question::Included { from: from.0, for_all_systems: all };
    w.recall_closure(q);
    w.derive(&w.memos.closures, q, Arc::default(), || {
        // The files that a Linux build includes come first.
        let taken = all.then(|| closure_of(w, from, false));
        let mut found = vec![from];
        found.extend(taken.iter().flat_map(|taken| taken.files()));
        let mut known: NumberSet<u64> = found.iter().map(|file| file.0).collect();
        let is_followed = |file| taken.as_ref().is_some_and(|taken| file == from || taken.has(file));
        let mut at = 0;
        while let Some(&file) = found.get(at)
            && found.len() < CLOSURE
        {
            at += 1;
            // Most files include the same ones in every build.
            if is_followed(file) && !leaves_any_out(w, file) {
                continue;
            }
            found.extend(included_by(w, file, all).iter().filter(|next| known.insert(next.0)));
        }
        found.remove(0);
        Arc::new(Closure::new(found))
    })
}

/// Whether a file includes others only in builds for other systems.
fn leaves_any_out(w: &World<'_>, file: FileId) -> bool {
    w.includer(file).is_some_and(|includer| includer.inclusions.iter().any(|(_, is_taken)| !is_taken))
}

/// The files that a file includes itself, in order. Worked out once for the hundreds of closures that it is part of.
fn included_by(w: &World<'_>, file: FileId, all: bool) -> Rc<[FileId]> {
    let q = Question::IncludedBy { file: file.0, for_all_systems: all };
    w.derive(&w.memos.included, q, Rc::default(), || {
        let Some(includer) = w.includer(file) else { return Rc::default() };
        let inclusions = includer.inclusions.iter().filter(|(_, is_taken)| all || *is_taken);
        let files = inclusions.filter_map(|(text, _)| find_included(w, file, &includer.path, *text));
        files.filter(|next| w.includer(*next).is_some()).collect()
    })
}

/// The included files that define `name` in some scope, in order.
pub(super) fn included_with_any(w: &World<'_>, from: FileIx, name: Sym) -> Vec<FileIx> {
    let found = w.included_anywhere(&included_files(w, from), name);
    found.into_iter().map(|(_, at)| at).collect()
}

/// Every included file, opened.
pub(super) fn all_included(w: &World<'_>, from: FileIx) -> Vec<FileIx> {
    included_files(w, from).files().iter().filter_map(|id| w.open(*id)).collect()
}

fn is_c(lang: Lang) -> bool {
    matches!(lang, Lang::C | Lang::Cpp)
}

/// Whether the text of `target` becomes part of `file`.
pub(super) fn includes_file(w: &World<'_>, file: FileIx, target: FileIx) -> bool {
    included_files(w, file).has(w.file(target).id)
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

/// The kinds that a name alone may lead to.
fn free_kinds() -> Kinds {
    Kinds::of(SymbolKind::is_free)
}

/// The struct, union or enumeration `name` among the included files.
pub(super) fn find_tagged(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let tags = Kinds::of(|kind| is_tag(kind, Lang::C));
    let found = w.included_at_top(&included_files(w, from), name, tags).into_iter().find_map(|(_, at)| {
        let file = w.file(at);
        let is_one = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| is_tag(def.kind, file.lang()));
        let def = file.children(DefIx::MODULE, name).find(is_one)?;
        Some(DefRef { file: at, def })
    });
    found.map_or(Place::Missing, Place::Def)
}

/// The definition of `name` among the included files. A declaration leads on to its definition.
pub(super) fn find_implicit(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let mut best: Option<((bool, bool, u8), u8, DefRef)> = None;
    let mut other = None;
    let is_libc = platform::is_of_libc(&w.text(name));
    // Definitions that a Linux build excludes count where it has no other, and for files of another system.
    let own = w.file(from);
    let taken = closure_of(w, own.id, platform::is_elsewhere(&own.path)).files().len();
    for (place, at) in w.included_at_top(&included_files(w, from), name, free_kinds()) {
        let file = w.file(at);
        let left_out = 4 * u8::from(place >= taken);
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
                best = Some((order, rank, DefRef { file: at, def }));
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
    w.included_at_top(&closure_of(w, w.file(from).id, false), name, free_kinds()).into_iter().any(
        |(_, at)| {
            let file = w.file(at);
            file.children(DefIx::MODULE, name).any(|ix| {
                file.outline.def(ix).is_some_and(|def| {
                    let depends = def.flags.has(DefFlags::LEFT_OUT) || def.flags.has(DefFlags::OPTIONAL);
                    def.kind == SymbolKind::Function && def.owner.is_none() && !depends
                })
            })
        },
    )
}

/// The function `name` with a body in a file or one that it includes.
fn body_in_sight(w: &World<'_>, from: FileIx, name: Sym) -> Option<DefRef> {
    let included =
        w.included_at_top(&included_files(w, from), name, free_kinds()).into_iter().map(|(_, at)| at);
    std::iter::once(from).chain(included).find_map(|at| {
        let file = w.file(at);
        let is_body = |ix: &DefIx| {
            file.outline
                .def(*ix)
                .is_some_and(|def| def.kind == SymbolKind::Function && !def.flags.has(DefFlags::ABSTRACT))
        };
        let def = file.children(DefIx::MODULE, name).find(is_body)?;
        Some(DefRef { file: at, def })
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
    let hits = w.named(name)?;
    let mut found: Vec<Body<'_>> =
        hits.iter().filter_map(|hit| Body::read(w, &file, hit, namespace)).collect();
    // If there is one definition for each system, such as `poll_linux.c` and `poll_win.c`, take the one for Linux.
    if found.len() > 1 && !is_elsewhere(w, prototype) && found.iter().any(|body| !body.is_elsewhere) {
        found.retain(|body| !body.is_elsewhere);
    }
    // Several programs in one repository may define it, for example `usage`. The nearest one counts, if no other is
    // as near.
    let nearest = found.iter().map(|body| body.near).max()?;
    found.retain(|body| body.near == nearest);
    let first = found.first()?.hit.file;
    if found.iter().any(|body| body.hit.file != first) {
        return None;
    }
    // Only this file is opened, because a name may have a dozen definitions. Several in one file are alternatives, of
    // which a build takes one.
    let at = w.open(first)?;
    let index = w.file(at);
    let def = found.iter().filter_map(|body| index.find(body.hit.symbol)).min()?;
    Some(DefRef { file: at, def })
}

/// A function with a body that may be the one that a prototype declares.
struct Body<'h> {
    hit: &'h NameHit,
    is_elsewhere: bool,
    /// How many folders it shares with the prototype.
    near: usize,
}

impl<'h> Body<'h> {
    /// The definition that a search for the name of a prototype in `file` found, unless it can't be the declared one.
    fn read(w: &World<'_>, file: &FileIndex, hit: &'h NameHit, namespace: Option<&str>) -> Option<Self> {
        let is_member = hit.kind == SymbolKind::Method;
        let is_code = is_member || hit.kind == SymbolKind::Function;
        // A static function of another file is skipped, because a declaration in a header can't mean it.
        let is_hidden = hit.flags.has(HitFlags::STATIC) && hit.file != file.id;
        if !is_code || is_hidden || hit.flags.has(HitFlags::DECLARED) {
            return None;
        }
        if is_member {
            // `void space::f() {…}`: a function's qualifier looks like a class.
            let index = w.file(w.open(hit.file)?);
            let owner = index.find(hit.symbol).and_then(|def| index.outline.def(def)?.owner);
            if owner.and_then(|owner| last_name(&index.outline, owner)) != namespace {
                return None;
            }
        }
        let path = w.path_of(hit.file)?;
        let is_elsewhere = hit.flags.has(HitFlags::LEFT_OUT) || platform::is_elsewhere(&path);
        Some(Self { hit, is_elsewhere, near: shared_depth(path.dir(), file.path.dir()) })
    }
}
