//! JavaScript.

use crate::syntax::{BRACES, NO_TYPES, Syntax, from, params};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "javascript",
    path: |stem| if stem == "test" { "shapes.test.js".to_owned() } else { format!("{stem}.js") },
    before: script_import,
    head: |function| {
        let seen = if function.visible { "export " } else { "" };
        let params =
            params(function, |name, optional| format!("{name}{}", if optional { " = 1" } else { "" }));
        format!("{seen}function {}({params})", function.name)
    },
    guard: "if (first < 0) { throw new Error('negative'); }",
    effect: "console.log(first);",
    start: |adds| format!("let result = first * {adds};"),
    without: &[NO_TYPES],
    ..BRACES
};

fn script_import(stem: &str, calls: &[(&str, &str)]) -> String {
    let _ = stem;
    let names = |file: &str| {
        let names: Vec<&str> = calls.iter().filter(|call| call.0 == file).map(|call| call.1).collect();
        format!("import {{ {} }} from './{file}.js';\n", names.join(", "))
    };
    from(calls).into_iter().map(names).collect()
}
