use sdl_retrieve::card::{self, Card, CardOptions, Detail, Plain};
use serde_json::Value;

use crate::ledger::MemoryLedger;
use crate::shop::{edit, shop};

fn card_at(ledger: &MemoryLedger, path: &str, name: &str, detail: Detail) -> Card {
    let head = ledger.head();
    let options = CardOptions { detail, ..CardOptions::default() };
    card::build_card(&head.source(), head.id(path, name), options, &Plain).unwrap().unwrap()
}

#[test]
fn a_full_card() {
    let ledger = shop();
    let card = card_at(&ledger, "shop/stock.py", "Warehouse.reserve", Detail::Full);
    insta::assert_snapshot!(serde_json::to_string_pretty(&card).unwrap());
}

#[test]
fn a_card_as_text() {
    let ledger = shop();
    let texts: Vec<String> = [
        ("shop/stock.py", "Warehouse.reserve"),
        ("shop/stock.py", "load_warehouse"),
        ("shop/stock.py", "parse_counts"),
        ("shop/cart.py", "Cart"),
        ("shop/stock.py", "LIMIT"),
        ("shop/cart.py", ""),
    ]
    .map(|(path, name)| card::card_text(&card_at(&ledger, path, name, Detail::Full)))
    .into();
    insta::assert_snapshot!(texts.join("\n\n"));
}

/// Every level holds all that the one before holds.
#[test]
fn levels_grow() {
    let ledger = shop();
    for (path, name) in [
        ("shop/stock.py", "Warehouse.reserve"),
        ("shop/stock.py", "load_warehouse"),
        ("shop/cart.py", "Cart"),
    ] {
        let mut before = Value::Null;
        for detail in Detail::ALL {
            let mut now = serde_json::to_value(card_at(&ledger, path, name, detail)).unwrap();
            now.as_object_mut().unwrap().remove("etag");
            assert!(holds(&now, &before), "{} of {name}", detail.name());
            before = now;
        }
    }
}

fn holds(more: &Value, less: &Value) -> bool {
    match (more, less) {
        (_, Value::Null) => true,
        (Value::Object(more), Value::Object(less)) => less.iter().all(|(key, value)| {
            key == "omitted"
                || key == "membersOmitted"
                || more.get(key).is_some_and(|more| holds(more, value))
        }),
        (Value::Array(more), Value::Array(less)) => {
            less.iter().all(|value| more.iter().any(|more| holds(more, value)))
        }
        (more, less) => more == less,
    }
}

#[test]
fn cards_are_small() {
    let ledger = shop();
    for (path, name) in [
        ("shop/stock.py", "Warehouse.reserve"),
        ("shop/stock.py", "load_warehouse"),
        ("shop/cart.py", "Cart.checkout"),
    ] {
        let card = card_at(&ledger, path, name, Detail::Full);
        let json = sdl_tokens::count_tokens(&serde_json::to_string(&card).unwrap());
        let text = sdl_tokens::count_tokens(&card::card_text(&card));
        assert!(json <= 300, "{name}: {json} tokens of JSON");
        assert!((50..=150).contains(&text), "{name}: {text} tokens of text");
    }
}

#[test]
fn an_unedited_symbol_keeps_its_etag() {
    let mut ledger = shop();
    let etag = |ledger: &MemoryLedger, name| card_at(ledger, "shop/stock.py", name, Detail::Full).etag;
    let (before, other) = (etag(&ledger, "Warehouse.reserve"), etag(&ledger, "parse_counts"));
    edit(&mut ledger, "shop/stock.py", "class Warehouse", "# moved down\n\n\nclass Warehouse");
    assert_eq!(etag(&ledger, "Warehouse.reserve"), before);
    edit(&mut ledger, "shop/stock.py", "amount must be positive", "amount must be more than 0");
    assert_ne!(etag(&ledger, "Warehouse.reserve"), before);
    assert_eq!(etag(&ledger, "parse_counts"), other);
}

#[test]
fn etags_begin_with_their_level() {
    let ledger = shop();
    let etag = |detail| card_at(&ledger, "shop/cart.py", "Cart.add", detail).etag;
    assert!(card::etag_covers(&etag(Detail::Full), &etag(Detail::Deps)));
    assert!(!card::etag_covers(&etag(Detail::Minimal), &etag(Detail::Deps)));
}

#[test]
fn doubtful_calls_can_be_left_out_and_all_can_be_explained() {
    let ledger = shop();
    let head = ledger.head();
    let id = head.id("shop/cart.py", "Cart.add");
    let with = |min_call_confidence, resolution_metadata| {
        let options = CardOptions { detail: Detail::Deps, min_call_confidence, resolution_metadata };
        card::build_card(&head.source(), id, options, &Plain).unwrap().unwrap()
    };
    let all = with(0, true).deps.unwrap().calls;
    assert!(all.iter().any(|dep| dep.name == "Warehouse.reserve"));
    assert!(
        all.iter().all(|dep| dep.how.as_ref().is_some_and(|how| !how.strategy.is_empty() && how.line > 0))
    );
    assert_eq!(with(101, false).deps.unwrap().calls, []);
    assert_eq!(with(0, true).etag, with(101, false).etag, "the etag is the symbol's, not the request's");
}

#[test]
fn unknown_symbols_have_no_card() {
    let ledger = shop();
    let none =
        card::build_card(&ledger.head().source(), sdl_model::SymbolId(1), CardOptions::default(), &Plain);
    assert_eq!(none.unwrap(), None);
}

#[test]
fn processes_are_chains_of_calls_from_where_running_starts() {
    let ledger = MemoryLedger::new(
        r"
//- /app/main.py
from app.serve import serve


def main():
    serve()
//- /app/serve.py
from app.work import answer, tidy


def serve():
    handle()


def handle():
    answer()


def nightly():
    tidy()
//- /app/work.py
def answer():
    store()


def store():
    store()


def tidy():
    store()


def unused():
    pass
//- /tests/test_work.py
from app.work import unused


def test_unused():
    unused()
",
    );
    let head = ledger.head();
    let of = |path: &str, name: &str| card::process_chains(&head.source(), head.id(path, name)).unwrap();
    assert_eq!(of("app/work.py", "store"), ["main > serve > … > store", "nightly > tidy > store"]);
    assert_eq!(of("app/serve.py", "handle"), ["main > serve > handle"]);
    assert_eq!(of("app/main.py", "main"), ["main"]);
    assert_eq!(of("app/work.py", "unused"), [""; 0], "a test is no process, nor is what does nothing");
}

#[test]
fn a_type_lists_its_members() {
    let ledger = shop();
    let listed = |detail| {
        let card = card_at(&ledger, "shop/stock.py", "Warehouse", detail);
        card.members.into_iter().map(|member| member.name).collect::<Vec<_>>()
    };
    assert_eq!(listed(Detail::Signature), [""; 0]);
    assert_eq!(listed(Detail::Deps), ["available", "reserve", "__init__", "counts"]);
    assert_eq!(listed(Detail::Full), listed(Detail::Deps));
    let text = card::card_text(&card_at(&ledger, "shop/stock.py", "Warehouse", Detail::Deps));
    assert!(text.contains("\nmembers: available, reserve, __init__, counts"), "{text}");
}

#[test]
fn members_that_are_not_listed_are_counted() {
    let mut source = "//- /a.py\nclass Many:\n".to_owned();
    for i in 0..20 {
        source.push_str(&format!("    def method_{i}(self):\n        pass\n"));
    }
    let card = card_at(&MemoryLedger::new(&source), "a.py", "Many", Detail::Deps);
    assert_eq!((card.members.len(), card.members_omitted), (8, 12));
    assert!(card::card_text(&card).contains(", +12 more"));
}

#[test]
fn a_new_member_is_a_change_of_its_type() {
    let mut ledger = shop();
    let etag = |ledger: &MemoryLedger| card_at(ledger, "shop/cart.py", "Cart", Detail::Full).etag;
    let before = etag(&ledger);
    edit(&mut ledger, "shop/cart.py", "def checkout", "def pay");
    assert_ne!(etag(&ledger), before);
}

#[test]
fn a_summary_says_what_the_signature_does_not() {
    let ledger = shop();
    let summary = |path: &str, name: &str| card_at(&ledger, path, name, Detail::Signature).summary;
    assert_eq!(summary("shop/stock.py", "parse_counts"), None);
    assert_eq!(summary("shop/pricing.py", "unit_price").as_deref(), Some("The price of one item."));
}
