use sdl_retrieve::card::{CardOptions, Detail, Plain};
use sdl_retrieve::slice::{self, Budget, BuiltSlice, SliceRequest, WireFormat};
use sdl_retrieve::{Error, LaneStatus, UserError, wire};

use crate::ledger::MemoryLedger;
use crate::shop::shop;

fn build(ledger: &MemoryLedger, request: &SliceRequest) -> BuiltSlice {
    slice::build(&ledger.head().source(), request, &Plain).unwrap()
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
            let tokens = sdl_tokens::count(&serde_json::to_string(&slice.json).unwrap()) as u32;
            assert_eq!((tokens, slice.doc.estimated_tokens), (slice.tokens, tokens), "{wire_format:?}");
            let fits = tokens <= max_estimated_tokens || slice.doc.cards.is_empty();
            assert!(fits, "{tokens} > {max_estimated_tokens} in {wire_format:?}");
            assert!(slice.doc.cards.len() <= 12);
            let text = sdl_tokens::count(&wire::text(&slice.doc)) as u32;
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
    let refused = |request: &SliceRequest| slice::build(&head.source(), request, &Plain).unwrap_err();
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
            let page =
                slice::page(&source, &with_gone, (at, size), max_tokens, CardOptions::default(), &Plain)
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
fn the_best_are_told_whole_and_the_rest_named_until_there_is_room_for_more() {
    let ledger = shop();
    let text = "warehouse stock cart price discount";
    let sized = |max_estimated_tokens: u32| {
        let budget = Budget { max_cards: 12, max_estimated_tokens };
        build(&ledger, &SliceRequest { budget, ..task(text) })
    };
    let (small, large) = (sized(700), sized(8_000));
    assert_eq!(details(&small).last(), Some(&"minimal"), "{:?}", details(&small));
    assert!(!details(&large).contains(&"minimal"), "{:?}", details(&large));
    assert!(small.doc.cards.len() <= large.doc.cards.len());
    // The same symbols come first, whatever the size.
    let first: Vec<&str> = names(&large).into_iter().take(small.doc.cards.len()).collect();
    assert_eq!(names(&small), first);
    // With room for all, no edge between the cards is left out.
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
