//! Java: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Fields(&["consequence", "alternative"])),
        ("for_statement", Body::Fields(&["body"])),
        ("enhanced_for_statement", Body::Fields(&["body"])),
        ("while_statement", Body::Fields(&["body"])),
        ("do_statement", Body::Fields(&["body"])),
        ("switch_expression", Body::Lists),
        ("switch_block_statement_group", Body::After(&[":"])),
        ("switch_rule", Body::After(&["->"])),
        ("try_statement", Body::Fields(&["body"])),
        ("try_with_resources_statement", Body::Fields(&["body"])),
        ("catch_clause", Body::Fields(&["body"])),
        ("finally_clause", Body::Lists),
        ("synchronized_statement", Body::Fields(&["body"])),
        ("labeled_statement", Body::After(&[":"])),
    ],
    not_control: &[
        ("switch_block", "the braces around the cases"),
        ("switch_label", "part of a case"),
        ("guard", "part of a case"),
        ("catch_formal_parameter", "part of a handler's header"),
        ("catch_type", "part of a handler's header"),
        ("ternary_expression", "an expression"),
        ("yield_statement", "the value of a case, left out with it"),
    ],
    lists: &["program", "block", "constructor_body"],
    members: &[
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "annotation_type_body",
        "module_body",
    ],
    closures: &[("lambda_expression", Body::Fields(&["body"]))],
    arguments: &["argument_list"],
    always: &["package_declaration", "import_declaration"],
    unpaired: &[],
};
