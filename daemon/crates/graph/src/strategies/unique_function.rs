//! Nothing in sight has the name, and just one function of the repository has it.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 20,
    name: "unique-function",
    says: "Nothing in sight has the name, and just one function of the repository has it.",
    resolution: Resolution::Inferred,
};
