//! The text of a symbol, once: whole where it is short, else the lines that matter, else its shape. What is raw is
//! decided as a window is, with the task as its reason.

use std::collections::{BTreeSet, HashMap};

use sdl_model::FileId;
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
use crate::host::policies;
use crate::source::ladder::hot_path::{self, Excerpt};
use crate::source::ladder::identifiers::{self, Matches};
use crate::source::ladder::{self, RangeOut, lines, share, skeleton};
use crate::source::text::SourceText;
use crate::source::{nearness, reason};

/// A symbol with at most this many lines is shown whole. Of the symbols that answers to questions cite, nine in ten are
/// not longer.
const MOST_WHOLE: u32 = 80;
/// Maximum number of lines of a longer one.
const MOST_OF_LONG: usize = 60;
/// Lines around each name in text that no window was approved for.
const CONTEXT: u32 = 2;
/// Maximum number of characters of the task in the audit log, as of a window's reason.
const MOST_REASON: usize = 2_000;

/// The result of an attempt to show a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It is among the evidence now, and takes so many tokens.
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
}

/// Text that was shown so far.
#[derive(Default)]
pub(super) struct Shown {
    files: HashMap<FileId, BTreeSet<u32>>,
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
    let file = FileId::of(&sym.row().path);
    let seen = shown.files.entry(file).or_default();
    let long = (last + 1 - first) as usize;
    if seen.range(first..=last).count() * 2 > long {
        return Ok(Told::Covered);
    }
    let policy = policies::repo_policy(cx.call.host, cx.repo)?;
    let ranges = ladder::identifier_ranges(cx.call, &text)?;
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
    let mut decision = decide_access(&ask, &policy);
    if decision.verdict != Verdict::Window {
        (ask.in_slice, ask.in_frontier) = nearness::to_slices(cx, sym.id)?;
        decision = decide_access(&ask, &policy);
    }
    let piece = match decision.verdict {
        Verdict::Window => subject.window(seen, &policy, task, room)?,
        Verdict::HotPath => subject.hot_path(&policy, shown.unapproved, room)?,
        Verdict::Skeleton | Verdict::Denied => None,
    };
    let piece = match piece {
        Some(piece) => Some(piece),
        None => subject.skeleton(cx, room)?,
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
        added.row = Some(log_row(&subject, &decision, added, task));
    }
    shown.files.entry(file).or_default().extend(piece.numbers);
    Ok(Told::Shown(size))
}

/// Returns the decision as it goes into the log.
fn log_row(subject: &Subject<'_>, decision: &Decision, added: &Evidence, task: Task<'_>) -> audit::Row {
    let made = if decision.verdict == Verdict::Window { "approved" } else { "downgraded" };
    let reason: String = task.text.chars().take(MOST_REASON).collect();
    audit::Row {
        decision: made.to_owned(),
        why: decision.why(),
        details: json!({
            "symbolId": added.symbol_id,
            "file": subject.sym.path(),
            "reason": reason,
            "kind": added.kind,
            "range": RangeOut::lines(subject.text, subject.first, subject.last),
            "tokens": added.tokens,
        }),
        ..audit::Row::default()
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
            let body = if new.len() == long as usize {
                let line = |number: &u32| lines::shorten_line(self.text.shown(*number).trim_end());
                new.iter().map(line).collect::<Vec<_>>().join("\n")
            } else {
                hot_path::join_lines(&Excerpt::of_lines(self.text, new.clone()).lines(new.len()))
            };
            let content = self.with_head(&body);
            if budget::json_tokens(&content)? + evidence::AROUND <= room {
                return Ok(Some(Piece { kind: "source", numbers: new, content }));
            }
        }
        let header = identifiers::header_end(self.sym, self.text);
        let mut order =
            lines_that_matter::rank_lines(self.text, task.text, &self.found, (self.first, header, self.last));
        order.retain(|line| !seen.contains(line));
        self.excerpt(order, MOST_OF_LONG.min(policy.max_window_lines as usize), room)
    }

    /// Returns the lines around the task's names, as many as need no approval.
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
        self.excerpt(excerpt.into_order(), most, room)
    }

    /// Returns the best of these lines, at most `most` of them.
    fn excerpt(&self, order: Vec<u32>, most: usize, room: usize) -> Result<Option<Piece>, ToolError> {
        let most = order.len().min(most);
        let room = room.saturating_sub(evidence::AROUND);
        let excerpt = Excerpt::of_lines(self.text, order);
        let content = |count: usize| self.with_head(&hot_path::join_lines(&excerpt.lines(count)));
        if most == 0 || budget::json_tokens(&content(1))? > room {
            return Ok(None);
        }
        let count = lines::fitting_lines(most, room, |count| budget::json_tokens(&content(count)))?;
        if count < most.min(evidence::FEWEST_LINES) {
            return Ok(None);
        }
        let numbers = excerpt.lines(count).iter().filter_map(|line| line.number).collect();
        Ok(Some(Piece { kind: "hotPath", numbers, content: content(count) }))
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
        let most = all.len().min(MOST_OF_LONG);
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
