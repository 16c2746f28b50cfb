//! C++: pointers and iterators, which operators dereference.

use sdl_model::facts::Expr;

use super::{C, Cpp};
use crate::infer::{Infer, Part, Ty, TypeRules};
use crate::world::{DefRef, last_name};

/// Operators that dereference a pointer or an iterator.
const DEREFERENCE: [&str; 2] = ["operator->", "operator*"];
/// Types of pointers that own their target.
const OWNING_POINTERS: [&str; 3] = ["unique_ptr", "shared_ptr", "weak_ptr"];

impl TypeRules for C {}

impl TypeRules for Cpp {
    /// A number converts to any other number, and a value converts to any type with a constructor that takes it.
    fn misfit(&self) -> Option<i32> {
        Some(-2)
    }

    fn pointed_to(&self, infer: &Infer<'_, '_>, ty: &Ty) -> Option<Ty> {
        let class = ty.instance_of()?;
        let target = DEREFERENCE.iter().find_map(|operator| infer.given_by(ty, operator))?;
        target.instance_of().is_some_and(|target| target != class).then_some(target)
    }

    fn part_of(&self, infer: &Infer<'_, '_>, ty: &Ty, class: DefRef, part: Part) -> Option<Ty> {
        let members = &infer.file(class.file).traits().members;
        match part {
            Part::Index => {
                let operator = members.subscript?;
                // Where a type has no such operator, a subscripted value is a pointer to values of it.
                let is_element =
                    infer.member(class, infer.sym(operator), true).is_none() && !infer.line(class).outside;
                if is_element { Some(ty.clone()) } else { infer.given_by(ty, operator) }
            }
            Part::Item(_) => None,
            Part::Iter => infer.pointed_to(&infer.given_by(ty, members.iterator?)?),
        }
    }
}

/// Whether an alias names a pointer that owns its target. Constructing it does not construct the target type.
pub(super) fn names_pointer(infer: &Infer<'_, '_>, def: DefRef) -> bool {
    let file = infer.file(def.file);
    let Some(ty) = file.outline.def(def.def).and_then(|found| found.ty) else { return false };
    let Expr::Generic(base, _) = file.outline.arena.expr(ty) else { return false };
    last_name(&file.outline, *base).is_some_and(|name| OWNING_POINTERS.contains(&name))
}
