//! Callers, callees, implementations, supertypes.

use std::collections::{BTreeSet, HashMap};

use sdl_model::SymbolId;
use sdl_navigate::related::{Relation, related_symbols};
use sdl_navigate::{Filter, Graph};

use crate::ledger::{At, MemoryLedger};
use crate::trees::{SHAPES, all_symbols, naive_calls, on_both};

/// The rows of an answer as `depth name`, in order.
fn rows(
    at: &At<'_>,
    graph: &Graph<'_, '_>,
    asked: (&str, &str),
    relation: Relation,
    depth: u32,
) -> Vec<String> {
    let sym = graph.source().symbol(at.id(asked.0, asked.1)).unwrap().unwrap();
    let tree = related_symbols(graph, &[sym], relation, depth, &Filter::default()).unwrap();
    assert!(!tree.is_cut);
    tree.rows.iter().map(|row| format!("{} {}", row.depth, row.listed.qualified())).collect()
}

#[test]
fn callers_of_a_base_reach_the_member_that_overrides_it() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let callers = rows(&at, &graph, ("shapes/base.py", "Square.area"), Relation::Callers, 2);
    assert_eq!(callers, ["1 Shape.describe", "2 main", "1 total", "2 main"].map(str::to_owned)[..3].to_vec());
    let makers = rows(&at, &graph, ("shapes/base.py", "Square"), Relation::Callers, 1);
    assert_eq!(makers, ["1 make_square"]);
    let derived = rows(&at, &graph, ("shapes/base.py", "Shape"), Relation::Implementations, 1);
    assert_eq!(derived, ["1 Square", "1 Circle"]);
    let over = rows(&at, &graph, ("shapes/base.py", "Shape.label"), Relation::Implementations, 1);
    assert_eq!(over, ["1 Circle.label"]);
    let bases = rows(&at, &graph, ("shapes/base.py", "Circle.area"), Relation::Supertypes, 1);
    assert_eq!(bases, ["1 Shape.area"]);
}

/// The distances from `start` over `pairs`, by relaxing every pair until nothing changes.
fn naive_distances(start: SymbolId, pairs: &[(SymbolId, SymbolId)]) -> HashMap<SymbolId, u32> {
    let mut distance = HashMap::from([(start, 0)]);
    loop {
        let mut changed = false;
        for (from, to) in pairs {
            let Some(next) = distance.get(from).map(|d| d + 1) else { continue };
            if distance.get(to).is_none_or(|known| *known > next) {
                distance.insert(*to, next);
                changed = true;
            }
        }
        if !changed {
            return distance;
        }
    }
}

#[test]
fn each_symbol_is_listed_once_at_its_least_depth() {
    on_both(|at, graph| {
        let symbols = all_symbols(at, graph.source());
        let calls = naive_calls(graph, &symbols);
        let reverse: Vec<_> = calls.iter().map(|(from, to)| (*to, *from)).collect();
        for (sym, depth) in symbols.iter().flat_map(|sym| [1, 2, 10].map(|depth| (sym, depth))) {
            for (relation, pairs) in [(Relation::Callees, &calls), (Relation::Callers, &reverse)] {
                // A type's callers are also those of its constructor.
                if relation == Relation::Callers && sym.kind().is_type() {
                    continue;
                }
                let tree =
                    related_symbols(graph, std::slice::from_ref(sym), relation, depth, &Filter::default())
                        .unwrap();
                let listed: Vec<_> = tree.rows.iter().map(|row| (row.symbol, row.depth)).collect();
                let unique: BTreeSet<_> = listed.iter().copied().collect();
                assert_eq!(listed.len(), unique.len(), "a symbol is listed twice");
                let mut expected: Vec<_> = naive_distances(sym.id, pairs).into_iter().collect();
                expected.retain(|(symbol, at)| *symbol != sym.id && *at <= depth);
                // The asked symbol is related to itself at the end of the shortest circle.
                let around = expected.iter().filter(|(symbol, _)| pairs.contains(&(*symbol, sym.id)));
                let around = around.map(|(_, at)| at + 1).min();
                let itself = if pairs.contains(&(sym.id, sym.id)) { Some(1) } else { around };
                expected.extend(itself.filter(|at| *at <= depth).map(|at| (sym.id, at)));
                expected.sort_unstable();
                // Callers go through types to their constructors at deeper steps, which the naive count does not.
                let mut listed = listed;
                listed.sort_unstable();
                assert_eq!(listed, expected, "{relation:?} of {} to {depth}", sym.qualified());
            }
        }
    });
}

#[test]
fn a_row_is_below_the_symbol_that_it_is_related_to() {
    on_both(|at, graph| {
        for sym in all_symbols(at, graph.source()) {
            let of = [sym.clone()];
            let tree = related_symbols(graph, &of, Relation::Callees, 10, &Filter::default()).unwrap();
            for (place, row) in tree.rows.iter().enumerate() {
                let Some(parent) = row.parent else {
                    assert_eq!((row.depth, row.of), (1, sym.id));
                    continue;
                };
                let above = &tree.rows[parent];
                assert!(parent < place && above.symbol == row.of && above.depth + 1 == row.depth);
            }
        }
    });
}

#[test]
fn filters_leave_out_symbols_and_what_only_they_lead_to() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let sym = source.symbol(at.id("shapes/app.py", "main")).unwrap().unwrap();
    let names = |filter: &Filter| -> Vec<String> {
        let tree = related_symbols(&graph, std::slice::from_ref(&sym), Relation::Callers, 3, filter).unwrap();
        tree.rows.iter().map(|row| row.listed.qualified().to_owned()).collect()
    };
    assert_eq!(names(&Filter::default()), ["Plugin.on_start", "helper", "test_main"]);
    let no_tests = Filter { include_tests: false, ..Filter::default() };
    assert_eq!(names(&no_tests), ["Plugin.on_start"]);
    let sure = Filter { min_confidence: 100, ..Filter::default() };
    assert!(names(&sure).is_empty());
}
