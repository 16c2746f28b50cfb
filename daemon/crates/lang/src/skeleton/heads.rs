//! The headers of definitions: the part of each that is shown wherever the definition is.

use std::ops::Range;

use sdl_model::facts::{Def, DefIx};
use sdl_model::{Outline, SymbolKind};

/// The header of one definition: from its attributes to its body, or all of it if it has no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) start: u32,
    pub(super) end: u32,
    /// A value rather than a signature: shown if it is short.
    pub(super) data: bool,
}

/// The headers of a file.
#[derive(Default)]
pub(super) struct Heads {
    /// By start, the longer one first.
    all: Vec<Head>,
    /// For each of them, the one that reaches furthest among it and those before it.
    furthest: Vec<usize>,
    /// Where headers begin and end, sorted.
    edges: Vec<u32>,
    /// Where bodies begin, sorted.
    bodies: Vec<u32>,
    /// The lines of imports, sorted.
    imports: Vec<u32>,
}

impl Heads {
    pub(super) fn new(text: &str, outline: &Outline, comments: &[Range<usize>]) -> Self {
        let mut imports: Vec<u32> = outline.imports.iter().map(|import| import.line).collect();
        imports.sort_unstable();
        let defs = outline.iter().filter(|(ix, _)| *ix != DefIx::MODULE);
        let mut bodies = Vec::new();
        let mut all: Vec<Head> = Vec::new();
        for (_, def) in defs {
            let start = header_start(text, comments, def) as u32;
            let end = match def.body_start {
                Some(body) if body > start => body,
                Some(_) => start,
                None => trimmed_end(text, start, def.span.end),
            };
            bodies.extend(def.body_start);
            let value = matches!(
                def.kind,
                SymbolKind::Variable
                    | SymbolKind::Constant
                    | SymbolKind::Field
                    | SymbolKind::Property
                    | SymbolKind::EnumMember
                    | SymbolKind::Macro
            );
            let data = value && def.body_start.is_none() && imports.binary_search(&def.line).is_err();
            all.push(Head { start, end, data });
        }
        all.sort_by_key(|head| (head.start, std::cmp::Reverse(head.end)));
        let mut edges: Vec<u32> = all.iter().flat_map(|head| [head.start, head.end]).collect();
        edges.sort_unstable();
        bodies.sort_unstable();
        let mut furthest: Vec<usize> = Vec::with_capacity(all.len());
        for (ix, head) in all.iter().enumerate() {
            let before = furthest.last().copied().unwrap_or(ix);
            let reaches = all.get(before).is_some_and(|other| other.end >= head.end && before != ix);
            furthest.push(if reaches { before } else { ix });
        }
        Self { all, furthest, edges, bodies, imports }
    }

    /// Whether a header begins or ends inside the stretch, not counting its edges.
    pub(super) fn is_torn(&self, start: u32, end: u32) -> bool {
        let after = self.edges.partition_point(|edge| *edge <= start);
        self.edges.get(after).is_some_and(|edge| *edge < end)
    }

    /// The header that holds all of the stretch.
    pub(super) fn around(&self, start: u32, end: u32) -> Option<Head> {
        let before = self.all.partition_point(|head| head.start <= start).checked_sub(1)?;
        let own = self.all.get(before).filter(|head| end <= head.end);
        let furthest = || self.furthest.get(before).and_then(|ix| self.all.get(*ix));
        own.or_else(|| furthest().filter(|head| end <= head.end)).copied()
    }

    /// Whether the body of a definition begins there.
    pub(super) fn is_body(&self, at: u32) -> bool {
        self.bodies.binary_search(&at).is_ok()
    }

    /// Whether an import is on that line (1-based).
    pub(super) fn is_import(&self, line: u32) -> bool {
        self.imports.binary_search(&line).is_ok()
    }
}

fn trimmed_end(text: &str, start: u32, end: u32) -> u32 {
    let held = text.get(start as usize..end as usize).unwrap_or_default();
    start + held.trim_end().len() as u32
}

/// Where a definition begins after its documentation.
fn header_start(text: &str, comments: &[Range<usize>], def: &Def) -> usize {
    let (mut at, end) = (def.span.start as usize, def.span.end as usize);
    let mut next = comments.partition_point(|comment| comment.start < at);
    loop {
        let rest = text.get(at..end).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        match comments.get(next) {
            Some(comment) if comment.start == at && comment.end < end => {
                at = comment.end;
                next += 1;
            }
            _ => return at.min(end),
        }
    }
}
