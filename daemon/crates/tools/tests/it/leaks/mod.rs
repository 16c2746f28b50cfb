//! No secret byte and no line that was not approved is in any answer, whichever action and whichever way it comes from.

mod oracle;
mod plants;
mod requests;

use crate::common::World;
use oracle::{Allowed, Oracle, is_of_a_body, masked_id};
use plants::Planted;
use requests::{Known, Rng};
use sdl_tools::{Cancel, MethodRequest, NoProgress};
use serde_json::{Value, json};

/// One repository with everything planted, and the requests that fit it.
struct Bed {
    world: World,
    known: Known,
    oracle: Oracle,
    planted: Planted,
}

fn bed() -> Bed {
    let planted = Planted::new();
    let world = World::empty();
    world.raise_ceiling(json!({}));
    let mut versions = vec!["latest".to_owned(), "previous".to_owned()];
    let mut slices = Vec::new();
    let mut spills = Vec::new();
    let mut symbols = Vec::new();
    for fixture in &planted.versions {
        versions.push(world.repo.write(fixture).to_string());
        symbols = every_symbol(&world);
        let budget = json!({"maxCards": 4, "maxEstimatedTokens": 1_500});
        let built = world.ok("sdl_slice_build", json!({"entrySymbols": symbols, "budget": budget}));
        slices.push(built["sliceHandle"].as_str().unwrap().to_owned());
        spills.extend(built["truncation"]["spilloverHandle"].as_str().map(str::to_owned));
    }
    assert!(symbols.len() > 40 && spills.len() == 2, "{} symbols, {spills:?}", symbols.len());
    let files: Vec<String> =
        planted.files(1).into_keys().chain(["../etc/passwd".into(), "real/src".into()]).collect();
    // Texts written by agents may contain secrets too.
    let (token, word) = (&planted.token, &planted.likely[0]);
    let content = format!("Use {token} with password: {word} there");
    world.ok(
        "sdl_memory_store",
        json!({"type": "note", "title": content, "content": content, "symbolIds": [symbols[0]]}),
    );
    let feedback =
        json!({"sliceHandle": slices[0], "usefulSymbols": [symbols[0]], "rating": 3, "taskText": content});
    world.ok("sdl_agent_feedback", feedback);
    let mut outputs = Vec::new();
    if cfg!(unix) {
        world.allow(r#"{"enabled": true, "executables": ["echo"]}"#);
        let said = format!("a\nb {content}\nc password='{word}'");
        let ran = world
            .ok("sdl_runtime_execute", json!({"executable": "echo", "args": [said], "outputMode": "full"}));
        assert!(ran["digest"].as_str().unwrap().contains("b Use ***"), "{ran:#}");
        outputs.push(ran["artifactHandle"].as_str().unwrap().to_owned());
    }
    outputs.push("art_0123456789abc".to_owned());
    let known = Known { symbols, files, versions, slices, spills, outputs };
    Bed { known, oracle: Oracle::new(&planted, 1), world, planted }
}

/// Returns the text around it, for whoever has to fix this.
fn around(text: &str, what: &str) -> String {
    let at = text.find(what).unwrap_or_default();
    let before: String = text[..at].chars().rev().take(120).collect();
    let before: String = before.chars().rev().collect();
    before + &text[at..].chars().take(120).collect::<String>()
}

fn every_symbol(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    let mut args = json!({"query": ".", "regex": true, "limit": 200});
    loop {
        let page = world.ok("sdl_symbol_search", args.clone());
        found.extend(
            page["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| hit["symbolId"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["cursor"].as_str() else { return found };
        args["cursor"] = json!(cursor);
    }
}

impl Bed {
    fn policy(&self, rng: &mut Rng) -> Value {
        let patch = json!({"allowBreakGlass": rng.coin(), "requireIdentifiers": rng.coin(), "defaultDenyRaw": rng.coin(),
            "redactSecrets": rng.below(4) != 0, "maxWindowLines": 1 + rng.below(40), "maxWindowTokens": 500 + rng.below(2_500),
            "utilityThreshold": rng.below(101) as f64 / 100.0});
        self.world.ok("sdl_policy_set", json!({ "policyPatch": patch }));
        self.world.ok("sdl_policy_get", json!({}))["policy"].clone()
    }

    /// Sends one request. The error says what is wrong with its answer.
    fn try_one(&self, rng: &mut Rng, policy: &Value) -> Result<u64, String> {
        let (action, args) = self.known.call(rng);
        let (tool, sent) = self.known.way(rng, (action, &args));
        let before = self.rows();
        let result = self.world.raw(&tool, &sent.to_string());
        let fail = |why: String| Err(format!("{why}\n{tool} {sent}\n{policy}\n{result:#}"));
        let redacts = policy["redactSecrets"] == true;
        if let Some(secret) = self.oracle.secret(&result.to_string(), redacts) {
            return fail(format!("{secret} leaves: {}", around(&result.to_string(), secret)));
        }
        if let Some(id) = masked_id(&result["structuredContent"]) {
            return fail(format!("an id is masked: {id}"));
        }
        let written = self.rows() - before;
        let (mut least, mut most) = (0, 0);
        let whole = &result["structuredContent"];
        let answers: Vec<(&str, &Value)> = match whole["steps"].as_array() {
            Some(steps) => steps
                .iter()
                .filter_map(|step| {
                    Some((step["action"].as_str()?, step.get("result").or_else(|| step.get("error"))?))
                })
                .collect(),
            None => vec![(action, whole)],
        };
        let complete =
            whole["steps"].as_array().is_none_or(|steps| steps.iter().all(|step| step["omitted"] != true));
        for (action, answer) in answers {
            match self.judge(action, answer, policy, whole["steps"].is_null().then_some(&args)) {
                Ok(rows) => (least, most) = (least + rows.start(), most + rows.end()),
                Err(why) => return fail(why),
            }
        }
        // A chain may omit the results of steps that made decisions.
        if written < least || complete && written > most {
            return fail(format!("{least} to {most} decisions are {written} rows"));
        }
        Ok(written)
    }

    /// Checks that an action's answer shows only what it may. Returns how many decisions it may have logged.
    fn judge(
        &self,
        action: &str,
        answer: &Value,
        policy: &Value,
        args: Option<&Value>,
    ) -> Result<std::ops::RangeInclusive<u64>, String> {
        let text = |key: &str| answer[key].as_str().unwrap_or_default();
        let number = |key: &str| answer["range"][key].as_u64().unwrap_or(0);
        let allowed = |shape, joined| Allowed {
            file: self.real_path(text("file")),
            first: number("startLine"),
            last: number("endLine"),
            shape,
            joined,
        };
        let failed = answer.get("code").is_some() && answer.get("message").is_some();
        let refused = u64::from(failed && answer["code"] == "denied" && action.starts_with("code."));
        if failed {
            return Ok(refused..=refused);
        }
        match action {
            "code.needWindow" => {
                if answer["approved"] == false {
                    if ["code", "range", "file"].iter().any(|key| answer.get(*key).is_some()) {
                        return Err("a denial shows something".into());
                    }
                    if let Some(args) = args {
                        self.follow(answer, args)?;
                    }
                    return Ok(1..=1);
                }
                // To a hot path or a skeleton.
                let downgraded = answer.get("downgradedFrom").is_some();
                if let Some(line) = self.oracle.stray(text("code"), &allowed(false, downgraded)) {
                    return Err(format!("not within the approved range: {line:?}"));
                }
                let most = policy["maxWindowLines"].as_u64().unwrap();
                if !downgraded && number("endLine") - number("startLine") >= most {
                    return Err("more lines than the policy allows".into());
                }
                let tokens = sdl_tokens::count_tokens(&answer.to_string()) as u64;
                let asked = args.and_then(|args| args["maxTokens"].as_u64()).unwrap_or(u64::MAX);
                if tokens > policy["maxWindowTokens"].as_u64().unwrap().min(asked) {
                    return Err(format!("{tokens} tokens"));
                }
                Ok(1..=1)
            }
            "code.getSkeleton" => {
                let shape = args.is_some_and(|args| args.get("identifiersToFind").is_none());
                match self.oracle.stray(text("skeleton"), &allowed(shape, true)) {
                    Some(line) => Err(format!("not of the skeleton: {line:?}")),
                    // One row if it shows lines that were looked for, or is barely shorter than the source.
                    None => Ok(0..=1),
                }
            }
            "code.getHotPath" => match self.oracle.stray(text("excerpt"), &allowed(false, false)) {
                Some(line) => Err(format!("not of the hot path: {line:?}")),
                None => {
                    let rows = u64::from(!text("excerpt").is_empty());
                    Ok(rows..=rows)
                }
            },
            // These show lines of bodies, which were looked for.
            "agent.orchestrate" => Ok(0..=answer["evidence"].as_array().map_or(0, Vec::len) as u64),
            "slice.build" if answer["source"].is_array() => {
                let mut cards = answer.clone();
                let source = cards["source"].take();
                let told = cards.to_string();
                let most = source.as_array().map_or(0, Vec::len) as u64;
                if is_of_a_body(&told) { Err("a body leaves".to_owned()) } else { Ok(0..=most) }
            }
            "template" => Ok(0..=0),
            "pr.risk.analyze" => {
                let told = answer.to_string();
                if is_of_a_body(&told) { Err("a body leaves".to_owned()) } else { Ok(1..=1) }
            }
            "policy.set" => Ok(1..=1),
            _ => {
                let told = answer.to_string();
                if is_of_a_body(&told) { Err("a body leaves".to_owned()) } else { Ok(0..=0) }
            }
        }
    }

    /// Returns the real path of a masked one.
    fn real_path(&self, shown: &str) -> String {
        match shown.split_once("***") {
            None => shown.to_owned(),
            Some((begin, _)) => {
                self.known.files.iter().find(|file| file.starts_with(begin)).cloned().unwrap_or_default()
            }
        }
    }

    /// Checks that the call that a denial offers works as it is.
    fn follow(&self, denial: &Value, args: &Value) -> Result<(), String> {
        let next = &denial["nextBestAction"];
        let followed = self.world.raw(next["tool"].as_str().unwrap_or_default(), &next["args"].to_string());
        let suggested = denial.get("suggestedNextRequest").map(|request| {
            let asked = self.world.raw("sdl_code_needWindow", &request.to_string());
            (asked["isError"] == false, asked)
        });
        if followed["isError"] != false {
            return Err(format!("{next} of a denial of {args}: {followed:#}"));
        }
        match suggested {
            Some((false, asked)) => Err(format!("what a denial of {args} suggests: {asked:#}")),
            _ => Ok(()),
        }
    }

    fn rows(&self) -> u64 {
        self.world.rows()
    }
}

/// Sends random requests to every action, by every way, under random policies. `SDL_WINDOW_CASES` sets how many: two
/// thousand take seconds, and 100,000 need an optimized build.
#[test]
fn no_secret_or_denied_byte_leaves_whatever_is_asked() {
    let cases: u64 = std::env::var("SDL_WINDOW_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8) as u64;
    let started = std::time::Instant::now();
    let decisions: u64 = std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || run(thread, cases.div_ceil(threads)))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    println!("{cases} requests with {decisions} decisions in {:?}", started.elapsed());
    assert!(decisions > cases / 5);
}

fn run(thread: u64, cases: u64) -> u64 {
    let bed = bed();
    let mut rng = Rng(0x5d1_0000 + thread);
    let mut policy = bed.policy(&mut rng);
    let mut decisions = 0;
    for case in 0..cases {
        if rng.below(20) == 0 {
            policy = bed.policy(&mut rng);
        }
        match bed.try_one(&mut rng, &policy) {
            Ok(made) => decisions += made,
            Err(why) => panic!("case {case} of thread {thread}: {why}"),
        }
    }
    let found = bed.world.verified();
    assert!(found.ok, "{found:?}");
    decisions
}

/// Collects every answer of the actions that show symbols, for every symbol and in every form.
fn sweep(bed: &Bed) -> Vec<String> {
    let mut told = Vec::new();
    let mut ask = |tool: &str, args: Value| {
        let result = bed.world.raw(tool, &args.to_string());
        let next = result["structuredContent"]["cursor"].as_str().map(str::to_owned);
        told.push(format!("{tool} {result}"));
        next
    };
    for symbol in &bed.known.symbols {
        for detail in ["minimal", "signature", "deps", "compact", "full"] {
            ask("sdl_symbol_getCard", json!({"symbolId": symbol, "detail": detail}));
        }
        ask("sdl_code_getSkeleton", json!({"symbolId": symbol}));
        let wanted = ["token", "password", "secret", "items", "user", "return"];
        ask(
            "sdl_code_getHotPath",
            json!({"symbolId": symbol, "identifiersToFind": wanted, "contextLines": 20}),
        );
        ask(
            "sdl_code_needWindow",
            json!({"symbolId": symbol, "reason": "look", "expectedLines": 50, "identifiersToFind": wanted, "granularity": "fileWindow"}),
        );
    }
    for file in &bed.known.files {
        ask("sdl_code_getSkeleton", json!({"file": file}));
        for format in ["markdown", "json", "clipboard"] {
            ask("sdl_context_summary", json!({"query": file, "scope": "file", "format": format}));
        }
    }
    for version in 1..=3 {
        for format in ["standard", "compact"] {
            let budget = json!({"maxCards": 200, "maxEstimatedTokens": 18_000});
            let mut args = json!({"entrySymbols": bed.known.symbols, "wireFormat": format, "budget": budget, "cardDetail": "full"});
            if format == "compact" {
                args["wireFormatVersion"] = json!(version);
            }
            ask("sdl_slice_build", args);
        }
    }
    for task in ["debug", "review", "implement", "explain"] {
        let budget = json!({"maxTokens": 18_000});
        ask(
            "sdl_agent_orchestrate",
            json!({"taskText": "deploy check connect open", "taskType": task, "budget": budget}),
        );
    }
    let [from, to] = [&bed.known.versions[2], &bed.known.versions[3]];
    ask(
        "sdl_delta_get",
        json!({"fromVersion": from, "toVersion": to, "budget": {"maxEstimatedTokens": 18_000}}),
    );
    ask("sdl_pr_risk_analyze", json!({"fromVersion": from, "toVersion": to}));
    ask("sdl_slice_refresh", json!({"sliceHandle": bed.known.slices[0], "knownVersion": from}));
    for spill in &bed.known.spills {
        ask("sdl_slice_spillover_get", json!({"spilloverHandle": spill, "pageSize": 100}));
    }
    for tool in ["sdl_memory_query", "sdl_memory_surface", "sdl_agent_feedback_query", "sdl_info"] {
        ask(tool, json!({}));
    }
    ask("sdl_repo_overview", json!({"level": "full"}));
    ask("sdl_repo_status", json!({"detail": "full", "surfaceMemories": true}));
    ask("sdl_runtime_queryOutput", json!({"artifactHandle": bed.known.outputs[0]}));
    let mut search = json!({"query": ".", "regex": true, "limit": 50});
    while let Some(cursor) = ask("sdl_symbol_search", search.clone()) {
        search["cursor"] = json!(cursor);
    }
    let session = &bed.world.session;
    let mut protocol = |method: &str, params: Value| {
        let answer = bed.world.tools.protocol(
            session,
            &MethodRequest::new(method, params.to_string().as_bytes()),
            &NoProgress,
            &Cancel::new(),
        );
        told.push(match answer {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("{} {:?}", error.message, error.details),
        });
    };
    for symbol in &bed.known.symbols {
        protocol("resources/read", json!({"uri": format!("sdl://shop/symbol/{symbol}")}));
    }
    protocol("resources/read", json!({"uri": format!("sdl://shop/slice/{}", bed.known.slices[0])}));
    let said = format!("Use {} with password: {} there", bed.planted.token, bed.planted.likely[0]);
    protocol("prompts/get", json!({"name": "debug", "arguments": {"task": said, "symbol": said}}));
    protocol("prompts/get", json!({"name": said}));
    protocol("prompts/get", json!({"name": "debug", "arguments": {"task": "a", said.clone(): "b"}}));
    protocol("resources/read", json!({"uri": format!("sdl://shop/{said}")}));
    protocol(&said, json!({}));
    for begun in ["g", "ghp_", "d", "c"] {
        let argument = json!({"name": "symbol", "value": begun});
        protocol(
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "debug"}, "argument": argument}),
        );
    }
    told
}

#[test]
fn secrets_are_masked_in_every_form_and_shown_where_the_policy_says_so() {
    let bed = bed();
    for told in sweep(&bed) {
        let secret = bed.oracle.secret(&told, true);
        assert!(secret.is_none(), "{secret:?}: {} of {told}", around(&told, secret.unwrap_or_default()));
    }
    let patch = json!({"redactSecrets": false, "defaultDenyRaw": false, "maxWindowTokens": 5_000});
    bed.world.ok("sdl_policy_set", json!({ "policyPatch": patch }));
    let all = sweep(&bed).join("\n");
    assert_eq!(bed.oracle.secret(&all, false), None);
    // The planted files are within reach: it was the policy that protected them.
    let newest = bed.planted.likely.len() / 2;
    let hidden: Vec<&String> =
        bed.planted.likely[newest..].iter().filter(|mark| !all.contains(*mark)).collect();
    assert!(hidden.len() * 5 < newest, "{hidden:?} of {newest} were never shown");
}

#[test]
fn what_stays_unmasked_is_what_agents_need() {
    let world = World::shop();
    for (tool, args) in [
        ("sdl_manual", json!({"detail": "full"})),
        ("sdl_action_search", json!({"query": "token secret password policy"})),
        ("sdl_info", json!({})),
        ("sdl_policy_get", json!({})),
        ("sdl_slice_build", json!({"taskText": "validate a token"})),
        ("sdl_agent_orchestrate", json!({"taskText": "validate a token", "budget": {"maxTokens": 6_000}})),
        ("sdl_symbol_search", json!({"query": "token"})),
        ("sdl_symbol_getCard", json!({"symbolRef": {"name": "tokens"}})),
    ] {
        let result = world.raw(tool, &args.to_string());
        assert!(!result.to_string().contains("***"), "{tool}: {result:#}");
    }
}
