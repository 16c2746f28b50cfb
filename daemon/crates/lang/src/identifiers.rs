//! Where identifiers are in a text: names as the grammar knows them, not words in comments and literals.

use std::ops::Range;

use sdl_model::Lang;
use tree_sitter::{Node, Tree};

use crate::ExtractError;
use crate::languages::{parse_only, parse_part};

/// Node kinds that are names but are not called identifiers. The text of a preprocessor's `#define` is not parsed:
/// anything in it that looks like a name is one.
const NAMES: &[&str] = &[
    "alias",
    "class_variable",
    "constant",
    "global_variable",
    "hash_key_symbol",
    "instance_variable",
    "label",
    "label_name",
    "metavariable",
    "name",
    "preproc_arg",
    "simple_symbol",
    "special_variable_name",
    "variable_name",
    "word",
];

/// The identifiers of `bytes`, read as `lang`, in order; none for a language without a grammar. Pure.
pub fn identifier_ranges(lang: Lang, bytes: &[u8]) -> Result<Option<Vec<Range<u32>>>, ExtractError> {
    let Some(tree) = parse_only(lang, bytes) else { return Ok(None) };
    Ok(Some(names_in(&tree?, 0)))
}

/// The identifiers in a definition, a part of `bytes`, in order: those that [`identifier_ranges`] finds there. Reads no
/// more than the part. `None` where that can't tell, as with a method of a TypeScript class.
pub fn identifiers_alone(lang: Lang, bytes: &[u8], part: Range<usize>) -> Option<Vec<Range<u32>>> {
    let start = u32::try_from(part.start).ok()?;
    let tree = parse_part(lang, bytes, part)?.ok()?;
    (!tree.root_node().has_error()).then(|| names_in(&tree, start))
}

/// Returns the names in a tree whose text begins at byte `start` of its file.
fn names_in(tree: &Tree, start: u32) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            continue;
        }
        if node.is_named() && is_identifier(node) {
            found.push(start + node.start_byte() as u32..start + node.end_byte() as u32);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Whether a leaf is a name. A shell's words are names where they are commands.
pub(crate) fn is_identifier(node: Node<'_>) -> bool {
    let kind = node.kind();
    let named = kind.contains("identifier") || NAMES.binary_search(&kind).is_ok();
    let command =
        || node.parent().is_some_and(|up| matches!(up.kind(), "command_name" | "function_definition"));
    named && (kind != "word" || command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_and_no_words_of_comments_and_literals() {
        assert!(NAMES.is_sorted());
        for (lang, text, wanted) in [
            (
                Lang::Python,
                "def run(a):\n    \"\"\"Runs word.\"\"\"\n    # word\n    return a.one + f'word {two}'\n",
                "run a a one two",
            ),
            (Lang::TypeScript, "class A { #b = 1; c(): T { return `word ${this.d}`; } }", "A #b c T d"),
            (Lang::JavaScript, "const { a, b: c } = require('word'); // word", "a b c require"),
            (Lang::Tsx, "const a = <B c={d}>word</B>;", "a B c d B"),
            (Lang::Rust, "fn f(x: T) { log!(\"word {}\", x.y); }", "f x T log x y"),
            (Lang::Go, "package p\nfunc f() { a.B(\"word\") }", "p f a B"),
            (Lang::Java, "class A { T f() { return \"word\" + b.c(); } }", "A T f b c"),
            (Lang::C, "#define M(x) call(x)\nint f(void) { return s->m; }", "M x call(x) f s m"),
            (Lang::Cpp, "namespace n { T f() { return a::b(\"word\"); } }", "n T f a b"),
            (Lang::CSharp, "class A { T F() { return b.C(\"word\"); } }", "A T F b C"),
            (Lang::Kotlin, "fun f(a: T) = a.b(\"word\")", "f a T a b"),
            (Lang::Php, "<?php function f($a) { return $a->b('word'); }", "f a a b"),
            (Lang::Ruby, "def f(a)\n  @b = a.c?('word', :d)\nend", "f a @b a c? :d"),
            (Lang::Bash, "f() {\n  run word \"$a\"\n}", "f run a"),
        ] {
            let found = identifier_ranges(lang, text.as_bytes()).unwrap().unwrap();
            let found: Vec<&str> =
                found.iter().map(|range| text[range.start as usize..range.end as usize].trim()).collect();
            assert_eq!(found.join(" "), wanted, "{lang:?}");
        }
        assert_eq!(identifier_ranges(Lang::Manifest, b"{}").unwrap(), None);
    }
}
