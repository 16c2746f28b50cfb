//! Receivers of Rust: the type of `self` where it is not of the repository, and the methods of the pointer around a
//! value.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr, ExprIx, ParamKind};

use super::{Ctx, Infer, Meaning, Ty, Typed, Want};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Sym};

/// Whether `name` is a trait's method that pointers have themselves, whatever they point to.
fn is_of_pointers(name: &str) -> bool {
    matches!(name, "clone" | "hash" | "cmp" | "partial_cmp" | "eq" | "ne" | "lt" | "le" | "gt" | "ge")
}

/// Whether `name` is a method of `Pin` itself, which comes before those of its target.
fn is_of_pin(name: &str) -> bool {
    matches!(
        name,
        "as_ref"
            | "as_mut"
            | "get_mut"
            | "get_ref"
            | "set"
            | "get_unchecked_mut"
            | "into_ref"
            | "map_unchecked_mut"
    )
}

/// Types that no file has to name by a `use`.
fn is_prelude(name: &str) -> bool {
    matches!(
        name,
        "Box"
            | "Option"
            | "Result"
            | "String"
            | "Vec"
            | "bool"
            | "char"
            | "f32"
            | "f64"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "str"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
    )
}

impl Infer<'_, '_> {
    /// The impl block around `ctx`.
    fn block_around(&self, ctx: &Ctx<'_>) -> Option<DefRef> {
        let file = self.file(ctx.file);
        file.traits().types.impl_blocks.then_some(())?;
        let def = file.enclosing(ctx.scope, |kind| kind == SymbolKind::Impl || kind.is_type())?;
        file.outline.def(def).filter(|found| found.kind == SymbolKind::Impl)?;
        Some(DefRef { file: ctx.file, def })
    }

    /// `self` in a block for something from outside: `impl Named for Vec<Card>`.
    pub(super) fn outside_self(&self, ctx: &Ctx<'_>) -> Typed {
        let Some(block) = self.block_around(ctx) else { return Typed::UNKNOWN };
        let file = self.file(block.file);
        match self.owner_value(&file, block) {
            ty @ Ty::External(_) if self.is_outside(&file, block) => Typed::new(ty, super::How::Named),
            _ => Typed::UNKNOWN,
        }
    }

    /// Whether a block's type is from outside, and not only defined by a macro here.
    fn is_outside(&self, file: &FileIndex, block: DefRef) -> bool {
        let Some(mut owner) = file.outline.def(block.def).and_then(|found| found.owner) else { return false };
        let ctx = Self::outline_ctx(file, block, None);
        while let Expr::Generic(base, _) | Expr::Unwrap(base) = file.outline.arena.expr(owner) {
            owner = *base;
        }
        match file.outline.arena.expr(owner) {
            Expr::Name(name) => match self.meaning(&ctx, *name, Want::Type) {
                Meaning::Place(Place::External, _) | Meaning::Generic(_) => true,
                _ => is_prelude(file.outline.str(*name)),
            },
            Expr::Path(..) => self.place_of(&ctx, owner) == Place::External,
            _ => true,
        }
    }

    /// The method `name` that the block around has for its type: its own, or its trait's. The function around the call
    /// is not meant, because it only delegates.
    pub(crate) fn of_own_block(&self, ctx: &Ctx<'_>, name: Sym) -> Option<DefRef> {
        let block = self.block_around(ctx)?;
        let file = self.file(block.file);
        let found = file.outline.def(block.def)?;
        let around = file.enclosing(ctx.scope, SymbolKind::is_callable);
        let own = file.children(block.def, name).find(|def| Self::has_receiver(&file, *def));
        let of_trait = || {
            found.bases.iter().find_map(|base| {
                let of = self.stated(&Self::base_ctx(&file, block, base.kind), base.ty).instance_of()?;
                let member = self.member(of, name, true)?.def;
                Self::has_receiver(&self.file(member.file), member.def).then_some(member)
            })
        };
        if let Some(def) = own {
            // Of a block for any type, the trait's method is meant.
            let is_of_any = found.owner.is_some_and(|owner| match file.outline.arena.expr(owner) {
                Expr::Name(owner) => {
                    let ctx = Self::outline_ctx(&file, block, None);
                    matches!(self.meaning(&ctx, *owner, Want::Type), Meaning::Generic(_))
                }
                _ => false,
            });
            let meant = is_of_any.then(of_trait).flatten().unwrap_or(DefRef { def, ..block });
            return (Some(def) != around).then_some(meant);
        }
        of_trait().or_else(|| {
            // The type is defined by a macro: look in other blocks of the file.
            let owner = file.name(block.def)?;
            let def = file
                .blocks_of(owner)
                .iter()
                .find_map(|other| file.children(*other, name).find(|def| Self::has_receiver(&file, *def)))?;
            (self.owner_of(&file, block).is_none() && Some(def) != around).then_some(DefRef { def, ..block })
        })
    }

    fn has_receiver(file: &FileIndex, def: DefIx) -> bool {
        file.outline.def(def).is_some_and(|def| {
            def.kind.is_callable()
                && def.params.first().is_some_and(|param| param.kind == ParamKind::Receiver)
        })
    }

    /// Whether `name` belongs to the pointer `ix` and not to its target. For example, cloning a box is done by the box.
    pub(crate) fn is_of_pointer(&self, ctx: &Ctx<'_>, ix: ExprIx, name: &str) -> bool {
        let (of_pointers, of_pin) = (is_of_pointers(name), is_of_pin(name));
        if (!of_pointers && !of_pin) || !self.file(ctx.file).traits().types.transparent_pointers {
            return false;
        }
        let is_it = |last: &str| match last {
            "Box" | "Rc" | "Arc" | "Weak" => of_pointers,
            "Pin" => of_pin,
            _ => false,
        };
        let file = self.file(ctx.file);
        match ctx.arena.expr(ix) {
            Expr::SelfRef => {
                let around = file.enclosing(ctx.scope, SymbolKind::is_callable);
                let def = around.and_then(|around| file.outline.def(around));
                let stated = def.and_then(|def| def.params.first()?.ty);
                stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
            }
            Expr::Name(local) => match self.meaning(ctx, *local, Want::Any) {
                Meaning::Local(at) => {
                    let body = self.own.body;
                    let Some(binding) = body.bindings.get(at as usize) else { return false };
                    match binding.ty {
                        Some(ty) => last_of(&body.arena, ty).is_some_and(is_it),
                        // A part that a pattern takes out.
                        None if let Some(part) = binding.value
                            && matches!(body.arena.expr(part), Expr::Attr(..)) =>
                        {
                            self.is_of_pointer(
                                &Ctx { at: binding.from.saturating_sub(1), ..*ctx },
                                part,
                                name,
                            )
                        }
                        None => {
                            let name = body.arena.str(binding.name);
                            let def = file.outline.def(binding.scope).filter(|_| binding.value.is_none());
                            let param = def.and_then(|def| {
                                def.params.iter().find(|param| file.outline.str(param.name) == name)
                            });
                            param.and_then(|param| file.outline.last_name(param.ty?)).is_some_and(is_it)
                        }
                    }
                }
                Meaning::Param(def, at) => {
                    let stated = file.outline.def(def).and_then(|def| def.params.get(at)?.ty);
                    stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
                }
                _ => false,
            },
            Expr::Attr(base, field) => {
                let Some(class) = self.eval(ctx, *base).ty.instance_of() else { return false };
                let field = self.sym(ctx.arena.str(*field));
                let Some(member) = self.member(class, field, false) else { return false };
                let file = self.file(member.def.file);
                let stated = file.outline.def(member.def.def).and_then(|def| def.ty);
                stated.and_then(|ty| file.outline.last_name(ty)).is_some_and(is_it)
            }
            _ => false,
        }
    }
}

/// The last name of a type's expression.
fn last_of(arena: &sdl_model::facts::Arena, mut ix: ExprIx) -> Option<&str> {
    for _ in 0..16 {
        match arena.expr(ix) {
            Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => return Some(arena.str(*name)),
            Expr::Generic(base, _) | Expr::Unwrap(base) => ix = *base,
            _ => return None,
        }
    }
    None
}
