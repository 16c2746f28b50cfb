//! The rules that find edges: a file each, and the table of all.
//!
//! A rule's number is stored with each edge that it found: never reuse one.

pub mod alias;
pub mod alternatives;
pub mod argument_types;
pub mod built;
pub mod class_member;
pub mod element;
pub mod extension;
pub mod extension_of;
pub mod guessed;
pub mod held_function;
pub mod import;
pub mod include;
pub mod inherited;
pub mod near_method;
pub mod overloads;
pub mod package;
pub mod qualified;
pub mod returned;
pub mod same_name;
pub mod scope;
pub mod self_member;
pub mod setting;
pub mod stated;
pub mod super_member;
pub mod trait_in_scope;
pub mod unique_function;
pub mod unique_method;
pub mod wildcard;

use sdl_model::{Resolution, Strategy};

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its stored number.
    pub number: u8,
    /// Its name on the wire.
    pub name: &'static str,
    /// What it says, in one sentence.
    pub says: &'static str,
    /// How sure what it finds is.
    pub resolution: Resolution,
}

impl Rule {
    /// The stored form.
    pub fn strategy(&self) -> Strategy {
        Strategy(self.number)
    }

    /// Whether the name alone speaks for what it finds.
    pub fn goes_by_name(&self) -> bool {
        [unique_function::RULE, unique_method::RULE, near_method::RULE, same_name::RULE].contains(self)
    }
}

/// Every rule, in order of number.
pub const ALL: &[Rule] = &[
    scope::RULE,
    import::RULE,
    wildcard::RULE,
    package::RULE,
    include::RULE,
    qualified::RULE,
    class_member::RULE,
    self_member::RULE,
    inherited::RULE,
    super_member::RULE,
    stated::RULE,
    built::RULE,
    returned::RULE,
    guessed::RULE,
    element::RULE,
    alternatives::RULE,
    overloads::RULE,
    held_function::RULE,
    unique_function::RULE,
    unique_method::RULE,
    near_method::RULE,
    same_name::RULE,
    setting::RULE,
    extension::RULE,
    alias::RULE,
    trait_in_scope::RULE,
    extension_of::RULE,
    argument_types::RULE,
];

/// The rule of that number.
pub fn rule(strategy: Strategy) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.number == strategy.0)
}

/// Which of two rules that are as sure speaks for an edge that both find: the lesser one. What knows more than the name
/// comes before what does not.
pub(crate) fn order(strategy: Strategy) -> (bool, u8) {
    (rule(strategy).is_none_or(Rule::goes_by_name), strategy.0)
}

/// The name of that rule on the wire.
pub fn name(strategy: Strategy) -> &'static str {
    rule(strategy).map_or("unknown", |rule| rule.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_goes_by_the_name_is_the_last_to_be_named() {
        let order = |rule: Rule| super::order(rule.strategy());
        assert!(order(scope::RULE) < order(import::RULE));
        assert!(order(extension::RULE) < order(unique_function::RULE));
        assert!(order(unique_method::RULE) < order(same_name::RULE));
    }

    #[test]
    fn numbers_grow_and_names_differ() {
        for pair in ALL.windows(2) {
            assert!(pair[0].number < pair[1].number, "{} and {}", pair[0].name, pair[1].name);
        }
        for (i, rule) in ALL.iter().enumerate() {
            assert!(ALL[i + 1..].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(rule.says.ends_with('.'));
        }
    }
}
