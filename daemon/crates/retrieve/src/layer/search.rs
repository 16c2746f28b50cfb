//! The search index of a state: the terms of its files replace those that the version has for them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use sdl_ledger::{Counters, FactsStore, Result, Sign, Snapshot, Tally, TermHit, View};
use sdl_model::{Facts, FileId, SymbolId};

use super::State;
use crate::index;

/// The postings that a search finds in a state, and their totals.
#[derive(Debug, Default)]
pub struct Search {
    /// The symbols that its files have in the version below: their postings don't count.
    hidden: HashSet<SymbolId>,
    /// The number of those postings that each term has.
    lost: HashMap<Box<str>, u64>,
    own: BTreeMap<Box<str>, BTreeMap<SymbolId, (u8, u16)>>,
    pub(super) totals: Counters,
}

impl Search {
    /// The index of a state over the snapshot's version; `held` has the facts of its files. Takes the time of indexing
    /// them twice.
    pub fn of(
        state: &State,
        held: &HashMap<FileId, Arc<Facts>>,
        facts: &FactsStore,
        snapshot: &Snapshot<'_>,
    ) -> Result<Self> {
        let mut search = Self::default();
        let mut tally = Tally::from_counters(&snapshot.counters()?);
        for (id, own) in state.layer().files() {
            search.hidden.extend(snapshot.symbols_of(id)?);
            if let Some(row) = snapshot.file(id)? {
                tally.row(&row, Sign::Minus);
                tally.resolved(snapshot.resolution_of(id)?, Sign::Minus);
                if let Some(key) = row.state.facts()
                    && let (Some(outline), Some(body)) = (facts.outline(&key)?, facts.body(&key)?)
                {
                    tally.outline(
                        outline.lang.name(),
                        outline.defs.len(),
                        outline.is_generated(),
                        Sign::Minus,
                    );
                    for (term, _) in index::file_postings(&row.path, id, &outline, &body).iter() {
                        *search.lost.entry(term.into()).or_default() += 1;
                    }
                }
            }
            if let Some(row) = &own.row {
                tally.row(row, Sign::Plus);
            }
            if let (Some(outline), Some(facts)) = (&own.outline, held.get(&id)) {
                tally.outline(outline.lang.name(), outline.defs.len(), outline.is_generated(), Sign::Plus);
                let postings = index::file_postings(&own.path, id, &facts.outline, &facts.body);
                for (term, TermHit { symbol, impact, flags }) in postings.iter() {
                    search.own.entry(term.into()).or_default().insert(symbol, (impact, flags));
                }
            }
        }
        let covered = |file| state.layer().has(file);
        for (file, counts) in state.counts() {
            if !covered(file) {
                tally.resolved(snapshot.resolution_of(file)?, Sign::Minus);
            }
            tally.resolved(counts, Sign::Plus);
        }
        for (symbol, edges) in state.layer().edges() {
            tally.edges(snapshot.out_edges(symbol)?.len(), Sign::Minus);
            tally.edges(edges.len(), Sign::Plus);
        }
        search.totals = tally.counters();
        Ok(search)
    }

    pub(super) fn count(&self, base: &dyn View, term: &str) -> Result<u64> {
        let lost = self.lost.get(term).copied().unwrap_or(0);
        let own = self.own.get(term).map_or(0, BTreeMap::len) as u64;
        Ok((base.term_count(term)? + own).saturating_sub(lost))
    }

    pub(super) fn postings(
        &self,
        base: &dyn View,
        term: &str,
        each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>,
    ) -> Result<()> {
        let own = self.own.get(term).into_iter().flatten();
        let mut own = own.map(|(&symbol, &(impact, flags))| TermHit { symbol, impact, flags }).peekable();
        let mut flow = ControlFlow::Continue(());
        let mut merged = Vec::new();
        base.postings(term, &mut |hits| {
            merged.clear();
            for hit in hits.iter().filter(|hit| !self.hidden.contains(&hit.symbol)) {
                while let Some(earlier) = own.next_if(|own| own.symbol < hit.symbol) {
                    merged.push(earlier);
                }
                merged.push(*hit);
            }
            flow = each(&merged);
            flow
        })?;
        if flow.is_continue() {
            let _ = each(&own.collect::<Vec<_>>());
        }
        Ok(())
    }

    pub(super) fn postings_among(
        &self,
        base: &dyn View,
        term: &str,
        symbols: &[SymbolId],
        each: &mut dyn FnMut(TermHit),
    ) -> Result<()> {
        let own = self.own.get(term);
        for symbol in symbols {
            if let Some(&(impact, flags)) = own.and_then(|own| own.get(symbol)) {
                each(TermHit { symbol: *symbol, impact, flags });
            }
        }
        base.postings_among(term, symbols, &mut |hit| {
            if !self.hidden.contains(&hit.symbol) {
                each(hit);
            }
        })
    }

    pub(super) fn terms(
        &self,
        base: &dyn View,
        prefix: &str,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<()> {
        let own = self.own.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let mut own = own.map(|(term, _)| &**term).take_while(|term| term.starts_with(prefix)).peekable();
        let mut flow = ControlFlow::Continue(());
        let mut failure = Ok(());
        base.terms(prefix, &mut |term| {
            while let Some(earlier) = own.next_if(|own| *own < term) {
                flow = each(earlier);
                if flow.is_break() {
                    return flow;
                }
            }
            let mine = own.next_if(|own| *own == term).is_some();
            if !mine && self.lost.contains_key(term) {
                // Only files of the layer may have had it.
                match self.count(base, term) {
                    Ok(0) => return ControlFlow::Continue(()),
                    Ok(_) => {}
                    Err(error) => {
                        failure = Err(error);
                        return ControlFlow::Break(());
                    }
                }
            }
            flow = each(term);
            flow
        })?;
        failure?;
        if flow.is_continue() {
            let _ = own.try_for_each(each);
        }
        Ok(())
    }
    pub(super) fn term_from(&self, base: &dyn View, from: &str) -> Result<Option<String>> {
        let own = self.own.range::<str, _>((Bound::Included(from), Bound::Unbounded)).next();
        let mut below = base.term_from(from)?;
        while let Some(term) = below.take_if(|term| self.lost.contains_key(term.as_str())) {
            if self.own.contains_key(term.as_str()) || self.count(base, &term)? > 0 {
                below = Some(term);
                break;
            }
            below = base.term_from(&(term + "\0"))?;
        }
        Ok(own.map(|(term, _)| term.to_string()).into_iter().chain(below).min())
    }
}
