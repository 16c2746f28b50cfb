//! The receiver is the enclosing type's own instance, and the type has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 8,
    name: "self-member",
    says: "The receiver is the enclosing type's own instance, and the type has the member.",
    resolution: Resolution::Exact,
};
