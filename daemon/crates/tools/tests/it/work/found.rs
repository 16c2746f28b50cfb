use super::*;

#[test]
fn sessions_are_listed_with_what_they_touch() {
    let pair = Pair::new();
    pair.join();
    let card = pair.ok(&pair.bob, "sdl_symbol_search", json!({"query": "checkout"}));
    let id = card["results"][0]["symbolId"].clone();
    pair.ok(&pair.bob, "sdl_symbol_getCard", json!({"symbolId": id}));
    let listed = pair.ok(&pair.ann, "sdl_session_list", json!({}));
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let bob = sessions.iter().find(|one| one["agent"] == "bob").unwrap();
    let touched: Vec<&str> = bob["touched"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(touched.contains(&"src/shop/cart.py") && touched.contains(&id.as_str().unwrap()), "{touched:?}");
    assert_eq!(bob["repoIds"], json!(["shop"]));
    let ann = sessions.iter().find(|one| one["agent"] == "ann").unwrap();
    assert_eq!((&ann["task"], &ann["own"]), (&json!("the cart"), &json!(true)));
    // Its client is gone: it is listed only if one asks for it.
    pair.world.tools.session_ended(pair.bob.id);
    let count = |args| pair.ok(&pair.ann, "sdl_session_list", args)["sessions"].as_array().unwrap().len();
    assert_eq!((count(json!({})), count(json!({"includeEnded": true}))), (1, 2));
    pair.ok(&pair.bob, "sdl_repo_status", json!({}));
    assert_eq!(count(json!({})), 2, "it came back");
}

#[test]
fn what_agents_did_and_said_is_found_by_words() {
    let pair = Pair::new();
    pair.join();
    let logged = json!({"type": "deploy", "message": "rolled the marmalade gateway out to staging"});
    let activity = pair.ok(&pair.ann, "sdl_activity_log", logged)["activityId"].clone();
    let send = json!({"to": "bob", "body": "the marmalade gateway answers slowly"});
    let message = pair.ok(&pair.ann, "sdl_session_send", send)["messageId"].clone();
    let start = json!({"title": "Look at marmalade", "brief": "why it is slow"});
    let dispatch = pair.ok(&pair.ann, "sdl_dispatch_start", start)["dispatchId"].clone();
    let search = |args: Value| {
        let found = pair.ok(&pair.bob, "sdl_session_search", args);
        let results = found["results"].as_array().unwrap().clone();
        results.iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    let all = search(json!({"query": "marmalade"}));
    for id in [&activity, &message, &dispatch] {
        assert!(all.contains(id), "{id} in {all:?}");
    }
    assert_eq!(search(json!({"query": "marmalade", "kinds": ["activity"]})), [activity]);
    assert_eq!(search(json!({"query": "cart", "kinds": ["session"]})).len(), 1, "by its task");
    assert!(search(json!({"query": "marmalade", "since": "2199-01-01"})).is_empty());
    let local =
        pair.err(&pair.bob, "sdl_session_search", json!({"query": "x", "since": "2026-01-01T09:00:00"}));
    assert_eq!(local["field"], "since");
    let late = json!({"type": "note", "message": "x", "at": "2199-01-01"});
    assert_eq!(pair.err(&pair.bob, "sdl_activity_log", late)["field"], "at");
}
