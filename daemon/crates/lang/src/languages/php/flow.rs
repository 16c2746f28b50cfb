//! PHP: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Fields(&["body"])),
        ("else_if_clause", Body::Fields(&["body"])),
        ("else_clause", Body::Fields(&["body"])),
        ("switch_statement", Body::Lists),
        ("case_statement", Body::After(&[":", ";"])),
        ("default_statement", Body::After(&[":", ";"])),
        ("match_expression", Body::Lists),
        ("match_conditional_expression", Body::Fields(&["return_expression"])),
        ("match_default_expression", Body::Fields(&["return_expression"])),
        ("for_statement", Body::After(&[")"])),
        ("foreach_statement", Body::Fields(&["body"])),
        ("while_statement", Body::Fields(&["body"])),
        ("do_statement", Body::Fields(&["body"])),
        ("try_statement", Body::Fields(&["body"])),
        ("catch_clause", Body::Fields(&["body"])),
        ("finally_clause", Body::Fields(&["body"])),
        ("named_label_statement", Body::Lists),
    ],
    not_control: &[
        ("switch_block", "the braces around the cases"),
        ("match_block", "the braces around the arms"),
        ("match_condition_list", "the conditions of an arm"),
        ("conditional_expression", "an expression"),
        ("enum_case", "a member of an enumeration"),
        ("goto_statement", "a jump out of a body, left out with it; its label is shown"),
        ("yield_expression", "an expression"),
    ],
    lists: &["program", "compound_statement", "colon_block"],
    members: &["declaration_list", "enum_declaration_list", "property_hook_list"],
    closures: &[("anonymous_function", Body::Fields(&["body"])), ("arrow_function", Body::Fields(&["body"]))],
    arguments: &["arguments"],
    always: &["php_tag", "namespace_definition", "namespace_use_declaration", "declare_statement"],
    unpaired: &[],
};
