//! Every action through the real shim, daemon and command line: a client's tools, its gateway, its raw twins, chains of
//! one step and `sdlctl tool` answer alike and refuse alike; and the lists that a client sees stay below their
//! ceilings.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sdl_tests::generate::{Must, as_step, generate_calls, mask_volatile};
use sdl_tests::{McpClient, Program, TestEnv, schema};
use serde_json::{Value, json};

const APP: &str = r#"
//- /src/auth.ts
import { lookup } from "./db";

export class TokenError extends Error {}

/** Checks a token and finds its user. */
export function validateToken(token: string, tokenExpiry = 0): string {
    if (token.length === 0) {
        throw new TokenError("no token");
    }
    try {
        return lookup(parse(token));
    } catch (error) {
        return "";
    }
}

/** Splits a token into its parts. */
export function parse(token: string): string {
    return token.split(".")[0];
}

export function get_name_for_user(user: string): string {
    return lookup(user);
}

export class Command {
    invoke(): string {
        return validateToken("a.b");
    }
}

export class Session {
    close(): void {}
}
//- /src/db.ts
export function lookup(user: string): string {
    return user;
}
//- /src/main.rs
/// Runs the program.
pub fn main() {
    start();
}

fn start() {}
"#;

struct Set {
    env: TestEnv,
    root: PathBuf,
    client: McpClient,
    /// Names in examples, and the real names that replace them here.
    here: Vec<(String, String)>,
    memories: usize,
}

const MEMORY: &str = "m_0123456789abc";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text wanted: {value}")).to_owned()
}

impl Set {
    fn new() -> Self {
        let env = TestEnv::new();
        let root = env.repo("app", APP);
        let state = env.state_dir();
        std::fs::create_dir_all(&state).unwrap();
        let settings = state.join("runtime.json");
        std::fs::write(&settings, r#"{"enabled": true, "executables": ["env"], "allowEnv": ["KEY"]}"#)
            .unwrap();
        private(&settings);
        let mut client = env.mcp(&root, &["--surface", "flat"]);
        client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
        client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
        std::fs::write(root.join("src/more.ts"), "export function more(): number {\n    return 1;\n}\n")
            .unwrap();
        let mut ok = |tool: &str, args: Value| client.call(tool, args).unwrap().ok();
        let symbol =
            ok("sdl_symbol_search", json!({"query": "validateToken", "exact": true, "sync": "require"}));
        let other = ok("sdl_symbol_search", json!({"query": "parse", "exact": true}));
        let built = ok("sdl_slice_build", json!({"taskText": "validate a token", "budget": {"maxCards": 2}}));
        let handle = text(&built["sliceHandle"]);
        let here = vec![
            ("/home/me/my-repo".to_owned(), root.to_string_lossy().into_owned()),
            ("\"repoId\":\"mine\",".to_owned(), String::new()),
            ("my-repo".to_owned(), "app".to_owned()),
            ("s_0123456789abc".to_owned(), text(&symbol["results"][0]["symbolId"])),
            ("s_1123456789abc".to_owned(), text(&other["results"][0]["symbolId"])),
            ("h_0123456789abcde".to_owned(), handle.clone()),
            ("h_0000000000000ab".to_owned(), handle),
            ("sp_0000000000000ab".to_owned(), text(&built["truncation"]["spilloverHandle"])),
            ("v1770600000000".to_owned(), text(&built["ledgerVersion"])),
            ("\"v1\"".to_owned(), "\"previous\"".to_owned()),
            ("\"v2\"".to_owned(), "\"latest\"".to_owned()),
            ("git:main".to_owned(), "previous".to_owned()),
            ("git:HEAD".to_owned(), "latest".to_owned()),
            ("[\"test\",\"-q\"]".to_owned(), "[\"A=1\"]".to_owned()),
            ("\"cargo\"".to_owned(), "\"env\"".to_owned()),
            ("\"git\"".to_owned(), "\"env\"".to_owned()),
        ];
        Self { env, root, client, here, memories: 0 }
    }

    fn here(&self, text: &str) -> String {
        self.here.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
    }

    /// Creates the objects that the next action's calls need.
    fn prepare(&mut self, action: &str) {
        self.here.retain(|(there, _)| there != MEMORY && !there.starts_with("art_"));
        if action != "memory.remove" {
            let memory = json!({"type": "note", "title": "Tokens", "content": "They expire."});
            let stored = self.client.call("sdl_memory_store", memory).unwrap().ok();
            self.here.push((MEMORY.to_owned(), text(&stored["memoryId"])));
        }
        let ran = self.client.call("sdl_runtime_execute", json!({"executable": "env"})).unwrap().ok();
        self.here.push(("art_0123456789abc".to_owned(), text(&ran["artifactHandle"])));
    }

    /// Replaces the memory's name by that of a new memory, for each call that removes one.
    fn fresh(&mut self, args: &str) -> String {
        if !args.contains(MEMORY) {
            return args.to_owned();
        }
        self.memories += 1;
        let memory =
            json!({"type": "note", "title": "Note", "content": format!("Number {}.", self.memories)});
        let stored = self.client.call("sdl_memory_store", memory).unwrap().ok();
        args.replace(MEMORY, stored["memoryId"].as_str().unwrap())
    }

    /// A call as the client writes it: nothing may change the bytes between the client and the daemon.
    fn call(&mut self, tool: &str, args: &str) -> Value {
        let args = self.fresh(args);
        let id = self.client.send_written(tool, &args).unwrap();
        let result = self.client.wait_call(id).unwrap();
        comparable(result.is_error, result.data)
    }

    /// The same by the command line, in a process of its own.
    fn by_command(&mut self, action: &str, args: &str) -> Value {
        let args = self.fresh(args);
        let mut command = self.env.command(Program::Ctl);
        command
            .current_dir(&self.root)
            .args(["--json", "tool", action, "--args", &args])
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("sdlctl tool {action} --args {args}: {error}\n{}", String::from_utf8_lossy(&output.stderr))
        });
        match output.status.code() {
            Some(0) => comparable(false, said),
            Some(4) => comparable(true, said["error"].clone()),
            code => panic!("sdlctl tool {action} --args {args}: exit code {code:?}, {said}"),
        }
    }
}

#[cfg(unix)]
fn private(path: &Path) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn private(_path: &Path) {}

fn comparable(is_error: bool, content: Value) -> Value {
    mask_volatile(json!([is_error, content]))
}

/// The actions in full, as the manual describes them.
fn described(set: &mut Set) -> Vec<Value> {
    let listed = set.client.list_tools().unwrap();
    let names: Vec<String> =
        listed.iter().map(|tool| text(&tool["name"])).filter(|name| !name.ends_with("_raw")).collect();
    let mut all = Vec::new();
    for name in names {
        let found = set.client.call("sdl_action_search", json!({"query": name, "limit": 1})).unwrap().ok();
        let action = found["results"][0].clone();
        assert_eq!(action["tool"], json!(name), "an exact name ranks first");
        all.push(action);
    }
    all
}

/// A text for a field of that name.
fn sample(set: &Set, field: &str) -> String {
    set.here(match field {
        "repoId" => "my-repo",
        "symbolId" | "symbolIds" | "entrySymbols" | "focusSymbols" | "usefulSymbols" | "missingSymbols" => {
            "s_0123456789abc"
        }
        "file" | "files" | "filePath" | "editedFiles" | "focusPaths" | "failingTestPath" => "src/auth.ts",
        "paths" | "directories" | "relativeCwd" => "src",
        "sliceHandle" => "h_0123456789abcde",
        "spilloverHandle" => "sp_0000000000000ab",
        "artifactHandle" => "art_0123456789abc",
        "memoryId" => MEMORY,
        "knownVersion" => "v1770600000000",
        "fromVersion" | "toVersion" => "latest",
        "executable" => "env",
        "rootPath" => "/home/me/my-repo",
        "action" => "info",
        "actions" => "slice.build",
        "as" => "a",
        "pathGlob" => "src/**",
        "knownEtags.key" | "knownCardEtags.key" => "s_0123456789abc",
        "env.key" => "KEY",
        "language" => "typescript",
        "name" => "validateToken",
        _ => "token",
    })
}

fn prove(namespace: &str) {
    let mut set = Set::new();
    let (mut faults, mut counts) = (String::new(), BTreeMap::new());
    for action in described(&mut set).into_iter().filter(|action| action["namespace"] == namespace) {
        set.prepare(&text(&action["action"]));
        let (name, tool) = (text(&action["action"]), text(&action["tool"]));
        let home = match action["namespace"].as_str().unwrap() {
            "universal" => "sdl_query".to_owned(),
            namespace => format!("sdl_{namespace}"),
        };
        let examples: Vec<Value> = action["examples"]
            .as_array()
            .unwrap()
            .iter()
            .map(|example| serde_json::from_str(&set.here(&example.to_string())).unwrap())
            .collect();
        let all = generate_calls(&action["inputSchema"], &examples, &|field| sample(&set, field));
        for call in &all {
            let args: Value = serde_json::from_str(&call.text).unwrap();
            let flat = set.call(&tool, &call.text);
            let answered = flat[0] == false;
            let counted: &mut (usize, usize) = counts.entry(name.clone()).or_default();
            if answered {
                counted.0 += 1
            } else {
                counted.1 += 1
            }
            let what = format!("{name}, {} {}", call.what, call.text.chars().take(200).collect::<String>());
            if (call.must == Must::Answer && !answered) || (call.must == Must::Refuse && answered) {
                let _ = writeln!(faults, "{what}: {}", flat[1]);
            }
            let mut others = vec![
                ("sdlctl", set.by_command(&name, &call.text)),
                (
                    "the gateway",
                    set.call(&home, &format!("{{\"action\":\"{name}\",\"args\":{}}}", call.text)),
                ),
            ];
            if action["mutating"] == true {
                let twin = format!("{tool}_raw");
                let payload = json!({ "payload": call.text }).to_string();
                others.push(("the twin", set.call(&twin, &payload)));
                others.push((
                    "the twin, an object",
                    set.call(&twin, &format!("{{\"payload\":{}}}", call.text)),
                ));
            }
            if name != "chain" {
                let steps = json!({"steps": [{"action": name, "args": as_step(&args)}], "budget": {"maxTokens": 20_000}});
                let chain = set.call("sdl_chain", &steps.to_string());
                let step = &chain[1]["steps"][0];
                let content = if step["ok"] == true { &step["result"] } else { &step["error"] };
                others.push(("a step", json!([step["ok"] != true, content])));
            }
            for (way, got) in others {
                if got != flat {
                    let _ = writeln!(faults, "{what}\n  {way}: {got}\n  flat: {flat}");
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{faults}", faults.lines().count());
    assert!(!counts.is_empty(), "no action is in {namespace}");
    for (name, (answered, refused)) in &counts {
        println!("{name}: {answered} answered, {refused} refused");
        assert!(*answered > 0 && *refused > 0, "{name}: {answered} answered, {refused} refused");
    }
}

#[test]
fn the_command_line_and_the_tools_agree_on_query() {
    prove("query");
}

#[test]
fn the_command_line_and_the_tools_agree_on_code() {
    prove("code");
}

#[test]
fn the_command_line_and_the_tools_agree_on_repo() {
    prove("repo");
}

#[test]
fn the_command_line_and_the_tools_agree_on_agent() {
    prove("agent");
}

#[test]
fn the_command_line_and_the_tools_agree_on_universal_actions() {
    prove("universal");
}

#[test]
fn answers_over_the_wire_fit_their_full_schemas() {
    let mut set = Set::new();
    let full: Vec<Value> = described(&mut set);
    let mut faults = String::new();
    for action in full {
        let name = text(&action["action"]);
        set.prepare(&name);
        let manual = json!({"actions": [name], "format": "json", "detail": "full"});
        let manual = set.client.call("sdl_manual", manual).unwrap().ok();
        let manual: Value = serde_json::from_str(manual["content"].as_str().unwrap()).unwrap();
        let response = find(&manual, "outputSchema").unwrap_or_else(|| panic!("{manual}"));
        let validator = jsonschema::draft202012::new(response).unwrap();
        for example in action["examples"].as_array().unwrap() {
            let args = set.fresh(&set.here(&example.to_string()));
            let answer =
                set.client.call(&text(&action["tool"]), serde_json::from_str(&args).unwrap()).unwrap().ok();
            for error in validator.iter_errors(&answer) {
                let _ = writeln!(faults, "{name} {args}: {}: {error}", error.instance_path());
            }
            for path in schema::undeclared_paths(response, &answer) {
                let _ = writeln!(faults, "{name} {args}: {path} is not declared");
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

fn find<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(key).or_else(|| map.values().find_map(|value| find(value, key))),
        Value::Array(items) => items.iter().find_map(|value| find(value, key)),
        _ => None,
    }
}

#[test]
fn lists_over_the_wire_stay_below_their_ceilings() {
    let env = TestEnv::new();
    let root = env.repo("app", APP);
    for (surface, first, ceiling) in
        [("flat", None, 6_500), ("gateway", Some(6), 725), ("gateway", None, 1_050), ("search", None, 60)]
    {
        let mut client = env.mcp(&root, &["--surface", surface]);
        let tools = client.list_tools().unwrap();
        let tools = &tools[..first.unwrap_or(tools.len())];
        let tokens = sdl_tokens::count_tokens(&serde_json::to_string(tools).unwrap());
        println!("{surface}: {} tools, {tokens} of {ceiling} tokens", tools.len());
        assert!(
            tokens <= ceiling,
            "{surface}: {} tools take {tokens} tokens, {ceiling} are allowed",
            tools.len()
        );
    }
}
