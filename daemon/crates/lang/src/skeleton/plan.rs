//! Chooses the parts that a skeleton leaves out: whole nodes and runs of them, so that brackets stay in pairs.

use std::ops::Range;

use super::heads::{Head, Heads};
use super::tree::{Node, Nodes, SHORT};
use crate::flow::{Body, Role, Roles};

/// The longest part of an expression that is kept beside a shown part inside it.
const LONGEST_PART: u32 = 100;
/// The longest definition of a value that is shown whole.
const LONGEST_VALUE: u32 = 100;
/// Maximum number of lines of one header.
const MOST_LINES: u32 = 20;
/// Maximum number of bytes of one header.
const MOST_BYTES: u32 = 900;

/// The way a node is treated, which its parent decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// A statement: left out unless something in it is shown.
    Statement,
    /// An item of a type's body: shown if it is short.
    Member,
    /// A body, whether a list of statements or not.
    Body,
    /// Part of a header that begins there.
    Header(u32),
    /// Part of a value's definition, before the value.
    Data(Head),
    /// The value.
    Value(Head),
    /// Part of an expression in which something else is shown.
    Part,
    /// An argument of a call that is omitted.
    Argument,
}

/// The decision about a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Shown,
    LeftOut,
    /// The decision is made for each of its children.
    Opened,
}

/// Decides on each node of a tree, parents first.
pub(super) struct Plan<'a> {
    pub(super) text: &'a str,
    pub(super) nodes: &'a Nodes,
    pub(super) roles: &'a Roles,
    pub(super) heads: &'a Heads,
    pub(super) comments: &'a [Range<usize>],
    /// Where each line starts.
    pub(super) lines: &'a [u32],
}

impl Plan<'_> {
    /// The stretches to leave out, in order.
    pub(super) fn gaps(&self) -> Vec<Range<usize>> {
        let mut modes = vec![Mode::Part; self.nodes.all.len()];
        let mut gaps = Gaps::default();
        let mut ix = 0;
        while let Some(node) = self.nodes.get(ix) {
            let mode = self.own_mode(node, modes.get(ix as usize).copied().unwrap_or(Mode::Part));
            let fate = if ix == 0 { Fate::Opened } else { self.fate(ix, node, mode) };
            ix = match fate {
                Fate::Shown => node.next,
                Fate::LeftOut => {
                    gaps.leave_out(self, node);
                    node.next
                }
                Fate::Opened => {
                    self.open(ix, node, mode, &mut modes);
                    ix + 1
                }
            };
        }
        gaps.done()
    }

    /// The mode of a node by its own kind: a definition's header and an import are headers wherever they are.
    fn own_mode(&self, node: &Node, mode: Mode) -> Mode {
        let parent =
            self.nodes.get(node.parent).and_then(|parent| self.heads.around(parent.start, parent.end));
        // Inside a header, the parent's mode applies.
        let head = self.heads.around(node.start, node.end).filter(|head| parent != Some(*head));
        match (mode, head) {
            (
                Mode::Statement | Mode::Member | Mode::Body | Mode::Part | Mode::Data(_) | Mode::Value(_),
                Some(head),
            ) => {
                if head.data {
                    Mode::Data(head)
                } else {
                    Mode::Header(node.start)
                }
            }
            (Mode::Statement | Mode::Member | Mode::Body, None) if self.is_always(node) => {
                Mode::Header(node.start)
            }
            _ => mode,
        }
    }

    fn is_always(&self, node: &Node) -> bool {
        node.named && (self.roles.of(node.kind).always || self.heads.is_import(self.line_of(node.start)))
    }

    fn fate(&self, ix: u32, node: &Node, mode: Mode) -> Fate {
        let role = self.roles.of(node.kind);
        if !node.named || role.comment || node.start == node.end {
            return Fate::Shown;
        }
        if node.keep {
            return Fate::Opened;
        }
        let is_leaf = node.next == ix + 1;
        let shown_else = |shown: bool, other: Fate| if shown { Fate::Shown } else { other };
        let opened = if is_leaf { Fate::LeftOut } else { Fate::Opened };
        match mode {
            // Text that the parser could not read may be a branch.
            Mode::Statement => shown_else(role.error && self.is_short(node, LONGEST_PART), Fate::LeftOut),
            Mode::Member if node.has_list => Fate::Opened,
            Mode::Member => shown_else(self.is_short(node, LONGEST_VALUE), opened),
            Mode::Body if role.list || role.is_members(self.kind_of(node.parent)) || role.body.is_some() => {
                Fate::Opened
            }
            Mode::Body => Fate::LeftOut,
            Mode::Header(_) if node.has_list => Fate::Opened,
            Mode::Header(from) if !self.fits(from, node.start) => Fate::LeftOut,
            Mode::Header(from) => shown_else(self.fits(from, node.end), opened),
            Mode::Data(head) => {
                let whole = self.is_line(head.start, head.end, LONGEST_VALUE) && !node.has_list;
                let whole = whole && (!node.has_arguments || role.arguments);
                shown_else(whole || is_leaf && node.end - node.start <= LONGEST_VALUE, opened)
            }
            Mode::Value(head) => {
                let short =
                    self.is_line(head.start, head.end, LONGEST_VALUE) || self.is_short(node, LONGEST_PART);
                let whole = short && !node.has_arguments && !node.has_list;
                let other = if role.arguments || self.is_call(ix) { opened } else { Fate::LeftOut };
                shown_else(whole, other)
            }
            Mode::Argument => Fate::LeftOut,
            Mode::Part if self.is_short(node, LONGEST_PART) => Fate::Shown,
            Mode::Part if role.arguments => opened,
            Mode::Part => Fate::LeftOut,
        }
    }

    /// Sets the modes of a node's children.
    fn open(&self, ix: u32, node: &Node, mode: Mode, modes: &mut [Mode]) {
        let role = self.roles.of(node.kind);
        let mut region = false;
        let mut value = false;
        for (at, child) in self.nodes.children(ix) {
            let kind = if child.named { "" } else { self.text_of(child) };
            if let Some(Body::After(tokens)) = role.body
                && !child.named
            {
                if tokens.contains(&kind) {
                    region = true;
                } else if kind.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    region = false;
                }
            }
            value |= matches!(kind, "=" | ":=" | ":" | "=>");
            let own = self.roles.of(child.kind);
            let is_body = child.named && (own.list || own.is_members(node.kind));
            let mode = if let Some(body) = role.body.filter(|_| node.control || !role.control) {
                let inside = match body {
                    Body::Fields(_) => role.fields.contains(&child.field),
                    Body::After(_) => region,
                    Body::Rest(_) => {
                        !(role.fields.contains(&child.field) || role.header.contains(&child.kind))
                    }
                    Body::Below => self.line_of(child.start) > self.line_of(node.start),
                    Body::Lists | Body::With(_) => false,
                };
                if inside || is_body { Mode::Body } else { Mode::Header(child.start) }
            } else if role.list {
                Mode::Statement
            } else if role.is_members(self.kind_of(node.parent)) {
                Mode::Member
            } else if is_body || child.start > node.start && self.heads.is_body(child.start) {
                Mode::Body
            } else {
                match mode {
                    Mode::Data(head) if value => Mode::Value(head),
                    Mode::Value(_) | Mode::Part if role.arguments && !node.keep => Mode::Argument,
                    Mode::Value(_) | Mode::Data(_) | Mode::Header(_) => mode,
                    _ => Mode::Part,
                }
            };
            if let Some(slot) = modes.get_mut(at as usize) {
                *slot = mode;
            }
        }
    }

    /// Whether it is a call, or consists of one part that may be one.
    fn is_call(&self, ix: u32) -> bool {
        let named = || self.nodes.children(ix).filter(|(_, child)| child.named);
        let wraps = named().count() == 1 && named().all(|(at, child)| child.next > at + 1);
        wraps || named().any(|(_, child)| self.roles.of(child.kind).arguments)
    }

    fn kind_of(&self, ix: u32) -> u16 {
        self.nodes.get(ix).map_or(0, |node| node.kind)
    }

    fn text_of(&self, node: &Node) -> &str {
        self.text.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    /// The line (1-based) of a byte.
    fn line_of(&self, byte: u32) -> u32 {
        self.lines.partition_point(|start| *start <= byte) as u32
    }

    fn fits(&self, start: u32, end: u32) -> bool {
        end - start <= MOST_BYTES && self.line_of(end) - self.line_of(start) <= MOST_LINES
    }

    fn is_short(&self, node: &Node, most: u32) -> bool {
        self.is_line(node.start, node.end, most)
    }

    fn is_line(&self, start: u32, end: u32, most: u32) -> bool {
        end - start <= most && self.line_of(start) == self.line_of(end)
    }

    /// Whether only white space, comments and separators are between two stretches.
    fn is_between(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        let first = self.comments.partition_point(|comment| comment.start < from);
        let comments = self.comments.get(first..).unwrap_or_default().iter().take_while(|one| one.end <= to);
        let ends = comments.map(|one| (one.start, one.end)).chain([(to, to)]);
        ends.into_iter().all(|(start, end)| {
            let held = self.text.get(at..start).unwrap_or_default();
            at = end;
            held.bytes().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b','))
        })
    }
}

/// The stretches so far.
#[derive(Default)]
struct Gaps {
    done: Vec<Range<usize>>,
    /// The last one, and the node that it is in.
    last: Option<(Range<usize>, u32)>,
}

impl Gaps {
    fn leave_out(&mut self, plan: &Plan<'_>, node: &Node) {
        let held = plan.text_of(node);
        let start = node.start as usize + (held.len() - held.trim_start().len());
        let end = start + held.trim().len();
        match &mut self.last {
            Some((last, parent)) if *parent == node.parent && plan.is_between(last.end, start) => {
                last.end = end
            }
            _ => {
                self.close();
                self.last = Some((start..end, node.parent));
            }
        }
    }

    fn close(&mut self) {
        if let Some((last, _)) = self.last.take()
            && last.len() > SHORT as usize
        {
            self.done.push(last);
        }
    }

    fn done(mut self) -> Vec<Range<usize>> {
        self.close();
        self.done
    }
}

impl Role {
    /// Whether a token of a node with this role is a bracket without a partner.
    pub(super) fn is_unpaired(&self, token: &str) -> bool {
        self.unpaired.contains(&token)
    }
}
