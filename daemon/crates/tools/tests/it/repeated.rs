//! Checks that an answer is a function of the tree and the request: on two fresh ledgers of one tree every read action
//! gives the same answer except for random parts, and those never decide how much fits.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common::World;
use regex::Regex;
use serde_json::{Value, json};

/// Returns enough source for answers that don't fit. It may be shown.
fn source() -> String {
    let mut source = crate::common::handlers(60, " calls lookup : Handles a request for a token.");
    source.push_str(crate::common::SHOP.trim_start());
    for i in 0..30 {
        let _ = write!(
            source,
            "//- /real/token_{i}.py\ndef check_token_{i}(token, now):\n    \"\"\"Says whether token {i} counts.\"\"\"\n    \
             if not token:\n        raise ValueError(\"no token\")\n    parts = split_{i}(token)\n    return parts\n\n\n\
             def split_{i}(token):\n    \"\"\"Splits token {i} into its parts.\"\"\"\n    return token.split(\".\")\n"
        );
    }
    source
}

/// Read actions that don't answer from a tree, each with its source.
const APART: &[(&str, &str)] = &[
    ("usage.stats", "what other calls took"),
    ("runtime.queryOutput", "what a command wrote"),
    ("info", "the process and the machine"),
];

/// A world that has seen two versions, and a slice that was held at the first.
struct Seen {
    world: World,
    /// Texts that a call uses for a handle, a version or an id of its own world.
    here: Vec<(&'static str, String)>,
}

impl Seen {
    fn new() -> Self {
        let world = World::empty();
        world.repo.write(crate::common::SHOP);
        let held =
            world.ok("slice.build", json!({"taskText": "validate a token", "budget": {"maxCards": 4}}));
        world.repo.write(&source());
        let large =
            json!({"taskText": "check a token", "budget": {"maxCards": 200, "maxEstimatedTokens": 900}});
        let spilled = world.ok("slice.build", large);
        world.ok("memory.store", json!({"type": "decision", "title": "Tokens", "content": "They expire."}));
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{value:#}")).to_owned();
        let found = world.ok("symbol.search", json!({"query": "check_token_1", "exact": true}));
        let here = vec![
            ("HELD", text(&held["sliceHandle"])),
            ("BEFORE", text(&held["ledgerVersion"])),
            ("SPILLED", text(&spilled["truncation"]["spilloverHandle"])),
            ("VALIDATE", world.repo.symbol("src/auth.py", "validate")),
            ("CHECK", text(&found["results"][0]["symbolId"])),
        ];
        Self { world, here }
    }

    /// Returns the answer to a call, without its random parts.
    fn answer(&self, tool: &str, args: &Value) -> (bool, String) {
        let args = self.here.iter().fold(args.to_string(), |args, (name, value)| args.replace(name, value));
        let result = self.world.raw(tool, &args);
        (result["isError"] == true, settled(&self.world, &result))
    }
}

/// Returns the answer without its random parts.
fn settled(world: &World, result: &Value) -> String {
    let text = result.to_string().replace(world.host.dir.path().to_str().unwrap(), "<dir>");
    let mut text = text;
    for (form, stand_in) in [
        (r"\bv1\d{12}\b", "<version>"),
        (r"\b(h|sp)_[0-9a-z]{15}\b", "<handle>"),
        (r"\bas_[0-9a-z]{13}\b", "<assembly>"),
        (r"\bc_[0-9a-f]+(\.[0-9a-f]+)+\b", "<cursor>"),
        (r"\b[0-9a-f]{64}\b", "<hash>"),
        (r#""(expiresAt|lagMs|lastEventMs|atMs|createdAt|updatedAt)":\d+"#, "<time>"),
    ] {
        text = Regex::new(form).unwrap().replace_all(&text, stand_in).into_owned();
    }
    text
}

/// Returns calls of every action that reads the tree, with budgets at which something does not fit.
fn calls() -> Vec<(&'static str, Value)> {
    let task = "why does check_token refuse a token of a request";
    let two = json!({"fromVersion": "previous", "toVersion": "latest"});
    let mut calls = vec![
        ("symbol.getCard", json!({"symbolId": "VALIDATE"})),
        ("delta.get", two.clone()),
        ("pr.risk.analyze", two),
        ("symbol.related", json!({"symbol": "check_token", "depth": 3})),
        ("symbol.related", json!({"symbol": "parse", "want": "callees"})),
        ("symbol.path", json!({"to": "parse"})),
        ("change.impact", json!({"files": ["real/token_1.py"]})),
        ("symbol.unused", json!({"minConfidence": 0.3})),
        ("symbol.rename", json!({"symbol": "check_token_1", "newName": "examine_token"})),
        ("change.impact", json!({"files": ["real/token_1.py"], "want": "tests"})),
        ("code.getSkeleton", json!({"file": "real/token_1.py"})),
        ("code.getHotPath", json!({"symbolId": "VALIDATE", "identifiersToFind": ["parse"]})),
        ("repo.overview", json!({"level": "full"})),
        ("repo.status", json!({"detail": "full"})),
        ("slice.refresh", json!({"sliceHandle": "HELD", "knownVersion": "BEFORE"})),
        ("memory.surface", json!({})),
        ("memory.query", json!({"query": "tokens"})),
        ("buffer.status", json!({})),
        ("policy.get", json!({})),
        ("agent.feedback.query", json!({})),
        ("action.search", json!({"query": "what changed"})),
        ("manual", json!({"query": "wire"})),
    ];
    for lines in [1, 5, 50, 500] {
        let ask = json!({"symbolId": "CHECK", "reason": "see how it refuses", "expectedLines": lines,
            "identifiersToFind": ["parts"], "sliceContext": {"taskText": task}});
        calls.push(("code.needWindow", ask));
    }
    for limit in 1..12 {
        calls.push(("slice.spillover.get", json!({"spilloverHandle": "SPILLED", "pageSize": limit})));
    }
    for count in [1, 5, 17, 60, 100] {
        let refs: Vec<Value> =
            (0..count).map(|i| json!({"name": format!("check_token_{}", i % 30)})).collect();
        calls.push(("symbol.getCards", json!({"symbolRefs": refs})));
    }
    for tokens in (800..2_600).step_by(41) {
        calls.push(("agent.orchestrate", json!({"taskText": task, "budget": {"maxTokens": tokens}})));
    }
    for tokens in (450..1_600).step_by(47) {
        let budget = json!({"maxEstimatedTokens": tokens});
        calls.push(("slice.build", json!({"taskText": task, "budget": budget})));
        calls.push(("context.summary", json!({"query": task, "budget": tokens})));
        calls
            .push(("delta.get", json!({"fromVersion": "previous", "toVersion": "latest", "budget": budget})));
    }
    for limit in (20..400).step_by(31) {
        calls.push(("symbol.search", json!({"query": "token", "limit": limit})));
    }
    calls
}

#[test]
fn two_fresh_ledgers_of_one_tree_answer_alike() {
    let worlds: Vec<Seen> = (0..2).map(|_| Seen::new()).collect();
    let (mut refused, mut answered) = (Vec::new(), BTreeSet::new());
    for (action, args) in calls() {
        let tool = format!("sdl_{}", action.replace('.', "_"));
        let answers: Vec<(bool, String)> = worlds.iter().map(|world| world.answer(&tool, &args)).collect();
        for other in &answers {
            assert_eq!(other, &answers[0], "{tool} {args}");
        }
        if answers[0].0 {
            refused.push(format!("{tool} {args}: {}", answers[0].1));
        } else {
            answered.insert(action.to_owned());
        }
    }
    // An answer that doesn't fit at all reports its size. Only a few of the smallest are refused.
    assert!(refused.len() < 20, "{}", refused.join("\n"));
    let described: Value = serde_json::from_slice(&worlds[0].world.tools.describe()).unwrap();
    for action in described["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|action| action["mutating"] == false && action["module"].is_null())
    {
        let name = action["name"].as_str().unwrap();
        let is_apart = APART.iter().any(|(apart, _)| *apart == name);
        assert!(
            is_apart != answered.contains(name),
            "{name}: no call is answered, or it is apart without need; refused were {refused:#?}"
        );
    }
}

#[test]
fn how_long_the_tree_took_does_not_decide_what_fits() {
    let Seen { world, .. } = Seen::new();
    let lag = |ms: u64| {
        let barrier = sdl_tools::host::Barrier { synced: true, lag_ms: ms, ..Default::default() };
        *world.repo.synced.lock().unwrap() = barrier;
    };
    for tokens in (800..1_400).step_by(3) {
        let args = json!({"taskText": "validate a token", "budget": {"maxTokens": tokens}});
        let asked = |ms| {
            lag(ms);
            settled(&world, &world.ok("sdl_agent_orchestrate", args.clone())["evidence"])
        };
        assert_eq!(asked(0), asked(12_345), "{tokens}");
    }
}
