//! Builds a slice from a neighbourhood and a budget.
//!
//! A slice is filled in one fixed order of steps: first the entry symbols, then the best few cards with their
//! signatures and more, then the others by name and place with the most important edges, then, if there is room, the
//! other edges and more detail of the cards. The slice is the longest prefix of that order that fits. Its length is
//! estimated from the cards, tried, and corrected by the result of the trial, because counting tokens costs more than
//! everything else.

use std::collections::HashSet;

use sdl_model::SymbolId;
use sdl_model::ids::stable_hash;
use serde_json::Value;

use super::SliceRequest;
use super::estimate;
use super::levels::{Levels, Pass, Step};
use super::neighbourhood::Neighbourhood;
use super::types::{BuiltSlice, FrontierItem, SliceDoc, Truncation};
use crate::card::{Card, CardRef, Detail};
use crate::numbers::Milli;
use crate::{Result, wire};

/// A slice is full when less than one part in this many of the budget remains.
const NEARLY: u32 = 100;
/// Tokens of the budget for each symbol shown of the frontier, and the minimum and maximum number of such symbols.
const TOKENS_PER_FRONTIER: usize = 1_000;
const FRONTIER: (usize, usize) = (2, 8);
/// Trials by estimates. After that, the number of steps is found by bisection.
const GUESSES: u32 = 4;

/// The largest slice of at most `limit` tokens. It has no card if not even one fits.
pub(super) fn assemble_slice(found: &Neighbourhood<'_>, limit: u32) -> Result<BuiltSlice> {
    let order = Order::of(found, limit as usize)?;
    // `low` steps fit, `high` steps do not.
    let (mut low, mut high) = (0, order.steps.len() + 1);
    let mut best = None;
    let mut rate = 1.0;
    let mut guesses = 0;
    while low + 1 < high {
        let at = if guesses < GUESSES { order.reaching(limit, rate) } else { low.midpoint(high) };
        let at = at.clamp(low + 1, high - 1);
        guesses += 1;
        let draft = Draft::of(found, &order, at)?;
        rate = f64::from(draft.tokens) / order.cost(at) as f64;
        if draft.tokens > limit {
            high = at;
            continue;
        }
        low = at;
        // The remaining tokens would barely hold the next step.
        let next = (order.cost(at + 1) - order.cost(at)) as f64 * rate;
        let full = f64::from(limit - draft.tokens) < next.max(f64::from(limit / NEARLY));
        best = Some(draft);
        if full {
            break;
        }
    }
    let draft = match best {
        Some(draft) => draft,
        None => Draft::of(found, &order, 0)?,
    };
    finish_slice(found, draft)
}

/// The order in which a slice is filled, as far as it may fit.
struct Order {
    /// Each step, and the approximate tokens of the slice with all steps up to it.
    steps: Vec<(Step, usize)>,
    /// The approximate tokens of the slice without any step.
    empty: usize,
    /// The number of symbols shown just outside the slice.
    frontier: usize,
}

impl Order {
    fn of(found: &Neighbourhood<'_>, limit: usize) -> Result<Self> {
        let levels = Levels::of(found.request);
        let format = found.request.wire_format;
        let frontier = (limit / TOKENS_PER_FRONTIER).clamp(FRONTIER.0, FRONTIER.1);
        let empty = estimate::empty_tokens(frontier);
        let mut order = Self { steps: Vec::new(), empty, frontier };
        // Estimates are rough: steps estimated at twice the budget do not fit.
        let roof = limit * 2;
        let mut total = empty;
        let members = found.reached.get(..found.most()).unwrap_or_default();
        let cost = |place: usize, detail: Detail| -> Result<usize> {
            let Some(one) = members.get(place) else { return Ok(0) };
            if found.held_at(one.symbol, detail)?.is_some() {
                return Ok(estimate::card_ref(format));
            }
            Ok(found.card_at(one.symbol, detail)?.map_or(0, |card| estimate::card_tokens(&card, format)))
        };
        let entries = members.iter().take_while(|one| one.entry).count();
        // The level of each place so far. Places that are not yet in the slice have none.
        let mut shown: Vec<Detail> = Vec::with_capacity(members.len());
        for pass in levels.passes(entries, members.len()) {
            let (places, level, mut left) = match pass {
                Pass::Cards(places, level, share) => {
                    (places, level, share.map_or(usize::MAX, |share| limit * share / 100))
                }
                Pass::Edges => {
                    let all: Vec<SymbolId> = found.members().collect();
                    let more = found.edges(&all)?.len().saturating_sub(found.telling_edges(all.len())?.len());
                    total += estimate::edge_tokens(more, format);
                    order.steps.push((Step::Edges, total));
                    continue;
                }
            };
            for place in places {
                let detail = found.most_told.get(place).map_or(level, |most| level.min(*most));
                let known = shown.get(place).copied();
                if known.is_some_and(|known| known >= detail) {
                    continue;
                }
                let before = known.map_or(Ok(0), |known| cost(place, known))?;
                let after = cost(place, detail)?;
                let Some(rest) = left.checked_sub(after.saturating_sub(before)) else { break };
                left = rest;
                total = (total + after).saturating_sub(before);
                match shown.get_mut(place) {
                    Some(known) => *known = detail,
                    None => shown.push(detail),
                }
                order.steps.push((Step::Card { place, detail }, total));
                if total > roof {
                    return Ok(order);
                }
            }
        }
        Ok(order)
    }

    /// The approximate tokens of the first `steps` steps.
    fn cost(&self, steps: usize) -> usize {
        steps
            .min(self.steps.len())
            .checked_sub(1)
            .and_then(|last| self.steps.get(last))
            .map_or(self.empty, |(_, total)| *total)
            .max(1)
    }

    /// The number of steps that take `limit` tokens, if the ratio of tokens to estimates is still `rate`.
    fn reaching(&self, limit: u32, rate: f64) -> usize {
        let limit = f64::from(limit) / rate;
        self.steps.partition_point(|(_, total)| *total as f64 <= limit)
    }

    /// The levels of the cards after the first `steps` steps, by place, and whether all edges are shown.
    fn state(&self, steps: usize) -> (Vec<Detail>, bool) {
        let (mut levels, mut edges) = (Vec::new(), false);
        for (step, _) in self.steps.iter().take(steps) {
            match *step {
                Step::Edges => edges = true,
                Step::Card { place, detail } => match levels.get_mut(place) {
                    Some(level) => *level = detail,
                    None => levels.push(detail),
                },
            }
        }
        (levels, edges)
    }
}

/// One size of slice.
struct Draft {
    /// The number of reached symbols in it.
    count: usize,
    /// The number of entry symbols that are missing or have less detail than they should.
    entries_reduced: usize,
    doc: SliceDoc,
    json: Value,
    tokens: u32,
    hash: u64,
}

impl Draft {
    fn of(found: &Neighbourhood<'_>, order: &Order, steps: usize) -> Result<Self> {
        let (levels, edges) = order.state(steps);
        let mut doc = SliceDoc::default();
        for (one, &detail) in found.reached.iter().zip(&levels) {
            let Some(card) = found.card_at(one.symbol, detail)? else { continue };
            match found.held_at(one.symbol, detail)? {
                Some(etag) => doc.card_refs.push(CardRef { symbol_id: one.symbol, etag, range: card.range }),
                None => doc.cards.push(Card::clone(&card)),
            }
        }
        doc.edges = if edges {
            found.edges(&doc.members().collect::<Vec<_>>())?
        } else {
            found.telling_edges(levels.len())?
        };
        doc.sort_edges();
        doc.frontier = frontier_items(found, levels.len(), order.frontier)?;
        let (json, hash) = settle_tokens(&mut doc, found.request)?;
        let wanted = Levels::of(found.request).of_entry();
        let entries = found.reached.iter().enumerate().filter(|(_, one)| one.entry);
        let reduced = entries.filter(|(place, _)| levels.get(*place).is_none_or(|level| *level < wanted));
        Ok(Self {
            count: levels.len(),
            entries_reduced: reduced.count(),
            tokens: doc.estimated_tokens,
            doc,
            json,
            hash,
        })
    }
}

fn frontier_items(found: &Neighbourhood<'_>, count: usize, most: usize) -> Result<Vec<FrontierItem>> {
    let mut items = Vec::with_capacity(most);
    for one in found.reached.get(count..).unwrap_or_default().iter().take(most) {
        let Some(sym) = found.source.listed(one.symbol)? else { continue };
        items.push(FrontierItem {
            symbol_id: one.symbol,
            name: sym.qualified().to_owned(),
            file: sym.path().to_owned(),
            score: Milli::of((f64::from(one.score) * 100.0).round() / 100.0),
        });
    }
    Ok(items)
}

fn finish_slice(found: &Neighbourhood<'_>, draft: Draft) -> Result<BuiltSlice> {
    let dropped = found.reached.get(draft.count..found.wanted).unwrap_or_default();
    let spilled: Vec<SymbolId> = dropped.iter().map(|one| one.symbol).collect();
    let truncation =
        if dropped.is_empty() { None } else { Some(describe_truncation(found, draft.count, &spilled)?) };
    Ok(BuiltSlice {
        version: found.source.view().version(),
        doc: draft.doc,
        entries_reduced: draft.entries_reduced as u32,
        json: draft.json,
        tokens: draft.tokens,
        truncation,
        spilled,
        evidence: None,
        hash: format!("{:016x}", draft.hash),
    })
}

fn describe_truncation(found: &Neighbourhood<'_>, count: usize, spilled: &[SymbolId]) -> Result<Truncation> {
    let outside: HashSet<SymbolId> = spilled.iter().copied().collect();
    let mut dropped_edges = 0;
    for one in found.reached.get(..count).unwrap_or_default() {
        found.each_edge(one.symbol, |edge| dropped_edges += u32::from(outside.contains(&edge.to)))?;
    }
    Ok(Truncation {
        truncated: true,
        dropped_cards: spilled.len() as u32,
        dropped_edges,
        search_stopped: found.stopped,
    })
}

/// Writes the slice with its own number of tokens in it, and hashes it. That number is between punctuation, and so
/// counts one token for every three digits, whatever is around it.
fn settle_tokens(doc: &mut SliceDoc, request: &SliceRequest) -> Result<(Value, u64)> {
    doc.estimated_tokens = 0;
    let mut json = wire::encode_slice(doc, request.wire_format)?;
    let text = serde_json::to_string(&json)?;
    let others = sdl_tokens::count_tokens(&text) as u32 - 1;
    let with_itself = |digits: u32| others + digits;
    let mut tokens = with_itself(1);
    while tokens != with_itself(digit_groups(tokens)) {
        tokens = with_itself(digit_groups(tokens));
    }
    doc.estimated_tokens = tokens;
    if let Some(field) = json.get_mut("estimatedTokens") {
        *field = tokens.into();
    }
    Ok((json, stable_hash(&[text.as_bytes()])))
}

/// The number of groups of three digits in a number.
fn digit_groups(number: u32) -> u32 {
    number.checked_ilog10().map_or(1, |log| log / 3 + 1)
}
