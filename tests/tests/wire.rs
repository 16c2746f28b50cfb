//! Slices of real trees in every wire format, read by the decoder that was written from docs/wire.md.
//!
//! `SDL_TEST_WIRE_SLICES` says how many slices to build (24 unless it does), `SDL_TEST_WIRE_TREES` which trees beside
//! those of this test, with `:` between their paths.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, thread};

use sdl_tests::{McpClient, TestEnv, workspace};
use serde_json::{Value, json};

const SHOP: &str = r#"
//- /shop/prices.py
import logging
from decimal import Decimal

class Price:
    """An amount of money."""
    def __init__(self, amount: Decimal, currency: str = "EUR") -> None:
        self.amount = amount
        self.currency = currency

    def with_tax(self, rate: Decimal) -> "Price":
        """The price with its tax."""
        if rate < 0:
            raise ValueError("a rate is not negative")
        logging.info("taxed")
        return Price(self.amount * (1 + rate), self.currency)

def total(prices: list[Price], *, rate: Decimal) -> Price:
    """What the customer pays."""
    return Price(sum(price.with_tax(rate).amount for price in prices))
//- /tests/test_prices.py
from shop.prices import Price, total

def test_total():
    assert total([Price(1)], rate=0).amount == 1
//- /web/cart.ts
export interface Item<T = string> { id: T; count?: number }
export class Cart<T> {
  private items: Item<T>[] = [];
  add(item: Item<T>): void { check(item); this.items.push(item); }
  size(): number { return this.items.reduce((sum, item) => sum + (item.count ?? 1), 0); }
}
export function check(item: Item<unknown>): void {
  if (!item.id) { throw new Error(process.env.CART_ERROR); }
}
//- /svc/main.go
package main

import "fmt"

type Store interface { Get(key string) (string, error) }
type memory struct { data map[string]string }
func (m *memory) Get(key string) (string, error) { return lookup(m.data, key) }
func lookup(data map[string]string, key string) (string, error) {
	if v, ok := data[key]; ok { return v, nil }
	return "", fmt.Errorf("no %s", key)
}
func main() { var s Store = &memory{}; fmt.Println(s.Get("a")) }
"#;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), &to).unwrap();
        }
    }
}

/// Decodes one JSON value a line; none where there is no Python.
fn decoded(slices: &[Value]) -> Option<Vec<Value>> {
    let python = env::var_os("SDL_TEST_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    if !Command::new(&python).arg("--version").output().is_ok_and(|done| done.status.success()) {
        eprintln!("SKIPPED: no Python ({} does not run)", python.display());
        return None;
    }
    let mut child = Command::new(python)
        .arg(workspace::workspace_root().join("tests/wire/decode_wire.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text: String = slices.iter().map(|slice| format!("{slice}\n")).collect();
    let writer = thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the decoder failed");
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The starting points of a tree's slices: symbols all over it, alone and in tasks, with every option of a request.
fn requests(client: &mut McpClient, count: usize) -> Vec<Value> {
    let found =
        client.call("sdl_symbol_search", json!({"query": ".", "regex": true, "limit": 1000})).unwrap().ok();
    let hits = found["results"].as_array().unwrap();
    assert!(!hits.is_empty());
    let details = ["minimal", "signature", "deps", "compact", "full"];
    (0..count)
        .map(|n| {
            let hit = &hits[n * 7 % hits.len()];
            let mut request = json!({
                "includeResolutionMetadata": n % 3 == 0,
                "budget": {"maxCards": 1 + n * 5 % 30, "maxEstimatedTokens": 20_000},
            });
            if n % 2 == 0 {
                request["entrySymbols"] = json!([hit["symbolId"]]);
            } else {
                request["taskText"] =
                    json!(format!("change {} and what uses it", hit["name"].as_str().unwrap()));
            }
            if n % 4 != 0 {
                request["cardDetail"] = details[n % details.len()].into();
            }
            request
        })
        .collect()
}

#[test]
fn slices_of_trees_decode_to_the_same_in_every_format() {
    let count: usize = env::var("SDL_TEST_WIRE_SLICES").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let env = TestEnv::new();
    let mut trees = vec![env.repo("shop", SHOP)];
    let crate_of_ours = env.path("repos").join("crate");
    copy(&workspace::workspace_root().join("daemon/crates/model"), &crate_of_ours);
    trees.push(crate_of_ours);
    let more = env::var("SDL_TEST_WIRE_TREES").unwrap_or_default();
    trees.extend(more.split(':').filter(|path| !path.is_empty()).map(PathBuf::from));
    let _daemon = env.daemon();
    let (mut standard, mut compact, mut larger) = (Vec::new(), Vec::new(), 0);
    for (n, tree) in trees.iter().enumerate() {
        let mut client = env.mcp(tree, &["--surface", "flat"]);
        client.call("sdl_repo_register", json!({"rootPath": tree})).unwrap().ok();
        client.call("sdl_index_refresh", json!({"mode": "incremental"})).unwrap().ok();
        let share = count / trees.len() + usize::from(n < count % trees.len());
        for request in requests(&mut client, share) {
            let mut slice = |format: &str, version: Option<u8>| {
                let mut request = request.clone();
                request["wireFormat"] = format.into();
                request["wireFormatVersion"] = version.map_or(Value::Null, Value::from);
                let answer = client.call("sdl_slice_build", request).unwrap().ok();
                assert_eq!(answer["wireFormatVersion"].as_u64(), version.map(u64::from), "{answer}");
                answer["slice"].clone()
            };
            let (whole, versions) = (slice("standard", None), [1, 2, 3].map(|n| slice("compact", Some(n))));
            let size = |slice: &Value| sdl_tokens::count_tokens(&slice.to_string());
            for slice in std::iter::once(&whole).chain(&versions) {
                assert_eq!(slice["estimatedTokens"], size(slice), "{slice}");
            }
            let sizes: Vec<usize> = std::iter::once(&whole).chain(&versions).map(size).collect();
            // The promise of docs/wire.md about sizes.
            assert!(sizes.windows(2).all(|pair| pair[1] <= pair[0] + 8), "{sizes:?} {request}: {whole}");
            larger += sizes.windows(2).filter(|pair| pair[1] > pair[0]).count();
            standard.push(whole);
            compact.extend(versions);
        }
    }
    let Some(decoded) = decoded(&compact) else { return };
    let bare = |slice: &Value| {
        let mut slice = slice.clone();
        // It counts the tokens of the slice in its own format.
        slice.as_object_mut().unwrap().remove("estimatedTokens");
        slice
    };
    for (at, read) in decoded.iter().enumerate() {
        assert_eq!(bare(read), bare(&standard[at / 3]), "{}", compact[at]);
    }
    println!("{} slices in 4 formats, of which {larger} are larger than the one before", standard.len());
    assert!(larger * 10 <= compact.len(), "{larger} of {}", compact.len());
}
