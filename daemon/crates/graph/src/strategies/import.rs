//! An import binds the name; re-exports are followed to the definition.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 2,
    name: "import",
    says: "An import binds the name; re-exports are followed to the definition.",
    resolution: Resolution::Exact,
};
