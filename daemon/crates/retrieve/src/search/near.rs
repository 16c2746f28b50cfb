//! Names that are nearly the one that was asked for.

use sdl_ledger::View;

use super::rank::{name_from, of_name};
use super::ranked::{Ranked, keep_best};
use crate::Result;
use crate::index::{Flags, words};

/// Names that are given.
const MOST_NAMES: usize = 5;
/// Symbols of each that are given.
const MOST_EACH: usize = 2;
/// Most names that are looked at. Of the four million of Linux a search looks at ten thousand.
const MOST_LOOKS: usize = 100_000;
/// Letters at the start of a name that at most one edit may be in.
const FIRST: usize = 3;
/// The same for two edits.
const START: usize = 6;

/// The symbols whose names are nearest to `name` by edit distance, nearest first. Those too far away are left out, and those that
/// differ too much at the start, see [`FIRST`]: few misspellings do, and the others are found without reading every name.
pub(crate) fn similar_names(view: &dyn View, name: &str) -> Result<Vec<Ranked>> {
    let wanted: Vec<char> = name.chars().map(words::lower_char).take(64).collect();
    let reach = match wanted.len() {
        0..=2 => return Ok(Vec::new()),
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let found = near_names(&wanted, reach, |from| name_from(view, from))?;
    let mut ranked = Vec::new();
    for (distance, name) in found.into_iter().take(MOST_NAMES) {
        let mut hits: Vec<Ranked> = of_name(view, &name, 64)?
            .into_iter()
            .map(|hit| {
                let flags = Flags(hit.flags);
                Ranked { symbol: hit.symbol, score: flags.prior() / (1.0 + distance as f32) }
            })
            .collect();
        keep_best(&mut hits, MOST_EACH);
        ranked.extend(hits);
    }
    Ok(ranked)
}

/// The names within `reach` edits of `wanted` with their distances, nearest first: at least [`MOST_NAMES`] where there are more.
/// `name_from` gives the first name that is not before a text.
fn near_names(
    wanted: &[char],
    reach: usize,
    mut name_from: impl FnMut(&str) -> Result<Option<String>>,
) -> Result<Vec<(usize, String)>> {
    let mut table = Table::new(wanted, reach);
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut from = String::new();
    for _ in 0..MOST_LOOKS {
        let Some(name) = name_from(&from)? else { break };
        let fit = table.fit(&name);
        from.clone_from(&name);
        match fit {
            Fit::Near(distance) => {
                found.push((distance, name));
                if found.len() > 64 * MOST_NAMES {
                    found.sort();
                    found.truncate(MOST_NAMES);
                }
            }
            Fit::Far => {}
            Fit::Never(bytes) => {
                from.truncate(bytes);
                from.push(char::MAX);
                if from > name {
                    continue;
                }
                from = name;
            }
        }
        // The next text in order.
        from.push('\0');
    }
    found.sort();
    Ok(found)
}

/// How a name fits.
enum Fit {
    /// It is that many edits away.
    Near(usize),
    /// It is too far away.
    Far,
    /// No name that begins with its first bytes, of this number, is near enough.
    Never(usize),
}

/// The distances between the beginnings of a name and of the wanted one. Names that come in order share most rows.
///
/// An edit is an insertion, a deletion, a replacement, or a swap of neighbors that no other edit touches.
struct Table<'w> {
    wanted: &'w [char],
    reach: usize,
    letters: Vec<char>,
    /// Row `d` has the distances between the first `d` letters and each beginning of the wanted name.
    rows: Vec<Vec<usize>>,
}

impl<'w> Table<'w> {
    fn new(wanted: &'w [char], reach: usize) -> Self {
        Self { wanted, reach, letters: Vec::new(), rows: vec![(0..=wanted.len()).collect()] }
    }

    fn fit(&mut self, name: &str) -> Fit {
        let shared = self.letters.iter().zip(name.chars()).take_while(|(one, other)| **one == *other).count();
        self.letters.truncate(shared);
        self.rows.truncate(shared + 1);
        for (offset, letter) in name.char_indices().skip(shared) {
            if self.letters.len() == self.wanted.len() + self.reach {
                return Fit::Never(offset);
            }
            if self.add_row(letter) > most_edits(self.letters.len()).min(self.reach) {
                return Fit::Never(offset + letter.len_utf8());
            }
        }
        match self.rows.last().and_then(|row| row.last()) {
            Some(&distance) if distance <= self.reach => Fit::Near(distance),
            _ => Fit::Far,
        }
    }

    /// Adds the row of one more letter. Gives the least distance in it.
    fn add_row(&mut self, letter: char) -> usize {
        let depth = self.letters.len();
        let last = &self.rows[depth];
        let before = self.letters.last().zip(depth.checked_sub(1).map(|before| &self.rows[before]));
        let mut row = Vec::with_capacity(last.len());
        row.push(depth + 1);
        for (at, &wanted) in self.wanted.iter().enumerate() {
            let mut cost = (last[at] + usize::from(letter != wanted)).min(last[at + 1] + 1).min(row[at] + 1);
            if let Some((&previous, before)) = before
                && at > 0
                && letter == self.wanted[at - 1]
                && previous == wanted
            {
                cost = cost.min(before[at - 1] + 1);
            }
            row.push(cost);
        }
        let least = row.iter().copied().min().unwrap_or(usize::MAX);
        self.letters.push(letter);
        self.rows.push(row);
        least
    }
}

/// The most edits in the first letters of a name.
fn most_edits(letters: usize) -> usize {
    if letters <= FIRST {
        1
    } else if letters <= START {
        2
    } else {
        usize::MAX
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// The distance by its definition, with a row for each letter and nothing shared.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut least = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    least[i][j] = i + j;
                    continue;
                }
                let replaced = least[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                least[i][j] = replaced.min(least[i - 1][j] + 1).min(least[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least[i][j] = least[i][j].min(least[i - 2][j - 2] + 1);
                }
            }
        }
        least[a.len()][b.len()]
    }

    /// Whether a name is within reach, and each beginning of it has no more edits than it may have.
    fn is_near(wanted: &[char], name: &[char], reach: usize) -> bool {
        let beginning = |d: usize| {
            let least = (0..=wanted.len()).map(|j| distance(&name[..d], &wanted[..j])).min();
            least.is_some_and(|least| least <= most_edits(d).min(reach))
        };
        distance(wanted, name) <= reach && (1..=name.len()).all(beginning)
    }

    fn search(wanted: &str, reach: usize, names: &BTreeSet<String>) -> (Vec<(usize, String)>, usize) {
        let mut looks = 0;
        let found = near_names(&letters(wanted), reach, |from| {
            looks += 1;
            Ok(names.range(from.to_owned()..).next().cloned())
        });
        (found.unwrap(), looks)
    }

    #[test]
    fn common_misspellings_are_near() {
        let names: BTreeSet<String> =
            ["get_user", "netif_receive_skb", "schedule", "__free_pages", "receive_message", "\u{10ffff}x"]
                .map(String::from)
                .into();
        for (wanted, meant, distance) in [
            ("get_user", "get_user", 0),
            ("get_usre", "get_user", 1),
            ("getuser", "get_user", 1),
            ("set_users", "get_user", 2),
            ("shcedule", "schedule", 1),
            ("netif_recv_skb", "netif_receive_skb", 3),
            ("recv_message", "receive_message", 3),
            ("_free_pages", "__free_pages", 1),
        ] {
            let reach = if wanted.len() > 8 { 3 } else { 2 };
            assert_eq!(search(wanted, reach, &names).0, [(distance, meant.to_owned())], "{wanted}");
        }
        assert!(search("put_users", 2, &names).0.is_empty());
        assert!(search("tes_user", 3, &names).0.is_empty(), "two edits in the first three letters");
    }

    #[test]
    fn most_names_are_not_looked_at() {
        let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
        let mut names = BTreeSet::new();
        for a in words {
            for b in words {
                names.extend(words.iter().flat_map(|c| (0..10).map(move |n| format!("{a}_{b}_{c}{n}"))));
            }
        }
        let (found, looks) = search("delta_ehco_golf", 3, &names);
        assert_eq!(found.len(), 10);
        assert!(looks * 10 < names.len(), "{looks} of {}", names.len());
    }

    proptest! {
        #[test]
        fn the_names_found_are_those_near_by_definition(
            names in prop::collection::btree_set("[ab_\u{10ffff}]{0,8}|[ab_]{3,7}", 0..60),
            wanted in "[ab_]{3,7}",
            reach in 1..=3_usize,
        ) {
            let wanted_letters = letters(&wanted);
            let mut expected: Vec<(usize, String)> = names
                .iter()
                .filter(|name| is_near(&wanted_letters, &letters(name), reach))
                .map(|name| (distance(&wanted_letters, &letters(name)), name.clone()))
                .collect();
            expected.sort();
            prop_assert_eq!(search(&wanted, reach, &names).0, expected);
        }
    }
}
