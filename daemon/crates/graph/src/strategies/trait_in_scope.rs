//! A method of the only trait in scope that has the name.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 50,
    name: "trait-in-scope",
    says: "The receiver is of a type from outside or of none that the text states, and one trait of the repository that is in scope has a method of the name.",
    resolution: Resolution::Inferred,
};
