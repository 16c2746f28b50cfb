//! A parse tree as a flat array, with the content of each node's subtree.

use tree_sitter::Tree;

use crate::ExtractError;
use crate::flow::{Body, Roles};
use crate::tape::MAX_NODES;

/// The longest part that is always kept: a mark would be no shorter.
pub(super) const SHORT: u32 = 9;

/// One node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: u16,
    pub(super) field: u16,
    pub(super) named: bool,
    /// Control flow itself.
    pub(super) control: bool,
    /// It or something inside is shown: control flow, a definition.
    pub(super) keep: bool,
    /// Whether it is or contains a list of statements.
    pub(super) has_list: bool,
    /// There are arguments inside that are worth leaving out.
    pub(super) has_arguments: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// One past the last node of the subtree.
    pub(super) next: u32,
    pub(super) parent: u32,
}

/// The nodes in the order of the text, tokens too.
pub(super) struct Nodes {
    pub(super) all: Vec<Node>,
}

impl Nodes {
    /// Copies `tree`. `is_torn` states for a stretch whether a definition's header begins or ends inside it.
    pub(super) fn new(
        tree: &Tree,
        text: &[u8],
        roles: &Roles,
        is_torn: impl Fn(u32, u32) -> bool,
    ) -> Result<Self, ExtractError> {
        let mut all: Vec<Node> = Vec::with_capacity(text.len() / 3 + 16);
        let mut open: Vec<u32> = Vec::new();
        let mut cursor = tree.walk();
        'walk: loop {
            let node = cursor.node();
            if all.len() >= MAX_NODES {
                return Err(ExtractError::TooManyNodes(MAX_NODES));
            }
            let ix = all.len() as u32;
            let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
            let role = roles.of(node.kind_id());
            let named = node.is_named();
            let control = named
                && role.control
                && match role.body {
                    Some(Body::With(token)) => has_token(node, token),
                    _ => true,
                };
            all.push(Node {
                kind: node.kind_id(),
                field: cursor.field_id().map_or(0, Into::into),
                named,
                control,
                keep: control || (named && is_torn(start, end)),
                has_list: named && role.list,
                has_arguments: named && role.arguments && end - start > SHORT + 2,
                start,
                end,
                next: ix + 1,
                parent: open.last().copied().unwrap_or(0),
            });
            if !role.comment && cursor.goto_first_child() {
                open.push(ix);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
                open.pop();
            }
        }
        let mut nodes = Self { all };
        nodes.pass_up();
        Ok(nodes)
    }

    /// Passes each node's properties on to its ancestors.
    fn pass_up(&mut self) {
        for ix in (1..self.all.len()).rev() {
            let Some(node) = self.all.get(ix).copied() else { continue };
            if let Some(parent) = self.all.get_mut(node.parent as usize) {
                parent.keep |= node.keep;
                parent.has_list |= node.has_list;
                parent.has_arguments |= node.has_arguments;
                parent.next = parent.next.max(node.next);
            }
        }
    }

    pub(super) fn get(&self, ix: u32) -> Option<&Node> {
        self.all.get(ix as usize)
    }

    /// The children of a node.
    pub(super) fn children(&self, ix: u32) -> impl Iterator<Item = (u32, &Node)> {
        let end = self.get(ix).map_or(0, |node| node.next);
        let mut at = ix + 1;
        std::iter::from_fn(move || {
            let child = self.get(at).filter(|_| at < end)?;
            let found = (at, child);
            at = child.next;
            Some(found)
        })
    }
}

fn has_token(node: tree_sitter::Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if !cursor.node().is_named() && cursor.node().kind() == token {
            return true;
        }
        more = cursor.goto_next_sibling();
    }
    false
}
