//! Grouping by local moves: each node joins the neighbouring group that gains most, until none moves; then groups are
//! the nodes of the next round. Integers and a fixed order throughout: the same on every machine.

/// Moves over all nodes of one round; Each raises the gain, so only contrived graphs reach this limit.
const MOST_SWEEPS: usize = 32;
/// Rounds of groups of groups.
const MOST_ROUNDS: usize = 16;

struct Nodes {
    near: Vec<Vec<(u32, u64)>>,
    /// Weight inside a node that represents several.
    own: Vec<u64>,
}

/// The group of each node, numbered from 0 in order of their first nodes. `near` is symmetric and without loops.
pub(super) fn find_groups(near: &[Vec<(u32, u64)>]) -> Vec<u32> {
    let mut of: Vec<u32> = (0..near.len() as u32).collect();
    let mut nodes = Nodes { near: near.to_vec(), own: vec![0; near.len()] };
    for _ in 0..MOST_ROUNDS {
        let (moved, count) = one_round(&nodes);
        for group in &mut of {
            *group = value_at(&moved, *group);
        }
        if count == nodes.near.len() {
            break;
        }
        nodes = merge_groups(&nodes, &moved, count);
    }
    of
}

fn value_at<T: Copy + Default>(list: &[T], at: u32) -> T {
    list.get(at as usize).copied().unwrap_or_default()
}

fn add_weight(list: &mut [u64], at: u32, weight: u64) {
    if let Some(sum) = list.get_mut(at as usize) {
        *sum += weight;
    }
}

/// Each node's group after moving, and how many groups there are.
fn one_round(nodes: &Nodes) -> (Vec<u32>, usize) {
    let count = nodes.near.len();
    let weight = |(near, own): (&Vec<(u32, u64)>, &u64)| near.iter().map(|(_, w)| w).sum::<u64>() + 2 * own;
    let weights: Vec<u64> = nodes.near.iter().zip(&nodes.own).map(weight).collect();
    let all: u64 = weights.iter().sum();
    let mut group: Vec<u32> = (0..count as u32).collect();
    let mut total = weights.clone();
    let mut into = vec![0u64; count];
    for _ in 0..MOST_SWEEPS {
        let mut moved = false;
        for (node, near) in (0u32..).zip(&nodes.near) {
            let (mine, from) = (value_at(&weights, node), value_at(&group, node));
            let mut seen = Vec::with_capacity(near.len());
            for (other, weight) in near {
                let other = value_at(&group, *other);
                if value_at(&into, other) == 0 {
                    seen.push(other);
                }
                add_weight(&mut into, other, *weight);
            }
            if let Some(total) = total.get_mut(from as usize) {
                *total -= mine;
            }
            // The gain in modularity from joining a group, times a constant.
            let gain = |to: u32| {
                i128::from(value_at(&into, to)) * i128::from(all)
                    - i128::from(mine) * i128::from(value_at(&total, to))
            };
            let mut best = (gain(from), from);
            seen.sort_unstable();
            for to in &seen {
                let gain = gain(*to);
                if gain > best.0 {
                    best = (gain, *to);
                }
            }
            add_weight(&mut total, best.1, mine);
            if best.1 != from {
                moved = true;
                if let Some(group) = group.get_mut(node as usize) {
                    *group = best.1;
                }
            }
            for to in seen {
                if let Some(into) = into.get_mut(to as usize) {
                    *into = 0;
                }
            }
        }
        if !moved {
            break;
        }
    }
    renumber_groups(&group)
}

/// Numbers groups from 0 in order of their first nodes.
fn renumber_groups(group: &[u32]) -> (Vec<u32>, usize) {
    let mut number: Vec<Option<u32>> = vec![None; group.len()];
    let mut count = 0;
    let mut out = Vec::with_capacity(group.len());
    for group in group {
        let Some(number) = number.get_mut(*group as usize) else { continue };
        out.push(*number.get_or_insert_with(|| {
            count += 1;
            count - 1
        }));
    }
    (out, count as usize)
}

/// One node for each group.
fn merge_groups(nodes: &Nodes, group: &[u32], count: usize) -> Nodes {
    let mut own = vec![0u64; count];
    let mut pairs: Vec<(u32, u32, u64)> = Vec::new();
    for (node, near) in (0u32..).zip(&nodes.near) {
        let from = value_at(group, node);
        add_weight(&mut own, from, value_at(&nodes.own, node));
        for (other, weight) in near {
            let to = value_at(group, *other);
            if to != from {
                pairs.push((from, to, *weight));
            } else if *other > node {
                add_weight(&mut own, from, *weight);
            }
        }
    }
    pairs.sort_unstable();
    let mut near: Vec<Vec<(u32, u64)>> = vec![Vec::new(); count];
    for (from, to, weight) in pairs {
        let Some(near) = near.get_mut(from as usize) else { continue };
        match near.last_mut() {
            Some((last, sum)) if *last == to => *sum += weight,
            _ => near.push((to, weight)),
        }
    }
    Nodes { near, own }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symmetric(count: usize, edges: &[(u32, u32, u64)]) -> Vec<Vec<(u32, u64)>> {
        let mut near = vec![Vec::new(); count];
        for (a, b, w) in edges {
            near[*a as usize].push((*b, *w));
            near[*b as usize].push((*a, *w));
        }
        for near in &mut near {
            near.sort_unstable();
        }
        near
    }

    #[test]
    fn two_triangles_are_two_groups() {
        let edges = [(0, 1, 5), (1, 2, 5), (0, 2, 5), (3, 4, 5), (4, 5, 5), (3, 5, 5), (2, 3, 1)];
        assert_eq!(find_groups(&symmetric(7, &edges)), [0, 0, 0, 1, 1, 1, 2]);
        assert!(find_groups(&[]).is_empty());
    }

    #[test]
    fn a_ring_of_cliques_keeps_its_cliques() {
        let mut edges = Vec::new();
        for clique in 0..8u32 {
            let first = clique * 5;
            for a in 0..5 {
                for b in a + 1..5 {
                    edges.push((first + a, first + b, 10));
                }
            }
            edges.push((first, (first + 9) % 40, 1));
        }
        let groups = find_groups(&symmetric(40, &edges));
        let wanted: Vec<u32> = (0..40).map(|node| node / 5).collect();
        assert_eq!(groups, wanted);
    }
}
