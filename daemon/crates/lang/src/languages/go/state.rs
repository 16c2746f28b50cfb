//! The extractor's state between nodes.

use std::collections::HashSet;

use sdl_model::facts::{DefIx, ExprIx};

use super::kinds::Node;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// The type that the constants of a group without one have (in both halves), and the group's end on the tape.
    pub(super) const_type: Option<(ExprIx, u32)>,
    /// `var _ I = T{}`: the name of T, the shape of I, where.
    pub(super) assertions: Vec<(String, ExprIx, u32)>,
    /// The names of the imports.
    pub(super) packages: HashSet<String>,
    /// The functions around, anonymous ones too: one past their last place on the tape, and their definition.
    pub(super) functions: Vec<(u32, Option<DefIx>)>,
    /// The range, in bytes, in which a local has the name of the method's receiver.
    pub(super) receiver_hidden: Option<(u32, u32)>,
}

impl State {
    /// The definition of the innermost function around `node`; none in an anonymous one.
    pub(super) fn function(&mut self, node: Node<'_>) -> Option<DefIx> {
        while self.functions.last().is_some_and(|(end, _)| *end <= node.ix()) {
            self.functions.pop();
        }
        self.functions.last().and_then(|(_, def)| *def)
    }
}
