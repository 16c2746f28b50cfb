//! The parameters of a function that is an argument. Their types follow from the call that it is passed to: in
//! `carts.map(c => c.total())`, `c` is an element of `carts`.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr, ExprIx, PASSED_RECEIVER, ParamKind};
use sdl_model::lang::{MapEntries, Types};

use super::{Ctx, How, Infer, Shape, ShapeKind, Ty, Typed};
use crate::world::{DefRef, FileIndex};

/// In place of an argument: the parameter is the callee's own. In place of a parameter: the argument itself is meant.
const OWN: u8 = 255;

impl Infer<'_, '_> {
    /// The type of parameter `param` of the function that is argument `arg` of a call of `callee`.
    pub(super) fn passed(&self, ctx: &Ctx<'_>, callee: ExprIx, arg: u8, param: u8, depth: u8) -> Typed {
        if arg == OWN {
            return self.own_parameter(&self.eval_at(ctx, callee, depth), usize::from(param));
        }
        let (arg, param) = (usize::from(arg), usize::from(param));
        let value = match ctx.arena.expr(callee) {
            Expr::Attr(base, name) | Expr::Path(base, name) => {
                let in_path = matches!(ctx.arena.expr(callee), Expr::Path(..));
                let base = self.receiver_value(ctx, *base, depth, in_path);
                let (name, rules) = (ctx.arena.str(*name), self.rules(ctx.file));
                let types_of = &self.file(ctx.file).traits().types;
                let types = base.ty.each().iter().map(|ty| match ty {
                    Ty::External(_) if param == usize::from(PASSED_RECEIVER) => Ty::Unknown,
                    Ty::External(Some(shape)) => shape.passed(name, arg, param, types_of),
                    other if let Some(passed) = rules.passed(self, other, name, arg, param) => passed,
                    other => self.passed_by(
                        &self.attribute(&Typed::new(other.clone(), base.how), name, true),
                        arg,
                        param,
                    ),
                });
                return Typed::new(Ty::union(types), base.how.max(How::Stated));
            }
            Expr::New(class) => self.eval_at(ctx, *class, depth),
            _ => self.eval_at(ctx, callee, depth),
        };
        Typed::new(self.passed_by(&value, arg, param), value.how.max(How::Stated))
    }

    fn passed_by(&self, callee: &Typed, arg: usize, param: usize) -> Ty {
        Ty::union(callee.ty.each().iter().map(|ty| match ty {
            Ty::Func(def, subject) => self.given(*def, *subject, arg, param),
            Ty::Class(class) => {
                let constructor = self.line(*class).types.iter().find_map(|ty| self.constructor(*ty));
                constructor.map_or(Ty::Unknown, |def| self.given(def, Some(*class), arg, param))
            }
            Ty::External(_) => Ty::External(None),
            _ => Ty::Unknown,
        }))
    }

    /// The type that `def` passes for parameter `param` of the function that it takes as argument `arg`.
    fn given(&self, def: DefRef, subject: Option<DefRef>, arg: usize, param: usize) -> Ty {
        let file = self.file(def.file);
        let Some(ty) = parameter_type(&file, def.def, arg) else { return Ty::Unknown };
        let ctx = Self::outline_ctx(&file, def, subject);
        let receiver = self.rules_of(&file).stated_receiver(&file, ty);
        if param == usize::from(PASSED_RECEIVER) {
            return receiver.map_or(Ty::Unknown, |receiver| self.stated(&ctx, receiver));
        }
        // The receiver is not one of its parameters.
        let param =
            if receiver.is_some() && param != usize::from(OWN) { param.saturating_add(1) } else { param };
        let types = self.stated(&ctx, ty);
        if param == usize::from(OWN) {
            return types;
        }
        Ty::union(types.each().iter().map(|ty| match ty {
            Ty::Callable(signature) => signature.params.get(param).cloned().unwrap_or(Ty::Unknown),
            Ty::External(Some(shape)) if shape.kind == ShapeKind::Other => shape.arg(param),
            // An interface with one function to implement.
            Ty::Instance(interface) => self.only_method(*interface).map_or(Ty::Unknown, |method| {
                let file = self.file(method.file);
                let ctx = Self::outline_ctx(&file, method, None);
                parameter_type(&file, method.def, param).map_or(Ty::Unknown, |ty| self.stated(&ctx, ty))
            }),
            _ => Ty::Unknown,
        }))
    }

    /// The type of parameter `at` of a function of type `callee`.
    pub(crate) fn own_parameter(&self, callee: &Typed, at: usize) -> Typed {
        let types = callee.ty.each().iter().map(|ty| match ty {
            Ty::Func(def, subject) => {
                let file = self.file(def.file);
                let ctx = Self::outline_ctx(&file, *def, *subject);
                parameter_type(&file, def.def, at).map_or(Ty::Unknown, |ty| self.stated(&ctx, ty))
            }
            Ty::Callable(signature) => signature.params.get(at).cloned().unwrap_or(Ty::Unknown),
            Ty::External(_) => Ty::External(None),
            _ => Ty::Unknown,
        });
        Typed::new(Ty::union(types), callee.how.max(How::Stated))
    }

    fn only_method(&self, interface: DefRef) -> Option<DefRef> {
        let file = self.file(interface.file);
        let def = file.outline.def(interface.def)?;
        if def.kind != SymbolKind::Interface || !file.traits().types.functional_interfaces {
            return None;
        }
        let mut methods = file.outline.iter().filter(|(_, def)| {
            def.parent == Some(interface.def)
                && def.kind == SymbolKind::Method
                && def.flags.has(sdl_model::facts::DefFlags::ABSTRACT)
        });
        let only = methods.next().map(|(ix, _)| DefRef { def: ix, ..interface })?;
        methods.next().is_none().then_some(only)
    }
}

/// The stated type of the parameter that argument `arg` is for.
fn parameter_type(file: &FileIndex, def: DefIx, arg: usize) -> Option<ExprIx> {
    let def = file.outline.def(def)?;
    let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
    for (at, param) in params.enumerate() {
        if at == arg || param.kind == ParamKind::Rest {
            return param.ty;
        }
    }
    None
}

impl Shape {
    /// The type of parameter `param` of the function that is argument `arg` of the method `name`.
    pub(crate) fn passed(&self, name: &str, arg: usize, param: usize, types: &Types) -> Ty {
        // `Hook<[A, B]>`: the values it passes on, to whichever argument is a function.
        if let (ShapeKind::Other, Some(Ty::External(Some(handed)))) = (self.kind, self.args.first())
            && handed.kind == ShapeKind::Tuple
        {
            return handed.item(param);
        }
        if arg > 0 && !matches!(name, "fold" | "try_fold" | "map_or" | "map_or_else" | "reduce" | "collect") {
            return Ty::Unknown;
        }
        match self.kind {
            // The error of a result.
            ShapeKind::Wrapper
                if param == 0 && (types.results_hold_errors || self.args.len() > 1) && takes_error(name) =>
            {
                self.arg(1)
            }
            ShapeKind::Wrapper if param == 0 && matches!(name, "with_borrow" | "with_borrow_mut") => {
                match self.arg(0) {
                    Ty::External(Some(held)) => held.unwrap().unwrap_or(Ty::External(None)),
                    other => other,
                }
            }
            ShapeKind::Wrapper if param == 0 => self.arg(0),
            ShapeKind::Entry if param == 0 && name == "and_modify" => self.arg(1),
            ShapeKind::Tuple if param == 0 => Ty::union(self.args.iter().cloned()),
            ShapeKind::Sequence => match (name, param) {
                ("fold" | "try_fold" | "reduce" | "reduceRight" | "inject" | "rfold", 0) => Ty::Unknown,
                ("fold" | "try_fold" | "reduce" | "reduceRight" | "inject" | "rfold", 1) => self.arg(0),
                (
                    "sort" | "toSorted" | "sort_by" | "max_by" | "min_by" | "sorted" | "sort_unstable_by",
                    0 | 1,
                ) => self.arg(0),
                (_, 0) => self.arg(0),
                _ => Ty::External(None),
            },
            ShapeKind::Map => match (types.map_entries, param) {
                (MapEntries::ValueKey, 0) => self.arg(1),
                (MapEntries::ValueKey, 1) => self.arg(0),
                (MapEntries::KeyValue, at) => self.arg(at),
                (MapEntries::KeyValueBy(methods), at) if methods.contains(&name) => self.arg(at),
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }
}

/// Whether the method `name` of a result passes the error to its callback, as `map_err` does.
fn takes_error(name: &str) -> bool {
    matches!(name, "map_err" | "or_else" | "unwrap_or_else" | "inspect_err" | "catch")
}
