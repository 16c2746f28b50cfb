//! The rules of each language, in a folder each, reached through [`Rules`].
//!
//! A new deep language gets a folder here and a line in [`language_rules`]. A mere fact about it goes into the table,
//! [`sdl_model::lang`]. Languages that are packs of `sdl-lang` share [`shallow`].

mod bash;
mod c;
mod csharp;
mod ecma;
mod go;
mod jvm;
mod namespaces;
mod php;
mod python;
mod required;
mod ruby;
mod rust;
mod shallow;

use sdl_ledger::View;
use sdl_model::Lang;

use crate::world::{Limits, Outlines, Rules, World};

/// A language with nothing special.
struct Plain;

impl Rules for Plain {}

fn language_rules(lang: Lang) -> &'static dyn Rules {
    match lang {
        Lang::Bash => &bash::Bash,
        Lang::C => &c::C,
        Lang::Cpp => &c::Cpp,
        Lang::CSharp => &csharp::CSharp,
        Lang::Go => &go::Go,
        Lang::Java => &jvm::Java,
        Lang::JavaScript | Lang::TypeScript | Lang::Tsx | Lang::Vue | Lang::Svelte => &ecma::Ecma,
        Lang::Kotlin => &jvm::Kotlin,
        Lang::Php => &php::Php,
        Lang::Python => &python::Python,
        Lang::Ruby => &ruby::Ruby,
        Lang::Rust => &rust::Rust,
        Lang::Manifest => &Plain,
        shallow => shallow::rules(shallow),
    }
}

impl<'a> World<'a> {
    /// A world over `view`, which must already show the files of this batch.
    pub fn new(view: &'a dyn View, outlines: &'a dyn Outlines) -> Self {
        Self::with_limits(view, outlines, Limits::default())
    }

    /// The same with other limits. All edges and questions of a repository must come from the same limits.
    pub fn with_limits(view: &'a dyn View, outlines: &'a dyn Outlines, limits: Limits) -> Self {
        Self::with_rules(view, outlines, limits, language_rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_members_differ_by_language() {
        assert!(language_rules(Lang::Python).is_builtin_member("append"));
        assert!(language_rules(Lang::TypeScript).is_builtin_member("push"));
        assert!(!language_rules(Lang::Python).is_builtin_member("push"));
        assert!(!language_rules(Lang::Rust).is_builtin_member("get_card"));
    }
}
