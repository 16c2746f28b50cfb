//! References, bindings, imports, exports.

use sdl_model::facts::{
    Binding, BindingKind, DefIx, Export, Expr, ExprIx, Import, ImportKind, Ref, RefForm, StrIx,
};

use super::{Builder, Shapes};
use crate::tape::Node;

/// Maximum number of arguments of a call whose values are recorded.
const MOST_GIVEN: usize = 6;

impl<'a> Builder<'a> {
    /// Adds a reference of the innermost open definition. `at` is the name's first byte, `recv` (of [`Self::body`]) is
    /// the receiver before it.
    pub fn reference(&mut self, form: RefForm, name: &str, at: u32, recv: Option<ExprIx>, args: usize) {
        if name.is_empty() {
            return;
        }
        let name = self.body.str(name);
        let line = self.line(at);
        let scope = self.scope();
        let args = args.min(255) as u8;
        self.refs.push(Ref { scope, form, name, recv, args, given: None, line, at });
    }

    /// Records the values of the arguments of the reference at byte `at`, which was the last to be added. Does nothing
    /// if there are more than 6 arguments or if no value is known.
    pub fn given<L: Shapes>(&mut self, at: u32, args: impl Iterator<Item = Node<'a, L>>) {
        let args: Vec<Node<'a, L>> = args.take(MOST_GIVEN + 1).collect();
        if args.is_empty() || args.len() > MOST_GIVEN || self.refs.last().is_none_or(|last| last.at != at) {
            return;
        }
        let values = self.body.values(args.into_iter());
        if values.iter().all(|value| self.body.is_unknown(*value)) {
            return;
        }
        let given = self.body.add(Expr::Tuple(values));
        if let Some(last) = self.refs.last_mut() {
            last.given = Some(given);
        }
    }

    /// Adds a local name of the innermost open definition, known from byte `from` to the definition's end.
    pub fn bind(
        &mut self,
        kind: BindingKind,
        name: &str,
        ty: Option<ExprIx>,
        value: Option<ExprIx>,
        from: u32,
    ) {
        let to = self.scope_end();
        self.bind_within(kind, name, ty, value, (from, to));
    }

    /// Adds a local name of the innermost open definition, known from the first byte of `range` to the second. `ty` and
    /// `value` are of [`Self::body`].
    pub fn bind_within(
        &mut self,
        kind: BindingKind,
        name: &str,
        ty: Option<ExprIx>,
        value: Option<ExprIx>,
        (from, to): (u32, u32),
    ) {
        if !name.is_empty() {
            let (scope, name) = (self.scope(), self.body.str(name));
            self.add_binding(Binding { scope, kind, name, ty, value, from, to });
        }
    }

    /// Adds a variable of `scope` without a stated type, known in `range`, wherever it is set: a function may assign the
    /// variables of those around it.
    pub fn bind_in(&mut self, scope: DefIx, name: &str, value: Option<ExprIx>, (from, to): (u32, u32)) {
        if !name.is_empty() {
            let (kind, name) = (BindingKind::Local, self.body.str(name));
            self.add_binding(Binding { scope, kind, name, ty: None, value, from, to });
        }
    }

    fn add_binding(&mut self, binding: Binding) {
        let before = self.latest.insert((binding.scope, binding.name), self.bindings.len() as u32);
        self.before.push(before.unwrap_or(u32::MAX));
        self.bindings.push(binding);
    }

    /// Whether `name` is a local of the innermost open definition so far.
    pub fn is_bound(&self, name: &str) -> bool {
        self.body.lookup(name).is_some_and(|name| self.latest.contains_key(&(self.scope(), name)))
    }

    /// The bindings so far, in the order in which they were added.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The latest binding of `name` in `scope` before the one numbered `first`.
    pub fn binding_before(&self, scope: DefIx, name: StrIx, first: usize) -> Option<Binding> {
        let mut at = *self.latest.get(&(scope, name))? as usize;
        while at >= first {
            at = *self.before.get(at).filter(|before| **before != u32::MAX)? as usize;
        }
        self.bindings.get(at).copied()
    }

    /// The value that the local `name` of the innermost open definition was last set to, and the end of its range;
    /// none if its type is stated.
    pub fn latest_local(&self, name: &str) -> Option<(ExprIx, u32)> {
        let name = self.body.lookup(name)?;
        let latest = self.bindings.get(*self.latest.get(&(self.scope(), name))? as usize)?;
        let is_local = latest.kind == BindingKind::Local && latest.ty.is_none();
        latest.value.filter(|_| is_local).map(|value| (value, latest.to))
    }

    /// Adds an import of the innermost open definition.
    pub fn import(
        &mut self,
        kind: ImportKind,
        module: &str,
        name: Option<&str>,
        local: Option<&str>,
        at: u32,
    ) -> &mut Import {
        let module = self.out.str(module);
        let name = name.map(|name| self.out.str(name));
        let local = local.map(|local| self.out.str(local));
        let line = self.line(at);
        let scope = self.scope();
        self.imports.push(Import {
            scope,
            kind,
            module,
            name,
            local,
            reexport: false,
            condition: None,
            line,
        });
        let last = self.imports.len() - 1;
        #[allow(clippy::indexing_slicing, reason = "just pushed")]
        &mut self.imports[last]
    }

    /// Adds an export that is written apart from its definition.
    pub fn export(&mut self, local: &str, name: &str) {
        let export = Export { local: self.out.str(local), name: self.out.str(name) };
        if self.exported.insert((export.local, export.name)) {
            self.exports.push(export);
        }
    }

    /// The exports so far.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// The imports so far, to be completed.
    pub fn imports_mut(&mut self) -> &mut [Import] {
        &mut self.imports
    }

    /// Sets the package or namespace that the whole file declares.
    pub fn package(&mut self, name: &str) {
        self.package = Some(self.out.str(name));
    }

    /// The first definition of that name directly inside `parent`.
    pub fn find_def(&self, parent: DefIx, name: &str) -> Option<DefIx> {
        let name = self.out.lookup(name)?;
        self.members.get(&(parent, name)).copied()
    }
}
