//! Assemblies collect evidence for one task, from all rungs and within one budget. A pure function of a version and the
//! task.

mod evidence;
mod start;
mod stored;

use std::rc::Rc;

use schemars::JsonSchema;
use sdl_model::SymbolId;
use sdl_retrieve::card::{self, Card, CardOptions, Detail, Enrichment};
use sdl_retrieve::slice::{Neighbourhood, SliceEdge};
use serde::{Deserialize, Serialize};

use crate::call::budget::{self, Room};
use crate::call::context::ReadCx;
use crate::parts::symbols;
use crate::{ToolError, slices};

pub(crate) use evidence::Evidence;
use evidence::Opened;
pub(crate) use start::{Asked, Start};
pub(crate) use stored::{Assembly, find_assembly, keep_assembly};

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

/// A rung, how much of the budget it may take in percent, and why.
type Share = (Rung, usize, &'static str);

/// Returns how a budget is shared out, in the order in which the rungs are climbed. Tokens that one rung leaves go to
/// the next.
fn budget_shares(task: Option<TaskType>) -> [Share; 3] {
    use Rung::{Cards, HotPaths, Skeletons};
    match task {
        Some(TaskType::Debug) => [
            (Cards, 45, "what the symbols on the way do, throw and touch"),
            (HotPaths, 75, "the lines that contain the task's names"),
            (Skeletons, 100, "the control flow around them"),
        ],
        Some(TaskType::Review) => [
            (Cards, 55, "contracts and dependencies of the reviewed code"),
            (Skeletons, 80, "its control flow"),
            (HotPaths, 100, "the lines where its parts meet"),
        ],
        Some(TaskType::Implement) => [
            (Cards, 45, "existing code to build on"),
            (Skeletons, 85, "the shape of the code to change"),
            (HotPaths, 100, "the lines that contain the task's names"),
        ],
        Some(TaskType::Explain) => [
            (Cards, 60, "the purpose and dependencies of each part"),
            (Skeletons, 95, "how the parts work"),
            (HotPaths, 100, "the lines where they meet"),
        ],
        None => [
            (Cards, 55, "the symbols and their dependencies"),
            (Skeletons, 80, "how the best of them work"),
            (HotPaths, 100, "the lines that contain the task's names"),
        ],
    }
}

/// A way to show a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    Cards,
    Skeletons,
    HotPaths,
}

impl Rung {
    fn name(self) -> &'static str {
        match self {
            Self::Cards => "card",
            Self::Skeletons => "skeleton",
            Self::HotPaths => "hotPath",
        }
    }
}

/// One step of the plan, carried out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    /// `card`, `skeleton` or `hotPath`.
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
    /// `budget`, or why its source can't be shown.
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
    pub(crate) plan: Vec<Step>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) edges: Vec<EdgeOut>,
    pub(crate) omitted: Vec<Omitted>,
}

/// Symbols whose source is read on one rung.
const MOST_OPENED: usize = 16;
/// Maximum number of edges that are listed.
const MOST_EDGES: usize = 40;

/// The material that an assembly is gathered from. Data read for one budget is reused for the next.
pub(crate) struct Ground<'a> {
    cx: &'a ReadCx<'a>,
    start: &'a Start,
    found: Neighbourhood<'a>,
    /// Cards at the lowest detail, in the order in which they are shown.
    members: Vec<Rc<Card>>,
    /// The etags of those cards that the client holds and that are still current.
    held: Vec<(SymbolId, String)>,
    edges: Vec<EdgeOut>,
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
        let all: Vec<SymbolId> =
            members.iter().map(|card| card.symbol_id).chain(held.iter().map(|(held, _)| *held)).collect();
        let edge = |edge: SliceEdge| EdgeOut {
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            kind: edge.kind.name().to_owned(),
        };
        let edges = found.edges(&all)?.into_iter().take(MOST_EDGES).map(edge).collect();
        Ok(Self { cx, start, found, members, held, edges, opened: Opened::default() })
    }

    /// Gathers evidence of at most about `most` tokens.
    pub(crate) fn gather(&mut self, most: usize) -> Result<Gathered, ToolError> {
        let mut out = Gathered::default();
        // At most a tenth for how the symbols are connected.
        let mut room = Room::of(most / 10);
        for edge in &self.edges {
            if !room.take(budget::item_tokens(edge)?) {
                break;
            }
            out.edges.push(edge.clone());
        }
        let most = most - (most / 10 - room.tokens);
        let mut used = 0;
        for (rung, share, why) in budget_shares(self.start.task_type) {
            self.cx.call.check()?;
            let room = (most * share / 100).saturating_sub(used);
            let before = used;
            used += match rung {
                Rung::Cards => self.cards(room, &mut out)?,
                Rung::Skeletons | Rung::HotPaths => self.source(rung, room, &mut out)?,
            };
            out.plan.push(Step {
                rung: rung.name().to_owned(),
                why: why.to_owned(),
                tokens: (used - before) as u64,
            });
        }
        Ok(out)
    }

    /// Adds cards, best first, as long as there is room. Returns the tokens they took.
    fn cards(&self, room: usize, out: &mut Gathered) -> Result<usize, ToolError> {
        let cx = self.cx;
        let mut used = 0;
        for (symbol, etag) in &self.held {
            let content = format!("held: {etag}");
            let piece = ("cardRef", *symbol, content);
            used += evidence::push_evidence(cx, &mut out.evidence, piece, room - used)?.unwrap_or(0);
        }
        for brief in &self.members {
            let mut placed = None;
            // A card without room is not built.
            if room - used >= evidence::SMALLEST
                && let Some(card) = self.found.card(brief.symbol_id)?
            {
                // A symbol that doesn't fit in full is shown with less detail.
                for content in [card::card_text(&card), card::signature_line(&card)] {
                    let piece = ("card", card.symbol_id, content);
                    placed = evidence::push_evidence(cx, &mut out.evidence, piece, room - used)?;
                    if placed.is_some() {
                        break;
                    }
                }
            }
            match placed {
                Some(size) => used += size,
                None => out.omitted.push(Omitted {
                    symbol_id: brief.symbol_id.to_string(),
                    name: brief.qualified_name.clone(),
                    reason: "budget".to_owned(),
                }),
            }
        }
        if self.start.include_tests == Some(true) {
            used += self.tests(room - used, out)?;
        }
        Ok(used)
    }

    /// Adds the tests that cover the best symbols.
    fn tests(&self, room: usize, out: &mut Gathered) -> Result<usize, ToolError> {
        let full = CardOptions { detail: Detail::Full, ..CardOptions::default() };
        let mut used = 0;
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
            used += evidence::push_evidence(self.cx, &mut out.evidence, piece, room - used)?.unwrap_or(0);
        }
        Ok(used)
    }

    /// Adds the source of the best symbols on a rung. Returns the tokens it took.
    fn source(&mut self, rung: Rung, room: usize, out: &mut Gathered) -> Result<usize, ToolError> {
        let cx = self.cx;
        let names = self.start.names(&self.members);
        // All lines of an answer together are at most those of one window.
        let policy = crate::host::policies::repo_policy(cx.call.host, cx.repo)?;
        let mut used = 0;
        for found in self.members.iter().filter(|card| evidence::has_body(card)).take(MOST_OPENED) {
            cx.call.check()?;
            if room - used < evidence::LEAST {
                break;
            }
            let Some(sym) = cx.source.symbol(found.symbol_id)? else { continue };
            // No skeleton for source that has been shown, because it would add nothing.
            let long = (found.range.end_line - found.range.start_line) as usize + 1;
            if matches!(rung, Rung::Skeletons) && evidence::lines_shown(&out.evidence, sym.id) * 2 > long {
                continue;
            }
            let (list, room) = (&mut out.evidence, room - used);
            let pushed = match rung {
                Rung::HotPaths => {
                    let (lines, tokens) = evidence::raw_so_far(list);
                    let room = room.min((policy.max_window_tokens as usize).saturating_sub(tokens));
                    let left = (policy.max_window_lines as usize).saturating_sub(lines);
                    let piece = (rung.name(), &sym, names.as_slice());
                    evidence::push_hot_path(cx, list, piece, &mut self.opened, (room, left))
                }
                _ => evidence::push_skeleton(cx, list, (rung.name(), &sym), &mut self.opened, room),
            };
            match pushed {
                Ok((size, whole)) => {
                    used += size;
                    // Too few lines remain to make it worth reading and parsing more files.
                    if !whole {
                        break;
                    }
                }
                // One file that can't be shown doesn't hold back the others.
                Err(error) if error.refusal.code != crate::Code::Cancelled && error.damage.is_none() => {
                    let id = sym.id.to_string();
                    if !out.omitted.iter().any(|omitted| omitted.symbol_id == id) {
                        let name = sym.qualified().to_owned();
                        out.omitted.push(Omitted { symbol_id: id, name, reason: error.refusal.message });
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(used)
    }
}
