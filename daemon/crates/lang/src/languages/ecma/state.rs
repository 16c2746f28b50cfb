//! The extractor's state between nodes.

use std::collections::{HashMap, HashSet};

use sdl_model::facts::{DefFlags, DefIx, ExprIx, StrIx};

use super::exprs;
use super::kinds::{Context, Node};

/// The meaning of `this`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct This {
    name: &'static str,
    of: DefIxOrModule,
    is_type: bool,
}

/// [`DefIx`] with a default.
#[derive(Clone, Copy, Debug)]
struct DefIxOrModule(DefIx);

impl Default for DefIxOrModule {
    fn default() -> Self {
        Self(DefIx::MODULE)
    }
}

/// A function or class body that the walk is in.
#[derive(Debug)]
struct Body {
    node: u32,
    /// The definition whose body it is; none for an anonymous function.
    def: Option<DefIx>,
    is_function: bool,
    /// The meaning of `this` outside.
    before: This,
}

/// The destination of a value's members.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    /// The definition whose value it is.
    pub(super) def: DefIx,
    /// The type that the members belong to, where it is stated elsewhere: `X.prototype = {…}`.
    pub(super) owner: Option<ExprIx>,
    /// Whether it is the module's whole export.
    pub(super) exported: bool,
}

impl Holder {
    pub(super) fn of(def: DefIx) -> Self {
        Self { def, owner: None, exported: false }
    }
}

/// An object literal or object type that the walk is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) node: u32,
    end: u32,
    /// The number of enclosing objects that have a holder.
    pub(super) depth: u32,
    pub(super) holder: Option<Holder>,
    /// How many of its plain properties have become definitions.
    pub(super) fields: u32,
}

/// A local variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    /// The range in which it is known.
    pub(super) range: (u32, u32),
    /// Whether it is declared without a type and has not been assigned yet.
    pub(super) pending: bool,
}

/// A run of overloads that one definition represents.
#[derive(Debug)]
struct Fold {
    parent: u32,
    end: u32,
}

/// The extractor's state between nodes.
#[derive(Debug, Default)]
pub struct State {
    bodies: Vec<Body>,
    this: This,
    objects: Vec<Open>,
    holders: HashMap<u32, Holder>,
    folds: Vec<Fold>,
    locals: HashMap<(DefIx, StrIx), Local>,
    /// For each open statement with branches, the index of its first binding.
    pub(super) branching: Vec<usize>,
    /// The module's variables that hold an object or an array as written.
    pub(super) tables: HashSet<String>,
    /// How often entries of an object have been set in a function.
    pub(super) updates: HashMap<(DefIx, String), u32>,
    /// For each local that holds a name made up from a prefix, the prefix.
    pub(super) prefixes: HashMap<(DefIx, String), String>,
    /// The type (of the outline) that is stated for the module's whole export.
    pub(super) exported_type: Option<ExprIx>,
    /// Whether the file states its exports anywhere.
    pub(super) is_module: bool,
    /// Whether the file has a call that only test runners know.
    pub(super) has_tests: bool,
}

impl State {
    /// The object that the walk is in at place `ix`.
    pub(super) fn object(&mut self, ix: u32) -> Option<&mut Open> {
        while self.objects.last().is_some_and(|open| open.end <= ix) {
            self.objects.pop();
        }
        self.objects.last_mut()
    }

    /// Records that the members of the value `node` go to `holder`.
    pub(super) fn hold(&mut self, node: Node<'_>, holder: Holder) {
        self.holders.insert(node.ix(), holder);
    }

    /// Returns and removes the holder of the value `node`.
    pub(super) fn take_holder(&mut self, node: Node<'_>) -> Option<Holder> {
        if self.holders.is_empty() { None } else { self.holders.remove(&node.ix()) }
    }

    /// Enters the object or object type `node`.
    pub(super) fn enter_object(&mut self, node: Node<'_>) {
        let holder = self.take_holder(node);
        let depth = self.object(node.ix()).map_or(0, |open| open.depth + u32::from(open.holder.is_some()));
        self.objects.push(Open { node: node.ix(), end: node.next_ix(), depth, holder, fields: 0 });
    }

    /// Records that the siblings under `parent` before place `end` are overloads of one function.
    pub(super) fn fold(&mut self, parent: Node<'_>, end: u32) {
        self.folds.push(Fold { parent: parent.ix(), end });
    }

    /// Whether `node`, a child of `parent`, is in a run of overloads that is open already.
    pub(super) fn is_folded(&mut self, parent: Node<'_>, node: Node<'_>) -> bool {
        while self.folds.last().is_some_and(|fold| fold.end <= node.ix()) {
            self.folds.pop();
        }
        self.folds.last().is_some_and(|fold| fold.parent == parent.ix())
    }

    /// The definition whose own body the walk is in: none inside an anonymous function.
    pub(super) fn own_function(&self) -> Option<DefIx> {
        self.bodies.last().filter(|body| body.is_function).and_then(|body| body.def)
    }

    /// Whether the walk is in any function.
    pub(super) fn in_function(&self) -> bool {
        self.bodies.iter().rev().take(64).any(|body| body.is_function)
    }

    /// Declares a local variable of `scope`.
    pub(super) fn declare(&mut self, scope: DefIx, name: StrIx, local: Local) {
        self.locals.insert((scope, name), local);
    }

    /// The local variable `name` as known at byte `at` in `scope`.
    pub(super) fn local(&mut self, scope: DefIx, name: StrIx, at: u32) -> Option<&mut Local> {
        self.locals.get_mut(&(scope, name)).filter(|local| at < local.range.1)
    }
}

/// Enters the body of a function or class; [`leave_body`] leaves it. Sets `this` to the given value.
pub(super) fn enter_body(
    cx: &mut Context<'_>,
    node: Node<'_>,
    def: Option<DefIx>,
    is_function: bool,
    this: Option<This>,
) {
    let before = cx.state.this;
    cx.state.bodies.push(Body { node: node.ix(), def, is_function, before });
    if let Some(this) = this {
        use_this(cx, this);
    }
}

fn use_this(cx: &mut Context<'_>, this: This) {
    cx.state.this = this;
    cx.b.set_receiver(this.name, this.of.0, this.is_type);
}

pub(super) fn leave_body(cx: &mut Context<'_>, node: Node<'_>) {
    if cx.state.bodies.last().is_some_and(|body| body.node == node.ix())
        && let Some(body) = cx.state.bodies.pop()
    {
        use_this(cx, body.before);
    }
}

impl This {
    /// An instance of `of`, or (`is_type`) that type itself.
    pub(super) fn of(of: DefIx, is_type: bool) -> Self {
        Self { name: exprs::THIS, of: DefIxOrModule(of), is_type }
    }

    /// A parameter with a stated type.
    pub(super) fn typed() -> Self {
        Self { name: exprs::TYPED_THIS, ..Self::default() }
    }

    /// `this` as the module's exports.
    pub(super) fn exported() -> Self {
        Self { name: exprs::EXPORTED_THIS, ..Self::default() }
    }

    /// Unknown.
    pub(super) fn unknown() -> Self {
        Self::default()
    }
}

/// Binds the variables that were declared and never assigned, so that reads of them count as reads of locals.
pub(super) fn settle_locals(cx: &mut Context<'_>) {
    let mut left: Vec<_> = cx
        .state
        .locals
        .drain()
        .filter(|(_, local)| local.pending)
        .map(|((scope, name), local)| (local.range, scope, name))
        .collect();
    left.sort_unstable_by_key(|(range, scope, name)| (*range, scope.0, name.0));
    for (range, scope, name) in left {
        let name = cx.b.body.text(name).to_owned();
        cx.b.bind_in(scope, &name, None, range);
    }
}

/// Whether `def` is in a function or is otherwise out of reach.
pub(super) fn is_inner(cx: &Context<'_>, def: DefIx) -> bool {
    cx.b.def(def).flags.has(DefFlags::LOCAL)
}
