//! How often each rule is right, in percent.
//!
//! Measured where there is something to measure on, and preliminary: on the call edges of thirteen corpora whose truth comes from compilers
//! (click and werkzeug; rxjs, mobx, commander and stylelint; ignore and `clap_builder`; badger and cobra; commons-lang3;
//! lua and zlib), as `examples/truth.rs` prints them, each with its rule. A rule's value is the share of its edges that
//! the compiler confirms, among those on which the compiler has a verdict. For rules that guess by name, calls that the
//! compiler could not resolve either count as wrong. A family of languages has a value of its own where the rule has
//! at least twenty verdicts there and differs. Nothing is called surer than 99.
//!
//! Overloads of one function count as one in that truth, so `overloads` says how sure the function is, less a share for
//! which overload. Not measured for want of verdicts: `wildcard`, `guessed` (all of 26 right), `held-function`,
//! `near-method`, `setting`, `extension`, and `unique-function`, which has the value of `unique-method`. Nor is `alias`:
//! for the compilers, what is called is the local; read one by one, the twelve in click and werkzeug are right.

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
    (s::scope::RULE.number, 99, &[]),
    (s::import::RULE.number, 99, &[(Family::Rust, 93)]),
    (s::wildcard::RULE.number, 95, &[]),
    (s::package::RULE.number, 99, &[(Family::Jvm, 96)]),
    (s::include::RULE.number, 99, &[]),
    (s::qualified::RULE.number, 99, &[]),
    (s::class_member::RULE.number, 99, &[]),
    (s::self_member::RULE.number, 99, &[(Family::Rust, 98), (Family::Ecma, 98)]),
    (s::inherited::RULE.number, 99, &[]),
    (s::super_member::RULE.number, 99, &[]),
    (s::stated::RULE.number, 99, &[]),
    (s::built::RULE.number, 99, &[(Family::Rust, 98)]),
    (s::returned::RULE.number, 99, &[]),
    (s::guessed::RULE.number, 95, &[]),
    (s::element::RULE.number, 98, &[]),
    (s::alternatives::RULE.number, 76, &[]),
    (s::overloads::RULE.number, 75, &[]),
    (s::held_function::RULE.number, 50, &[]),
    (s::unique_function::RULE.number, 76, &[]),
    (s::unique_method::RULE.number, 76, &[(Family::Rust, 94)]),
    (s::near_method::RULE.number, 40, &[]),
    (s::same_name::RULE.number, 21, &[]),
    (s::setting::RULE.number, 60, &[]),
    (s::extension::RULE.number, 75, &[]),
    (s::alias::RULE.number, 75, &[]),
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
