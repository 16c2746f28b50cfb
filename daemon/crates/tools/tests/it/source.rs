//! Skeletons and hot paths: which parts of a text are shown, how much of it, and never text that is not in the version.

use crate::common::World;
use serde_json::{Value, json};

const TS: &str = r#"//- /real/auth.ts
import { db } from "./db";

/** Checks tokens. */
export class Auth {
    private cache = new Map<string, string>();

    /** Looks at one. */
    async validate(token: string, strict = true): Promise<boolean> {
        const known = this.cache.get(token);
        if (known) {
            return true;
        } else {
            log("unknown");
        }
        for (const part of token.split(".")) {
            // tokenExpiry is checked here
            if (expired(part, tokenExpiry)) return false;
        }
        try {
            await db.find(token);
        } catch (error) {
            throw new Error("no");
        }
        return false;
    }
}

function helper(a: number) {
    const password = "hunter2hunter2";
    return a + 1;
}

export const LIMIT = 5;
"#;

const PY: &str = "//- /real/tool.py
import os

class Tool:
    \"\"\"A tool.\"\"\"

    def run(self, name, times=3):
        \"\"\"Runs it.\"\"\"
        total = 0
        for i in range(times):
            if i > 2:
                total += self.one(name)
        with open(name) as file:
            total += 1
        return total

    @property
    def _hidden(self):
        return 1
";

fn world() -> World {
    let world = World::empty();
    world.repo.write(TS);
    world.repo.write(PY);
    world
}

fn id(world: &World, name: &str) -> String {
    let found = world.ok("sdl_symbol_search", json!({"query": name, "exact": true}));
    found["results"][0]["symbolId"].as_str().unwrap().to_owned()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

#[test]
fn a_skeleton_has_signatures_and_control_flow_alone() {
    let world = world();
    let answer = world.ok("sdl_code_getSkeleton", json!({"symbolId": id(&world, "validate")}));
    assert_eq!(
        text(&answer, "skeleton"),
        "    async validate(token: string, strict = true): Promise<boolean> {
        /* ... */
        if (known) {
            /* ... */
        } else {
            /* ... */
        }
        for (const part of token.split(\".\")) {
            if (expired(part, tokenExpiry)) /* ... */
        }
        try {
            /* ... */
        } catch (error) {
            /* ... */
        }
        /* ... */
    }"
    );
    assert_eq!(answer["range"]["startLine"], 7);
    assert_eq!((&answer["truncated"], &answer["originalLines"]), (&json!(false), &json!(19)));
    assert_eq!(answer["estimatedTokens"], sdl_tokens::count_tokens(text(&answer, "skeleton")));
    let python = world.ok("sdl_code_getSkeleton", json!({"symbolId": id(&world, "run")}));
    assert_eq!(
        text(&python, "skeleton"),
        "    def run(self, name, times=3):
        /* ... */
        for i in range(times):
            if i > 2:
                /* ... */
        with open(name) as file:
            /* ... */
        /* ... */"
    );
}

#[test]
fn a_file_is_shown_whole_or_only_what_it_exports_page_by_page() {
    let world = world();
    let whole = world.ok("sdl_code_getSkeleton", json!({"file": "real/auth.ts"}));
    assert!(text(&whole, "skeleton").contains("function helper(a: number) {"), "{whole:#}");
    let exported = world.ok("sdl_code_getSkeleton", json!({"file": "./real/auth.ts", "exportedOnly": true}));
    let shown = text(&exported, "skeleton");
    assert!(!shown.contains("helper") && shown.contains("export const LIMIT = 5;"), "{shown}");
    let mut pages = Vec::new();
    let mut offset = 0;
    loop {
        let page = world.ok(
            "sdl_code_getSkeleton",
            json!({"file": "real/auth.ts", "maxLines": 4, "skeletonOffset": offset}),
        );
        pages.push(text(&page, "skeleton").to_owned());
        assert_eq!(page["truncated"], page.get("truncation").is_some());
        if page["truncated"] == false {
            break;
        }
        offset = page["truncation"]["skeletonOffset"].as_u64().unwrap();
    }
    assert_eq!(pages.join("\n"), text(&whole, "skeleton"));
    let marked = world.ok(
        "sdl_code_getSkeleton",
        json!({"file": "real/auth.ts", "identifiersToFind": ["cache", "hunter2hunter2"]}),
    );
    assert!(text(&marked, "skeleton").contains("this.cache.get(token); /* <- cache */"), "{marked:#}");
    // A note repeats the caller's own word; the source must not.
    assert!(!text(&marked, "skeleton").contains("hunter2"), "{marked:#}");
}

#[test]
fn every_branch_and_closure_is_in_a_skeleton() {
    let world = world();
    world.repo.write(
        "//- /real/sched.go
package sched

type Shape interface {
\t// Area is the surface.
\tArea() float64
}

func run(kind int, queue chan int) error {
\tdefer func() {
\t\tif err := recover(); err != nil {
\t\t\tlog.Printf(\"recovered: %v\", err)
\t\t}
\t}()
\tswitch kind {
\tcase first, second:
\t\treturn process(kind, queue)
\tdefault:
\t\tif kind > limit {
\t\t\treturn errors.New(\"too large\")
\t\t} else {
\t\t\tlog.Printf(\"kind %d\", kind)
\t\t}
\t}
\tselect {
\tcase value := <-queue:
\t\tlog.Printf(\"value %d\", value)
\tdefault:
\t}
\treturn nil
}
",
    );
    let answer = world.ok("sdl_code_getSkeleton", json!({"file": "real/sched.go"}));
    assert_eq!(
        text(&answer, "skeleton"),
        "package sched
type Shape interface {
\tArea() float64
}
func run(kind int, queue chan int) error {
\tdefer func() {
\t\tif err := recover(); err != nil {
\t\t\t/* ... */
\t\t}
\t}()
\tswitch kind {
\tcase first, second:
\t\t/* ... */
\tdefault:
\t\tif kind > limit {
\t\t\t/* ... */
\t\t} else {
\t\t\t/* ... */
\t\t}
\t}
\tselect {
\tcase value := <-queue:
\t\t/* ... */
\tdefault:
\t}
\t/* ... */
}"
    );
    let method = world.ok("sdl_code_getSkeleton", json!({"symbolId": id(&world, "Area")}));
    assert_eq!(text(&method, "skeleton"), "\tArea() float64");
}

#[test]
fn a_script_is_not_served_through_its_skeleton() {
    let world = world();
    let steps: String = (0..60)
        .map(|n| {
            format!(
                "step_{n} = transform(step_{}, weight=\"w{n}\")\nprint(step_{n}, \"done\")\n",
                n.max(1) - 1
            )
        })
        .collect();
    world.repo.write(&format!("//- /real/script.py\nimport os\nLIMIT = 5\n{steps}"));
    let answer = world.ok("sdl_code_getSkeleton", json!({"file": "real/script.py"}));
    let shown = text(&answer, "skeleton");
    assert!(shown.starts_with("import os\nLIMIT = 5\n"), "{shown}");
    assert!(!shown.contains("weight") && !shown.contains("print"), "{shown}");
}

#[test]
fn a_part_of_a_line_is_shown_alone() {
    let world = world();
    world.repo.write("//- /real/line.java\nclass Line { int first() { return count(1, 2); } int second() { return count(3, 4); } }\n");
    let answer = world.ok("sdl_code_getSkeleton", json!({"symbolId": id(&world, "second")}));
    assert_eq!(text(&answer, "skeleton"), "int second() { /* ... */ }");
}

#[test]
fn a_skeleton_keeps_to_its_budget() {
    let world = world();
    for most in [150, 200, 300, 500] {
        let page = world.ok("sdl_code_getSkeleton", json!({"file": "real/auth.ts", "maxTokens": most}));
        assert!(sdl_tokens::count_tokens(&page.to_string()) <= most, "{most}");
    }
    let error = world.err("sdl_code_getSkeleton", json!({"file": "real/auth.ts", "maxTokens": 5}));
    assert_eq!((&error["code"], &error["field"]), (&json!("invalidArgument"), &json!("maxTokens")));
    let needed = error["needed"].as_u64().unwrap();
    world.ok("sdl_code_getSkeleton", json!({"file": "real/auth.ts", "maxTokens": needed}));
}

#[test]
fn a_hot_path_is_the_lines_around_the_identifiers() {
    let world = world();
    let args = json!({"symbolId": id(&world, "validate"), "identifiersToFind": ["cache", "tokenExpiry", "nowhere"], "contextLines": 0});
    let answer = world.ok("sdl_code_getHotPath", args);
    assert_eq!(
        text(&answer, "excerpt"),
        " 9|         const known = this.cache.get(token);
  |         /* ... 7 lines ... */
17|             if (expired(part, tokenExpiry)) return false;"
    );
    assert_eq!(answer["matchedIdentifiers"], json!(["cache", "tokenExpiry"]));
    assert_eq!(answer["matchedLineNumbers"], json!([9, 17]), "not in comments");
    assert_eq!(answer["range"]["startCol"], 4);
    let args = json!({"symbolId": id(&world, "validate"), "identifiersToFind": ["nowhere"]});
    let none = world.ok("sdl_code_getHotPath", args);
    assert_eq!((text(&none, "excerpt"), &none["matchedIdentifiers"]), ("", &json!([])));
    let args = json!({"symbolId": id(&world, "validate"), "identifiersToFind": ["token"], "maxLines": 3});
    let cut = world.ok("sdl_code_getHotPath", args);
    assert_eq!(cut["truncated"], true);
    assert!(!cut["truncation"]["droppedLineNumbers"].as_array().unwrap().is_empty(), "{cut:#}");
}

#[test]
fn text_that_is_not_the_versions_is_never_served() {
    let world = world();
    let args = json!({"file": "real/auth.ts"});
    let whole = world.ok("sdl_code_getSkeleton", args.clone());
    // Try once more, after another barrier, and all is well.
    world.repo.moved.lock().unwrap().push("changed".into());
    assert_eq!(world.ok("sdl_code_getSkeleton", args.clone()), whole);
    let before = world.repo.barriers.load(std::sync::atomic::Ordering::SeqCst);
    world.repo.moved.lock().unwrap().extend(["changed".into(), "again".into()]);
    assert_eq!(world.err("sdl_code_getSkeleton", args)["code"], "sourceMoved");
    assert_eq!(world.repo.barriers.load(std::sync::atomic::Ordering::SeqCst) - before, 2);
}

#[test]
fn secrets_and_their_files_stay_here() {
    let world = world();
    world.repo.write(
        "//- /real/id_rsa.py\ndef key(): pass\n//- /real/secrets.json\n{}\n//- /real/.env.py\nx = 1\n",
    );
    let helper = id(&world, "helper");
    let hot = json!({"symbolId": helper, "identifiersToFind": ["password", "hunter2hunter2"]});
    let answer = world.ok("sdl_code_getHotPath", hot);
    assert!(text(&answer, "excerpt").contains("const password = \"***\";"), "{answer:#}");
    assert_eq!(answer["matchedIdentifiers"], json!(["password"]));
    assert_eq!(world.err("sdl_code_getSkeleton", json!({"file": "real/.env.py"}))["code"], "denied");
    for (args, code) in [
        (json!({"file": "nowhere.ts"}), "unknownPath"),
        (json!({"file": "../etc/passwd"}), "unknownPath"),
        (json!({"file": "/etc/passwd"}), "unknownPath"),
        (json!({}), "missingField"),
        (json!({"file": "real/auth.ts", "symbolId": helper}), "invalidArgument"),
        (json!({"file": "real/auth.ts", "skeletonOffset": 1_000}), "invalidArgument"),
    ] {
        assert_eq!(world.err("sdl_code_getSkeleton", args.clone())["code"], code, "{args}");
    }
}

/// A file of that many functions' worth of lines, each with a name of its own.
fn long(lines: usize) -> String {
    let mut text =
        "//- /real/long.py\nimport os\n\ndef long(items):\n    \"\"\"Needle in a haystack.\"\"\"\n"
            .to_owned();
    for i in 0..lines {
        text.push_str(&format!("    needle_{i} = thread(items, 'needle', {i})  # needle\n"));
    }
    text.push_str("    return needle\n");
    text
}

fn excerpt_lines(answer: &Value) -> usize {
    text(answer, "excerpt")
        .lines()
        .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        .count()
}

#[test]
fn a_hot_path_is_no_way_around_the_policy() {
    let world = World::empty();
    world.repo.write(&long(600));
    let found = world.ok("sdl_symbol_search", json!({"query": "long", "kinds": ["module"]}));
    let (file, long) = (found["results"][0]["symbolId"].as_str().unwrap().to_owned(), id(&world, "long"));
    let all = ["import", "def", "return", "thread", "items", "os"];
    for symbol in [&file, &long] {
        let before = world.rows();
        let args = json!({"symbolId": symbol, "identifiersToFind": all, "contextLines": 1_000,
            "maxLines": 100_000, "maxTokens": 20_000});
        let answer = world.ok("sdl_code_getHotPath", args);
        assert!(excerpt_lines(&answer) <= 180 && answer["truncated"] == true, "{answer:#}");
        assert!(sdl_tokens::count_tokens(&answer.to_string()) <= 1_400, "{answer:#}");
        let limits = answer["capped"]["limits"].to_string();
        assert!(limits.contains("maxLines is 180") && limits.contains("maxTokens is 1400"), "{limits}");
        // Every line matches: context cut nothing.
        assert!(!limits.contains("contextLines"), "{limits}");
        assert_eq!(world.rows(), before + 1);
        let row = world.shown(1).remove(0);
        assert_eq!(
            (row.action.as_str(), row.details["lines"].as_u64()),
            ("code.getHotPath", Some(excerpt_lines(&answer) as u64))
        );
        assert!(row.details["symbolId"] == **symbol && row.details["file"] == "real/long.py", "{row:?}");
    }
    let one = json!({"symbolId": file, "identifiersToFind": ["needle_0"], "contextLines": 1_000});
    let around = world.ok("sdl_code_getHotPath", one);
    assert_eq!(around["capped"]["limits"], json!(["contextLines is 10, not 1000"]), "{around:#}");
    // Words in strings and comments are no identifiers, and neither are keywords: nothing shown, no row.
    let before = world.rows();
    let none = world.ok(
        "sdl_code_getHotPath",
        json!({"symbolId": long, "identifiersToFind": ["haystack", "def", "return"]}),
    );
    assert_eq!((text(&none, "excerpt"), &none["matchedIdentifiers"]), ("", &json!([])));
    assert!(none["notes"].to_string().contains("def, return"), "{none:#}");
    assert_eq!(world.rows(), before);
}

#[test]
fn most_of_a_symbol_is_decided_on_as_a_window() {
    let world = World::empty();
    world.repo.write(&long(30));
    let symbol = id(&world, "long");
    let ask = || {
        world.ok(
            "sdl_code_getHotPath",
            json!({"symbolId": symbol, "identifiersToFind": ["thread"], "contextLines": 0}),
        )
    };
    let part = ask();
    assert_eq!(excerpt_lines(&part), 16, "half of the symbol: {part:#}");
    assert!(part["capped"].to_string().contains("no current slice"), "{part:#}");
    assert_eq!(world.shown(1)[0].decision, "downgraded");
    world.ok("sdl_slice_build", json!({"entrySymbols": [symbol], "budget": {"maxCards": 1}}));
    let whole = ask();
    assert!(excerpt_lines(&whole) == 30 && whole.get("capped").is_none(), "{whole:#}");
    assert_eq!(world.shown(1)[0].decision, "approved");
}

#[test]
fn a_short_excerpt_is_spread_over_the_matches() {
    let world = World::empty();
    world.repo.write(&long(60));
    let wanted = ["needle_3", "needle_30", "needle_50"];
    let args = json!({"symbolId": id(&world, "long"), "identifiersToFind": wanted, "contextLines": 5, "maxLines": 8});
    let answer = world.ok("sdl_code_getHotPath", args);
    assert_eq!(answer["matchedLineNumbers"], json!([8, 35, 55]), "{answer:#}");
    assert!(text(&answer, "excerpt").lines().count() <= 8);
    assert!(text(&answer, "excerpt").contains("lines ... */"), "{answer:#}");
}

#[test]
fn marked_lines_and_shapes_that_are_the_source_leave_a_row() {
    let world = world();
    let rows = |args: Value| {
        let before = world.rows();
        world.ok("sdl_code_getSkeleton", args);
        world.rows() - before
    };
    assert_eq!(rows(json!({"file": "real/auth.ts"})), 0);
    assert_eq!(rows(json!({"file": "real/auth.ts", "identifiersToFind": ["cache"]})), 1);
    let mut types = "//- /real/types.ts\n".to_owned();
    for i in 0..300 {
        types.push_str(&format!("export type Name{i} = string;\n"));
    }
    world.repo.write(&types);
    assert_eq!(rows(json!({"file": "real/types.ts", "maxTokens": 20_000})), 1);
    let shown = world.ok("sdl_code_getSkeleton", json!({"file": "real/types.ts", "maxTokens": 20_000}));
    assert!(text(&shown, "skeleton").lines().count() <= 180 && shown["truncated"] == true);
}

#[test]
fn an_assembly_leaves_a_row_for_each_piece_of_source() {
    let world = world();
    let before = world.rows();
    let args = json!({"taskText": "validate a token with the cache", "taskType": "debug", "budget": {"maxTokens": 6_000}});
    let answer = world.ok("sdl_agent_orchestrate", args);
    let evidence = answer["evidence"].as_array().unwrap();
    let raw = evidence.iter().filter(|piece| piece["kind"] == "source" || piece["kind"] == "hotPath").count()
        as u64;
    assert!(raw > 0 && world.rows() - before >= raw, "{answer:#}");
    let rows = world.shown(raw as usize);
    assert!(rows.iter().all(|row| row.action == "agent.orchestrate"));
    assert!(
        rows.iter()
            .all(|row| row.details["reason"] == "validate a token with the cache" && !row.why.is_empty())
    );
}
