//! A function that extends the receiver's own type.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 60,
    name: "extension-of",
    says: "The receiver's type is known, has no member of the name, and a visible function extends that type.",
    resolution: Resolution::Exact,
};
