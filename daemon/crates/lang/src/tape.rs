//! A parse tree as one flat array in the order of the text.
//!
//! A tree-sitter tree is slow to move about in: finding a parent, a sibling or a field's child walks and allocates.
//! One pass of a cursor copies what matters (kind, field, extent, end of subtree) into an array of 20-byte records;
//! there, first child, next sibling and parent are additions. Nothing here recurses, however deep the tree.

use tree_sitter::Tree;

use crate::ExtractError;
use crate::kinds::Tables;
use crate::syntax::Syntax;
use crate::tokens::{Recorder, Tokens};

/// More nodes than this and the file is data, not code: about 40 MB of tape.
pub const MAX_NODES: usize = 2_000_000;

#[derive(Clone, Copy, Debug)]
struct Rec<K, F> {
    kind: K,
    field: F,
    start: u32,
    end: u32,
    /// One past the last record of the subtree.
    next: u32,
    parent: u32,
}

/// A parse tree, flat.
#[derive(Debug)]
pub struct Tape<'a, L: Syntax> {
    src: &'a str,
    recs: Vec<Rec<L::K, L::F>>,
    errors: u32,
    /// The comments and text literals, those inside others left out: their places, in order.
    prose: Vec<u32>,
    tokens: Tokens,
}

impl<'a, L: Syntax> Tape<'a, L> {
    /// Copies `tree`, whose text is `src`. Linear in the number of nodes.
    pub fn new(tree: &Tree, src: &'a str, tables: &Tables<L::K, L::F>) -> Result<Self, ExtractError> {
        let mut recs: Vec<Rec<L::K, L::F>> = Vec::with_capacity(src.len() / 5 + 16);
        let mut open: Vec<u32> = Vec::with_capacity(64);
        let root = tree.root_node();
        let broken = root.has_error();
        let mut errors = 0;
        let mut prose = Vec::new();
        let mut prose_end = 0;
        let mut cursor = root.walk();
        let mut tokens = Recorder::new(src.as_bytes(), L::STYLE);
        let span = |node: tree_sitter::Node<'_>| node.start_byte() as u32..node.end_byte() as u32;
        'walk: loop {
            let node = cursor.node();
            let (kind, keep) = tables.kind(node.kind_id());
            let form = tables.form(node.kind_id());
            tokens.enter(node.kind_id(), form, span(node), L::is_comment(kind), node.child_count() == 0);
            if broken && (node.is_error() || node.is_missing()) {
                errors += 1;
            }
            let ix = recs.len() as u32;
            if tables.is_prose(node.kind_id()) && node.start_byte() >= prose_end {
                prose.push(ix);
                prose_end = node.end_byte();
            }
            if keep {
                if recs.len() >= MAX_NODES {
                    return Err(ExtractError::TooManyNodes(MAX_NODES));
                }
                recs.push(Rec {
                    kind,
                    field: tables.field(cursor.field_id()),
                    start: node.start_byte() as u32,
                    end: node.end_byte() as u32,
                    next: ix + 1,
                    parent: open.last().copied().unwrap_or(0),
                });
            }
            if cursor.goto_first_child() {
                tokens.descend(form);
                // A token that is not recorded and yet has children hands them to the node around it.
                open.push(if keep { ix } else { open.last().copied().unwrap_or(0) });
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
                tokens.leave(span(cursor.node()));
                if let Some(ix) = open.pop() {
                    let next = recs.len() as u32;
                    if let Some(rec) = recs.get_mut(ix as usize) {
                        rec.next = next;
                    }
                }
            }
        }
        Ok(Self { src, recs, errors, prose, tokens: tokens.finish() })
    }

    /// Takes the tokens off the tape.
    pub(crate) fn take_tokens(&mut self) -> Tokens {
        std::mem::take(&mut self.tokens)
    }

    /// How many nodes.
    pub fn len(&self) -> u32 {
        self.recs.len() as u32
    }

    /// Whether the tape has no nodes.
    pub fn is_empty(&self) -> bool {
        self.recs.is_empty()
    }

    /// How many places the parser could not make sense of.
    pub fn errors(&self) -> u32 {
        self.errors
    }

    /// The places of comments and text literals, in order; none of them is inside another.
    pub fn prose(&self) -> &[u32] {
        &self.prose
    }

    /// The node at `ix`.
    pub fn node(&'a self, ix: u32) -> Option<Node<'a, L>> {
        (ix < self.len()).then_some(Node { tape: self, ix })
    }
}

/// A node of a [`Tape`]: two words, free to copy.
pub struct Node<'a, L: Syntax> {
    tape: &'a Tape<'a, L>,
    ix: u32,
}

#[allow(clippy::expl_impl_clone_on_copy, reason = "derived, it would ask the same of the language")]
impl<L: Syntax> Clone for Node<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Syntax> Copy for Node<'_, L> {}

impl<L: Syntax> PartialEq for Node<'_, L> {
    fn eq(&self, other: &Self) -> bool {
        self.ix == other.ix
    }
}

impl<L: Syntax> std::fmt::Debug for Node<'_, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{}..{}", self.kind(), self.start(), self.end())
    }
}

impl<'a, L: Syntax> Node<'a, L> {
    #[allow(clippy::indexing_slicing, reason = "a node is only made for an index below the tape's length")]
    fn rec(self) -> &'a Rec<L::K, L::F> {
        &self.tape.recs[self.ix as usize]
    }

    /// Its place on the tape.
    pub fn ix(self) -> u32 {
        self.ix
    }

    /// The node at place `ix` of the same tape.
    pub(crate) fn at(self, ix: u32) -> Option<Self> {
        self.tape.node(ix)
    }

    /// One past its subtree's last place on the tape.
    pub fn next_ix(self) -> u32 {
        self.rec().next
    }

    /// Its kind.
    pub fn kind(self) -> L::K {
        self.rec().kind
    }

    /// The field that it is in its parent.
    pub fn field(self) -> L::F {
        self.rec().field
    }

    /// Its first byte.
    pub fn start(self) -> u32 {
        self.rec().start
    }

    /// One past its last byte.
    pub fn end(self) -> u32 {
        self.rec().end
    }

    /// Its text.
    pub fn text(self) -> &'a str {
        self.tape.src.get(self.start() as usize..self.end() as usize).unwrap_or("")
    }

    /// The whole file's text.
    pub fn src(self) -> &'a str {
        self.tape.src
    }

    /// Whether it is of that kind.
    pub fn is(self, kind: L::K) -> bool {
        self.kind() == kind
    }

    /// The node around it; none for the root.
    pub fn parent(self) -> Option<Self> {
        (self.ix > 0).then(|| Self { tape: self.tape, ix: self.rec().parent })
    }

    /// The kind of the node around it.
    pub fn parent_kind(self) -> Option<L::K> {
        self.parent().map(Self::kind)
    }

    /// Whether it is field `field` of a parent of kind `kind`.
    pub fn is_in(self, kind: L::K, field: L::F) -> bool {
        self.field() == field && self.parent_kind() == Some(kind)
    }

    /// Its children: named nodes and the tokens that the language lists, without comments.
    pub fn children(self) -> Children<'a, L> {
        Children { tape: self.tape, ix: self.ix + 1, end: self.next_ix() }
    }

    /// Its first child in field `field`. Linear in the number of children.
    pub fn child(self, field: L::F) -> Option<Self> {
        self.children().find(|child| child.field() == field)
    }

    /// Its first child of kind `kind`. Linear in the number of children.
    pub fn child_of(self, kind: L::K) -> Option<Self> {
        self.children().find(|child| child.kind() == kind)
    }

    /// Its children in field `field`.
    pub fn children_in(self, field: L::F) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.field() == field)
    }

    /// Its first child.
    pub fn first(self) -> Option<Self> {
        self.children().next()
    }

    /// Its next sibling that is no comment.
    pub fn next_sibling(self) -> Option<Self> {
        let end = self.parent()?.next_ix();
        Children { tape: self.tape, ix: self.next_ix(), end }.next()
    }

    /// Every node below it, in the order of the text.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        (self.ix + 1..self.next_ix()).map(move |ix| Self { tape: self.tape, ix })
    }

    /// The nodes around it, from the inside out.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }
}

/// A node's children; see [`Node::children`].
pub struct Children<'a, L: Syntax> {
    tape: &'a Tape<'a, L>,
    ix: u32,
    end: u32,
}

impl<'a, L: Syntax> Iterator for Children<'a, L> {
    type Item = Node<'a, L>;

    fn next(&mut self) -> Option<Node<'a, L>> {
        while self.ix < self.end {
            let node = Node { tape: self.tape, ix: self.ix };
            self.ix = node.next_ix();
            if !L::is_comment(node.kind()) {
                return Some(node);
            }
        }
        None
    }
}
