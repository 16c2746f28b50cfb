//! The local, or the variable or field, stands for the function or type that is called.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 26,
    name: "alias",
    says: "A name that stands for one function or type is called: `f = self.g; f()`.",
    resolution: Resolution::Inferred,
};
