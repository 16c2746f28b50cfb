//! C++.

use crate::syntax::{BRACES, Syntax, c_head, from};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "cpp",
    path: |stem| format!("{stem}.cpp"),
    before: |stem, calls| {
        let others: String = from(calls).iter().map(|file| format!("#include \"{file}.hpp\"\n")).collect();
        format!("#include <cstdio>\n#include \"{stem}.hpp\"\n{others}")
    },
    guard: "if (first < 0) { throw std::invalid_argument(\"negative\"); }",
    effect: "printf(\"%d\", first);",
    header: Some((|stem| format!("{stem}.hpp"), |function| format!("{};\n", c_head(function)))),
    one_space: true,
    any_path: true,
    without: &[("optional parameter", "only the declaration has the default")],
    ..BRACES
};
