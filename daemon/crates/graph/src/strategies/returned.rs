//! The receiver is the result of a function whose result type is stated, and the type has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 13,
    name: "returned",
    says: "The receiver is the result of a function whose result type is stated, and the type has the member.",
    resolution: Resolution::Exact,
};
