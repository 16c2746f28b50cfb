//! Language packs: shallow languages, each a folder of data in `packs/`.
//!
//! A pack describes its definitions, references and imports by tree-sitter queries; one extractor, [`Shallow`], makes
//! the facts. The build script turns each folder into a module with a [`Pack`], and adds the registry's entries.
//!
//! The captures of a query are explained in [`query`].

mod context;
mod extract;
mod query;
mod shapes;

use std::marker::PhantomData;

use tree_sitter::Language as Grammar;

use crate::flow::Flow;
use crate::kinds::{FieldNames, KindNames};

pub(crate) use query::PackQuery;

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// The content of a pack's `pack.toml` and queries.
#[derive(Debug)]
pub struct Spec {
    /// The folder's name.
    pub(crate) name: &'static str,
    /// All queries, end to end.
    pub(crate) queries: &'static str,
    /// The receiver's name in a method.
    pub(crate) own: &'static [&'static str],
    /// The receiver's name where the base's members are meant.
    pub(crate) base: &'static [&'static str],
    /// The enclosing type's name.
    pub(crate) own_types: &'static [&'static str],
    /// Words in a header that make a definition public. If the pack has none, every definition that is not made
    /// private is public.
    pub(crate) public_words: &'static [&'static str],
    /// Words in a header that make a definition private, such as `private` or `local`.
    pub(crate) private_words: &'static [&'static str],
    /// Prefix of the names of private definitions, such as `_` in Dart; empty if names don't show visibility.
    pub(crate) private_prefix: &'static str,
}

/// A shallow language. The build script makes one of each folder in `packs/`.
pub trait Pack: Copy + Send + Sync + 'static {
    /// The kinds of comments.
    type K: KindNames;
    /// No fields.
    type F: FieldNames;
    /// The content of the pack's files.
    const SPEC: &'static Spec;
    /// The parts of the language that a skeleton shows.
    const FLOW: Flow;

    /// The pack's queries, compiled once for `grammar`.
    fn query(grammar: &Grammar) -> &'static PackQuery;
}

/// The extractor of all shallow languages.
#[derive(Clone, Copy, Debug)]
pub struct Shallow<P>(PhantomData<P>);

#[cfg(test)]
mod tests {
    use sdl_model::Lang;

    #[test]
    fn every_shallow_language_has_a_pack() {
        for lang in Lang::ALL.into_iter().filter(|lang| lang.is_shallow()) {
            let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/packs/").to_owned() + lang.name();
            for file in ["pack.toml", "fixtures/facts.snap", "fixtures/edges.fix"] {
                assert!(std::path::Path::new(&pack).join(file).exists(), "{pack}/{file}");
            }
            assert!(crate::parse_only(lang, b"").is_some(), "{lang:?}");
        }
    }

    #[test]
    fn queries_fit_their_grammars() {
        let mistakes = super::mistakes();
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}
