//! How much a term says about a row: BM25F with fixed lengths, so that a weight depends on its row alone and stays
//! right whatever else is stored.
//!
//! Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6.

use std::collections::BTreeMap;

use super::terms::each_term;
use super::text::Texts;

/// How soon another occurrence of a term adds nothing. The customary value.
const K1: f32 = 1.2;
/// The units of a stored weight. The greatest weight, `K1 + 1`, fits [`WEIGHT_BITS`].
const WEIGHT_UNIT: f32 = 14_000.0;
const WEIGHT_BITS: u16 = 0x7fff;
/// Marks a term that is in a row's names.
const NAMED_BIT: u16 = 0x8000;

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
/// Less than the customary 0.75, because a longer note mostly says more, not the same in more words.
const BODY: Field = Field { counts: 1.0, length: 20.0, by_length: 0.4 };
/// Tags and names are lists: each entry is said once, and a longer list is no repetition.
const LIST: Field = Field { counts: 1.0, length: 4.0, by_length: 0.0 };

/// A weight as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight(pub(super) u16);

impl Weight {
    fn new(weight: f32, is_named: bool) -> Self {
        let units = (weight * WEIGHT_UNIT).round().clamp(1.0, f32::from(WEIGHT_BITS)) as u16;
        Self(units | if is_named { NAMED_BIT } else { 0 })
    }

    /// How much the term says about the row.
    pub(super) fn value(self) -> f32 {
        f32::from(self.0 & WEIGHT_BITS) / WEIGHT_UNIT
    }

    /// Whether the term is in a name.
    pub(super) fn is_named(self) -> bool {
        self.0 & NAMED_BIT != 0
    }
}

/// Returns the terms of a row with their weights, in order.
pub(super) fn weigh_terms(texts: &Texts) -> BTreeMap<String, Weight> {
    let mut names = BTreeMap::new();
    add_field(&mut names, &LIST, texts.names.iter().map(String::as_str));
    let mut counts = names.clone();
    add_field(&mut counts, &TITLE, [texts.title.as_str()]);
    add_field(&mut counts, &BODY, [texts.body.as_str()]);
    add_field(&mut counts, &LIST, texts.tags.iter().map(String::as_str));
    let weight = |(term, count): (String, f32)| {
        let is_named = names.contains_key(&term);
        (term, Weight::new(count * (K1 + 1.0) / (count + K1), is_named))
    };
    counts.into_iter().map(weight).collect()
}

/// Returns the share of a row's terms that are in questions, from 0 to 255: whoever asks does not know.
pub(super) fn share_of_questions(texts: &Texts) -> u8 {
    let (mut all, mut asked) = (0_u64, 0_u64);
    for sentence in texts.body.split_inclusive(['.', '!', '?', '\n']) {
        let mut count = 0;
        each_term(sentence, &mut |_| count += 1);
        all += count;
        if sentence.ends_with('?') {
            asked += count;
        }
    }
    u8::try_from((asked * 255).checked_div(all).unwrap_or_default()).unwrap_or(u8::MAX)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(texts: Texts) -> impl Fn(&str) -> f32 {
        let weights = weigh_terms(&texts);
        move |term| weights.get(term).map_or(0.0, |weight| weight.value())
    }

    #[test]
    fn a_title_counts_more_and_a_long_text_less() {
        let of = weights(Texts {
            title: "cache".to_owned(),
            body: format!("retry {}", "network ".repeat(19)),
            ..Texts::default()
        });
        assert!(of("cach") > of("retri") && of("retri") > 0.0);
        let long = weights(Texts { body: "retry of the request ".repeat(30), ..Texts::default() });
        let short = weights(Texts { body: "retry ".repeat(30), ..Texts::default() });
        assert!(long("retri") < short("retri"));
        assert!(short("retri") < K1 + 1.001);
    }

    #[test]
    fn a_name_is_marked_and_questions_are_counted() {
        let texts = Texts {
            body: "Ann fixed it. Did Bob see?".to_owned(),
            names: vec!["Ann".to_owned()],
            ..Texts::default()
        };
        let weights = weigh_terms(&texts);
        assert_eq!(["ann", "bob"].map(|term| weights[term].is_named()), [true, false]);
        assert_eq!(share_of_questions(&texts), 127);
        assert_eq!(share_of_questions(&Texts::default()), 0);
    }
}
