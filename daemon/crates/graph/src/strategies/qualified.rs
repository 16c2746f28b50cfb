//! The name is a member of the module, package or namespace that it is qualified with.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 6,
    name: "qualified",
    says: "The name is a member of the module, package or namespace that it is qualified with.",
    resolution: Resolution::Exact,
};
