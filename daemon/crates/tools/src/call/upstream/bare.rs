//! Names without the key of their upstream, for entries with `prefix: false`, such as `read_file` in place of `fs_read_file`.
//!
//! A tool goes by its own name unless a tool that was seen earlier has that name. The earlier tools, its rivals, are found when it is
//! first seen, and stored. So its name stays, whatever is configured later and in any order. Only rivals that a session may see
//! count: a hidden tool changes no name. The name with the key leads to the tool all the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::call::names::RAW;

/// Longer names are refused by most models. Twice as long as ours, because clients know these by heart.
const LONGEST: usize = 64;

/// A tool or a prompt that has the same name as another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Rival {
    /// The upstream's key.
    pub(crate) key: String,
    /// The name that the upstream knows.
    pub(crate) name: String,
}

/// For each own name, who had it before. A name that is missing is not decided yet.
pub(crate) type Rivals = BTreeMap<String, Vec<Rival>>;

/// Whether clients accept a name as it is, and can't take it for another spelling of one.
pub(crate) fn is_bare_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_fine) && !name.starts_with("mcp__")
}

/// Who has which names.
pub(crate) struct Holders {
    /// The part of a name that decides whether two are the same.
    stem: fn(&str) -> &str,
    by_stem: HashMap<String, Vec<Holder>>,
}

struct Holder {
    who: Rival,
    /// The holders that were seen before it.
    after: Vec<Rival>,
}

impl Holders {
    /// Of tools. One and its raw twin have the same name.
    pub(crate) fn of_tools() -> Self {
        Self { stem: |name| name.strip_suffix(RAW).unwrap_or(name), by_stem: HashMap::new() }
    }

    /// Of prompts.
    pub(crate) fn of_prompts() -> Self {
        Self { stem: |name| name, by_stem: HashMap::new() }
    }

    /// Adds all of an upstream: their own names, and those with the key.
    pub(crate) fn add_all<'n>(
        &mut self,
        key: &str,
        names: impl Iterator<Item = (&'n str, &'n str)>,
        rivals: &Rivals,
    ) {
        for (name, advertised) in names {
            let stems = HashSet::from([(self.stem)(name), (self.stem)(advertised)]);
            for stem in stems {
                let who = Rival { key: key.to_owned(), name: name.to_owned() };
                let after = rivals.get(name).cloned().unwrap_or_default();
                self.by_stem.entry(stem.to_owned()).or_default().push(Holder { who, after });
            }
        }
    }

    /// Returns the earlier holders of these names of an upstream: those that are known already, and all others that have the
    /// name and did not come after it.
    pub(crate) fn rank<'n>(
        &self,
        key: &str,
        names: impl Iterator<Item = &'n String>,
        known: &Rivals,
    ) -> Rivals {
        let rank = |name: &String| {
            let own = Rival { key: key.to_owned(), name: name.clone() };
            let mut before = known.get(name).cloned().unwrap_or_default();
            for holder in self.by_stem.get((self.stem)(name)).into_iter().flatten() {
                let is_other = holder.who.key != key && !holder.after.contains(&own);
                if is_other && !before.contains(&holder.who) {
                    before.push(holder.who.clone());
                }
            }
            (name.clone(), before)
        };
        names.map(rank).collect()
    }
}

/// Something that may be shown by its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim<'a> {
    pub(crate) key: &'a str,
    pub(crate) name: &'a str,
    /// Its name with the key.
    pub(crate) prefixed: &'a str,
    /// Who had its name before; none if it is not shown by its own name at all.
    pub(crate) rivals: Option<&'a [Rival]>,
}

/// Returns which of those that a session sees are shown by their own names. `exists` says whether a rival exists for it.
pub(crate) fn choose_bare(claims: &[Claim<'_>], exists: &dyn Fn(&Rival) -> bool) -> Vec<bool> {
    let prefixed: HashSet<&str> = claims.iter().map(|one| one.prefixed).collect();
    let mut given: HashSet<&str> = HashSet::new();
    let mut chosen = Vec::with_capacity(claims.len());
    for one in claims {
        let is_first = one.rivals.is_some_and(|rivals| !rivals.iter().any(exists));
        // Names are unique whatever was stored.
        chosen.push(is_first && !prefixed.contains(one.name) && given.insert(one.name));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bare_name_is_one_that_clients_accept() {
        for name in ["read_file", "a", "get-thing", &"x".repeat(LONGEST)] {
            assert!(is_bare_name(name), "{name}");
        }
        for name in ["", "read.file", "read file", "é", "mcp__fs__read", &"x".repeat(LONGEST + 1)] {
            assert!(!is_bare_name(name), "{name}");
        }
    }

    proptest! {
        /// Of two that have a name, exactly one came after the other, in whatever order they are ranked and however often.
        #[test]
        fn of_two_with_a_name_one_is_the_first(order in proptest::collection::vec(0_usize..4, 1..12)) {
            let names = ["x".to_owned(), "x_raw".to_owned()];
            let keys = ["a", "b", "c", "d"];
            let mut known: BTreeMap<&str, Rivals> = BTreeMap::new();
            for at in order {
                let mut holders = Holders::of_tools();
                for (key, rivals) in &known {
                    holders.add_all(key, names.iter().map(|name| (name.as_str(), "")), rivals);
                }
                let before = known.get(keys[at]).cloned().unwrap_or_default();
                let ranked = holders.rank(keys[at], names.iter(), &before);
                prop_assert!(before.is_empty() || ranked == before, "a decision stays");
                known.insert(keys[at], ranked);
            }
            let is_after = |one: &str, name: &String, other: &str, other_name: &String| {
                known[one][name].contains(&Rival { key: other.into(), name: other_name.clone() })
            };
            for (one, other) in known.keys().flat_map(|one| known.keys().map(move |other| (*one, *other))) {
                for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))) {
                    let both = [is_after(one, a, other, b), is_after(other, b, one, a)];
                    prop_assert_eq!(both.iter().filter(|is| **is).count(), usize::from(one != other));
                }
            }
        }
    }
}
