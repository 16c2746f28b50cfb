//! Lua: objects that a function makes, and constructors of class libraries.

use sdl_model::facts::{DefIx, Expr, ExprIx};

use super::Lua;
use crate::infer::{Ctx, How, Infer, Ty, TypeRules, Typed};
use crate::world::{DefRef, FileIndex};

/// Constructors that libraries of classes give each class.
const CONSTRUCTORS: [&str; 3] = ["new", "create", "allocate"];

/// The field in which libraries of classes keep a class's base.
const SUPER: &str = "super";

impl TypeRules for Lua {
    /// `function object.f()`, where `object` is a table that a function makes.
    fn is_extended(&self, file: &FileIndex, def: DefIx) -> bool {
        let is_plain = || {
            let value = file.outline.def(def)?.value?;
            Some(matches!(file.outline.arena.expr(value), Expr::Tuple(_)))
        };
        is_plain() != Some(false) && file.name(def).is_some_and(|name| file.owns_any(name))
    }

    /// `Class.super.method(self)`, in most libraries of classes.
    fn class_attribute(&self, infer: &Infer<'_, '_>, class: DefRef, name: &str) -> Option<Ty> {
        let base = infer.line(class).types.get(1).copied().filter(|_| name == SUPER)?;
        Some(Ty::Class(base))
    }

    /// `Class:new()`, where no text shows the constructor.
    fn called_on(
        &self,
        infer: &Infer<'_, '_>,
        _: &Ctx<'_>,
        _: ExprIx,
        base: &Typed,
        name: &str,
    ) -> Option<Typed> {
        let Ty::Class(class) = base.ty else { return None };
        let is_made = CONSTRUCTORS.contains(&name) && infer.member(class, infer.sym(name), true).is_none();
        is_made.then(|| Typed::new(Ty::Instance(class), How::Built))
    }
}
