//! Ruby: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if", Body::Lists),
        ("unless", Body::Lists),
        ("elsif", Body::Lists),
        ("else", Body::After(&["else"])),
        ("case", Body::Lists),
        ("when", Body::Lists),
        ("case_match", Body::Lists),
        ("in_clause", Body::Lists),
        ("while", Body::Lists),
        ("until", Body::Lists),
        ("for", Body::Lists),
        ("begin", Body::After(&["begin"])),
        ("rescue", Body::Lists),
        ("ensure", Body::After(&["ensure"])),
        ("if_modifier", Body::Fields(&["body"])),
        ("unless_modifier", Body::Fields(&["body"])),
        ("while_modifier", Body::Fields(&["body"])),
        ("until_modifier", Body::Fields(&["body"])),
        ("rescue_modifier", Body::Fields(&["body", "handler"])),
    ],
    not_control: &[
        ("conditional", "an expression"),
        ("if_guard", "part of a clause"),
        ("unless_guard", "part of a clause"),
        ("in", "part of a loop's header"),
        ("do", "the body of a loop"),
        ("do_block", "a closure"),
        ("begin_block", "code that runs first, at any place"),
        ("match_pattern", "an expression"),
        ("test_pattern", "an expression"),
        ("yield", "a call"),
    ],
    lists: &["program", "then", "do", "body_statement", "block_body", "begin_block", "end_block"],
    members: &["class/body_statement", "module/body_statement", "singleton_class/body_statement"],
    closures: &[
        ("do_block", Body::Fields(&["body"])),
        ("block", Body::Fields(&["body"])),
        ("lambda", Body::Fields(&["body"])),
    ],
    arguments: &["argument_list"],
    always: &[],
    unpaired: &[],
};
