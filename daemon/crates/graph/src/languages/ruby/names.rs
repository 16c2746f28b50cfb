//! Ruby: bare names that are members of the type around, whose mixins see its members.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx};

use super::Ruby;
use crate::infer::{Ctx, Infer, Member, NameRules, TypeRules, Via};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Sym};

impl NameRules for Ruby {
    /// In a static method a bare name means a static member, in an instance method an instance member. Both may exist
    /// under one name.
    fn on_side(
        &self,
        infer: &Infer<'_, '_>,
        ctx: &Ctx<'_>,
        ty: DefRef,
        name: Sym,
        found: (Place, Via),
    ) -> Option<(Place, Via)> {
        let file = infer.file(ctx.file);
        let Place::Def(def) = found.0 else { return Some(found) };
        let is_static = |file: &FileIndex, ix: DefIx| {
            let def =
                file.outline.def(ix).filter(|def| def.kind.is_callable() && def.kind != SymbolKind::Property);
            def.map(|def| def.flags.has(DefFlags::STATIC))
        };
        let around = file.enclosing(ctx.scope, SymbolKind::is_callable);
        let Some(wanted) = around.and_then(|around| is_static(&file, around)) else { return Some(found) };
        let target = infer.file(def.file);
        let Some(has) = is_static(&target, def.def).filter(|has| *has != wanted) else { return Some(found) };
        let line = infer.line(infer.owner_type(ty)?);
        let other = line.types.iter().find_map(|ty| {
            let file = infer.file(ty.file);
            let def = file.children(ty.def, name).find(|ix| is_static(&file, *ix) == Some(wanted))?;
            Some(DefRef { def, ..*ty })
        });
        match other {
            Some(other) => Some((Place::Def(other), found.1)),
            None if has => None,
            // The members of a module may belong to any type that it extends.
            None => {
                let holder = target.outline.def(def.def).and_then(|def| target.outline.def(def.parent?));
                holder.is_none_or(|holder| holder.kind != SymbolKind::Class).then_some(found)
            }
        }
    }

    /// A mixin defined inside a type that includes it also sees the type's other members.
    fn member_of_user(&self, infer: &Infer<'_, '_>, owner: DefRef, name: Sym, call: bool) -> Option<Member> {
        let file = infer.file(owner.file);
        let outer = file.outline.def(owner.def)?.parent?;
        let user = DefRef { def: outer, ..owner };
        file.outline.def(outer).filter(|def| def.kind.is_type())?;
        infer.line(user).types.contains(&owner).then_some(())?;
        infer.member(user, name, call).map(|found| Member { inherited: true, ..found })
    }
}

impl TypeRules for Ruby {
    /// A mixin has no bases of its own, so those of the type that includes it are searched.
    fn super_class(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>) -> Option<DefRef> {
        infer.self_class(ctx)
    }
}
