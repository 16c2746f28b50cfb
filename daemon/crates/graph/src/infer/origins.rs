//! Where a value that is called comes from: how sure is it that the call runs the function that the value is?

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, Expr, ExprIx, Lit};

use super::{Ctx, How, Infer, Meaning, Ty, Want};
use crate::modules::Place;
use crate::world::DefRef;

/// How many names are followed from one to the next.
const STEPS: u8 = 4;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Names of functions and types.
    Named,
    /// Results of functions.
    Returned,
    /// An entry of a table, by a key that is written out.
    Entry,
    /// Every element of a list or table, one after the other.
    Every,
    /// An element of a table or list, whichever it is.
    Element,
    /// A parameter, or anything else that other code may set.
    Other,
}

impl Infer<'_, '_> {
    /// Where the value of `ix` comes from.
    pub(crate) fn origin(&self, ctx: &Ctx<'_>, ix: ExprIx) -> Origin {
        self.origin_within(ctx, ix, STEPS)
    }

    /// Where the value of the local with this number comes from.
    pub(crate) fn local_origin(&self, ix: u32) -> Origin {
        self.local_origin_within(ix, STEPS)
    }

    fn local_origin_within(&self, ix: u32, steps: u8) -> Origin {
        let Some(binding) = self.own.binding(self.w, ix) else { return Origin::Other };
        let (BindingKind::Local, None, Some(value)) = (binding.kind, binding.ty, binding.value) else {
            return Origin::Other;
        };
        let ctx = Ctx {
            file: self.own.file,
            scope: binding.scope,
            at: binding.from.saturating_sub(1),
            arena: self.own.arena(),
            body: true,
            members: false,
            owner: false,
            subject: None,
            env: None,
            given: None,
        };
        self.origin_within(&ctx, value, steps)
    }

    fn origin_within(&self, ctx: &Ctx<'_>, ix: ExprIx, steps: u8) -> Origin {
        let Some(steps) = steps.checked_sub(1) else { return Origin::Other };
        match ctx.arena.expr(ix) {
            Expr::Name(name) => match (self.latest_value(ctx, *name), self.meaning(ctx, *name, Want::Any)) {
                (Some(ix), _) | (None, Meaning::Local(ix)) => self.local_origin_within(ix, steps),
                (None, Meaning::Place(Place::Def(def), _)) => self.def_origin(def, steps),
                _ => Origin::Other,
            },
            Expr::Attr(..) | Expr::Path(..) => {
                let is_named = self.eval(ctx, ix).how < How::Guessed;
                if is_named { Origin::Named } else { Origin::Other }
            }
            Expr::Inner(..) | Expr::Lit(Lit::Null) => Origin::Named,
            Expr::Call(callee, _) if self.is_method_of_table(ctx, *callee) => Origin::Element,
            Expr::Call(..) | Expr::Await(_) => Origin::Returned,
            Expr::Key(..) => Origin::Entry,
            Expr::Index(_) => Origin::Element,
            Expr::Iter(_) => Origin::Every,
            Expr::Tuple(_) | Expr::Record(_) => Origin::Entry,
            Expr::Item(inner, _) => self.origin_within(ctx, *inner, steps),
            Expr::Either(list) => {
                list.iter().map(|one| self.origin_within(ctx, *one, steps)).max().unwrap_or(Origin::Other)
            }
            _ => Origin::Other,
        }
    }

    /// Whether `callee` is a method of a table, such as `table.get`.
    fn is_method_of_table(&self, ctx: &Ctx<'_>, callee: ExprIx) -> bool {
        let Expr::Attr(table, _) = ctx.arena.expr(callee) else { return false };
        let value = self.eval(ctx, *table);
        value.ty.each().iter().any(|ty| matches!(ty, Ty::Object(_) | Ty::External(_)))
    }

    /// Where the value of a variable comes from.
    fn def_origin(&self, def: DefRef, steps: u8) -> Origin {
        let file = self.file(def.file);
        let Some(found) = file.outline.def(def.def) else { return Origin::Other };
        match found.kind {
            kind if kind.is_callable() || kind.is_type() => Origin::Named,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field => {
                let Some(value) = found.value.filter(|_| found.ty.is_none()) else { return Origin::Other };
                let scope = self.rules_of(&file).value_scope(&file, found, Some(value));
                let parent = DefRef { def: scope, ..def };
                let ctx = Ctx { members: false, ..Self::outline_ctx(&file, parent, None) };
                self.origin_within(&ctx, value, steps)
            }
            _ => Origin::Other,
        }
    }

    /// Where the value of the variable, field or property `def` comes from.
    pub(crate) fn variable_origin(&self, def: DefRef) -> Origin {
        self.def_origin(def, STEPS)
    }
}
