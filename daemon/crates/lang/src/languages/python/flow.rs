//! Python: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Lists),
        ("elif_clause", Body::Lists),
        ("else_clause", Body::Lists),
        ("for_statement", Body::Lists),
        ("while_statement", Body::Lists),
        ("match_statement", Body::Lists),
        ("case_clause", Body::Lists),
        ("try_statement", Body::Lists),
        ("except_clause", Body::Lists),
        ("finally_clause", Body::Lists),
        ("with_statement", Body::Lists),
    ],
    not_control: &[
        ("conditional_expression", "an expression"),
        ("for_in_clause", "part of a comprehension"),
        ("if_clause", "part of a comprehension, or the guard of a case, shown with it"),
        ("case_pattern", "part of a case"),
        ("with_clause", "part of a header"),
        ("with_item", "part of a header"),
        ("default_parameter", "a parameter"),
        ("typed_default_parameter", "a parameter"),
        ("yield", "an expression"),
    ],
    lists: &["module", "block"],
    members: &[],
    closures: &[("lambda", Body::Fields(&["body"]))],
    arguments: &["argument_list"],
    always: &["import_statement", "import_from_statement", "future_import_statement"],
    unpaired: &[],
};
