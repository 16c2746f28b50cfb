//! Shapes that leave a function: its return values and the values of its fields.
//!
//! Others see these in the outline, but not the function's bindings. So when the function is closed, names that are
//! bound in it are replaced by their values.

use sdl_model::SymbolKind;
use sdl_model::facts::{Binding, BindingKind, DefFlags, DefIx, Expr, ExprIx, Lit, StrIx};

use super::pending::{Pending, Slot};
use super::{Builder, MAX_RETURNS};

/// How many bindings deep a name is followed.
const MAX_STEPS: u32 = 6;
/// How many return statements are looked at for return shapes.
const MAX_TRIES: usize = 64;
/// How many bindings of one name are looked at.
const MAX_BINDINGS: usize = 32;

impl Builder<'_> {
    /// Adds to the return shapes of `def` the shape `expr` (of [`Self::body`]) that byte `at` returns or yields.
    pub fn returns(&mut self, def: DefIx, expr: ExprIx, at: u32) {
        self.pending.push(Pending { to: def, slot: Slot::Return, expr, at });
    }

    /// Adds `expr` (of [`Self::body`]), assigned at byte `at`, to the initial values of `def`. A name that is assigned
    /// several values may have any of them.
    pub fn add_value(&mut self, def: DefIx, expr: ExprIx, at: u32) {
        self.pending.push(Pending { to: def, slot: Slot::Value, expr, at });
    }

    /// Moves pending shapes from `first` on to the outline; `scope` is being closed.
    pub(super) fn settle_shapes(&mut self, scope: DefIx, first: usize) {
        let mut tries = 0;
        let all = self.pending.split_off(first.min(self.pending.len()));
        let handed_back = self.returned_parameter(scope, &all);
        for pending in all {
            let full = match pending.slot {
                Slot::Return => {
                    tries += 1;
                    tries > MAX_TRIES || self.def(pending.to).returns.len() >= MAX_RETURNS
                }
                Slot::Value => false,
            };
            if full {
                continue;
            }
            let mut carry = Carry { b: self, scope, parts: 0, hands_out: pending.slot == Slot::Return };
            let expr = carry.over(pending.expr, pending.at, MAX_STEPS);
            if self.out.is_unknown(expr) {
                continue;
            }
            match pending.slot {
                Slot::Return => {
                    let returns = &mut self.def_mut(pending.to).returns;
                    if !returns.contains(&expr) {
                        returns.push(expr);
                    }
                }
                Slot::Value => {
                    let value = match self.def(pending.to).value {
                        None => expr,
                        Some(old) => self.widen(old, expr),
                    };
                    self.def_mut(pending.to).value = Some(value);
                }
            }
        }
        self.def_mut(scope).returns.extend(handed_back);
    }

    /// The parameter without a known type that `scope` returns, if it returns nothing else: `def keep(f): return f`.
    fn returned_parameter(&mut self, scope: DefIx, all: &[Pending]) -> Option<ExprIx> {
        let mut returned =
            all.iter().filter(|one| one.to == scope && matches!(one.slot, Slot::Return)).map(|one| one.expr);
        let first = returned.next()?;
        let Expr::Name(name) = *self.body.expr(first) else { return None };
        let (mut at, mut bindings) = (self.latest.get(&(scope, name)).copied(), 0);
        while let Some(binding) = at.and_then(|ix| self.bindings.get(ix as usize)) {
            bindings += 1;
            let is_bare =
                binding.kind == BindingKind::Param && binding.ty.is_none() && binding.value.is_none();
            if !is_bare || bindings > 1 {
                return None;
            }
            at = at.and_then(|ix| self.before.get(ix as usize)).copied();
        }
        let text = self.body.text(name).to_owned();
        let name = self.out.lookup(&text)?;
        let is_own = self.def(scope).params.iter().any(|param| param.name == name);
        let is_only = bindings == 1 && returned.all(|other| other == first);
        (is_own && is_only).then(|| self.out.name(&text))
    }

    /// `old` or `more`, of the outline.
    fn widen(&mut self, old: ExprIx, more: ExprIx) -> ExprIx {
        let mut all = match self.out.expr(old) {
            Expr::Either(all) => all.clone(),
            _ => vec![old],
        };
        if all.len() < 4 {
            all.push(more);
        }
        self.out.either(all)
    }
}

/// Carries an expression from the body over to the outline.
struct Carry<'b, 'a> {
    b: &'b mut Builder<'a>,
    scope: DefIx,
    parts: u32,
    /// Whether the carried expression is returned, or is a property of an object: then a function inside can be reached.
    hands_out: bool,
}

impl Carry<'_, '_> {
    fn over(&mut self, expr: ExprIx, at: u32, steps: u32) -> ExprIx {
        self.parts += 1;
        if self.parts > 128 {
            return self.b.out.unknown();
        }
        let source = self.b.body.expr(expr).clone();
        if let Expr::Name(name) = source
            && let Some(replaced) = self.local(name, at, steps)
        {
            return replaced;
        }
        // Bounded: an expression is at most as deep as the extractor followed it, times the steps.
        let hands_out = match source {
            Expr::Record(_) => true,
            Expr::Either(_) | Expr::Tuple(_) => self.hands_out,
            _ => false,
        };
        let before = std::mem::replace(&mut self.hands_out, hands_out);
        let mut moved = source.map_parts(|part| self.over(part, at, steps));
        self.hands_out = before;
        let mut move_name = |name: &mut StrIx| {
            let text = self.b.body.text(*name).to_owned();
            *name = self.b.out.str(&text);
        };
        match &mut moved {
            Expr::Name(name)
            | Expr::Attr(_, name)
            | Expr::Path(_, name)
            | Expr::Key(_, name)
            | Expr::Inner(name, _) => {
                move_name(name);
            }
            Expr::Record(fields) => fields.iter_mut().for_each(|(name, _)| move_name(name)),
            _ => {}
        }
        self.b.out.add(moved)
    }

    /// The value of the local `name` at byte `at`; none if it is no local.
    fn local(&mut self, name: StrIx, at: u32, steps: u32) -> Option<ExprIx> {
        if let Some(found) = self.local_of(self.scope, name, at, steps) {
            return Some(found);
        }
        // The functions around it are still open.
        for at_frame in (0..self.b.frames.len()).rev().take(8) {
            let frame = self.b.frames.get(at_frame)?;
            let def = frame.def;
            if !self.b.def(def).kind.is_callable() {
                break;
            }
            if let Some(found) = self.local_of(def, name, at, steps) {
                return Some(found);
            }
        }
        None
    }

    /// The same, where it is a local of `scope`.
    fn local_of(&mut self, scope: DefIx, name: StrIx, at: u32, steps: u32) -> Option<ExprIx> {
        // A module's variables have names that others see.
        if scope == DefIx::MODULE && self.b.find_def(scope, self.b.body.text(name)).is_some() {
            return None;
        }
        let mut known = false;
        let mut values: Vec<Binding> = Vec::new();
        // The latest ones first; a few are enough.
        let mut next = self.b.latest.get(&(scope, name)).copied();
        for _ in 0..MAX_BINDINGS {
            let Some(binding) = next.and_then(|ix| self.b.bindings.get(ix as usize)).copied() else { break };
            next = next.and_then(|ix| self.b.before.get(ix as usize)).copied();
            match binding.kind {
                BindingKind::Outer => return None,
                BindingKind::Field => continue,
                BindingKind::Param | BindingKind::Local | BindingKind::Narrowed => known = true,
            }
            let said = binding.ty.is_some() || binding.value.is_some();
            if said && binding.from <= at && at < binding.to && values.len() < 3 {
                values.push(binding);
            }
        }
        if !known {
            return self.inner_def(scope, name);
        }
        if steps == 0 {
            return Some(self.b.out.unknown());
        }
        let mut shapes = Vec::new();
        for binding in values.iter().rev() {
            let shape = match (binding.ty, binding.value) {
                (Some(ty), _) => {
                    let ty = self.over(ty, binding.from, steps - 1);
                    self.b.out.add(Expr::New(ty))
                }
                (None, Some(value)) => self.over(value, binding.from.saturating_sub(1), steps - 1),
                (None, None) => continue,
            };
            if !self.b.out.is_unknown(shape) {
                shapes.push(shape);
            }
        }
        Some(self.b.out.either(shapes))
    }

    /// Others see a function defined inside as a lambda, because they can't name it unless it is handed out, as in
    /// `return close` and `return { close }`.
    fn inner_def(&mut self, scope: DefIx, name: StrIx) -> Option<ExprIx> {
        if !self.b.def(scope).kind.is_callable() {
            return None;
        }
        let def = self.b.find_def(scope, self.b.body.text(name))?;
        let found = self.b.def(def);
        let shape = match found.kind {
            // An object with functions.
            SymbolKind::Variable if found.flags.has(DefFlags::LOCAL) => Expr::Inner(found.name, false),
            kind if self.hands_out && (kind.is_callable() || kind == SymbolKind::Class) => {
                Expr::Inner(found.name, false)
            }
            kind if kind.is_callable() => Expr::Lit(Lit::Lambda),
            _ => Expr::Unknown,
        };
        Some(self.b.out.add(shape))
    }
}
