//! Rust: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_expression", Body::Fields(&["consequence"])),
        ("else_clause", Body::After(&["else"])),
        ("let_declaration", Body::With("else")),
        ("match_expression", Body::Lists),
        ("match_arm", Body::Fields(&["value"])),
        ("for_expression", Body::Fields(&["body"])),
        ("while_expression", Body::Fields(&["body"])),
        ("loop_expression", Body::Fields(&["body"])),
    ],
    not_control: &[
        ("match_block", "the braces around the arms"),
        ("match_pattern", "part of an arm"),
        ("label", "part of the loop or the block that it names"),
        ("try_expression", "the operator `?`"),
        ("try_block", "an expression"),
        ("unsafe_block", "an expression"),
        ("yield_expression", "an expression"),
        ("macro_rule", "a rule of a macro, tokens"),
        ("for_lifetimes", "part of a type"),
        ("generic_type_with_turbofish", "a type"),
    ],
    lists: &["source_file", "block"],
    members: &[
        "declaration_list",
        "field_declaration_list",
        "ordered_field_declaration_list",
        "enum_variant_list",
    ],
    closures: &[("closure_expression", Body::Fields(&["body"]))],
    arguments: &["arguments"],
    always: &["use_declaration", "extern_crate_declaration", "mod_item", "inner_attribute_item"],
    unpaired: &[],
};
