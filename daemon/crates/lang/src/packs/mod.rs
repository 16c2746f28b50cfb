//! Language packs: shallow languages, each a folder of data in `packs/`.
//!
//! A pack says by tree-sitter queries what its definitions, references and imports are; one extractor, [`Shallow`], makes
//! the facts. The build script makes a module with a [`Pack`] of each folder, and the registry's entries.
//!
//! What the captures of a query mean is written in [`query`].

mod extract;
mod query;
mod shapes;

use std::marker::PhantomData;

use tree_sitter::Language as Grammar;

use crate::flow::Flow;
use crate::kinds::{FieldNames, KindNames};

pub(crate) use query::PackQuery;

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// What a pack's `pack.toml` and queries say.
#[derive(Debug)]
pub struct Spec {
    /// The folder's name.
    pub(crate) name: &'static str,
    /// All queries, end to end.
    pub(crate) queries: &'static str,
    /// What the receiver is called in a method.
    pub(crate) own: &'static [&'static str],
    /// What the receiver is called where the base's members are meant.
    pub(crate) base: &'static [&'static str],
    /// What the type around is called.
    pub(crate) own_types: &'static [&'static str],
    /// Words in a header that make a definition public. Without any, all is that nothing makes private.
    pub(crate) public_words: &'static [&'static str],
    /// Words in a header that make a definition private.
    pub(crate) private_words: &'static [&'static str],
    /// How names of private definitions begin; empty if names say nothing.
    pub(crate) private_prefix: &'static str,
}

/// A shallow language. The build script makes one of each folder in `packs/`.
pub trait Pack: Copy + Send + Sync + 'static {
    /// The kinds of comments.
    type K: KindNames;
    /// No fields.
    type F: FieldNames;
    /// What the files of the pack say.
    const SPEC: &'static Spec;
    /// What of the language a skeleton shows.
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
