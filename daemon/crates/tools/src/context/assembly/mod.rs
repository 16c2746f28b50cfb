//! Assemblies collect evidence for one task, from all rungs and within one budget. A pure function of a version and the
//! task.

mod beside;
mod evidence;
mod lines_that_matter;
mod places;
mod relations;
mod start;
mod stored;
mod texts;
mod worth;

use std::collections::HashSet;
use std::rc::Rc;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_retrieve::card::{self, Card, CardOptions, Detail, Enrichment};
use sdl_retrieve::slice::{Neighbourhood, SliceEdge};
use serde::{Deserialize, Serialize};

use crate::call::budget;
use crate::call::context::ReadCx;
use crate::parts::symbols;
use crate::{ToolError, slices};

pub(crate) use beside::texts_of;
pub(crate) use evidence::Evidence;
use evidence::Opened;
pub(crate) use places::place_lines;
pub(crate) use start::{Asked, Start};
pub(crate) use stored::{Assembly, find_assembly, find_assembly_of, keep_assembly, keep_assembly_of};
use texts::{Shown, Task, Told};

/// What a task is for: it decides how the budget is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TaskType {
    Debug,
    Review,
    Implement,
    Explain,
}

impl TaskType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Review => "review",
            Self::Implement => "implement",
            Self::Explain => "explain",
        }
    }
}

/// Returns how much of a budget is for source, in percent. The rest names further symbols.
fn source_share(task: Option<TaskType>) -> usize {
    match task {
        Some(TaskType::Review) => 75,
        Some(TaskType::Implement) => 80,
        Some(TaskType::Debug | TaskType::Explain) | None => 85,
    }
}

/// One step of the plan, carried out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    /// The kind of its evidence.
    pub(crate) rung: String,
    /// What this kind of evidence is for.
    pub(crate) why: String,
    /// Tokens that its evidence took.
    pub(crate) tokens: u64,
}

/// What was found and left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Omitted {
    /// The symbol.
    pub(crate) symbol_id: String,
    /// Its qualified name.
    pub(crate) name: String,
    /// Why its source can't be shown.
    pub(crate) reason: String,
}

/// An edge between symbols of the evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EdgeOut {
    /// Symbol id of the source.
    pub(crate) from: String,
    /// Symbol id of the target.
    pub(crate) to: String,
    /// `call`, `implements`, `config`, `import` or `ref`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// All the evidence that was gathered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) evidence: Vec<Evidence>,
    /// Symbols whose text is in the text of others.
    pub(crate) covered: Vec<SymbolId>,
    pub(crate) omitted: Vec<Omitted>,
    /// The symbols that are not shown, in the order in which they are named.
    pub(crate) rest: Vec<Rc<Card>>,
}

impl Gathered {
    /// Returns what was done, by kind of evidence.
    pub(crate) fn plan(&self) -> Vec<Step> {
        let kinds = [
            ("source", "symbols whole"),
            ("hotPath", "the lines of symbols that matter"),
            ("skeleton", "the shape of symbols"),
            ("card", "signatures"),
            ("cardRef", "cards you hold"),
            ("test", "tests of the best"),
        ];
        let step = |(kind, why): (&str, &str)| {
            let of = || self.evidence.iter().filter(|piece| piece.kind == kind);
            let tokens = of().map(|piece| piece.tokens).sum();
            let step = || Step { rung: kind.to_owned(), why: why.to_owned(), tokens };
            of().next().is_some().then(step)
        };
        kinds.into_iter().filter_map(step).collect()
    }
}

/// After this many symbols without room, no further files are opened.
const MOST_MISSED: usize = 4;
/// Tokens of an answer for each symbol that is looked at.
const TOKENS_PER_SYMBOL: usize = 100;
/// Maximum number of edges that are listed.
const MOST_EDGES: usize = 40;
/// Symbols in the slice that the task would have. Those after them are next to it.
const IN_SLICE: usize = 60;
/// How near a symbol is to the task that is in its slice, and one that is next to it.
const NEAR: f64 = 1.0;
const NEXT: f64 = 0.6;

/// Whether an error ends the whole answer, and not just a file's part in it.
fn is_fatal(error: &ToolError) -> bool {
    error.refusal.code == crate::Code::Cancelled || error.damage.is_some()
}

/// The material that an assembly is gathered from. Data read for one budget is reused for the next.
pub(crate) struct Ground<'a> {
    cx: &'a ReadCx<'a>,
    start: &'a Start,
    found: Neighbourhood<'a>,
    /// Cards at the lowest detail, in the order in which they are shown.
    members: Vec<Rc<Card>>,
    /// The etags of those cards that the client holds and that are still current.
    held: Vec<(SymbolId, String)>,
    opened: Opened,
}

impl<'a> Ground<'a> {
    /// Finds the symbols that a task is about.
    pub(crate) fn of(
        cx: &'a ReadCx<'a>,
        start: &'a Start,
        enrichment: &'a dyn Enrichment,
    ) -> Result<Self, ToolError> {
        let found = Neighbourhood::of(cx.source, &start.request, enrichment)
            .map_err(|error| symbols::found_nothing(cx, error, &["taskText"]))?;
        slices::note_missed(cx, &found);
        let (mut members, mut held) = (Vec::new(), Vec::new());
        for member in found.members() {
            match found.held(member)? {
                Some(etag) => held.push((member, etag)),
                None => members.extend(found.brief(member)?),
            }
        }
        start.sort(&mut members);
        Ok(Self { cx, start, found, members, held, opened: Opened::default() })
    }

    /// Returns the number of symbols that were found.
    pub(crate) fn len(&self) -> usize {
        self.members.len() + self.held.len()
    }

    /// Returns the symbols that are looked at first in an answer with room for `most` tokens.
    pub(crate) fn best_symbols(&self, most: usize) -> Vec<SymbolId> {
        let count = (most / TOKENS_PER_SYMBOL).clamp(1, IN_SLICE);
        self.members.iter().take(count).map(|card| card.symbol_id).collect()
    }

    /// Returns the edges between the shown symbols.
    pub(crate) fn edges(&self, gathered: &Gathered) -> Result<Vec<EdgeOut>, ToolError> {
        let ids = gathered.evidence.iter().filter_map(|piece| piece.symbol_id.parse().ok());
        let ids: Vec<SymbolId> = ids.collect();
        let edge = |edge: SliceEdge| EdgeOut {
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            kind: edge.kind.name().to_owned(),
        };
        Ok(self.found.edges(&ids)?.into_iter().take(MOST_EDGES).map(edge).collect())
    }

    /// Gathers evidence for an answer with room for `most` tokens of evidence and places. Room goes to the symbols whose
    /// text is worth most for its length; those without room are left for the list of places.
    pub(crate) fn gather(&mut self, most: usize) -> Result<Gathered, ToolError> {
        let mut out = Gathered::default();
        let mut room = most * source_share(self.start.task_type) / 100;
        for (symbol, etag) in &self.held {
            let piece = ("cardRef", *symbol, format!("held: {etag}"));
            room -= evidence::push_evidence(self.cx, &mut out.evidence, piece, room)?.unwrap_or(0);
        }
        let names = self.start.names(&self.members);
        let policy = self.cx.policy()?;
        let task = Task { text: &self.start.task_text, names: &names, budget: most, policy: &policy };
        let mut shown = Shown::default();
        let (mut looked_at, mut missed) = (0, 0);
        for place in worth::order_by_worth(&worth::lines_to_show(&self.members, most)) {
            let Some(card) = self.members.get(place) else { continue };
            self.cx.call.check()?;
            if shown.covers(&card.file, (card.range.start_line, card.range.end_line)) {
                out.covered.push(card.symbol_id);
                continue;
            }
            let full =
                room < evidence::LEAST || missed == MOST_MISSED || looked_at * TOKENS_PER_SYMBOL > most;
            if full || !evidence::is_shown(card.kind) {
                out.rest.push(Rc::clone(card));
                continue;
            }
            let Some(sym) = self.cx.source.symbol(card.symbol_id)? else { continue };
            looked_at += 1;
            // A task that names the symbol by its id leads nowhere by itself.
            let relevance = match place {
                _ if self.start.is_focus(card.symbol_id) => 0.0,
                ..IN_SLICE => NEAR,
                _ => NEXT,
            };
            let (list, subject) = (&mut out.evidence, (&sym, relevance, task));
            match texts::show_symbol(self.cx, list, (&mut self.opened, &mut shown), subject, room) {
                Ok(Told::Shown(size)) => room -= size,
                Ok(Told::Covered) => out.covered.push(card.symbol_id),
                Ok(Told::NoRoom) => {
                    missed += 1;
                    out.rest.push(Rc::clone(card));
                }
                // One file that can't be shown doesn't hold back the others.
                Err(error) if !is_fatal(&error) => {
                    room -= self.describe(card, error.refusal.message, room, &mut out)?;
                }
                Err(error) => return Err(error),
            }
        }
        worth::sort_by_rank(&self.members, &mut out.evidence, &mut out.rest);
        if self.start.include_tests == Some(true) {
            self.tests(room, &mut out)?;
        }
        out.rest.retain(|card| !shown.covers(&card.file, (card.range.start_line, card.range.end_line)));
        let ids: HashSet<String> = out.evidence.iter().map(|piece| piece.symbol_id.clone()).collect();
        let told = self.members.iter().filter(|card| ids.contains(&card.symbol_id.to_string()));
        let mentioned = told.map(|card| card.file.clone()).collect();
        places::sort_places(&mut out.rest, &mentioned);
        Ok(out)
    }

    /// Adds the card of a symbol whose source can't be shown, and why. Returns the tokens they take.
    fn describe(
        &self,
        brief: &Rc<Card>,
        reason: String,
        room: usize,
        out: &mut Gathered,
    ) -> Result<usize, ToolError> {
        let Some(card) = self.found.card(brief.symbol_id)? else { return Ok(0) };
        let piece = ("card", card.symbol_id, card::card_text(&card));
        let Some(size) = evidence::push_evidence(self.cx, &mut out.evidence, piece, room)? else {
            out.rest.push(Rc::clone(brief));
            return Ok(0);
        };
        let symbol_id = card.symbol_id.to_string();
        let omitted = Omitted { symbol_id, name: card.qualified_name.clone(), reason };
        let cost = budget::item_tokens(&omitted)?;
        if size + cost > room {
            return Ok(size);
        }
        out.omitted.push(omitted);
        Ok(size + cost)
    }

    /// Adds the tests that cover the best symbols.
    fn tests(&self, mut room: usize, out: &mut Gathered) -> Result<(), ToolError> {
        let full = CardOptions { detail: Detail::Full, ..CardOptions::default() };
        for found in self.members.iter().take(3) {
            let Some(whole) = card::build_card(self.cx.source, found.symbol_id, full, &card::Plain)? else {
                continue;
            };
            let Some(test) = whole.metrics.and_then(|metrics| metrics.canonical_test) else { continue };
            let known = test.symbol_id.to_string();
            if out.evidence.iter().any(|item| item.symbol_id == known) {
                continue;
            }
            let content = format!("{} {} tests {}", test.file, test.name, found.qualified_name);
            let piece = ("test", test.symbol_id, content);
            room -= evidence::push_evidence(self.cx, &mut out.evidence, piece, room)?.unwrap_or(0);
        }
        Ok(())
    }
}
