//! Names, prefixes of names, and paths that a query spells.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use sdl_ledger::{TermHit, View};
use sdl_model::{SymbolId, SymbolKind};

use super::exact::rank_of_kind;
use super::files::files_at;
use super::plan::{NameProbe, Plan};
use super::postings::{read_postings, term_idf};
use crate::index::{Flags, Place, exact_term};
use crate::{Evidence, Result, Source};

/// Most symbols of one spelled name that are considered.
const MOST_NAMESAKES: usize = 400;
/// A text that spells more names than this is long. Of its names only those are looked at that at most this number of
/// symbols have, because the others say little and there may be hundreds of them.
const MANY_NAMES: usize = 48;
const MOST_OF_MANY: usize = 64;
/// A name that more symbols have means none of them in particular.
const FEW: usize = 4;
/// Most symbols of one spelled file that are considered.
const MOST_OF_FILE: usize = 200;
/// Added to the score of a symbol whose name is the whole query, so that it comes before all others. The next three are
/// multiples of this, added as well: for its owners as spelled, for its name with the same case, and for each rank of
/// its kind. Each outweighs all that follow.
const PIN: f32 = 1_000.0;
const OWNED: f32 = 24.0;
const BY_LETTER: f32 = 12.0;
const KIND: f32 = 2.0;
/// The value of being in a file that the query spells.
const IN_FILE: f32 = 2.5;

/// The value of a symbol apart from its words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bonus {
    /// For its name.
    pub(super) name: f32,
    /// For its file's path.
    pub(super) path: f32,
    /// How surely a spelled name means this symbol: 1 if it alone has the name, ½ if two have it, and so on; 0 if
    /// many have.
    pub(super) meant: f32,
    pub(super) flags: Flags,
}

impl Bonus {
    pub(super) fn sum(&self) -> f32 {
        self.name + self.path
    }
}

/// The symbols that a query spells.
pub(super) type Spelled = HashMap<SymbolId, Bonus>;

/// Finds all of them. `symbols` is the number of symbols in the version.
pub(super) fn find_spelled(
    source: &Source<'_>,
    plan: &Plan,
    symbols: f32,
    evidence: &mut Evidence,
) -> Result<Spelled> {
    let mut found = Spelled::new();
    name_lane(source, plan, symbols, &mut found, evidence)?;
    path_lane(source, plan, &mut found, evidence)?;
    prefix_lane(source.view(), plan, &mut found, evidence)?;
    Ok(found)
}

fn bonus_slot(spelled: &mut Spelled, symbol: SymbolId, flags: Flags) -> &mut Bonus {
    spelled.entry(symbol).or_insert(Bonus { flags, ..Bonus::default() })
}

/// Symbols whose name the query spells.
fn name_lane(
    source: &Source<'_>,
    plan: &Plan,
    symbols: f32,
    spelled: &mut Spelled,
    evidence: &mut Evidence,
) -> Result<()> {
    if plan.names.is_empty() {
        evidence.skipped("exactName");
        return Ok(());
    }
    let mut found = 0;
    let most = if plan.names.len() > MANY_NAMES { MOST_OF_MANY } else { MOST_NAMESAKES };
    for probe in &plan.names {
        let Some(term) = exact_term(&probe.name) else { continue };
        let mut hits = read_postings(source.view(), &term, most + 1)?;
        if hits.len() > most {
            if most < MOST_NAMESAKES {
                continue;
            }
            hits.truncate(most);
        }
        found += hits.len();
        if plan.single {
            pin_namesakes(source, plan, probe, &hits, spelled)?;
        } else {
            add_namesakes(source, plan, probe, (&hits, symbols), spelled)?;
        }
    }
    evidence.ran("exactName", found);
    Ok(())
}

/// Puts the symbols of the name that is the whole query before all others.
fn pin_namesakes(
    source: &Source<'_>,
    plan: &Plan,
    probe: &NameProbe,
    hits: &[TermHit],
    spelled: &mut Spelled,
) -> Result<()> {
    let by_letter = named_by_letter(source, probe)?;
    for hit in hits {
        let flags = Flags(hit.flags);
        let by_letter = by_letter.contains(&hit.symbol) || is_named(source, hit.symbol, flags, &probe.name)?;
        let rank = rank_of_kind(flags.kind(), flags.local());
        let worth = 1.0
            + OWNED * share_owned(source, probe, hit.symbol)?
            + if by_letter { BY_LETTER } else { 0.0 }
            + KIND * f32::from(rank)
            + flags.prior_for(plan.wants);
        bonus_slot(spelled, hit.symbol, flags).name += PIN * worth;
    }
    Ok(())
}

/// Adds the worth of a spelled name to each symbol of that name.
fn add_namesakes(
    source: &Source<'_>,
    plan: &Plan,
    probe: &NameProbe,
    (hits, symbols): (&[TermHit], f32),
    spelled: &mut Spelled,
) -> Result<()> {
    let telling = term_idf(hits.len() as u64, symbols);
    let by_letter = named_by_letter(source, probe)?;
    let mut meant: Vec<(SymbolId, bool, f32)> = Vec::new();
    for hit in hits {
        let flags = Flags(hit.flags);
        let owned = share_owned(source, probe, hit.symbol)?;
        let worth = 0.8 * telling * probe.weight * flags.prior_for(plan.wants) * (1.0 + owned);
        bonus_slot(spelled, hit.symbol, flags).name += worth;
        if by_letter.contains(&hit.symbol) {
            let aside = flags.test() && !plan.wants.tests || flags.aside() && !plan.wants.aside;
            meant.push((hit.symbol, aside, owned));
        }
    }
    // The symbols whose owners are spelled best, those of the product before all others.
    let most = meant.iter().map(|(_, _, owned)| *owned).fold(0.0, f32::max);
    meant.retain(|(_, _, owned)| *owned >= most);
    if meant.iter().any(|(_, aside, _)| !aside) {
        meant.retain(|(_, aside, _)| !aside);
    }
    if meant.len() <= FEW {
        for (symbol, ..) in &meant {
            if let Some(bonus) = spelled.get_mut(symbol) {
                bonus.meant = bonus.meant.max(1.0 / meant.len() as f32);
            }
        }
    }
    Ok(())
}

/// The symbols whose name is a probe's, case included.
fn named_by_letter(source: &Source<'_>, probe: &NameProbe) -> Result<HashSet<SymbolId>> {
    let named = source.view().named_up_to(&probe.name, MOST_NAMESAKES)?;
    Ok(named.into_iter().map(|hit| hit.symbol).collect())
}

/// The share of a probe's owners that a symbol has.
fn share_owned(source: &Source<'_>, probe: &NameProbe, symbol: SymbolId) -> Result<f32> {
    if probe.owners.is_empty() {
        return Ok(0.0);
    }
    let sym = source.listed(symbol)?;
    Ok(sym.map_or(0.0, |sym| owners_matched(&probe.owners, sym.qualified(), sym.path())))
}

/// Whether a symbol that lookups by name do not return has exactly that name.
fn is_named(source: &Source<'_>, symbol: SymbolId, flags: Flags, name: &str) -> Result<bool> {
    if !is_unlisted(flags) {
        return Ok(false);
    }
    Ok(source.listed(symbol)?.is_some_and(|sym| sym.name() == name))
}

/// Whether lookups by name omit such symbols.
fn is_unlisted(flags: Flags) -> bool {
    flags.local() || flags.kind() == SymbolKind::Module
}

/// The share of spelled owners that are in a symbol's qualified name or path.
pub(super) fn owners_matched(owners: &[String], qualified: &str, path: &str) -> f32 {
    let (qualified, path) = (qualified.to_lowercase(), path.to_lowercase());
    let held = |owner: &&String| {
        qualified.split(['.', ':', '#', '\\']).any(|part| part == owner.as_str())
            || path.split(['/', '.']).any(|part| part == owner.as_str())
    };
    owners.iter().filter(held).count() as f32 / owners.len() as f32
}

/// Symbols of files whose path the query spells.
fn path_lane(source: &Source<'_>, plan: &Plan, spelled: &mut Spelled, evidence: &mut Evidence) -> Result<()> {
    if plan.paths.is_empty() {
        evidence.skipped("path");
        return Ok(());
    }
    let mut found = 0;
    for path in &plan.paths {
        for file in files_at(source.view(), path)? {
            for sym in source.symbols_of(file)?.into_iter().take(MOST_OF_FILE) {
                if sym.kind() == SymbolKind::Impl {
                    continue;
                }
                found += 1;
                let flags = Flags::of(sym.def(), Place::of(sym.path()));
                bonus_slot(spelled, sym.id, flags).path += IN_FILE * flags.prior_for(plan.wants);
            }
        }
    }
    evidence.ran("path", found);
    Ok(())
}

/// Symbols whose name begins with the query, when it is a single name.
fn prefix_lane(view: &dyn View, plan: &Plan, spelled: &mut Spelled, evidence: &mut Evidence) -> Result<()> {
    let (true, [probe]) = (plan.single, plan.names.as_slice()) else {
        evidence.skipped("prefix");
        return Ok(());
    };
    let Some(prefix) = exact_term(&probe.name).filter(|prefix| prefix.len() > 2) else {
        evidence.skipped("prefix");
        return Ok(());
    };
    let mut names = Vec::new();
    view.terms(&prefix, &mut |term| {
        if term.len() > prefix.len() {
            names.push(term.to_owned());
        }
        if names.len() < 64 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let mut found = 0;
    for name in names {
        let share = prefix.len() as f32 / name.len() as f32;
        for hit in read_postings(view, &name, 32)? {
            found += 1;
            let flags = Flags(hit.flags);
            bonus_slot(spelled, hit.symbol, flags).name += 6.0 * share * flags.prior();
        }
    }
    evidence.ran("prefix", found);
    Ok(())
}
