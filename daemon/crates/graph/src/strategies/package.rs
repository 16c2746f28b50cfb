//! Another file of the same package or namespace defines the name.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 4,
    name: "package",
    says: "Another file of the same package or namespace defines the name.",
    resolution: Resolution::Exact,
};
