//! Profiles: the repositories, and the surface, that a person gives to some sessions.

use sdl_tests::generate::generate_calls;
use sdl_tools::{Cancel, MethodRequest, Names, NoProgress, OfferMarks, Session, Surface};
use serde_json::{Value, json};

use crate::common::{SHOP, World};

/// A word that is only in the repository that the session must not know of.
const HIDDEN: &str = "zanzibar";

/// The repository, which is called `vault`.
const VAULT: &str = "
//- /src/zanzibar.py
def validate(token: str) calls open_zanzibar : Checks a token of zanzibar.
def open_zanzibar() : Opens zanzibar.
class Session : A time in zanzibar.
";

/// Two repositories with slices and memories, of which the session of the world sees one. Texts in the examples of the registry
/// are replaced by those of the hidden one.
struct Set {
    world: World,
    there: Vec<(String, String)>,
}

impl Set {
    fn new() -> Self {
        let mut world = World::empty();
        world.repo.write(SHOP);
        let vault = world.add("vault");
        vault.write(VAULT);
        let root = sdl_tools::Repo::root(&*vault).to_string_lossy().into_owned();
        let built = world.ok("sdl_slice_build", json!({"repoId": "vault", "taskText": "validate a token"}));
        let memory =
            json!({"repoId": "vault", "type": "note", "title": "Of zanzibar", "content": "zanzibar expires"});
        let stored = world.ok("sdl_memory_store", memory);
        world.configure(&json!({"sdl": {"profiles": [
            {"name": "one", "match": {"client": ["test"]}, "repos": ["sh*"]}
        ]}}));
        world.session.id = 2;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let there = vec![
            ("/home/me/my-repo".to_owned(), root),
            ("my-repo".to_owned(), "vault".to_owned()),
            ("s_0123456789abc".to_owned(), vault.symbol("src/zanzibar.py", "validate")),
            ("h_0123456789abcde".to_owned(), text(&built["sliceHandle"])),
            ("h_0000000000000ab".to_owned(), text(&built["sliceHandle"])),
            ("m_0123456789abc".to_owned(), text(&stored["memoryId"])),
        ];
        Self { world, there }
    }

    fn there(&self, text: &str) -> String {
        self.there.iter().fold(text.to_owned(), |text, (example, there)| text.replace(example, there))
    }

    /// A text for a field of that name that leads to the hidden repository, if any does.
    fn leading_text(&self, field: &str) -> String {
        self.there(match field {
            "repoId" | "scope" => "my-repo",
            "symbolId" | "symbolIds" | "entrySymbols" | "focusSymbols" | "symbol" | "symbols" => {
                "s_0123456789abc"
            }
            "sliceHandle" => "h_0123456789abcde",
            "memoryId" => "m_0123456789abc",
            "rootPath" => "/home/me/my-repo",
            _ => "validate",
        })
    }
}

/// Asserts that an answer says nothing of the hidden repository that the request has not said.
fn assert_hidden(what: &str, request: &str, answer: &str) {
    for word in [HIDDEN, "vault"] {
        assert!(request.contains(word) || !answer.contains(word), "{what} {request}: {answer}");
    }
}

#[test]
fn a_repository_outside_of_the_profile_is_in_no_answer() {
    let set = Set::new();
    let described: Value = serde_json::from_slice(&set.world.tools.describe()).unwrap();
    let mut calls = 0;
    for action in described["actions"].as_array().unwrap() {
        let examples = action["examples"].as_array().unwrap();
        let text = |field: &str| set.leading_text(field);
        for call in generate_calls(&action["inputSchema"], examples, &text) {
            let text = set.there(&call.text);
            for text in [text.replace("vault", "shop"), text] {
                let tool = action["tool"].as_str().unwrap();
                let answer = set.world.raw(tool, &text).to_string();
                assert_hidden(tool, &text, &answer);
                calls += 1;
            }
        }
    }
    assert!(calls > 1_000, "{calls}");
    let protocol = |method: &str, params: &Value| {
        let params = params.to_string();
        let request = MethodRequest::new(method, params.as_bytes());
        let answer = set.world.tools.protocol(&set.world.session, &request, &NoProgress, &Cancel::new());
        let answer = match answer {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("{error:?}"),
        };
        assert_hidden(method, &params, &answer);
        answer
    };
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        protocol(method, &json!({}));
    }
    assert!(protocol("resources/list", &json!({})).contains("shop"));
    for uri in ["sdl://vault/status", "sdl://vault/symbol/validate", "sdl://vault/symbol/open_zanzibar"] {
        assert!(protocol("resources/read", &json!({"uri": uri})).contains("NotFound"), "{uri}");
    }
    for (name, value) in [("repoId", "v"), ("repoId", ""), ("symbol", "open"), ("symbol", "val")] {
        let params = json!({"ref": {"type": "ref/prompt", "name": "debug"}, "argument": {"name": name, "value": value}});
        protocol("completion/complete", &params);
    }
}

#[test]
fn a_hidden_repository_is_like_one_that_was_never_registered() {
    let set = Set::new();
    let never = |text: &str| text.replace("nowhr", "vault");
    for (tool, args) in [
        ("sdl_symbol_search", json!({"query": "open", "repoId": "vault"})),
        ("sdl_repo_status", json!({"repoId": "vault"})),
        ("sdl_memory_query", json!({"repoId": "vault"})),
        ("sdl_symbol_search", json!({"query": "open", "repoIds": ["shop", "vault"]})),
        ("sdl_policy_get", json!({"repoId": "vault"})),
        ("sdl_usage_stats", json!({"repoId": "vault"})),
    ] {
        let hidden = set.world.raw(tool, &args.to_string());
        let unknown = set.world.raw(tool, &args.to_string().replace("vault", "nowhr"));
        assert_eq!(hidden["isError"], true, "{hidden}");
        assert_eq!(hidden.to_string(), never(&unknown.to_string()), "{tool} {args}");
    }
    let mut session = set.world.session.clone();
    session.client = "another".to_owned();
    let bytes = set.world.tools.call(&session, "sdl_info", b"{}", &NoProgress, &Cancel::new());
    assert!(String::from_utf8(bytes).unwrap().contains("vault"), "other sessions see it");
}

#[test]
fn a_session_with_a_profile_for_repositories_registers_none() {
    let set = Set::new();
    for id in ["shop", "vault", "new"] {
        let root = set.world.host.dir.path().join(id);
        std::fs::create_dir_all(&root).unwrap();
        let refused = set.world.err("sdl_repo_register", json!({ "rootPath": root }));
        assert_eq!(refused["code"], "denied", "{refused}");
    }
}

#[test]
fn a_profile_sets_the_surface() {
    let set = Set::new();
    let world = &set.world;
    let listed = |session: &Session, surface| {
        let bytes = world.tools.list(session, surface, false, Names::default());
        serde_json::from_slice::<Value>(&bytes).unwrap()["tools"].as_array().unwrap().len()
    };
    let before: Vec<OfferMarks> = vec![world.tools.offer_marks(&world.session)];
    world.configure(&json!({"sdl": {"profiles": [
        {"name": "one", "match": {"client": ["test"]}, "surface": "search"}
    ]}}));
    for surface in Surface::ALL {
        assert_eq!(listed(&world.session, surface), 1, "{surface:?}");
    }
    let other = Session { client: "another".to_owned(), ..world.session.clone() };
    assert!(listed(&other, Surface::Flat) > 20);
    assert_ne!(before[0], world.tools.offer_marks(&world.session), "now it sees all repositories");
    assert_eq!(world.tools.offer_marks(&other), world.tools.offer_marks(&world.session));
}
