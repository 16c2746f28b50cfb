//! The rules of each language, in a folder each, reached through [`ModuleRules`], [`TypeRules`] and [`CallRules`].
//!
//! A new deep language gets a folder here and a line in [`call_rules`]. A mere fact about it goes into the table,
//! [`sdl_model::lang`]. Languages that are packs of `sdl-lang` share [`shallow`].

mod bash;
mod c;
mod csharp;
mod ecma;
mod extensions;
mod go;
mod jvm;
mod lua;
mod namespaces;
mod php;
mod python;
mod required;
mod ruby;
mod rust;
mod shallow;

use sdl_ledger::View;
use sdl_model::Lang;

use crate::infer::{MemberRules, NameRules, TypeRules};
use crate::resolve::{CallRules, Rules};
use crate::world::{Limits, ModuleRules, Outlines, World};

/// The rules of all languages for types and calls.
pub(crate) const RULES: Rules = Rules { types: type_rules, calls: call_rules };

/// A language with nothing special.
struct Plain;

impl ModuleRules for Plain {}

impl NameRules for Plain {}

impl MemberRules for Plain {}

impl TypeRules for Plain {}

impl CallRules for Plain {}

fn call_rules(lang: Lang) -> &'static dyn CallRules {
    match lang {
        Lang::Bash => &bash::Bash,
        Lang::C => &c::C,
        Lang::Cpp => &c::Cpp,
        Lang::CSharp => &csharp::CSharp,
        Lang::Go => &go::Go,
        Lang::Java => &jvm::Java,
        Lang::JavaScript => &ecma::Ecma { is_typed: false },
        Lang::TypeScript | Lang::Tsx | Lang::Vue | Lang::Svelte => &ecma::Ecma { is_typed: true },
        Lang::Kotlin => &jvm::Kotlin,
        Lang::Lua => &lua::Lua,
        Lang::Php => &php::Php,
        Lang::Python => &python::Python,
        Lang::Ruby => &ruby::Ruby,
        Lang::Rust => &rust::Rust,
        Lang::Manifest => &Plain,
        // A pack of queries.
        _ => &shallow::Shallow,
    }
}

fn type_rules(lang: Lang) -> &'static dyn TypeRules {
    call_rules(lang)
}

fn module_rules(lang: Lang) -> &'static dyn ModuleRules {
    call_rules(lang)
}

impl<'a> World<'a> {
    /// A world over `view`, which must already show the files of this batch.
    pub fn new(view: &'a dyn View, outlines: &'a dyn Outlines) -> Self {
        Self::with_limits(view, outlines, Limits::default())
    }

    /// The same with other limits. All edges and questions of a repository must come from the same limits.
    pub fn with_limits(view: &'a dyn View, outlines: &'a dyn Outlines, limits: Limits) -> Self {
        Self::with_rules(view, outlines, limits, module_rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_members_differ_by_language() {
        let has = |lang, name| call_rules(lang).is_builtin_member(lang, name);
        assert!(has(Lang::Python, "append"));
        assert!(has(Lang::TypeScript, "push"));
        assert!(has(Lang::Lua, "gsub"));
        assert!(!has(Lang::Python, "push"));
        assert!(!has(Lang::Rust, "get_card"));
        assert!(!has(Lang::Swift, "gsub"));
    }
}
