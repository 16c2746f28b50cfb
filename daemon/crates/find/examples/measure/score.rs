//! How many needs are met how early.

use crate::set::{Query, Set};

const DEPTHS: [usize; 4] = [1, 3, 5, 10];

/// Prints a line for each kind of query among those that are `wanted`.
pub(crate) fn print_table(name: &str, set: &Set, lists: &[Vec<usize>], wanted: &dyn Fn(&Query) -> bool) {
    println!("{name}");
    for kind in ["step", "gap", "task", "agent"] {
        let mut sums = [0.0; 4];
        let mut count = 0;
        for (query, list) in set.queries.iter().zip(lists) {
            // Later searches of an agent are those that its own search had failed.
            let is_later = kind == "agent" && !query.id.ends_with("-1");
            if query.kind != kind || is_later || query.needs.is_empty() || !wanted(query) {
                continue;
            }
            count += 1;
            for (sum, depth) in sums.iter_mut().zip(DEPTHS) {
                *sum += share_met(query, list, depth);
            }
        }
        if count > 0 {
            let label = if kind == "agent" { "agent, first search: useful" } else { kind };
            let cells: String =
                sums.iter().map(|sum| format!("{:7.1}", 100.0 * sum / f64::from(count))).collect();
            println!("  {label:<28}{count:4}{cells}");
        }
    }
}

/// The share of the needs that the first `depth` meet; for an agent's search, whether they meet any.
fn share_met(query: &Query, list: &[usize], depth: usize) -> f64 {
    let is_met = |need: &&Vec<usize>| list.iter().take(depth).any(|at| need.contains(at));
    let met = query.needs.iter().filter(is_met).count();
    if query.kind == "agent" { f64::from(u8::from(met > 0)) } else { met as f64 / query.needs.len() as f64 }
}
