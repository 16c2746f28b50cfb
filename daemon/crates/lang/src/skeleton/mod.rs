//! Skeletons: signatures and control flow, the rest left out.
//!
//! A skeleton is its file without some whole nodes of the parse tree: runs of statements, long values, the insides of
//! bodies. So the rest keeps its brackets in pairs and its `else`, `case` and `catch` where they belong.
//! [`source_structure`] finds the parts to leave out, once for a text; [`skeleton_lines`] uses them to show a part of
//! the text. Each language states in its `flow.rs` which kinds of nodes matter.

mod brackets;
mod heads;
mod lines;
mod plan;
mod tree;

use std::ops::Range;

use sdl_model::{Lang, Outline};

pub use self::lines::{Line, Piece, View, skeleton_lines, stretch_around};

use self::heads::Heads;
use self::tree::Nodes;
use crate::ExtractError;
use crate::flow::Roles;
use crate::languages::{parse_only, scripts};
use crate::parse::text_of;

/// The positions of a text's parts that matter to a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// Control flow, outer before inner.
    pub controls: Vec<Range<usize>>,
    /// Comments, in order.
    pub comments: Vec<Range<usize>>,
    /// The stretches that a skeleton leaves out, in order. Each is at least as long as the mark that replaces it.
    gaps: Vec<Range<usize>>,
    /// Each bracket that has a partner, and the partner's position, in order.
    brackets: Vec<(u32, u32)>,
}

impl Structure {
    /// The structure of a text of that length about which nothing is known: its skeleton shows nothing.
    pub fn unknown(len: usize) -> Self {
        let gaps = std::iter::once(0..len).collect();
        Self { controls: Vec::new(), comments: Vec::new(), gaps, brackets: Vec::new() }
    }

    /// The number of recorded items, as a measure of the memory it takes.
    pub fn size(&self) -> usize {
        self.controls.len() + self.comments.len() + self.gaps.len() + self.brackets.len() / 2
    }
}

/// The structure of `bytes`, read as `lang`; `outline` is the result of [`crate::extract_facts`] for them. Pure.
pub fn source_structure(lang: Lang, bytes: &[u8], outline: &Outline) -> Result<Structure, ExtractError> {
    let outside = scripts::outside_ranges(lang, bytes);
    let (lang, bytes) = scripts::read_as(lang, bytes);
    let bytes = &*bytes;
    let (Some(tree), Some(roles)) = (parse_only(lang, bytes), crate::languages::node_roles(lang)) else {
        return Ok(Structure::unknown(bytes.len()));
    };
    let tree = tree?;
    let text = &*text_of(bytes);
    let comments = comment_ranges(&tree, roles);
    let heads = Heads::new(text, outline, &comments);
    let nodes = Nodes::new(&tree, bytes, roles, |start, end| heads.is_torn(start, end))?;
    drop(tree);
    let starts = text.bytes().zip(1_u32..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at);
    let starts: Vec<u32> = std::iter::once(0).chain(starts).collect();
    let plan = plan::Plan { text, nodes: &nodes, roles, heads: &heads, comments: &comments, lines: &starts };
    let gaps = merge_ranges(plan.gaps(), outside);
    let controls = nodes.all.iter().filter(|node| node.control);
    Ok(Structure {
        controls: controls.map(|node| node.start as usize..node.end as usize).collect(),
        gaps,
        brackets: brackets::bracket_pairs(text, &nodes, roles),
        comments,
    })
}

/// `gaps` and `more`, in order; adjacent ones are merged.
fn merge_ranges(mut gaps: Vec<Range<usize>>, more: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if more.is_empty() {
        return gaps;
    }
    gaps.extend(more);
    gaps.sort_by_key(|gap| gap.start);
    let mut all: Vec<Range<usize>> = Vec::with_capacity(gaps.len());
    for gap in gaps {
        match all.last_mut() {
            Some(last) if gap.start <= last.end => last.end = last.end.max(gap.end),
            _ => all.push(gap),
        }
    }
    all
}

fn comment_ranges(tree: &tree_sitter::Tree, roles: &Roles) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let comment = node.is_named() && roles.of(node.kind_id()).comment;
        if comment {
            comments.push(node.byte_range());
        }
        if !comment && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return comments;
            }
        }
    }
}

/// Whether nodes of this kind are control flow, for the languages that have a skeleton. With `Body::With`, that also
/// takes a token, which is not checked here.
pub fn is_control(lang: Lang, kind: u16) -> bool {
    crate::languages::node_roles(lang).is_some_and(|roles| roles.of(kind).control)
}
