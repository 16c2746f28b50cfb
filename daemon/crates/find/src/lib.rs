//! Ranks tools by the words of a query: [`Doc`]s go in, ranked places come out.
//!
//! A [`Finder`] is an index of exactly the docs that it was built of. A tool that a caller may not see is not among them, and so
//! it changes no count, weight or score. The order depends on the words of the docs and of the query alone: there is no clock, no
//! record of use, and the order of the docs doesn't matter.
//!
//! A score is a sum over the words of the query. A word finds the tools that have it (BM25F over the fields of a doc),
//! and for a share of the weight those that have a related word ([`lexicon`]), a longer or shorter form of it, or what it was
//! probably meant to be ([`near`]). A word that is a part of a phrase of the lexicon counts for its part of it, and a tool to which
//! a word leads in several ways gets a little of each. Then the score grows with neighbouring words that are neighbours in the tool too, with the share
//! of the query and of the tool's name that was found, and with what the whole server of the tool is about. Names come first:
//! a tool that the query names exactly is above all others.

#![forbid(unsafe_code)]

mod doc;
mod finder;
mod index;
mod lexicon;
mod literals;
mod names;
mod near;
mod query;
mod reach;
mod spread;
mod words;

pub use doc::Doc;
pub use finder::{Finder, Found};
pub use lexicon::Lexicon;
