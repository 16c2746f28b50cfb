//! Random requests to every action that can tell something of a repository.

use serde_json::{Value, json};

/// Numbers that are the same in every run.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = self.below(all.len() as u64) as usize;
        &all[at]
    }
}

/// The parts that requests are made of.
pub(crate) struct Known {
    pub(crate) symbols: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) versions: Vec<String>,
    pub(crate) slices: Vec<String>,
    pub(crate) spills: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

const WORDS: [&str; 24] = [
    "if",
    "token",
    "password",
    "deploy",
    "secret",
    "zq_body_1",
    "zq_body_5",
    "items",
    "nowhere",
    "apiKey",
    "return",
    "Vault",
    "check",
    "ghp_",
    "AKIA",
    "Lk0",
    "orchid",
    "violet",
    "total",
    "raise",
    "",
    " ",
    "***",
    "PRIVATE",
];

const DETAILS: [&str; 5] = ["minimal", "signature", "deps", "compact", "full"];

fn words(rng: &mut Rng, most: u64) -> Vec<&'static str> {
    (0..rng.below(most + 1)).map(|_| *rng.of(&WORDS)).collect()
}

fn text(rng: &mut Rng) -> String {
    let count = 1 + rng.below(4);
    (0..count).map(|_| *rng.of(&WORDS)).collect::<Vec<_>>().join(" ") + " why"
}

impl Known {
    fn symbol(&self, rng: &mut Rng) -> &str {
        let symbol: &String = rng.of(&self.symbols);
        symbol
    }

    /// A random call of an action, for the most part a valid one.
    pub(crate) fn call(&self, rng: &mut Rng) -> (&'static str, Value) {
        let n = rng.below(100);
        match n {
            0..30 => self.window(rng),
            30..37 => ("code.getSkeleton", self.skeleton(rng)),
            37..43 => (
                "code.getHotPath",
                json!({"symbolId": self.symbol(rng), "identifiersToFind": Self::wanted(rng), "contextLines": rng.below(9)}),
            ),
            43..48 => {
                let detail = *rng.of(&DETAILS);
                (
                    "symbol.getCard",
                    json!({"symbolId": self.symbol(rng), "detail": detail, "includeMemories": rng.coin()}),
                )
            }
            48..52 => {
                let ids: Vec<&str> = (0..=rng.below(8)).map(|_| rng.of(&self.symbols).as_str()).collect();
                ("symbol.getCards", json!({"symbolIds": ids, "detail": rng.of(&DETAILS)}))
            }
            52..57 => ("symbol.search", Self::search(rng)),
            57..62 => ("slice.build", self.slice(rng)),
            62..64 => (
                "slice.refresh",
                json!({"sliceHandle": rng.of(&self.slices), "knownVersion": rng.of(&self.versions)}),
            ),
            64..66 => (
                "slice.spillover.get",
                json!({"spilloverHandle": rng.of(&self.spills), "pageSize": 1 + rng.below(9)}),
            ),
            66..69 => {
                let (from, to) = (rng.of(&self.versions), rng.of(&self.versions));
                ("delta.get", json!({"fromVersion": from, "toVersion": to}))
            }
            69..71 => {
                let (from, to) = (rng.of(&self.versions), rng.of(&self.versions));
                ("pr.risk.analyze", json!({"fromVersion": from, "toVersion": to}))
            }
            71..75 => {
                let query = if rng.coin() { text(rng) } else { rng.of(&self.files).clone() };
                let format = *rng.of(&["markdown", "json", "clipboard"]);
                (
                    "context.summary",
                    json!({"query": query, "format": format, "budget": 400 + rng.below(3_000)}),
                )
            }
            75..79 => {
                let budget = json!({"maxTokens": 800 + rng.below(6_000)});
                (
                    "agent.orchestrate",
                    json!({"taskText": text(rng), "budget": budget, "focusPaths": self.paths(rng)}),
                )
            }
            79..81 => ("repo.overview", json!({"level": rng.of(&["stats", "directories", "full"])})),
            81..83 => {
                ("memory.query", json!({"query": text(rng), "sortBy": rng.of(&["relevance", "recency"])}))
            }
            83 => ("memory.surface", json!({"symbolIds": [self.symbol(rng)]})),
            84 => ("agent.feedback.query", json!({"limit": 5})),
            85..87 => (
                "runtime.queryOutput",
                json!({"artifactHandle": rng.of(&self.outputs), "queryTerms": ["a"], "lines": {"from": 1 + rng.below(4)}}),
            ),
            87 => ("usage.stats", json!({"scope": rng.of(&["session", "repo", "all"])})),
            88 => ("repo.status", json!({"detail": "full", "surfaceMemories": true})),
            89 => ("policy.get", json!({})),
            90 => ("info", json!({})),
            91 => ("action.search", json!({"query": text(rng)})),
            92 => ("manual", json!({"query": text(rng)})),
            _ => self.wrong(rng),
        }
    }

    /// Requests that are refused, and say why.
    fn wrong(&self, rng: &mut Rng) -> (&'static str, Value) {
        let file = rng.of(&self.files).clone();
        match rng.below(7) {
            0 => ("code.getSkeleton", json!({"file": format!("{file}x")})),
            1 => ("code.getSkeleton", json!({"file": file, "skeletonOffset": 100_000})),
            2 => ("symbol.getCard", json!({"symbolRef": {"name": "open", "file": file}})),
            3 => ("symbol.getCard", json!({"symbolRef": {"name": rng.of(&WORDS)}})),
            4 => {
                ("symbol.getCards", json!({"symbolRefs": [{"name": "open"}, {"name": "tool", "file": file}]}))
            }
            5 => (
                "code.getHotPath",
                json!({"symbolId": self.symbol(rng), "identifiersToFind": [], "unknownField": file}),
            ),
            _ => (
                "agent.orchestrate",
                json!({"taskText": "x", "budget": {"maxTokens": 1}, "focusPaths": [file]}),
            ),
        }
    }

    fn wanted(rng: &mut Rng) -> Vec<&'static str> {
        let mut words = words(rng, 3);
        words.push(*rng.of(&WORDS));
        words
    }

    fn paths(&self, rng: &mut Rng) -> Vec<String> {
        (0..rng.below(3)).map(|_| rng.of(&self.files).clone()).collect()
    }

    fn window(&self, rng: &mut Rng) -> (&'static str, Value) {
        let granularity = *rng.of(&["symbol", "block", "fileWindow"]);
        let symbol = self.symbol(rng);
        let mut args = json!({"symbolId": symbol, "reason": "why not", "expectedLines": 1 + rng.below(300),
            "identifiersToFind": words(rng, 4), "granularity": granularity, "breakGlass": rng.coin()});
        if rng.coin() {
            args["sliceContext"] = json!({"taskText": text(rng), "entrySymbols": [symbol]});
        }
        if rng.coin() {
            args["maxTokens"] = json!(1 + rng.below(3_000));
        }
        ("code.needWindow", args)
    }

    fn skeleton(&self, rng: &mut Rng) -> Value {
        let mut args = json!({"exportedOnly": rng.coin(), "skeletonOffset": rng.below(5)});
        if rng.coin() {
            args["identifiersToFind"] = json!(words(rng, 3));
        }
        if rng.coin() {
            args["symbolId"] = json!(self.symbol(rng));
        } else {
            args["file"] = json!(rng.of(&self.files));
        }
        args
    }

    fn search(rng: &mut Rng) -> Value {
        let regex = rng.coin();
        let query = if regex { "^[a-zA-Z_0-9]*[aeiou].*".to_owned() } else { text(rng) };
        json!({"query": query, "regex": regex, "limit": 1 + rng.below(40), "includeRetrievalEvidence": rng.coin()})
    }

    fn slice(&self, rng: &mut Rng) -> Value {
        let budget = json!({"maxCards": 1 + rng.below(30), "maxEstimatedTokens": 400 + rng.below(6_000)});
        let mut args = json!({"taskText": text(rng), "budget": budget, "cardDetail": rng.of(&DETAILS),
            "includeRetrievalEvidence": rng.coin(), "editedFiles": self.paths(rng)});
        if rng.coin() {
            args["wireFormat"] = json!("compact");
            args["wireFormatVersion"] = json!(1 + rng.below(3));
        }
        if rng.below(4) == 0 {
            args["includeSource"] = json!(true);
        }
        args
    }

    /// The same call through a random way: flat, by gateway, as a payload, as a step of a chain.
    pub(crate) fn way(&self, rng: &mut Rng, (action, args): (&'static str, &Value)) -> (String, Value) {
        let flat = format!("sdl_{}", action.replace('.', "_"));
        match rng.below(8) {
            0 => {
                let gateway = *rng.of(&["sdl_query", "sdl_code", "sdl_repo", "sdl_agent"]);
                (gateway.to_owned(), json!({"action": action, "args": args}))
            }
            1 => {
                let call = json!({"action": action, "args": args});
                ("sdl_agent_raw".to_owned(), json!({"payload": call.to_string()}))
            }
            2 => {
                let (second, more) = self.call(rng);
                let tell = json!({"from": "$0", "text": "token: {file} {symbolId} {name} {message}"});
                let steps = json!([{"action": action, "args": args}, {"action": "template", "args": tell},
                    {"action": second, "args": more}]);
                ("sdl_chain".to_owned(), json!({"steps": steps, "onError": "continue"}))
            }
            _ => (flat, args.clone()),
        }
    }
}
