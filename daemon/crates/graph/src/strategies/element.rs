//! The receiver is an element of a container whose element type is stated.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 15,
    name: "element",
    says: "The receiver is an element of a container whose element type is stated.",
    resolution: Resolution::Inferred,
};
