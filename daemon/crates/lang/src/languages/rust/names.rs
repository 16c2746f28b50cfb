//! Names, and which of them are the language's or the standard library's own.

/// An identifier without its raw mark.
pub(super) fn plain_name(text: &str) -> &str {
    text.strip_prefix("r#").unwrap_or(text)
}

/// Names of the prelude, such as `Some` and `Ok`, which lead to no definition.
pub(super) fn is_prelude(name: &str) -> bool {
    matches!(name, "Some" | "None" | "Ok" | "Err" | "Self" | "_")
}

/// Whether the function `name` of the type `of` returns a value of the type that it is given, or a pointer to one.
pub(super) fn is_pointer(of: &str, name: &str) -> bool {
    match name {
        "new" | "clone" | "pin" | "new_unchecked" => matches!(of, "Box" | "Rc" | "Arc" | "Pin"),
        "into_inner" => matches!(of, "Rc" | "Arc" | "Pin"),
        "get_mut" => matches!(of, "Rc" | "Arc" | "Pin"),
        "make_mut" | "unwrap_or_clone" | "try_unwrap" => matches!(of, "Rc" | "Arc"),
        "get_ref" | "into_ref" | "get_unchecked_mut" | "into_inner_unchecked" => of == "Pin",
        _ => false,
    }
}
