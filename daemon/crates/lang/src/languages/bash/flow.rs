//! Bash: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::After(&["then"])),
        ("elif_clause", Body::After(&["then"])),
        ("else_clause", Body::After(&["else"])),
        ("case_statement", Body::Lists),
        ("case_item", Body::After(&[")"])),
        ("for_statement", Body::Lists),
        ("c_style_for_statement", Body::Lists),
        ("while_statement", Body::Lists),
    ],
    not_control: &[
        ("do_group", "the body of a loop"),
        ("ternary_expression", "an arithmetic expression"),
        ("heredoc_body", "text"),
    ],
    lists: &["program", "compound_statement", "do_group", "subshell", "process_substitution"],
    members: &[],
    closures: &[],
    arguments: &["command_substitution"],
    always: &[],
    unpaired: &[("case_item", ")")],
};
