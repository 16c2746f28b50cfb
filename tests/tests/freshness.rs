//! The barrier, on the real thing: real files, the system's watcher, the real socket, the real shim. No test sleeps: an
//! answer that says it is synced must hold every write that ended before the request.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::path::Path;

use sdl_tests::{McpClient, TestEnv};
use serde_json::{Value, json};

const SHOP: &str = "\
//- /shop/prices.py
RATE = 19

def tax(amount):
    \"\"\"The tax on an amount.\"\"\"
    return amount * 19 // 100

def gross(amount):
    return amount + tax(amount)

//- /shop/orders.py
from shop.prices import gross

def total(items):
    return sum(gross(item) for item in items)

def unrelated():
    return 0
";

struct Shop {
    env: TestEnv,
    root: std::path::PathBuf,
    client: McpClient,
}

fn shop() -> Shop {
    let env = TestEnv::new();
    let root = env.repo("shop", SHOP);
    let mut client = env.mcp(&root, &["--surface", "flat"]);
    client.call("sdl_repo_register", json!({"rootPath": root})).unwrap().ok();
    client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
    Shop { env, root, client }
}

impl Shop {
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.client.call(tool, arguments).unwrap().ok()
    }

    fn id(&mut self, name: &str) -> String {
        let found = self.call("sdl_symbol_search", json!({"query": name, "exact": true, "sync": "require"}));
        found["results"][0]["symbolId"]
            .as_str()
            .unwrap_or_else(|| panic!("no symbol {name}: {found}"))
            .to_owned()
    }

    /// A slice that holds `tax` and `gross`; its handle and version.
    fn slice(&mut self) -> (String, String) {
        let entries = [self.id("tax"), self.id("gross")];
        let slice = self.call("sdl_slice_build", json!({"entrySymbols": entries, "budget": {"maxCards": 2}}));
        (
            slice["sliceHandle"].as_str().unwrap().to_owned(),
            slice["ledgerVersion"].as_str().unwrap().to_owned(),
        )
    }

    fn refresh(&mut self, handle: &str, known: &str) -> Value {
        let answer = self.call("sdl_slice_refresh", json!({"sliceHandle": handle, "knownVersion": known}));
        assert_eq!(answer["freshness"]["synced"], true, "{answer}");
        answer
    }
}

/// As editors save: beside the file, then over it.
fn replace(path: &Path, text: &str) {
    let next = path.with_extension("tmp~");
    fs::write(&next, text).unwrap();
    fs::rename(&next, path).unwrap();
}

fn changed(answer: &Value) -> Vec<&str> {
    let symbols = answer["delta"]["changedSymbols"].as_array().map(Vec::as_slice).unwrap_or_default();
    symbols.iter().map(|symbol| symbol["name"].as_str().unwrap()).collect()
}

#[test]
fn every_refresh_holds_exactly_the_edit_before_it() {
    let mut shop = shop();
    let prices = shop.root.join("shop/prices.py");
    let original = fs::read_to_string(&prices).unwrap();
    let (handle, mut known) = shop.slice();
    for round in 0..60 {
        let text = original.replace("amount * 19", &format!("amount * {}", 100 + round));
        if round % 2 == 0 {
            fs::write(&prices, text).unwrap()
        } else {
            replace(&prices, &text)
        }
        let answer = shop.refresh(&handle, &known);
        assert_eq!(changed(&answer), ["tax"], "round {round}: {answer}");
        let symbol = &answer["delta"]["changedSymbols"][0];
        assert_eq!(symbol["changeType"], "modified");
        assert_eq!(symbol["bodyChanged"], true);
        known = answer["currentVersion"].as_str().unwrap().to_owned();
    }
}

#[test]
fn an_edit_outside_the_slice_only_moves_the_version() {
    let mut shop = shop();
    let orders = shop.root.join("shop/orders.py");
    let original = fs::read_to_string(&orders).unwrap();
    let (handle, mut known) = shop.slice();
    for round in 0..20 {
        fs::write(&orders, original.replace("return 0", &format!("return {}", 1 + round))).unwrap();
        let answer = shop.refresh(&handle, &known);
        assert_eq!(answer["notModified"], true, "round {round}: {answer}");
        let current = answer["currentVersion"].as_str().unwrap().to_owned();
        assert_ne!(current, known, "the version goes on");
        known = current;
    }
}

#[test]
fn saving_the_same_content_makes_no_version() {
    let mut shop = shop();
    let prices = shop.root.join("shop/prices.py");
    let original = fs::read_to_string(&prices).unwrap();
    let (handle, known) = shop.slice();
    for _ in 0..5 {
        replace(&prices, &original);
        let answer = shop.refresh(&handle, &known);
        assert_eq!(
            (&answer["notModified"], &answer["currentVersion"]),
            (&json!(true), &json!(known)),
            "{answer}"
        );
    }
}

#[test]
fn new_folders_moves_and_removals_are_in_the_next_answer() {
    let mut shop = shop();
    let deep = shop.root.join("new/deep/er");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("fresh.py"), "def brand_new():\n    return 1\n").unwrap();
    shop.id("brand_new");

    fs::rename(shop.root.join("new"), shop.root.join("old")).unwrap();
    let search = json!({"query": "brand_new", "exact": true, "sync": "require"});
    let found = shop.call("sdl_symbol_search", search.clone());
    assert_eq!(found["results"][0]["file"], "old/deep/er/fresh.py", "{found}");

    fs::remove_dir_all(shop.root.join("old")).unwrap();
    let found = shop.call("sdl_symbol_search", search);
    assert_eq!(found["total"], 0, "{found}");
}

#[test]
fn a_slice_outlives_the_daemon() {
    let mut shop = shop();
    let (handle, known) = shop.slice();
    shop.env.ctl_ok(&["stop"]);
    let prices = shop.root.join("shop/prices.py");
    let text = fs::read_to_string(&prices).unwrap().replace("amount * 19", "amount * 7");
    fs::write(&prices, text).unwrap();
    // The shim starts the next daemon by itself, and that one sees what changed while none ran.
    let answer = shop.refresh(&handle, &known);
    assert_eq!(changed(&answer), ["tax"], "{answer}");
    shop.env.ctl_ok(&["verify"]);
}
