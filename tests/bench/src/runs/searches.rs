//! Searches, cards and slices of functions drawn at random, the same in every run with the same seed. Each is asked for twice: pages
//! that the first call reads are in memory for the second.

use sdl_tests::TestEnv;
use serde_json::{Value, json};

use crate::figures::Times;
use crate::functions::{Function, find_functions};
use crate::options::Options;
use crate::random::Random;
use crate::world::World;
use crate::{Outcome, tree};

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
    let path = options.path.clone().ok_or("searches wants a PATH")?;
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::clone_tree(&path, &root)?;
    let (mut world, time) = World::indexed(env, &root)?;
    let status = world.call("repo_status", json!({}))?;
    println!(
        "{} files, {} symbols, indexed in {:.2} s",
        status["files"],
        status["symbols"],
        time.as_secs_f64()
    );
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

fn has_name(answer: &Value, name: &str) -> bool {
    answer["results"].as_array().into_iter().flatten().any(|result| result["name"] == name)
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
