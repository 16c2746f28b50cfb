//! Conditions on the arguments of a call.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::{Number, Value};

use super::Effect;
use super::equal::{compare_numbers, means_same, number_of};
use super::under::{Lexical, resolve_lexically};

/// The largest compiled expression.
const MAX_REGEX_BYTES: usize = 512 << 10;

/// Conditions that all have to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions(pub Vec<Condition>);

/// What the values at one path have to be. All tests have to hold for one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Where the values are.
    pub path: ArgPath,
    /// What they have to be.
    pub tests: Vec<Test>,
}

/// A dotted path into arguments, such as `filter.owner`. `\.` is a dot inside of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgPath(Vec<String>);

/// One test of a value.
#[derive(Clone, Debug)]
pub enum Test {
    /// It is one of these.
    In(Vec<Value>),
    /// It is none of these.
    NotIn(Vec<Value>),
    /// The expression occurs in its text.
    Matches(Regex),
    /// It is a path to or into one of these folders.
    Under(Vec<String>),
    /// It is no path to or into any of these folders.
    NotUnder(Vec<String>),
    /// It is a number of at least this.
    Min(Number),
    /// It is a number of at most this.
    Max(Number),
    /// It is there, or it is not.
    Exists(bool),
}

impl PartialEq for Test {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::In(one), Self::In(other)) | (Self::NotIn(one), Self::NotIn(other)) => one == other,
            (Self::Matches(one), Self::Matches(other)) => one.as_str() == other.as_str(),
            (Self::Under(one), Self::Under(other)) | (Self::NotUnder(one), Self::NotUnder(other)) => {
                one == other
            }
            (Self::Min(one), Self::Min(other)) | (Self::Max(one), Self::Max(other)) => one == other,
            (Self::Exists(one), Self::Exists(other)) => one == other,
            _ => false,
        }
    }
}

impl ArgPath {
    /// Reads a dotted path. The error says why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut keys = vec![String::new()];
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            let next = match c {
                '.' => {
                    keys.push(String::new());
                    continue;
                }
                '\\' => characters.next().unwrap_or('\\'),
                c => c,
            };
            if let Some(last) = keys.last_mut() {
                last.push(next);
            }
        }
        if keys.iter().any(String::is_empty) {
            return Err(format!("{text:?} has an empty key; write a path such as \"filter.owner\""));
        }
        Ok(Self(keys))
    }
}

impl Test {
    /// Compiles an expression. The error says why it is none, or that it is too large.
    pub fn matching(expression: &str) -> Result<Self, String> {
        let compiled = regex::RegexBuilder::new(expression).size_limit(MAX_REGEX_BYTES).build();
        compiled.map(Self::Matches).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the expression is too large; make it simpler".to_owned(),
            error => {
                let last = error.to_string().lines().last().unwrap_or_default().to_owned();
                format!("{expression:?} is no regular expression: {}", last.trim_start_matches("error: "))
            }
        })
    }
}

impl Conditions {
    /// Whether a rule of this effect is meant for a call with these arguments.
    ///
    /// A rule that is strict needs one value at the path for which all tests hold, a rule that allows needs them to hold
    /// for all values and at least one. A value of a kind that a test is not about counts so that the call is treated more
    /// strictly: for example, a number is not under any folder, so `notUnder` denies it and never allows it. A missing
    /// value passes `exists: false` only.
    pub fn evaluate(&self, effect: Effect, args: &Value) -> bool {
        self.0.iter().all(|condition| condition.evaluate(effect, args))
    }

    /// Whether it asks nothing of the arguments.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The end of a path.
enum At<'v> {
    Value(&'v Value),
    /// An array without items: it is there, and nothing of it can be tested.
    Nothing,
    Missing,
}

impl Condition {
    fn evaluate(&self, effect: Effect, args: &Value) -> bool {
        let mut found = Vec::new();
        collect_values(args, &self.path.0, &mut found);
        let holds = |at: &At<'_>| self.tests.iter().all(|test| test.holds(effect, at));
        match effect {
            Effect::Allow => !found.is_empty() && found.iter().all(holds),
            Effect::Ask | Effect::Deny => found.iter().any(holds),
        }
    }
}

/// Collects the values at a path. Every item of an array counts, on the way and at the end.
fn collect_values<'v>(value: &'v Value, path: &[String], found: &mut Vec<At<'v>>) {
    if let Value::Array(items) = value {
        for item in items {
            collect_values(item, path, found);
        }
        if items.is_empty() {
            found.push(if path.is_empty() { At::Nothing } else { At::Missing });
        }
        return;
    }
    let Some((key, rest)) = path.split_first() else { return found.push(At::Value(value)) };
    match value.get(key) {
        Some(inner) => collect_values(inner, rest, found),
        None => found.push(At::Missing),
    }
}

impl Test {
    fn holds(&self, effect: Effect, at: &At<'_>) -> bool {
        let value = match (self, at) {
            (Self::Exists(wanted), at) => return *wanted != matches!(at, At::Missing),
            (_, At::Value(value)) => *value,
            _ => return false,
        };
        match self {
            Self::In(values) => values.iter().any(|one| means_same(one, value)),
            Self::NotIn(values) => !values.iter().any(|one| means_same(one, value)),
            Self::Matches(expression) => match value {
                Value::String(text) => expression.is_match(text),
                other => expression.is_match(&other.to_string()),
            },
            Self::Under(folders) => value.as_str().is_some_and(|path| is_under_any(path, folders)),
            Self::NotUnder(folders) => match value.as_str() {
                Some(path) => !is_under_any(path, folders),
                None => effect != Effect::Allow,
            },
            Self::Min(least) => is_ordered(value, least, Ordering::is_ge),
            Self::Max(most) => is_ordered(value, most, Ordering::is_le),
            Self::Exists(_) => false,
        }
    }
}

fn is_ordered(value: &Value, limit: &Number, is_right: fn(Ordering) -> bool) -> bool {
    number_of(value).and_then(|number| compare_numbers(&number, limit)).is_some_and(is_right)
}

fn is_under_any(path: &str, folders: &[String]) -> bool {
    let path: Lexical = resolve_lexically(path);
    folders.iter().any(|folder| path.is_under(&resolve_lexically(folder)))
}
