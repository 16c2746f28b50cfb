//! Objects and object types that are written out, such as `{ name: string, owner: User }`.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefIx, Expr, ExprIx, StrIx};

use super::{Ctx, How, Infer, Ty, Typed, Written};
use crate::world::DefRef;

/// Most scopes, from an object outwards, that are searched for the definition of a function in it.
const OUT: usize = 8;
/// How many objects one may take over from.
const SPREADS: usize = 8;

impl Written {
    /// Whether it is a type, and not the object itself.
    pub(crate) fn is_type(&self) -> bool {
        self.is_type
    }
}

impl Infer<'_, '_> {
    /// A value of the object, or of the object type, at `ix`.
    pub(super) fn written(ctx: &Ctx<'_>, ix: ExprIx, is_type: bool) -> Ty {
        Ty::Object(Written {
            file: ctx.file,
            scope: ctx.scope,
            at: ctx.at,
            body: ctx.body,
            is_type,
            expr: ix,
        })
    }

    /// The object that the variable `def` is set to, as it is written: it may hold more than the members that are
    /// definitions.
    pub(crate) fn written_of(&self, def: DefRef) -> Option<Written> {
        let file = self.file(def.file);
        let found = file.outline.def(def.def)?;
        let is_variable =
            matches!(found.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
        let expr = found.value.filter(|_| is_variable)?;
        matches!(file.outline.arena.expr(expr), Expr::Record(_)).then_some(Written {
            file: def.file,
            scope: found.parent.unwrap_or(DefIx::MODULE),
            at: u32::MAX,
            body: false,
            is_type: false,
            expr,
        })
    }

    /// The property `name` of an object that is written out.
    pub(crate) fn property(&self, of: Written, name: &str) -> Typed {
        if !self.w.step() {
            return Typed::UNKNOWN;
        }
        let file = self.file(of.file);
        let arena = if of.body { &self.own.body.arena } else { &file.outline.arena };
        let ctx = Ctx {
            file: of.file,
            scope: of.scope,
            at: of.at,
            arena,
            body: of.body,
            members: of.is_type,
            subject: None,
            env: None,
            given: None,
        };
        let Expr::Record(fields) = arena.expr(of.expr) else { return Typed::UNKNOWN };
        if let Some((_, value)) = fields.iter().rev().find(|(field, _)| arena.str(*field) == name) {
            return if of.is_type {
                Typed::new(self.stated(&ctx, *value), How::Stated)
            } else {
                self.eval(&ctx, *value)
            };
        }
        let spreads = fields.iter().rev().filter(|(field, _)| arena.str(*field).is_empty());
        for (_, whole) in spreads.take(SPREADS) {
            let whole = self.eval(&ctx, *whole);
            let found = self.attribute(&whole, name, true);
            if !matches!(found.ty, Ty::Unknown | Ty::External(_)) {
                return found;
            }
        }
        // A type that is written out says all that is known of its values.
        if of.is_type { Typed::EXTERNAL } else { Typed::UNKNOWN }
    }

    /// The definition `name` inside the function that an expression is in, or inside one around it.
    pub(super) fn inner(&self, ctx: &Ctx<'_>, name: StrIx, member: bool) -> Typed {
        let file = self.file(ctx.file);
        let sym = self.sym(ctx.arena.str(name));
        let fits = |ix: &DefIx| {
            file.outline.def(*ix).is_some_and(|def| match def.kind {
                SymbolKind::Method | SymbolKind::Property => member,
                SymbolKind::Class => true,
                SymbolKind::Function | SymbolKind::Variable => !member,
                _ => false,
            })
        };
        let mut scope = Some(ctx.scope);
        for _ in 0..OUT {
            let Some(at) = scope else { break };
            let mut found = file.children(at, sym).filter(fits);
            if let Some(def) = found.next() {
                // If there are two of the name, none is returned, because the choice depends on the place of the
                // object.
                return if found.next().is_none() {
                    self.def_type(DefRef { file: ctx.file, def })
                } else {
                    Typed::UNKNOWN
                };
            }
            scope = file.outline.def(at).and_then(|def| def.parent).filter(|parent| *parent < at);
        }
        Typed::UNKNOWN
    }
}
