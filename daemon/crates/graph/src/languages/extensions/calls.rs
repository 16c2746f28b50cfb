//! Calls of functions that extend their receiver's type.

use sdl_model::facts::{DefFlags, Ref, RefForm};

use super::{Extensions, Form, extensions_around, find_extensions, is_extension};
use crate::infer::{Infer, Ty, accepts_args, is_same_plain, plain_type, takes_all, type_name};
use crate::resolve::{CANDIDATES, MAX_OVERLOADS, Outcome, Overloaded, Resolver};
use crate::strategies::{EXTENSION, EXTENSION_OF, INHERITED, OVERLOADS, Rule};
use crate::world::{DefRef, FileIndex, Sym};

/// How many steps the name of a receiver's type is searched for.
const NAMES: u8 = 4;

/// A member that the type does not have: a function that extends the receiver's type.
pub(in crate::languages) fn extended_call(
    form: &dyn Form,
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    receiver: &Ty,
    name: Sym,
) -> Option<Outcome> {
    let infer = &resolver.infer;
    let found = find_extensions(form, infer, &resolver.ctx(one), receiver, name);
    if let Some(sure) = among(infer, one, found.sure, &EXTENSION_OF) {
        return Some(sure);
    }
    // A value of a type from outside: the functions that extend a type of its name.
    let of_name = one.recv.and_then(|recv| infer.name_of_type(&resolver.ctx(one), recv, NAMES));
    let mut perhaps = found.perhaps;
    if let Some(of_name) = of_name.filter(|_| matches!(receiver, Ty::External(_))) {
        let (same, others): (Vec<DefRef>, Vec<DefRef>) =
            perhaps.into_iter().partition(|def| extends_called(infer, *def, &of_name));
        let fitting = fitting_ones(infer, one, same.clone());
        if let Some(rule) = form.rule_by_name(resolver, name)
            && are_overloads(infer, &fitting)
            && let Some(sure) = among(infer, one, fitting, rule)
        {
            return Some(sure);
        }
        perhaps = same.into_iter().chain(others).collect();
        perhaps.retain(|def| !extends_other_plain(infer, *def, &of_name));
    }
    if resolver.is_builtin_member(&infer.w.text(name)) {
        return None;
    }
    let mut fitting = fitting_ones(infer, one, perhaps);
    if extend_plain_ones(infer, &fitting) {
        fitting.retain(|def| extended_name(infer, *def).is_some_and(|name| takes_all(&name)));
    }
    // If several may be meant, none is chosen.
    are_overloads(infer, &fitting).then(|| among(infer, one, fitting, &EXTENSION)).flatten()
}

/// Where a function that extends types was found by its name alone: the one of that name that extends a type around.
pub(in crate::languages) fn call_around(
    form: &dyn Form,
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    found: DefRef,
) -> Option<Outcome> {
    let infer = &resolver.infer;
    if !is_extension(&infer.file(found.file), found.def) {
        return None;
    }
    let name = infer.own.sym(infer.w, one.name);
    let Extensions { sure, perhaps } = extensions_around(form, infer, &resolver.ctx(one), name);
    if let Some(sure) = among(infer, one, sure, &EXTENSION_OF) {
        return Some(sure);
    }
    // A lambda may have been given a receiver, and several functions may be meant for it.
    let several = perhaps.len() > 1 && !are_overloads(infer, &perhaps);
    several.then_some(Outcome::Unresolved)
}

/// The target where the types of a call's arguments rule out all of a type's own overloads: an overload that the type
/// inherits, or a function that extends it.
pub(in crate::languages) fn call_of_other_types(
    form: &dyn Form,
    resolver: &Resolver<'_, '_>,
    call: &Overloaded<'_>,
) -> Option<Outcome> {
    let (infer, one) = (&resolver.infer, call.one);
    let given = one.given?;
    let is_call = matches!(one.form, RefForm::Call | RefForm::MethodCall);
    if !is_call || call.all.len() > MAX_OVERLOADS {
        return None;
    }
    let args = infer.arguments(&resolver.ctx(one), given);
    let takes = |file: &FileIndex, def: DefRef| {
        let found = file.outline.def(def.def);
        found.is_some_and(|found| found.kind.is_callable() && !found.flags.has(DefFlags::NAMELESS))
            && accepts_args(file, def.def, usize::from(one.args))
            && infer.takes_arguments(file, def, &args).is_some()
    };
    if call.all.iter().any(|ix| takes(call.file, DefRef { def: *ix, ..call.target })) {
        return None;
    }
    let class = infer.owner_type(call.target)?;
    for base in infer.line(class).types.iter().skip(1) {
        let file = infer.file(base.file);
        let found = file.children(base.def, call.name).map(|def| DefRef { def, ..*base });
        if let Some(found) = found.into_iter().find(|def| takes(&file, *def)) {
            return Some(Outcome::one(found, &INHERITED));
        }
    }
    let value = infer.receiver_value(&resolver.ctx(one), one.recv?, 0, false);
    let extended = extended_call(form, resolver, one, &value.ty, call.name)?;
    match &extended {
        Outcome::Found(all, _) => {
            all.iter().any(|def| takes(&infer.file(def.file), *def)).then_some(extended)
        }
        _ => None,
    }
}

/// Those of `found` that accept as many arguments as the call has.
fn fitting_ones(infer: &Infer<'_, '_>, one: &Ref, mut found: Vec<DefRef>) -> Vec<DefRef> {
    let args = usize::from(one.args);
    found.retain(|def| accepts_args(&infer.file(def.file), def.def, args));
    found
}

/// Whether all are overloads side by side, which differ only by their parameters.
fn are_overloads(infer: &Infer<'_, '_>, found: &[DefRef]) -> bool {
    let place = |def: &DefRef| {
        let parent = infer.file(def.file).outline.def(def.def).and_then(|found| found.parent);
        (def.file, parent)
    };
    found.first().is_some_and(|first| found.iter().all(|other| place(other) == place(first)))
}

fn among(infer: &Infer<'_, '_>, one: &Ref, found: Vec<DefRef>, rule: &'static Rule) -> Option<Outcome> {
    let fitting = fitting_ones(infer, one, found.clone());
    let best = if fitting.is_empty() { found } else { fitting };
    match best.as_slice() {
        [] => None,
        [first, ..] if are_overloads(infer, &best) => Some(Outcome::one(*first, rule)),
        several if several.len() <= CANDIDATES => Some(Outcome::Found(best, &OVERLOADS)),
        _ => Some(Outcome::Unresolved),
    }
}

/// Whether `def` extends a type called `name`.
fn extends_called(infer: &Infer<'_, '_>, def: DefRef, name: &str) -> bool {
    extended_name(infer, def).is_some_and(|extended| is_same_plain(&extended, name))
}

/// Whether `defs` extend different types and one of them is plain. Only the receiver's type then decides.
fn extend_plain_ones(infer: &Infer<'_, '_>, defs: &[DefRef]) -> bool {
    let names: Vec<Option<String>> = defs.iter().map(|def| extended_name(infer, *def)).collect();
    let is_plain = |name: &Option<String>| name.as_deref().and_then(plain_type).is_some();
    names.iter().any(|name| Some(name) != names.first()) && names.iter().any(is_plain)
}

/// Whether `def` extends a plain type, and no value of the type called `name` is of it.
fn extends_other_plain(infer: &Infer<'_, '_>, def: DefRef, name: &str) -> bool {
    let extended = extended_name(infer, def);
    let is_plain = extended.as_deref().and_then(plain_type).is_some();
    is_plain && !extended.is_some_and(|extended| is_same_plain(&extended, name))
}

/// The simple name of the type that `def` extends.
fn extended_name(infer: &Infer<'_, '_>, def: DefRef) -> Option<String> {
    let file = infer.file(def.file);
    type_name(&file.outline.arena, file.outline.def(def.def)?.owner?)
}
