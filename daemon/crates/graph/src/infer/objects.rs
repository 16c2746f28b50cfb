//! Objects and object types that are written out, such as `{ name: string, owner: User }`.

use sdl_model::SymbolKind;
use sdl_model::facts::{Arena, DefIx, Expr, ExprIx, StrIx};

use super::defs::union_types;
use super::{Ctx, How, Infer, Part, ShapeKind, Ty, Typed, Written};
use crate::world::DefRef;

/// Most scopes, from an object outwards, that are searched for the definition of a function in it.
const OUT: usize = 8;
/// Most entries of a table of which any may be meant.
const ENTRIES: usize = 32;
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

    /// The context of the parts of the object that is written at `of`, in `arena`.
    fn written_ctx(of: Written, arena: &Arena) -> Ctx<'_> {
        Ctx {
            file: of.file,
            scope: of.scope,
            at: of.at,
            arena,
            body: of.body,
            members: of.is_type,
            owner: false,
            subject: None,
            env: None,
            given: None,
        }
    }

    /// The property `name` of an object that is written out.
    pub(crate) fn property(&self, of: Written, name: &str) -> Typed {
        if !self.w.step() {
            return Typed::UNKNOWN;
        }
        let file = self.file(of.file);
        let arena = if of.body { self.own.arena() } else { &file.outline.arena };
        let ctx = Self::written_ctx(of, arena);
        let Expr::Record(fields) = arena.expr(of.expr) else { return Typed::UNKNOWN };
        if let Some((_, value)) = fields.iter().rev().find(|(field, _)| arena.str(*field) == name) {
            return if of.is_type {
                Typed::new(self.stated(&ctx, *value), How::Stated)
            } else {
                self.eval(&ctx, *value)
            };
        }
        let spreads = fields.iter().rev().filter(|(field, _)| arena.str(*field).is_empty());
        let has_tables = self.rules(of.file).has_tables();
        for (_, whole) in spreads.take(SPREADS) {
            let whole = self.eval(&ctx, *whole);
            // An object may take over itself: `const all = { ...all }`.
            let sought = (of, name.to_owned());
            if self.taken_over.borrow().contains(&sought) {
                return Typed::UNKNOWN;
            }
            self.taken_over.borrow_mut().push(sought);
            let look_up =
                || if has_tables { self.keyed(&whole, name) } else { self.attribute(&whole, name, true) };
            let found = crate::stack::with_room(look_up);
            self.taken_over.borrow_mut().pop();
            if !matches!(found.ty, Ty::Unknown | Ty::External(_)) {
                // An entry whose key is computed may be this one.
                let computed = fields.iter().any(|(field, _)| arena.str(*field).starts_with('['));
                return if computed { found.at_least(How::Guessed) } else { found };
            }
        }
        // A type that is written out says all that is known of its values.
        if of.is_type { Typed::EXTERNAL } else { Typed::UNKNOWN }
    }

    /// The element of the value of `table` with a key or place that the text spells out.
    pub(super) fn entry(&self, ctx: &Ctx<'_>, table: ExprIx, key: StrIx, depth: u8) -> Typed {
        let whole = self.eval_at(ctx, table, depth);
        let is_known = |ty: &Ty| matches!(ty, Ty::Object(_)) || is_list(ty) || self.held_as_property(ctx, ty);
        if !whole.ty.each().iter().any(is_known) {
            return self.element(ctx, table, depth, Part::Index);
        }
        let key = ctx.arena.str(key);
        let entries = whole.ty.each().iter().map(|ty| self.keyed(&Typed::new(ty.clone(), whole.how), key));
        let found = union_types(entries);
        if whole.ty.each().len() > 1 { found.at_least(How::Guessed) } else { found }
    }

    /// The entry of `whole` under `key`.
    fn keyed(&self, whole: &Typed, key: &str) -> Typed {
        match &whole.ty {
            Ty::Object(written) => self.property(*written, key).at_least(whole.how),
            Ty::External(Some(list)) if list.kind == ShapeKind::Tuple => {
                // Equal elements represent a list of any length.
                let is_uniform = matches!(&*list.args, [first, second] if first == second);
                let place = key.parse().ok().filter(|at| *at < list.args.len() && !is_uniform);
                Typed::new(place.map_or_else(|| list.index(), |at: usize| list.item(at)), How::Named)
            }
            Ty::Instance(_) => self.attribute(whole, key, true),
            _ => Typed::UNKNOWN,
        }
    }

    /// Whether a value of the type `ty` is an object whose properties are definitions.
    fn held_as_property(&self, ctx: &Ctx<'_>, ty: &Ty) -> bool {
        let Ty::Instance(of) = ty else { return false };
        let kind = self.file(of.file).outline.def(of.def).map(|def| def.kind);
        !self.rules(ctx.file).has_tables()
            && matches!(kind, Some(SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field))
    }

    /// The values of all entries of a table that is written out.
    pub(super) fn any_entry(&self, of: Written) -> Ty {
        self.any_entry_at(of, 0)
    }

    /// `depth` counts the tables around it that take it over: a table may take over itself.
    fn any_entry_at(&self, of: Written, depth: usize) -> Ty {
        let file = self.file(of.file);
        let arena = if of.body { self.own.arena() } else { &file.outline.arena };
        let Expr::Record(fields) = arena.expr(of.expr) else { return Ty::Unknown };
        if fields.len() > ENTRIES || of.is_type || depth > SPREADS || !self.w.step() {
            return Ty::Unknown;
        }
        let ctx = Self::written_ctx(of, arena);
        Ty::union(fields.iter().map(|(name, value)| {
            let value = self.eval(&ctx, *value).ty;
            match &value {
                Ty::Object(whole) if arena.str(*name).is_empty() => self.any_entry_at(*whole, depth + 1),
                _ => value,
            }
        }))
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

fn is_list(ty: &Ty) -> bool {
    matches!(ty, Ty::External(Some(list)) if list.kind == ShapeKind::Tuple)
}
