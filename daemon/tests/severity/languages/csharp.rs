//! C#.

use crate::syntax::{CLASS, Syntax, params, slashes, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "csharp",
    path: |stem| format!("{}.cs", title(stem)),
    before: |stem, _| format!("namespace Shop;\n\npublic static class {} {{\n", title(stem)),
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "string" } else { "int" };
        let params =
            params(function, |name, optional| format!("int {name}{}", if optional { " = 1" } else { "" }));
        format!("{seen} static {result} {}({params})", function.name)
    },
    doc: slashes,
    guard: "if (first < 0) { throw new ArgumentException(\"negative\"); }",
    effect: "Console.WriteLine(first);",
    ..CLASS
};
