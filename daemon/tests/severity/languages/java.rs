//! Java.

use crate::syntax::{CLASS, NO_DEFAULTS, Syntax, params, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "java",
    path: |stem| format!("shop/{}.java", title(stem)),
    before: |stem, _| format!("package shop;\n\npublic class {} {{\n", title(stem)),
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "String" } else { "int" };
        format!(
            "{seen} static {result} {}({})",
            function.name,
            params(function, |name, _| format!("int {name}"))
        )
    },
    guard: "if (first < 0) { throw new IllegalArgumentException(\"negative\"); }",
    effect: "System.out.println(first);",
    without: &[NO_DEFAULTS],
    ..CLASS
};
