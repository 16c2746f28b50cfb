//! Clients that trust what refreshes tell them, whatever is edited in between.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sdl_ledger::View;
use sdl_model::{SymbolId, Version};
use sdl_retrieve::History;
use sdl_retrieve::card::{self, Detail, Plain};
use sdl_retrieve::refresh::{Lease, Outcome, refresh};
use sdl_retrieve::slice::{self, BuiltSlice, SliceRequest};

use crate::ledger::MemoryLedger;
use crate::shop::{shop, text};

/// What a client holds: the content part of each symbol's etag.
type Held = BTreeMap<SymbolId, String>;

#[derive(Clone, Debug)]
enum Step {
    /// Replaces a text in a file of the original shop by another; several stay in force together.
    Edit(usize),
    /// Takes an edit back.
    Undo(usize),
    Delete(usize),
    Restore(usize),
    /// A client asks; it may lose the answer.
    Refresh {
        lost: bool,
    },
}

const EDITS: [(&str, &str, &str); 14] = [
    ("shop/pricing.py", "1.5", "2.5"),
    ("shop/pricing.py", "unit_price", "price_of"),
    ("shop/pricing.py", "(1 - discount)", "(1 - discount) + unit_price(\"x\")"),
    ("shop/pricing.py", "def unit_price", "# moved\n\ndef unit_price"),
    (
        "shop/pricing.py",
        "discount: float) -> float:\n    if",
        "discount: float, tax: float = 0) -> float:\n    if",
    ),
    ("shop/stock.py", "LIMIT = 10", "LIMIT = 11"),
    ("shop/stock.py", "class Warehouse", "class Depot"),
    ("shop/stock.py", "        return amount\n", "        parse_counts(sku)\n        return amount\n"),
    (
        "shop/stock.py",
        "def parse_counts(text: str) -> dict:\n",
        "def parse_counts(text: str) -> dict:\n    \"\"\"Parses.\"\"\"\n",
    ),
    ("shop/stock.py", "def load_warehouse", "def available(x):\n    return x\n\n\ndef load_warehouse"),
    ("shop/cart.py", "        self.items = []\n        return price", "        return price"),
    ("shop/cart.py", "def checkout", "def pay"),
    ("shop/cart.py", "total_price(self.items, discount)", "0"),
    ("shop/report.py", "sold", "bought"),
];

const FILES: [&str; 5] =
    ["shop/pricing.py", "shop/stock.py", "shop/cart.py", "shop/report.py", "shop/errors.py"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..EDITS.len()).prop_map(Step::Edit),
        2 => (0..EDITS.len()).prop_map(Step::Undo),
        1 => (0..FILES.len()).prop_map(Step::Delete),
        1 => (0..FILES.len()).prop_map(Step::Restore),
        4 => any::<bool>().prop_map(|lost| Step::Refresh { lost }),
    ]
}

struct World {
    ledger: MemoryLedger,
    edits: [bool; EDITS.len()],
    gone: [bool; FILES.len()],
}

impl World {
    fn write(&mut self, path: &str) {
        let deleted = FILES.iter().zip(self.gone).any(|(known, gone)| *known == path && gone);
        let mut content = text(path);
        for ((_, from, to), _) in EDITS.iter().zip(self.edits).filter(|((of, _, _), on)| *of == path && *on) {
            content = content.replace(from, to);
        }
        self.ledger.write(&[(path, (!deleted).then_some(content.as_bytes()))]);
    }

    fn now(&self, symbol: SymbolId) -> Option<String> {
        let head = self.ledger.head();
        let source = head.source();
        let sym = source.symbol(symbol).unwrap()?;
        Some(content(&card::etag_of(&source, &sym, Detail::Full).unwrap()))
    }
}

fn content(etag: &str) -> String {
    etag.split_once('-').unwrap().1.to_owned()
}

fn of_slice(slice: &BuiltSlice) -> Held {
    slice.doc.cards.iter().map(|card| (card.symbol_id, content(&card.etag))).collect()
}

/// What a client does with an answer.
fn apply(held: &mut Held, outcome: &Outcome) {
    match outcome {
        Outcome::NotModified => {}
        Outcome::Fresh(slice) => *held = of_slice(slice),
        Outcome::Delta(delta) => {
            for change in &delta.delta.changed_symbols {
                if let Some(old) = change.renamed_from {
                    held.remove(&old);
                }
                match change.card.as_ref().map(|card| &card.etag).or(change.etag.as_ref()) {
                    Some(etag) => drop(held.insert(change.symbol_id, content(etag))),
                    None => drop(held.remove(&change.symbol_id)),
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_client_holds_is_what_is(steps in prop::collection::vec(step(), 1..24), start in 0_usize..4) {
        let mut world = World { ledger: shop(), edits: [false; EDITS.len()], gone: [false; FILES.len()] };
        let (path, name) = [
            ("shop/cart.py", "Cart.checkout"), ("shop/stock.py", "Warehouse.reserve"), ("shop/pricing.py", "total_price"), ("shop/cart.py", ""),
        ][start];
        let head = world.ledger.head();
        let request = SliceRequest { entry_symbols: vec![head.id(path, name)], ..SliceRequest::default() };
        let built = slice::build(&head.source(), &request, &Plain).unwrap();
        let mut lease = Lease::new(head.incarnation(), built.version, built.members(), request);
        let (mut held, mut known) = (of_slice(&built), built.version);
        for step in steps {
            match step {
                Step::Edit(i) => { world.edits[i] = true; world.write(EDITS[i].0); }
                Step::Undo(i) => { world.edits[i] = false; world.write(EDITS[i].0); }
                Step::Delete(i) => { world.gone[i] = true; world.write(FILES[i]); }
                Step::Restore(i) => { world.gone[i] = false; world.write(FILES[i]); }
                Step::Refresh { lost } => {
                    let head = world.ledger.head();
                    let refreshed = refresh(&head, world.ledger.outlines(), &lease, known, &Plain).unwrap();
                    lease = Lease::from_bytes(&refreshed.lease.to_bytes()).unwrap();
                    if lost {
                        continue;
                    }
                    apply(&mut held, &refreshed.outcome);
                    known = refreshed.current;
                    prop_assert_eq!(known, Version(head.version().0));
                    for (symbol, etag) in &held {
                        let now = world.now(*symbol);
                        prop_assert_eq!(now.as_ref(), Some(etag), "{}", head.name(*symbol));
                        prop_assert!(lease.holds(*symbol), "{} is held", head.name(*symbol));
                    }
                    for symbol in lease.held_at(known) {
                        prop_assert!(held.contains_key(&symbol), "{} was told", head.name(symbol));
                    }
                }
            }
        }
    }
}
