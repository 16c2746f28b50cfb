//! Rust.

use crate::syntax::{BRACES, NO_DEFAULTS, Syntax, params, slashes};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "rust",
    path: |stem| format!("src/{stem}.rs"),
    fixed: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "pub mod extra;\npub mod shapes;\npub mod test;\npub mod users;\n"),
    ],
    before: |_, calls| {
        calls.iter().map(|(file, name)| format!("use crate::{file}::{name};\n")).collect::<String>() + "\n"
    },
    head: |function| {
        let seen = if function.visible { "pub " } else { "" };
        let result = if function.returns_text { "String" } else { "u32" };
        format!(
            "{seen}fn {}({}) -> {result}",
            function.name,
            params(function, |name, _| format!("{name}: u32"))
        )
    },
    doc: slashes,
    guard: "assert!(first > 0, \"negative\");",
    effect: "println!(\"{first}\");",
    start: |adds| format!("let mut result = first * {adds};"),
    result: "result",
    without: &[NO_DEFAULTS],
    names_file: true,
    ..BRACES
};
