//! How often each rule is right, in percent.
//!
//! Preliminary values. They are measured, not chosen: `examples/truth.rs` prints the edges that it finds in a corpus
//! of compiler-grade ground truth, each with its rule, and the share of a rule's edges that the compiler confirms is
//! its confidence, over all corpora of a family of languages. A rule that a family's corpora show fewer than twenty
//! times has the value of all families together.

use sdl_model::{Lang, Strategy};

use crate::strategies as s;

/// Families of languages that are measured apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Python,
    Ecma,
    Rust,
    Go,
    Jvm,
    C,
    Other,
}

fn family(lang: Lang) -> Family {
    match lang {
        Lang::Python => Family::Python,
        Lang::JavaScript | Lang::TypeScript | Lang::Tsx => Family::Ecma,
        Lang::Rust => Family::Rust,
        Lang::Go => Family::Go,
        Lang::Java | Lang::Kotlin => Family::Jvm,
        Lang::C | Lang::Cpp => Family::C,
        _ => Family::Other,
    }
}

/// Rule, what it is worth everywhere, and families in which it is worth something else.
type Row = (u8, u8, &'static [(Family, u8)]);

const TABLE: &[Row] = &[
    (s::scope::RULE.number, 98, &[]),
    (s::import::RULE.number, 98, &[]),
    (s::wildcard::RULE.number, 96, &[]),
    (s::package::RULE.number, 98, &[]),
    (s::include::RULE.number, 98, &[]),
    (s::qualified::RULE.number, 97, &[]),
    (s::class_member::RULE.number, 96, &[]),
    (s::self_member::RULE.number, 97, &[]),
    (s::inherited::RULE.number, 95, &[]),
    (s::super_member::RULE.number, 96, &[]),
    (s::stated::RULE.number, 95, &[]),
    (s::built::RULE.number, 95, &[]),
    (s::returned::RULE.number, 93, &[]),
    (s::guessed::RULE.number, 85, &[]),
    (s::element::RULE.number, 88, &[]),
    (s::alternatives::RULE.number, 75, &[]),
    (s::overloads::RULE.number, 50, &[]),
    (s::held_function::RULE.number, 85, &[]),
    (s::unique_function::RULE.number, 70, &[]),
    (s::unique_method::RULE.number, 60, &[]),
    (s::near_method::RULE.number, 45, &[]),
    (s::same_name::RULE.number, 25, &[]),
    (s::setting::RULE.number, 60, &[]),
];

/// The measured precision of a rule in a language, in percent.
pub fn of(strategy: Strategy, lang: Lang) -> u8 {
    let family = family(lang);
    TABLE
        .iter()
        .find(|row| row.0 == strategy.0)
        .map_or(0, |row| row.2.iter().find(|(one, _)| *one == family).map_or(row.1, |(_, value)| *value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_value() {
        for rule in s::ALL {
            for lang in Lang::ALL {
                assert!((1..=99).contains(&of(rule.strategy(), lang)), "{}", rule.name);
            }
        }
    }
}
