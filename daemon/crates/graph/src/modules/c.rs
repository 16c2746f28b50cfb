//! C and C++: includes, and linkage from a declaration to its definition.

use std::rc::Rc;

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{Lang, SymbolKind};

use super::paths::{join, shared};
use super::{ModRef, Place};
use crate::infer::{Tag, question};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World, last_name};

/// Most files that one file may include, directly or not, before the rest is left out.
const CLOSURE: usize = 256;

/// The file that an include names: beside the file, or the only or nearest one whose path ends so.
pub(super) fn include(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    if let Some(at) = join(file.path.dir(), text).and_then(|path| w.open_path(&path)) {
        return Place::Module(ModRef::File(at));
    }
    by_suffix(w, file, text)
}

/// The file whose path ends in `text`; of several the nearest to `file`.
pub(super) fn by_suffix(w: &World<'_>, file: &FileIndex, text: &str) -> Place {
    let Some(text) = join("", text.trim_start_matches("../").trim_start_matches("./")) else {
        return Place::External;
    };
    let name = text.rsplit('/').next().unwrap_or(&text);
    let suffix = format!("/{text}");
    let mut found: Vec<_> = w
        .files_named(name)
        .iter()
        .filter_map(|id| Some((w.path_of(*id)?, *id)))
        .filter(|(path, _)| path.as_str() == text || path.as_str().ends_with(&suffix))
        .map(|(path, id)| (usize::MAX - shared(path.dir(), file.path.dir()), path, id))
        .collect();
    found.sort();
    found
        .first()
        .and_then(|(_, _, id)| w.open(*id))
        .map_or(Place::External, |at| Place::Module(ModRef::File(at)))
}

/// The files that a file includes, directly or not, in breadth-first order.
pub(super) fn closure(w: &World<'_>, from: FileIx) -> Rc<[FileIx]> {
    let q = question(Tag::Package, DefRef { file: from, def: DefIx::MODULE }, 0);
    w.derive(&w.memos.files, q, Rc::default(), || {
        let mut all = vec![from];
        let mut at = 0;
        while let Some(&file) = all.get(at)
            && all.len() < CLOSURE
        {
            at += 1;
            let index = w.file(file);
            for import in index.includes.iter().filter_map(|ix| index.import(*ix)) {
                if let Place::Module(ModRef::File(next)) =
                    super::module(w, file, import.scope, index.outline.str(import.module))
                    && !all.contains(&next)
                {
                    all.push(next);
                }
            }
        }
        all.remove(0);
        all.into()
    })
}

/// What `name` is among what a file includes; a declaration leads on to its definition.
pub(super) fn implicit(w: &World<'_>, from: FileIx, name: Sym) -> Place {
    let mut best: Option<(u8, DefRef)> = None;
    for at in closure(w, from).iter() {
        let file = w.file(*at);
        for def in file.children(DefIx::MODULE, name) {
            let Some(found) = file.outline.def(def).filter(|def| def.owner.is_none()) else { continue };
            let rank = match found.kind {
                SymbolKind::Function if found.flags.has(DefFlags::ABSTRACT) => 1,
                SymbolKind::Macro => 2,
                // A macro without parameters may rename what has the same name: it counts where nothing else has.
                SymbolKind::Constant => 3,
                _ => 0,
            };
            if best.is_none_or(|(known, _)| rank < known) {
                best = Some((rank, DefRef { file: *at, def }));
            }
        }
    }
    match best {
        Some((1, prototype)) => Place::Def(definition(w, prototype).unwrap_or(prototype)),
        Some((_, found)) => Place::Def(found),
        None => Place::Missing,
    }
}

/// The definition behind a function's declaration: the one that the linker would take, if just one has a body.
pub(crate) fn definition(w: &World<'_>, prototype: DefRef) -> Option<DefRef> {
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
    if let Some(def) = declared.parent.and_then(|scope| file.child(scope, name))
        && def != prototype.def
        && file.outline.def(def).is_some_and(|def| !def.flags.has(DefFlags::ABSTRACT))
    {
        return Some(DefRef { def, ..prototype });
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
            // `void space::f() {…}`: what qualifies a function looks like a class.
            let is_member = found.kind == SymbolKind::Method;
            if is_member && found.owner.and_then(|owner| last_name(&index.outline, owner)) != namespace {
                return None;
            }
            let flags = found.flags;
            // A static function of another file is not what a declaration in a header means.
            (!flags.has(DefFlags::ABSTRACT) && (at == prototype.file || !flags.has(DefFlags::STATIC)))
                .then(|| (shared(index.path.dir(), file.path.dir()), DefRef { file: at, def }))
        })
        .collect();
    // Several programs in one repository may define it: the nearest one counts, if it is the only one so near.
    let nearest = found.iter().map(|(near, _)| *near).max()?;
    found.retain(|(near, _)| *near == nearest);
    match found.as_slice() {
        [(_, only)] => Some(*only),
        _ => None,
    }
}
