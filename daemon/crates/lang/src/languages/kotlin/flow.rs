//! Kotlin: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_expression", Body::After(&[")", "else"])),
        ("when_expression", Body::Lists),
        ("when_entry", Body::After(&["->"])),
        ("for_statement", Body::After(&[")"])),
        ("while_statement", Body::After(&[")"])),
        ("do_while_statement", Body::After(&["do"])),
        ("try_expression", Body::Lists),
        ("catch_block", Body::Lists),
        ("finally_block", Body::Lists),
    ],
    not_control: &[
        ("when_subject", "part of a header"),
        ("label", "part of the loop or the lambda that it names"),
        ("labeled_expression", "a jump out of a body, or an expression with a name"),
    ],
    lists: &["source_file", "block"],
    members: &["class_body", "enum_class_body"],
    closures: &[
        ("lambda_literal", Body::Rest(&["lambda_parameters"])),
        ("function_body", Body::After(&["="])),
    ],
    arguments: &["value_arguments"],
    always: &["package_header", "import", "file_annotation"],
    unpaired: &[],
};
