//! The receiver has one of several known types, more than one of which has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 16,
    name: "alternatives",
    says: "The receiver has one of several known types, more than one of which has the member.",
    resolution: Resolution::Ambiguous,
};
