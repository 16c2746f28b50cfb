use std::collections::BTreeSet;

use sdl_model::SymbolKind;
use sdl_retrieve::search::{SearchRequest, SearchResponse, search};
use sdl_retrieve::{Error, LaneStatus, UserError};

use crate::ledger::MemoryLedger;
use crate::shop::{edit, shop};

fn find(ledger: &MemoryLedger, request: &SearchRequest) -> SearchResponse {
    search(&ledger.head().source(), request).unwrap()
}

fn names(response: &SearchResponse) -> Vec<&str> {
    response.results.iter().map(|hit| hit.qualified_name.as_str()).collect()
}

#[test]
fn the_exact_name_comes_first() {
    let ledger = shop();
    for (query, first) in [
        ("reserve", "Warehouse.reserve"),
        ("Warehouse.reserve", "Warehouse.reserve"),
        ("warehouse", "Warehouse"),
        ("checkout()", "Cart.checkout"),
        ("total_price", "total_price"),
    ] {
        let found = find(&ledger, &SearchRequest::new(query));
        assert_eq!(names(&found)[0], first, "{query}");
    }
}

#[test]
fn words_find_what_they_describe() {
    let ledger = shop();
    for (query, first) in [
        ("how many are left", "Warehouse.available"),
        ("pricing of all items with discounts", "total_price"),
        ("reading stock counts from file", "load_warehouse"),
        ("customer buying", "Cart"),
    ] {
        let found = find(&ledger, &SearchRequest::new(query));
        assert_eq!(names(&found)[0], first, "{query}: {:?}", names(&found));
    }
}

#[test]
fn prefixes_find_names() {
    let ledger = shop();
    let found = find(&ledger, &SearchRequest::new("load_w"));
    assert_eq!(names(&found)[0], "load_warehouse");
}

#[test]
fn filters() {
    let ledger = shop();
    let only = |kinds: &[SymbolKind], glob: Option<&str>| SearchRequest {
        kinds: kinds.to_vec(),
        path_glob: glob.map(str::to_owned),
        ..SearchRequest::new("cart checkout price")
    };
    let classes = find(&ledger, &only(&[SymbolKind::Class], None));
    assert!(classes.results.iter().all(|hit| hit.kind == SymbolKind::Class) && classes.total > 0);
    let pricing = find(&ledger, &only(&[], Some("shop/pric*.py")));
    assert!(pricing.results.iter().all(|hit| hit.file == "shop/pricing.py") && pricing.total > 2);
    let tests = find(&ledger, &only(&[], Some("tests")));
    assert!(tests.results.iter().all(|hit| hit.file.starts_with("tests/")) && tests.total > 0);
    let bad = search(&ledger.head().source(), &only(&[], Some("a[")));
    assert!(matches!(bad, Err(Error::User(UserError::BadGlob(_)))));
}

#[test]
fn exact_is_letter_for_letter() {
    let ledger = shop();
    let exact = |query: &str| {
        let request = SearchRequest { exact: true, ..SearchRequest::new(query) };
        names(&find(&ledger, &request)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(exact("Cart"), ["Cart"]);
    assert_eq!(exact("cart"), ["cart"], "the module");
    assert_eq!(exact("Cart.add"), ["Cart.add"]);
    assert_eq!(exact("CART"), Vec::<String>::new());
    assert_eq!(exact("Other.add"), Vec::<String>::new());
}

#[test]
fn patterns() {
    let ledger = shop();
    let request = SearchRequest {
        regex: true,
        kinds: vec![SymbolKind::Function],
        ..SearchRequest::new("^(total|unit)_price$")
    };
    let found = find(&ledger, &request);
    assert_eq!(
        names(&found).into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from(["total_price", "unit_price"])
    );
    for hostile in ["(", "(a{999}){999}", &"a".repeat(5_000), &"(".repeat(300)] {
        let request = SearchRequest { regex: true, ..SearchRequest::new(hostile) };
        let refused = search(&ledger.head().source(), &request);
        assert!(matches!(refused, Err(Error::User(UserError::BadRegex(_)))));
    }
}

#[test]
fn misspelled_names_have_near_misses() {
    let ledger = shop();
    let found = find(&ledger, &SearchRequest::new("Warehuose"));
    assert_eq!((found.total, found.results.len()), (0, 0));
    assert_eq!(found.near_misses[0].qualified_name, "Warehouse");
}

#[test]
fn pages_are_one_list() {
    let ledger = shop();
    let all = find(&ledger, &SearchRequest::new("price discount item stock"));
    assert!(all.total > 6 && all.cursor.is_none());
    let mut request = SearchRequest { limit: 3, ..SearchRequest::new("price discount item stock") };
    let mut paged = Vec::new();
    loop {
        let page = find(&ledger, &request);
        assert_eq!(page.total, all.total);
        paged.extend(page.results);
        request.cursor = page.cursor;
        if request.cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, all.results);
}

#[test]
fn a_cursor_does_not_outlive_its_version() {
    let mut ledger = shop();
    let mut request = SearchRequest { limit: 1, ..SearchRequest::new("price") };
    request.cursor = find(&ledger, &request).cursor;
    assert!(request.cursor.is_some());
    edit(&mut ledger, "shop/report.py", "sold", "bought");
    let stale = search(&ledger.head().source(), &request);
    assert!(matches!(stale, Err(Error::User(UserError::StaleCursor))));
}

#[test]
fn evidence_names_every_lane() {
    let ledger = shop();
    let request = SearchRequest { evidence: true, semantic: true, ..SearchRequest::new("reserve zzyzx") };
    let evidence = find(&ledger, &request).retrieval_evidence.unwrap();
    let lanes: Vec<(&str, LaneStatus)> =
        evidence.lanes.iter().map(|lane| (lane.lane.as_str(), lane.status)).collect();
    assert_eq!(
        lanes,
        [
            ("exactName", LaneStatus::Ok),
            ("path", LaneStatus::Skipped),
            ("prefix", LaneStatus::Skipped),
            ("bm25", LaneStatus::Ok),
            ("file", LaneStatus::Ok),
            ("semantic", LaneStatus::Unavailable)
        ]
    );
    assert_eq!(evidence.unmatched_terms, ["zzyzx"]);
}

#[test]
fn nothing_to_search_for_is_an_error() {
    let ledger = shop();
    for query in ["", "  ", "?!", "the"] {
        let refused = search(&ledger.head().source(), &SearchRequest::new(query));
        let named = matches!(&refused, Ok(found) if query == "the" && found.total == 0);
        assert!(
            named || matches!(refused, Err(Error::User(UserError::EmptyQuery))),
            "{query:?}: {refused:?}"
        );
    }
}

#[test]
fn a_single_letter_is_a_name_too() {
    let mut ledger = shop();
    ledger.write(&[("shop/letters.py", Some(b"def q():\n    return 1\n"))]);
    let exact = SearchRequest { exact: true, ..SearchRequest::new("q") };
    for request in [SearchRequest::new("q"), SearchRequest::new("q()"), exact] {
        assert_eq!(names(&find(&ledger, &request)), ["q"], "{request:?}");
    }
    let nothing = search(&ledger.head().source(), &SearchRequest::new("( , )"));
    assert!(matches!(nothing, Err(Error::User(UserError::EmptyQuery))));
}
