//! Searches of the part of a tree that a first index has read so far, by names alone.
//!
//! Finds nothing that the same search of the finished index would not find: a symbol whose name, or the words of whose
//! name, are in the query. Words of bodies, comments and paths are found once there are postings.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use regex::Regex;
use sdl_ledger::{BriefRow, SymbolHome};
use sdl_model::{FileRow, SymbolKind};

use super::exact::ends_in;
use super::filter::Filter;
use super::pattern::{compile_pattern, share_worth};
use super::plan::{NameProbe, Plan};
use super::spelled::owners_matched;
use super::{Hit, SearchRequest, SearchResponse};
use crate::index::words::{self, Scratch};
use crate::index::{EXACT, Flags, Place, exact_term, has_owners, is_indexed};
use crate::numbers::Milli;
use crate::part::PartView;
use crate::{Evidence, LaneStatus, Result, UserError};

/// Of a query with more words than this, a finished index reads those that say most in the tree, which a part can't know.
/// Here only its names count.
const MOST_TERMS: usize = 30;
/// Added for a name that the query spells, so that it comes before all that only share words with it.
const SPELLED: f32 = 100.0;

/// Searches a part.
pub(super) fn search_part(
    part: &PartView<'_>,
    request: &SearchRequest,
    (plan, filter): (&Plan, &Filter),
    limit: usize,
) -> Result<SearchResponse> {
    let mut wanted = Wanted::of(request, plan)?;
    let mut found: Vec<Hit> = Vec::new();
    let mut total = 0;
    part.walk(&mut |file, row, briefs| {
        let place = Place::of(row.path.as_str());
        for brief in briefs.rows()? {
            let brief = brief?;
            let flags = Flags::of_brief(brief.kind, brief.flags, place);
            if !is_indexed(brief.kind, brief.flags) || !filter.keeps_brief(file, flags) {
                continue;
            }
            let Some(worth) = wanted.worth(&brief, row) else { continue };
            let symbol = file.symbol(brief.key);
            part.remember(symbol, SymbolHome { file, kind: brief.kind });
            total += 1;
            let (name, qualified) = names_of(&brief, row);
            found.push(Hit {
                symbol_id: symbol,
                name: name.to_owned(),
                qualified_name: qualified.to_owned(),
                file: row.path.as_str().to_owned(),
                line: brief.line,
                kind: brief.kind,
                exported: flags.exported(),
                score: Milli::of(f64::from(worth * flags.prior_for(plan.wants))),
            });
        }
        if found.len() > 4 * limit {
            keep_best(&mut found, limit);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    keep_best(&mut found, limit);
    let mut evidence = Evidence::default();
    let note = "the first index is under way; names alone were searched, in the files read so far";
    evidence.push("part", LaneStatus::Limited, total, Some(note.to_owned()));
    Ok(SearchResponse {
        results: found,
        total: total as u64,
        total_at_least: false,
        cursor: None,
        near_misses: Vec::new(),
        retrieval_evidence: request.evidence.then_some(evidence),
    })
}

fn keep_best(found: &mut Vec<Hit>, most: usize) {
    let order =
        |a: &Hit, b: &Hit| -> Ordering { b.score.cmp(&a.score).then_with(|| a.symbol_id.cmp(&b.symbol_id)) };
    found.sort_unstable_by(order);
    found.truncate(most);
}

/// A definition's simple and qualified name, as lists show them.
fn names_of<'b>(brief: &BriefRow<'b>, row: &'b FileRow) -> (&'b str, &'b str) {
    let name = if brief.name.is_empty() { row.path.stem() } else { brief.name };
    (name, if brief.qualified.is_empty() { name } else { brief.qualified })
}

/// What a name must be like.
enum Wanted<'q> {
    /// This name, letter for letter: the query and its last part in lower case.
    Whole(&'q str, String),
    /// Nothing is called like this.
    Nothing,
    Pattern(Regex),
    Words(Words<'q>),
}

impl<'q> Wanted<'q> {
    fn of(request: &'q SearchRequest, plan: &'q Plan) -> Result<Self> {
        let query = request.query.trim();
        if request.regex {
            return Ok(Self::Pattern(compile_pattern(query)?));
        }
        if request.exact {
            let probe = plan.names.first().filter(|_| plan.single);
            let last = probe.and_then(|probe| exact_term(&probe.name));
            return Ok(last.map_or(Self::Nothing, |last| Self::Whole(query, last)));
        }
        if plan.is_empty() {
            return Err(UserError::EmptyQuery.into());
        }
        Ok(Self::Words(Words::of(plan)))
    }

    /// How well a definition fits; none if it does not.
    fn worth(&mut self, brief: &BriefRow<'_>, row: &FileRow) -> Option<f32> {
        let (name, qualified) = names_of(brief, row);
        match self {
            Self::Nothing => None,
            Self::Whole(query, last) => {
                let same = name == *query || qualified == *query || ends_in(qualified, query);
                (same && exact_term(name).as_ref() == Some(last)).then_some(1.0)
            }
            Self::Pattern(pattern) => {
                let term = exact_term(name)?;
                let name = term.strip_prefix(EXACT).unwrap_or(&term);
                let found = pattern.find(name)?;
                Some(share_worth(found.len() as f32 / name.len().max(1) as f32))
            }
            Self::Words(words) => words.worth(brief, (name, qualified), row),
        }
    }
}

/// Words and names of a query.
struct Words<'q> {
    /// The names that the query spells, with their terms.
    names: Vec<(String, &'q NameProbe)>,
    terms: Vec<(&'q str, f32)>,
    /// The weight of all terms together, above 0.
    mass: f32,
    scratch: Scratch,
    /// Which terms a name has.
    met: Vec<bool>,
}

impl<'q> Words<'q> {
    fn of(plan: &'q Plan) -> Self {
        let names = plan.names.iter().filter_map(|probe| Some((exact_term(&probe.name)?, probe)));
        let terms: Vec<(&str, f32)> = match plan.terms.as_slice() {
            few if few.len() <= MOST_TERMS => few.iter().map(|one| (one.term.as_str(), one.weight)).collect(),
            _ => Vec::new(),
        };
        Self {
            names: names.collect(),
            mass: terms.iter().map(|(_, weight)| weight).sum::<f32>().max(f32::EPSILON),
            met: vec![false; terms.len()],
            terms,
            scratch: Scratch::default(),
        }
    }

    fn worth(&mut self, brief: &BriefRow<'_>, (name, qualified): (&str, &str), row: &FileRow) -> Option<f32> {
        let Self { names, terms, mass, scratch, met } = self;
        met.fill(false);
        // The name's own words, and those of its owners where an index has them.
        let owned = brief.kind != SymbolKind::Module && has_owners(brief.kind, brief.flags);
        let mut count = 0;
        words::each_term(if owned { qualified } else { name }, scratch, &mut |term| {
            count += 1;
            for (met, _) in met.iter_mut().zip(&*terms).filter(|(_, (wanted, _))| *wanted == term) {
                *met = true;
            }
        });
        let covered: f32 = terms.iter().zip(&*met).filter(|(_, met)| **met).map(|((_, w), _)| w).sum();
        let hits = met.iter().filter(|met| **met).count();
        let density = hits as f32 / count.max(1) as f32;
        let term = if names.is_empty() { None } else { exact_term(name) };
        let spelled = names.iter().filter(|(wanted, _)| Some(wanted) == term.as_ref());
        let spelled = spelled
            .map(|(_, probe)| {
                let owners = match probe.owners.as_slice() {
                    [] => 0.0,
                    owners => owners_matched(owners, qualified, row.path.as_str()),
                };
                let by_letter = if probe.name == name { 1.0 } else { 0.5 };
                SPELLED * probe.weight * (by_letter + owners)
            })
            .fold(0.0, f32::max);
        (hits > 0 || spelled > 0.0).then_some(spelled + 10.0 * covered / *mass + density)
    }
}
