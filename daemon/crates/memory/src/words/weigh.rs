//! How much a term says about a row: BM25F with fixed lengths, so that a weight depends on its row alone and stays
//! right whatever else is stored.
//!
//! Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6.

use std::collections::BTreeMap;

use super::terms::each_term;
use super::text::Texts;

/// How soon another occurrence of a term adds nothing. The customary value.
const K1: f32 = 1.2;
/// The units of a stored weight. The greatest weight, `K1 + 1`, fits 16 bits.
pub(super) const WEIGHT_UNIT: f32 = 20_000.0;

/// A field of a row.
struct Field {
    /// What an occurrence counts, in occurrences in the body.
    counts: f32,
    /// The usual number of terms.
    length: f32,
    /// How much a longer field makes each of its terms count less: 0 not at all, 1 in proportion.
    by_length: f32,
}

/// A title is made to say what the row is about.
const TITLE: Field = Field { counts: 2.0, length: 6.0, by_length: 0.5 };
/// 0.75 is customary for text.
const BODY: Field = Field { counts: 1.0, length: 20.0, by_length: 0.75 };
/// Tags and names are lists: each entry is said once, and a longer list is no repetition.
const LIST: Field = Field { counts: 1.0, length: 4.0, by_length: 0.0 };

/// Returns the terms of a row with their weights, in order.
pub(super) fn weigh_terms(texts: &Texts) -> BTreeMap<String, u16> {
    let mut counts = BTreeMap::new();
    add_field(&mut counts, &TITLE, [texts.title.as_str()]);
    add_field(&mut counts, &BODY, [texts.body.as_str()]);
    add_field(&mut counts, &LIST, texts.tags.iter().map(String::as_str));
    add_field(&mut counts, &LIST, texts.names.iter().map(String::as_str));
    counts.into_iter().map(|(term, count)| (term, to_units(count * (K1 + 1.0) / (count + K1)))).collect()
}

fn add_field<'t>(
    counts: &mut BTreeMap<String, f32>,
    field: &Field,
    texts: impl IntoIterator<Item = &'t str>,
) {
    let mut found: BTreeMap<String, f32> = BTreeMap::new();
    let mut length = 0.0_f32;
    for text in texts {
        each_term(text, &mut |term| {
            length += 1.0;
            match found.get_mut(term) {
                Some(count) => *count += 1.0,
                None => _ = found.insert(term.to_owned(), 1.0),
            }
        });
    }
    let norm = 1.0 + field.by_length * (length / field.length - 1.0);
    for (term, count) in found {
        *counts.entry(term).or_default() += field.counts * count / norm.max(0.1);
    }
}

fn to_units(weight: f32) -> u16 {
    (weight * WEIGHT_UNIT).round().clamp(1.0, f32::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(texts: Texts) -> impl Fn(&str) -> u16 {
        let weights = weigh_terms(&texts);
        move |term| weights.get(term).copied().unwrap_or_default()
    }

    #[test]
    fn a_title_counts_more_and_a_long_text_less() {
        let of = weights(Texts {
            title: "cache".to_owned(),
            body: format!("retry {}", "network ".repeat(19)),
            ..Texts::default()
        });
        assert!(of("cach") > of("retri") && of("retri") > 0);
        let long = weights(Texts { body: "retry of the request ".repeat(30), ..Texts::default() });
        let short = weights(Texts { body: "retry ".repeat(30), ..Texts::default() });
        assert!(long("retri") < short("retri"));
        assert!(f32::from(short("retri")) <= (K1 + 1.0) * WEIGHT_UNIT);
    }
}
