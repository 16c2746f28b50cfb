//! Searches, cards and slices of functions drawn at random, the same in every run with the same seed. Each is asked for twice: pages
//! that the first call reads are in memory for the second.

use serde_json::{Value, json};

use crate::Outcome;
use crate::figures::Times;
use crate::functions::{Function, find_functions};
use crate::options::Options;
use crate::random::Random;
use crate::world::World;

/// One kind of call: how it is shown, its action, and its arguments for a function.
type Kind = (&'static str, &'static str, fn(&Function) -> Value);

const KINDS: [Kind; 5] = [
    ("search by name", "symbol_search", |function| json!({"query": function.name})),
    (
        "search by words",
        "symbol_search",
        |function| json!({"query": format!("how does {} work with errors", split_words(&function.name)), "limit": 20}),
    ),
    ("card", "symbol_getCard", |function| json!({"symbolId": function.id})),
    (
        "slice by symbol",
        "slice_build",
        |function| json!({"entrySymbols": [function.id], "budget": {"maxCards": 40, "maxEstimatedTokens": 4000}}),
    ),
    (
        "slice by task",
        "slice_build",
        |function| json!({"taskText": format!("fix how {} handles errors", function.name)}),
    ),
];

pub(crate) fn run_searches(options: &Options) -> Outcome {
    let mut world = World::of_options(options)?;
    let functions = find_functions(&mut world)?;
    let mut random = Random::new(options.number("seed", 1));
    let calls = options.number("calls", 100);
    let drawn: Vec<&Function> = (0..calls).filter_map(|_| random.pick(&functions)).collect();
    for (shown, action, arguments) in KINDS {
        let (mut first, mut again) = (Times::default(), Times::default());
        for function in &drawn {
            let answer = first.measure(|| world.call(action, arguments(function)))?;
            if shown == "search by name" && !has_name(&answer, &function.name) {
                return Err(format!("a search by name does not find {}: {answer}", function.name).into());
            }
            again.measure(|| world.call(action, arguments(function)))?;
        }
        println!("{shown:<15} first  {}\n{:<15} again  {}", first.summary(), "", again.summary());
    }
    Ok(())
}

/// Whether a function is among the results. It is named as [`find_functions`] names it: methods with their class.
fn has_name(answer: &Value, name: &str) -> bool {
    answer["results"].as_array().into_iter().flatten().any(|result| result["qualifiedName"] == name)
}

/// The words of a name: `parse http header` of `parse_httpHeader`.
fn split_words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.extend(if c.is_alphanumeric() { c.to_lowercase().next() } else { Some(' ') });
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_case_and_punctuation() {
        assert_eq!(split_words("parse_httpHeader"), "parse http header");
        assert_eq!(split_words("__init2__"), "init2");
    }
}
