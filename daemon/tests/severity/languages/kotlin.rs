//! Kotlin.

use crate::syntax::{BRACES, Syntax, params, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "kotlin",
    path: |stem| format!("shop/{}.kt", title(stem)),
    before: |_, _| "package shop\n\n".to_owned(),
    head: |function| {
        let seen = if function.visible { "" } else { "private " };
        let result = if function.returns_text { "String" } else { "Int" };
        let params =
            params(function, |name, optional| format!("{name}: Int{}", if optional { " = 1" } else { "" }));
        format!("{seen}fun {}({params}): {result}", function.name)
    },
    guard: "require(first >= 0) { \"negative\" }",
    effect: "println(first)",
    start: |adds| format!("var result = first * {adds}"),
    add: |call| format!("result += {call}"),
    result: "return result",
    one_space: true,
    any_path: true,
    ..BRACES
};
