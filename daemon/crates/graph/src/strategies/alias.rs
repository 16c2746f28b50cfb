//! The local stands for the function or type that is called.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 26,
    name: "alias",
    says: "The local stands for one function or type: `f = self.g; f()`, `cls()`.",
    resolution: Resolution::Inferred,
};
