//! PHP.

use crate::syntax::{CLASS, Syntax, from, params, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "php",
    path: |stem| format!("{}.php", title(stem)),
    before: |stem, calls| {
        let others: String = from(calls)
            .iter()
            .map(|file| format!("require_once __DIR__ . '/{}.php';\n", title(file)))
            .collect();
        format!("<?php\n\nnamespace Shop;\n\n{others}class {} {{\n", title(stem))
    },
    head: |function| {
        let seen = if function.visible { "public" } else { "private" };
        let result = if function.returns_text { "string" } else { "int" };
        let params =
            params(function, |name, optional| format!("int ${name}{}", if optional { " = 1" } else { "" }));
        format!("{seen} static function {}({params}): {result}", function.name)
    },
    guard: "if ($first < 0) { throw new \\InvalidArgumentException('negative'); }",
    effect: "error_log($first);",
    start: |adds| format!("$result = $first * {adds};"),
    add: |call| format!("$result += {call};"),
    call: |file, name, args| format!("{}::{name}({})", title(file), args.join(", ")),
    result: "return $result;",
    ..CLASS
};
