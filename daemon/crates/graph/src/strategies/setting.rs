//! A configuration key is read, and one settings file or constant of the repository defines it.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 24,
    name: "setting",
    says: "A configuration key is read, and one settings file or constant of the repository defines it.",
    resolution: Resolution::Inferred,
};
