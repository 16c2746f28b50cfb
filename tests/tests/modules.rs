//! Holds the modules of `sdl-tools` to floors: no folder uses one that uses it, on whatever way, and neither does a module inside
//! its folders.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of a test fail it")]

use sdl_tests::module_graph::ModuleGraph;

fn assert_floors(depth: usize) {
    let graph = ModuleGraph::of_crate("daemon/crates/tools/src").grouped(depth);
    // One that finds nothing would find no cycle either.
    let arrows: Vec<(String, String)> = graph.arrows().collect();
    for arrow in [("actions", "call"), ("call", "host")] {
        let is_there = |(from, to): &(String, String)| from.starts_with(arrow.0) && to.starts_with(arrow.1);
        assert!(arrows.iter().any(is_there), "{arrow:?} is not among {} arrows", arrows.len());
    }
    let cycles: Vec<String> = graph.cycles().iter().map(|cycle| cycle.join(" <-> ")).collect();
    assert!(cycles.is_empty(), "modules that use each other:\n  {}", cycles.join("\n  "));
}

#[test]
fn folders_are_on_floors() {
    assert_floors(1);
}

#[test]
fn modules_in_folders_are_on_floors() {
    assert_floors(2);
}
