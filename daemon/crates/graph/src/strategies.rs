//! The rules that find edges.
//!
//! A rule's number is stored with each edge that it found: never reuse one.

use sdl_model::{EdgeKind, Resolution, Strategy};

/// The name of the kind of edges to code that runs without a call of it in the text.
pub const FLOW: &str = "flow";

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its stored number.
    pub number: u8,
    /// Its name on the wire.
    pub name: &'static str,
    /// Its meaning, in one sentence.
    pub says: &'static str,
    /// How certain its targets are.
    pub resolution: Resolution,
}

/// Declares every rule, in order of number, and [`ALL`] of them.
macro_rules! rules {
    ($($rule:ident = $number:literal, $name:literal, $resolution:ident, $says:literal;)*) => {
        $(
            #[doc = $says]
            pub const $rule: Rule =
                Rule { number: $number, name: $name, says: $says, resolution: Resolution::$resolution };
        )*
        /// Every rule, in order of number.
        pub const ALL: &[Rule] = &[$($rule),*];
    };
}

rules! {
    SCOPE = 1, "scope", Exact, "The name is defined in the same scope or one around it.";
    IMPORT = 2, "import", Exact, "An import binds the name; re-exports are followed to the definition.";
    WILDCARD = 3, "wildcard", Exact, "A wildcard import brings the name in.";
    PACKAGE = 4, "package", Exact, "Another file of the same package or namespace defines the name.";
    INCLUDE = 5, "include", Exact, "An included or loaded file declares the name; a declaration leads to the one definition that links to it.";
    QUALIFIED = 6, "qualified", Exact, "The name is a member of the module, package or namespace that it is qualified with.";
    CLASS_MEMBER = 7, "class-member", Exact, "The name is a member of the type that it is qualified with.";
    SELF_MEMBER = 8, "self-member", Exact, "The receiver is the enclosing type's own instance, and the type has the member.";
    INHERITED = 9, "inherited", Exact, "The receiver is the enclosing type's own instance, and a base of the type has the member.";
    SUPER_MEMBER = 10, "super-member", Exact, "The receiver is `super`, and a base of the enclosing type has the member.";
    STATED = 11, "stated", Exact, "The text states the receiver's type, which has the member.";
    BUILT = 12, "built", Exact, "A constructor call made the receiver, and the type has the member.";
    RETURNED = 13, "returned", Exact, "The receiver is the result of a function whose result type is stated, and the type has the member.";
    GUESSED = 14, "guessed", Inferred, "The receiver's type follows from what a function returns or a name is set to in several places.";
    ELEMENT = 15, "element", Inferred, "The receiver is an element of a container whose element type is stated.";
    ALTERNATIVES = 16, "alternatives", Ambiguous, "The receiver has one of several known types, more than one of which has the member.";
    OVERLOADS = 17, "overloads", Ambiguous, "Several overloads of the name take this many arguments.";
    HELD_FUNCTION = 18, "held-function", Inferred, "A local name is called that holds a known function or class.";
    UNIQUE_FUNCTION = 20, "unique-function", Inferred, "Nothing in sight has the name, and just one function of the repository has it.";
    UNIQUE_METHOD = 21, "unique-method", Inferred, "The receiver's type is unknown, and just one type of the repository has a method of that name, which no builtin type has.";
    NEAR_METHOD = 22, "near-method", Inferred, "The receiver's type is unknown, and of several methods of that name just one is in the same file.";
    SAME_NAME = 23, "same-name", Ambiguous, "The receiver's type is unknown, and a few types of the repository have a method of that name.";
    SETTING = 24, "setting", Inferred, "A configuration key is read, and one settings file or constant of the repository defines it.";
    EXTENSION = 25, "extension", Inferred, "The receiver is of a type from outside, and only one function in the repository extends such types by the name.";
    ALIAS = 26, "alias", Inferred, "A name for one function or type is called: `f = self.g; f()`.";
    FIXTURE = 27, "fixture", Inferred, "A test or a fixture has a parameter with the name of a fixture in its class, its file, or a `conftest.py` of its folder or one above.";
    RETURNED_FUNCTION = 28, "returned-function", Inferred, "The called value is the result of a function that returns a known function or class: `make()()`.";
    TABLE_ENTRY = 29, "table-entry", Inferred, "The called value is in a table under a key that the text spells out, and the text sets the key to a known function or class.";
    PASSED_FUNCTION = 30, "passed-function", Inferred, "A parameter is called, and the calls in its file pass a few known functions for it.";
    WRAPPER = 31, "wrapper", Inferred, "A decorator puts the function in the place of the one that is called by name.";
    PROTOCOL = 32, "protocol", Inferred, "A statement runs the method on a value of a known type, such as `__iter__` in a loop.";
    CHOSEN_FUNCTION = 33, "chosen-function", Inferred, "The called name is one of a few known functions or classes, by the code that sets it.";
    HANDED_FUNCTION = 34, "handed-function", Inferred, "The function is passed to one of the standard library that runs it, such as `map`.";
    CONVENTION = 35, "convention", Ambiguous, "The code makes up the names of members from a prefix, such as `'visit_' + kind`, and the member's name begins with it.";
    TRAIT_IN_SCOPE = 50, "trait-in-scope", Inferred, "The receiver is of a type from outside or of none that the text states, and one trait of the repository that is in scope has a method of the name.";
    EXTENSION_OF = 60, "extension-of", Exact, "The receiver's type is known, has no member of the name, and a visible function extends that type.";
    ARGUMENT_TYPES = 90, "argument-types", Inferred, "Of several overloads, the one whose parameters are of the arguments' types.";
}

impl Rule {
    /// The stored form.
    pub fn strategy(&self) -> Strategy {
        Strategy(self.number)
    }

    /// Whether it uses the name alone.
    pub fn goes_by_name(&self) -> bool {
        [UNIQUE_FUNCTION, UNIQUE_METHOD, NEAR_METHOD, SAME_NAME].contains(self)
    }

    /// Whether its edges lead to code that may run where no call names it: see [`kind_name`].
    pub fn is_flow(&self) -> bool {
        [PASSED_FUNCTION, PROTOCOL, CHOSEN_FUNCTION, HANDED_FUNCTION].contains(self)
    }
}

/// The name of the kind of an edge. It tells calls that the text shows from those that it does not show. The latter
/// are a `flow`: what runs depends on the caller, on a condition, or on the protocol of a statement.
///
/// In `def each(f): f()`, the edge to a function that is passed for `f` is a flow, because a caller decides which function runs.
/// A compiler that is asked what the name at a call means names no such function.
pub fn kind_name(kind: EdgeKind, strategy: Strategy) -> &'static str {
    let is_flow = kind == EdgeKind::Call && find_rule(strategy).is_some_and(Rule::is_flow);
    if is_flow { FLOW } else { kind.name() }
}

/// The rule of that number.
pub fn find_rule(strategy: Strategy) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.number == strategy.0)
}

/// The order in which two rules that find the same edge are preferred, lowest first. A call that the text shows comes
/// before one that it does not, a certain target before one of several, and a rule that uses more than the name before
/// one that does not.
pub(crate) fn rule_order(resolution: Resolution, strategy: Strategy) -> (bool, Resolution, bool, u8) {
    let rule = find_rule(strategy);
    (rule.is_some_and(Rule::is_flow), resolution, rule.is_none_or(Rule::goes_by_name), strategy.0)
}

/// The name of that rule on the wire.
pub fn rule_name(strategy: Strategy) -> &'static str {
    find_rule(strategy).map_or("unknown", |rule| rule.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_goes_by_the_name_is_the_last_to_be_named() {
        let order = |rule: Rule| rule_order(Resolution::Inferred, rule.strategy());
        assert!(order(SCOPE) < order(IMPORT));
        assert!(order(EXTENSION) < order(UNIQUE_FUNCTION));
        assert!(order(UNIQUE_METHOD) < order(SAME_NAME));
    }

    #[test]
    fn a_call_that_the_text_does_not_show_is_a_flow() {
        assert_eq!(kind_name(EdgeKind::Call, PROTOCOL.strategy()), FLOW);
        assert_eq!(kind_name(EdgeKind::Call, SCOPE.strategy()), "call");
        assert_eq!(kind_name(EdgeKind::Ref, PROTOCOL.strategy()), "ref");
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
