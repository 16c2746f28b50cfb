//! The totals of a version, kept by adding and taking away.

use std::collections::BTreeMap;

use sdl_model::{FileRow, FileState, Lang};

use crate::codec::Public;
use crate::{Counters, ResolutionCounts};

/// Totals in the making.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    files: i64,
    generated: i64,
    symbols: i64,
    edges: i64,
    failed: i64,
    skipped: BTreeMap<String, i64>,
    languages: BTreeMap<String, i64>,
    resolution: [i64; 5],
}

/// Whether something comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It comes.
    Plus,
    /// It goes.
    Minus,
}

impl Sign {
    fn of(self, count: usize) -> i64 {
        match self {
            Self::Plus => count as i64,
            Self::Minus => -(count as i64),
        }
    }
}

fn add_count(map: &mut BTreeMap<String, i64>, name: &str, by: i64) {
    match map.get_mut(name) {
        Some(count) => *count += by,
        None => {
            map.insert(name.to_owned(), by);
        }
    }
}

fn list_counts(map: &BTreeMap<String, i64>) -> Vec<(String, u64)> {
    map.iter().filter(|(_, count)| **count != 0).map(|(name, count)| (name.clone(), *count as u64)).collect()
}

impl Tally {
    /// Goes on from stored totals.
    pub fn from_counters(counters: &Counters) -> Self {
        let map = |list: &[(String, u64)]| list.iter().map(|(name, n)| (name.clone(), *n as i64)).collect();
        let mut tally = Self {
            files: counters.files as i64,
            generated: counters.generated as i64,
            symbols: counters.symbols as i64,
            edges: counters.edges as i64,
            failed: counters.failed as i64,
            skipped: map(&counters.skipped),
            languages: map(&counters.languages),
            resolution: [0; 5],
        };
        tally.resolved(counters.resolution, Sign::Plus);
        tally
    }

    /// The totals now.
    pub fn counters(&self) -> Counters {
        let [exact, inferred, ambiguous, external, unresolved] = self.resolution.map(|n| n as u32);
        Counters {
            files: self.files as u64,
            symbols: self.symbols as u64,
            edges: self.edges as u64,
            failed: self.failed as u64,
            skipped: list_counts(&self.skipped),
            languages: list_counts(&self.languages),
            resolution: ResolutionCounts { exact, inferred, ambiguous, external, unresolved },
            generated: self.generated as u64,
        }
    }

    /// Adds or removes the row of a file.
    pub fn row(&mut self, row: &FileRow, sign: Sign) {
        let by = sign.of(1);
        match row.state {
            FileState::Indexed(_) => self.files += by,
            FileState::Skipped(reason) => add_count(&mut self.skipped, reason.name(), by),
            FileState::Failed(_) => self.failed += by,
        }
    }

    /// Adds or removes the published part of an indexed file.
    pub(crate) fn public(&mut self, public: &Public, sign: Sign) {
        let lang = public.lang().map_or("unknown", Lang::name);
        self.outline(lang, public.defs.len(), public.is_generated(), sign);
    }

    /// Adds or removes the definitions of a file in that language.
    pub fn outline(&mut self, lang: &str, symbols: usize, generated: bool, sign: Sign) {
        self.symbols += sign.of(symbols);
        self.generated += sign.of(usize::from(generated));
        add_count(&mut self.languages, lang, sign.of(1));
    }

    /// Adds or removes edges.
    pub fn edges(&mut self, edges: usize, sign: Sign) {
        self.edges += sign.of(edges);
    }

    /// A resolved file's counts come or go.
    pub fn resolved(&mut self, counts: ResolutionCounts, sign: Sign) {
        let ResolutionCounts { exact, inferred, ambiguous, external, unresolved } = counts;
        for (total, n) in self.resolution.iter_mut().zip([exact, inferred, ambiguous, external, unresolved]) {
            *total += sign.of(n as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::facts::{Def, DefFlags, StrIx};
    use sdl_model::{FileId, Outline, RelPath, SkipReason, SymbolKind};

    use super::*;

    #[test]
    fn what_comes_and_goes_leaves_nothing() {
        let row = FileRow {
            path: RelPath::new("a").unwrap(),
            state: FileState::Skipped(SkipReason::Binary),
            size: 1,
        };
        let generated = Def { flags: DefFlags::GENERATED, ..Def::new(StrIx(0), SymbolKind::Module) };
        let outline = Outline { defs: vec![generated], ..Outline::empty(Lang::Rust) };
        let public = Public::of(FileId(1), &outline);
        let counts = ResolutionCounts { exact: 3, ..ResolutionCounts::default() };
        let mut tally = Tally::default();
        for sign in [Sign::Plus, Sign::Minus] {
            tally.row(&row, sign);
            tally.public(&public, sign);
            tally.edges(7, sign);
            tally.resolved(counts, sign);
            if sign == Sign::Plus {
                let counters = tally.counters();
                assert_eq!(counters.skipped, [("binary".to_owned(), 1)]);
                assert_eq!(counters.languages, [("rust".to_owned(), 1)]);
                assert_eq!(counters.generated, 1);
                assert_eq!(Tally::from_counters(&counters).counters(), counters);
            }
        }
        assert_eq!(tally.counters(), Counters::default());
    }
}
