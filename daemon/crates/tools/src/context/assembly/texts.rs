//! The text of a symbol, once: whole where it is short, else the lines that matter, else its shape. Raw text is
//! decided as a window is, with the task as its reason.

use std::collections::{BTreeSet, HashMap};

use sdl_model::SymbolKind;
use sdl_retrieve::Sym;
use serde_json::json;

use super::evidence::{self, Evidence, Opened};
use super::lines_that_matter;
use crate::ToolError;
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::guard::audit;
use crate::guard::policy::Policy;
use crate::guard::policy::decide::{Ask, Decision, Verdict, decide_access};
use crate::source::ladder::hot_path::Excerpt;
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, RangeOut, lines, share, skeleton};
use crate::source::reason;
use crate::source::text::SourceText;

/// A symbol with at most this many lines is shown whole. Of the symbols that answers to questions cite, nine in ten are
/// not longer.
const MOST_WHOLE: u32 = 100;
/// Of a longer one, one line for this many tokens of the answer: more small symbols are worth more than more of a long
/// one.
const TOKENS_PER_LINE: usize = 150;
/// Of a type, this fraction of them, because its members are found by themselves.
const TYPE_SHARE: usize = 3;
/// Maximum number of lines of a skeleton.
const MOST_OF_SHAPE: usize = 60;
/// Lines that are at most this far apart are shown with those between them.
const SHORTEST_GAP: u32 = 3;
/// Lines around each name in text that no window was approved for.
const CONTEXT: u32 = 2;
/// Maximum number of characters of the task in the audit log, as of a window's reason.
const MOST_REASON: usize = 2_000;

/// The result of an attempt to show a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It is among the evidence now, and takes these tokens.
    Shown(usize),
    /// Other pieces show it.
    Covered,
    /// Nothing of it fits.
    NoRoom,
}

/// The task, as far as it decides which lines are shown.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    pub(super) text: &'t str,
    /// Names to look for: those of the task, then those of the symbols found.
    pub(super) names: &'t [String],
    /// Tokens of the answer.
    pub(super) budget: usize,
    pub(super) policy: &'t Policy,
}

/// Text that was shown so far.
#[derive(Default)]
pub(super) struct Shown {
    /// The lines, by path.
    files: HashMap<String, BTreeSet<u32>>,
    /// Lines and tokens that no window was approved for.
    unapproved: (usize, usize),
}

/// A symbol to show, with its text.
struct Subject<'a> {
    sym: &'a Sym,
    text: &'a SourceText,
    first: u32,
    last: u32,
    found: Matches,
}

/// Which gaps an excerpt may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gaps {
    Any,
    /// Only those that save tokens, as long as there are at most this many lines.
    Long {
        most: usize,
    },
}

/// Text to show, and how it was decided on.
struct Piece {
    kind: &'static str,
    /// The lines of the file in it.
    numbers: Vec<u32>,
    content: String,
}

/// Adds the text of a symbol to the evidence. `relevance` is how near it is to the task, 0 to 1.
pub(super) fn show_symbol(
    cx: &ReadCx<'_>,
    list: &mut Vec<Evidence>,
    (opened, shown): (&mut Opened, &mut Shown),
    (sym, relevance, task): (&Sym, f64, Task<'_>),
    room: usize,
) -> Result<Told, ToolError> {
    let text = opened.text(cx, sym)?;
    let (first, last) = lines::span_lines(&text, sym.def(), sym.ix);
    let path = sym.path();
    if shown.covers(path, (first, last)) {
        return Ok(Told::Covered);
    }
    let seen = shown.files.entry(path.to_owned()).or_default();
    let long = (last + 1 - first) as usize;
    let policy = task.policy;
    let ranges = ladder::identifiers_on(cx.call, &text, (first, last))?;
    let names = ranges.as_deref();
    let found = identifiers::find_identifiers(&text, names, task.names, first, last);
    let subject = Subject { sym, text: &text, first, last, found };
    let mut ask = Ask {
        wanted: subject.found.wanted(),
        found: subject.found.identifiers.len(),
        inner: identifiers::count_inner(&subject.found, sym, &text, names),
        relevance,
        reason: reason::speaks_of(task.text, sym, &subject.found.identifiers),
        lines: (long as u32).min(policy.max_window_lines),
        most_tokens: policy.max_window_tokens as usize,
        ..Ask::default()
    };
    let mut decision = decide_access(&ask, policy);
    if decision.verdict != Verdict::Window {
        (ask.in_slice, ask.in_frontier) = opened.nearness(cx, sym.id)?;
        decision = decide_access(&ask, policy);
    }
    let piece = match decision.verdict {
        Verdict::Window => subject.window(seen, policy, task, room)?,
        Verdict::HotPath => match subject.hot_path(policy, shown.unapproved, room)? {
            Some(piece) => Some(piece),
            None => subject.skeleton(cx, room)?,
        },
        Verdict::Skeleton | Verdict::Denied => subject.skeleton(cx, room)?,
    };
    let Some(piece) = piece else { return Ok(Told::NoRoom) };
    let Some(size) = evidence::push_evidence(cx, list, (piece.kind, sym.id, piece.content), room)? else {
        return Ok(Told::NoRoom);
    };
    let Some(added) = list.last_mut() else { return Ok(Told::NoRoom) };
    if !piece.numbers.is_empty() {
        if decision.verdict != Verdict::Window {
            shown.unapproved.0 += piece.numbers.len();
            shown.unapproved.1 += added.tokens as usize;
        }
        added.row = Some(log_row(cx, &subject, (&decision, added), task));
    }
    shown.files.entry(path.to_owned()).or_default().extend(piece.numbers);
    Ok(Told::Shown(size))
}

/// About how many lines of a symbol with `long` lines are shown.
pub(super) fn lines_shown(kind: SymbolKind, long: u32, budget: usize) -> u32 {
    if long <= MOST_WHOLE { long } else { most_of_long(kind, budget) as u32 }
}

/// Returns the most lines of a symbol that is not shown whole.
fn most_of_long(kind: SymbolKind, budget: usize) -> usize {
    let lines = budget / TOKENS_PER_LINE;
    let lines = if kind.is_type() { lines / TYPE_SHARE } else { lines };
    lines.max(evidence::FEWEST_LINES)
}

/// Adds the lines between two, of lines in order, that are nearly neighbours: the mark of such a gap would take as many tokens.
fn fill_gaps(lines: &mut Vec<u32>, most: usize) {
    let between: Vec<u32> = lines
        .windows(2)
        .filter_map(|pair| pair.first().zip(pair.last()))
        .filter(|(before, after)| **after - **before <= SHORTEST_GAP)
        .flat_map(|(before, after)| *before + 1..*after)
        .collect();
    let room = most.saturating_sub(lines.len());
    lines.extend(between.into_iter().take(room));
    lines.sort_unstable();
}

/// Returns the decision as it goes into the log.
fn log_row(
    cx: &ReadCx<'_>,
    subject: &Subject<'_>,
    (decision, added): (&Decision, &Evidence),
    task: Task<'_>,
) -> audit::Row {
    let (repo, _, path) = cx.place_of(&subject.sym.row().path);
    let made = if decision.verdict == Verdict::Window { "approved" } else { "downgraded" };
    let reason: String = task.text.chars().take(MOST_REASON).collect();
    audit::Row {
        repo_id: repo.id().to_owned(),
        decision: made.to_owned(),
        why: decision.why(),
        details: json!({
            "symbolId": added.symbol_id,
            "file": path.as_str(),
            "reason": reason,
            "kind": added.kind,
            "range": RangeOut::lines(subject.text, subject.first, subject.last),
            "tokens": added.tokens,
        }),
        ..audit::Row::default()
    }
}

impl Shown {
    /// Whether most of these lines of a file were shown.
    pub(super) fn covers(&self, path: &str, (first, last): (u32, u32)) -> bool {
        let seen = self.files.get(path).map_or(0, |lines| lines.range(first..=last).count());
        seen * 2 > (last + 1).saturating_sub(first) as usize
    }
}

impl Subject<'_> {
    /// Returns the first line of a piece: the place and the name.
    fn head(&self) -> String {
        let mut head = String::new();
        let (path, name) = (self.sym.path(), self.sym.qualified());
        begin_line(&mut head, format_args!("{path}:{}-{} {name}", self.first, self.last));
        head
    }

    fn with_head(&self, body: &str) -> String {
        let mut content = self.head();
        append_block(&mut content, body);
        content
    }

    /// Returns these lines of the file, in order. A gap is marked by the number of the next line.
    fn numbered(&self, numbers: &[u32]) -> String {
        let mut body = String::new();
        let mut next = self.first;
        for (at, number) in numbers.iter().enumerate() {
            if at > 0 {
                body.push('\n');
            }
            if *number != next {
                body.push_str(&format!("...{number}:\n"));
            }
            body.push_str(lines::shorten_line(&self.text.shown(*number)).trim_end());
            next = number + 1;
        }
        body
    }

    /// Returns the text that a window may show: all that is not shown yet, or the lines that matter.
    fn window(
        &self,
        seen: &BTreeSet<u32>,
        policy: &Policy,
        task: Task<'_>,
        room: usize,
    ) -> Result<Option<Piece>, ToolError> {
        let long = self.last + 1 - self.first;
        let room = room.min(policy.max_window_tokens as usize);
        let new: Vec<u32> = (self.first..=self.last).filter(|line| !seen.contains(line)).collect();
        if long <= MOST_WHOLE.min(policy.max_window_lines) {
            let content = self.with_head(&self.numbered(&new));
            if budget::json_tokens(&content)? + evidence::AROUND <= room {
                return Ok(Some(Piece { kind: "source", numbers: new, content }));
            }
        }
        let header = identifiers::header_end(self.sym, self.text);
        let mut order =
            lines_that_matter::rank_lines(self.text, task.text, &self.found, (self.first, header, self.last));
        order.retain(|line| !seen.contains(line));
        let allowed = policy.max_window_lines as usize;
        let most = most_of_long(self.sym.kind(), task.budget).min(allowed);
        self.excerpt(order, most, Gaps::Long { most: allowed }, room)
    }

    /// Returns the lines around the task's names, up to the number that needs no approval.
    fn hot_path(
        &self,
        policy: &Policy,
        (lines, tokens): (usize, usize),
        room: usize,
    ) -> Result<Option<Piece>, ToolError> {
        let excerpt = Excerpt::new(self.text, &self.found, CONTEXT, self.first, self.last);
        let left = (policy.max_window_lines as usize).saturating_sub(lines);
        let most = share::unapproved_lines(self.last + 1 - self.first, policy).min(left);
        let room = room.min((policy.max_window_tokens as usize).saturating_sub(tokens));
        self.excerpt(excerpt.into_order(), most, Gaps::Any, room)
    }

    /// Returns the best of these lines, at most `most` of them.
    fn excerpt(
        &self,
        mut order: Vec<u32>,
        most: usize,
        gaps: Gaps,
        room: usize,
    ) -> Result<Option<Piece>, ToolError> {
        order.truncate(most);
        let most = order.len();
        let room = room.saturating_sub(evidence::AROUND);
        let excerpt = |count: usize| {
            let mut chosen = order.get(..count).unwrap_or(&order).to_vec();
            chosen.sort_unstable();
            if let Gaps::Long { most } = gaps {
                fill_gaps(&mut chosen, most);
            }
            chosen
        };
        let content = |count: usize| self.with_head(&self.numbered(&excerpt(count)));
        if most == 0 || budget::json_tokens(&content(1))? > room {
            return Ok(None);
        }
        let count = lines::fitting_lines(most, room, |count| budget::json_tokens(&content(count)))?;
        if count < most.min(evidence::FEWEST_LINES) {
            return Ok(None);
        }
        Ok(Some(Piece { kind: "hotPath", numbers: excerpt(count), content: content(count) }))
    }

    /// Returns the signature and the control flow, as much as fits.
    fn skeleton(&self, cx: &ReadCx<'_>, room: usize) -> Result<Option<Piece>, ToolError> {
        let room = room.saturating_sub(evidence::AROUND);
        if room < evidence::LEAST {
            return Ok(None);
        }
        let structure = ladder::text_structure(cx.call, self.text, self.sym.outline())?;
        let all = skeleton::skeleton_lines(&skeleton::Wanted {
            text: self.text,
            outline: self.sym.outline(),
            structure: &structure,
            scope: self.sym.ix,
            exported_only: false,
            marked: &Matches::default(),
        });
        let content = |count: usize| {
            let mut body = all.get(..count).unwrap_or_default().join("\n");
            if count < all.len() {
                append_block(&mut body, ladder::GAP);
            }
            self.with_head(&body)
        };
        let most = all.len().min(MOST_OF_SHAPE);
        if most == 0 || budget::json_tokens(&content(1))? > room {
            return Ok(None);
        }
        let count = lines::fitting_lines(most, room, |count| budget::json_tokens(&content(count)))?;
        if count < most.min(evidence::FEWEST_LINES) {
            return Ok(None);
        }
        let span = (self.first, self.last);
        // A shape that is nearly the source counts as source.
        let raw = share::is_source(&all, self.text, span);
        let numbers = if raw { (self.first..=self.last).collect() } else { Vec::new() };
        Ok(Some(Piece { kind: "skeleton", numbers, content: content(count) }))
    }
}
