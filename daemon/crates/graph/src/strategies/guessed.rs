//! The receiver's type follows from what a function returns or a name is set to in several places.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 14,
    name: "guessed",
    says: "The receiver's type follows from what a function returns or a name is set to in several places.",
    resolution: Resolution::Inferred,
};
