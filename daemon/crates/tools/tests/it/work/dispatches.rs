use super::*;

fn start(pair: &Pair, more: Value) -> Value {
    let mut args = json!({
        "title": "Fix the login", "brief": "It fails at night.", "milestones": ["find", "fix"], "domain": "auth",
    });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    pair.ok(&pair.ann, "sdl_dispatch_start", args)
}

#[test]
fn a_handoff_waits_for_an_agent_that_was_not_started_yet() {
    let pair = Pair::new();
    pair.ok(&pair.ann, "sdl_session_join", json!({"agent": "ann"}));
    let started = start(&pair, json!({"to": "Bob", "planSlug": "q3"}));
    assert_eq!((&started["state"], &started["attempt"]), (&json!("open"), &json!(1)));
    assert_eq!(started["reached"][0]["agent"], "Bob");
    let id = started["dispatchId"].clone();
    let joined = pair.ok(&pair.bob, "sdl_session_join", json!({"agent": "bob"}));
    assert_eq!(joined["waiting"], 1);
    let message = &joined["inbox"]["messages"][0];
    assert_eq!((&message["kind"], &message["dispatchId"]), (&json!("handoff"), &id), "{joined:#}");

    let claimed = pair.ok(&pair.bob, "sdl_dispatch_claim", json!({"dispatchId": id}));
    assert_eq!(claimed["brief"], "It fails at night.");
    assert_eq!(claimed["dispatch"]["state"], "claimed");
    let taken = pair.err(&pair.ann, "sdl_dispatch_claim", json!({"dispatchId": id}));
    assert_eq!((&taken["code"], &taken["heldBy"]["agent"]), (&json!("notClaimed"), &json!("bob")));
    assert_eq!(taken["nextBestAction"]["tool"], "sdl_dispatch_list");
    // Who works on a plan hears messages to it.
    pair.ok(&pair.ann, "sdl_session_send", json!({"to": "plan:Q3", "body": "due on Friday"}));
    let progress = json!({"dispatchId": id, "note": "found it", "percent": 50, "milestonesDone": ["Find"]});
    let reported = pair.ok(&pair.bob, "sdl_dispatch_progress", progress);
    assert_eq!(reported["state"], "active");
    assert_eq!(reported["milestones"][0], json!({"text": "find", "done": true}));
    assert_eq!(bodies(&reported), ["due on Friday"]);

    let done = json!({"dispatchId": id, "outcome": "success", "summary": "The clock was read twice."});
    assert_eq!(pair.ok(&pair.bob, "sdl_dispatch_complete", done.clone())["state"], "done");
    let heard = pair.ok(&pair.ann, "sdl_dispatch_list", json!({"states": ["done"], "mine": true}));
    assert_eq!(heard["dispatches"][0]["summary"], "The clock was read twice.");
    assert_eq!(bodies(&heard), ["Fix the login ended: success. The clock was read twice."]);
    let affinity = json!([{"agent": "bob", "domain": "auth", "done": 1, "succeeded": 1, "affinity": 0.667}]);
    assert_eq!(heard["affinity"], affinity);
    assert_eq!(pair.err(&pair.bob, "sdl_dispatch_complete", done)["code"], "conflict");
}

#[test]
fn another_attempt_gets_the_summaries_of_those_before() {
    let pair = Pair::new();
    pair.join();
    let first = start(&pair, json!({}))["dispatchId"].clone();
    // Reporting on an open dispatch claims it.
    let failed = json!({"dispatchId": first, "outcome": "failed", "summary": "No access."});
    pair.ok(&pair.bob, "sdl_dispatch_complete", failed);
    let second = start(&pair, json!({"retryOf": first}));
    assert_eq!(second["attempt"], 2);
    let claim = json!({"dispatchId": second["dispatchId"], "leaseSeconds": 60});
    let claimed = pair.ok(&pair.bob, "sdl_dispatch_claim", claim);
    assert_eq!(claimed["attempts"][0]["summary"], "No access.");
    assert_eq!(claimed["attempts"][0]["holder"], "bob");
    let unknown = pair.err(&pair.bob, "sdl_dispatch_claim", json!({"dispatchId": "d_0000000000000"}));
    assert_eq!((&unknown["code"], &unknown["field"]), (&json!("unknownDispatch"), &json!("dispatchId")));
}

#[test]
fn lists_have_pages_and_are_found_by_words() {
    let pair = Pair::new();
    pair.join();
    let ids: Vec<Value> = (0..5)
        .map(|n| start(&pair, json!({"title": format!("Task {n}"), "brief": format!("about topic{n}")})))
        .map(|started| started["dispatchId"].clone())
        .collect();
    let mut cursor = Value::Null;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let mut args = json!({"limit": 2});
        if !cursor.is_null() {
            args["cursor"] = cursor.clone();
        }
        let page = pair.ok(&pair.bob, "sdl_dispatch_list", args);
        seen.extend(page["dispatches"].as_array().unwrap().iter().map(|row| row["dispatchId"].clone()));
        cursor = page["cursor"].clone();
    }
    assert_eq!(seen, ids.iter().rev().cloned().collect::<Vec<_>>());
    assert_eq!(cursor, Value::Null);
    let found = pair.ok(&pair.bob, "sdl_dispatch_list", json!({"query": "topic3"}));
    assert_eq!(found["dispatches"][0]["dispatchId"], ids[3]);
    assert_eq!(found["cursor"], Value::Null);
    let mine = pair.ok(&pair.bob, "sdl_dispatch_list", json!({"mine": true}));
    assert_eq!(mine["dispatches"], json!([]));
}

#[test]
fn of_two_sessions_that_claim_at_once_one_wins() {
    let pair = Pair::new();
    pair.join();
    for _ in 0..25 {
        let id = start(&pair, json!({}))["dispatchId"].clone();
        let claim = json!({"dispatchId": id});
        let failed: Vec<bool> = std::thread::scope(|scope| {
            let claims = [&pair.ann, &pair.bob].map(|session| {
                let (pair, claim) = (&pair, &claim);
                scope.spawn(move || pair.call(session, "sdl_dispatch_claim", claim).0)
            });
            claims.into_iter().map(|claim| claim.join().unwrap()).collect()
        });
        assert_eq!(failed.iter().filter(|failed| **failed).count(), 1);
    }
}

#[test]
fn the_seed_s_names_and_fields_work() {
    let pair = Pair::new();
    pair.join();
    let started = pair.ok(
        &pair.ann,
        "sdl_report_dispatch",
        json!({"title": "t", "brief": "b", "plan_slug": "p", "milestones": "[\"one\"]"}),
    );
    let id = started["dispatchId"].clone();
    let payload = |value: Value| json!({"payload": value.to_string()});
    let note = json!({"dispatch_id": id, "note": "n", "milestones_done": ["1"]});
    pair.ok(&pair.bob, "report_progress_raw", payload(note));
    assert_eq!(pair.ok(&pair.bob, "list_dispatches", json!({}))["dispatches"][0]["state"], "active");
    let done = json!({"dispatch_id": id, "outcome": "success", "summary": "s", "domain_affinity": "true"});
    pair.ok(&pair.bob, "report_complete_raw", payload(done));
    pair.ok(&pair.bob, "log_activity", json!({"type": "note", "message": "m"}));
    pair.ok(&pair.bob, "list_sessions", json!({}));
    pair.ok(&pair.bob, "session_search", json!({"query": "m"}));
    pair.ok(&pair.bob, "post_session_directive_raw", payload(json!({"to": "ann", "body": "x"})));
}

#[test]
fn a_dispatch_is_about_code_and_leaves_lessons() {
    let pair = Pair::with(&json!({"sdl": {"modules": ["work", "memory"]}}));
    pair.join();
    let id = pair.world.repo.symbol("src/auth.py", "validate");
    let about = json!({"symbolIds": [id], "files": ["src/db.py"], "to": "bob"});
    let started = start(&pair, about)["dispatchId"].clone();
    pair.world.repo.write(&crate::common::SHOP.replace("def validate(", "def validate(strict, "));
    let claimed = pair.ok(&pair.bob, "sdl_dispatch_claim", json!({"dispatchId": started}));
    let anchors = claimed["anchors"].as_array().unwrap();
    let states: Vec<&str> = anchors.iter().map(|anchor| anchor["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["changed", "same"], "{claimed:#}");
    // Another dispatch about the same code names the one that is claimed.
    let other = start(&pair, json!({"files": ["src/db.py"]}));
    assert_eq!(other["overlaps"][0]["dispatchId"], started, "{other:#}");
    let done = json!({
        "dispatchId": started, "outcome": "failed", "summary": "no",
        "learned": ["Look at the clock before the network."],
    });
    let done = pair.ok(&pair.bob, "sdl_dispatch_complete", done);
    let lesson = done["lessons"][0].clone();
    let found = pair.ok(&pair.ann, "sdl_memory_query", json!({"query": "clock", "types": ["lesson"]}));
    assert_eq!(found["memories"][0]["memoryId"], lesson, "{found:#}");
    assert_eq!(found["memories"][0]["agent"], "bob");
    // Without the module for memories there are no lessons.
    let pair = Pair::new();
    pair.join();
    let id = start(&pair, json!({}))["dispatchId"].clone();
    let done = json!({"dispatchId": id, "outcome": "success", "summary": "s", "learned": ["x"]});
    assert_eq!(pair.err(&pair.bob, "sdl_dispatch_complete", done)["code"], "moduleOff");
}
