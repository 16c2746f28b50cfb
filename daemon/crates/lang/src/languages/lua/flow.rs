//! Lua: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Lists),
        ("elseif_statement", Body::Lists),
        ("else_statement", Body::Lists),
        ("for_statement", Body::Lists),
        ("while_statement", Body::Lists),
        ("repeat_statement", Body::Lists),
        ("do_statement", Body::Lists),
        ("goto_statement", Body::Lists),
        ("label_statement", Body::Lists),
    ],
    not_control: &[("for_generic_clause", "part of a header"), ("for_numeric_clause", "part of a header")],
    lists: &["chunk", "block"],
    members: &[],
    closures: &[("function_definition", Body::Fields(&["body"]))],
    arguments: &["arguments"],
    always: &[],
    unpaired: &[],
};
