//! Prompts and resources of upstream MCP servers: lists, requests, completions, rules.

use sdl_tools::{Cancel, Code, Explained, MethodRequest, NoProgress, ProtocolError, Session, ToolError};
use serde_json::{Value, json};

use crate::common::World;

const LISTS: [&str; 3] = ["prompts/list", "resources/list", "resources/templates/list"];

fn text(world: &World, session: &Session, method: &str, params: &Value) -> Result<String, ProtocolError> {
    let params = params.to_string();
    let bytes = world.tools.protocol(
        session,
        &MethodRequest::new(method, params.as_bytes()),
        &NoProgress,
        &Cancel::new(),
    )?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn ask(world: &World, method: &str, params: &Value) -> Result<String, ProtocolError> {
    text(world, &world.session, method, params)
}

fn listed(world: &World, method: &str) -> Vec<Value> {
    let result: Value = serde_json::from_str(&ask(world, method, &json!({})).unwrap()).unwrap();
    result.as_object().unwrap().values().next().unwrap().as_array().unwrap().clone()
}

fn names(all: &[Value], member: &str) -> Vec<String> {
    all.iter().map(|one| one[member].as_str().unwrap().to_owned()).collect()
}

fn sent(world: &World) -> Vec<(String, String, String)> {
    let upstreams = world.host.upstreams.get().unwrap();
    let methods = upstreams.methods.lock().unwrap();
    let sent = upstreams.sent.lock().unwrap();
    sent.iter()
        .zip(&*methods)
        .map(|((key, _, params), method)| (key.clone(), method.clone(), params.clone()))
        .collect()
}

const ALL: &str = r#"{"prompts":{},"resources":{},"tools":{},"completions":{}}"#;

fn resource(uri: &str) -> Value {
    json!({"uri": uri, "name": format!("name of {uri}"), "size": 12, "_meta": {"x": 1.50}})
}

/// A world with two upstreams that both have `note://b` and the prompt `greet`.
fn world_with(sdl: &Value, own: &Value) -> World {
    let world = World::shop();
    world.configure(&json!({
        "mcpServers": {"My-Notes": {"command": "a", "sdl": own}, "web": {"command": "b"}}, "sdl": sdl
    }));
    let capabilities: Value = serde_json::from_str(ALL).unwrap();
    world.lists_all("My-Notes", &json!({
        "capabilities": capabilities,
        "prompts": [{"name": "greet", "description": "Says\u{200b} hello", "arguments": [{"name": "who"}]}, {"name": "sum up"}],
        "resources": [resource("note://a"), resource("note://b"), resource("note://secret/1"), resource("sdl://manual/wire")],
        "resourceTemplates": [{"uriTemplate": "note://{id}", "name": "note"}, {"uriTemplate": "note://secret/{id}", "name": "s"}]
    }));
    world.lists_all(
        "web",
        &json!({
            "capabilities": capabilities, "prompts": [{"name": "greet"}], "resources": [resource("note://b")],
            "resourceTemplates": [{"uriTemplate": "note://web/{id}", "name": "w"}]
        }),
    );
    world
}

fn plain() -> World {
    world_with(&json!({}), &json!({}))
}

const RESULT: &str =
    r#"{ "contents": [ {"uri":"note://a","text":"1.50", "new":1e400} ],  "_meta":{"b":1,"a":1.50} }"#;

#[test]
fn lists_are_ours_and_then_theirs() {
    let own = World::shop();
    let world = plain();
    for method in LISTS {
        let (before, after) = (listed(&own, method), listed(&world, method));
        assert_eq!(after[..before.len()], before, "{method}");
        assert!(after.len() > before.len(), "{method}");
    }
    assert_eq!(
        names(&listed(&world, "prompts/list"), "name")[4..],
        ["my_notes_greet", "my_notes_sum_up", "web_greet"]
    );
    let resources = listed(&world, "resources/list");
    let ours = resources.len() - 5;
    assert_eq!(
        names(&resources, "uri")[ours..],
        [
            "note://a",
            "sdl-up://My-Notes/note%3A%2F%2Fb",
            "note://secret/1",
            "sdl-up://My-Notes/sdl%3A%2F%2Fmanual%2Fwire",
            "sdl-up://web/note%3A%2F%2Fb"
        ]
    );
    assert_eq!(resources[ours].to_string(), resource("note://a").to_string());
    let greet = &listed(&world, "prompts/list")[4];
    assert_eq!(
        (&greet["description"], &greet["arguments"][0]["name"]),
        (&json!("Says hello"), &json!("who"))
    );
}

#[test]
fn without_upstreams_every_answer_is_as_before() {
    let own = World::shop();
    let emptied = plain();
    emptied.configure(&json!({"mcpServers": {}}));
    let requests = [
        ("prompts/list", json!({})),
        ("resources/list", json!({"cursor": "x"})),
        ("resources/templates/list", json!({})),
        ("prompts/get", json!({"name": "my_notes_greet"})),
        ("prompts/get", json!({"name": "debug", "arguments": {"task": "x"}})),
        ("resources/read", json!({"uri": "note://a"})),
        ("resources/read", json!({"uri": "sdl-up://web/note%3A%2F%2Fb"})),
        ("resources/read", json!({"uri": "sdl://manual/wire"})),
        ("completion/complete", json!({"argument": {"name": "repoId", "value": "s"}})),
        ("completion/complete", json!({"ref": 1, "argument": {"name": "x", "value": "s"}})),
    ];
    for (method, params) in requests {
        assert_eq!(ask(&emptied, method, &params), ask(&own, method, &params), "{method} {params}");
    }
}

#[test]
fn a_resource_is_read_from_who_has_it_and_arrives_byte_for_byte() {
    let world = plain();
    for own in ["note://a", "note://b", "sdl://manual/wire", "note://other", "note://web/%2F", "x:y"] {
        world.answers(own, RESULT);
    }
    for (uri, key, own) in [
        ("note://a", "My-Notes", "note://a"),
        ("sdl-up://My-Notes/note%3A%2F%2Fa", "My-Notes", "note://a"),
        ("sdl-up://web/note%3A%2F%2Fb", "web", "note://b"),
        ("SDL-UP://my_notes/sdl%3A%2F%2Fmanual%2Fwire", "My-Notes", "sdl://manual/wire"),
        ("note://other", "My-Notes", "note://other"),
        ("note://web/%2F", "web", "note://web/%2F"),
        ("sdl-up://web/x%3Ay", "web", "x:y"),
    ] {
        let params = format!(
            r#"{{"uri":"{uri}","_meta":{{"progressToken":1,"vendor/x":1.50,"io.modelcontextprotocol/y":1}}}}"#
        );
        let read = world.tools.protocol(
            &world.session,
            &MethodRequest::new("resources/read", params.as_bytes()),
            &NoProgress,
            &Cancel::new(),
        );
        assert_eq!(String::from_utf8(read.unwrap()).unwrap(), RESULT, "{uri}");
        let last = sent(&world).pop().unwrap();
        let expected = format!(r#"{{"uri":"{own}","_meta":{{"vendor/x":1.50}}}}"#);
        assert_eq!((last.0.as_str(), last.1.as_str(), last.2), (key, "resources/read", expected));
    }
    let both = ask(&world, "resources/read", &json!({"uri": "note://b"})).unwrap_err();
    assert_eq!(both.code, "invalidParams");
    assert_eq!(
        both.details["candidates"],
        json!([{"uri": "sdl-up://My-Notes/note%3A%2F%2Fb"}, {"uri": "sdl-up://web/note%3A%2F%2Fb"}])
    );
    // Ours are ours, whoever lists them.
    assert!(
        ask(&world, "resources/read", &json!({"uri": "sdl://manual/wire"}))
            .unwrap()
            .contains("text/markdown")
    );
    for unknown in ["y://1", "sdl-up://none/note%3A%2F%2Fb", "sdl-up://web", "sdl-up://web/%zz"] {
        let error = ask(&world, "resources/read", &json!({"uri": unknown})).unwrap_err();
        assert_eq!((error.code, &error.details["uri"]), ("resourceNotFound", &json!(unknown)));
    }
}

#[test]
fn the_errors_of_an_upstream_keep_their_kind() {
    let world = plain();
    let answers = |error: Value| {
        let error = ToolError::new(Code::UpstreamProtocol, "it says: no").with("error", error);
        let upstreams = world.host.upstreams.get().unwrap();
        upstreams.answers.lock().unwrap().insert("note://a".to_owned(), Err(error));
        ask(&world, "resources/read", &json!({"uri": "note://a"})).unwrap_err()
    };
    for (number, code) in
        [(-32_002, "resourceNotFound"), (-32_602, "invalidParams"), (-1, "upstreamProtocol")]
    {
        let told = json!({"code": number, "message": "no", "data": {"uri": "note://a"}});
        let error = answers(told.clone());
        assert_eq!((error.code, error.message.as_str()), (code, "it says: no"));
        assert_eq!((&error.details["error"], &error.details["upstream"]), (&told, &json!("My-Notes")));
    }
}

#[test]
fn a_link_that_was_served_can_be_followed_by_its_session() {
    let world = plain();
    world.lists("web", &json!([{"name": "find", "inputSchema": {"type": "object"}}]));
    let capabilities: Value = serde_json::from_str(ALL).unwrap();
    world.lists_all(
        "web",
        &json!({"capabilities": capabilities, "tools": [{"name": "find"}], "prompts": [{"name": "p"}]}),
    );
    world.answers("find", r#"{"content":[{"type":"resource_link","uri":"page://1","name":"one"}]}"#);
    world.answers(
        "p",
        r#"{"messages":[{"role":"user","content":{"type":"resource_link","uri":"page://2","name":"2"}}]}"#,
    );
    for page in ["page://1", "page://2"] {
        world.answers(page, RESULT);
        assert_eq!(
            ask(&world, "resources/read", &json!({"uri": page})).unwrap_err().code,
            "resourceNotFound"
        );
    }
    world.bytes("web_find", "{}");
    ask(&world, "prompts/get", &json!({"name": "web_p"})).unwrap();
    for page in ["page://1", "page://2"] {
        assert_eq!(ask(&world, "resources/read", &json!({"uri": page})).unwrap(), RESULT);
        let other = Session { id: 2, ..world.session.clone() };
        let error = text(&world, &other, "resources/read", &json!({"uri": page})).unwrap_err();
        assert_eq!(error.code, "resourceNotFound", "another session was given no link");
    }
    world.tools.session_ended(world.session.id);
    assert!(ask(&world, "resources/read", &json!({"uri": "page://1"})).is_err());
}

#[test]
fn a_prompt_is_got_by_its_names_and_completed() {
    let world = plain();
    let result = r#"{"messages" : [ {"role":"user","content":{"type":"text","text":"hi"}} ], "x":1.50}"#;
    world.answers("greet", result);
    world.answers("sum up", result);
    for (name, own) in [("my_notes_greet", "greet"), ("My-Notes/greet", "greet"), ("sum up", "sum up")] {
        let params = json!({"name": name, "arguments": {"who": "me", "n": "1.50"}});
        assert_eq!(ask(&world, "prompts/get", &params).unwrap(), result);
        let last = sent(&world).pop().unwrap();
        let expected = format!(r#"{{"name":"{own}","arguments":{{"who":"me","n":"1.50"}}}}"#);
        assert_eq!((last.0.as_str(), last.1.as_str(), last.2), ("My-Notes", "prompts/get", expected));
    }
    let both = ask(&world, "prompts/get", &json!({"name": "greet"})).unwrap_err();
    assert_eq!(both.details["candidates"], json!([{"name": "my_notes_greet"}, {"name": "web_greet"}]));
    let near = ask(&world, "prompts/get", &json!({"name": "web_gret"})).unwrap_err();
    assert_eq!((near.code, &near.details["candidates"][0]["name"]), ("promptNotFound", &json!("web_greet")));
    assert_eq!(
        *world.host.upstreams.get().unwrap().read.lock().unwrap(),
        ["web"],
        "it might have got it just now"
    );

    let values = r#"{"completion":{"values":["a"],"total":1,"hasMore":false}}"#;
    world.answers("greet", values);
    world.answers("note://{id}", values);
    for (reference, own) in [
        (json!({"type": "ref/prompt", "name": "my_notes_greet"}), r#"{"type":"ref/prompt","name":"greet"}"#),
        (
            json!({"type": "ref/resource", "uri": "note://{id}"}),
            r#"{"type":"ref/resource","uri":"note://{id}"}"#,
        ),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "id", "value": "a"}, "context": {"arguments": {"x": "y"}}});
        assert_eq!(ask(&world, "completion/complete", &params).unwrap(), values);
        let last = sent(&world).pop().unwrap();
        let rest = r#""argument":{"name":"id","value":"a"},"context":{"arguments":{"x":"y"}}"#;
        assert_eq!((last.0.as_str(), last.2), ("My-Notes", format!(r#"{{"ref":{own},{rest}}}"#)));
    }
    let own = json!({"ref": {"type": "ref/prompt", "name": "debug"}, "argument": {"name": "repoId", "value": "sh"}});
    assert!(ask(&world, "completion/complete", &own).unwrap().contains(r#"["shop"]"#));
}

#[test]
fn what_a_person_turned_off_is_gone() {
    let world = world_with(&json!({}), &json!({"prompts": false, "resources": false}));
    assert_eq!(names(&listed(&world, "prompts/list"), "name")[4..], ["web_greet"]);
    let templates = listed(&world, "resources/templates/list");
    assert_eq!(names(&templates, "uriTemplate")[3..], ["note://web/{id}"]);
    let resources = listed(&world, "resources/list");
    assert_eq!(names(&resources, "uri").last().unwrap(), "note://b", "nobody else has it now");
    for uri in ["note://a", "sdl-up://My-Notes/note%3A%2F%2Fa"] {
        assert_eq!(ask(&world, "resources/read", &json!({"uri": uri})).unwrap_err().code, "resourceNotFound");
    }
    assert_eq!(
        ask(&world, "prompts/get", &json!({"name": "my_notes_greet"})).unwrap_err().code,
        "promptNotFound"
    );
    assert!(sent(&world).is_empty());
    // What was not asked for has to be read once it is wanted.
    assert!(world.tools.upstreams_to_read().is_empty());
    world.configure(&json!({"mcpServers": {"My-Notes": {"command": "a"}, "web": {"command": "b"}}}));
    assert_eq!(world.tools.upstreams_to_read(), ["My-Notes"]);
}

#[test]
fn nothing_hidden_is_in_any_byte() {
    let sdl = json!({
        "policy": [
            {"effect": "deny", "tools": ["*/resource:note://secret/*", "*/prompt:sum*"], "why": "a matter of the owner"},
            {"effect": "deny", "clients": ["guest"], "tools": ["My-Notes/*"]}
        ],
        "profiles": [{"name": "ci", "match": {"client": "ci"}, "upstreams": ["web"]}]
    });
    let world = world_with(&sdl, &json!({}));
    let everything = |session: &Session| {
        let mut bytes = String::new();
        for method in LISTS {
            bytes += &text(&world, session, method, &json!({})).unwrap();
        }
        let refs =
            [json!({"type": "ref/prompt", "name": "sum"}), json!({"type": "ref/resource", "uri": "zote://"})];
        let requests =
            [("prompts/get", json!({"name": "sum_u"})), ("resources/read", json!({"uri": "z://secre"}))];
        let completions = refs
            .map(|one| ("completion/complete", json!({"ref": one, "argument": {"name": "id", "value": ""}})));
        for (method, params) in requests.into_iter().chain(completions) {
            match text(&world, session, method, &params) {
                Ok(answer) => bytes += &answer,
                // The caller's own words come back.
                Err(error) => bytes += &format!("{error:?}").replace("sum_u", "").replace("secre", ""),
            }
        }
        bytes
    };
    let seen = everything(&world.session);
    assert!(
        seen.contains("my_notes_greet") && seen.contains("note://a") && seen.contains("web_greet"),
        "{seen}"
    );
    assert!(!seen.contains("secret") && !seen.contains("sum"), "{seen}");
    for client in ["guest", "ci"] {
        let session = Session { client: client.into(), ..world.session.clone() };
        let seen = everything(&session);
        assert!(seen.contains("web_greet") && seen.contains("\"note://b\""), "{seen}");
        assert!(!seen.to_lowercase().contains("notes"), "{seen}");
    }
    // Each hidden thing is answered as one that does not exist.
    let guest = Session { client: "guest".into(), ..world.session.clone() };
    let same = |method: &str, member: &str, hidden: &str, unknown: &str, session: &Session| {
        let of = |name: &str| {
            let error = text(&world, session, method, &json!({ member: name })).unwrap_err();
            format!("{error:?}").replace(name, "X")
        };
        assert_eq!(of(hidden), of(unknown), "{hidden}");
    };
    let session = &world.session;
    same("resources/read", "uri", "note://secret/1", "y://1", session);
    same("resources/read", "uri", "note://%73ecret/1", "y://1", session);
    same("resources/read", "uri", "sdl-up://My-Notes/note%3A%2F%2Fsecret%2F1", "sdl-up://none/x", session);
    same("resources/read", "uri", "sdl-up://My-Notes/note%3A%2F%2Fa", "sdl-up://none/x", &guest);
    same("resources/read", "uri", "note://a", "y://1", &guest);
    same("prompts/get", "name", "qqq/sum up", "qqq/xyz", session);
    same("prompts/get", "name", "sum up", "zzz zz", session);
    assert!(sent(&world).is_empty());
}

#[test]
fn rules_about_arguments_hold_and_every_request_is_a_row() {
    let world = world_with(
        &json!({"policy": [
            {"effect": "deny", "tools": ["*/resource:*"], "args": {"uri": {"matches": "%00|\\.\\."}}, "why": "odd"},
            {"effect": "deny", "tools": ["*/prompt:greet"], "args": {"who": {"in": ["root"]}}}
        ]}),
        &json!({}),
    );
    for name in ["note://a", "greet"] {
        world.answers(name, RESULT);
    }
    let read = |uri: &str| ask(&world, "resources/read", &json!({ "uri": uri }));
    assert_eq!(read("note://a").unwrap(), RESULT);
    let denied = read("note://a..b").unwrap_err();
    assert_eq!((denied.code, &denied.details["whyDenied"]), ("denied", &json!("odd")));
    let get =
        |who: &str| ask(&world, "prompts/get", &json!({"name": "web_greet", "arguments": {"who": who}}));
    assert!(get("me").is_ok());
    assert_eq!(get("root").unwrap_err().code, "denied");
    let complete = json!({"ref": {"type": "ref/prompt", "name": "web_greet"}, "argument": {"name": "who", "value": "root"}});
    assert_eq!(ask(&world, "completion/complete", &complete).unwrap_err().code, "denied");
    let rows = world.log_rows();
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.action.as_str(), row.decision.as_str(), row.details["upstream"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("upstream.read", "called", "My-Notes"),
            ("upstream.read", "denied", "My-Notes"),
            ("upstream.prompt", "called", "web"),
            ("upstream.prompt", "denied", "web"),
            ("upstream.complete", "denied", "web")
        ]
    );
    assert_eq!(rows[0].details["resource"], "note://a");
    assert_eq!(
        (&rows[2].details["prompt"], &rows[2].details["arguments"]),
        (&json!("greet"), &json!(["who"]))
    );
    assert!(!rows[3].details.to_string().contains("root"));
}

#[test]
fn credentials_are_masked_and_nothing_else_changes() {
    let world = plain();
    world.host.upstreams.get().unwrap().secrets.lock().unwrap().push("s3cr3t-value".into());
    world.answers("note://a", r#"{"contents":[{"uri":"note://a","text":"a s3cr3t-value b"}],"n":1.50}"#);
    assert_eq!(
        ask(&world, "resources/read", &json!({"uri": "note://a"})).unwrap(),
        r#"{"contents":[{"uri":"note://a","text":"a *** b"}],"n":1.50}"#
    );
}

#[test]
fn only_a_change_of_its_own_list_is_a_change_for_a_session() {
    let world = world_with(
        &json!({"policy": [{"effect": "deny", "clients": ["guest"], "tools": ["web/*"]}]}),
        &json!({}),
    );
    let guest = Session { client: "guest".into(), ..world.session.clone() };
    let marks = || [&world.session, &guest].map(|session| world.tools.offer_marks(session));
    let before = marks();
    let capabilities: Value = serde_json::from_str(ALL).unwrap();
    let web = |prompts: &Value, resources: &Value, unread: &Value| {
        let lists = json!({"capabilities": capabilities, "prompts": prompts, "resources": resources, "unread": unread});
        world.lists_all("web", &lists);
        marks()
    };
    let changed = web(&json!([{"name": "greet"}]), &json!([]), &json!({}));
    assert_eq!(changed[0].prompts, before[0].prompts);
    assert_ne!(changed[0].resources, before[0].resources);
    // `note://b` is not ambiguous for the first session any more, and never was for the guest.
    assert_eq!(changed[1], before[1]);
    let failed = web(&json!([]), &json!([]), &json!({"prompts": "it timed out"}));
    assert_eq!(failed, changed, "a list that could not be read stays");
    assert_eq!(ask(&world, "prompts/get", &json!({"name": "web_greet"})).unwrap_err().code, "upstreamDown");
    let gone = web(&json!([]), &json!([]), &json!({}));
    assert_ne!(gone[0].prompts, changed[0].prompts);
}

#[test]
fn upstreams_that_were_never_read_are_waited_for() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"new": {"command": "a"}, "off": {"command": "b", "sdl": {"resources": false}}}}));
    let read = || std::mem::take(&mut *world.host.upstreams.get().unwrap().read.lock().unwrap());
    listed(&world, "resources/list");
    assert_eq!(read(), ["new"]);
    let mut both = {
        listed(&world, "prompts/list");
        read()
    };
    both.sort();
    assert_eq!(both, ["new", "off"]);
    world.lists("new", &json!([]));
    listed(&world, "resources/list");
    assert!(read().is_empty(), "it says that it has none");
}
