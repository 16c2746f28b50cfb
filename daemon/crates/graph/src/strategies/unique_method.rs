//! The receiver's type is unknown, and just one type of the repository has a method of that name, which no builtin type has.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 21,
    name: "unique-method",
    says: "The receiver's type is unknown, and just one type of the repository has a method of that name, which no builtin type has.",
    resolution: Resolution::Inferred,
};
