//! TypeScript.

use super::javascript;
use crate::syntax::{Syntax, params};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "typescript",
    path: |stem| if stem == "test" { "shapes.test.ts".to_owned() } else { format!("{stem}.ts") },
    head: |function| {
        let seen = if function.visible { "export " } else { "" };
        let result = if function.returns_text { "string" } else { "number" };
        let params =
            params(function, |name, optional| format!("{name}{}: number", if optional { "?" } else { "" }));
        format!("{seen}function {}({params}): {result}", function.name)
    },
    without: &[],
    ..javascript::SYNTAX
};
