//! Go: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Fields(&["consequence", "alternative"])),
        ("for_statement", Body::Fields(&["body"])),
        ("expression_switch_statement", Body::Lists),
        ("expression_case", Body::Lists),
        ("type_switch_statement", Body::Lists),
        ("type_case", Body::Lists),
        ("default_case", Body::Lists),
        ("select_statement", Body::Lists),
        ("communication_case", Body::Lists),
        ("labeled_statement", Body::After(&[":"])),
        ("defer_statement", Body::Lists),
        ("go_statement", Body::Lists),
    ],
    not_control: &[
        ("for_clause", "part of a loop's header"),
        ("label_name", "part of a label or a jump"),
        ("goto_statement", "a jump out of a body, left out with it; its label is shown"),
    ],
    lists: &["source_file", "block", "statement_list"],
    members: &["field_declaration_list", "interface_type"],
    closures: &[("func_literal", Body::Fields(&["body"]))],
    arguments: &["argument_list"],
    always: &["package_clause", "import_declaration"],
    unpaired: &[],
};
