//! Go.

use crate::syntax::{BRACES, NO_DEFAULTS, Syntax, params, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "go",
    path: |stem| if stem == "test" { "shapes_test.go".to_owned() } else { format!("{stem}.go") },
    fixed: &[("go.mod", "module example.com/shop\n\ngo 1.22\n")],
    before: |_, _| "package shop\n\n".to_owned(),
    head: |function| {
        let name = if function.visible { title(function.name) } else { function.name.to_owned() };
        let result = if function.returns_text { "string" } else { "int" };
        format!("func {name}({}) {result}", params(function, |name, _| format!("{name} int")))
    },
    doc: |doc| format!("// {doc}"),
    guard: "if first < 0 { panic(\"negative\") }",
    effect: "fmt.Println(first)",
    start: |adds| format!("result := first * {adds}"),
    add: |call| format!("result += {call}"),
    call: |_, name, args| format!("{}({})", title(name), args.join(", ")),
    result: "return result",
    without: &[NO_DEFAULTS, ("hidden", "who sees a function is in its name: this is a rename")],
    one_space: true,
    any_path: true,
    ..BRACES
};
