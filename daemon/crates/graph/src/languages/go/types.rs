//! Go: named types with the members of their underlying types, and methods in any file of a package.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, ExprIx};

use super::{Go, lookup};
use crate::infer::{Bases, Ctx, Infer, MemberRules, Part, Ty, TypeRules, Typed};
use crate::world::{DefRef, FileIndex, Sym};

impl MemberRules for Go {
    fn add_bases(&self, infer: &Infer<'_, '_>, _: &FileIndex, class: DefRef, bases: &mut Bases) {
        match underlying_type(infer, class).map(|under| under.instance_of()) {
            Some(Some(under)) if under != class => bases.types.push(under),
            Some(_) => bases.outside = true,
            None => {}
        }
    }

    /// Any file of the type's package may hold its members.
    fn member_elsewhere(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        class: DefRef,
        name: Sym,
    ) -> Option<DefRef> {
        let class_name = file.name(class.def)?;
        lookup::sibling_files(infer.w, class.file).iter().find_map(|other| {
            let index = infer.file(*other);
            index.owned_by(class_name, name).find_map(|def| {
                let local = index.outline.def(def)?.flags.has(DefFlags::LOCAL);
                (!local).then_some(DefRef { file: *other, def })
            })
        })
    }
}

impl TypeRules for Go {
    /// A named type is a new type.
    fn value_of(&self, def: DefRef, kind: SymbolKind) -> Option<Ty> {
        (kind == SymbolKind::Type).then_some(Ty::Instance(def))
    }

    fn part_of(&self, infer: &Infer<'_, '_>, ty: &Ty, class: DefRef, part: Part) -> Option<Ty> {
        match underlying_type(infer, class) {
            Some(Ty::External(Some(shape))) => Some(shape.part(part, &infer.file(class.file).traits().types)),
            Some(_) => None,
            None => infer.part_by_methods(ty, class, part),
        }
    }

    /// `f[T](…)` calls `f`.
    fn instantiated(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, callee: ExprIx, depth: u8) -> Option<Typed> {
        let callee = infer.eval_at(ctx, callee, depth);
        matches!(callee.ty, Ty::Func(..) | Ty::Class(_)).then_some(callee)
    }
}

/// The underlying type of a named type.
fn underlying_type(infer: &Infer<'_, '_>, class: DefRef) -> Option<Ty> {
    let is_named = infer.file(class.file).outline.def(class.def)?.kind == SymbolKind::Type;
    is_named.then(|| infer.alias(class))
}
