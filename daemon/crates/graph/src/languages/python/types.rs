//! Python: descriptors, and the types that parameters and fields have without stating them.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefIx, Expr, ExprIx};

use super::Python;
use super::fixtures::passed_value;
use super::names::only_inner;
use crate::infer::{Ctx, How, Infer, Ty, TypeRules, Typed};
use crate::world::{DefRef, FileIndex, Sym};

/// Most decorators of a function that are followed.
const DECORATORS: usize = 8;

/// The method that reading a descriptor runs.
const GET: &str = "__get__";

impl TypeRules for Python {
    /// In a class, `Error = Error` reads the `Error` outside: the class has its own from there on.
    fn value_scope(&self, file: &FileIndex, found: &Def, of: Option<ExprIx>) -> DefIx {
        let scope = found.parent.unwrap_or(DefIx::MODULE);
        let outer = || {
            let class = file.outline.def(scope).filter(|around| around.kind.is_type())?;
            let mut at = of?;
            for _ in 0..8 {
                match file.outline.arena.expr(at) {
                    Expr::Attr(inner, _)
                    | Expr::Call(inner, _)
                    | Expr::Index(inner)
                    | Expr::Generic(inner, _) => {
                        at = *inner;
                    }
                    Expr::Name(name) if *name == found.name => return class.parent,
                    _ => break,
                }
            }
            None
        };
        outer().unwrap_or(scope)
    }

    /// The type that the overridden method states for the parameter of the same name; of a test, that of the fixture.
    fn expected(&self, infer: &Infer<'_, '_>, def: DefRef, at: usize) -> Typed {
        let file = infer.file(def.file);
        let stated = || {
            let found = file.outline.def(def.def).filter(|found| found.kind.is_callable())?;
            let name = file.outline.str(found.params.get(at)?.name);
            let parent = found.parent.and_then(|parent| file.outline.def(parent))?;
            let class = parent.kind.is_type().then(|| infer.owner_type(def))??;
            let over = infer.base_member(class, file.name(def.def)?, true)?.def;
            let base = infer.file(over.file);
            let params = &base.outline.def(over.def)?.params;
            let param = params.iter().find(|param| base.outline.str(param.name) == name)?;
            Some(infer.stated(&Infer::outline_ctx(&base, over, Some(class)), param.ty?))
        };
        let stated = stated().map(|ty| Typed::new(ty, How::Stated));
        stated.or_else(|| passed_value(infer, def, at)).unwrap_or(Typed::UNKNOWN)
    }

    /// Reading a field runs `__get__` of the value that it holds, and so does reading a method that a descriptor
    /// decorates.
    fn read_value(
        &self,
        infer: &Infer<'_, '_>,
        file: &FileIndex,
        def: DefRef,
        class: DefRef,
    ) -> Option<Typed> {
        match file.outline.def(def.def)?.kind {
            SymbolKind::Field | SymbolKind::Constant => Some(described(infer, infer.def_type(def))),
            SymbolKind::Method if is_described(infer, file, def) => Some(infer.result(def, Some(class))),
            _ => None,
        }
    }

    fn decorated(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<Typed> {
        let file = infer.file(def.file);
        let found = file.outline.def(def.def).filter(|found| !found.decorators.is_empty())?;
        let ctx = Ctx {
            members: false,
            scope: found.parent.unwrap_or(DefIx::MODULE),
            ..Infer::outline_ctx(&file, def, None)
        };
        let mut value = None;
        // The decorator next to the function is applied first.
        for decorator in found.decorators.iter().rev().take(DECORATORS) {
            let decorator = infer.eval(&ctx, *decorator);
            let given = applied_decorator(infer, &decorator);
            if given.ty.each().iter().any(|ty| ty.instance_of().is_some()) {
                value = Some(Typed::new(only_instances(&given.ty), given.how.max(How::Guessed)));
            }
        }
        value
    }

    fn wrapper(&self, infer: &Infer<'_, '_>, def: DefRef) -> Option<DefRef> {
        let file = infer.file(def.file);
        let found = file.outline.def(def.def).filter(|found| found.kind.is_callable())?;
        let ctx = Ctx {
            members: false,
            scope: found.parent.unwrap_or(DefIx::MODULE),
            ..Infer::outline_ctx(&file, def, None)
        };
        let mut wrapper = None;
        for decorator in found.decorators.iter().rev().take(DECORATORS) {
            let decorator = infer.eval(&ctx, *decorator);
            if let Ty::Func(inner, _) = applied_decorator(infer, &decorator).ty {
                wrapper = Some(inner).filter(|inner| *inner != def);
            }
        }
        wrapper
    }

    fn has_tables(&self) -> bool {
        true
    }

    fn inner_function(&self, infer: &Infer<'_, '_>, def: DefRef, name: Sym) -> Option<DefRef> {
        let inner = only_inner(&infer.file(def.file), def.def, name)?;
        Some(DefRef { def: inner, ..def })
    }
}

/// The result of calling a decorator with a function. A decorator with arguments is the result of a call, and where that
/// may also be the decorated value itself, because the function can be its argument, the one that can be called counts.
fn applied_decorator(infer: &Infer<'_, '_>, decorator: &Typed) -> Typed {
    let each = decorator.ty.each();
    let callable = each.iter().filter(|ty| matches!(ty, Ty::Callable(_) | Ty::Func(..) | Ty::Class(_)));
    let callable: Vec<Ty> = callable.cloned().collect();
    if callable.is_empty() {
        return Typed::UNKNOWN;
    }
    infer.called(&Typed::new(Ty::union(callable), decorator.how))
}

/// Those of several types that are of values of the repository's types.
fn only_instances(ty: &Ty) -> Ty {
    Ty::union(ty.each().iter().filter(|ty| ty.instance_of().is_some()).cloned())
}

/// The type of reading a field whose value may be a descriptor.
fn described(infer: &Infer<'_, '_>, field: Typed) -> Typed {
    match field.ty.instance_of().and_then(|_| infer.given_by(&field.ty, GET)) {
        Some(given) => Typed::new(given, field.how.max(How::Returned)),
        None => field,
    }
}

/// Whether a decorator of the method `def` is a descriptor, so that reading the method runs it, as for a property.
fn is_described(infer: &Infer<'_, '_>, file: &FileIndex, def: DefRef) -> bool {
    let Some(found) = file.outline.def(def.def) else { return false };
    found.decorators.iter().take(4).any(|decorator| {
        let ctx = Ctx { members: false, ..Infer::outline_ctx(file, def, None) };
        let is_name = matches!(ctx.arena.expr(*decorator), Expr::Name(_) | Expr::Attr(..));
        match is_name.then(|| infer.eval(&ctx, *decorator).ty) {
            Some(Ty::Class(class)) => infer.member(class, infer.sym(GET), true).is_some(),
            _ => false,
        }
    })
}
