//! Java: annotations, and overloads that delegate to those of a base.

use sdl_model::facts::{DefIx, Ref, RefForm};
use sdl_model::{EdgeKind, Lang, SymbolKind};

use crate::infer::{Infer, accepts_args};
use crate::languages::jvm::Java;
use crate::languages::jvm::words::BUILTIN;
use crate::resolve::{CallRules, Outcome, Overloaded, Resolver};
use crate::strategies::INHERITED;
use crate::world::{DefRef, FileIndex, Sym};

impl CallRules for Java {
    /// An annotation runs no code.
    fn reference(&self, resolver: &Resolver<'_, '_>, one: &Ref) -> Option<(Outcome, EdgeKind)> {
        (one.form == RefForm::Decorator).then(|| (resolver.call(one), EdgeKind::Ref))
    }

    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// A base from outside the repository is assumed to have a member that only an interface declares.
    fn super_member(&self, infer: &Infer<'_, '_>, class: DefRef, name: Sym, call: bool) -> Option<DefRef> {
        let found = infer.base_member(class, name, call)?.def;
        let asked_for = infer.line(class).outside && infer.is_asked_for(found);
        (!asked_for).then_some(found)
    }

    fn other_overload(&self, resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<Outcome> {
        let found = if call.all.len() < 2 { delegated_overload(resolver, call)? } else { return None };
        Some(Outcome::one(found, &INHERITED))
    }
}

/// `void put(String s) { put(parse(s)); }`, where a base has another `put` with as many parameters: a method that
/// delegates to its own name means that one, if it does not override one.
fn delegated_overload(resolver: &Resolver<'_, '_>, call: &Overloaded<'_>) -> Option<DefRef> {
    let (infer, one, target) = (&resolver.infer, call.one, call.target);
    let own = infer.file(infer.own.file);
    let is_own = target.file == infer.own.file
        && own.enclosing(one.scope, SymbolKind::is_callable) == Some(target.def);
    if one.recv.is_some() || !is_own || one.args == 0 {
        return None;
    }
    let types = |file: &FileIndex, ix: DefIx| -> Option<Vec<Option<String>>> {
        let params = file.outline.def(ix)?.params.iter();
        Some(params.map(|param| param.ty_text.map(|ty| file.outline.str(ty).to_owned())).collect())
    };
    let written = types(&own, target.def)?;
    let line = infer.line(infer.owner_type(target)?);
    let mut found = None;
    for base in line.types.iter().skip(1) {
        let file = infer.file(base.file);
        for ix in file.children(base.def, call.name) {
            let is_method = file.outline.def(ix).is_some_and(|def| def.kind.is_callable());
            if !is_method || !accepts_args(&file, ix, usize::from(one.args)) {
                continue;
            }
            if types(&file, ix).is_none_or(|other| is_overridden(&other, &written)) {
                return None;
            }
            found = found.or(Some(DefRef { file: base.file, def: ix }));
        }
    }
    found
}

/// Whether a method with parameters of the types `own` overrides one of a base with those of `base`, which may be
/// generic parameters there: `T`.
fn is_overridden(base: &[Option<String>], own: &[Option<String>]) -> bool {
    let plain = |ty: &str| ty.split('<').next().unwrap_or(ty).trim().to_owned();
    base.iter().zip(own).all(|(base, own)| {
        let (Some(base), Some(own)) = (base, own) else { return true };
        let is_parameter = base.len() <= 2 && base.starts_with(|c: char| c.is_ascii_uppercase());
        is_parameter || plain(base) == plain(own)
    })
}
