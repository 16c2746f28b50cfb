//! Tree-sitter's grammars, by file.

use std::path::Path;

use tree_sitter::Language;

/// The grammar for a file, by its extension.
pub(crate) fn file_grammar(path: &Path) -> Option<Language> {
    let language = match path.extension()?.to_str()? {
        "sh" | "bash" => tree_sitter_bash::LANGUAGE.into(),
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "cc" | "cpp" | "cxx" | "hpp" | "hh" => tree_sitter_cpp::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "kt" | "kts" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        _ => return None,
    };
    Some(language)
}
