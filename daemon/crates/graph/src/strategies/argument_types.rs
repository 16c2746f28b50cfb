//! Of several overloads, the one whose parameters are of the arguments' types.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 90,
    name: "argument-types",
    says: "Of several overloads, the one whose parameters are of the arguments' types.",
    resolution: Resolution::Inferred,
};
