//! An included or loaded file declares the name; a declaration leads to the one definition that links to it.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 5,
    name: "include",
    says: "An included or loaded file declares the name; a declaration leads to the one definition that links to it.",
    resolution: Resolution::Exact,
};
