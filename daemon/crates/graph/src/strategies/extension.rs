//! The only function of the name that extends types from outside.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 25,
    name: "extension",
    says: "The receiver is of a type from outside, and only one function in the repository extends such types by the name.",
    resolution: Resolution::Inferred,
};
