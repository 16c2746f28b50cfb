//! Symbols that the task's words, names and paths point to.

use sdl_model::SymbolId;

use super::Seeds;
use super::stack::add_text_frames;
use crate::search::plan::Plan;
use crate::search::ranked::{Best, keep_best};
use crate::search::{Filter, exact, rank};
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source};

/// Most seeds that are taken from a text.
const MOST: usize = 200;
/// The score of a symbol whose exact name the task is or spells: higher than that of any found by words alone.
const NAMED: f32 = 0.95;
/// Most words of a short task.
const MOST_WORDS: usize = 8;
/// Most symbols that a task of a single name can mean.
const MOST_BEARERS: usize = 3;

pub(super) fn add_task_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    plan: &Plan,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    let text = request.task_text.as_deref().unwrap_or("");
    let traced = if request.stack_trace.is_none() { add_text_frames(source, text, seeds)? } else { 0 };
    let named = named_symbols(source, request, plan)?;
    for symbol in &named {
        seeds.add(*symbol, NAMED, false);
    }
    if plan.is_empty() {
        match named.len() + traced {
            0 => evidence.skipped("taskText"),
            found => evidence.ran("taskText", found),
        }
        return Ok(());
    }
    // Words point to a task's symbols more reliably than edges from there, so symbols reached from the seeds come after
    // them.
    let most = (request.budget.max_cards as usize).clamp(4, MOST);
    let Best { mut ranked, total } = rank::rank_symbols(source, plan, &Filter::default(), most, evidence)?;
    evidence.limited |= total.count > most;
    keep_best(&mut ranked, most);
    let best = ranked.first().map_or(1.0, |found| found.score).max(f32::EPSILON);
    for found in &ranked {
        // A power below 1 of the share is used, because scores fall off faster than relevance does. If each word is
        // in every symbol, they are 0 or just below.
        let share = (found.score / best).max(0.0);
        seeds.guess(found.symbol, 0.9 * share.powf(0.7));
    }
    evidence.ran("taskText", ranked.len());
    Ok(())
}

/// The symbols whose exact name the task is. For a short task also those that it spells, where only one symbol can be
/// meant. A long text spells many names that it is not about.
fn named_symbols(source: &Source<'_>, request: &SliceRequest, plan: &Plan) -> Result<Vec<SymbolId>> {
    let text = request.task_text.as_deref().unwrap_or("");
    if text.split_whitespace().nth(MOST_WORDS).is_some() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let most = if plan.single { MOST_BEARERS } else { 1 };
    for probe in plan.names.iter().filter(|probe| probe.weight >= 1.0).chain(&plan.capitals) {
        found.extend(exact::symbols_named(source, probe, most)?);
    }
    Ok(found)
}
