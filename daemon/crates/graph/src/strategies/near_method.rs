//! The receiver's type is unknown, and of several methods of that name just one is in the same file.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 22,
    name: "near-method",
    says: "The receiver's type is unknown, and of several methods of that name just one is in the same file.",
    resolution: Resolution::Inferred,
};
