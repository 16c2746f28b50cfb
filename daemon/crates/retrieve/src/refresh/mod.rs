//! A held slice and a version to exactly what changed.
//!
//! A slice is a held set: its lease says which symbols a client holds since which version. A refresh compares that set as
//! it was in the client's version with the head: edited, renamed, moved and removed members, and symbols that edited
//! members newly call. Edits elsewhere change nothing but the version.

mod advance;
mod lease;
mod unsaved;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use lease::{Lease, Member};
pub use unsaved::refresh_between;

use sdl_ledger::Changes;
use sdl_model::{SymbolId, Version};

use crate::card::{self, CardOptions, Detail, Enrichment, Plain};
use crate::diff::{Change, ChangeType, ChangedSymbol, Delta, FanIn, blast_radius, changed_symbols};
use crate::slice::{self, BuiltSlice};
use crate::{History, Outlines, Result, Source, UserError};

/// Affected symbols that a slice's delta names.
const MOST_AFFECTED: usize = 12;

/// What a refresh gives.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing that the client holds changed.
    NotModified,
    /// What changed.
    Delta(Box<RefreshDelta>),
    /// The whole slice anew: the client's version is unknown, aged out, or of another ledger.
    Fresh(Box<BuiltSlice>),
}

/// A delta scoped to a slice, with what did not fit.
#[derive(Clone, Debug)]
pub struct RefreshDelta {
    /// The delta.
    pub delta: Delta,
    /// Changed symbols whose cards did not fit the budget: what the spillover handle serves.
    pub spilled: Vec<SymbolId>,
    /// Exact tokens of `delta`, serialized.
    pub tokens: u32,
}

/// A refresh's outcome and the lease as it is from now on.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The version that was compared with.
    pub current: Version,
    /// What changed.
    pub outcome: Outcome,
    /// The lease, brought up to `current`. Store it if it differs from the one given.
    pub lease: Lease,
}

/// Brings a held slice up to the version that `history` is at.
pub fn refresh(
    history: &dyn History,
    outlines: &dyn Outlines,
    lease: &Lease,
    known: Version,
    enrichment: &dyn Enrichment,
) -> Result<Refreshed> {
    let head = history.version();
    let comparable = lease.incarnation == history.incarnation()
        && (lease.oldest()..=head).contains(&known)
        && lease.current <= head
        && history.floor().is_some_and(|floor| floor <= known && floor <= lease.current);
    let source = Source::new(history, outlines);
    if !comparable {
        return fresh(&source, history, lease, enrichment);
    }
    // A client may have seen a newer version in another answer; of this slice it has seen no more than was served.
    let known = known.min(lease.current);
    let mut lease = lease.clone();
    if lease.current < head {
        advance::advance(history, outlines, &mut lease)?;
    }
    if known == head {
        return Ok(Refreshed { current: head, outcome: Outcome::NotModified, lease });
    }
    let changes = history.changes_between(known, head)?;
    let held: HashSet<SymbolId> = lease.held_at(known).collect();
    let changed = held_changes(history, outlines, known, &changes, &held)?;
    let scoped = scope(&source, changed, &lease, known, &held)?;
    keep_hold(&source, &mut lease, &held, &scoped)?;
    let outcome = if scoped.is_empty() {
        Outcome::NotModified
    } else {
        let fan_in = FanIn::between(history, known, &changes)?;
        // Without processes: a refresh is asked for after each edit, and they are walks over the graph.
        let blast =
            blast_radius(&source, history, (known, &changes), &scoped, &fan_in, &Plain, MOST_AFFECTED)?;
        let delta =
            Delta { from_version: known, to_version: head, changed_symbols: Vec::new(), blast_radius: blast };
        Outcome::Delta(Box::new(with_cards(&source, delta, &scoped, &lease, enrichment)?))
    };
    Ok(Refreshed { current: head, outcome, lease })
}

/// The whole slice anew, and a lease that begins here.
pub fn fresh(
    source: &Source<'_>,
    history: &dyn History,
    lease: &Lease,
    enrichment: &dyn Enrichment,
) -> Result<Refreshed> {
    let mut request = lease.request.clone();
    // What the client holds is of a version that we know nothing of.
    request.known_card_etags.clear();
    // Symbols that are gone must not stand in the way of the rest.
    let mut entries = Vec::new();
    for symbol in &request.entry_symbols {
        if source.view().symbol_file(*symbol)?.is_some() {
            entries.push(*symbol);
        }
    }
    request.entry_symbols = entries;
    let built = match slice::build(source, &request, enrichment) {
        Err(crate::Error::User(UserError::NoSeeds)) => slice::empty(source, &request)?,
        built => built?,
    };
    let lease = Lease::new(history.incarnation(), built.version, built.members(), request);
    Ok(Refreshed { current: built.version, outcome: Outcome::Fresh(Box::new(built)), lease })
}

/// What became of the held symbols: looks at their own files, and at all changed files only if one of them is gone.
fn held_changes(
    history: &dyn History,
    outlines: &dyn Outlines,
    from: Version,
    changes: &Changes,
    held: &HashSet<SymbolId>,
) -> Result<Vec<Change>> {
    let mut files = HashSet::new();
    let mut gone = false;
    for &symbol in held {
        match history.symbol_file(symbol)? {
            Some(file) => drop(files.insert(file)),
            None => gone = true,
        }
    }
    let scoped = Changes {
        files: changes.files.iter().filter(|change| gone || files.contains(&change.file)).cloned().collect(),
        edges: changes.edges.iter().copied().filter(|symbol| held.contains(symbol)).collect(),
    };
    let mut changed = changed_symbols(history, outlines, (from, history.version()), &scoped)?;
    changed.retain(|change| {
        let now = change.old.is_some() && change.new.as_ref().is_some_and(|sym| held.contains(&sym.id));
        now || change.old.as_ref().is_some_and(|sym| held.contains(&sym.id))
    });
    Ok(changed)
}

/// The changes of what was held, and what is held since.
fn scope(
    source: &Source<'_>,
    mut changed: Vec<Change>,
    lease: &Lease,
    known: Version,
    held: &HashSet<SymbolId>,
) -> Result<Vec<Change>> {
    let told: HashSet<SymbolId> = changed.iter().map(Change::symbol).collect();
    for member in lease.members.iter().filter(|member| member.until.is_none() && member.since > known) {
        if told.contains(&member.symbol) || held.contains(&member.symbol) {
            continue;
        }
        if let Some(sym) = source.symbol(member.symbol)? {
            changed.push(Change { what: ChangeType::Added, old: None, new: Some(sym), differences: None });
        }
    }
    Ok(changed)
}

/// Makes members of all that the client holds after this answer. That may be more than the lease knew: a symbol that went
/// and came back between two of its versions, a rename that looks otherwise over several versions.
fn keep_hold(
    source: &Source<'_>,
    lease: &mut Lease,
    held: &HashSet<SymbolId>,
    changed: &[Change],
) -> Result<()> {
    let mut kept: Vec<SymbolId> = Vec::new();
    for &symbol in held {
        let gone = changed.iter().any(|change| {
            change.old.as_ref().is_some_and(|old| old.id == symbol) && change.symbol() != symbol
                || change.what == ChangeType::Removed && change.symbol() == symbol
        });
        if !gone && source.view().symbol_file(symbol)?.is_some() {
            kept.push(symbol);
        }
    }
    kept.sort_unstable();
    kept.extend(changed.iter().filter_map(|change| change.new.as_ref()).map(|sym| sym.id));
    for symbol in kept {
        if !lease.holds(symbol) {
            lease.members.push(Member { symbol, since: lease.current, until: None });
        }
    }
    Ok(())
}

/// The changed symbols with their cards, as many as the budget holds; the others have their etags.
fn with_cards(
    source: &Source<'_>,
    mut delta: Delta,
    changed: &[Change],
    lease: &Lease,
    enrichment: &dyn Enrichment,
) -> Result<RefreshDelta> {
    let limit = lease.request.budget.max_estimated_tokens as usize;
    let options = CardOptions {
        detail: lease.request.card_detail.unwrap_or(Detail::Compact),
        min_call_confidence: lease.request.min_call_confidence,
        resolution_metadata: lease.request.resolution_metadata,
    };
    let mut cards = HashMap::new();
    for (place, change) in changed.iter().enumerate() {
        let mut told: ChangedSymbol = change.to_wire();
        if let Some(sym) = &change.new {
            let mut card = card::card_of(source, sym, options, enrichment)?;
            card.ledger_version = None;
            told.etag = Some(card.etag.clone());
            cards.insert(place, card);
        }
        delta.changed_symbols.push(told);
    }
    // First by adding up, which is nearly right; then by counting, which is.
    let mut tokens = count(&delta)?;
    let mut spilled = BTreeMap::new();
    for (place, told) in delta.changed_symbols.iter_mut().enumerate() {
        let Some(card) = cards.remove(&place) else { continue };
        let more = sdl_tokens::count(&serde_json::to_string(&card)?) + 4;
        if tokens + more <= limit {
            tokens += more;
            told.etag = None;
            told.card = Some(card);
        } else {
            spilled.insert(place, card.symbol_id);
        }
    }
    tokens = count(&delta)?;
    while tokens > limit {
        let last = delta.changed_symbols.iter_mut().enumerate().rfind(|(_, told)| told.card.is_some());
        if let Some((place, told)) = last {
            told.etag = told.card.take().map(|card| card.etag);
            spilled.insert(place, told.symbol_id);
        } else if delta.blast_radius.pop().is_none() {
            break;
        }
        tokens = count(&delta)?;
    }
    Ok(RefreshDelta { tokens: tokens as u32, delta, spilled: spilled.into_values().collect() })
}

fn count(delta: &Delta) -> Result<usize> {
    Ok(sdl_tokens::count(&serde_json::to_string(delta)?))
}
