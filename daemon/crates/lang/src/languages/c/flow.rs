//! C and C++: the parts that a skeleton shows.

use crate::flow::{Body, Flow};

pub(super) const FLOW: Flow = Flow {
    control: &[
        ("if_statement", Body::Fields(&["consequence"])),
        ("else_clause", Body::After(&["else"])),
        ("switch_statement", Body::Lists),
        ("case_statement", Body::After(&[":"])),
        ("for_statement", Body::Fields(&["body"])),
        ("for_range_loop", Body::Fields(&["body"])),
        ("while_statement", Body::Fields(&["body"])),
        ("do_statement", Body::Fields(&["body"])),
        ("labeled_statement", Body::After(&[":"])),
        ("try_statement", Body::Fields(&["body"])),
        ("catch_clause", Body::Fields(&["body"])),
        ("seh_try_statement", Body::Fields(&["body"])),
        ("seh_except_clause", Body::Fields(&["body"])),
        ("seh_finally_clause", Body::Fields(&["body"])),
        ("preproc_if", Body::Below),
        ("preproc_ifdef", Body::Below),
        ("preproc_elif", Body::Below),
        ("preproc_elifdef", Body::Below),
        ("preproc_else", Body::Below),
    ],
    not_control: &[
        ("goto_statement", "a jump out of a body, left out with it; its label is shown"),
        ("gnu_asm_goto_list", "operands of inline assembly"),
        ("co_yield_statement", "a statement of a body, left out with it"),
        ("conditional_expression", "an expression"),
        ("default_method_clause", "part of a signature"),
        ("lambda_default_capture", "part of a closure's header"),
        ("using_declaration", "a declaration"),
    ],
    lists: &["translation_unit", "compound_statement"],
    members: &["field_declaration_list", "enumerator_list", "declaration_list"],
    closures: &[("lambda_expression", Body::Fields(&["body"]))],
    arguments: &["argument_list"],
    always: &["preproc_include", "access_specifier", "using_declaration"],
    unpaired: &[],
};
