//! The extractor's state between nodes.

use sdl_model::facts::DefIx;

use super::kinds::Node;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// The functions around: one past their last place on the tape, and their definition. A lambda is none: `return`
    /// in it leaves the function around it.
    pub(super) functions: Vec<(u32, Option<DefIx>)>,
}

impl State {
    /// The definition of the innermost function around `node`; none in an anonymous one.
    pub(super) fn function(&mut self, node: Node<'_>) -> Option<DefIx> {
        while self.functions.last().is_some_and(|(end, _)| *end <= node.ix()) {
            self.functions.pop();
        }
        self.functions.last().and_then(|(_, def)| *def)
    }

    pub(super) fn enter_function(&mut self, node: Node<'_>, def: Option<DefIx>) {
        let _ = self.function(node);
        self.functions.push((node.next_ix(), def));
    }
}
