//! Where control flow and comments stand in a text: what a skeleton keeps beside definitions, and what is no code.

use std::ops::Range;

use sdl_model::Lang;
use tree_sitter::{Node, TreeCursor};

use crate::{ExtractError, parse_only};

/// Nodes of control flow, by the end of their kind's name. The grammars agree on these far enough.
const CONTROL: &[&str] = &[
    "if_statement",
    "if_expression",
    "if_let_expression",
    "if",
    "unless",
    "elif_clause",
    "else_if_clause",
    "elsif",
    "else_clause",
    "else",
    "for_statement",
    "for_in_statement",
    "for_expression",
    "for_range_loop",
    "enhanced_for_statement",
    "foreach_statement",
    "for_each_statement",
    "c_style_for_statement",
    "for",
    "while_statement",
    "while_expression",
    "while",
    "until",
    "do_statement",
    "do_while_statement",
    "loop_expression",
    "switch_statement",
    "switch_expression",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "match_statement",
    "match_expression",
    "case_statement",
    "case",
    "when_expression",
    "try_statement",
    "try_expression",
    "try_with_resources_statement",
    "begin",
    "rescue",
    "ensure",
    "catch_clause",
    "catch_block",
    "except_clause",
    "except_group_clause",
    "finally_clause",
    "finally_block",
    "with_statement",
    "using_statement",
    "lock_statement",
    "synchronized_statement",
];

/// Kinds of nodes that are the body of one of those.
const BODIES: &[&str] = &[
    "block",
    "statement_block",
    "compound_statement",
    "do_group",
    "then",
    "do",
    "switch_body",
    "switch_block",
    "match_block",
    "class_body",
    "control_structure_body",
    "declaration_list",
];

/// One piece of control flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// All of it.
    pub all: Range<usize>,
    /// Where its body begins; none where the grammar does not say.
    pub body: Option<usize>,
}

/// What stands where in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Control flow, outer before inner.
    pub controls: Vec<Control>,
    /// Comments, in order.
    pub comments: Vec<Range<usize>>,
}

/// The structure of `bytes`, read as `lang`; empty for a language without a grammar. Pure.
pub fn structure(lang: Lang, bytes: &[u8]) -> Result<Structure, ExtractError> {
    let Some(tree) = parse_only(lang, bytes) else { return Ok(Structure::default()) };
    let tree = tree?;
    let mut out = Structure::default();
    let mut cursor = tree.walk();
    // By the number of a kind: names are compared once each.
    let mut matters: Vec<Option<Matters>> = Vec::new();
    loop {
        let node = cursor.node();
        let mut into = true;
        if node.is_named() {
            let number = node.kind_id() as usize;
            if matters.len() <= number {
                matters.resize(number + 1, None);
            }
            let known = matters.get(number).copied().flatten();
            let what = known.unwrap_or_else(|| Matters::of(node.kind()));
            if let Some(slot) = matters.get_mut(number) {
                *slot = Some(what);
            }
            match what {
                Matters::Comment => {
                    out.comments.push(node.byte_range());
                    into = false;
                }
                Matters::Control => {
                    out.controls.push(Control { all: node.byte_range(), body: body_of(node) });
                }
                Matters::Not => {}
            }
        }
        let inside = into && cursor.goto_first_child();
        if !inside && !next(&mut cursor) {
            return Ok(out);
        }
    }
}

/// What a kind of node is to a structure.
#[derive(Clone, Copy)]
enum Matters {
    Comment,
    Control,
    Not,
}

impl Matters {
    fn of(kind: &str) -> Self {
        if kind.contains("comment") {
            Self::Comment
        } else if CONTROL.contains(&kind) {
            Self::Control
        } else {
            Self::Not
        }
    }
}

/// Goes to the next node that is not inside this one; false at the end.
fn next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

fn body_of(node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    loop {
        let child = cursor.node();
        let field = cursor.field_name();
        if matches!(field, Some("body" | "consequence"))
            || (child.is_named() && BODIES.contains(&child.kind()))
        {
            return Some(child.start_byte());
        }
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lang: Lang, text: &str) -> Vec<String> {
        let found = structure(lang, text.as_bytes()).unwrap();
        let header = |control: &Control| {
            let end = control.body.unwrap_or(control.all.end);
            text[control.all.start..end].trim().lines().next().unwrap_or_default().to_owned()
        };
        found.controls.iter().map(header).collect()
    }

    #[test]
    fn control_flow_is_found_in_every_grammar() {
        for (lang, text, wanted) in [
            (
                Lang::Python,
                "def f(x):\n    if x:\n        try:\n            g()\n        except E:\n            pass\n",
                vec!["if x:", "try:", "except E:"],
            ),
            (
                Lang::TypeScript,
                "function f() { for (const a of b) { while (c) { d(); } } }",
                vec!["for (const a of b)", "while (c)"],
            ),
            (
                Lang::Rust,
                "fn f() { if a { b() } else { loop { match c { _ => {} } } } }",
                vec!["if a", "else", "loop", "match c"],
            ),
            (
                Lang::Go,
                "package a\nfunc f() { for i := range x { switch y { case 1: } } }",
                vec!["for i := range x", "switch y { case 1: }"],
            ),
            (
                Lang::Java,
                "class A { void f() { for (int a : b) { try { c(); } catch (E e) { } finally { } } } }",
                vec!["for (int a : b)", "try", "catch (E e)", "finally"],
            ),
            (
                Lang::Cpp,
                "void f() { do { g(); } while (x); switch (y) { case 1: break; } }",
                vec!["do", "switch (y)"],
            ),
        ] {
            let found = headers(lang, text);
            for one in wanted {
                assert!(found.iter().any(|header| header == one), "{lang:?}: {one:?} in {found:?}");
            }
        }
        for (lang, text) in [
            (Lang::C, "void f() { if (a) { b(); } }"),
            (Lang::CSharp, "class A { void F() { foreach (var a in b) { } } }"),
            (Lang::JavaScript, "function f() { if (a) { b(); } }"),
            (Lang::Tsx, "function f() { if (a) { return <b/>; } }"),
            (Lang::Kotlin, "fun f() { while (a) { b() } }"),
            (Lang::Php, "<?php function f() { foreach ($a as $b) { c(); } }"),
            (Lang::Ruby, "def f\n  if a\n    b\n  end\nend"),
            (Lang::Bash, "f() {\n  if a; then\n    b\n  fi\n}"),
        ] {
            assert!(!headers(lang, text).is_empty(), "{lang:?}");
        }
    }

    #[test]
    fn what_the_extractor_sees_behind_macros_is_seen_here() {
        for (lang, text, wanted) in [
            (Lang::Rust, "cfg_unix! {\n    fn f() { if a { b() } }\n}\n", "if a"),
            (Lang::Cpp, "API_BEGIN class EXPORT A final { void f() { if (a) { b(); } } };\n", "if (a)"),
        ] {
            assert_eq!(headers(lang, text), [wanted], "{lang:?}");
        }
    }

    #[test]
    fn comments_are_found_and_other_files_have_no_structure() {
        let text = "# one\nx = 1  # two\n";
        let found = structure(Lang::Python, text.as_bytes()).unwrap();
        let comments: Vec<&str> = found.comments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(comments, ["# one", "# two"]);
        assert_eq!(structure(Lang::Manifest, b"{}").unwrap(), Structure::default());
    }
}
