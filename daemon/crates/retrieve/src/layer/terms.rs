//! What the files of a layer say to a search.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use sdl_ledger::{FactsStore, Posting, Result, Snapshot, TermHit, View};
use sdl_model::{FileId, SymbolId};

use super::StateFile;
use crate::index;

/// The postings of a layer's files, in the place of those that the version below has of them.
#[derive(Debug, Default)]
pub struct Terms {
    /// The symbols of these files in the version below: their postings don't count.
    hidden: HashSet<SymbolId>,
    /// How many of those postings each term has.
    lost: HashMap<Box<str>, u64>,
    own: BTreeMap<Box<str>, BTreeMap<SymbolId, (u16, u16)>>,
}

impl Terms {
    /// Of these files, over the snapshot's version. Takes the time of indexing them twice.
    pub fn of(facts: &FactsStore, files: &[StateFile], snapshot: &Snapshot<'_>) -> Result<Self> {
        let mut terms = Self::default();
        for file in files {
            let id = FileId::of(&file.path);
            terms.hidden.extend(snapshot.symbols_of(id)?);
            if let Some(row) = snapshot.file(id)?
                && let Some(key) = row.state.facts()
                && let (Some(outline), Some(body)) = (facts.outline(&key)?, facts.body(&key)?)
            {
                for Posting { term, .. } in index::postings(&row.path, id, &outline, &body) {
                    *terms.lost.entry(term).or_default() += 1;
                }
            }
            if let Some(facts) = &file.facts {
                for posting in index::postings(&file.path, id, &facts.outline, &facts.body) {
                    let Posting { term, symbol, impact, flags } = posting;
                    terms.own.entry(term).or_default().insert(symbol, (impact, flags));
                }
            }
        }
        Ok(terms)
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
        each: &mut dyn FnMut(TermHit) -> ControlFlow<()>,
    ) -> Result<()> {
        let own = self.own.get(term).into_iter().flatten();
        let mut own = own.map(|(&symbol, &(impact, flags))| TermHit { symbol, impact, flags }).peekable();
        let mut flow = ControlFlow::Continue(());
        base.postings(term, &mut |hit| {
            if self.hidden.contains(&hit.symbol) {
                return ControlFlow::Continue(());
            }
            while let Some(earlier) = own.next_if(|own| own.symbol < hit.symbol) {
                flow = each(earlier);
                if flow.is_break() {
                    return flow;
                }
            }
            flow = each(hit);
            flow
        })?;
        if flow.is_continue() {
            let _ = own.try_for_each(each);
        }
        Ok(())
    }

    pub(super) fn terms(
        &self,
        base: &dyn View,
        prefix: &str,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<()> {
        let own = self.own.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
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
}
