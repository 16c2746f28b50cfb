//! Kotlin: a function that does not accept the arguments does not hide one of an outer scope that does.

use sdl_model::facts::{DefIx, Ref};

use super::extensions::Receivers;
use crate::infer::accepts_args;
use crate::languages::extensions::calls;
use crate::modules::{self, Place};
use crate::resolve::{Outcome, Resolver};
use crate::strategies::PACKAGE;
use crate::world::{DefRef, Sym};

/// Where no overload of a type accepts the arguments of `one`: a function that extends the type, or one outside of all
/// types.
pub(super) fn overload_around(
    resolver: &Resolver<'_, '_>,
    one: &Ref,
    name: Sym,
    outside: bool,
) -> Option<Outcome> {
    let further = match one.recv {
        Some(recv) => {
            let value = resolver.infer.receiver_value(&resolver.ctx(one), recv, 0, false);
            calls::extended_call(&Receivers, resolver, one, &value.ty, name)
        }
        None => top_level(resolver, one, name),
    };
    if let Some(found @ Outcome::Found(..)) = further {
        return Some(found);
    }
    (one.recv.is_none() || outside).then_some(Outcome::External)
}

/// The function `name` outside of all types that a file sees, if it accepts the arguments.
fn top_level(resolver: &Resolver<'_, '_>, one: &Ref, name: Sym) -> Option<Outcome> {
    let infer = &resolver.infer;
    let at = infer.own.file;
    let file = infer.file(at);
    let imported = file.imports(DefIx::MODULE, name).map(|ix| modules::resolve_import(infer.w, at, ix));
    let around = resolver.rules.implicit(infer.w, at, one.scope, name);
    let own = file.child(DefIx::MODULE, name).map(|def| Place::Def(DefRef { file: at, def }));
    let found = imported.chain(own).chain([around]).find_map(|place| {
        let Place::Def(found) = place else { return None };
        let file = infer.file(found.file);
        let takes = |ix: &DefIx| {
            let plain =
                file.outline.def(*ix).is_some_and(|def| def.kind.is_callable() && def.owner.is_none());
            plain && accepts_args(&file, *ix, usize::from(one.args))
        };
        let def = file.children(DefIx::MODULE, name).find(takes)?;
        Some(DefRef { file: found.file, def })
    });
    found.map(|found| Outcome::one(found, &PACKAGE))
}
