//! Dependents of a change, and the tests among them.

use std::collections::BTreeSet;

use sdl_model::EdgeKind;
use sdl_navigate::execution::{select_tests, test_commands};
use sdl_navigate::reach::{Limits, MAX_REACHED, find_dependents};
use sdl_navigate::{Filter, Graph};

use crate::ledger::{At, MemoryLedger};
use crate::trees::{MIXED, SHAPES, all_symbols, on_both};

const ALL: Limits = Limits { distance: 50, holders: true, most: MAX_REACHED };

fn tests_of(at: &At<'_>, graph: &Graph<'_, '_>, changed: (&str, &str)) -> Vec<String> {
    let origins = [at.id(changed.0, changed.1)];
    let reach = find_dependents(graph, &origins, ALL, &Filter::default()).unwrap();
    let tests = select_tests(graph.source(), &origins, &reach).unwrap();
    let mut ids: Vec<String> = tests.into_iter().map(|test| test.id).collect();
    ids.sort();
    ids
}

#[test]
fn tests_are_found_over_calls_overrides_fixtures_and_holders() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let of = |name: &str| format!("tests/test_shapes.py::{name}");
    assert_eq!(
        tests_of(&at, &graph, ("shapes/make.py", "sum_up")),
        [of("TestPlugin::test_load"), of("test_main"), of("test_sum")],
        "through total and main; on_start, which only a framework calls, through Plugin and load"
    );
    assert_eq!(
        tests_of(&at, &graph, ("shapes/base.py", "Square.area")),
        [of("TestPlugin::test_load"), of("test_main")],
        "a call of Shape.area may run it"
    );
    assert_eq!(
        tests_of(&at, &graph, ("shapes/make.py", "make_square")),
        [of("TestPlugin::test_load"), of("test_main"), of("test_square")],
        "a fixture makes one"
    );
    assert_eq!(tests_of(&at, &graph, ("tests/test_shapes.py", "test_nothing")), [of("test_nothing")]);
}

#[test]
fn tests_are_named_as_their_runners_name_them() {
    let ledger = MemoryLedger::new(MIXED);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    assert_eq!(tests_of(&at, &graph, ("src/walk.rs", "count")), ["walk::tests::runs"]);
    assert_eq!(tests_of(&at, &graph, ("web/b.ts", "fourth")), ["web/a.test.ts > goes first"]);
    let origins = [at.id("src/walk.rs", "count"), at.id("web/b.ts", "fourth")];
    let reach = find_dependents(&graph, &origins, ALL, &Filter::default()).unwrap();
    let tests = select_tests(&source, &origins, &reach).unwrap();
    assert_eq!(
        test_commands(source.view(), &tests).unwrap(),
        ["cargo test --lib -- --exact walk::tests::runs", "npx jest web/a.test.ts"]
    );
}

#[test]
fn dependents_are_closed_under_links() {
    let limits = Limits { distance: 50, holders: false, most: MAX_REACHED };
    on_both(|at, graph| {
        for sym in all_symbols(at, graph.source()) {
            let reach = find_dependents(graph, &[sym.id], limits, &Filter::default()).unwrap();
            let found: BTreeSet<_> = reach.reached.iter().map(|one| one.symbol).collect();
            assert_eq!(found.len(), reach.reached.len(), "a dependent is listed twice");
            for one in &reach.reached {
                let way = reach.way(one.symbol);
                assert_eq!(way.len() as u32, one.distance + 1);
                assert_eq!(way.last(), Some(&sym.id));
                if one.listed.is_test_case() {
                    continue;
                }
                for link in graph.links_in(one.symbol).unwrap() {
                    let carries = link.kind != EdgeKind::Import && link.symbol != sym.id;
                    assert!(!carries || found.contains(&link.symbol), "{}", at.name(link.symbol));
                }
            }
        }
    });
}
