//! `sdlctl bench` on a truth and tasks that are small enough to count by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::path::{Path, PathBuf};

use sdl_tests::TestEnv;
use serde_json::{Value, json};

const SHOP: &str = r"
//- /shop/cart.py
from shop.tax import rate

def total(items):
    return sum(items) * rate()

def checkout(cart, items):
    cart.lock()
    return total(items)
//- /shop/tax.py
def rate():
    return parse('1.2')

def parse(text):
    return float(text)

def lock():
    return None
";

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// A truth of four pairs, one of which no reader of the source could find.
fn truth(folder: &Path, root: &str) -> PathBuf {
    let corpus = folder.join("py-shop");
    fs::create_dir_all(&corpus).unwrap();
    let def = |file: &str, name: &str, line: u32, end: u32| json!({"file": file, "name": name, "line": line, "start": line, "end": end, "kind": "function"});
    let call = |from: (&str, &str, u32), to: (&str, &str, u32)| {
        json!({"kind": "call", "caller_file": from.0, "caller_name": from.1, "caller_line": from.2,
            "callee_file": to.0, "callee_name": to.1, "callee_line": to.2, "callee_kind": "function"})
    };
    let (cart, tax) = ("shop/cart.py", "shop/tax.py");
    let defs = [
        def(cart, "total", 3, 4),
        def(cart, "checkout", 6, 8),
        def(tax, "rate", 1, 2),
        def(tax, "parse", 4, 5),
        def(tax, "lock", 7, 8),
    ];
    let edges = [
        call((cart, "total", 3), (tax, "rate", 1)),
        call((cart, "checkout", 6), (cart, "total", 3)),
        call((tax, "rate", 1), (tax, "parse", 4)),
        call((tax, "parse", 4), (cart, "total", 3)),
    ];
    let open = [json!({"caller_file": cart, "caller_name": "checkout", "caller_line": 6, "name": "lock"})];
    let meta = json!({"corpus": "py-shop", "lang": "python", "root": format!("{root}/ (all of it)"), "obtain": "mkdir no"});
    fs::write(corpus.join("meta.json"), meta.to_string()).unwrap();
    fs::write(corpus.join("files.txt"), "shop/cart.py\nshop/tax.py\n").unwrap();
    fs::write(corpus.join("defs.jsonl"), lines(&defs)).unwrap();
    fs::write(corpus.join("edges.jsonl"), lines(&edges)).unwrap();
    fs::write(corpus.join("unresolved.jsonl"), lines(&open)).unwrap();
    corpus
}

#[test]
fn edges_are_scored_beside_the_floor_and_the_table_is_written() {
    let env = TestEnv::new();
    let sources = env.repo("shop-1.0", SHOP);
    let sources = sources.parent().unwrap().to_str().unwrap();
    let folder = env.path("truth");
    truth(&folder, "shop-1.0");
    let table = env.path("measured.tsv");
    let printed = env.ctl_ok(&[
        "bench",
        "edges",
        folder.to_str().unwrap(),
        "--sources",
        sources,
        "--table",
        table.to_str().unwrap(),
        "--json",
    ]);
    let report: Value = serde_json::from_str(&printed).unwrap();
    let corpus = &report["corpora"][0];
    assert_eq!((&corpus["right"], &corpus["wrong"], &corpus["pairs"]), (&json!(3), &json!(0), &json!(4)));
    assert_eq!((&corpus["scored"]["precision"], &corpus["scored"]["recall"]), (&json!(1.0), &json!(0.75)));
    // By name alone the call of `lock` finds a function that has nothing to do with it, where the compiler has no verdict.
    assert_eq!(corpus["byNameAlone"]["recall"], json!(0.75));
    assert_eq!(corpus["above"][0]["precision"], json!(1.0));
    let written = fs::read_to_string(&table).unwrap();
    assert!(written.lines().any(|line| line == "import\tpython\t1\t0\t0"), "{written}");
    assert!(written.lines().any(|line| line == "scope\tpython\t2\t0\t0"), "{written}");
    // The user's own daemon was not asked.
    assert_eq!(env.ctl(&["status"]).status.code(), Some(3));
}

#[test]
fn what_is_missing_is_said_with_the_way_to_get_it() {
    let env = TestEnv::new();
    let folder = env.path("truth");
    truth(&folder, "shop-2.0");
    let folder = folder.to_str().unwrap();
    let failed = env.ctl(&["bench", "edges", folder, "--sources", env.home().to_str().unwrap()]);
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert_eq!(failed.status.code(), Some(2), "{said}");
    assert!(said.contains("shop-2.0") && said.contains("mkdir no") && said.contains("--obtain"), "{said}");
    let none = env.ctl(&["bench", "edges", folder, "--corpus", "go-"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("no corpus of the name go-"));
    let tasks = env.path("tasks.jsonl");
    fs::write(&tasks, "{\"id\": 1}\n").unwrap();
    let broken = env.ctl(&["bench", "localization", tasks.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&broken.stderr).contains("tasks.jsonl, line 1:"));
}

#[test]
fn tasks_are_answered_by_slices() {
    let env = TestEnv::new();
    let sources = env.repo("shop", SHOP);
    let sources = sources.parent().unwrap().to_str().unwrap();
    let task = json!({"id": "1", "repo_key": "shop", "query": "Round the rate of tax", "leaky": true,
        "targets": [{"path": "shop/tax.py", "name": "rate", "start_line": 1}, {"path": "shop/tax.py", "name": "gone", "start_line": 90}]});
    let (tasks, results) = (env.path("tasks.jsonl"), env.path("results.jsonl"));
    fs::write(&tasks, lines(&[task])).unwrap();
    let args =
        ["bench", "localization", tasks.to_str().unwrap(), "--sources", sources, "--json", "--results"];
    let report: Value =
        serde_json::from_str(&env.ctl_ok(&[&args[..], &[results.to_str().unwrap()]].concat())).unwrap();
    let all = &report["groups"][0];
    assert_eq!(all["group"], "all");
    assert_eq!(all["figures"]["recall@10"], json!(0.5), "{report}");
    assert_eq!(all["figures"]["MRR"], json!(1.0));
    let written: Value = serde_json::from_str(&fs::read_to_string(&results).unwrap()).unwrap();
    assert_eq!(written["ranked"][0], json!({"path": "shop/tax.py", "name": "rate", "start_line": 1}));
}
