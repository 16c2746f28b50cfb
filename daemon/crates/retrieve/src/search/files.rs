//! Files as evidence: those that a query spells, and those in which much of it is found.

use std::collections::HashMap;

use sdl_ledger::View;
use sdl_model::{FileId, SymbolId, SymbolKind};

use super::plan::Plan;
use super::rank::{Bonus, Ranked, order};
use crate::index::{Flags, Place};
use crate::{Evidence, Result, Source};

/// Symbols of one spelled file that are considered.
const MOST_OF_FILE: usize = 200;
/// The best symbols, among which files are compared.
const BEST: usize = 200;
/// The best symbols of a file that speak for it.
const SPEAKERS: u32 = 3;
/// How much the best file lifts its symbols.
const LIFT: f32 = 1.5;

/// Lifts symbols whose file holds other symbols that fit: what a task is about tends to lie together. Lifts only the
/// best, so that these stay before all others.
pub(super) fn lift(source: &Source<'_>, ranked: &mut [Ranked], evidence: &mut Evidence) -> Result<()> {
    if ranked.len() > BEST {
        ranked.select_nth_unstable_by(BEST, order);
    }
    let best = ranked.get_mut(..BEST.min(ranked.len())).unwrap_or_default();
    best.sort_unstable_by(order);
    let mut files: HashMap<FileId, (f32, u32)> = HashMap::new();
    let mut homes = Vec::with_capacity(best.len());
    for found in best.iter() {
        let home = source.view().symbol_file(found.symbol)?;
        homes.push(home);
        if let Some(home) = home {
            let (sum, speakers) = files.entry(home).or_default();
            if *speakers < SPEAKERS {
                *sum += found.score;
                *speakers += 1;
            }
        }
    }
    let most = files.values().map(|(sum, _)| *sum).fold(f32::EPSILON, f32::max);
    for (found, home) in best.iter_mut().zip(homes) {
        let share = home.and_then(|home| files.get(&home)).map_or(0.0, |(sum, _)| sum / most);
        found.score *= 1.0 + LIFT * share;
    }
    evidence.ran("file", files.len());
    Ok(())
}

/// Symbols of files whose path the query spells.
pub(super) fn path_lane(
    source: &Source<'_>,
    plan: &Plan,
    bonus: &mut HashMap<SymbolId, Bonus>,
    evidence: &mut Evidence,
) -> Result<()> {
    if plan.paths.is_empty() {
        evidence.skipped("path");
        return Ok(());
    }
    let mut found = 0;
    for path in &plan.paths {
        for file in files_at(source.view(), path)? {
            let symbols = source.symbols_of(file)?;
            for sym in symbols.into_iter().take(MOST_OF_FILE) {
                let flags = Flags::of(sym.def(), Place::of(sym.path()));
                if sym.kind() == SymbolKind::Impl {
                    continue;
                }
                found += 1;
                let slot = bonus.entry(sym.id).or_insert(Bonus { score: 0.0, flags });
                slot.score += 2.5 * flags.prior_for(plan.wants);
            }
        }
    }
    evidence.ran("path", found);
    Ok(())
}

/// The files that a spelled path means: those whose path ends with it, or, for a longer one from elsewhere, those whose
/// path it ends with. At most three.
pub(crate) fn files_at(view: &dyn View, spelled: &str) -> Result<Vec<FileId>> {
    let spelled = spelled.replace('\\', "/");
    let spelled = spelled.trim_start_matches("./").trim_end_matches('/');
    let Some(name) = spelled.rsplit('/').next().filter(|name| !name.is_empty()) else {
        return Ok(Vec::new());
    };
    let ends_with = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let mut found = Vec::new();
    for file in view.files_named(name)? {
        let Some(row) = view.file(file)? else { continue };
        let path = row.path.as_str();
        if ends_with(path, spelled) || ends_with(spelled, path) {
            found.push((path.len(), path.to_owned(), file));
        }
    }
    found.sort();
    Ok(found.into_iter().take(3).map(|(_, _, file)| file).collect())
}
