//! A wildcard import brings the name in.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 3,
    name: "wildcard",
    says: "A wildcard import brings the name in.",
    resolution: Resolution::Exact,
};
