//! Checks that every way to an action is the same, for every action of the registry, with calls generated from its
//! schemas: the flat tool, the gateways, the raw twins and chains of one step answer alike and refuse alike.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common::World;
use sdl_tests::generate::{
    Call, Must, as_step, generate_calls, in_snake_case, mask_volatile, stringify_values,
};
use serde_json::{Value, json};

/// A repository in which the examples of the registry have something to find.
const SOURCE: &str = "
//- /src/auth.ts
def validateToken(token: str) calls parse, lookup raises TokenError : Checks a token and finds its user.
def parse(token: str) calls decode : Splits a token into its parts.
def decode(text: str) : Reads base64.
class Session : A user's time here.
method Session.close() calls flush : Ends the session.
//- /src/main.rs
def main() calls validateToken : Runs the program.
def lookup(user: str) calls flush : Finds a user by name.
def flush() : Writes what is pending.
//- /src/cmd.py
class Command : What a user asked for.
method Command.invoke() calls main : Does it.
def get_name_for_user() calls lookup : A name.
";

/// Fields that can't be given in any example, each with its reason.
const APART: &[(&str, &str, &str)] = &[
    ("symbol.search", "cursor", "comes from a page of the same search"),
    ("slice.spillover.get", "cursor", "comes from the page before"),
    ("symbol.related", "cursor", "comes from the page before"),
    ("change.impact", "cursor", "comes from the page before"),
    ("symbol.rename", "cursor", "comes from the page before"),
    ("symbol.unused", "cursor", "comes from the page before"),
    ("agent.feedback", "assemblyId", "this or sliceHandle"),
    ("action.search", "scope", "there is no upstream"),
    ("action.search", "upstream", "there is no upstream"),
    ("action.search", "fresh", "there is no upstream"),
    ("tool.call", "tool", "a name made up is no tool"),
    ("tool.call", "args", "no arguments made up fit the tool made up"),
];

/// The placeholder for a memory that each way needs again.
const MEMORY: &str = "m_0123456789abc";

struct Set {
    world: World,
    /// Texts in the examples, and their replacements here.
    here: Vec<(String, String)>,
    /// Counts the memories made so far, for actions of which each call needs its own.
    memories: Option<std::cell::Cell<usize>>,
}

impl Set {
    /// Creates the set for the calls of one action.
    fn new(action: &str) -> Self {
        let world = World::empty().with_modules();
        world.raise_ceiling(json!({}));
        world.repo.write(SOURCE);
        world.repo.write("//- /src/more.py\ndef more() calls validateToken\n");
        world.allow(r#"{"enabled": true, "executables": ["env"], "allowEnv": ["KEY"]}"#);
        let built =
            world.ok("sdl_slice_build", json!({"taskText": "validate a token", "budget": {"maxCards": 2}}));
        let ran = world.ok("sdl_runtime_execute", json!({"executable": "env"}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let handle = text(&built["sliceHandle"]);
        let root = world.host.dir.path().join("elsewhere");
        std::fs::create_dir_all(&root).unwrap();
        let mut here = vec![
            ("/home/me/my-repo".to_owned(), root.to_string_lossy().into_owned()),
            ("my-repo".to_owned(), "shop".to_owned()),
            ("s_0123456789abc".to_owned(), world.repo.symbol("src/auth.ts", "validateToken")),
            ("s_1123456789abc".to_owned(), world.repo.symbol("src/auth.ts", "parse")),
            ("h_0123456789abcde".to_owned(), handle.clone()),
            ("h_0000000000000ab".to_owned(), handle),
            ("sp_0000000000000ab".to_owned(), text(&built["truncation"]["spilloverHandle"])),
            ("art_0123456789abc".to_owned(), text(&ran["artifactHandle"])),
            ("v1770600000000".to_owned(), world.repo.head()),
            ("\"v1\"".to_owned(), "\"previous\"".to_owned()),
            ("\"v2\"".to_owned(), "\"latest\"".to_owned()),
            ("git:main".to_owned(), "previous".to_owned()),
            ("git:HEAD".to_owned(), "latest".to_owned()),
            ("[\"test\",\"-q\"]".to_owned(), "[\"A=1\"]".to_owned()),
            ("\"cargo\"".to_owned(), "\"env\"".to_owned()),
            ("\"git\"".to_owned(), "\"env\"".to_owned()),
        ];
        let removes = action == "memory.remove";
        if !removes {
            let memory = json!({"type": "note", "title": "Tokens", "content": "They expire."});
            let stored = world.ok("sdl_memory_store", memory);
            here.push((MEMORY.to_owned(), text(&stored["memoryId"])));
        }
        Self { world, here, memories: removes.then(std::cell::Cell::default) }
    }

    fn here(&self, text: &str) -> String {
        self.here.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
    }

    /// Returns a text for a field of that name.
    fn text(&self, field: &str) -> String {
        self.here(match field {
            "repoId" => "my-repo",
            "symbolId" | "symbolIds" | "entrySymbols" | "focusSymbols" | "usefulSymbols"
            | "missingSymbols" => "s_0123456789abc",
            "file" | "files" | "filePath" | "editedFiles" | "focusPaths" | "failingTestPath" => "src/auth.ts",
            "paths" | "directories" | "relativeCwd" => "src",
            "sliceHandle" => "h_0123456789abcde",
            "spilloverHandle" => "sp_0000000000000ab",
            "artifactHandle" => "art_0123456789abc",
            "memoryId" => MEMORY,
            "knownVersion" => "v1770600000000",
            "fromVersion" | "toVersion" => "latest",
            "symbol" | "symbols" | "to" => "validateToken",
            "from" => "main",
            "atVersion" => "latest",
            "diff" => "--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -1 +1 @@\n-x\n+y\n",
            "executable" => "env",
            "rootPath" => "/home/me/my-repo",
            "action" => "info",
            "actions" => "slice.build",
            "as" => "a",
            "pathGlob" => "src/**",
            "name" => "validateToken",
            "knownEtags.key" | "knownCardEtags.key" => "s_0123456789abc",
            "env.key" => "KEY",
            "skeletonOffset" => "1",
            "kind" => "function",
            "language" => "python",
            _ => "token",
        })
    }

    /// Calls a tool. A memory that the call removes is created first.
    fn call(&self, tool: &str, args: &str) -> Value {
        let mut args = args.to_owned();
        if let Some(memories) = self.memories.as_ref().filter(|_| args.contains(MEMORY)) {
            let n = memories.replace(memories.get() + 1);
            let memory =
                json!({"type": "note", "title": format!("Note {n}"), "content": format!("Of {n} tokens.")});
            let stored = self.world.ok("sdl_memory_store", memory);
            args = args.replace(MEMORY, stored["memoryId"].as_str().unwrap());
        }
        self.world.raw(tool, &args)
    }
}

/// Returns the parts of a result on which all ways must agree.
fn comparable(result: &Value) -> Value {
    mask_volatile(json!([result["isError"], result["structuredContent"]]))
}

/// Returns the answer of a chain of one step, in the form of the call alone.
fn through_chain(set: &Set, step: &Value) -> Value {
    let args = json!({"steps": [step], "budget": {"maxTokens": 20_000}});
    let chain = set.call("sdl_chain", &args.to_string());
    assert_eq!(chain["isError"], false, "{chain}");
    let step = &chain["structuredContent"]["steps"][0];
    assert!(step["omitted"].is_null(), "{chain}");
    let ok = step["ok"] == true;
    json!({"structuredContent": if ok { &step["result"] } else { &step["error"] }, "isError": !ok})
}

/// Makes the same call in every way, each with its name.
fn ways(set: &Set, action: &Value, text: &str) -> Vec<(&'static str, Value)> {
    let (name, tool) = (action["name"].as_str().unwrap(), action["tool"].as_str().unwrap());
    let home = match action["namespace"].as_str().unwrap() {
        "universal" => "query",
        namespace => namespace,
    };
    let gateway = format!("sdl_{home}");
    let quoted = json!(text).to_string();
    let comma = if text == "{}" { "" } else { "," };
    let beside = format!("{{\"action\":\"{name}\"{comma}{}", &text[1..]);
    let mut all = vec![
        ("by its dotted name", set.call(&format!("sdl.{name}"), text)),
        ("in args", set.call(&gateway, &format!("{{\"action\":\"{name}\",\"args\":{text}}}"))),
        ("in args as text", set.call(&gateway, &format!("{{\"args\":{quoted},\"action\":\"{tool}\"}}"))),
    ];
    // An object in an action's own `args` is, beside `action`, the gateway's.
    let parsed: Value = serde_json::from_str(text).unwrap();
    let own = action["inputSchema"]["properties"]["args"].is_object();
    let taken = own && parsed.get("args").is_some_and(|args| !args.is_array());
    if !taken {
        all.push(("beside action", set.call(&gateway, &beside)));
        if home == "repo" || home == "agent" {
            let payload = json!({ "payload": beside }).to_string();
            all.push(("the gateway's twin", set.call(&format!("{gateway}_raw"), &payload)));
        }
    }
    if action["mutating"] == true {
        let twin = format!("{tool}_raw");
        all.push(("the twin, text", set.call(&twin, &format!("{{\"payload\":{quoted}}}"))));
        all.push(("the twin, an object", set.call(&twin, &format!("{{\"payload\":{text}}}"))));
    }
    if name != "chain" {
        let args = as_step(&parsed);
        all.push(("a step", through_chain(set, &json!({"action": name, "args": args}))));
        all.push(("a step, as text", through_chain(set, &json!({"action": name, "args": args.to_string()}))));
    }
    all
}

/// The counts of one action.
#[derive(Default)]
struct Shown {
    answered: usize,
    refused: usize,
    taken: BTreeSet<String>,
    wanted: BTreeSet<String>,
}

fn show(set: &Set, action: &Value, call: &Call, shown: &mut Shown, faults: &mut String) {
    let (name, tool) = (action["name"].as_str().unwrap(), action["tool"].as_str().unwrap());
    let what = format!("{name}, {} {}", call.what, call.text.chars().take(300).collect::<String>());
    let flat = set.call(tool, &call.text);
    let answered = flat["isError"] == false;
    let says = &flat["structuredContent"];
    match &call.must {
        Must::Answer if !answered => drop(writeln!(faults, "{what}: refused: {says}")),
        Must::Refuse if answered => drop(writeln!(faults, "{what}: answered: {says}")),
        Must::Take(field) => {
            shown.wanted.insert(field.clone());
            if answered {
                shown.taken.insert(field.clone());
            }
        }
        _ => {}
    }
    if says["code"] == "internal" {
        let _ = writeln!(faults, "{what}: {says}");
    }
    let wanted = comparable(&flat);
    for (way, result) in ways(set, action, &call.text) {
        let got = comparable(&result);
        if got != wanted {
            let _ = writeln!(faults, "{what}\n  {way}: {got}\n  flat: {wanted}");
        }
    }
    if !answered {
        shown.refused += 1;
        return;
    }
    shown.answered += 1;
    let args: Value = serde_json::from_str(&call.text).unwrap();
    let (request, response) = (&action["inputSchema"], &action["outputSchema"]);
    for (form, args) in
        [("in snake case", in_snake_case(request, &args)), ("as text", stringify_values(request, &args))]
    {
        let got = comparable(&set.call(tool, &args.to_string()));
        if got != wanted {
            let _ = writeln!(faults, "{what}\n  {form} {args}: {got}\n  flat: {wanted}");
        }
    }
    for breach in crate::common::schema::breaches(response, says, "the answer") {
        let _ = writeln!(faults, "{what}: {breach}");
    }
    for breach in crate::common::schema::breaches(request, &args, "the call") {
        let _ = writeln!(faults, "{what} was answered: {breach}");
    }
}

fn prove(namespace: &str) {
    let described: Value = serde_json::from_slice(&World::empty().tools.describe()).unwrap();
    let actions = described["actions"].as_array().unwrap().iter();
    let mut faults = String::new();
    for action in actions.filter(|action| action["namespace"] == namespace) {
        let name = action["name"].as_str().unwrap();
        let set = Set::new(name);
        let examples: Vec<Value> = action["examples"]
            .as_array()
            .unwrap()
            .iter()
            .map(|example| serde_json::from_str(&set.here(&example.to_string())).unwrap())
            .collect();
        let calls = generate_calls(&action["inputSchema"], &examples, &|field| set.text(field));
        let mut shown = Shown::default();
        for call in &calls {
            show(&set, action, call, &mut shown, &mut faults);
        }
        println!("{name}: {} calls, {} answered, {} refused", calls.len(), shown.answered, shown.refused);
        assert!(shown.answered > 0 && shown.refused > 0, "{name} shows nothing");
        for field in &shown.wanted {
            let apart = APART.iter().any(|(of, apart, _)| *of == name && field == apart);
            if apart == shown.taken.contains(field) {
                let _ = writeln!(
                    faults,
                    "{name}: {field} is in no call that was answered, or excused without need"
                );
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{faults}", faults.lines().count());
}

#[test]
fn the_same_for_actions_of_query() {
    prove("query");
}

#[test]
fn the_same_for_actions_of_code() {
    prove("code");
}

#[test]
fn the_same_for_actions_of_repo() {
    prove("repo");
}

#[test]
fn the_same_for_actions_of_agent() {
    prove("agent");
}

#[test]
fn the_same_for_universal_actions() {
    prove("universal");
}
