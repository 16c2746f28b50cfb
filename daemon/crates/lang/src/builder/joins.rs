//! The value of a name after branches that set it to different values.

use std::collections::BTreeMap;

use sdl_model::facts::{BindingKind, Expr, ExprIx, StrIx};

use super::Builder;

/// A statement whose branches bind more names than this is a table of data and is not joined.
const MAX_BINDINGS: usize = 128;
/// Maximum number of branches.
const MAX_BRANCHES: usize = 12;
/// Maximum number of parts of a value that are searched.
const MAX_PARTS: usize = 32;

/// A branch of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Whether control reaches the code after the statement from it.
    pub goes_on: bool,
}

/// The branches of a statement.
#[derive(Debug)]
pub struct Branches {
    /// The branches, in the order of the text.
    pub all: Vec<Branch>,
    /// Whether one of them is always taken.
    pub is_complete: bool,
    /// Whether they may run again, as the body of a loop.
    pub repeats: bool,
}

impl Builder<'_> {
    /// Binds, from byte `end` on, the names that the branches of a statement set to different values. The statement's
    /// bindings are those from number `first` on.
    pub fn join_branches(&mut self, first: usize, branches: &Branches, end: u32) {
        let count = self.bindings.len().saturating_sub(first);
        if count == 0 || count > MAX_BINDINGS || branches.all.len() > MAX_BRANCHES {
            return;
        }
        // For each name, its value at the end of each branch, and where its scope ends.
        let mut ends: BTreeMap<StrIx, (u32, Vec<Option<ExprIx>>)> = BTreeMap::new();
        for binding in self.bindings.get(first..).unwrap_or_default() {
            let lasts =
                binding.kind == BindingKind::Local && binding.scope == self.scope() && binding.to > end;
            let at = branches.all.iter().position(|one| one.start < binding.from && binding.from <= one.end);
            if let (Some(at), Some(value), true) = (at, binding.value, lasts && binding.ty.is_none()) {
                let known = ends.entry(binding.name);
                let (_, known) = known.or_insert_with(|| (binding.to, vec![None; branches.all.len()]));
                if let Some(end) = known.get_mut(at) {
                    *end = Some(value);
                }
            }
        }
        for (name, (to, ends)) in ends {
            self.join_name(name, &ends, branches, (first, end, to));
        }
    }

    /// The same, for one name, whose scope ends at `to`.
    fn join_name(
        &mut self,
        name: StrIx,
        ends: &[Option<ExprIx>],
        branches: &Branches,
        (first, end, to): (usize, u32, u32),
    ) {
        let goes_on = || branches.all.iter().zip(ends).filter(|(branch, _)| branch.goes_on);
        let mut values: Vec<ExprIx> = goes_on().filter_map(|(_, end)| *end).collect();
        if !branches.is_complete || goes_on().any(|(_, end)| end.is_none()) {
            values.extend(self.value_before(name, first));
        }
        values.dedup();
        let text = self.body.text(name).to_owned();
        let latest = ends.iter().rev().find_map(|end| *end);
        let is_known = values.iter().all(|value| Some(*value) == latest);
        // A value derived from the name itself would be looked up from here.
        if is_known || values.iter().any(|value| self.names_itself(*value, name)) {
            return;
        }
        let are_names =
            values.iter().all(|value| matches!(self.body.expr(*value), Expr::Name(_) | Expr::Attr(..)));
        let value = self.body.either(values);
        self.bind_within(BindingKind::Local, &text, None, Some(value), (end, to));
        if let Some(body) = branches.all.first().filter(|_| branches.repeats && are_names) {
            self.bind_within(BindingKind::Local, &text, None, Some(value), (body.start, body.end));
        }
    }

    /// The value of `name` before the binding numbered `first`.
    fn value_before(&self, name: StrIx, first: usize) -> Option<ExprIx> {
        let found = self.binding_before(self.scope(), name, first)?;
        found.value.filter(|_| found.kind == BindingKind::Local && found.ty.is_none())
    }

    /// Whether `value` is derived from `name`.
    fn names_itself(&self, value: ExprIx, name: StrIx) -> bool {
        let mut todo = vec![value];
        for _ in 0..MAX_PARTS {
            let Some(ix) = todo.pop() else { return false };
            match self.body.expr(ix) {
                Expr::Name(one) if *one == name => return true,
                expr => expr.visit_parts(|part| todo.push(part)),
            }
        }
        true
    }
}
