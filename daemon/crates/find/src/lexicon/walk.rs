//! From the words of a query to entries, and from entries to what they have to do with.

use super::Lexicon;
use super::table::Relation;

/// The share of a word's weight that a near synonym gets.
const SYNONYM: f64 = 0.55;
/// What a topic gets for a thing that belongs to it, such as `weather` for `umbrella`.
const TOPIC: f64 = 0.5;
/// What a thing gets for its topic, such as `umbrella` for `weather`.
const THING: f64 = 0.3;
/// What a word in another language gets, because it is the same word.
const TRANSLATION: f64 = 0.8;
/// A second step counts this much of its share, because two relations in a row are often none.
const SECOND_STEP: f64 = 0.6;
/// Relations below this share are not followed.
const LEAST: f64 = 0.06;
/// What a whole phrase has to do with counts this much for all its words together, if a query has only some of them.
const PHRASE: f64 = 0.5;
/// At most this many relations of an entry are kept, the best.
const MOST: usize = 64;
/// Between the words of a phrase there may be up to this number of others.
const MOST_BETWEEN: usize = 4;

/// Words that may be between the words of a phrase without being counted.
const FILLERS: [&str; 22] = [
    "a", "an", "any", "are", "be", "for", "in", "is", "it", "its", "me", "my", "of", "on", "our", "some",
    "that", "the", "their", "this", "to", "your",
];

/// An entry that a query has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) entry: u32,
    /// The places of its words in the query.
    pub(crate) places: Vec<usize>,
}

impl Lexicon {
    /// Returns the entries that are in a query, given the forms of its words. A phrase may be interrupted: `cut the text into
    /// pieces` has `cut into pieces`. An entry inside a longer one is passed over, because `look up` is not `look`.
    pub(crate) fn entries_in(&self, forms: &[&str]) -> Vec<Found> {
        let ids: Vec<Option<u32>> = forms.iter().map(|form| self.find_word(form)).collect();
        let mut found = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            let Some(id) = id else { continue };
            for entry in self.beginning_with(*id) {
                if let Some(places) = follow_phrase(self.words_of(entry), &ids, forms, at) {
                    found.push(Found { entry, places });
                }
            }
        }
        let is_inside = |inner: &Found| {
            found.iter().any(|outer| {
                outer.places.len() > inner.places.len()
                    && inner.places.iter().all(|place| outer.places.contains(place))
            })
        };
        let kept: Vec<bool> = found.iter().map(|entry| !is_inside(entry)).collect();
        let mut kept = kept.into_iter();
        found.retain(|_| kept.next().unwrap_or_default());
        found
    }

    /// Returns what an entry has to do with, with shares between 0 and 1, the best first.
    pub(crate) fn related_to(&self, entry: u32) -> Vec<(u32, f64)> {
        let first = self.step_from(entry);
        let mut all = first.clone();
        for (middle, share) in first {
            for (end, second) in self.step_from(middle) {
                let share = share * second * SECOND_STEP;
                if end != entry && share >= LEAST {
                    all.push((end, share));
                }
            }
        }
        keep_best(&mut all);
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(MOST);
        all
    }

    /// Returns what one word of a query has to do with as a part of phrases that the query doesn't have as a whole, and those
    /// phrases. Each word of a phrase counts for its part of it.
    pub(crate) fn related_by_phrase(&self, form: &str) -> Vec<(u32, f64)> {
        let Some(word) = self.find_word(form).filter(|word| !self.is_silent(*word)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for phrase in self.phrases_with(word) {
            let telling = self.words_of(*phrase).iter().filter(|word| !self.is_silent(**word)).count();
            if telling > 1 {
                let part = PHRASE / telling as f64;
                found.push((*phrase, part));
                let related = self.step_from(*phrase).into_iter().map(|(other, share)| (other, share * part));
                found.extend(related.filter(|(_, share)| *share >= LEAST));
            }
        }
        keep_best(&mut found);
        found
    }

    fn step_from(&self, entry: u32) -> Vec<(u32, f64)> {
        let mut found = Vec::new();
        for group in self.groups_of(entry) {
            let (relation, heads, rest) = self.group(*group);
            let is_head = heads.contains(&entry);
            let (to_heads, to_rest) = match (relation, is_head) {
                (Relation::Same, _) => (SYNONYM, 0.0),
                (Relation::Topic, true) => (SYNONYM, THING),
                (Relation::Topic, false) => (TOPIC, 0.0),
                (Relation::Translation, true) => (0.0, TRANSLATION),
                (Relation::Translation, false) => (TRANSLATION, 0.0),
            };
            for (members, share) in [(heads, to_heads), (rest, to_rest)] {
                if share > 0.0 {
                    found.extend(members.iter().map(|member| (*member, share)));
                }
            }
        }
        found.retain(|(other, _)| *other != entry);
        keep_best(&mut found);
        found
    }
}

/// Keeps the largest share of each entry.
fn keep_best(all: &mut Vec<(u32, f64)>) {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by_key(|(entry, _)| *entry);
}

/// Returns the places of a phrase's words if it begins at `at`.
fn follow_phrase(phrase: &[u32], ids: &[Option<u32>], forms: &[&str], at: usize) -> Option<Vec<usize>> {
    let mut places = vec![at];
    let (mut next, mut between) = (at + 1, 0);
    for word in phrase.iter().skip(1) {
        while *ids.get(next)? != Some(*word) {
            between += usize::from(!forms.get(next).is_some_and(|form| FILLERS.contains(form)));
            if between > MOST_BETWEEN {
                return None;
            }
            next += 1;
        }
        places.push(next);
        next += 1;
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "weather, climate\nweather > umbrella, rain coat  # what one needs\ncut, cut into pieces, split\n\
                        look up, search\nlook, see\nsearch > cut\nthe, a\nweather = 天气, 气候\nsplit = 拆分";

    fn table() -> Lexicon {
        Lexicon::new(&[TEXT])
    }

    fn spelled(table: &Lexicon, entry: u32) -> String {
        table.words_of(entry).iter().map(|word| table.word(*word)).collect::<Vec<_>>().join(" ")
    }

    fn entries(query: &str) -> Vec<String> {
        let table = table();
        let tokens = crate::words::tokens_of(query);
        let forms: Vec<&str> = tokens.iter().map(|token| token.form()).collect();
        table.entries_in(&forms).iter().map(|found| spelled(&table, found.entry)).collect()
    }

    fn related(word: &str) -> Vec<(String, f64)> {
        let table = table();
        let entry = (0..table.counts().0 as u32).find(|entry| spelled(&table, *entry) == word).unwrap();
        table.related_to(entry).into_iter().map(|(entry, share)| (spelled(&table, entry), share)).collect()
    }

    #[test]
    fn phrases_may_be_interrupted_but_not_far() {
        assert_eq!(entries("cut the long text into pieces"), ["cut into piec"]);
        assert_eq!(entries("cut one two three four five into pieces"), ["cut"]);
        assert_eq!(entries("look it up"), ["look up"]);
        assert_eq!(entries("look around"), ["look"]);
        assert_eq!(entries("the"), Vec::<String>::new());
    }

    #[test]
    fn shares_follow_the_relation() {
        let of_umbrella = related("umbrella");
        assert_eq!(of_umbrella[0].0, "weath");
        assert!((of_umbrella[0].1 - TOPIC).abs() < 1e-9, "the whole share");
        let second = of_umbrella.iter().find(|(word, _)| word == "clim").unwrap().1;
        assert!(second < of_umbrella[0].1 * SYNONYM, "a second step is damped: {second}");
        let of_weather = related("weath");
        assert_eq!(of_weather[0].0, "天气", "a translation is nearly the word itself: {of_weather:?}");
        assert!(related("天气").iter().any(|(word, share)| word == "weath" && *share > 0.7));
        assert!(of_weather.iter().any(|(word, share)| word == "rain coat" && (*share - THING).abs() < 1e-9));
        assert!(!of_weather.iter().any(|(word, _)| word == "weath"), "nothing leads back to itself");
    }

    #[test]
    fn a_word_stands_for_its_part_of_a_phrase() {
        let table = table();
        let of = |form: &str| -> Vec<(String, f64)> {
            let found = table.related_by_phrase(form);
            found.into_iter().map(|(entry, share)| (spelled(&table, entry), share)).collect()
        };
        let of_coat = of("coat");
        let share = |word: &str| of_coat.iter().find(|(other, _)| other == word).map(|(_, share)| *share);
        assert_eq!(share("rain coat"), Some(PHRASE / 2.0), "one of two words: {of_coat:?}");
        assert_eq!(share("weath"), Some(TOPIC * PHRASE / 2.0));
        assert_eq!(
            (of("into"), of("zyxomma")),
            (Vec::new(), Vec::new()),
            "words that say nothing, and unknown ones"
        );
        let one_tells = Lexicon::new(&["in pieces, split"]);
        assert_eq!(
            one_tells.related_by_phrase("piec"),
            [],
            "a word that is the whole phrase is no part of it"
        );
    }

    #[test]
    fn the_order_of_lines_changes_nothing() {
        let mut lines: Vec<&str> = TEXT.lines().collect();
        lines.reverse();
        let (one, other) = (table(), Lexicon::new(&[&lines.join("\n")]));
        for entry in 0..one.counts().0 as u32 {
            assert_eq!(one.related_to(entry), other.related_to(entry));
        }
    }
}
