//! `agent.feedback.query`: returns the feedback on contexts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use sdl_memory::SymbolAnchor;
use sdl_memory::store::last_change_ms;
use sdl_memory::weights::{lane_tally, used_rates};
use sdl_model::{SymbolId, Version};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{append_text, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::call::modules::Module;
use crate::context::gathering::Lane;
use crate::kept::anchors;
use crate::kept::feedback::{self, Feedback};

/// See [`ActionDef`].
pub(crate) struct AgentFeedbackQuery;

/// Default number of items in an answer.
const LIMIT: u32 = 20;
/// Maximum number of symbols in each list of the aggregate.
const TOP: usize = 20;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default 20. Items to return.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Unix milliseconds. Only feedback from this time on.
    #[schemars(range(min = 0))]
    since: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The feedback, newest first.
    items: Vec<Item>,
    /// Totals over all matching feedback, returned or not.
    aggregate: Aggregate,
    /// True if there is more than was returned: ask with a larger `limit` or a later `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How useful each lane of contexts was. The factor multiplies its share of the next ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<Vec<LaneUse>>,
    /// How many of the sources were used: of the last 50 judged contexts, over the first 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    lift: Option<Lift>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LaneUse {
    /// `code`, `memory`, `lesson`, `kg`, `scratch` or `dispatch`.
    lane: &'static str,
    /// Sources that were shown in judged contexts. Counts halve in 90 days.
    shown: f64,
    /// Those that were used.
    used: f64,
    /// Used over shown.
    rate: f64,
    /// 0.5 to 1.5.
    factor: f64,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Lift {
    /// Used over shown, of the first judged contexts.
    first: f64,
    /// The same of the last ones.
    last: f64,
    /// Last over first.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    /// Judged contexts that are counted.
    contexts: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Item {
    /// Its id.
    feedback_id: String,
    /// When it was given, in Unix milliseconds.
    at: u64,
    /// The assembly it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    assembly_id: Option<String>,
    /// The slice it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice_handle: Option<String>,
    /// Symbols that helped, as given.
    useful_symbols: Vec<String>,
    /// Symbols that were missing, as given.
    missing_symbols: Vec<String>,
    /// 1 (useless) to 5 (all that was needed).
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<u8>,
    /// The task, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_text: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Aggregate {
    /// Pieces of feedback.
    count: u64,
    /// Pieces of feedback with a rating.
    rated: u64,
    /// Mean of those ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_rating: Option<f64>,
    /// Symbols named most often as useful.
    useful: Vec<Counted>,
    /// Symbols named most often as missing.
    missing: Vec<Counted>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counted {
    /// The symbol.
    symbol_id: String,
    /// Its qualified name.
    name: String,
    /// Its file.
    file: String,
    /// How often it was named.
    count: u64,
}

impl Action for AgentFeedbackQuery {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "agent.feedback.query",
        namespace: Namespace::Agent,
        mutating: false,
        description: "Call this when you want to know which symbols earlier tasks found useful or missed",
        needs: "",
        examples: &[r#"{"repoId":"my-repo","limit":10}"#],
        aliases: &[],
    };
    const MODULE_FIELDS: &'static [(Module, &'static [&'static str])] =
        &[(Module::Memory, &["lanes", "lift"])];
}

impl ReadAction for AgentFeedbackQuery {
    const EARLY: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let mut all = feedback::all_feedback(cx.call.host.agent(), cx.repo.id())?;
        all.retain(|feedback| feedback.at_ms >= request.since.unwrap_or(0));
        // The ledger may be newer than the feedback.
        let since = all.iter().map(|feedback| feedback.version).min().unwrap_or(0);
        let mut links: Vec<&mut SymbolAnchor> = all
            .iter_mut()
            .flat_map(|feedback| feedback.useful.iter_mut().chain(&mut feedback.missing))
            .collect();
        anchors::lead_anchors(cx, Version(since), &mut links)?;
        let aggregate = Aggregate::of(&all);
        let limit = request.limit.unwrap_or(LIMIT) as usize;
        let total = all.len();
        let items: Vec<Item> = all.into_iter().take(limit).map(Item::of).collect();
        let whole = cx.call.modules().has(Module::Memory);
        let (lanes, lift) = if whole { learned(cx)? } else { (None, None) };
        let with = |count: usize| Response {
            lanes: lanes.clone(),
            lift,
            items: items.iter().take(count).cloned().collect(),
            aggregate: aggregate.clone(),
            truncated: (count < total).then_some(true),
        };
        let most = budget::DEFAULT_TOKENS.saturating_sub(cx.around()?);
        let count = budget::largest_prefix(items.len(), most, |count| Ok(with(count)))?;
        Ok(with(count.unwrap_or(0)))
    }
}

/// What contexts learned from feedback.
fn learned(cx: &ReadCx<'_>) -> Result<(Option<Vec<LaneUse>>, Option<Lift>), ToolError> {
    let round = |number: f64| (number * 1_000.0).round() / 1_000.0;
    let scope = cx.repo.id();
    let (tallies, at_ms, rates) = cx.call.host.agent().read(|reader| {
        let tallies: sdl_memory::Result<Vec<_>> =
            Lane::ALL.iter().map(|lane| Ok((*lane, lane_tally(reader, scope, lane.source())?))).collect();
        Ok((tallies, last_change_ms(reader)?, used_rates(reader, scope)))
    })?;
    let mut lanes = Vec::new();
    for (lane, tally) in tallies? {
        let now = tally.at(at_ms);
        let shown = now.used + now.unused;
        if shown > 0.0 {
            let (used, rate) = (round(now.used), round(now.used / shown));
            let factor = round(tally.lane_factor(at_ms));
            lanes.push(LaneUse { lane: lane.name(), shown: round(shown), used, rate, factor });
        }
    }
    let lift = rates?.map(|rates| Lift {
        first: round(rates.first),
        last: round(rates.last),
        ratio: (rates.first > 0.0).then(|| round(rates.last / rates.first)),
        contexts: rates.contexts,
    });
    Ok((Some(lanes), lift))
}

impl Item {
    fn of(feedback: Feedback) -> Self {
        let ids = |links: &[SymbolAnchor]| links.iter().map(|link| link.id.to_string()).collect();
        Self {
            feedback_id: feedback.id,
            at: feedback.at_ms,
            assembly_id: feedback.assembly_id,
            slice_handle: feedback.slice_handle,
            useful_symbols: ids(&feedback.useful),
            missing_symbols: ids(&feedback.missing),
            rating: feedback.rating,
            task_text: feedback.task_text,
        }
    }
}

impl Aggregate {
    fn of(all: &[Feedback]) -> Self {
        let ratings: Vec<f64> = all.iter().filter_map(|feedback| feedback.rating).map(f64::from).collect();
        let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
        Self {
            count: all.len() as u64,
            rated: ratings.len() as u64,
            mean_rating: (!ratings.is_empty()).then(|| (mean * 100.0).round() / 100.0),
            useful: count_links(all.iter().flat_map(|feedback| &feedback.useful)),
            missing: count_links(all.iter().flat_map(|feedback| &feedback.missing)),
        }
    }
}

fn count_links<'f>(links: impl Iterator<Item = &'f SymbolAnchor>) -> Vec<Counted> {
    let mut counts: BTreeMap<SymbolId, (u64, &SymbolAnchor)> = BTreeMap::new();
    for link in links {
        counts.entry(link.id).or_insert((0, link)).0 += 1;
    }
    let mut counts: Vec<(u64, &SymbolAnchor)> = counts.into_values().collect();
    counts.sort_by_key(|(count, link)| (Reverse(*count), link.id));
    let top = counts.into_iter().take(TOP).map(|(count, link)| Counted {
        symbol_id: link.id.to_string(),
        name: link.name.clone(),
        file: link.file.clone(),
        count,
    });
    top.collect()
}

impl Render for Response {
    fn text(&self) -> String {
        let Aggregate { count, mean_rating, useful, missing, .. } = &self.aggregate;
        let mut text = format!("{count} pieces of feedback");
        if let Some(mean) = mean_rating {
            append_text(&mut text, format_args!(", rated {mean} on average"));
        }
        for (what, list) in [("useful", useful), ("missing", missing)] {
            for symbol in list {
                let Counted { symbol_id, name, file, count } = symbol;
                begin_line(&mut text, format_args!("{what} {count} times: {name} {file} {symbol_id}"));
            }
        }
        for lane in self.lanes.iter().flatten() {
            let LaneUse { lane, shown, used, factor, .. } = lane;
            begin_line(&mut text, format_args!("lane {lane}: {used} of {shown} used, share x{factor}"));
        }
        if let Some(Lift { first, last, contexts, .. }) = self.lift {
            begin_line(
                &mut text,
                format_args!("used of {contexts} contexts: {first} at first, {last} lately"),
            );
        }
        for item in &self.items {
            let (useful, missing) = (item.useful_symbols.len(), item.missing_symbols.len());
            begin_line(&mut text, format_args!("{}: {useful} useful, {missing} missing", item.feedback_id));
            if let Some(rating) = item.rating {
                append_text(&mut text, format_args!(", rated {rating}"));
            }
            if let Some(task) = &item.task_text {
                append_text(&mut text, format_args!(": {task}"));
            }
        }
        text
    }
}
