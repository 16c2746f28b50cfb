//! Upstreams with `prefix: false`: their tools and prompts go by their own names, where nobody else had them before.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sdl_tools::{Names, Session, Surface};
use serde_json::{Value, json};

use crate::common::World;

fn tool(name: &str, key: &str) -> Value {
    json!({"name": name, "description": format!("Theirs: {key}/{name}"), "inputSchema": {"type": "object"}})
}

fn bare(command: &str) -> Value {
    json!({"command": command, "sdl": {"prefix": false, "mode": "passthrough"}})
}

/// The names of upstream tools in a client's list, by the upstream's key and the tool's own name.
fn listed(world: &World, client: &str) -> BTreeMap<(String, String), String> {
    let session = Session { client: client.into(), ..world.session.clone() };
    let bytes = world.tools.list(&session, Surface::Gateway, false, Names::Underscored);
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    let mut named = BTreeMap::new();
    for tool in all["tools"].as_array().unwrap() {
        let Some((key, name)) =
            tool["description"].as_str().unwrap().strip_prefix("Theirs: ").and_then(|of| of.split_once('/'))
        else {
            continue;
        };
        named.insert((key.to_owned(), name.to_owned()), tool["name"].as_str().unwrap().to_owned());
    }
    named
}

fn prompts(world: &World) -> Vec<String> {
    let bytes = world
        .tools
        .protocol(
            &world.session,
            &sdl_tools::MethodRequest::new("prompts/list", b"{}"),
            &sdl_tools::NoProgress,
            &sdl_tools::Cancel::new(),
        )
        .unwrap();
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    all["prompts"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn tools_and_prompts_go_by_their_own_names() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"My-Files": bare("files"), "web": {"command": "web", "sdl": {"mode": "passthrough"}}}}));
    let tools = ["read_file", "repo_status", "slice.build", "sdl_info", "mcp__web__fetch", "show.file"];
    world.lists_all("My-Files", &json!({
        "capabilities": {"tools": {}, "prompts": {}},
            "tools": tools.map(|name| tool(name, "My-Files")), "prompts": [{"name": "sum_up"}, {"name": "debug"}],
    }));
    let of = |name: &str| listed(&world, "any")[&("My-Files".to_owned(), name.to_owned())].clone();
    assert_eq!(of("read_file"), "read_file");
    for ours in &tools[1..] {
        assert!(of(ours).starts_with("my_files_"), "{ours} as {}", of(ours));
    }
    assert!(prompts(&world).contains(&"sum_up".to_owned()));
    assert!(prompts(&world).contains(&"my_files_debug".to_owned()));
    world.answers("read_file", r#"{"content":[]}"#);
    for name in ["read_file", "my_files_read_file", "My-Files/read_file", "mcp__my_files__read_file"] {
        assert_eq!(world.bytes(name, "{}"), r#"{"content":[]}"#, "{name}");
    }
    let found = world.ok("sdl_action_search", json!({"query": "read_file", "limit": 1}));
    assert_eq!(found["results"][0]["tool"], "read_file", "{found:#}");
    // Who comes later has the name with its key, and the name goes on leading to the first.
    world.lists("web", &json!([tool("read_file", "web")]));
    assert_eq!(listed(&world, "any")[&("web".to_owned(), "read_file".to_owned())], "web_read_file");
    world.bytes("read_file", "{}");
    let sent = world.host.upstreams.get().unwrap().sent.lock().unwrap();
    assert!(sent.iter().all(|(key, ..)| key == "My-Files"), "{sent:?}");
}

#[test]
fn a_new_tool_is_looked_for_by_its_own_name() {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"files": bare("files"), "web": {"command": "web"}}}));
    world.lists("files", &json!([tool("read_file", "files")]));
    assert_eq!(world.err("write_file", json!({}))["code"], "unknownTool");
    assert_eq!(*world.host.upstreams.get().unwrap().read.lock().unwrap(), ["files"]);
}

/// What happens to three upstreams.
#[derive(Clone, Debug)]
enum Moment {
    /// One lists these of [`POOL`].
    Lists(usize, BTreeSet<usize>),
    /// The `prefix` of its entry is the other one from now on.
    Turn(usize),
    /// Its entry is turned off, or on.
    Switch(usize),
}

/// Own names of tools: two that are one with their twins, one of ours in two spellings, and one that no client accepts.
const POOL: [&str; 6] = ["read_it", "read_it_raw", "find_it", "repo_status", "repo.status", "go to it"];

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![
        5 => (0_usize..3, proptest::collection::btree_set(0..POOL.len(), 0..5)).prop_map(|(of, tools)| Moment::Lists(of, tools)),
        1 => (0_usize..3).prop_map(Moment::Turn),
        1 => (0_usize..3).prop_map(Moment::Switch),
    ]
}

/// Three upstreams of one run, and what they list.
struct Three<'w> {
    world: &'w World,
    /// Different in each run, because the store remembers names.
    keys: [String; 3],
    is_on: [bool; 3],
    is_bare: [bool; 3],
    /// Tools that the client `few` may not see, as places in keys and [`POOL`].
    hidden: BTreeSet<(usize, usize)>,
    /// All that were ever listed.
    ever: BTreeSet<(usize, usize)>,
}

impl Three<'_> {
    fn configure(&self) {
        let entries = (0..3).map(|at| {
            let sdl = json!({"prefix": !self.is_bare[at], "mode": "passthrough"});
            (self.keys[at].clone(), json!({"command": "x", "disabled": !self.is_on[at], "sdl": sdl}))
        });
        let patterns: Vec<String> =
            self.hidden.iter().map(|(of, tool)| format!("{}/{}", self.keys[*of], POOL[*tool])).collect();
        let mut settings = json!({"mcpServers": entries.collect::<serde_json::Map<_, _>>()});
        if !patterns.is_empty() {
            settings["sdl"] = json!({"policy": [{"effect": "deny", "clients": ["few"], "tools": patterns}]});
        }
        self.world.configure(&settings);
    }

    fn happen(&mut self, moment: &Moment, lists_hidden: bool) {
        match moment {
            Moment::Lists(of, tools) if self.is_on[*of] => {
                let is_listed = |tool: &&usize| lists_hidden || !self.hidden.contains(&(*of, **tool));
                let tools: Vec<usize> = tools.iter().filter(is_listed).copied().collect();
                let listed: Vec<Value> = tools.iter().map(|at| tool(POOL[*at], &self.keys[*of])).collect();
                self.world.lists(&self.keys[*of], &json!(listed));
                self.ever.extend(tools.iter().map(|tool| (*of, *tool)));
            }
            Moment::Lists(..) => {}
            Moment::Turn(of) => {
                self.is_bare[*of] = !self.is_bare[*of];
                self.configure();
            }
            Moment::Switch(of) => {
                self.is_on[*of] = !self.is_on[*of];
                self.configure();
            }
        }
    }

    /// The names that a client is listed, by places in keys and [`POOL`].
    fn seen(&self, client: &str) -> BTreeMap<(usize, usize), String> {
        let place = |((key, name), shown): ((String, String), String)| {
            let key = self.keys.iter().position(|one| *one == key).unwrap();
            ((key, POOL.iter().position(|one| *one == name).unwrap()), shown)
        };
        listed(self.world, client).into_iter().map(place).collect()
    }

    fn may_see(&self, client: &str, of: usize, tool: usize) -> bool {
        client == "all" || !self.hidden.contains(&(of, tool))
    }
}

fn stem(name: &str) -> &str {
    name.strip_suffix("_raw").unwrap_or(name)
}

/// Each name is one of nobody else and leads to who is listed with it, and nobody goes by a longer name without a reason.
fn check_names(three: &Three<'_>, client: &str) -> Result<(), TestCaseError> {
    let seen = three.seen(client);
    let shown: BTreeSet<&String> = seen.values().collect();
    prop_assert_eq!(shown.len(), seen.len(), "{:?}", seen);
    for ((of, tool), name) in &seen {
        let own = POOL[*tool];
        prop_assert!(
            !name.starts_with("sdl")
                && stem(name) != "repo_status"
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        );
        let is_bare = name == own;
        prop_assert!(!is_bare || three.is_bare[*of]);
        let mut others = seen.iter().filter(|((other, _), _)| other != of);
        prop_assert!(!is_bare || others.all(|(_, other)| stem(other) != stem(own)), "{:?}", seen);
        if three.is_bare[*of] && !is_bare && *tool < 3 {
            let is_reason = |(other, rival): &(usize, usize)| {
                other != of && stem(POOL[*rival]) == stem(own) && three.may_see(client, *other, *rival)
            };
            prop_assert!(three.ever.iter().any(is_reason), "{} of {} is {}", own, of, name);
        }
        let session = Session { client: client.into(), ..three.world.session.clone() };
        let mut ways = vec![name.clone(), format!("{}/{own}", three.keys[*of])];
        // Of two whose names with the key would be the same, one has a mark.
        if *tool < 3 {
            ways.push(format!("{}_{own}", three.keys[*of]));
        }
        for name in ways {
            let upstreams = three.world.host.upstreams.get().unwrap();
            upstreams.sent.lock().unwrap().clear();
            three.world.tools.call(&session, &name, b"{}", &sdl_tools::NoProgress, &sdl_tools::Cancel::new());
            let sent = upstreams.sent.lock().unwrap();
            let (key, _, params) = sent.first().unwrap();
            prop_assert_eq!(
                (key, params),
                (&three.keys[*of], &format!(r#"{{"name":"{own}","arguments":{{}}}}"#))
            );
        }
    }
    Ok(())
}

#[test]
fn names_stay_and_show_nothing_that_is_hidden() {
    let world = World::shop();
    let runs = std::cell::Cell::new(0);
    let hidden = proptest::collection::btree_set((0_usize..3, 0..POOL.len()), 0..6);
    let strategy = (proptest::collection::vec(moment(), 1..9), any::<[bool; 3]>(), hidden);
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 96, ..ProptestConfig::default() });
    let result = runner.run(&strategy, |(moments, is_bare, hidden)| {
        runs.set(runs.get() + 1);
        let start = |mark: &str| {
            // Not in the order of their places.
            let keys = [
                format!("k{}{mark}b", runs.get()),
                format!("k{}{mark}a", runs.get()),
                format!("k{}{mark}c", runs.get()),
            ];
            let three = Three {
                world: &world,
                keys,
                is_on: [true; 3],
                is_bare,
                hidden: hidden.clone(),
                ever: BTreeSet::new(),
            };
            three.configure();
            three
        };
        let mut three = start("w");
        let mut history = Vec::new();
        for moment in &moments {
            let before = ["all", "few"].map(|client| three.seen(client));
            three.happen(moment, true);
            for (client, before) in ["all", "few"].iter().zip(&before) {
                check_names(&three, client)?;
                // Whatever happens to others, a name stays.
                let now = three.seen(client);
                let touched = match moment {
                    Moment::Turn(of) | Moment::Switch(of) => Some(*of),
                    Moment::Lists(..) => None,
                };
                for ((of, tool), name) in before.iter().filter(|((of, _), _)| Some(*of) != touched) {
                    let stays = now.get(&(*of, *tool)).is_none_or(|now| now == name);
                    prop_assert!(stays, "{:?}: {} is {:?}", moment, name, now.get(&(*of, *tool)));
                }
            }
            history.push(
                three.seen("few").into_iter().map(|(at, name)| (at, name == POOL[at.1])).collect::<Vec<_>>(),
            );
        }
        // The same without the hidden tools looks the same to who does not see them.
        let mut without = start("o");
        for (moment, expected) in moments.iter().zip(history) {
            without.happen(moment, false);
            let seen: Vec<_> =
                without.seen("few").into_iter().map(|(at, name)| (at, name == POOL[at.1])).collect();
            prop_assert_eq!(seen, expected, "{:?}", moment);
        }
        Ok(())
    });
    result.unwrap();
}
