//! Briefings on symbols, files and tasks.

use crate::common::World;
use serde_json::{Value, json};

/// As data, unless the arguments say otherwise.
fn summary(world: &World, mut args: Value) -> Value {
    if args.get("format").is_none() {
        args["format"] = "json".into();
    }
    world.ok("sdl_context_summary", args)
}

fn first_key(answer: &Value) -> &str {
    answer["summary"]["keySymbols"][0]["signature"].as_str().unwrap()
}

#[test]
fn a_briefing_on_a_class_shows_its_members() {
    let world = World::empty();
    world.repo.write(
        "//- /real/shelf.py\nclass Shelf:\n    def put(self, book):\n        return book\n\n    def take(self):\n        return 1\n\n    def count(self):\n        return 2\n\n    def sort(self):\n        return 3\n",
    );
    let answer = summary(&world, json!({"query": "Shelf"}));
    assert_eq!(answer["scope"], "symbol");
    let shown = answer["summary"]["keySymbols"].to_string();
    for member in ["put(", "take(", "count(", "sort("] {
        assert!(shown.contains(member), "{member}: {answer:#}");
    }
}

#[test]
fn a_question_is_taken_for_what_it_looks_like() {
    let world = World::shop();
    let task = summary(&world, json!({"query": "how is a token validated"}));
    assert_eq!((&task["scope"], &task["repoId"]), (&json!("task"), &json!("shop")));
    assert!(first_key(&task).starts_with("validate("), "{task:#}");
    let symbol = summary(&world, json!({"query": "charge"}));
    assert_eq!(symbol["scope"], "symbol");
    assert!(first_key(&symbol).starts_with("charge("), "{symbol:#}");
    for path in ["src/db.py", "db.py", "./src/db.py", r"src\db.py"] {
        let file = summary(&world, json!({"query": path}));
        assert_eq!(file["scope"], "file");
        assert_eq!(file["summary"]["filesTouched"][0]["file"], "src/db.py", "{path}");
    }
    let forced = summary(&world, json!({"query": "validate", "scope": "task"}));
    assert_eq!(forced["scope"], "task");
    let neither = summary(&world, json!({"query": "lookup/connect"}));
    assert_eq!(neither["scope"], "task");
    assert!(neither["notes"][0].as_str().unwrap().contains("taken as a task"), "{neither:#}");
    let error = world.err("sdl_context_summary", json!({"query": "nope.py", "scope": "file"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownPath"), &json!("query")));
    let error = world.err("sdl_context_summary", json!({"query": "valdate", "scope": "symbol"}));
    assert_eq!(error["code"], "unknownSymbol");
    assert!(error["nextBestAction"].is_object() && error["candidates"][0].is_object(), "{error:#}");
}

#[test]
fn each_format_tells_the_same() {
    let world = World::shop();
    let of = |format: &str| summary(&world, json!({"query": "checkout", "format": format, "budget": 6_000}));
    let (markdown, data, clipboard) = (of("markdown"), of("json"), of("clipboard"));
    let text = |answer: &Value| answer["content"].as_str().unwrap().to_owned();
    let ids = |answer: &Value| -> Vec<Value> {
        answer["summary"]["keySymbols"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["symbolId"].clone())
            .collect()
    };
    assert_eq!(text(&data), "", "data is not told again as text");
    for answer in [&markdown, &clipboard] {
        assert_eq!(ids(answer), ids(&data));
        for symbol in data["summary"]["keySymbols"].as_array().unwrap() {
            let signature = symbol["signature"].as_str().unwrap();
            assert!(text(answer).contains(signature), "{signature}");
            assert!(!answer["summary"].to_string().contains(signature), "text is not told again as data");
        }
    }
    let whole = world.raw("sdl_context_summary", r#"{"query":"checkout","format":"json"}"#);
    assert!(whole["content"][0]["text"].as_str().unwrap().contains("keySymbols"), "{whole}");
    let id = world.repo.symbol("src/shop/cart.py", "checkout");
    assert!(text(&markdown).contains(&id) && !text(&clipboard).contains(&id));
    for section in ["## Key symbols", "## Dependencies", "## Risks", "## Files"] {
        assert!(text(&clipboard).contains(section), "{}", text(&clipboard));
    }
    assert!(text(&clipboard).contains("checkout calls"), "{}", text(&clipboard));
}

#[test]
fn a_summary_keeps_to_its_budget_and_says_what_went() {
    let world = World::empty();
    world
        .repo
        .write(&crate::common::handlers(80, " calls handler_number_1 : Answers one of the many requests."));
    for budget in [400, 700, 2_000, 6_000] {
        for format in ["markdown", "json", "clipboard"] {
            let answer =
                summary(&world, json!({"query": "src/handlers.py", "budget": budget, "format": format}));
            let size = sdl_tokens::count_tokens(&answer.to_string());
            assert!(size <= budget, "{size} > {budget} as {format}");
            assert!(!answer["summary"]["keySymbols"].as_array().unwrap().is_empty(), "{answer:#}");
            if budget < 1_000 {
                assert_eq!(answer["truncation"]["truncated"], true);
            }
        }
    }
}

#[test]
fn a_kept_summary_is_that_of_the_version() {
    let world = World::shop();
    let args = json!({"query": "connect"});
    let first = summary(&world, args.clone());
    assert_eq!(summary(&world, args.clone()), first);
    world.repo.write("//- /src/db.py\ndef connect(host: str) : Opens the database over there.\n");
    let second = summary(&world, args);
    assert!(first_key(&second).contains("host"), "{second:#}");
    assert_ne!(first["freshness"], second["freshness"]);
}

#[test]
fn nobody_has_to_test_a_test() {
    let world = World::shop();
    let mut source = "//- /tests/test_auth.py\n".to_owned();
    for i in 0..3 {
        source.push_str(&format!("def test_tokens_{i}() calls validate, flush, run : Opens a token.\n"));
    }
    source.push_str("def run() : Runs one.\n");
    world.repo.write(&source);
    let answer = summary(&world, json!({"query": "tests/test_auth.py", "budget": 6_000}));
    let risks = answer["summary"]["riskAreas"].as_array().unwrap();
    let scolded = |risk: &&Value| risk["reasons"].to_string().contains("no test uses it");
    let names: Vec<&str> = risks.iter().filter(scolded).map(|risk| risk["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"connect"), "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with("test_") && *name != "run"), "{names:?}");
    let own = summary(&world, json!({"query": "src/shop/cart.py", "budget": 6_000}));
    assert!(own["summary"]["riskAreas"].to_string().contains("no test uses it"), "{own:#}");
}

#[test]
fn a_file_is_described_by_its_own_symbols_and_not_by_its_tests() {
    let world = World::shop();
    let mut source = "//- /tests/test_cart.py\n".to_owned();
    for i in 0..20 {
        source.push_str(&format!("def test_cart_{i}() calls checkout, total, charge : Buys {i} things.\n"));
    }
    world.repo.write(&source);
    for budget in [1_000, 2_000, 6_000] {
        let answer = summary(&world, json!({"query": "src/shop/cart.py", "budget": budget}));
        let keys = answer["summary"]["keySymbols"].as_array().unwrap();
        let files: Vec<&str> = keys.iter().map(|key| key["file"].as_str().unwrap()).collect();
        let own = files.iter().take_while(|file| **file == "src/shop/cart.py").count();
        let all = files.iter().filter(|file| **file == "src/shop/cart.py").count();
        assert_eq!((own, all), (5.min(files.len()), 5.min(files.len())), "{files:?}");
        let first_test = files.iter().position(|file| file.starts_with("tests/")).unwrap_or(files.len());
        assert!(files[first_test..].iter().all(|file| file.starts_with("tests/")), "{files:?}");
        assert!(files.len() - first_test <= 3, "{files:?}");
    }
    let whole = summary(&world, json!({"query": "src/shop/cart.py", "budget": 6_000}));
    let files = whole["summary"]["filesTouched"].to_string();
    assert!(files.contains("src/auth.py") && files.contains("tests/test_cart.py"), "{files}");
    // Of a file of tests, they are what it is about.
    let tests = summary(&world, json!({"query": "tests/test_cart.py", "budget": 6_000}));
    assert_eq!(tests["summary"]["filesTouched"][0]["file"], "tests/test_cart.py");
    assert!(tests["summary"]["filesTouched"][0]["symbols"].as_u64().unwrap() >= 20, "{tests:#}");
}
