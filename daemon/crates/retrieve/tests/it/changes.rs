//! The postings that differ between two states of a file.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sdl_ledger::{FilePostings, Posting, TermHit};
use sdl_model::{Facts, FileId, RelPath};
use sdl_retrieve::index::{changed_postings, file_postings};

use crate::ledger::files;

/// Each file uses what postings are made of: documentation, parameters, bases, nested definitions, literals and comments.
const TEXTS: &str = r#"
//- /a/stock.py
"""Stock of the shop."""
import os
from shop.errors import OutOfStock
LIMIT = 10
class Warehouse(Base, mixins.Counted):
    """Knows how much there is."""
    SIZE = 3
    def __init__(self, counts: dict):
        self.counts = counts
    def reserve(self, sku: str, amount: int = 1) -> int:
        # Takes some out of the shelf.
        def inner(shelf):
            return shelf.take("some words")
        if amount <= 0:
            raise ValueError("amount must be positive")
        return inner(self.counts)
def load_warehouse(path: str) -> Warehouse:
    return Warehouse(parse_counts(open(path).read()))
//- /a/driver.c
#include "driver.h"
#define LIMIT 10
struct device { int irq_number; const char *name; };
static int device_count;
/* Starts the device. */
static int device_start(struct device *dev, int flags)
{
    dev->irq_number = request_line(dev->name, "no line for the device");
    return dev->irq_number;
}
static int device_stop(struct device *dev)
{
    device_count--;
    return release_line(dev->irq_number, LIMIT);
}
int device_init(void) { return device_start(0, 1); }
//- /a/cart.ts
import { total } from "./pricing";
export interface Line { sku: string; amount: number }
export class Cart extends Base<Line> {
  private lines: Line[] = [];
  /** Adds a line. */
  add(sku: string, amount: number): void { this.lines.push({ sku, amount }); }
  sum(): number { return total(this.lines, "all of the lines"); }
}
export const emptyCart = () => new Cart();
//- /a/stock.rs
//! Stock of the shop.
use std::collections::HashMap;
pub const LIMIT: u32 = 10;
pub struct Warehouse { counts: HashMap<String, u32> }
impl Warehouse {
    /// Takes some out of the shelf.
    pub fn reserve(&mut self, sku: &str, amount: u32) -> Option<u32> {
        let count = self.counts.get_mut(sku)?;
        *count = count.checked_sub(amount)?;
        Some(amount)
    }
}
pub fn load(path: &str) -> Warehouse { panic!("no file {path}") }
"#;

/// Texts and words that lines are replaced by.
const OTHERS: &[&str] = &[
    "",
    "    reserve(LIMIT)",
    "# said",
    "// said",
    "int more(int x) { return x; }",
    "def more(x): pass",
    "}",
    "{",
];

/// An edit of the line with that number.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Remove(usize),
    Repeat(usize),
    Swap(usize, usize),
    Replace(usize, usize),
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let at = 0..40_usize;
    prop_oneof![
        at.clone().prop_map(Edit::Remove),
        at.clone().prop_map(Edit::Repeat),
        (at.clone(), at.clone()).prop_map(|(a, b)| Edit::Swap(a, b)),
        (at, 0..OTHERS.len()).prop_map(|(at, other)| Edit::Replace(at, other)),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for edit in edits {
        let len = lines.len();
        if len == 0 {
            break;
        }
        match *edit {
            Edit::Remove(at) => drop(lines.remove(at % len)),
            Edit::Repeat(at) => lines.insert(at % len, lines[at % len]),
            Edit::Swap(a, b) => lines.swap(a % len, b % len),
            Edit::Replace(at, other) => lines[at % len] = OTHERS[other],
        }
    }
    lines.join("\n")
}

fn facts(path: &RelPath, text: &str) -> Facts {
    let lang = sdl_lang::detect_lang(path, text.as_bytes()).unwrap();
    sdl_lang::extract_facts(lang, text.as_bytes()).unwrap()
}

fn as_set(postings: &FilePostings) -> BTreeSet<Posting> {
    let posting = |(term, TermHit { symbol, impact, flags }): (&str, _)| Posting {
        term: term.into(),
        symbol,
        impact,
        flags,
    };
    postings.iter().map(posting).collect()
}

fn all(path: &RelPath, facts: &Facts) -> BTreeSet<Posting> {
    as_set(&file_postings(path, FileId::of(path), &facts.outline, &facts.body))
}

fn changed(path: &RelPath, before: Option<&Facts>, after: Option<&Facts>) -> [BTreeSet<Posting>; 2] {
    let halves = |facts: &'_ Facts| -> (_, _) { (facts.outline.clone(), facts.body.clone()) };
    let (before, after) = (before.map(halves), after.map(halves));
    let [before, after] =
        [&before, &after].map(|halves| halves.as_ref().map(|(outline, body)| (outline, body)));
    changed_postings(path, FileId::of(path), before, after).map(|found| as_set(&found))
}

/// The law: what one state has and the other has not is the same among the changed postings and among all.
fn check(path: &RelPath, before: &Facts, after: &Facts) {
    let (was, is) = (all(path, before), all(path, after));
    let [old, new] = changed(path, Some(before), Some(after));
    assert_eq!(&old - &new, &was - &is, "postings of {path} that go");
    assert_eq!(&new - &old, &is - &was, "postings of {path} that come");
}

proptest! {
    #[test]
    fn changed_postings_differ_as_all_do(
        file in 0..4_usize,
        first in prop::collection::vec(any_edit(), 0..4),
        then in prop::collection::vec(any_edit(), 0..4),
    ) {
        let (path, text) = &files(TEXTS)[file];
        let path = RelPath::new(path).unwrap();
        let before = edited(text, &first);
        let after = edited(&before, &then);
        check(&path, &facts(&path, &before), &facts(&path, &after));
    }
}

#[test]
fn each_line_that_goes_is_noticed() {
    for (path, text) in files(TEXTS) {
        let path = RelPath::new(&path).unwrap();
        let before = facts(&path, &text);
        for at in 0..text.lines().count() {
            check(&path, &before, &facts(&path, &edited(&text, &[Edit::Remove(at)])));
        }
    }
}

#[test]
fn only_the_definition_that_changed_is_looked_at() {
    let (path, text) = &files(TEXTS)[1];
    let path = RelPath::new(path).unwrap();
    let before = facts(&path, text);
    let after = facts(&path, &text.replace("device_count--;", "device_count -= flush_queue();"));
    let symbols = |found: &BTreeSet<Posting>| -> BTreeSet<_> { found.iter().map(|one| one.symbol).collect() };
    let [old, new] = changed(&path, Some(&before), Some(&after));
    assert_eq!((symbols(&old).len(), symbols(&new).len()), (1, 1));
    assert!(new.iter().any(|posting| &*posting.term == "flush"));
}

#[test]
fn all_postings_come_and_go_with_the_file() {
    let (path, text) = &files(TEXTS)[0];
    let path = RelPath::new(path).unwrap();
    let facts = facts(&path, text);
    assert_eq!(changed(&path, None, Some(&facts)), [BTreeSet::new(), all(&path, &facts)]);
    assert_eq!(changed(&path, Some(&facts), None), [all(&path, &facts), BTreeSet::new()]);
    assert_eq!(changed(&path, Some(&facts), Some(&facts)), [BTreeSet::new(), BTreeSet::new()]);
}
