//! Each place where a text spells a name, and the part that the name has there.
//!
//! Reads the syntax tree and nothing else: what a name means is for others to find out.

use sdl_model::Lang;
use tree_sitter::Node;

use crate::ExtractError;
use crate::identifiers::is_identifier;
use crate::languages::parse_only;

/// The part that a name has in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NameRole {
    /// By itself.
    Bare,
    /// After a dot, an arrow or two colons.
    Member,
    /// The name of an argument: `f(name=1)`.
    Keyword,
    /// A key that is written out: `{ name: 1 }`.
    Key,
    /// A key that is a value's name too: `{ name }`.
    Shorthand,
    /// What an import or an export names.
    Import,
    /// The new name in an import or an export: `import a as name`.
    Alias,
    /// A part of a module's path.
    Path,
    /// A string, or a part of one that looks like a dotted path: `"app.name"`.
    NameText,
    /// A string in a list of exports, such as `__all__`.
    ExportText,
    /// A word of a longer string.
    Text,
    /// A word of a comment.
    Comment,
    /// Something that the grammar does not take apart, such as the body of a C macro.
    Opaque,
}

/// A place where a text spells a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameMention {
    /// The byte offset.
    pub at: u32,
    /// The part that it has.
    pub role: NameRole,
}

/// Statements that bind or pass on names of other modules.
const IMPORTS: &[&str] = &[
    "export_clause",
    "export_specifier",
    "future_import_statement",
    "import",
    "import_declaration",
    "import_from_statement",
    "import_header",
    "import_spec",
    "import_statement",
    "namespace_use_declaration",
    "use_declaration",
    "using_directive",
];

/// The places where `bytes`, read as `lang`, spell `name`, in order. None for a language without a grammar. Pure.
pub fn name_mentions(lang: Lang, bytes: &[u8], name: &str) -> Result<Option<Vec<NameMention>>, ExtractError> {
    let places: Vec<usize> = spelled_places(bytes, name).collect();
    if places.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let Some(tree) = parse_only(lang, bytes) else { return Ok(None) };
    let tree = tree?;
    let role = |at: usize| {
        let node = tree.root_node().descendant_for_byte_range(at, at + name.len());
        node.map_or(NameRole::Opaque, |node| role_of(node, bytes, at, name))
    };
    Ok(Some(places.into_iter().map(|at| NameMention { at: at as u32, role: role(at) }).collect()))
}

/// The offsets at which `name` is a whole word of `bytes`.
pub fn spelled_places<'b>(bytes: &'b [u8], name: &'b str) -> impl Iterator<Item = usize> + 'b {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let found = memchr::memmem::find_iter(bytes, name.as_bytes());
    found.filter(move |at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !before.is_some_and(is_part) && !bytes.get(at + name.len()).is_some_and(is_part)
    })
}

fn role_of(node: Node<'_>, bytes: &[u8], at: usize, name: &str) -> NameRole {
    if let Some(role) = written_role(node, bytes, at, name) {
        return role;
    }
    let text = bytes.get(node.byte_range()).unwrap_or_default();
    // `#name`, `@name` and `:name` are one leaf each.
    let is_whole = text.len() <= name.len() + 2 && text.ends_with(name.as_bytes());
    if node.child_count() > 0 || !is_identifier(node) || !is_whole {
        return NameRole::Opaque;
    }
    if node.kind().starts_with("shorthand") || within(node, "shorthand_field_initializer") {
        return NameRole::Shorthand;
    }
    import_role(node).unwrap_or_else(|| plain_role(node, bytes))
}

/// The role of a place that is not code.
fn written_role(node: Node<'_>, bytes: &[u8], at: usize, name: &str) -> Option<NameRole> {
    let mut up = Some(node);
    let mut is_leaf = true;
    while let Some(one) = up {
        let kind = one.kind();
        if kind.contains("comment") {
            return Some(NameRole::Comment);
        }
        let holds_code = kind.contains("interpolation") || kind.contains("substitution");
        if holds_code || (is_leaf && is_identifier(one)) {
            return None;
        }
        if kind.contains("string") || kind == "char_literal" || kind == "regex" || kind == "heredoc_body" {
            return Some(text_role(one, bytes, at, name));
        }
        is_leaf = false;
        up = one.parent();
    }
    None
}

fn text_role(node: Node<'_>, bytes: &[u8], at: usize, name: &str) -> NameRole {
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:/-".contains(byte);
    let is_quote = |byte: Option<&u8>| byte.is_some_and(|byte| b"\"'`".contains(byte));
    let before = bytes.get(..at).unwrap_or_default().iter().rev().find(|byte| !is_path(byte));
    let after = bytes.get(at + name.len()..).unwrap_or_default().iter().find(|byte| !is_path(byte));
    if !is_quote(before) || !is_quote(after) {
        return if is_in_type_text(bytes, at, name) { NameRole::NameText } else { NameRole::Text };
    }
    let mut up = node.parent();
    for _ in 0..6 {
        let Some(one) = up else { break };
        // The path of a module.
        if IMPORTS.binary_search(&one.kind()).is_ok() || one.kind() == "export_statement" {
            return NameRole::Path;
        }
        let list = match one.kind() {
            "assignment" | "augmented_assignment" => one.child_by_field_name("left"),
            "call" | "call_expression" => one.child_by_field_name("function"),
            _ => None,
        };
        let text = list.and_then(|list| bytes.get(list.byte_range())).unwrap_or_default();
        if text.starts_with(b"__all__") {
            return NameRole::ExportText;
        }
        if text == b"require" {
            return NameRole::Path;
        }
        up = one.parent();
    }
    NameRole::NameText
}

/// Whether a name is in a string that is written like a type, such as `cast("list[Job] | None", value)`. Prose has
/// neither brackets nor bars.
fn is_in_type_text(bytes: &[u8], at: usize, name: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.[]|, ".contains(byte);
    let is_quote = |byte: Option<&u8>| byte.is_some_and(|byte| b"\"'".contains(byte));
    let (before, after) =
        (bytes.get(..at).unwrap_or_default(), bytes.get(at + name.len()..).unwrap_or_default());
    let start = before.iter().rposition(|byte| !is_part(byte));
    let end = after.iter().position(|byte| !is_part(byte)).unwrap_or(after.len());
    let around = [before.get(start.map_or(0, |start| start + 1)..), after.get(..end)];
    is_quote(start.and_then(|start| before.get(start)))
        && is_quote(after.get(end))
        && around.into_iter().flatten().flatten().any(|byte| b"[|".contains(byte))
}

/// The role of a name in an import or an export.
fn import_role(node: Node<'_>) -> Option<NameRole> {
    let mut at = node;
    let mut role = NameRole::Import;
    for _ in 0..16 {
        let up = at.parent()?;
        role = match field_in(up, at) {
            Some("alias") => NameRole::Alias,
            Some("module_name" | "path" | "source" | "scope")
                if role == NameRole::Import && up.kind() != "use_as_clause" =>
            {
                NameRole::Path
            }
            _ => role,
        };
        // An import of a whole module: each name in it is a part of a path.
        if up.kind() == "dotted_name" && up.parent().is_some_and(|one| one.kind() == "import_statement") {
            role = NameRole::Path;
        }
        if IMPORTS.binary_search(&up.kind()).is_ok() {
            return Some(role);
        }
        at = up;
    }
    None
}

/// The name of the field that a child is in.
fn field_in<'t>(parent: Node<'t>, child: Node<'t>) -> Option<&'t str> {
    let mut cursor = parent.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    loop {
        if cursor.node().id() == child.id() {
            return cursor.field_name();
        }
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
}

fn within(node: Node<'_>, kind: &str) -> bool {
    node.parent().is_some_and(|up| up.kind() == kind)
}

fn plain_role(node: Node<'_>, bytes: &[u8]) -> NameRole {
    if let Some(up) = node.parent() {
        let field = field_in(up, node);
        match (up.kind(), field) {
            ("keyword_argument" | "keyword_pattern", Some("name")) => return NameRole::Keyword,
            ("keyword_pattern", _) if up.named_child(0) == Some(node) => return NameRole::Keyword,
            ("pair" | "pair_pattern", Some("key")) | ("field_initializer" | "field_pattern", _)
                if field.is_some_and(|field| ["key", "field", "name"].contains(&field)) =>
            {
                return NameRole::Key;
            }
            _ => {}
        }
    }
    let before = bytes.get(..node.start_byte()).unwrap_or_default().trim_ascii_end();
    let is_member = before.ends_with(b"::")
        || before.ends_with(b"->")
        || (before.ends_with(b".") && !before.ends_with(b".."))
        || node.kind().starts_with("private_property");
    if is_member { NameRole::Member } else { NameRole::Bare }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(lang: Lang, text: &str) -> String {
        let found = name_mentions(lang, text.as_bytes(), "run").unwrap().unwrap();
        found.iter().map(|one| format!("{:?}", one.role)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_place_has_its_role() {
        assert!(IMPORTS.is_sorted());
        for (lang, text, wanted) in [
            (Lang::Python, "def run(): pass\nrun()\na.run\n", "Bare Bare Member"),
            (
                Lang::Python,
                "from run import a\nfrom b import run\nfrom c import d as run\n",
                "Path Import Alias",
            ),
            (Lang::Python, "import run.a\nf(run=1)\n", "Path Keyword"),
            (
                Lang::Python,
                "__all__ = ['run']\n'run'\n'a.run'\n'do run it'\n",
                "ExportText NameText NameText Text",
            ),
            (Lang::Python, "__all__ += ('run',)\n__all__.extend(['run'])\n", "ExportText ExportText"),
            (Lang::Python, "# run\nf'{run} run'\nrunner = prerun = run_1\n", "Comment Bare Text"),
            (
                Lang::TypeScript,
                "import { run } from './run';\nexport { run, run as b };\n",
                "Import Path Import Import",
            ),
            (Lang::TypeScript, "import { a as run } from './a';\nexport function run() {}\n", "Alias Bare"),
            (
                Lang::TypeScript,
                "const a = { run, b: 1 };\nconst c = { run: 1 };\n`${run} run`;\n",
                "Shorthand Key Bare Text",
            ),
            (Lang::Rust, "use a::run;\nuse run::b;\nuse a::{run as c, d};\n", "Import Path Import"),
            (
                Lang::Rust,
                "fn f() { run(); a::run(); S { run: 1 }; S { run }; }\n",
                "Bare Member Key Shorthand",
            ),
            (Lang::C, "#define A run(1)\nint b(void) { return run(); }\n", "Opaque Bare"),
        ] {
            assert_eq!(roles(lang, text), wanted, "{text}");
        }
    }
}
