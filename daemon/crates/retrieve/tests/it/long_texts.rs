//! Laws of long texts: what an irrelevant part adds, and what a cut loses.

use std::fmt::Write as _;

use sdl_retrieve::card::Plain;
use sdl_retrieve::search::{SearchRequest, search_symbols};
use sdl_retrieve::slice::{self, SliceRequest};

use crate::ledger::MemoryLedger;
use crate::shop::shop;

/// A tree whose files use the same words, each with one function of its own name: `reconcile_batch_7`.
fn ledger_of_many() -> MemoryLedger {
    let mut files = Vec::new();
    for number in 0..60 {
        let mut text = String::new();
        for part in ["load", "store", "check", "report", "merge"] {
            let _ = write!(
                text,
                "def {part}_rows_{number}(table, rows):\n    \"\"\"Handles rows of a table in the window.\"\"\"\n    \
                 return [{part}(row) for row in rows if row.window == table]\n\n"
            );
        }
        let _ = write!(text, "def reconcile_batch_{number}(x):\n    return x\n");
        files.push((format!("app/part_{number}.py"), text));
    }
    let mut ledger = MemoryLedger::new("");
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), Some(text.as_bytes()))).collect();
    ledger.write(&files);
    ledger
}

/// The place of a symbol among the cards for a text, from 1.
fn place(ledger: &MemoryLedger, text: &str, name: &str) -> Option<usize> {
    let request = SliceRequest { task_text: Some(text.to_owned()), ..SliceRequest::default() };
    let slice = slice::build_slice(&ledger.head().source(), &request, &Plain).unwrap();
    slice.doc.cards.iter().position(|card| card.qualified_name == name).map(|at| at + 1)
}

const TITLE: &str = "Rows of a table are missing in the window\n\n";
const PARAGRAPH: &str = "We load the rows of a table, store them, check them and report them in the window, then merge \
                         the rows again. The report of the table is wrong and the window stays empty. ";
const TARGET: &str = "It goes wrong in `reconcile_batch_41` I think.\n";

#[test]
fn a_name_that_one_symbol_has_is_found_wherever_it_is_in_a_text() {
    let ledger = ledger_of_many();
    for (before, after) in [(0, 0), (1, 0), (0, 1), (10, 10), (200, 0), (0, 200), (200, 200)] {
        let text = format!("{TITLE}{}\n{TARGET}{}", PARAGRAPH.repeat(before), PARAGRAPH.repeat(after));
        let place = place(&ledger, &text, "reconcile_batch_41");
        assert!(place.is_some_and(|place| place <= 12), "{before} before, {after} after: {place:?}");
    }
}

#[test]
fn paragraphs_of_other_words_remove_no_named_symbol() {
    let ledger = ledger_of_many();
    let mut noise = String::new();
    for number in 0..400 {
        let _ =
            writeln!(noise, "Word{number} other{number} thing_{number} says nothing(about={number}) here.");
    }
    for text in [format!("{TITLE}{TARGET}{noise}"), format!("{TITLE}{noise}{TARGET}")] {
        let place = place(&ledger, &text, "reconcile_batch_41");
        assert!(place.is_some_and(|place| place <= 12), "{place:?}");
    }
}

#[test]
fn what_a_cut_text_finds_the_whole_one_finds_too() {
    let ledger = ledger_of_many();
    let text = format!("{TITLE}{TARGET}{}", PARAGRAPH.repeat(40));
    let whole = place(&ledger, &text, "reconcile_batch_41").unwrap();
    for cut in [2_000, 1_000, 500, 200] {
        let cut = place(&ledger, &text[..cut], "reconcile_batch_41").unwrap();
        assert!(whole <= cut + 3, "{whole} with the whole text, {cut} with a part");
    }
}

#[test]
fn what_a_report_says_of_the_machine_counts_for_little() {
    let ledger = shop();
    let report = "Discounts are applied twice\n\n### Steps to reproduce\nCheck out a cart.\n\n### Environment\n\
                  Warehouse stock reserve available warehouse stock reserve available pen 3.1\n";
    let found = place(&ledger, report, "Cart.checkout").unwrap();
    let other = place(&ledger, report, "Warehouse.reserve").unwrap_or(usize::MAX);
    assert!(found < other, "{found} {other}");
}

#[test]
fn a_trace_in_a_text_brings_its_frames() {
    let ledger = shop();
    let trace = "Something breaks\n\nTraceback (most recent call last):\n  File \"/srv/app/shop/cart.py\", line 15, in add\n    \
                 x\n  File \"/srv/app/shop/stock.py\", line 24, in reserve\n    y\nOutOfStock: pen";
    for name in ["Warehouse.reserve", "Cart.add"] {
        let place = place(&ledger, trace, name);
        assert!(place.is_some_and(|place| place <= 4), "{name}: {place:?}");
    }
}

#[test]
fn a_single_letter_starts_a_slice() {
    let mut ledger = shop();
    ledger
        .write(&[("shop/letters.py", Some(b"def q():\n    return 1\n\n\nclass B:\n    def b(self): ...\n"))]);
    for (text, name) in [("q", "q"), ("`q`", "q"), ("B", "B"), ("what does q do", "q"), ("why is `B`?", "B")]
    {
        assert_eq!(place(&ledger, text, name), Some(1), "{text}");
    }
}

#[test]
fn a_long_query_is_searched_whole() {
    let ledger = ledger_of_many();
    let query = format!("{TITLE}{}{TARGET}", PARAGRAPH.repeat(100));
    let found = search_symbols(&ledger.head().source(), &SearchRequest::new(&query)).unwrap();
    let at = found.results.iter().position(|hit| hit.name == "reconcile_batch_41");
    assert!(at.is_some_and(|at| at < 12), "{at:?}");
}
