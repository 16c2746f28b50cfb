//! The name is defined in the same scope or one around it.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 1,
    name: "scope",
    says: "The name is defined in the same scope or one around it.",
    resolution: Resolution::Exact,
};
