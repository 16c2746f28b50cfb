//! The deep languages, one folder each, and the registry of all languages.
//!
//! A language that queries can describe is a pack, see `docs/languages.md`; this module is for the others.
//!
//! # How to add a language
//!
//! 1. Make `languages/<name>/` with a few short files. [`python`] is the pattern: `kinds.rs` (the `kinds!` table and
//!    `impl Syntax`), `state.rs`, `defs.rs`, `params.rs`, `refs.rs`, `exprs.rs`, `types.rs`, `binds.rs`, `imports.rs`,
//!    `effects.rs`, and above them `mod.rs` (`impl Shapes` and `impl Language`, which only dispatch). No file uses one
//!    that uses it, on whatever way; `tests/tests/rooms.rs` checks that.
//! 2. In `kinds!`, list under `nodes` the named nodes that you match on, under `tokens` the keywords and operators
//!    that you need to see (others are not on the tape), under `fields` the fields. A misspelt one fails a test.
//! 3. Add one line per [`Lang`] to [`REGISTRY`]; several may share one extractor.
//! 4. In `enter`, look at `node.kind()` (and `node.field()`, `node.parent()`: both are cheap) and call the builder:
//!    `cx.b.open(NewDef::new(kind, name, name_node, whole).body(…))` opens a definition, which the walk closes after
//!    its last node; `leaf` adds one that holds nothing; then complete `cx.b.def_mut(def)`. `cx.b.reference(…)`,
//!    `bind(…)`, `import(…)`, `export(…)`, `returns(…)`, `add_value(…)`, `invariant(…)`, `effect_of(…)` do the rest.
//! 5. Shapes for definitions are made in `cx.b.out`, shapes for references and bindings in `cx.b.body`; never mix them.
//! 6. Never recurse over nodes but through `Half::value` and `Half::ty`, which bound the depth; never compare node
//!    kinds by text; never look at a clock, a path or another file.
//! 7. Each identifier yields at most one reference. Names being declared (parameters, targets of assignments) and
//!    keyword names yield none. Reads of locals are dropped for you at the end.
//! 8. State in `flow.rs` which nodes a skeleton shows. A test names each kind of node that looks like control
//!    flow and is not mentioned there.
//! 9. Add `tests/fixtures/<name>/*.fix` and run `cargo test -p sdl-lang --test fixtures`; read the snapshots critically.

pub mod bash;
mod blank;
pub mod c;
pub mod csharp;
pub mod ecma;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod lua;
pub(crate) mod manifest;
pub mod php;
pub mod python;
pub mod ruby;
pub mod rust;
pub(crate) mod scripts;

use std::sync::OnceLock;

use sdl_model::{Facts, Lang};
use tree_sitter::{Language as Grammar, Tree};

use crate::ExtractError;
use crate::builder::bare_facts;
use crate::driver::run_extractor;
#[cfg(test)]
use crate::flow::Flow;
use crate::flow::Roles;
use crate::kinds::Tables;
use crate::parse::{self, Prepare};
use crate::scanner::guard_grammar;

/// One language's extractor.
struct Entry {
    lang: Lang,
    #[cfg(test)]
    /// The extractor's type, to group languages that share one.
    extractor: fn() -> &'static str,
    grammar: fn() -> Grammar,
    prepare: Prepare,
    stands_alone: bool,
    #[cfg(test)]
    flow: Flow,
    roles: fn() -> &'static Roles,
    extract: fn(&[u8]) -> Result<Facts, ExtractError>,
    #[cfg(test)]
    unknown_names: fn() -> Vec<String>,
}

macro_rules! entry {
    ($lang:ident, $extractor:ty, $grammar:expr) => {
        Entry {
            lang: Lang::$lang,
            #[cfg(test)]
            extractor: std::any::type_name::<$extractor>,
            prepare: <$extractor as crate::Language>::prepare,
            stands_alone: <$extractor as crate::Language>::STANDS_ALONE,
            grammar: || guard_grammar(Lang::$lang, Grammar::new($grammar)),
            #[cfg(test)]
            flow: <$extractor as crate::Language>::FLOW,
            roles: || {
                type Of = Tables<<$extractor as crate::Syntax>::K, <$extractor as crate::Syntax>::F>;
                static ROLES: OnceLock<Roles> = OnceLock::new();
                ROLES.get_or_init(|| {
                    let grammar = Grammar::new($grammar);
                    let tables = Of::new(&grammar);
                    let is_comment = |id| <$extractor as crate::Syntax>::is_comment(tables.kind(id).0);
                    Roles::new(&grammar, &<$extractor as crate::Language>::FLOW, is_comment)
                })
            },
            extract: |bytes| {
                type Of = Tables<<$extractor as crate::Syntax>::K, <$extractor as crate::Syntax>::F>;
                static GRAMMAR: OnceLock<(Grammar, Of)> = OnceLock::new();
                let (grammar, tables) = GRAMMAR.get_or_init(|| {
                    let grammar = guard_grammar(Lang::$lang, Grammar::new($grammar));
                    let tables = Tables::new(&grammar);
                    (grammar, tables)
                });
                run_extractor::<$extractor>(Lang::$lang, grammar, tables, bytes)
            },
            #[cfg(test)]
            unknown_names: || {
                Tables::<<$extractor as crate::Syntax>::K, <$extractor as crate::Syntax>::F>::unknown_names(
                    &Grammar::new($grammar),
                )
            },
        }
    };
}

/// Every language that has an extractor.
static REGISTRY: &[Entry] = &[
    entry!(Bash, bash::Bash, tree_sitter_bash::LANGUAGE),
    entry!(C, c::CFamily, tree_sitter_c::LANGUAGE),
    entry!(CSharp, csharp::CSharp, tree_sitter_c_sharp::LANGUAGE),
    entry!(Cpp, c::CFamily, tree_sitter_cpp::LANGUAGE),
    entry!(Go, go::Go, tree_sitter_go::LANGUAGE),
    entry!(Java, java::Java, tree_sitter_java::LANGUAGE),
    entry!(JavaScript, ecma::Ecma, tree_sitter_javascript::LANGUAGE),
    entry!(Lua, lua::Lua, tree_sitter_lua::LANGUAGE),
    entry!(Php, php::Php, tree_sitter_php::LANGUAGE_PHP),
    entry!(Kotlin, kotlin::Kotlin, tree_sitter_kotlin_ng::LANGUAGE),
    entry!(Python, python::Python, tree_sitter_python::LANGUAGE),
    entry!(Ruby, ruby::Ruby, tree_sitter_ruby::LANGUAGE),
    entry!(Rust, rust::Rust, tree_sitter_rust::LANGUAGE),
    entry!(Tsx, ecma::Ecma, tree_sitter_typescript::LANGUAGE_TSX),
    entry!(TypeScript, ecma::Ecma, tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
];

/// The shallow languages, one for each folder in `packs/`.
static PACKS: &[Entry] = include!(concat!(env!("OUT_DIR"), "/registry.rs"));

fn registry_entries() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().chain(PACKS)
}

fn registry_entry(lang: Lang) -> Option<&'static Entry> {
    registry_entries().find(|entry| entry.lang == lang)
}

/// The grammar and the preparation that a parse needs.
fn grammar_for(lang: Lang) -> Option<(Grammar, Prepare)> {
    registry_entry(lang).map(|entry| ((entry.grammar)(), entry.prepare))
}

/// The roles of a language's node kinds in a skeleton; none for a language without a grammar.
pub(crate) fn node_roles(lang: Lang) -> Option<&'static Roles> {
    registry_entry(lang).map(|entry| (entry.roles)())
}

/// The facts in `bytes`, read as `lang`. Broken code yields the facts that can be recognised; a language without an
/// extractor yields just the module. Linear in the file's length for all but hostile input, which runs into a limit.
///
/// Pure. May panic if an extractor has a defect: callers that must not fail catch it.
pub fn extract_facts(lang: Lang, bytes: &[u8]) -> Result<Facts, ExtractError> {
    let (lang, bytes) = scripts::read_as(lang, bytes);
    let bytes = &*bytes;
    match registry_entry(lang) {
        Some(entry) => (entry.extract)(bytes),
        None if lang == Lang::Manifest => Ok(manifest::extract_facts(bytes)),
        None => Ok(bare_facts(lang, bytes)),
    }
}

/// Parses and does no more; for measuring what extraction adds. `None` for a language without a grammar.
pub fn parse_only(lang: Lang, bytes: &[u8]) -> Option<Result<Tree, ExtractError>> {
    let (lang, bytes) = scripts::read_as(lang, bytes);
    let (grammar, prepare) = grammar_for(lang)?;
    Some(parse::parse_source(lang, &grammar, prepare, &bytes))
}

/// Parses a definition in `bytes` as if nothing were around it. `None` for a language whose definitions need their
/// surroundings, and for one without a grammar.
pub(crate) fn parse_part(
    lang: Lang,
    bytes: &[u8],
    part: std::ops::Range<usize>,
) -> Option<Result<Tree, ExtractError>> {
    let (lang, bytes) = scripts::read_as(lang, bytes);
    let entry = registry_entry(lang).filter(|entry| entry.stands_alone)?;
    Some(parse::parse_source(lang, &(entry.grammar)(), entry.prepare, bytes.get(part)?))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Words in the name of a kind of node that make it look like control flow.
    const CONTROL_WORDS: &[&str] = &[
        "if",
        "ifdef",
        "else",
        "elif",
        "elifdef",
        "elsif",
        "unless",
        "case",
        "default",
        "switch",
        "match",
        "arm",
        "when",
        "while",
        "until",
        "for",
        "foreach",
        "loop",
        "do",
        "try",
        "catch",
        "except",
        "rescue",
        "finally",
        "ensure",
        "with",
        "select",
        "label",
        "labeled",
        "goto",
        "yield",
        "guard",
        "defer",
        "go",
        "using",
        "lock",
        "synchronized",
        "fixed",
        "checked",
        "unsafe",
        "begin",
        "conditional",
        "ternary",
        "communication",
        "rule",
    ];

    /// The named kinds of a grammar that nodes can have.
    fn kinds_of(grammar: &Grammar) -> BTreeSet<String> {
        let ids = 0..grammar.node_kind_count() as u16;
        let visible = ids.filter(|id| grammar.node_kind_is_named(*id) && grammar.node_kind_is_visible(*id));
        visible.filter_map(|id| grammar.node_kind_for_id(id)).map(str::to_owned).collect()
    }

    #[test]
    fn what_looks_like_control_flow_is_stated_to_be_or_not_to_be() {
        for entry in registry_entries() {
            let flow = &entry.flow;
            let looks = |kind: &&String| kind.split('_').any(|word| CONTROL_WORDS.contains(&word));
            let stated = |kind: &str| {
                flow.control.iter().any(|(stated, _)| *stated == kind)
                    || flow.not_control.iter().any(|(stated, why)| *stated == kind && !why.is_empty())
            };
            let kinds = kinds_of(&(entry.grammar)());
            let left: Vec<&String> = kinds.iter().filter(looks).filter(|kind| !stated(kind)).collect();
            assert!(left.is_empty(), "{:?}: say in flow.rs what these are: {left:?}", entry.lang);
            let twice =
                flow.control.iter().filter(|(kind, _)| flow.not_control.iter().any(|(not, _)| not == kind));
            assert_eq!(twice.count(), 0, "{:?} states a kind to be control flow and not to be", entry.lang);
        }
    }

    /// As for [`every_name_is_in_the_grammar`]: one of the languages that share an extractor is enough.
    #[test]
    fn every_kind_that_skeletons_ask_for_is_in_the_grammar() {
        let mut unknown: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in registry_entries() {
            let (flow, kinds) = (&entry.flow, kinds_of(&(entry.grammar)()));
            let pairs = flow.control.iter().chain(flow.closures).map(|(kind, _)| *kind);
            let others = flow.not_control.iter().chain(flow.unpaired).map(|(kind, _)| *kind);
            let lists = [flow.lists, flow.arguments, flow.always].into_iter().flatten().copied();
            let members = flow.members.iter().flat_map(|entry| entry.split('/'));
            let asked = pairs.chain(others).chain(lists).chain(members);
            let names: BTreeSet<&str> = asked.filter(|kind| !kinds.contains(*kind)).collect();
            let group = unknown.entry((entry.extractor)()).or_insert_with(|| names.clone());
            group.retain(|name| names.contains(name));
        }
        unknown.retain(|_, names| !names.is_empty());
        assert!(unknown.is_empty(), "kinds that no grammar of the language has: {unknown:?}");
    }

    /// A name counts as known if any grammar of the languages that share the extractor has it.
    #[test]
    fn every_name_is_in_the_grammar() {
        let mut unknown: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for entry in registry_entries() {
            let names: BTreeSet<String> = (entry.unknown_names)().into_iter().collect();
            let group = unknown.entry((entry.extractor)()).or_insert_with(|| names.clone());
            group.retain(|name| names.contains(name));
        }
        unknown.retain(|_, names| !names.is_empty());
        assert!(unknown.is_empty(), "names that no grammar of the language has: {unknown:?}");
    }
}
