//! Calls in anonymous functions that are run on a receiver: `x.apply { f() }` may call `x.f()`.

use sdl_model::facts::Ref;

use super::extensions::Receivers;
use crate::infer::{Ty, accepts_args};
use crate::languages::extensions::only_extension;
use crate::resolve::{Outcome, Resolver};
use crate::strategies::{EXTENSION_OF, INHERITED, STATED};
use crate::world::{DefRef, Sym};

/// How many functions and types around a call are looked at.
const AROUND: usize = 16;

/// Whether `name` is a method of the receivers of functions that build a collection or a text.
fn is_of_builder(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "addAll"
            | "append"
            | "appendLine"
            | "insert"
            | "put"
            | "putAll"
            | "remove"
            | "removeAll"
            | "clear"
    )
}

/// The target of a call without a receiver, by the receivers of the functions around it, from the innermost outwards.
pub(super) fn run_on(resolver: &Resolver<'_, '_>, one: &Ref) -> Option<Outcome> {
    let infer = &resolver.infer;
    let own = infer.own;
    let name = own.sym(infer.w, one.name);
    let file = infer.file(own.file);
    let mut scope = Some(one.scope);
    for _ in 0..AROUND {
        let at = scope?;
        let def = file.outline.def(at)?;
        if def.kind.is_type() {
            // A type's members come before anything around the type.
            let class = DefRef { file: own.file, def: at };
            if infer.member(class, name, true).is_some() {
                return None;
            }
        }
        for ix in own.receivers(infer.w, at).iter().rev() {
            let Some(binding) = own.binding(infer.w, *ix) else { continue };
            if binding.from <= one.at
                && one.at < binding.to
                && let Some(found) = of_receiver(resolver, one, name, &infer.local_type(*ix).ty)
            {
                return Some(found);
            }
        }
        // A function inside comes before anything around it.
        if file.child(at, name).is_some() && def.kind.is_callable() {
            return None;
        }
        scope = def.parent.filter(|parent| *parent < at);
    }
    None
}

fn of_receiver(resolver: &Resolver<'_, '_>, one: &Ref, name: Sym, receiver: &Ty) -> Option<Outcome> {
    let infer = &resolver.infer;
    if matches!(receiver, Ty::External(_)) {
        return is_of_builder(&infer.w.text(name)).then_some(Outcome::External);
    }
    let class = receiver.instance_of()?;
    if let Some(member) = infer.member(class, name, true) {
        let file = infer.file(member.def.file);
        let is_function = file.outline.def(member.def.def).is_some_and(|def| def.kind.is_callable());
        let rule = if member.inherited { &INHERITED } else { &STATED };
        return is_function.then(|| Outcome::one(member.def, rule));
    }
    let only = only_extension(&Receivers, infer, &resolver.ctx(one), receiver, name)?;
    let fits = accepts_args(&infer.file(only.file), only.def, usize::from(one.args));
    fits.then(|| Outcome::one(only, &EXTENSION_OF))
}
