//! Rust: `self` and its methods in an `impl` block, whose type may be from outside.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr, ExprIx, ParamKind};

use crate::infer::{Ctx, Infer, Meaning, Ty, Typed, Want};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Sym};

/// Types that no file has to name by a `use`, such as `Vec` and `Option`.
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

/// The impl block around `ctx`.
fn block_around(infer: &Infer<'_, '_>, ctx: &Ctx<'_>) -> Option<DefRef> {
    let file = infer.file(ctx.file);
    let def = file.enclosing(ctx.scope, |kind| kind == SymbolKind::Impl || kind.is_type())?;
    file.outline.def(def).filter(|found| found.kind == SymbolKind::Impl)?;
    Some(DefRef { file: ctx.file, def })
}

/// The type of `self` in the method around `ctx`, with the arguments that an impl block states.
pub(super) fn value_of_self(infer: &Infer<'_, '_>, ctx: &Ctx<'_>, class: DefRef) -> Ty {
    let file = infer.file(ctx.file);
    let mut at = Some(ctx.scope);
    while let Some(ix) = at.filter(|_| ctx.subject.is_none()) {
        let Some(def) = file.outline.def(ix) else { break };
        if def.kind == SymbolKind::Impl {
            let owner = infer.owner_value(&file, DefRef { file: ctx.file, def: ix });
            return if owner.instance_of() == Some(class) { owner } else { Ty::Instance(class) };
        }
        at = def.parent.filter(|parent| *parent < ix);
    }
    Ty::Instance(class)
}

/// `self` in a block for something from outside: `impl Named for Vec<Card>`.
pub(super) fn outside_self(infer: &Infer<'_, '_>, ctx: &Ctx<'_>) -> Ty {
    let Some(block) = block_around(infer, ctx) else { return Ty::Unknown };
    let file = infer.file(block.file);
    match infer.owner_value(&file, block) {
        ty @ Ty::External(_) if is_outside(infer, &file, block) => ty,
        _ => Ty::Unknown,
    }
}

/// The return type of `self.name(…)` where the type of `self` has no such method but the block around does.
pub(super) fn call_in_block(
    infer: &Infer<'_, '_>,
    ctx: &Ctx<'_>,
    receiver: ExprIx,
    base: &Typed,
    name: &str,
) -> Option<Typed> {
    matches!(ctx.arena.expr(receiver), Expr::SelfRef).then_some(())?;
    let class = base.ty.instance_of();
    if class.is_some_and(|class| infer.member(class, infer.sym(name), true).is_some()) {
        return None;
    }
    let def = member_of_block(infer, ctx, infer.sym(name))?;
    let result = infer.result(def, class).at_least(base.how);
    (result.ty != Ty::Unknown).then_some(result)
}

/// Whether a block's type is from outside, and not only defined by a macro here.
fn is_outside(infer: &Infer<'_, '_>, file: &FileIndex, block: DefRef) -> bool {
    let Some(mut owner) = file.outline.def(block.def).and_then(|found| found.owner) else { return false };
    let ctx = Infer::outline_ctx(file, block, None);
    while let Expr::Generic(base, _) | Expr::Unwrap(base) = file.outline.arena.expr(owner) {
        owner = *base;
    }
    match file.outline.arena.expr(owner) {
        Expr::Name(name) => match infer.meaning(&ctx, *name, Want::Type) {
            Meaning::Place(Place::External, _) | Meaning::Generic(_) => true,
            _ => is_prelude(file.outline.str(*name)),
        },
        Expr::Path(..) => infer.place_of(&ctx, owner) == Place::External,
        _ => true,
    }
}

/// The method `name` that the block around has for its type: its own, or its trait's. The function around the call
/// is not meant, because it only delegates.
pub(super) fn member_of_block(infer: &Infer<'_, '_>, ctx: &Ctx<'_>, name: Sym) -> Option<DefRef> {
    let block = block_around(infer, ctx)?;
    let file = infer.file(block.file);
    let found = file.outline.def(block.def)?;
    let around = file.enclosing(ctx.scope, SymbolKind::is_callable);
    let own = file.children(block.def, name).find(|def| has_receiver(&file, *def));
    let of_trait = || {
        found.bases.iter().find_map(|base| {
            let of = infer.stated(&infer.base_ctx(&file, block, base.kind), base.ty).instance_of()?;
            let member = infer.member(of, name, true)?.def;
            has_receiver(&infer.file(member.file), member.def).then_some(member)
        })
    };
    if let Some(def) = own {
        // Of a block for any type, the trait's method is meant.
        let is_of_any = found.owner.is_some_and(|owner| match file.outline.arena.expr(owner) {
            Expr::Name(owner) => {
                let ctx = Infer::outline_ctx(&file, block, None);
                matches!(infer.meaning(&ctx, *owner, Want::Type), Meaning::Generic(_))
            }
            _ => false,
        });
        let meant = is_of_any.then(of_trait).flatten().unwrap_or(DefRef { def, ..block });
        return (Some(def) != around).then_some(meant);
    }
    of_trait().or_else(|| {
        // Look in other blocks of the file, because the type is defined by a macro, for example by `bitflags!`.
        let owner = file.name(block.def)?;
        let def = file
            .blocks_of(owner)
            .iter()
            .find_map(|other| file.children(*other, name).find(|def| has_receiver(&file, *def)))?;
        (infer.owner_of(&file, block).is_none() && Some(def) != around).then_some(DefRef { def, ..block })
    })
}

fn has_receiver(file: &FileIndex, def: DefIx) -> bool {
    file.outline.def(def).is_some_and(|def| {
        def.kind.is_callable() && def.params.first().is_some_and(|param| param.kind == ParamKind::Receiver)
    })
}
