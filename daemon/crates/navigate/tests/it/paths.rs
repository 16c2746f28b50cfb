//! Ways from one symbol to another.

use std::collections::{HashMap, HashSet, VecDeque};

use sdl_model::SymbolId;
use sdl_navigate::paths::{Over, best_paths};
use sdl_navigate::{Filter, Graph};

use crate::ledger::{At, MemoryLedger};
use crate::trees::{MIXED, SHAPES, all_symbols, on_both};

fn ways(at: &At<'_>, graph: &Graph<'_, '_>, from: (&str, &str), to: (&str, &str), over: Over) -> Vec<String> {
    let ends = ([at.id(from.0, from.1)], [at.id(to.0, to.1)]);
    let found = best_paths(graph, (&ends.0, &ends.1), over, 5, &Filter::default()).unwrap();
    assert!(!found.gave_up);
    let names = |path: &sdl_navigate::paths::Path| {
        let hops: Vec<String> = path.hops.iter().map(|hop| at.name(hop.link.symbol)).collect();
        hops.join(" ")
    };
    found.paths.iter().map(names).collect()
}

#[test]
fn the_shortest_and_surest_way_comes_first() {
    let ledger = MemoryLedger::new(MIXED);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let found = ways(&at, &graph, ("web/a.ts", "first"), ("web/b.ts", "fourth"), Over::Calls);
    assert_eq!(found, ["second third fourth"], "no way goes around in a circle");
    let found = ways(&at, &graph, ("web/a.ts", "detour"), ("web/b.ts", "third"), Over::Calls);
    assert_eq!(found, ["third0 second third"]);
    let back = ways(&at, &graph, ("web/b.ts", "fourth"), ("web/a.ts", "first"), Over::AnyLink);
    assert!(back.is_empty());
}

#[test]
fn a_way_leads_through_what_a_call_may_run() {
    let ledger = MemoryLedger::new(SHAPES);
    let at = ledger.head();
    let source = at.source();
    let graph = Graph::new(&source);
    let to_circle = ("shapes/base.py", "Circle.area");
    let found = ways(&at, &graph, ("shapes/app.py", "main"), to_circle, Over::Calls);
    assert!(found.contains(&"total Circle.area".to_owned()), "{found:?}");
    let kinds = ways(&at, &graph, ("shapes/make.py", "KINDS"), ("shapes/base.py", "Circle"), Over::AnyLink);
    assert!(kinds.is_empty() || kinds == ["Circle"], "{kinds:?}");
}

/// The least number of links from a symbol to each other one, by search in breadth.
fn distances(graph: &Graph<'_, '_>, from: SymbolId) -> HashMap<SymbolId, usize> {
    let mut distance = HashMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(symbol) = queue.pop_front() {
        for link in graph.links_out(symbol).unwrap() {
            if !distance.contains_key(&link.symbol) {
                distance.insert(link.symbol, distance[&symbol] + 1);
                queue.push_back(link.symbol);
            }
        }
    }
    distance
}

#[test]
fn every_pair_has_a_way_exactly_if_links_lead_there() {
    on_both(|at, graph| {
        let symbols = all_symbols(at, graph.source());
        for from in &symbols {
            let distance = distances(graph, from.id);
            for to in symbols.iter().filter(|to| to.id != from.id) {
                let ends = (&[from.id][..], &[to.id][..]);
                let found = best_paths(graph, ends, Over::AnyLink, 4, &Filter::default()).unwrap();
                let shortest = found.paths.iter().map(|path| path.hops.len()).min();
                assert_eq!(
                    shortest,
                    distance.get(&to.id).copied(),
                    "{} to {}",
                    from.qualified(),
                    to.qualified()
                );
                for path in &found.paths {
                    let mut seen = HashSet::from([from.id]);
                    let mut place = from.id;
                    for hop in &path.hops {
                        assert_eq!(hop.from, place);
                        assert!(graph.links_out(place).unwrap().contains(&hop.link));
                        assert!(seen.insert(hop.link.symbol), "a way meets a symbol twice");
                        place = hop.link.symbol;
                    }
                    assert_eq!(place, to.id);
                }
                let unique: HashSet<_> = found.paths.iter().map(|path| format!("{path:?}")).collect();
                assert_eq!(unique.len(), found.paths.len(), "a way is listed twice");
            }
        }
    });
}
