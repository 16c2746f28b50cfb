//! JavaScript, TypeScript and TSX: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Fields(&["consequence"])),
        ("else_clause", Body::After(&["else"])),
        ("switch_statement", Body::Lists),
        ("switch_case", Body::Fields(&["body"])),
        ("switch_default", Body::Fields(&["body"])),
        ("for_statement", Body::Fields(&["body"])),
        ("for_in_statement", Body::Fields(&["body"])),
        ("while_statement", Body::Fields(&["body"])),
        ("do_statement", Body::Fields(&["body"])),
        ("try_statement", Body::Fields(&["body"])),
        ("catch_clause", Body::Fields(&["body"])),
        ("finally_clause", Body::Fields(&["body"])),
        ("with_statement", Body::Fields(&["body"])),
        ("labeled_statement", Body::Fields(&["body"])),
    ],
    not_control: &[
        ("switch_body", "the braces around the cases"),
        ("ternary_expression", "an expression"),
        ("conditional_type", "a type"),
        ("default_type", "a type"),
        ("yield_expression", "an expression"),
        ("using_declaration", "a declaration"),
    ],
    lists: &["program", "statement_block"],
    members: &["class_body", "interface_body", "object_type", "enum_body"],
    closures: &[
        ("arrow_function", Body::Fields(&["body"])),
        ("function_expression", Body::Fields(&["body"])),
        ("generator_function", Body::Fields(&["body"])),
    ],
    arguments: &["arguments"],
    always: &[
        "import_statement",
        "export_statement",
        "import_alias",
        "call_signature",
        "construct_signature",
        "index_signature",
    ],
    unpaired: &[],
};
