//! A local name is called that holds a known function or class.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 18,
    name: "held-function",
    says: "A local name is called that holds a known function or class.",
    resolution: Resolution::Inferred,
};
