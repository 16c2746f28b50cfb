//! The name is a member of the type that it is qualified with.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 7,
    name: "class-member",
    says: "The name is a member of the type that it is qualified with.",
    resolution: Resolution::Exact,
};
