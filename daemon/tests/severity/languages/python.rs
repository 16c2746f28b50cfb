//! Python.

use crate::syntax::{BRACES, Syntax, params};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "python",
    path: |stem| if stem == "test" { "tests/test_shapes.py".to_owned() } else { format!("shop/{stem}.py") },
    fixed: &[("shop/__init__.py", ""), ("tests/__init__.py", "")],
    before: |_, calls| {
        calls.iter().map(|(file, name)| format!("from shop.{file} import {name}\n")).collect::<String>()
            + "\n\n"
    },
    head: |function| {
        let result = if function.returns_text { "str" } else { "int" };
        let params =
            params(function, |name, optional| format!("{name}: int{}", if optional { " = 1" } else { "" }));
        format!("def {}({params}) -> {result}", function.name)
    },
    open: ":\n",
    close: "",
    doc: |doc| format!("\"\"\"{doc}\"\"\""),
    docstring: true,
    comment: "# ",
    guard: "if first < 0: raise ValueError(\"negative\")",
    effect: "print(first)",
    start: |adds| format!("result = first * {adds}"),
    add: |call| format!("result += {call}"),
    result: "return result",
    without: &[
        ("hidden", "who sees a function is in its name: this is a rename"),
        ("hidden function gone", "a leading underscore asks not to be used; it hides nothing"),
    ],
    ..BRACES
};
