//! `context.assemble`: puts together a context for a task, of the code and of all that agents keep.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use sdl_memory::store::{last_change_ms, store_revision};
use sdl_memory::weights::lane_tally;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::answers::{append_block, begin_line};
use crate::call::budget;
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::context::assembly::{Asked, Assembly, Start, TaskType, keep_assembly_of};
use crate::context::gathering::{CodeLane, Item, Lane, Searched, Task, divide_shares, kept_items};
use crate::kept::anchors::StaleSince;
use crate::{Explained, ToolError};
use sdl_retrieve::plain;

/// See [`ActionDef`].
pub(crate) struct ContextAssemble;

/// Tokens of the fields around the items.
const FRAME: usize = 160;
/// Tokens of a section's own fields.
const SECTION: usize = 12;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Task, in words.
    #[schemars(length(min = 1, max = 200_000))]
    task_text: String,
    /// Size of the answer.
    budget: BudgetParam,
    /// Divides the code's share between source and places.
    task_type: Option<TaskType>,
    /// Only these. Default: all that are on.
    #[serde(default)]
    #[schemars(length(max = 6))]
    lanes: Vec<Lane>,
    /// Your name. Shows your own lessons and scratch only.
    #[schemars(length(min = 1, max = 200))]
    agent: Option<String>,
    /// Names of things the task is about, to be looked up as facts.
    #[serde(default)]
    #[schemars(length(max = 50))]
    entities: Vec<String>,
    /// Symbol ids to start from.
    #[serde(default)]
    #[schemars(length(max = 100))]
    focus_symbols: Vec<String>,
    /// Files or folders to start from. Relative to the root.
    #[serde(default)]
    #[schemars(length(max = 100))]
    focus_paths: Vec<String>,
    /// Paths edited lately.
    #[serde(default)]
    #[schemars(length(max = 100))]
    edited_files: Vec<String>,
    /// As printed.
    #[schemars(length(max = 200_000))]
    stack_trace: Option<String>,
    /// Default true. False leaves out rows whose code changed.
    include_stale: Option<bool>,
    /// Default true. False ranks as if nothing had been judged.
    use_feedback: Option<bool>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BudgetParam {
    /// For the whole answer.
    #[schemars(range(min = 800, max = 20_000))]
    max_tokens: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Give it to `context.feedback` when the task is done.
    assembly_id: String,
    /// Every source that is shown, in order.
    source_ids: Vec<String>,
    /// The context, a section for each lane that has something.
    sections: Vec<Section>,
    /// Lanes that are not in the answer, or not with all they have, each with the reason.
    omitted: Vec<Omitted>,
    /// The share of the budget that each lane had, in percent. Feedback moves it.
    shares: BTreeMap<String, f64>,
    /// Tokens of all items.
    tokens: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Section {
    /// `code`, `memory`, `lesson`, `kg`, `scratch` or `dispatch`.
    #[schemars(with = "String")]
    lane: Lane,
    /// Its pieces, best first.
    items: Vec<Item>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Omitted {
    /// The lane.
    #[schemars(with = "String")]
    lane: Lane,
    /// Why.
    reason: String,
    /// How many rows of it fit the task and had no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

impl Action for ContextAssemble {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "context.assemble",
        namespace: Namespace::Memory,
        mutating: false,
        description: "Call this when you begin a task: the code, memories, lessons, facts and open work about it, in one budget",
        needs: "taskText,budget",
        examples: &[
            r#"{"repoId":"my-repo","taskText":"why does token validation fail","budget":{"maxTokens":4000},"agent":"reviewer"}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for ContextAssemble {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let most = request.budget.max_tokens;
        let (revision, at_ms) = cx.look(|reader| Ok((store_revision(reader)?, last_change_ms(reader)?)))?;
        let asked =
            serde_json::to_string(&request).map_err(|e| ToolError::internal("writing the task down", e))?;
        let task_type = request.task_type.map(TaskType::name);
        let mut assembly =
            Assembly::of_store(cx.read, (revision, &cx.scopes.own), &asked, &request.task_text, task_type);
        let (lanes, mut omitted) = wanted_lanes(cx, &request);
        let scope = &cx.scopes.own;
        let use_feedback = request.use_feedback.unwrap_or(true);
        let mut tallies = BTreeMap::new();
        for lane in Lane::ALL.into_iter().filter(|_| use_feedback) {
            tallies.insert(lane, cx.look(|reader| lane_tally(reader, scope, lane.source()))?);
        }
        let factor = |lane: Lane| tallies.get(&lane).map_or(1.0, |tally| tally.lane_factor(at_ms));
        let shares = divide_shares(&lanes, factor);
        let family = cx.family();
        let mut task = Task {
            cx,
            family: &family,
            text: &request.task_text,
            entities: &request.entities,
            agent: request.agent.as_deref(),
            include_stale: request.include_stale.unwrap_or(true),
            use_feedback,
            at_ms,
            symbols: HashMap::new(),
            files: HashSet::new(),
            searched: HashMap::new(),
            linked: None,
            memories: None,
        };
        let room = most.saturating_sub(cx.around()? + FRAME);
        let filled = fill_lanes(&mut task, &request, (&shares, room), &mut omitted)?;
        let mut response = Response {
            assembly_id: assembly.id.clone(),
            source_ids: Vec::new(),
            sections: filled,
            omitted,
            shares: shares
                .iter()
                .map(|(lane, share)| (lane.name().to_owned(), (share * 1_000.0).round() / 10.0))
                .collect(),
            tokens: 0,
        };
        response.cut_to(cx, most)?;
        assembly.source_ids.clone_from(&response.source_ids);
        assembly.lessons = response
            .sections
            .iter()
            .filter(|section| section.lane == Lane::Lesson)
            .flat_map(|section| section.items.iter().map(|item| item.source_id.clone()))
            .collect();
        keep_assembly_of(cx.call, &cx.scopes.own, &assembly)?;
        Ok(response)
    }
}

/// The lanes that the call asks for and that can answer, and those that can't.
fn wanted_lanes(cx: &OwnedCx<'_>, request: &Request) -> (Vec<Lane>, Vec<Omitted>) {
    let (mut lanes, mut omitted) = (Vec::new(), Vec::new());
    for lane in Lane::ALL {
        if !request.lanes.is_empty() && !request.lanes.contains(&lane) {
            continue;
        }
        let off = match lane {
            Lane::Kg if !cx.has(Module::Kg) => Some("the module kg is off"),
            Lane::Dispatch if !cx.has(Module::Work) => Some("the module work is off"),
            Lane::Code if cx.read.is_none() => Some("no repository is known; give repoId"),
            _ => None,
        };
        match off {
            None => lanes.push(lane),
            // A lane that nobody turned on is missed only by those who ask for it.
            Some(_) if lane != Lane::Code && request.lanes.is_empty() => {}
            Some(reason) => omitted.push(Omitted { lane, reason: reason.to_owned(), count: None }),
        }
    }
    (lanes, omitted)
}

/// Fills each lane with its share, then gives on what they left.
fn fill_lanes(
    task: &mut Task<'_>,
    request: &Request,
    (shares, room): (&[(Lane, f64)], usize),
    omitted: &mut Vec<Omitted>,
) -> Result<Vec<Section>, ToolError> {
    let lanes = shares.iter().map(|(lane, _)| *lane);
    let searches = task.searches(lanes);
    std::thread::scope(|threads| {
        let searching = threads.spawn(|| searches.run());
        let searched = || searching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        fill_searched(task, request, (shares, room), searched, omitted)
    })
}

fn fill_searched(
    task: &mut Task<'_>,
    request: &Request,
    (shares, room): (&[(Lane, f64)], usize),
    searched: impl FnOnce() -> Searched,
    omitted: &mut Vec<Omitted>,
) -> Result<Vec<Section>, ToolError> {
    let share_of = |lane: Lane| {
        let share = shares.iter().find(|(known, _)| *known == lane).map_or(0.0, |(_, share)| *share);
        (room as f64 * share) as usize
    };
    let has_code = shares.iter().any(|(lane, _)| *lane == Lane::Code);
    let read = task.cx.read.filter(|_| has_code);
    let start = match read {
        Some(read) => kept_apart(Lane::Code, omitted, || {
            Start::of(
                read,
                &Asked {
                    task_text: &request.task_text,
                    task_type: request.task_type,
                    focus_symbols: &request.focus_symbols,
                    focus_paths: &request.focus_paths,
                    chat_mentions: &request.entities,
                    include_tests: None,
                    stack_trace: request.stack_trace.as_deref(),
                    edited_files: &request.edited_files,
                    known_card_etags: &BTreeMap::new(),
                },
                request.budget.max_tokens,
            )
        })?,
        None => None,
    };
    let enrichment = read.map(|read| read.repo.enrichment(read.snapshot));
    let mut code = match (read, &start, &enrichment) {
        (Some(read), Some(start), Some(enrichment)) => {
            kept_apart(Lane::Code, omitted, || CodeLane::of(read, start, enrichment.as_ref()))?
        }
        _ => None,
    };
    if let Some(code) = &code {
        task.look_at(&code.nearest(share_of(Lane::Code)))?;
    }
    task.searched = searched();
    let mut sections: Vec<Section> = Vec::new();
    let mut waiting: Vec<(Lane, Vec<Item>)> = Vec::new();
    let mut left = room;
    for (lane, _) in shares.iter().filter(|(lane, _)| *lane != Lane::Code) {
        let Some(items) = kept_apart(*lane, omitted, || kept_items(*lane, task))? else { continue };
        let mut own = share_of(*lane).saturating_sub(SECTION).min(left);
        let (taken, rest) = take_fitting(items, &mut own)?;
        left -= taken.iter().filter_map(|item| item.size).sum::<usize>().min(left);
        waiting.push((*lane, rest));
        sections.push(Section { lane: *lane, items: taken });
    }
    if let Some(code) = &mut code {
        let (mut items, gathered) = code.items(left)?;
        left -= items.iter_mut().map(Item::measure).sum::<Result<usize, _>>()?.min(left);
        let rows = gathered.evidence.iter().filter_map(|piece| piece.row.clone());
        rows.for_each(|row| task.cx.read.into_iter().for_each(|read| read.decided(row.clone())));
        sections.insert(0, Section { lane: Lane::Code, items });
    }
    for (lane, rest) in waiting {
        let (taken, rest) = take_fitting(rest, &mut left)?;
        if let Some(section) = sections.iter_mut().find(|section| section.lane == lane) {
            section.items.extend(taken);
        }
        if !rest.is_empty() {
            omitted.push(Omitted { lane, reason: "no room".to_owned(), count: Some(rest.len()) });
        }
    }
    sections.retain(|section| !section.items.is_empty());
    Ok(sections)
}

/// Runs a lane. A failure that is its own is named, and the others answer.
fn kept_apart<T>(
    lane: Lane,
    omitted: &mut Vec<Omitted>,
    run: impl FnOnce() -> Result<T, ToolError>,
) -> Result<Option<T>, ToolError> {
    match run() {
        Ok(value) => Ok(Some(value)),
        // A wrong argument is the caller's, and what ends the call ends it. A task that no code has words of is not wrong.
        Err(error) if is_callers(&error) || error.damage.is_some() => Err(error),
        Err(error) if error.refusal.code == crate::Code::Cancelled => Err(error),
        Err(error) => {
            omitted.push(Omitted { lane, reason: error.refusal.message, count: None });
            Ok(None)
        }
    }
}

fn is_callers(error: &ToolError) -> bool {
    let about_task = error.refusal.about.field.as_deref() == Some("taskText");
    error.refusal.about.field.is_some() && !(about_task && error.refusal.code == crate::Code::UnknownSymbol)
}

/// Items that don't fit in a row, after which no later one is looked at.
const MOST_PASSED: usize = 8;
/// No item takes fewer tokens.
const SMALLEST: usize = 30;

/// Takes items in order as long as each fits; one that doesn't is passed over.
fn take_fitting(items: Vec<Item>, room: &mut usize) -> Result<(Vec<Item>, Vec<Item>), ToolError> {
    let (mut taken, mut rest) = (Vec::new(), Vec::new());
    let mut passed = 0;
    for mut item in items {
        // Counting takes longer than finding, so that it ends where there is little room.
        if passed >= MOST_PASSED || *room < SMALLEST {
            rest.push(item);
            continue;
        }
        let size = item.measure()?;
        if size <= *room {
            *room -= size;
            passed = 0;
            taken.push(item);
        } else {
            passed += 1;
            rest.push(item);
        }
    }
    Ok((taken, rest))
}

impl Response {
    /// Drops the last items until the longer of the two forms has room: clients read one of them.
    fn cut_to(&mut self, cx: &OwnedCx<'_>, most: usize) -> Result<(), ToolError> {
        loop {
            self.source_ids = self
                .sections
                .iter()
                .flat_map(|section| section.items.iter().map(|item| item.source_id.clone()))
                .collect();
            self.tokens =
                self.sections.iter().flat_map(|section| &section.items).map(|item| item.tokens).sum();
            let size = cx.around()? + budget::json_tokens(self)?.max(budget::text_tokens(&self.text()));
            if size <= most {
                return Ok(());
            }
            let Some(section) = self.sections.last_mut() else {
                let message = format!("an answer to this takes at least {size} tokens; allow that many");
                return Err(ToolError::invalid("budget.maxTokens", message).with("needed", size));
            };
            section.items.pop();
            let lane = section.lane;
            if section.items.is_empty() {
                self.sections.pop();
            }
            match self.omitted.iter_mut().find(|omitted| omitted.lane == lane && omitted.count.is_some()) {
                Some(omitted) => omitted.count = omitted.count.map(|count| count + 1),
                None => {
                    self.omitted.push(Omitted { lane, reason: "no room".to_owned(), count: Some(1) });
                }
            }
            cx.call.check()?;
        }
    }
}

fn write_stale(since: Option<&StaleSince>) -> String {
    since.map(|since| format!(", stale since {}", since.words())).unwrap_or_default()
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text =
            format!("assembly_id: {} source_ids: {}", self.assembly_id, self.source_ids.join(", "));
        for section in &self.sections {
            for item in &section.items {
                let state = item.state.map(|state| format!(" {state}")).unwrap_or_default();
                begin_line(
                    &mut text,
                    format_args!(
                        "{} {}{state}{}",
                        section.lane.name(),
                        item.source_id,
                        write_stale(item.stale_since.as_ref())
                    ),
                );
                match section.lane {
                    Lane::Code => append_block(&mut text, &item.content),
                    _ => append_block(&mut text, &plain::quote_lines(&item.content)),
                }
            }
        }
        for omitted in &self.omitted {
            let count = omitted.count.map(|count| format!("{count} ")).unwrap_or_default();
            begin_line(
                &mut text,
                format_args!("left out: {count}{}: {}", omitted.lane.name(), omitted.reason),
            );
        }
        text
    }
}
