//! C.

use crate::syntax::{BRACES, NO_DEFAULTS, Syntax, c_head, from};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "c",
    path: |stem| format!("{stem}.c"),
    before: |stem, calls| {
        let others: String = from(calls).iter().map(|file| format!("#include \"{file}.h\"\n")).collect();
        format!("#include <stdio.h>\n#include \"{stem}.h\"\n{others}")
    },
    guard: "if (first < 0) { return -1; }",
    effect: "printf(\"%d\", first);",
    header: Some((|stem| format!("{stem}.h"), |function| format!("{};\n", c_head(function)))),
    one_space: true,
    any_path: true,
    without: &[NO_DEFAULTS],
    ..BRACES
};
