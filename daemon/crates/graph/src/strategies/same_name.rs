//! The receiver's type is unknown, and a few types of the repository have a method of that name.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 23,
    name: "same-name",
    says: "The receiver's type is unknown, and a few types of the repository have a method of that name.",
    resolution: Resolution::Ambiguous,
};
