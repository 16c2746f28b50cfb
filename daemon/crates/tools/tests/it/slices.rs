//! Slices over time: handles, refreshes, spillover, restarts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::World;
use sdl_ledger::Clock;
use sdl_tools::host::Barrier;
use sdl_tools::{Host, Repo as _, Tools};
use serde_json::{Value, json};

fn build(world: &World, more: Value) -> Value {
    let mut args = json!({"taskText": "validate a token", "wireFormat": "standard"});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.ok("sdl_slice_build", args)
}

fn refresh(world: &World, slice: &Value, known: &Value) -> Value {
    world.ok("sdl_slice_refresh", json!({"sliceHandle": slice["sliceHandle"], "knownVersion": known}))
}

#[test]
fn a_slice_stays_within_its_budget_as_a_whole() {
    let world = World::shop();
    let tight = json!({"taskText": "validate", "budget": {"maxEstimatedTokens": 400}, "includeRetrievalEvidence": true});
    let error = world.err("sdl_slice_build", tight);
    assert_eq!(
        (&error["field"], &error["needed"].is_u64()),
        (&json!("budget.maxEstimatedTokens"), &true),
        "{error:#}"
    );
    for tokens in [450, 600, 900, 4_000] {
        for format in ["standard", "compact"] {
            let args = json!({"budget": {"maxEstimatedTokens": tokens}, "wireFormat": format});
            let built = build(&world, args);
            let size = sdl_tokens::count_tokens(&built.to_string());
            assert!(size <= tokens, "{size} > {tokens} in {format}: {built:#}");
        }
    }
}

/// Half of a budget goes to source when a slice is asked to have it; the slice's own law stays.
#[test]
fn source_comes_within_the_budget_and_is_that_of_the_files() {
    let world = World::shop();
    for tokens in [450, 900, 4_000] {
        for format in ["standard", "compact"] {
            let more = json!({"budget": {"maxEstimatedTokens": tokens}, "wireFormat": format, "includeSource": true});
            let built = build(&world, more);
            let size = sdl_tokens::count_tokens(&built.to_string());
            assert!(size <= tokens, "{size} > {tokens} in {format}: {built:#}");
        }
    }
    assert!(build(&world, json!({}))["source"].is_null());
    let before = world.rows();
    let built = build(&world, json!({"includeSource": true}));
    let pieces = built["source"].as_array().unwrap();
    let best = &built["slice"]["cards"][0];
    assert_eq!(pieces[0]["symbolId"], best["symbolId"], "{built:#}");
    assert_eq!(world.rows() - before, pieces.len() as u64, "each piece is a decision");
    let mut seen = std::collections::HashSet::new();
    for piece in pieces.iter().filter(|piece| piece["kind"] == "source") {
        let content = piece["content"].as_str().unwrap();
        let (place, body) = content.split_once('\n').unwrap();
        let (path, lines) = place.split(' ').next().unwrap().rsplit_once(':').unwrap();
        let (first, last) = lines.split_once('-').unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        let text = world.repo.text(path);
        let wanted: Vec<&str> = text.lines().skip(first - 1).take(last + 1 - first).collect();
        assert_eq!(body, wanted.join("\n"));
        assert!(seen.insert(place), "{place} twice");
    }
    assert!(!seen.is_empty(), "{built:#}");
}

/// Handles are drawn again for each call, and some have more tokens than others.
#[test]
fn what_fits_does_not_depend_on_the_handles() {
    let world = World::shop();
    for tokens in 450..650 {
        let shown = || {
            let built =
                build(&world, json!({"budget": {"maxEstimatedTokens": tokens}, "wireFormat": "compact"}));
            built["slice"].to_string()
        };
        let first = shown();
        assert!((0..3).all(|_| shown() == first), "{tokens}");
    }
}

#[test]
fn an_unchanged_slice_is_not_modified_and_an_edit_is_its_delta() {
    let world = World::shop();
    let slice = build(&world, json!({}));
    let version = slice["ledgerVersion"].clone();
    let same = refresh(&world, &slice, &version);
    assert_eq!((&same["notModified"], &same["currentVersion"]), (&json!(true), &version));
    assert!(same.get("delta").is_none());
    world.repo.write("//- /src/unrelated.py\ndef unrelated()\n");
    let other = refresh(&world, &slice, &version);
    assert_eq!(other["notModified"], true, "{other:#}");
    assert_ne!(other["currentVersion"], version, "an edit elsewhere advances the version");
    let edited = crate::common::SHOP.replace("Splits a token into its parts.", "Splits it.");
    world.repo.write(&edited);
    let changed = refresh(&world, &slice, &version);
    assert_eq!(changed["notModified"], false, "{changed:#}");
    let symbols = changed["delta"]["changedSymbols"].as_array().unwrap();
    let names: Vec<&str> = symbols.iter().filter_map(|symbol| symbol["name"].as_str()).collect();
    assert_eq!(names, ["parse"], "{changed:#}");
    assert_eq!(changed["freshness"]["synced"], true);
    let now = changed["currentVersion"].clone();
    assert_eq!(refresh(&world, &slice, &now)["notModified"], true);
}

#[test]
fn a_version_that_is_not_comparable_gets_the_whole_slice_again() {
    let world = World::shop();
    let slice = build(&world, json!({}));
    for version in ["v1", "v99999999999999999"] {
        let fresh = refresh(&world, &slice, &json!(version));
        assert_eq!(fresh["freshInstance"], true, "{version}: {fresh:#}");
        assert!(!fresh["slice"]["cards"].as_array().unwrap().is_empty());
        assert_eq!(fresh["currentVersion"], world.repo.head());
    }
    for version in ["1", "latest", ""] {
        let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": version});
        assert_eq!(world.err("sdl_slice_refresh", args)["field"], "knownVersion");
    }
}

#[test]
fn refresh_is_confirmed_or_an_error_unless_the_call_says_otherwise() {
    let world = World::shop();
    let slice = build(&world, json!({}));
    *world.repo.synced.lock().unwrap() = Barrier::default();
    let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"]});
    assert_eq!(world.err("sdl_slice_refresh", args.clone())["code"], "notSynced");
    let mut lenient = args;
    lenient["sync"] = json!("prefer");
    assert_eq!(world.ok("sdl_slice_refresh", lenient)["freshness"]["synced"], false);
}

#[test]
fn a_handle_finds_its_repository_and_refuses_another() {
    let mut world = World::shop();
    world.add("other").write("//- /a.py\ndef elsewhere()\n");
    let slice = build(&world, json!({}));
    world.session.cwd = None;
    assert_eq!(refresh(&world, &slice, &slice["ledgerVersion"])["notModified"], true);
    let args = json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"], "repoId": "other"});
    let error = world.err("sdl_slice_refresh", args);
    assert_eq!(
        (&error["code"], &error["candidates"][0]["repoId"]),
        (&json!("invalidArgument"), &json!("shop"))
    );
}

#[test]
fn handles_survive_a_restart() {
    let mut world = World::shop();
    let slice = build(&world, json!({"budget": {"maxCards": 1}}));
    let spilled = slice["truncation"]["spilloverHandle"].clone();
    world.tools.flush();
    world.tools = Tools::new(Arc::clone(&world.host) as Arc<dyn Host>);
    assert_eq!(refresh(&world, &slice, &slice["ledgerVersion"])["notModified"], true);
    assert!(
        !world.ok("sdl_slice_spillover_get", json!({"spilloverHandle": spilled}))["symbols"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_did_not_fit_is_served_page_by_page() {
    let world = World::shop();
    let all = build(&world, json!({}));
    let slice = build(&world, json!({"budget": {"maxCards": 1}}));
    let handle = &slice["truncation"]["spilloverHandle"];
    assert!(handle.as_str().is_some_and(|handle| handle.starts_with("sp_")), "{slice:#}");
    let dropped = slice["truncation"]["droppedCards"].as_u64().unwrap() as usize;
    let mut names = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = world.ok(
            "sdl_slice_spillover_get",
            json!({"spilloverHandle": handle, "pageSize": 2, "cursor": cursor}),
        );
        names.extend(page["symbols"].as_array().unwrap().iter().map(|card| card["name"].clone()));
        cursor = page["cursor"].clone();
        if page["hasMore"] == false {
            break;
        }
    }
    assert_eq!(names.len(), dropped);
    assert!(cursor.is_null());
    let served = all["slice"]["cards"].as_array().unwrap().len();
    assert!(dropped + 1 >= served, "{dropped} spilled of {served}");
    for (args, code) in [
        (json!({"spilloverHandle": handle, "cursor": "at999"}), "badCursor"),
        (json!({"spilloverHandle": handle, "cursor": "x"}), "badCursor"),
        (json!({"spilloverHandle": "sp_00000000000000a"}), "unknownHandle"),
        (json!({"spilloverHandle": slice["sliceHandle"]}), "unknownHandle"),
        (json!({"spilloverHandle": handle, "pageSize": 0}), "invalidArgument"),
    ] {
        assert_eq!(world.err("sdl_slice_spillover_get", args.clone())["code"], code, "{args}");
    }
}

#[test]
fn an_unknown_handle_says_what_to_do() {
    let world = World::shop();
    let error =
        world.err("sdl_slice_refresh", json!({"sliceHandle": "h_00000000000000a", "knownVersion": "v1"}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownHandle"), &json!("sliceHandle")));
    assert!(error["message"].as_str().unwrap().contains("slice.build"), "{error:#}");
    let error = world.err("sdl_slice_refresh", json!({"sliceHandle": "nonsense", "knownVersion": "v1"}));
    assert_eq!(error["code"], "unknownHandle");
}

#[test]
fn a_slice_starts_somewhere_that_exists() {
    let world = World::shop();
    assert_eq!(world.err("sdl_slice_build", json!({}))["code"], "missingField");
    let error = world.err("sdl_slice_build", json!({"entrySymbols": ["s_0000000000000"]}));
    assert_eq!((&error["code"], &error["field"]), (&json!("unknownSymbol"), &json!("entrySymbols[0]")));
    let error = world.err("sdl_slice_build", json!({"taskText": "x", "knownCardEtags": {"nope": "e"}}));
    assert_eq!(error["field"], "knownCardEtags.nope");
    let built = build(&world, json!({"editedFiles": ["src/gone.py", "./src/db.py"]}));
    assert!(built["notes"][0].as_str().unwrap().contains("src/gone.py"), "{built:#}");
}

/// A clock that changes only when it is set.
#[derive(Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

const MINUTE: u64 = 60_000;

#[test]
fn a_lease_is_written_at_half_life_and_ends_when_unused() {
    let mut world = World::shop();
    let clock = Arc::new(Hand(AtomicU64::new(1_000 * MINUTE)));
    let host = Arc::clone(&world.host) as Arc<dyn Host>;
    world.tools = Tools::with_clock(host, Arc::clone(&clock) as Arc<dyn Clock>);
    let slice = build(&world, json!({}));
    let handle = slice["sliceHandle"].as_str().unwrap();
    let written = || world.repo.ledger().lease(handle).unwrap().unwrap().expires_ms / MINUTE;
    assert_eq!(written(), 1_060);
    clock.0.store(1_020 * MINUTE, Ordering::SeqCst);
    let renewed = refresh(&world, &slice, &slice["ledgerVersion"]);
    assert_eq!(renewed["lease"]["expiresAt"], json!(1_080 * MINUTE));
    assert_eq!(written(), 1_060, "renewed in memory alone");
    world.tools.flush();
    assert_eq!(written(), 1_080, "written before the daemon stops");
    clock.0.store(1_055 * MINUTE, Ordering::SeqCst);
    refresh(&world, &slice, &slice["ledgerVersion"]);
    assert_eq!(written(), 1_115, "half of its written life is over");
    clock.0.store(1_116 * MINUTE, Ordering::SeqCst);
    let args = json!({"sliceHandle": handle, "knownVersion": slice["ledgerVersion"]});
    let error = world.err("sdl_slice_refresh", args);
    assert_eq!(error["code"], "handleExpired");
    let next = &error["nextBestAction"];
    assert_eq!(
        (&next["tool"], &next["args"]["taskText"]),
        (&json!("sdl_slice_build"), &json!("validate a token"))
    );
    world.ok("sdl_slice_build", next["args"].clone());
}

#[test]
fn a_slice_of_a_ledger_that_was_rebuilt_comes_whole() {
    let mut world = World::shop();
    let slice = build(&world, json!({}));
    world.replace_repo().write(crate::common::SHOP);
    world.session.cwd = None;
    let fresh = refresh(&world, &slice, &slice["ledgerVersion"]);
    assert_eq!(fresh["freshInstance"], true, "{fresh:#}");
    assert_eq!(refresh(&world, &slice, &fresh["currentVersion"])["notModified"], true);
}

#[test]
fn a_symbol_that_is_gone_is_named_as_it_was() {
    let world = World::shop();
    let id = world.repo.symbol("src/auth.py", "parse");
    world.repo.write(&crate::common::SHOP.replace("def parse(", "def parse_token("));
    let error = world.err("sdl_symbol_getCard", json!({"symbolId": id}));
    assert_eq!(error["code"], "unknownSymbol");
    assert!(error["message"].as_str().unwrap().contains("was \"parse\" in src/auth.py"), "{error:#}");
    assert_eq!(error["candidates"][0]["name"], "parse_token", "{error:#}");
}

#[test]
fn a_refresh_keeps_to_the_budget_of_its_slice() {
    for tokens in [600, 700, 1_000, 2_000, 4_000] {
        let world = World::shop();
        let slice = build(&world, json!({"budget": {"maxEstimatedTokens": tokens}}));
        world.repo.write(&crate::common::SHOP.replace(": ", ": Now ").replace(" raises ", " raises Some"));
        for known in [slice["ledgerVersion"].clone(), json!("v1")] {
            let answer = refresh(&world, &slice, &known);
            assert_eq!(answer["notModified"], false);
            let size = sdl_tokens::count_tokens(&answer.to_string());
            assert!(size <= tokens, "{size} > {tokens} from {known}: {answer:#}");
        }
    }
}

/// The notes of an answer as one text.
fn notes(answer: &Value) -> String {
    answer["notes"].as_array().map_or_else(String::new, |notes| {
        notes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    })
}

#[test]
fn what_has_no_effect_is_noted() {
    let world = World::shop();
    for (more, note) in [
        (
            json!({"failingTestPath": "tests/test_gone.py"}),
            "failingTestPath: tests/test_gone.py is not indexed",
        ),
        (
            json!({"failingTestPath": "src/auth.py::test_gone"}),
            "failingTestPath: src/auth.py has no test \"test_gone\"",
        ),
        (json!({"stackTrace": "File \"gone.py\", line 3, in gone"}), "stackTrace: none of its 1 frames"),
        (json!({"wireFormatVersion": 2}), "wireFormatVersion: only compact has versions"),
        (json!({"editedFiles": ["gone.py"]}), "editedFiles[0]: gone.py is not in version"),
    ] {
        let built = build(&world, more.clone());
        assert!(notes(&built).contains(note), "{more}: {built:#}");
    }
    assert_eq!(notes(&build(&world, json!({"stackTrace": "File \"src/auth.py\", line 2, in validate"}))), "");
    world.ok(
        "sdl_policy_set",
        json!({"policyPatch": {"budgetCaps": {"maxCards": 5, "maxEstimatedTokens": 900}}}),
    );
    let capped = build(&world, json!({"budget": {"maxCards": 6, "maxEstimatedTokens": 1_000}}));
    assert!(
        notes(&capped).contains("budget.maxEstimatedTokens: the policy's budgetCaps allow 900, not 1000"),
        "{capped:#}"
    );
    assert!(notes(&capped).contains("budget.maxCards: the policy's budgetCaps allow 5, not 6"), "{capped:#}");
    assert_eq!(notes(&build(&world, json!({}))), "", "nothing larger was asked for");
}

/// The levels of the cards, by their etags.
fn levels(built: &Value) -> Vec<String> {
    let cards = built["slice"]["cards"].as_array().unwrap().iter();
    cards.map(|card| card["etag"].as_str().unwrap().split('-').next().unwrap().to_owned()).collect()
}

#[test]
fn without_adaptive_detail_all_cards_tell_the_same() {
    let world = World::shop();
    let all = levels(&build(&world, json!({"adaptiveDetail": false})));
    assert!(all.len() > 2 && all.iter().all(|level| level == "compact"), "{all:?}");
    let all = levels(&build(&world, json!({"adaptiveDetail": false, "cardDetail": "signature"})));
    assert!(all.iter().all(|level| level == "signature"), "{all:?}");
}

#[test]
fn an_answer_without_room_for_its_entry_symbols_says_so() {
    let world = World::shop();
    let entries: Vec<String> =
        [("src/auth.py", "validate"), ("src/shop/cart.py", "checkout"), ("src/db.py", "lookup")]
            .map(|(path, name)| world.repo.symbol(path, name))
            .into();
    let of = |tokens: usize| {
        build(
            &world,
            json!({"taskText": "pay", "entrySymbols": entries, "budget": {"maxEstimatedTokens": tokens}}),
        )
    };
    let (small, large) = (of(800), of(4_000));
    assert!(notes(&small).contains("entrySymbols: the budget is too small for compact cards"), "{small:#}");
    assert!(sdl_tokens::count_tokens(&small.to_string()) <= 800);
    assert_eq!(
        (notes(&large), &levels(&large)[..3]),
        (String::new(), &["compact"; 3].map(str::to_owned)[..])
    );
}

#[test]
fn long_texts_are_taken_whole() {
    let world = World::shop();
    let noise = "The page stays empty and nobody knows why, although all of it was tried more than once. ";
    let text =
        |most: usize| format!("{}\nIt happens in `validate`, I think.", noise.repeat(most / noise.len()));
    let named = |answer: &Value| answer.to_string().contains("validate");
    let args = json!({"taskText": text(190_000), "wireFormat": "standard"});
    assert!(named(&world.ok("sdl_slice_build", args)));
    assert!(named(&world.ok("sdl_symbol_search", json!({"query": text(19_000)}))));
    let summary = world.ok("sdl_context_summary", json!({"query": text(190_000)}));
    assert!(named(&summary) && sdl_tokens::count_tokens(&summary.to_string()) <= 2_000);
    let args = json!({"taskText": text(190_000), "budget": {"maxTokens": 4_000}});
    let assembled = world.ok("sdl_agent_orchestrate", args);
    assert!(named(&assembled) && sdl_tokens::count_tokens(&assembled.to_string()) <= 4_000);
    let error = world.err("sdl_slice_build", json!({"taskText": text(300_000)}));
    assert_eq!(error["field"], "taskText", "{error:#}");
}
