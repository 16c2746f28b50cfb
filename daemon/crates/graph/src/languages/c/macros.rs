//! C and C++: calls of macros, which may rename functions, call them, or be defined in several ways.

use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx, Ref, RefForm};
use sdl_model::{EdgeKind, SymbolKind};

use super::{includes, platform};
use crate::infer::{Meaning, Via, Want};
use crate::modules::Place;
use crate::resolve::{CANDIDATES, Outcome, Resolver, rule_of};
use crate::strategies::ALTERNATIVES;
use crate::world::{DefRef, FileIndex};

/// The outcome of a call by a name that means the macro `def`.
pub(super) fn called_macro(
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    def: DefRef,
    kind: SymbolKind,
    via: Via,
) -> Option<Outcome> {
    let file = resolver.infer.file(def.file);
    match kind {
        SymbolKind::Constant => Some(renaming_call(resolver, one, &file, def, via)),
        // The build's settings decide between several definitions.
        SymbolKind::Macro => Some(match twin_macros(resolver, &file, def) {
            several if several.len() > 1 && several.len() <= CANDIDATES => {
                Outcome::Found(several, &ALTERNATIVES)
            }
            _ => Outcome::one(def, rule_of(via)),
        }),
        _ => None,
    }
}

/// A call of a macro without parameters, which may rename the called function.
fn renaming_call(resolver: &Resolver<'_, '_>, one: &Ref, file: &FileIndex, def: DefRef, via: Via) -> Outcome {
    if let Some(renamed) = renamed_function(resolver, one, file, def) {
        return Outcome::one(renamed, rule_of(via));
    }
    // `#define my_free free`.
    if is_name_of_platform(file, def) {
        return Outcome::External;
    }
    match resolver.unknown_function(one) {
        Outcome::Found(all, rule) if !resolver.is_elsewhere(&all) => Outcome::Found(all, rule),
        _ => Outcome::one(def, rule_of(via)),
    }
}

/// Whether a macro without parameters is an alias of a function of the system's library.
fn is_name_of_platform(file: &FileIndex, def: DefRef) -> bool {
    let value = file.outline.def(def.def).and_then(|def| def.value);
    let Some(Expr::Name(name)) = value.map(|value| file.outline.arena.expr(value)) else { return false };
    platform::is_of_libc(file.outline.str(*name))
}

/// The definitions that a macro has in its file.
fn twin_macros(resolver: &Resolver<'_, '_>, file: &FileIndex, def: DefRef) -> Vec<DefRef> {
    let infer = &resolver.infer;
    let is_macro = |ix: &DefIx| file.outline.def(*ix).is_some_and(|def| def.kind == SymbolKind::Macro);
    let scope = file.outline.def(def.def).and_then(|def| def.parent).unwrap_or(DefIx::MODULE);
    let Some(name) = file.name(def.def) else { return Vec::new() };
    let own = file.children(scope, name).filter(is_macro);
    let mut all: Vec<DefRef> = own.map(|ix| DefRef { def: ix, ..def }).collect();
    // Another included header may define it, too.
    let hits = infer.w.named(name);
    let of_others = hits.iter().flat_map(|hits| hits.iter()).filter(|hit| hit.kind == SymbolKind::Macro);
    for hit in of_others.filter(|hit| hit.file != file.id) {
        let Some(at) = infer.w.open(hit.file) else { continue };
        let other = infer.file(at).find(hit.symbol);
        if let Some(other) = other.filter(|_| includes::includes_file(infer.w, infer.own.file, at)) {
            all.push(DefRef { file: at, def: other });
        }
    }
    if !resolver.is_elsewhere(&[def]) {
        all.retain(|def| !resolver.is_elsewhere(&[*def]));
    }
    all
}

/// The function with a body that a macro without parameters expands to, if the file defines the macro in one way only.
fn renamed_function(resolver: &Resolver<'_, '_>, one: &Ref, file: &FileIndex, def: DefRef) -> Option<DefRef> {
    let own_name = file.name(def.def)?;
    let twins = file.children(DefIx::MODULE, own_name).filter_map(|ix| {
        let def = file.outline.def(ix)?;
        (def.kind == SymbolKind::Constant && !def.flags.has(DefFlags::LEFT_OUT)).then_some(def)
    });
    let value = file.outline.def(def.def)?.value?;
    let Expr::Name(name) = file.outline.arena.expr(value) else { return None };
    let same = |value: ExprIx| matches!(file.outline.arena.expr(value), Expr::Name(other) if other == name);
    twins.map(|def| def.value).all(|value| value.is_some_and(same)).then_some(())?;
    // Looked up at the place of the call, because the text of a macro has its meaning where the macro is used.
    let text = file.outline.str(*name);
    let meaning = resolver.infer.meaning_of(&resolver.ctx(one), text, Want::Call);
    let Meaning::Place(Place::Def(found), _) = meaning else { return None };
    let target = resolver.infer.file(found.file);
    let is_function = target
        .outline
        .def(found.def)
        .is_some_and(|def| def.kind == SymbolKind::Function && !def.flags.has(DefFlags::ABSTRACT));
    is_function.then_some(found)
}

/// A name is passed to a call that looks like a macro. Where the macro calls its parameter, as in `#define RUN(f)
/// f()`, this is a call.
pub(super) fn handed_to_macro(resolver: &Resolver<'_, '_>, one: &Ref) -> (Outcome, EdgeKind) {
    let calls = || {
        let ctx = resolver.ctx(one);
        let Expr::Passed(callee, at, _) = ctx.arena.expr(one.recv?) else { return None };
        let Expr::Name(name) = ctx.arena.expr(*callee) else { return None };
        let meaning = resolver.infer.meaning(&ctx, *name, Want::Call);
        let Meaning::Place(Place::Def(def), _) = meaning else { return None };
        let file = resolver.infer.file(def.file);
        let found = file.outline.def(def.def).filter(|def| def.kind == SymbolKind::Macro)?;
        found.params.get(usize::from(*at))?.ty
    };
    if calls().is_some() {
        let called = Ref { form: RefForm::Call, recv: None, ..*one };
        if let Outcome::Found(found, rule) = resolver.bare_call(&called)
            && found.iter().all(|def| resolver.is_function(*def))
        {
            return (Outcome::Found(found, rule), EdgeKind::Call);
        }
    }
    resolver.value(&Ref { form: RefForm::Value, recv: None, ..*one })
}
