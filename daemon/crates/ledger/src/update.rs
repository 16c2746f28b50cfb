//! The parts of a batch.

use std::sync::Arc;

use crate::TermHit;
use sdl_model::{Edge, Facts, FileId, FileRow, RelPath, StatHint, SymbolId};

/// One file in its new state.
#[derive(Clone, Debug)]
pub struct FileUpdate {
    /// Its path.
    pub path: RelPath,
    /// Its row, or none if it is gone.
    pub row: Option<FileRow>,
    /// Its `stat` when it was read.
    pub stat: Option<StatHint>,
    /// Its facts, if it has any.
    pub facts: Option<Arc<Facts>>,
}

/// The search postings of one file. Symbols share most of their terms with others of the file, so each is here once.
#[derive(Clone, Debug, Default)]
pub struct FilePostings {
    /// The terms, mostly without doubles.
    pub terms: Vec<Box<str>>,
    /// The postings, each with the place of its term among these.
    pub hits: Vec<(u32, TermHit)>,
}

impl FilePostings {
    /// Every posting with its term.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TermHit)> {
        self.hits.iter().filter_map(|(term, hit)| Some((&**self.terms.get(*term as usize)?, *hit)))
    }
}

impl FromIterator<Posting> for FilePostings {
    fn from_iter<I: IntoIterator<Item = Posting>>(postings: I) -> Self {
        let mut all = Self::default();
        for Posting { term, symbol, impact, flags } in postings {
            all.hits.push((all.terms.len() as u32, TermHit { symbol, impact, flags }));
            all.terms.push(term);
        }
        all
    }
}

/// One search posting of a symbol. The term is text that the search index made; the store does not look into it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Posting {
    /// The term, 1 to 64 bytes.
    pub term: Box<str>,
    /// The symbol.
    pub symbol: SymbolId,
    /// The weighted, length-normalized frequency of the term in the symbol, fixed point.
    pub impact: u8,
    /// The symbol's properties that the search index needs without opening it: kind, exported, test.
    pub flags: u16,
}

/// How many references of one file were resolved, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ResolutionCounts {
    /// References with an exact target.
    pub exact: u32,
    /// With an inferred one.
    pub inferred: u32,
    /// With several.
    pub ambiguous: u32,
    /// Whose target is known to be outside the repository.
    pub external: u32,
    /// With none.
    pub unresolved: u32,
}

/// One file, resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The file.
    pub file: Option<FileId>,
    /// For each of its symbols that has any: the outgoing edges, sorted, without doubles.
    pub edges: Vec<(SymbolId, Vec<Edge>)>,
    /// Hashes of the lookup keys that were asked, sorted, without doubles.
    pub asked: Vec<u32>,
    /// The [`crate::name_mark`]s of the names that it mentions, that some definition has, and whose meaning there is
    /// not known; sorted, without doubles. Each of these names was asked for.
    pub unresolved: Vec<u32>,
    /// The counts of its references.
    pub counts: ResolutionCounts,
}
