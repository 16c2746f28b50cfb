//! Ruby.

use crate::syntax::{BRACES, NO_TYPES, Syntax, class_call, from, params, title};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "ruby",
    path: |stem| if stem == "test" { "test/test_shapes.rb".to_owned() } else { format!("lib/{stem}.rb") },
    before: |stem, calls| {
        let others: String =
            from(calls).iter().map(|file| format!("require_relative '../lib/{file}'\n")).collect();
        format!("{others}module {}\n", title(stem))
    },
    after: "end\n",
    depth: 1,
    head: |function| {
        let params =
            params(function, |name, optional| format!("{name}{}", if optional { " = 1" } else { "" }));
        format!("def self.{}({params})", function.name)
    },
    open: "\n",
    close: "end",
    doc: |doc| format!("# {doc}"),
    comment: "# ",
    guard: "raise ArgumentError, 'negative' if first < 0",
    effect: "puts first",
    start: |adds| format!("result = first * {adds}"),
    add: |call| format!("result += {call}"),
    call: class_call,
    result: "result",
    without: &[
        NO_TYPES,
        ("hidden", "hiding a module's own function takes a call in another place"),
        ("hidden function gone", "hiding a module's own function takes a call in another place"),
    ],
    names_file: true,
    ..BRACES
};
