//! Which functions a commit changes, without a compiler and without this project's own extraction: git's hunks inside
//! the ranges that tree-sitter's grammars give to definitions.

use std::collections::BTreeMap;
use std::path::Path;

use tree_sitter::{Language, Node, Parser};

use super::git::{self, FileDiff};
use crate::{Outcome, grammars};

/// A function and its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// The names around it and its own name.
    pub(super) chain: Vec<String>,
    /// From the comments and attributes directly above it.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it differs at most in comments, white space, documentation or punctuation: then a delta may or may not
    /// have it.
    pub(super) trivial: bool,
    text: String,
    /// Its text without those.
    code: String,
}

impl Function {
    pub(super) fn name(&self) -> &str {
        self.chain.last().map_or("", String::as_str)
    }
}

/// The functions that a commit changes.
#[derive(Default)]
pub(super) struct Changed {
    /// By file, in the old state: functions that are gone and functions that still exist.
    pub(super) old: BTreeMap<String, Vec<Function>>,
    /// By file, in the new state.
    pub(super) new: BTreeMap<String, Vec<Function>>,
    /// Files that were compared.
    pub(super) files: usize,
}

impl Changed {
    /// How many functions changed. One that exists on both sides counts once.
    pub(super) fn count(&self) -> usize {
        let counts = |functions: &Vec<Function>| functions.iter().filter(|one| !one.trivial).count();
        let new: usize = self.new.values().map(counts).sum();
        let gone = self.old.iter().map(|(file, old)| {
            let new = self.new.get(file).map_or(&[][..], Vec::as_slice);
            old.iter().filter(|old| !old.trivial && !new.iter().any(|new| new.chain == old.chain)).count()
        });
        new + gone.sum::<usize>()
    }
}

/// The functions in which `from` and `to` differ.
pub(super) fn changed_functions(root: &Path, from: &str, to: &str) -> Outcome<Changed> {
    let mut changed = Changed::default();
    for file in git::diff_commits(root, from, to)? {
        let Some(language) = grammars::file_grammar(Path::new(&file.path)) else { continue };
        changed.files += 1;
        let side = |commit: &str| -> Outcome<Vec<Function>> {
            let bytes = git::read_blob(root, commit, &file.path).unwrap_or_default();
            file_functions(&bytes, &language)
        };
        let (old, new) = (side(from)?, side(to)?);
        let (old, new) = in_hunks(&file, &old, &new);
        if !old.is_empty() {
            changed.old.insert(file.path.clone(), old);
        }
        if !new.is_empty() {
            changed.new.insert(file.path, new);
        }
    }
    Ok(changed)
}

/// Functions with a hunk inside, without those that only moved.
fn in_hunks(file: &FileDiff, old: &[Function], new: &[Function]) -> (Vec<Function>, Vec<Function>) {
    let touched = |hunks: &[(u32, u32)], function: &Function| {
        hunks.iter().any(|&(line, count)| match count {
            0 => (function.start..function.end).contains(&line),
            _ => line <= function.end && line + count > function.start,
        })
    };
    let mut gone: Vec<Function> =
        old.iter().filter(|function| touched(&file.old, function)).cloned().collect();
    let mut come: Vec<Function> =
        new.iter().filter(|function| touched(&file.new, function)).cloned().collect();
    // Touched on one side only: lines at its end were removed or added.
    for function in &gone {
        if !come.iter().any(|known| known.chain == function.chain) {
            come.extend(new.iter().filter(|now| now.chain == function.chain).cloned());
        }
    }
    come.retain(|function| {
        let twins = |known: &Function| (&known.chain, &known.text) == (&function.chain, &function.text);
        let same = old.iter().any(twins);
        gone.retain(|known| !same || !twins(known));
        !same
    });
    let code = |functions: &[Function]| -> Vec<(Vec<String>, String)> {
        functions.iter().map(|one| (one.chain.clone(), one.code.clone())).collect()
    };
    let (before, after) = (code(old), code(new));
    let mark = |functions: &mut Vec<Function>, others: &[(Vec<String>, String)]| {
        for one in functions {
            one.trivial = others.iter().any(|(chain, code)| (chain, code) == (&one.chain, &one.code));
        }
    };
    mark(&mut gone, &after);
    mark(&mut come, &before);
    (gone, come)
}

/// The text of a definition without comments, documentation, white space, quotes, commas and semicolons, and without some nodes
/// such as its name.
pub(in crate::runs) fn code_of(node: Node<'_>, bytes: &[u8], left_out: &[Node<'_>]) -> String {
    let mut code = String::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        let is_doc = node.kind() == "expression_statement"
            && node.prev_named_sibling().is_none()
            && node.named_child(0).is_some_and(|child| child.kind() == "string");
        if node.kind().ends_with("comment") || is_doc || left_out.contains(&node) {
            continue;
        }
        // The text of a string beside its escapes is in no node of its own.
        let is_whole = node.child_count() == 0 || node.kind() == "string_content";
        if is_whole {
            let text = String::from_utf8_lossy(bytes.get(node.byte_range()).unwrap_or_default());
            let text = text.trim();
            if !matches!(text, "," | ";" | "'" | "\"") {
                code.push_str(text);
                code.push(' ');
            }
            continue;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        todo.extend(children.into_iter().rev());
    }
    code
}

/// Every function of a file, inner ones too.
fn file_functions(bytes: &[u8], language: &Language) -> Outcome<Vec<Function>> {
    let mut parser = Parser::new();
    parser.set_language(language)?;
    let mut found = Vec::new();
    if let Some(tree) = parser.parse(bytes, None) {
        walk_node(tree.root_node(), bytes, &mut Vec::new(), &mut found);
    }
    Ok(found)
}

fn walk_node(node: Node<'_>, bytes: &[u8], chain: &mut Vec<String>, found: &mut Vec<Function>) {
    let name = definition_name(node, bytes);
    let named = name.is_some();
    chain.extend(name);
    if named && is_function(node) {
        let whole = whole_statement(node);
        let first = first_above(whole, bytes);
        let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1);
        found.push(Function {
            chain: chain.clone(),
            start: line(first.start_position().row),
            end: line(whole.end_position().row),
            text: String::from_utf8_lossy(
                bytes.get(first.start_byte()..whole.end_byte()).unwrap_or_default(),
            )
            .into_owned(),
            trivial: false,
            code: code_of(whole, bytes, &[]),
        });
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        walk_node(child, bytes, chain, found);
    }
    if named {
        chain.pop();
    }
}

/// A definition with the statement that it is all of.
pub(in crate::runs) fn whole_statement(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(parent) = whole.parent() {
        let wraps = match parent.kind() {
            "decorated_definition" | "export_statement" => true,
            "lexical_declaration" | "variable_declaration" => parent.named_child_count() == 1,
            _ => false,
        };
        if !wraps {
            break;
        }
        whole = parent;
    }
    whole
}

/// The first of the comments and attributes directly above a definition.
pub(in crate::runs) fn first_above<'t>(whole: Node<'t>, bytes: &[u8]) -> Node<'t> {
    let mut first = whole;
    while let Some(above) = first.prev_sibling() {
        let kind = above.kind();
        let between = bytes.get(above.end_byte()..first.start_byte()).unwrap_or_default();
        // Some grammars end a line comment after its line break.
        let broken = above.end_position().column == 0;
        let breaks = between.split(|byte| *byte == b'\n').count() - 1 + usize::from(broken);
        let own_line = above.prev_sibling().is_none_or(|other| {
            other.end_position().row < above.start_position().row || other.end_position().column == 0
        });
        let belongs = matches!(kind, "attribute_item" | "decorator" | "annotation" | "marker_annotation")
            || kind.ends_with("comment") && own_line;
        if !belongs || breaks > 1 {
            break;
        }
        first = above;
    }
    first
}

/// The name of a definition that is a function or contains functions.
pub(in crate::runs) fn definition_name(node: Node<'_>, bytes: &[u8]) -> Option<String> {
    let field = match node.kind() {
        "function_definition"
        | "class_definition"
        | "function_item"
        | "function_signature_item"
        | "trait_item"
        | "struct_item"
        | "enum_item"
        | "mod_item"
        | "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "method_definition"
        | "method_declaration"
        | "constructor_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "internal_module" => "name",
        "variable_declarator" if is_function(node) => "name",
        "impl_item" => "type",
        _ => return None,
    };
    let name = node.child_by_field_name(field)?;
    Some(String::from_utf8_lossy(bytes.get(name.byte_range())?).into_owned())
}

pub(in crate::runs) fn is_function(node: Node<'_>) -> bool {
    match node.kind() {
        "function_definition"
        | "function_item"
        | "function_signature_item"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "method_declaration"
        | "constructor_declaration" => true,
        "variable_declarator" => node.child_by_field_name("value").is_some_and(|value| {
            matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str) -> Vec<(String, u32, u32)> {
        let language = grammars::file_grammar(Path::new(path)).unwrap();
        let found = file_functions(text.as_bytes(), &language).unwrap();
        found.into_iter().map(|function| (function.chain.join("."), function.start, function.end)).collect()
    }

    #[test]
    fn functions_have_their_names_and_lines() {
        let python = "class A:\n    @property\n    def b(self):\n        def c():\n            pass\n        return c\n";
        assert_eq!(names("a.py", python), [("A.b".to_owned(), 2, 6), ("A.b.c".to_owned(), 4, 5)]);
        let rust = "mod m {\n    impl<T> Foo<T> {\n        let x; // no\n        /// Doc.\n        #[inline]\n        fn a() {}\n    }\n}\n";
        assert_eq!(names("a.rs", rust), [("m.Foo<T>.a".to_owned(), 4, 6)]);
        let script = "const a = () => {\n};\nclass B { c() {} }\n";
        assert_eq!(names("a.ts", script), [("a".to_owned(), 1, 2), ("B.c".to_owned(), 3, 3)]);
    }

    #[test]
    fn comments_layout_and_documentation_are_no_code() {
        let code = |text: &str| {
            let language = grammars::file_grammar(Path::new("a.py")).unwrap();
            file_functions(text.as_bytes(), &language).unwrap().remove(0).code
        };
        let plain = code("def f(a, b):\n    return g(a, 'x')\n");
        assert_eq!(code("def f(\n  a, b,\n):\n  \"\"\"F.\"\"\"\n  # g\n  return g(a, \"x\")\n"), plain);
        assert_ne!(code("def f(a, b):\n    return g(b, 'x')\n"), plain);
        assert_ne!(code("def f():\n    return 'a\\n'\n"), code("def f():\n    return 'b\\n'\n"));
    }

    #[test]
    fn a_hunk_counts_where_it_stands() {
        let function = |name: &str, start, end, text: &str| Function {
            chain: vec![name.to_owned()],
            start,
            end,
            trivial: false,
            text: text.to_owned(),
            code: text.to_owned(),
        };
        let file =
            FileDiff { path: "a.py".to_owned(), old: vec![(3, 0), (10, 2)], new: vec![(4, 1), (12, 1)] };
        let (old, new) = in_hunks(
            &file,
            &[function("a", 1, 3, "x"), function("b", 3, 5, "y"), function("c", 11, 12, "z")],
            &[function("b", 4, 6, "yy"), function("c", 12, 13, "z"), function("d", 20, 21, "")],
        );
        let names = |side: &[Function]| side.iter().map(|f| f.name().to_owned()).collect::<Vec<_>>();
        // A line added after line 3 is in `b`, and not in `a`, which ends there; `c` only moved.
        assert_eq!((names(&old), names(&new)), (vec!["b".to_owned()], vec!["b".to_owned()]));
    }
}
