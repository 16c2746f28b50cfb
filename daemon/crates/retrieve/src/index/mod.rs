//! Facts to search postings, and the splitting of names and texts into terms.

mod changes;
mod fields;
mod flags;
mod stem;
mod stop;
pub(crate) mod words;

pub use changes::{Halves, changed_postings};
pub use fields::file_postings;
pub(crate) use fields::{EXACT, IMPACT_ONE, exact_term, has_owners, is_indexed};
pub(crate) use flags::{Flags, PRIOR_FLAGS, Place, Wants, is_aside_path};
pub use sdl_model::lang::is_test_path;

/// Every word of a text that says something, with its search term, in order: `findSymbols` gives `find` and `symbols`
/// with the terms `find` and `symbol`.
pub fn word_terms(text: &str) -> Vec<(String, String)> {
    every_word(text).into_iter().filter_map(|(word, term)| Some((word, term?))).collect()
}

/// Every word of a text in order, with its search term. Words that say nothing, such as `the`, have none.
pub fn every_word(text: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut space = String::new();
    words::split_words(text, &mut String::new(), &mut |word| {
        found.push((word.to_owned(), words::word_term(word, &mut space).map(str::to_owned)));
    });
    found
}
