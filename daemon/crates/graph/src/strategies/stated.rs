//! The text states the receiver's type, which has the member.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 11,
    name: "stated",
    says: "The text states the receiver's type, which has the member.",
    resolution: Resolution::Exact,
};
