//! The context that a pack's nodes are read in.

use std::collections::{HashMap, HashSet};

use super::query::{Mark, Part};
use super::{Pack, Shallow};
use crate::driver::Cx;

pub(super) type Node<'a, P> = crate::tape::Node<'a, Shallow<P>>;
pub(super) type Context<'a, P> = Cx<'a, Shallow<P>>;

/// State between nodes.
#[derive(Debug, Default)]
pub struct State {
    /// The queries' results, by place on the tape.
    pub(super) marks: HashMap<u32, Vec<Mark>>,
    /// The first bytes of names that are used already: each identifier yields one fact.
    pub(super) used: HashSet<u32>,
    /// The places on the tape of the parameters that have been read.
    pub(super) params: HashSet<u32>,
    /// Documentation written as code, for the next definition.
    pub(super) docs: Option<String>,
}

/// The node of a part of `mark`.
pub(super) fn part_node<'a, P: Pack>(node: Node<'a, P>, mark: &Mark, part: Part) -> Option<Node<'a, P>> {
    node.at(mark.part(part)?)
}

/// How many arguments a call has: the children of their list, or those of the call itself but for its function.
pub(super) fn arg_count<'a, P: Pack>(call: Node<'a, P>, list: Option<Node<'a, P>>) -> usize {
    list.map_or(0, |list| list.children().count() - usize::from(list.ix() == call.ix()))
}
