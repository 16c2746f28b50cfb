//! Bash.

use crate::syntax::{BRACES, NO_DEFAULTS, NO_TYPES, Syntax, from};

pub(super) const SYNTAX: Syntax = Syntax {
    name: "bash",
    path: |stem| format!("{stem}.sh"),
    before: |_, calls| from(calls).iter().map(|file| format!("source ./{file}.sh\n")).collect(),
    head: |function| format!("{}()", function.name),
    doc: |doc| format!("# {doc}"),
    comment: "# ",
    guard: "if [ \"$1\" -lt 0 ]; then exit 1; fi",
    effect: "curl -s https://example.com/",
    start: |adds| format!("local result=$(( $1 * {adds} ))"),
    add: str::to_owned,
    call: |_, name, args| format!("{name} {}", args.join(" ")),
    result: "echo \"$result\"",
    one_space: true,
    without: &[
        NO_TYPES,
        NO_DEFAULTS,
        ("hidden", "every function is seen"),
        ("hidden function gone", "every function is seen"),
        ("parameter", "parameters are not stated"),
        ("parameter gone", "parameters are not stated"),
        ("parameter and callers", "parameters are not stated"),
    ],
    ..BRACES
};
