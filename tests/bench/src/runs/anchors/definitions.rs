//! The definitions of a file, by tree-sitter's grammars alone: their code without the name.

use std::collections::HashMap;
use std::path::Path;

use tree_sitter::{Node, Parser};

use crate::runs::deltas::oracle::{code_of, definition_name, first_above, is_function, whole_statement};
use crate::{Outcome, grammars};

/// Where a definition is: the file, the names around it and its own, and its number among those of the same names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) chain: Vec<String>,
    pub(super) nth: usize,
}

impl Place {
    pub(super) fn name(&self) -> &str {
        self.chain.last().map_or("", String::as_str)
    }
}

/// A function or a type.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) place: Place,
    pub(super) is_function: bool,
    /// The first line, with the comments and attributes directly above, and the last one.
    pub(super) lines: (u64, u64),
    /// Tokens without comments and documentation, and without the name: of a function all of them, of a type all but those of its members.
    pub(super) code: String,
}

/// The definitions of a file; none of one in another language.
pub(super) fn definitions_of(path: &str, bytes: &[u8]) -> Outcome<Vec<Definition>> {
    let Some(language) = grammars::file_grammar(Path::new(path)) else { return Ok(Vec::new()) };
    let mut parser = Parser::new();
    parser.set_language(&language)?;
    let mut file = File { path, bytes, found: Vec::new(), seen: HashMap::new() };
    if let Some(tree) = parser.parse(bytes, None) {
        file.walk(tree.root_node(), &mut Vec::new());
    }
    Ok(file.found)
}

struct File<'a> {
    path: &'a str,
    bytes: &'a [u8],
    found: Vec<Definition>,
    seen: HashMap<Vec<String>, usize>,
}

impl File<'_> {
    fn walk(&mut self, node: Node<'_>, chain: &mut Vec<String>) {
        let name = definition_name(node, self.bytes);
        let named = name.is_some();
        chain.extend(name.map(|name| match node.child_by_field_name("trait") {
            // Two traits of one type may have methods of the same name.
            Some(of) => format!("{} as {}", name, self.slice(of.start_byte(), of.end_byte())),
            None => name,
        }));
        let is_type = matches!(
            node.kind(),
            "class_definition"
                | "struct_item"
                | "enum_item"
                | "trait_item"
                | "class_declaration"
                | "abstract_class_declaration"
                | "interface_declaration"
                | "enum_declaration"
        );
        if named && (is_function(node) || is_type) {
            self.add(node, chain);
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.walk(child, chain);
        }
        if named {
            chain.pop();
        }
    }

    fn add(&mut self, node: Node<'_>, chain: &[String]) {
        let whole = whole_statement(node);
        let first = first_above(whole, self.bytes);
        let nth = self.seen.entry(chain.to_vec()).or_default();
        let place = Place { file: self.path.to_owned(), chain: chain.to_vec(), nth: *nth };
        *nth += 1;
        let (is_function, body) = (is_function(node), node.child_by_field_name("body"));
        // Of a type the code is its head, because its members are definitions of their own.
        let members = body.filter(|_| !is_function).map(members_of).unwrap_or_default();
        let left_out: Vec<Node<'_>> =
            members.iter().copied().chain(node.child_by_field_name("name")).collect();
        let line = |row: usize| row as u64 + 1;
        self.found.push(Definition {
            is_function,
            lines: (line(first.start_position().row), line(whole.end_position().row)),
            code: code_of(whole, self.bytes, &left_out),
            place,
        });
    }

    fn slice(&self, from: usize, to: usize) -> String {
        String::from_utf8_lossy(self.bytes.get(from..to).unwrap_or_default()).into_owned()
    }
}

/// The members of a type, by its body.
fn members_of(body: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = body.walk();
    let is_member = |child: &Node<'_>| match child.kind() {
        "expression_statement" => child.named_child(0).is_some_and(|inner| inner.kind() == "assignment"),
        kind if kind.ends_with("comment") => false,
        kind => !matches!(kind, "attribute_item" | "pass_statement" | "decorator"),
    };
    body.named_children(&mut cursor).filter(is_member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_type_is_its_head_and_of_a_function_all_of_it() {
        let text = |value: u8| {
            format!(
                "class A(B):\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    # About f.\n    def f(self):\n        return {value}\n"
            )
        };
        let found = |value: u8| definitions_of("a.py", text(value).as_bytes()).unwrap();
        let (one, other) = (found(1), found(2));
        assert_eq!((one[0].place.name(), one[1].place.name(), one[1].lines), ("A", "f", (6, 8)));
        assert_eq!(one[0].code, other[0].code);
        assert_ne!(one[1].code, other[1].code);
    }

    #[test]
    fn names_comments_and_documentation_are_no_code() {
        let code = |text: &str| definitions_of("a.py", text.as_bytes()).unwrap().remove(0).code;
        let plain = code("def f(a):\n    return a\n");
        assert_eq!(code("# New.\ndef other(a):\n    \"\"\"Doc.\"\"\"\n    return a  # it\n"), plain);
        assert_ne!(code("def f(a: int):\n    return a\n"), plain);
    }
}
