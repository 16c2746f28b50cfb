//! A constructor call made the receiver, and the type has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 12,
    name: "built",
    says: "A constructor call made the receiver, and the type has the member.",
    resolution: Resolution::Exact,
};
