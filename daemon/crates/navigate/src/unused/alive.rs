//! The nodes that roots reach, and the circles in which nodes depend on each other. Over numbers, without a ledger.
//!
//! Law: the alive nodes are the smallest set that contains the roots, with each alive node the ones that it leads to,
//! and the last node of each triple whose first two are alive.

/// Links between nodes.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// What each node leads to.
    pub out: Vec<Vec<u32>>,
    /// If the first two are alive, so is the third: a type, a member that is called, and the type's own member that
    /// overrides it.
    pub pairs: Vec<[u32; 3]>,
}

/// Whether each node is alive.
pub fn alive_nodes(links: &Links, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
    let mut alive = vec![false; links.out.len()];
    let mut halves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); links.out.len()];
    for [one, other, both] in &links.pairs {
        for (of, needs) in [(one, other), (other, one)] {
            if let Some(half) = halves.get_mut(*of as usize) {
                half.push((*needs, *both));
            }
        }
    }
    let mut waiting: Vec<u32> = roots.into_iter().collect();
    while let Some(node) = waiting.pop() {
        let Some(is_alive) = alive.get_mut(node as usize) else { continue };
        if std::mem::replace(is_alive, true) {
            continue;
        }
        waiting.extend(links.out.get(node as usize).into_iter().flatten());
        let ready = halves.get(node as usize).into_iter().flatten();
        waiting.extend(
            ready
                .filter(|(needs, _)| alive.get(*needs as usize).copied().unwrap_or(false))
                .map(|(_, both)| *both),
        );
    }
    alive
}

/// For each node, the number of its circle: the smallest node that it leads to and that leads to it, over nodes that
/// `is_in` accepts. None for a node that is in no circle with another. By Tarjan's algorithm (1972), without recursion.
pub fn circles(links: &Links, is_in: impl Fn(u32) -> bool) -> Vec<Option<u32>> {
    let count = links.out.len();
    let mut found = vec![None; count];
    let mut number = vec![0_u32; count];
    let mut low = vec![0_u32; count];
    let mut on_stack = vec![false; count];
    let mut stack: Vec<u32> = Vec::new();
    let mut next = 1;
    for start in (0..count as u32).filter(|node| is_in(*node)) {
        if number.get(start as usize) != Some(&0) {
            continue;
        }
        let mut walk: Vec<(u32, usize)> = vec![(start, 0)];
        while let Some((node, edge)) = walk.pop() {
            let at = node as usize;
            if edge == 0 {
                set(&mut number, at, next);
                set(&mut low, at, next);
                next += 1;
                stack.push(node);
                set(&mut on_stack, at, true);
            }
            let out = links.out.get(at).map_or(&[][..], Vec::as_slice);
            if let Some(to) = out.get(edge) {
                walk.push((node, edge + 1));
                if !is_in(*to) {
                    continue;
                }
                if get(&number, *to) == 0 {
                    walk.push((*to, 0));
                } else if on_stack.get(*to as usize) == Some(&true) {
                    let least = get(&low, node).min(get(&number, *to));
                    set(&mut low, at, least);
                }
                continue;
            }
            if get(&low, node) == get(&number, node) {
                close_circle(node, &mut stack, &mut on_stack, &mut found);
            }
            if let Some((up, _)) = walk.last() {
                let least = get(&low, *up).min(get(&low, node));
                set(&mut low, *up as usize, least);
            }
        }
    }
    found
}

fn close_circle(first: u32, stack: &mut Vec<u32>, on_stack: &mut [bool], found: &mut [Option<u32>]) {
    let start = stack.iter().rposition(|node| *node == first).unwrap_or(0);
    let members: Vec<u32> = stack.drain(start..).collect();
    let least = members.iter().min().copied().unwrap_or(first);
    for node in &members {
        set(on_stack, *node as usize, false);
        if members.len() > 1 {
            set(found, *node as usize, Some(least));
        }
    }
}

fn get(values: &[u32], at: u32) -> u32 {
    values.get(at as usize).copied().unwrap_or_default()
}

fn set<T>(values: &mut [T], at: usize, value: T) {
    if let Some(slot) = values.get_mut(at) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, from a seed.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as u32) % most
        }
    }

    fn random_links(numbers: &mut Numbers) -> Links {
        let count = 1 + numbers.below(9);
        let mut links = Links { out: vec![Vec::new(); count as usize], pairs: Vec::new() };
        for _ in 0..numbers.below(2 * count) {
            links.out[numbers.below(count) as usize].push(numbers.below(count));
        }
        for _ in 0..numbers.below(4) {
            links.pairs.push([numbers.below(count), numbers.below(count), numbers.below(count)]);
        }
        links
    }

    #[test]
    fn alive_is_the_smallest_set_that_the_law_names() {
        let mut numbers = Numbers(7);
        for _ in 0..3_000 {
            let links = random_links(&mut numbers);
            let count = links.out.len() as u32;
            let roots: Vec<u32> = (0..numbers.below(3)).map(|_| numbers.below(count)).collect();
            let mut naive = vec![false; count as usize];
            roots.iter().for_each(|root| naive[*root as usize] = true);
            loop {
                let before = naive.clone();
                for node in 0..count as usize {
                    if naive[node] {
                        links.out[node].iter().for_each(|to| naive[*to as usize] = true);
                    }
                }
                for [one, other, both] in &links.pairs {
                    if naive[*one as usize] && naive[*other as usize] {
                        naive[*both as usize] = true;
                    }
                }
                if naive == before {
                    break;
                }
            }
            assert_eq!(alive_nodes(&links, roots.clone()), naive, "{links:?} from {roots:?}");
        }
    }

    #[test]
    fn a_circle_is_what_leads_to_each_other() {
        let mut numbers = Numbers(11);
        for _ in 0..3_000 {
            let links = random_links(&mut numbers);
            let count = links.out.len();
            let inside: Vec<bool> = (0..count).map(|_| numbers.below(4) > 0).collect();
            let mut leads = vec![vec![false; count]; count];
            for (node, out) in links.out.iter().enumerate() {
                for to in out {
                    leads[node][*to as usize] = inside[node] && inside[*to as usize];
                }
            }
            for via in 0..count {
                for from in 0..count {
                    for to in 0..count {
                        leads[from][to] |= leads[from][via] && leads[via][to];
                    }
                }
            }
            let naive: Vec<Option<u32>> = (0..count)
                .map(|node| {
                    let together: Vec<usize> =
                        (0..count).filter(|other| leads[node][*other] && leads[*other][node]).collect();
                    together.iter().any(|other| *other != node).then(|| together[0] as u32)
                })
                .collect();
            assert_eq!(circles(&links, |node| inside[node as usize]), naive, "{links:?} {inside:?}");
        }
    }
}
