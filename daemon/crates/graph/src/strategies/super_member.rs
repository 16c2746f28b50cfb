//! The receiver is `super`, and a base of the enclosing type has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 10,
    name: "super-member",
    says: "The receiver is `super`, and a base of the enclosing type has the member.",
    resolution: Resolution::Exact,
};
