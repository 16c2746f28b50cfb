//! Widens a question by the words of the rows that answer it best: other rows with the same words are about the same.
//!
//! Lavrenko, Croft: "Relevance-Based Language Models", 2001; here without probabilities, by weights and rarity.

use std::collections::BTreeMap;

use sdl_ledger::Result;

use super::layout::{row_terms_key, weights_of};
use super::matches::{Matches, Place, Scored};
use super::question::Word;
use crate::store::Tables;
use crate::tables::WORDS;

/// Rows whose words are taken.
pub(super) const BEST: usize = 10;
/// Words that are added, at most.
const MAX_ADDED: usize = 10;
/// Words whose rarity is looked up, at most: the heaviest of the best rows.
const MAX_WEIGHED: usize = 64;
/// What the added words count together, of all words of the question.
const ADDED: f32 = 0.3;

/// Adds to the matches the words that the best rows have, each by how much of them it is. `best` has scores in order.
pub(super) fn add_words(
    tables: &impl Tables,
    places: &[Place<'_>],
    words: &[Word],
    best: &[Scored],
    matches: &mut Matches,
) -> Result<()> {
    let mut weights: BTreeMap<&str, f32> = BTreeMap::new();
    for scored in best {
        let (at, doc) = scored.row;
        let Some(place) = places.get(at) else { continue };
        let Some(terms) = tables.get_bytes(WORDS, &row_terms_key(place.part.number, doc))? else { continue };
        // A name says whose row it is, not what it is about.
        for (term, weight) in weights_of(terms).filter(|(_, weight)| !weight.is_named()) {
            *weights.entry(term).or_default() += scored.score * weight.value();
        }
    }
    weights.retain(|term, _| words.iter().all(|word| word.term != *term));
    let mut heaviest: Vec<(&str, f32)> = weights.into_iter().collect();
    sort_by_weight(&mut heaviest);
    heaviest.truncate(MAX_WEIGHED);
    let mut of_best: Vec<Place<'_>> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        of_best.extend(best.iter().any(|scored| scored.row.0 == at).then_some(*place));
    }
    for (term, weight) in &mut heaviest {
        *weight *= Matches::rarity_of(tables, &of_best, term)?;
    }
    sort_by_weight(&mut heaviest);
    heaviest.truncate(MAX_ADDED);
    let all: f32 = heaviest.iter().map(|(_, weight)| weight).sum();
    let total = matches.total_rarity();
    for (term, weight) in heaviest {
        matches.add_plain(tables, places, term, ADDED * total * weight / all.max(f32::MIN_POSITIVE))?;
    }
    Ok(())
}

fn sort_by_weight(terms: &mut [(&str, f32)]) {
    terms.sort_by(|(one, a), (other, b)| b.total_cmp(a).then_with(|| one.cmp(other)));
}
