//! The fixed sample: symbols, tasks and commits, and the files that an answer replaces.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Outcome;
use crate::world::{World, text_field};

/// Symbols that are looked at to take some.
const LOOKED_AT: u64 = 1_000;
/// Commits that are compared with the one before.
const COMMITS: usize = 10;

/// One function of the tree.
pub(super) struct Function {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) file: String,
}

/// The subjects of the calls.
pub(super) struct Sample {
    pub(super) functions: Vec<Function>,
    slices: Vec<Value>,
    deltas: Vec<(String, String)>,
}

/// An action, as it is called and as the table shows it.
pub(super) struct Asked {
    pub(super) call: &'static str,
    pub(super) shown: &'static str,
}

impl Sample {
    /// Functions and methods outside of tests, spread over the ids, which are hashes.
    pub(super) fn take(world: &mut World, calls: usize) -> Outcome<Self> {
        let query = json!({
            "query": "^[A-Za-z_]{5,40}$", "regex": true, "kinds": ["function", "method"], "limit": LOOKED_AT,
        });
        let mut found = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let mut query = query.clone();
            if !cursor.is_null() {
                query["cursor"] = cursor;
            }
            let page = world.call("symbol_search", query)?;
            for result in page["results"].as_array().into_iter().flatten() {
                let file = text_field(result, "file")?;
                if !file.contains("test") {
                    found.push(Function {
                        id: text_field(result, "symbolId")?,
                        name: text_field(result, "name")?,
                        file,
                    });
                }
            }
            cursor = page["cursor"].clone();
            if cursor.is_null() || found.len() as u64 >= LOOKED_AT {
                break;
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        let step = (found.len() / calls.max(1)).max(1);
        let functions: Vec<Function> = found.into_iter().step_by(step).take(calls).collect();
        let mut slices = Vec::new();
        for function in &functions {
            let slice = world.call("slice_build", json!({"entrySymbols": [function.id]}))?;
            slices.push(json!({"sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"]}));
        }
        let mut deltas = Vec::new();
        for back in 0..COMMITS {
            let (from, to) = (format!("git:HEAD~{}", back + 1), format!("git:HEAD~{back}"));
            // The tree may be no git work tree, or have no more commits.
            if world.call("delta_get", json!({"fromVersion": from, "toVersion": to})).is_ok() {
                deltas.push((from, to));
            }
        }
        Ok(Self { functions, slices, deltas })
    }

    /// The requests of every action.
    pub(super) fn requests(&self) -> Vec<(Asked, Vec<Value>)> {
        let mut all = Vec::new();
        let mut ask = |call, shown, requests: Vec<Value>| all.push((Asked { call, shown }, requests));
        let each = |request: &dyn Fn(&Function) -> Value| -> Vec<Value> {
            self.functions.iter().map(request).collect()
        };
        let ends = |(from, to): &(String, String)| json!({"fromVersion": from, "toVersion": to});
        ask("symbol_search", "`symbol.search`", each(&|f| json!({"query": f.name, "limit": 10})));
        ask("symbol_getCard", "`symbol.getCard`", each(&|f| json!({"symbolId": f.id})));
        let ids: Vec<&str> = self.functions.iter().map(|f| f.id.as_str()).collect();
        let fives = ids.chunks(5).map(|five| json!({"symbolIds": five})).collect();
        ask("symbol_getCards", "`symbol.getCards`, five", fives);
        ask("code_getSkeleton", "`code.getSkeleton` of a symbol", each(&|f| json!({"symbolId": f.id})));
        ask("code_getSkeleton", "`code.getSkeleton` of a file", each(&|f| json!({"file": f.file})));
        let hot = |f: &Function| json!({"symbolId": f.id, "identifiersToFind": [f.name]});
        ask("code_getHotPath", "`code.getHotPath`", each(&hot));
        let window = |f: &Function| json!({"symbolId": f.id, "reason": "to edit it", "expectedLines": 40, "identifiersToFind": [f.name]});
        ask("code_needWindow", "`code.needWindow`", each(&window));
        ask("slice_build", "`slice.build` from a symbol", each(&|f| json!({"entrySymbols": [f.id]})));
        let task = |f: &Function| format!("fix how {} handles errors", f.name);
        ask("slice_build", "`slice.build` from a task", each(&|f| json!({"taskText": task(f)})));
        ask("slice_refresh", "`slice.refresh`, nothing edited", self.slices.clone());
        ask(
            "context_summary",
            "`context.summary` of a symbol",
            each(&|f| json!({"query": f.name, "scope": "symbol"})),
        );
        ask(
            "context_summary",
            "`context.summary` of a file",
            each(&|f| json!({"query": f.file, "scope": "file"})),
        );
        ask(
            "context_summary",
            "`context.summary` of a task",
            each(&|f| json!({"query": task(f), "scope": "task"})),
        );
        let orchestrate =
            |f: &Function| json!({"taskText": task(f), "taskType": "debug", "budget": {"maxTokens": 4_000}});
        ask("agent_orchestrate", "`agent.orchestrate`, 4,000 tokens", each(&orchestrate));
        if !self.deltas.is_empty() {
            ask("delta_get", "`delta.get` of a commit", self.deltas.iter().map(ends).collect());
            ask("pr_risk_analyze", "`pr.risk.analyze` of a commit", self.deltas.iter().map(ends).collect());
        }
        ask("repo_status", "`repo.status`", vec![json!({})]);
        ask("repo_overview", "`repo.overview`, stats", vec![json!({"level": "stats"})]);
        ask("repo_overview", "`repo.overview`, full", vec![json!({"level": "full"})]);
        all
    }
}

/// The files that one would read to get the contents of an answer: those whose code it shows or describes. Files that
/// it only names don't count, except for a search, where the best hit's file does.
pub(super) fn files_read(world: &mut World, call: &str, answer: &Value) -> Outcome<BTreeSet<String>> {
    let list = |list: &Value, field: &str| -> BTreeSet<String> {
        let items = list.as_array().into_iter().flatten();
        items.filter_map(|item| item[field].as_str().map(str::to_owned)).collect()
    };
    Ok(match call {
        "symbol_search" => answer["results"][0]["file"].as_str().map(str::to_owned).into_iter().collect(),
        "symbol_getCard" => answer["card"]["file"].as_str().map(str::to_owned).into_iter().collect(),
        "symbol_getCards" => list(&answer["cards"], "file"),
        "code_getSkeleton" | "code_getHotPath" | "code_needWindow" => {
            answer["file"].as_str().map(str::to_owned).into_iter().collect()
        }
        "slice_build" => {
            let slice = sdl_retrieve::wire::decode_slice(&answer["slice"])?;
            slice.cards.into_iter().map(|card| card.file).collect()
        }
        "slice_refresh" => {
            // The slice that is as it was.
            let handle = text_field(answer, "sliceHandle")?;
            let whole = world.call("slice_refresh", json!({"sliceHandle": handle, "knownVersion": "v1"}))?;
            let slice = sdl_retrieve::wire::decode_slice(&whole["slice"])?;
            slice.cards.into_iter().map(|card| card.file).collect()
        }
        "context_summary" => {
            // The last part of the text: `- path (number of symbols)`.
            let content = answer["content"].as_str().unwrap_or_default();
            let (_, files) = content.split_once("\n## Files\n").unwrap_or_default();
            let listed = files.lines().map_while(|line| line.strip_prefix("- ")?.rsplit_once(" ("));
            listed.map(|(file, _)| file.to_owned()).collect()
        }
        "agent_orchestrate" => {
            let cards = world
                .call("symbol_getCards", json!({"symbolIds": answer["sourceIds"], "detail": "minimal"}))?;
            list(&cards["cards"], "file")
        }
        "delta_get" => list(&answer["delta"]["changedSymbols"], "file"),
        _ => BTreeSet::new(),
    })
}
