//! The request and the answer of a search.

use sdl_model::ids::stable_hash;
use sdl_model::{SymbolId, SymbolKind};
use serde::{Deserialize, Serialize};

use crate::numbers::Milli;
use crate::{Evidence, names};

/// Default number of results on a page.
pub const DEFAULT_LIMIT: usize = 50;
/// Maximum number of results on a page.
pub const MAX_LIMIT: usize = 1_000;

/// The request of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// Words, a name, a qualified name, a path, or a pattern.
    pub query: String,
    /// Only these kinds; empty means all.
    pub kinds: Vec<SymbolKind>,
    /// Results per page; 0 means [`DEFAULT_LIMIT`], more than [`MAX_LIMIT`] means that.
    pub limit: usize,
    /// From an earlier page's answer.
    pub cursor: Option<String>,
    /// Only symbols whose simple or qualified name is the query, letter for letter.
    pub exact: bool,
    /// The query is a regular expression over simple names, ignoring case.
    pub regex: bool,
    /// Only symbols of files whose path matches.
    pub path_glob: Option<String>,
    /// Only symbols that other files can see.
    pub exported_only: bool,
    /// Also search by meaning, where that is available.
    pub semantic: bool,
    /// Whether to report how the results were found.
    pub evidence: bool,
    /// Names that were mentioned in the conversation. They count for more.
    pub chat_mentions: Vec<String>,
}

impl SearchRequest {
    /// A search for `query` with nothing else set.
    pub fn new(query: &str) -> Self {
        Self { query: query.to_owned(), ..Self::default() }
    }

    /// Tells the pages of this search from those of another.
    pub(super) fn fingerprint(&self) -> u32 {
        let kinds: Vec<u8> = self.kinds.iter().flat_map(|kind| kind.name().bytes().chain([b','])).collect();
        let switches = [self.exact, self.regex, self.exported_only, self.semantic].map(u8::from);
        let glob = self.path_glob.as_deref().unwrap_or("");
        let mentions = self.chat_mentions.join("\n");
        stable_hash(&[self.query.as_bytes(), &kinds, &switches, glob.as_bytes(), mentions.as_bytes()]) as u32
    }
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The symbol.
    #[serde(with = "names::symbol_id")]
    pub symbol_id: SymbolId,
    /// Its simple name.
    pub name: String,
    /// Its name with those of its owners inside the file, such as `Cart.checkout`.
    pub qualified_name: String,
    /// Its file.
    pub file: String,
    /// The line of its name.
    pub line: u32,
    /// Its kind.
    #[serde(with = "names::kind")]
    pub kind: SymbolKind,
    /// Whether other files can see it.
    pub exported: bool,
    /// How well it fits; comparable within one search only.
    pub score: Milli,
}

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// The results, best first.
    pub results: Vec<Hit>,
    /// The number of results on all pages together, or the least that it can be.
    pub total: u64,
    /// Whether there may be more, because the most frequent words were not read to the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub total_at_least: bool,
    /// For the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Symbols of similar names, when nothing matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<Hit>,
    /// How the results were found, if asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_evidence: Option<Evidence>,
}
