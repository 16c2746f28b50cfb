use sdl_retrieve::card::{CardOptions, Detail, Plain};
use sdl_retrieve::slice::{self, Budget, BuiltSlice, Link, SliceRequest, WireFormat};
use sdl_retrieve::{Error, LaneStatus, UserError, wire};

use crate::ledger::MemoryLedger;
use crate::shop::shop;

fn build(ledger: &MemoryLedger, request: &SliceRequest) -> BuiltSlice {
    slice::build_slice(&ledger.head().source(), request, &Plain).unwrap()
}

fn names(slice: &BuiltSlice) -> Vec<&str> {
    slice.doc.cards.iter().map(|card| card.qualified_name.as_str()).collect()
}

fn task(text: &str) -> SliceRequest {
    SliceRequest { task_text: Some(text.to_owned()), ..SliceRequest::default() }
}

#[test]
fn a_task_finds_its_symbols_and_what_they_use() {
    let ledger = shop();
    let slice = build(&ledger, &task("Fix the discount in Cart.checkout"));
    let names = names(&slice);
    assert_eq!(names[0], "Cart.checkout");
    for wanted in ["total_price", "apply_discount", "Cart"] {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
}

#[test]
fn an_entry_symbol_leads_on() {
    let ledger = shop();
    let entry = ledger.head().id("shop/cart.py", "Cart.add");
    let slice = build(&ledger, &SliceRequest { entry_symbols: vec![entry], ..SliceRequest::default() });
    let names = names(&slice);
    assert_eq!(names[0], "Cart.add");
    assert!(names.contains(&"Warehouse.reserve") && names.contains(&"Warehouse.available"), "{names:?}");
    assert!(slice.doc.edges.iter().any(|edge| edge.from == entry));
}

#[test]
fn edited_files_bring_their_symbols_and_callers() {
    let ledger = shop();
    let request = SliceRequest { edited_files: vec!["shop/pricing.py".into()], ..SliceRequest::default() };
    let slice = build(&ledger, &request);
    let names = names(&slice);
    for wanted in ["unit_price", "total_price", "apply_discount", "Cart.checkout"] {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
}

#[test]
fn a_stack_trace_brings_its_frames() {
    let ledger = shop();
    let trace = "Traceback (most recent call last):\n  File \"/srv/app/shop/cart.py\", line 15, in add\n    x\n  File \"/srv/app/shop/stock.py\", line 24, in reserve\n    y\nOutOfStock: pen";
    let slice = build(&ledger, &SliceRequest { stack_trace: Some(trace.into()), ..SliceRequest::default() });
    assert_eq!(names(&slice)[..2], ["Warehouse.reserve", "Cart.add"]);
}

#[test]
fn a_failing_test_brings_what_it_exercises() {
    let ledger = shop();
    let path = "tests/test_cart.py::test_checkout";
    let slice =
        build(&ledger, &SliceRequest { failing_test_path: Some(path.into()), ..SliceRequest::default() });
    let names = names(&slice);
    assert_eq!(names[0], "test_checkout");
    for wanted in ["Cart.add", "Cart.checkout"] {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
}

#[test]
fn budgets_are_kept_in_every_format() {
    let ledger = shop();
    for wire_format in WireFormat::ALL {
        for max_estimated_tokens in [60, 150, 400, 900, 2_000, 8_000] {
            let request = SliceRequest {
                budget: Budget { max_cards: 12, max_estimated_tokens },
                wire_format,
                ..task("warehouse stock cart price discount")
            };
            let slice = build(&ledger, &request);
            let tokens = sdl_tokens::count_tokens(&serde_json::to_string(&slice.json).unwrap()) as u32;
            assert_eq!((tokens, slice.doc.estimated_tokens), (slice.tokens, tokens), "{wire_format:?}");
            let fits = tokens <= max_estimated_tokens || slice.doc.cards.is_empty();
            assert!(fits, "{tokens} > {max_estimated_tokens} in {wire_format:?}");
            assert!(slice.doc.cards.len() <= 12);
            let text = sdl_tokens::count_tokens(&wire::slice_text(&slice.doc)) as u32;
            assert!(text <= tokens, "text {text} > {tokens} in {wire_format:?} of {max_estimated_tokens}");
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let ledger = shop();
    let request =
        SliceRequest { budget: Budget { max_cards: 3, max_estimated_tokens: 4_000 }, ..task("cart price") };
    let slice = build(&ledger, &request);
    let truncation = slice.truncation.unwrap();
    assert!(truncation.truncated);
    assert_eq!(truncation.dropped_cards as usize, slice.spilled.len());
    assert_eq!(slice.doc.cards.len(), 3);
    let served: Vec<_> = slice.doc.cards.iter().map(|card| card.symbol_id).collect();
    assert!(slice.spilled.iter().all(|id| !served.contains(id)));
    assert!(slice.doc.frontier.iter().all(|item| !served.contains(&item.symbol_id)));
}

#[test]
fn held_cards_come_as_references() {
    let ledger = shop();
    let mut request = SliceRequest { card_detail: Some(Detail::Deps), ..task("cart checkout price") };
    let first = build(&ledger, &request);
    request.known_card_etags =
        first.doc.cards.iter().map(|card| (card.symbol_id, card.etag.clone())).collect();
    let again = build(&ledger, &request);
    assert!(again.doc.cards.is_empty());
    assert_eq!(again.doc.card_refs.len(), first.doc.cards.len());
    assert!(again.tokens * 3 < first.tokens * 2);
    request.card_detail = Some(Detail::Full);
    assert!(
        build(&ledger, &request).doc.card_refs.is_empty(),
        "a lesser card does not stand in for a fuller one"
    );
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let ledger = shop();
    let request = task("warehouse price discount report");
    let (one, two) = (build(&ledger, &request), build(&ledger, &request));
    assert_eq!(serde_json::to_string(&one.json).unwrap(), serde_json::to_string(&two.json).unwrap());
    assert_eq!(one.hash, two.hash);
}

#[test]
fn doubtful_edges_are_not_followed() {
    let ledger = shop();
    let entry = ledger.head().id("shop/cart.py", "Cart.add");
    let request = SliceRequest { entry_symbols: vec![entry], min_confidence: 101, ..SliceRequest::default() };
    let slice = build(&ledger, &request);
    assert_eq!(names(&slice), ["Cart.add"]);
    assert_eq!(slice.doc.edges, []);
}

#[test]
fn nothing_to_start_from_is_an_error() {
    let ledger = shop();
    let head = ledger.head();
    let refused = |request: &SliceRequest| slice::build_slice(&head.source(), request, &Plain).unwrap_err();
    for request in [SliceRequest::default(), task("zzyzx"), task("")] {
        assert!(matches!(refused(&request), Error::User(UserError::NoSeeds)));
    }
    let unknown = SliceRequest { entry_symbols: vec![sdl_model::SymbolId(1)], ..SliceRequest::default() };
    assert!(matches!(refused(&unknown), Error::User(UserError::UnknownSymbol(_))));
}

#[test]
fn evidence_says_how_each_lane_fared() {
    let ledger = shop();
    let request = SliceRequest {
        evidence: true,
        edited_files: vec!["shop/pricing.py".into(), "shop/gone.py".into()],
        ..task("checkout")
    };
    let evidence = build(&ledger, &request).evidence.unwrap();
    let lane = |name: &str| evidence.lanes.iter().find(|lane| lane.lane == name).unwrap();
    assert_eq!(lane("entrySymbols").status, LaneStatus::Skipped);
    assert_eq!(lane("editedFiles").note.as_deref(), Some("not indexed: shop/gone.py"));
    assert_eq!(lane("semantic").status, LaneStatus::Unavailable);
    assert!(lane("taskText").candidates > 0);
}

#[test]
fn spillover_pages_hold_everything_once() {
    let ledger = shop();
    let head = ledger.head();
    let source = head.source();
    let spilled: Vec<_> =
        ["unit_price", "total_price", "apply_discount"].map(|name| head.id("shop/pricing.py", name)).into();
    let with_gone: Vec<_> = [&spilled[..1], &[sdl_model::SymbolId(1)], &spilled[1..]].concat();
    for (size, max_tokens) in [(1, 10_000), (2, 10_000), (0, 10_000), (3, 300), (3, 1)] {
        let mut served = Vec::new();
        let mut from = Some(0);
        while let Some(at) = from {
            let page = slice::spill_page(
                &source,
                &with_gone,
                (at, size),
                max_tokens,
                CardOptions::default(),
                &Plain,
            )
            .unwrap();
            assert!(page.tokens <= max_tokens || page.cards.len() == 1);
            served.extend(page.cards.iter().map(|card| card.symbol_id));
            from = page.next;
        }
        assert_eq!(served, spilled);
    }
}

/// How many levels of detail the cards show, in order.
fn details(slice: &BuiltSlice) -> Vec<&str> {
    slice.doc.cards.iter().map(|card| card.etag.split('-').next().unwrap_or_default()).collect()
}

#[test]
fn the_best_cards_get_detail_and_the_rest_a_name_until_there_is_room() {
    let ledger = shop();
    let text = "warehouse stock cart price discount";
    let sized = |max_estimated_tokens: u32| {
        let budget = Budget { max_cards: 12, max_estimated_tokens };
        build(&ledger, &SliceRequest { budget, ..task(text) })
    };
    let tail_is_named = |slice: &BuiltSlice| details(slice).last() == Some(&"minimal");
    let small = (600..1_600).step_by(50).map(sized).find(tail_is_named).expect("some size names the rest");
    let large = sized(8_000);
    assert!(!details(&large).contains(&"minimal"), "{:?}", details(&large));
    assert!(small.doc.cards.len() <= large.doc.cards.len());
    // The same symbols come first, whatever the size.
    let first: Vec<&str> = names(&large).into_iter().take(small.doc.cards.len()).collect();
    assert_eq!(names(&small), first);
    // With room for all, every edge between the cards is shown.
    let members: Vec<_> = large.members().collect();
    let head = ledger.head();
    let source = head.source();
    let request = task(text);
    let all = slice::Neighbourhood::of(&source, &request, &Plain).unwrap().edges(&members).unwrap();
    assert_eq!(large.doc.edges, all);
}

#[test]
fn without_a_number_of_cards_the_tokens_decide() {
    let cards = |tokens| Budget::of_tokens(tokens).max_cards;
    assert!(cards(400) < cards(4_000) && cards(4_000) < cards(20_000));
    assert!(cards(u32::MAX) == slice::MAX_CARDS && cards(0) > 0);
}

/// The cards that come before any further symbol is merely named.
const FIRST: usize = 8;

fn level_of(detail: &str) -> Detail {
    Detail::from_name(detail).unwrap()
}

#[test]
fn detail_falls_with_rank_and_the_first_have_signatures() {
    let ledger = shop();
    let texts = ["warehouse stock cart price discount", "Fix the discount in Cart.checkout", "stock", "Cart"];
    for text in texts {
        for wire_format in [WireFormat::Standard, WireFormat::CompactV2] {
            for max_estimated_tokens in (250..3_000).step_by(50).chain([4_000, 8_000]) {
                for card_detail in [None, Some(Detail::Full)] {
                    let request = SliceRequest {
                        budget: Budget { max_cards: 40, max_estimated_tokens },
                        wire_format,
                        card_detail,
                        adaptive_detail: card_detail.is_some(),
                        ..task(text)
                    };
                    let slice = build(&ledger, &request);
                    let levels: Vec<Detail> = details(&slice).into_iter().map(level_of).collect();
                    let told = format!("{text:?} {wire_format:?} {max_estimated_tokens}: {levels:?}");
                    assert!(!levels.is_empty() || max_estimated_tokens < 400, "{told}");
                    assert!(levels.is_sorted_by(|a, b| a >= b), "{told}");
                    assert!(levels.iter().take(FIRST).all(|level| *level >= Detail::Signature), "{told}");
                }
            }
        }
    }
}

#[test]
fn entry_symbols_have_full_detail_or_a_note_says_otherwise() {
    let ledger = shop();
    let head = ledger.head();
    let entries = vec![head.id("shop/cart.py", "Cart.checkout"), head.id("shop/stock.py", "load_warehouse")];
    for wire_format in [WireFormat::Standard, WireFormat::CompactV2] {
        let mut reduced = Vec::new();
        for max_estimated_tokens in (100..2_000).step_by(20) {
            let request = SliceRequest {
                entry_symbols: entries.clone(),
                budget: Budget { max_cards: 40, max_estimated_tokens },
                wire_format,
                ..SliceRequest::default()
            };
            let slice = build(&ledger, &request);
            let whole = slice.doc.cards.iter().filter(|card| {
                entries.contains(&card.symbol_id)
                    && level_of(card.etag.split('-').next().unwrap()) >= Detail::Compact
            });
            assert_eq!(whole.count() + slice.entries_reduced as usize, entries.len());
            if slice.doc.cards.len() > entries.len() {
                assert_eq!(slice.entries_reduced, 0, "others come after the entries: {:?}", details(&slice));
            }
            reduced.push(slice.entries_reduced);
        }
        assert!(reduced.is_sorted_by(|a, b| a >= b), "{reduced:?}");
        assert_eq!((reduced.first(), reduced.last()), (Some(&2), Some(&0)), "{reduced:?}");
    }
}

#[test]
fn one_level_for_all_is_one_level_for_all() {
    let ledger = shop();
    let request = SliceRequest { card_detail: Some(Detail::Compact), ..task("warehouse stock cart price") };
    let slice = build(&ledger, &request);
    assert!(details(&slice).iter().all(|level| *level == "compact"), "{:?}", details(&slice));
}

#[test]
fn a_type_comes_with_its_members() {
    let ledger = shop();
    let class = ledger.head().id("shop/stock.py", "Warehouse");
    let slice = build(&ledger, &SliceRequest { entry_symbols: vec![class], ..SliceRequest::default() });
    let names = names(&slice);
    assert_eq!(names[0], "Warehouse");
    for member in ["Warehouse.reserve", "Warehouse.available", "Warehouse.__init__"] {
        assert!(names.contains(&member), "{member} in {names:?}");
        let id = ledger.head().id("shop/stock.py", member);
        let edge = slice.doc.edges.iter().find(|edge| (edge.from, edge.to) == (class, id));
        assert_eq!(edge.map(|edge| edge.kind), Some(Link::Member), "{member}");
    }
    let small = SliceRequest {
        entry_symbols: vec![class],
        budget: Budget { max_cards: 3, max_estimated_tokens: 4_000 },
        ..SliceRequest::default()
    };
    let small = build(&ledger, &small);
    assert_eq!(self::names(&small)[0], "Warehouse");
    assert!(
        self::names(&small).contains(&"Warehouse.reserve"),
        "what others use comes first: {:?}",
        self::names(&small)
    );
}

#[test]
fn a_member_leads_to_its_type() {
    let ledger = shop();
    let slice = build(
        &ledger,
        &SliceRequest {
            entry_symbols: vec![ledger.head().id("shop/stock.py", "Warehouse.available")],
            ..SliceRequest::default()
        },
    );
    assert!(names(&slice).contains(&"Warehouse"), "{:?}", names(&slice));
}

const APART: &str = r#"
//- /go.mod
module example.com/app
//- /app/server.go
package app

type Server struct{ addr string }

func (s *Server) Start() error { return s.listen() }
//- /app/listen.go
package app

func (s *Server) listen() error { return nil }
//- /other/listen.go
package other

type Server struct{}

func (s *Server) Halt() {}
//- /Cargo.toml
[package]
name = "core"
//- /src/lib.rs
pub mod router;
pub mod routes;
//- /src/router.rs
pub struct Router { pub path: String }

impl Router {
    pub fn new() -> Self { Router { path: String::new() } }
}
//- /src/routes.rs
use crate::router::Router;

impl Router {
    pub fn nest(self) -> Self { self }
}
"#;

#[test]
fn members_in_other_files_are_members() {
    let ledger = MemoryLedger::new(APART);
    let members = |path: &str, name: &str| {
        let class = ledger.head().id(path, name);
        let slice = build(&ledger, &SliceRequest { entry_symbols: vec![class], ..SliceRequest::default() });
        let held = slice.doc.edges.iter().filter(|edge| edge.kind == Link::Member && edge.from == class);
        let mut held: Vec<String> = held.map(|edge| ledger.head().name(edge.to)).collect();
        held.sort();
        held
    };
    assert_eq!(members("app/server.go", "Server"), ["Server.Start", "Server.addr", "Server.listen"]);
    assert_eq!(members("other/listen.go", "Server"), ["Server.Halt"]);
    assert_eq!(members("src/router.rs", "Router"), ["Router::nest", "Router::new", "Router::path"]);
}

#[test]
fn a_task_that_is_or_spells_a_name_begins_with_what_it_names() {
    let ledger = MemoryLedger::new(
        r#"
//- /app/route.py
class Router:
    """Picks a handler."""

    def match(self, path):
        """Matches a path of the router, path by path."""


def path_matching(path):
    """How path matching goes in the router: path matching, and matching of paths."""


def b():
    pass
"#,
    );
    for (text, first) in [
        ("Router", "Router"),
        ("how does path matching in Router work", "Router"),
        ("path_matching", "path_matching"),
        ("b", "b"),
    ] {
        assert_eq!(names(&build(&ledger, &task(text)))[0], first, "{text}");
    }
}

#[test]
fn an_installed_copy_is_the_source_under_another_folder() {
    let ledger = MemoryLedger::new(
        "
//- /src/flask/app.py
class Flask:
    def dispatch(self):
        return 1
//- /src/flask/json/decoder.py
def decode(text):
    return text
",
    );
    let traced = |trace: &str| {
        let request =
            SliceRequest { stack_trace: Some(trace.into()), evidence: true, ..task("dispatch a request") };
        let head = ledger.head();
        let source = head.source();
        let found = slice::Neighbourhood::of(&source, &request, &Plain).unwrap();
        let evidence = found.slice(4_000).unwrap().evidence.unwrap();
        let lane = evidence.lanes.iter().find(|lane| lane.lane == "stackTrace").unwrap().candidates;
        let missed: Vec<String> = found.missed().iter().map(|missed| missed.field.to_owned()).collect();
        (lane, missed)
    };
    let frame =
        |path: &str, line: u32, function: &str| format!("  File \"{path}\", line {line}, in {function}");
    let none: [String; 0] = [];
    let installed = "/usr/lib/python3.11/site-packages/flask/app.py";
    assert_eq!(traced(&frame(installed, 3, "dispatch")), (1, none.clone().into()));
    assert_eq!(traced(&frame(installed, 900, "dispatch")), (1, none.clone().into()), "of another release");
    let alike = "/usr/lib/python3.11/json5/decoder.py";
    assert_eq!(traced(&frame(alike, 900, "decode")), (0, vec!["stackTrace".to_owned()]));
    assert_eq!(traced("it just fails"), (0, vec!["stackTrace".to_owned()]));
}

#[test]
fn what_points_to_nothing_is_said() {
    let ledger = shop();
    let missed = |path: &str| {
        let request = SliceRequest { failing_test_path: Some(path.into()), ..task("checkout") };
        let head = ledger.head();
        let source = head.source();
        let found = slice::Neighbourhood::of(&source, &request, &Plain).unwrap();
        found.missed().iter().map(|missed| format!("{}: {}", missed.field, missed.why)).collect::<Vec<_>>()
    };
    assert_eq!(missed("tests/test_cart.py::test_checkout"), [""; 0]);
    assert_eq!(missed("tests/test_cart.py"), [""; 0]);
    assert_eq!(missed("tests/test_gone.py"), ["failingTestPath: tests/test_gone.py is not indexed"]);
    assert_eq!(
        missed("tests/test_cart.py::test_gone"),
        ["failingTestPath: tests/test_cart.py has no test \"test_gone\"; all of its tests were taken"]
    );
}

#[test]
fn start_symbols_say_which_lanes_put_them_forward() {
    let ledger = shop();
    let entry = ledger.head().id("shop/cart.py", "Cart.checkout");
    let request = SliceRequest { evidence: true, entry_symbols: vec![entry], ..task("checkout a cart") };
    let starts = build(&ledger, &request).evidence.unwrap().start_symbols;
    assert_eq!(
        (starts[0].symbol_id, &starts[0].lanes[..]),
        (entry, &["entrySymbols".to_owned(), "taskText".to_owned()][..])
    );
    assert!(starts[1..].iter().all(|start| start.lanes == ["taskText"]), "{starts:?}");
}

#[test]
fn edited_variables_bring_their_users_after_all_that_must_be_there() {
    let ledger = MemoryLedger::new(
        "
//- /app/signals.py
started = object()
//- /app/main.py
from app.signals import started


def begin(bus):
    bus.emit(started)
",
    );
    let request = SliceRequest { edited_files: vec!["app/signals.py".into()], ..SliceRequest::default() };
    let slice = build(&ledger, &request);
    assert!(names(&slice).contains(&"begin"), "{:?}", names(&slice));
}

#[test]
fn a_search_that_stopped_says_so() {
    let ledger = shop();
    let stopped = |max_cards: u32| {
        let budget = Budget { max_cards, max_estimated_tokens: 20_000 };
        let built = build(&ledger, &SliceRequest { budget, ..task("warehouse stock cart price discount") });
        built.truncation.map(|truncation| truncation.search_stopped)
    };
    assert_eq!(stopped(2), Some(true));
    assert_ne!(stopped(60), Some(true));
}
