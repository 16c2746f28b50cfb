//! The extractor's state between nodes.

use std::collections::{HashMap, HashSet};

use sdl_model::facts::DefIx;

use super::kinds::Node;
use super::survey::Survey;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// What a look at the whole file showed.
    pub(super) survey: Survey,
    /// The functions around, from the outside in.
    functions: Vec<Function>,
    /// The holders of the table constructors whose members are definitions, by their place on the tape.
    holders: HashMap<u32, Holder>,
    /// First bytes of names that definitions declare.
    pub(super) declared: HashSet<u32>,
    /// The fields of tables: the table's name and the field's.
    pub(super) fields: HashMap<(String, String), DefIx>,
    /// Names that `local` declares before a function gets them, each with the definition around.
    pub(super) forward: HashSet<(DefIx, String)>,
    /// The calls of `require` whose module a local name is bound to, by their place on the tape.
    pub(super) bound_calls: HashSet<u32>,
    /// The modules that are required without a name.
    pub(super) required: HashSet<String>,
    /// The range, in bytes, in which a local has the name of the method's receiver.
    pub(super) receiver_hidden: Option<(u32, u32)>,
}

/// A function around.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its place on the tape, and one past its subtree.
    pub(super) range: (u32, u32),
    /// None for an anonymous one.
    pub(super) def: Option<DefIx>,
    /// The dotted name of the table that its receiver belongs to.
    pub(super) receiver: Option<String>,
}

/// What the members of a table constructor belong to.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    /// A definition whose text is around the constructor.
    Def(DefIx),
    /// The table of this dotted name.
    Table(String),
    /// What the file returns.
    Module,
    /// What a function returns.
    Function,
}

impl State {
    /// Enters the function `node`.
    pub(super) fn enter_function(&mut self, node: Node<'_>, def: Option<DefIx>, receiver: Option<String>) {
        // In a function without a receiver of its own, `self` is that of the one around.
        let receiver = receiver.or_else(|| self.functions.last().and_then(|outer| outer.receiver.clone()));
        self.functions.push(Function { range: (node.ix(), node.next_ix()), def, receiver });
    }

    /// Leaves the functions that end before `node`.
    pub(super) fn leave_functions(&mut self, node: Node<'_>) {
        while self.functions.last().is_some_and(|function| function.range.1 <= node.ix()) {
            self.functions.pop();
        }
    }

    /// The innermost function around, anonymous ones included.
    pub(super) fn function(&self) -> Option<&Function> {
        self.functions.last()
    }

    /// The part of the tape in which a name declared by `node` can get members.
    pub(super) fn reach(&self, node: Node<'_>) -> (u32, u32) {
        match self.functions.last() {
            Some(function) => (node.ix(), function.range.1),
            None => (0, u32::MAX),
        }
    }

    /// Makes the members of `constructor` definitions.
    pub(super) fn hold(&mut self, constructor: Node<'_>, holder: Holder) {
        self.holders.insert(constructor.ix(), holder);
    }

    pub(super) fn holder(&self, constructor: Node<'_>) -> Option<&Holder> {
        self.holders.get(&constructor.ix())
    }
}
