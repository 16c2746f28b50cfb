//! Several overloads of the name take this many arguments.

use sdl_model::Resolution;

use super::Rule;

/// This rule.
pub const RULE: Rule = Rule {
    number: 17,
    name: "overloads",
    says: "Several overloads of the name take this many arguments.",
    resolution: Resolution::Ambiguous,
};
