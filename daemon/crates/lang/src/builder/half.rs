//! One half of a file's facts in the making: interned texts and expressions.

use sdl_model::facts::{Arena, Expr, ExprIx, Lit, StrIx};

use super::intern::Table;
use crate::syntax::Syntax;
use crate::tape::Node;

/// How deep one expression is followed; anything deeper is unknown.
const MAX_DEPTH: u32 = 24;
/// How many parts one expression may have; further parts are unknown. The limit bounds the cost of each reference.
const MAX_PARTS: u32 = 96;
/// How many elements of a list or tuple are looked at.
pub const MAX_ELEMENTS: usize = 16;

/// The name of the innermost method's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Receiver<'a> {
    pub(super) name: &'a str,
    /// Whether it is the type itself and no instance.
    pub(super) is_type: bool,
    /// The type whose fields are assigned through it.
    pub(super) of: sdl_model::facts::DefIx,
}

/// The shapes that a language gives to its nodes.
pub trait Shapes: Syntax {
    /// The shape of the value of `node`. Go deeper with [`Half::value`] only: it bounds the recursion.
    fn value<'a>(half: &mut Half<'a>, node: Node<'a, Self>) -> ExprIx;

    /// The shape of the type that `node` states. Go deeper with [`Half::ty`] only: it bounds the recursion.
    fn ty<'a>(half: &mut Half<'a>, node: Node<'a, Self>) -> ExprIx;
}

/// Texts and expressions of one half of a file's facts; each is stored once.
#[derive(Debug)]
pub struct Half<'a> {
    arena: Arena,
    strings: Table,
    exprs: Table,
    depth: u32,
    parts: u32,
    /// Whether objects are written out ([`Expr::Record`]), as they are where a function or a local holds one.
    records: bool,
    /// The name of the innermost method's receiver, for languages that let the method choose it.
    pub(super) receiver: Option<Receiver<'a>>,
}

impl<'a> Half<'a> {
    pub(super) fn new() -> Self {
        Self {
            arena: Arena::default(),
            strings: Table::new(),
            exprs: Table::new(),
            depth: 0,
            parts: 0,
            records: false,
            receiver: None,
        }
    }

    /// Whether `name` is the name of the innermost method's receiver.
    pub fn is_receiver(&self, name: &str) -> bool {
        self.receiver.is_some_and(|receiver| receiver.name == name)
    }

    /// The shape of the value of `node`, as [`Shapes::value`] sees it.
    pub fn value<L: Shapes>(&mut self, node: Node<'a, L>) -> ExprIx {
        self.bounded(node, L::value)
    }

    /// [`Self::value`] with objects written out.
    pub fn object_value<L: Shapes>(&mut self, node: Node<'a, L>) -> ExprIx {
        self.records = true;
        let ix = self.value(node);
        self.records = false;
        ix
    }

    /// Whether objects are written out.
    pub fn has_records(&self) -> bool {
        self.records
    }

    /// The shape of the type that `node` states, as [`Shapes::ty`] sees it.
    pub fn ty<L: Shapes>(&mut self, node: Node<'a, L>) -> ExprIx {
        self.bounded(node, L::ty)
    }

    /// [`Self::value`] where there may be no node.
    pub fn value_or_unknown<L: Shapes>(&mut self, node: Option<Node<'a, L>>) -> ExprIx {
        match node {
            Some(node) => self.value(node),
            None => self.unknown(),
        }
    }

    /// [`Self::ty`] where there may be no node.
    pub fn ty_or_unknown<L: Shapes>(&mut self, node: Option<Node<'a, L>>) -> ExprIx {
        match node {
            Some(node) => self.ty(node),
            None => self.unknown(),
        }
    }

    /// The shapes of the first few of `nodes`.
    pub fn values<L: Shapes>(&mut self, nodes: impl Iterator<Item = Node<'a, L>>) -> Vec<ExprIx> {
        nodes.take(MAX_ELEMENTS).map(|node| self.value(node)).collect()
    }

    /// The types of the first few of `nodes`.
    pub fn types<L: Shapes>(&mut self, nodes: impl Iterator<Item = Node<'a, L>>) -> Vec<ExprIx> {
        nodes.take(MAX_ELEMENTS).map(|node| self.ty(node)).collect()
    }

    fn bounded<L: Shapes>(
        &mut self,
        node: Node<'a, L>,
        shape: fn(&mut Self, Node<'a, L>) -> ExprIx,
    ) -> ExprIx {
        if self.depth == 0 {
            self.parts = 0;
        }
        self.parts += 1;
        if self.depth >= MAX_DEPTH || self.parts > MAX_PARTS {
            return self.unknown();
        }
        self.depth += 1;
        let ix = shape(self, node);
        self.depth -= 1;
        ix
    }

    /// Interns `text`.
    pub fn str(&mut self, text: &str) -> StrIx {
        if let Some(ix) = self.lookup(text) {
            return ix;
        }
        self.strings.add(self.strings.hash(text));
        self.arena.strings.push(text)
    }

    /// The index of `text` if it is interned.
    pub fn lookup(&self, text: &str) -> Option<StrIx> {
        let hash = self.strings.hash(text);
        self.strings.find(hash, |ix| self.arena.strings.get(StrIx(ix)) == text).map(StrIx)
    }

    /// The text at `ix`.
    pub fn text(&self, ix: StrIx) -> &str {
        self.arena.str(ix)
    }

    /// Interns `expr`.
    pub fn add(&mut self, expr: Expr) -> ExprIx {
        let hash = self.exprs.hash(&expr);
        if let Some(ix) = self.exprs.find(hash, |ix| *self.arena.expr(ExprIx(ix)) == expr) {
            return ExprIx(ix);
        }
        self.exprs.add(hash);
        self.arena.exprs.push(expr);
        ExprIx(self.arena.exprs.len() as u32 - 1)
    }

    /// The expression at `ix`.
    pub fn expr(&self, ix: ExprIx) -> &Expr {
        self.arena.expr(ix)
    }

    /// The texts and expressions so far.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    pub(super) fn into_arena(self) -> Arena {
        self.arena
    }

    /// A bare name; the receiver if it is the receiver's name.
    pub fn name(&mut self, name: &str) -> ExprIx {
        if let Some(receiver) = self.receiver.filter(|receiver| receiver.name == name) {
            return self.add(if receiver.is_type { Expr::SelfType } else { Expr::SelfRef });
        }
        let name = self.str(name);
        self.add(Expr::Name(name))
    }

    /// A bare name of a type, not of a value.
    pub fn type_name(&mut self, name: &str) -> ExprIx {
        let name = self.str(name);
        self.add(Expr::Name(name))
    }

    /// `base.name`.
    pub fn attr(&mut self, base: ExprIx, name: &str) -> ExprIx {
        let name = self.str(name);
        self.add(Expr::Attr(base, name))
    }

    /// `base::name`.
    pub fn path(&mut self, base: ExprIx, name: &str) -> ExprIx {
        let name = self.str(name);
        self.add(Expr::Path(base, name))
    }

    /// A dotted name as attributes of a name: `a.b.c`.
    pub fn dotted(&mut self, text: &str) -> ExprIx {
        let mut parts = text.split('.').map(str::trim);
        let mut ix = self.name(parts.next().unwrap_or(""));
        for part in parts.take(MAX_ELEMENTS) {
            ix = self.attr(ix, part);
        }
        ix
    }

    /// The result of calling `callee` with `args` arguments.
    pub fn call(&mut self, callee: ExprIx, args: usize) -> ExprIx {
        self.add(Expr::Call(callee, args.min(255) as u8))
    }

    /// A literal.
    pub fn lit(&mut self, lit: Lit) -> ExprIx {
        self.add(Expr::Lit(lit))
    }

    /// One of several types; just the one if they are all the same.
    pub fn union(&mut self, types: Vec<ExprIx>) -> ExprIx {
        self.one_of(types, Expr::Union)
    }

    /// One of several values; just the one if they are all the same.
    pub fn either(&mut self, values: Vec<ExprIx>) -> ExprIx {
        self.one_of(values, Expr::Either)
    }

    /// `ty` or null.
    pub fn optional(&mut self, ty: ExprIx) -> ExprIx {
        let null = self.lit(Lit::Null);
        self.union(vec![ty, null])
    }

    fn one_of(&mut self, all: Vec<ExprIx>, make: fn(Vec<ExprIx>) -> Expr) -> ExprIx {
        let mut distinct: Vec<ExprIx> = Vec::with_capacity(all.len());
        for ix in all {
            if !distinct.contains(&ix) {
                distinct.push(ix);
            }
        }
        match distinct.as_slice() {
            [] => self.unknown(),
            [only] => *only,
            _ => self.add(make(distinct)),
        }
    }

    /// Something without a shape.
    pub fn unknown(&mut self) -> ExprIx {
        self.add(Expr::Unknown)
    }

    /// Whether the shape at `ix` carries no information.
    pub fn is_unknown(&self, ix: ExprIx) -> bool {
        matches!(self.expr(ix), Expr::Unknown)
    }
}
