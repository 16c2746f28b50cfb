//! Finds the known names that a misspelled one may mean.

/// Returns the known names nearest to `wanted`, best first, at most `limit`. Case does not count. A name that
/// contains or starts with the other is near, such as `symbol` and `symbolId`; otherwise at most a third of the
/// letters may differ.
pub fn nearest_names<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let wanted = fold_name(wanted);
    let mut scored: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let folded = fold_name(name);
            let distance = edit_distance(&wanted, &folded);
            let longest = wanted.len().max(folded.len());
            let contained = wanted.len() >= 3 && folded.len() >= 3 && contains_other(&wanted, &folded);
            (distance * 3 <= longest || contained).then_some((distance, name))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Letters and digits in lower case: `symbol_id` and `symbolId` are the same.
fn fold_name(name: &str) -> Vec<char> {
    // Long input is cut, because no known name is that long and the distance takes quadratic time.
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

fn contains_other(a: &[char], b: &[char]) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.windows(short.len()).any(|window| window == short)
}

/// The number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment). For example,
/// `serach` is 1 from `search`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        before = above;
        above = row;
    }
    above.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["symbolId", "symbolRef", "detail", "ifNoneMatch", "minCallConfidence"];
        for (wanted, meant) in [
            ("symbol", "symbolId"),
            ("symbolld", "symbolId"),
            ("detial", "detail"),
            ("IFNONEMATCH", "ifNoneMatch"),
            ("confidence", "minCallConfidence"),
        ] {
            assert_eq!(nearest_names(wanted, known, 1), [meant], "{wanted}");
        }
        assert!(nearest_names("zzz", known, 3).is_empty());
        assert!(nearest_names("", known, 3).is_empty());
    }
}
