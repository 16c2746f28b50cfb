//! The receiver is the enclosing type's own instance, and a base of the type has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 9,
    name: "inherited",
    says: "The receiver is the enclosing type's own instance, and a base of the type has the member.",
    resolution: Resolution::Exact,
};
