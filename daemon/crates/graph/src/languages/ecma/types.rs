//! JavaScript and TypeScript: prototypes, utility types, and the types that functions have by their context.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr, ExprIx, Lit, PREDICATE};

use super::{Ecma, predicates};
use crate::infer::{Ctx, How, Infer, Meaning, Ty, TypeRules, Typed, Want};
use crate::modules::Place;
use crate::world::{DefRef, FileIndex, Question};

impl TypeRules for Ecma {
    /// Functions may be constructors.
    fn value_of(&self, def: DefRef, kind: SymbolKind) -> Option<Ty> {
        (kind == SymbolKind::Function).then_some(Ty::Instance(def))
    }

    /// Utility types that work on the types of values: `ReturnType<typeof f>`.
    fn utility(&self, infer: &Infer<'_, '_>, name: &str, args: &[Ty]) -> Option<Ty> {
        let [first, ..] = args else { return None };
        match (name, first) {
            ("ReturnType", Ty::Func(..) | Ty::Callable(_)) => {
                Some(infer.called(&Typed::new(first.clone(), How::Returned)).ty)
            }
            ("InstanceType", Ty::Class(class)) => Some(Ty::Instance(*class)),
            (PREDICATE, _) => Some(Ty::External(None)),
            _ => None,
        }
    }

    /// Functions may be constructors, with the members that are set on them: in JavaScript all, in TypeScript those
    /// that have such members or a stated type.
    fn function_class(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        if !self.is_typed {
            return Some(def);
        }
        let file = infer.file(def.file);
        let found = file.outline.def(def.def)?;
        if let Some(ty) = found.ty {
            // The stated type may lead back here.
            let q = Question::Constructed(def);
            let typed = infer.w.derive(&infer.w.memos.types, q, Typed::UNKNOWN, || {
                let scope = found.parent.unwrap_or(DefIx::MODULE);
                let ctx = Infer::outline_ctx(&file, DefRef { def: scope, ..def }, None);
                Typed::new(infer.stated(&ctx, ty), How::Stated)
            });
            return typed.ty.instance_of();
        }
        let is_extended = file.name(def.def).is_some_and(|name| file.owns_any(name))
            || file.merged(def.def).next().is_some();
        (is_extended || file.holds_any(def.def)).then_some(def)
    }

    /// A type and a value may share a name in TypeScript. A definition that only states a type has no value.
    fn as_value(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        let file = infer.file(def.file);
        let is_type = |ix: DefIx| {
            let kind = file.outline.def(ix).map(|def| def.kind);
            matches!(kind, Some(SymbolKind::Type | SymbolKind::Interface))
        };
        if !self.is_typed || !is_type(def.def) {
            return Some(def);
        }
        let scope = file.outline.def(def.def)?.parent?;
        let value = file.children(scope, file.name(def.def)?).find(|ix| !is_type(*ix))?;
        Some(DefRef { def: value, ..def })
    }

    /// `app.f = function …`, where `app` is a plain object.
    fn is_extended(&self, file: &FileIndex, def: DefIx) -> bool {
        let is_plain = || {
            let found = file.outline.def(def)?;
            Some(matches!(file.outline.arena.expr(found.value?), Expr::Lit(Lit::Object)))
        };
        !self.is_typed && is_plain() == Some(true) && file.name(def).is_some_and(|name| file.owns_any(name))
    }

    fn accepted(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, call: ExprIx, at: usize) -> Option<Ty> {
        predicates::accepted_type(infer, ctx, call, at)
    }

    /// The type comes from the stated type of the function's holder: its variable, as in `const f: Handler = (req) =>
    /// …`, or the object that it is a member of.
    fn expected(&self, infer: &Infer<'_, '_>, def: DefRef, at: usize) -> Typed {
        contextual_parameter(infer, def, at).map_or(Typed::UNKNOWN, |ty| Typed::new(ty, How::Stated))
    }

    /// `module.exports` of CommonJS.
    fn names_module(&self, infer: &Infer<'_, '_>, ctx: &Ctx<'_>, base: ExprIx, name: &str) -> bool {
        let Expr::Name(module) = ctx.arena.expr(base) else { return false };
        name == "exports"
            && ctx.arena.str(*module) == "module"
            && !self.is_typed
            && matches!(infer.meaning(ctx, *module, Want::Any), Meaning::Place(Place::Missing, _))
    }

    fn class_attribute(&self, infer: &Infer<'_, '_>, class: DefRef, name: &str) -> Option<Ty> {
        (name == "prototype").then(|| infer.class_behind(class).map_or(Ty::Unknown, Ty::Instance))
    }
}

/// The type that the context of the function `def` states for its parameter `at`.
fn contextual_parameter(infer: &Infer<'_, '_>, def: DefRef, at: usize) -> Option<Ty> {
    let file = infer.file(def.file);
    let found = file.outline.def(def.def).filter(|found| found.kind.is_callable())?;
    let parent = found.parent?;
    let stated = |scope: DefIx, ty: ExprIx| {
        infer.stated(&Infer::outline_ctx(&file, DefRef { def: scope, ..def }, None), ty)
    };
    let arena = &file.outline.arena;
    let whole = match (found.ty, file.outline.def(parent)) {
        // The member of a type that has its name.
        (Some(ty), _)
            if found.kind != SymbolKind::Function
                && let Expr::Attr(base, name) = arena.expr(ty)
                && *name == found.name =>
        {
            stated(parent, *base)
        }
        (Some(ty), _) => {
            return Some(infer.own_parameter(&Typed::new(stated(parent, ty), How::Stated), at).ty);
        }
        (None, Some(holder))
            if matches!(holder.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field) =>
        {
            stated(holder.parent.filter(|outer| *outer < parent).unwrap_or(DefIx::MODULE), holder.ty?)
        }
        _ => return None,
    };
    let name = file.outline.str(found.name);
    let types = whole.each().iter().map(|ty| {
        let member = infer.attribute(&Typed::new(ty.clone(), How::Stated), name, true);
        infer.own_parameter(&member, at).ty
    });
    Some(Ty::union(types))
}
