//! Words that are nearly another: typing errors, longer and shorter forms, words written together or apart.

/// A word with a typing error counts this much of the word that was meant.
pub(crate) const MISTYPED: f64 = 0.7;
/// Another form of a word that the stems keep apart, such as `analysis` and `analytics`, counts this much.
pub(crate) const FAMILY: f64 = 0.5;
/// Shorter words are not compared, because too many words are near to them.
const SHORTEST: usize = 4;
/// From this length on, two errors are forgiven.
const LONG: usize = 8;
/// Forms of one word have a beginning of at least this length in common, and no more than [`MOST_END`] letters after it.
const LEAST_COMMON: usize = 5;
const MOST_END: usize = 3;

/// Whether [`nearness`] can say anything about a term.
pub(crate) fn is_comparable(term: &str) -> bool {
    term.len() >= SHORTEST && term.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns how much `other` counts for `term`, 0 if they are not near.
pub(crate) fn nearness(term: &str, other: &str) -> f64 {
    if !is_comparable(other) || term.as_bytes().first() != other.as_bytes().first() {
        return 0.0;
    }
    if is_mistyped(term, other) {
        return MISTYPED;
    }
    let common = term.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let ends_short = term.len().max(other.len()) - common <= MOST_END;
    if common >= LEAST_COMMON && ends_short { FAMILY } else { 0.0 }
}

/// Whether one word is the other with an error or two: a letter too many, too few, wrong or exchanged with the next.
pub(crate) fn is_mistyped(term: &str, other: &str) -> bool {
    let most = if term.len() < LONG { 1 } else { 2 };
    term.len() > SHORTEST
        && other.len() > SHORTEST
        && distance_up_to(term.as_bytes(), other.as_bytes(), most) <= most
}

/// Optimal string alignment distance; anything above `most` may be given as `most + 1`.
fn distance_up_to(a: &[u8], b: &[u8], most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut least =
                (get(&last, j + 1) + 1).min(get(&row, j) + 1).min(get(&last, j) + usize::from(x != y));
            let is_exchange = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if is_exchange {
                least = least.min(get(&before, j - 1) + 1);
            }
            row.push(least);
        }
        if row.iter().all(|distance| *distance > most) {
            return most + 1;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(most + 1)
}

/// Returns the two words that a long one may be made of, such as `web` and `page`, in every way to cut it.
pub(crate) fn halves(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_long = word.len() >= 6 && word.is_ascii();
    let cuts = if is_long { 3..word.len() - 2 } else { 0..0 };
    cuts.filter_map(move |at| word.split_at_checked(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_typing_are_forgiven() {
        for (typed, meant) in
            [("wether", "weather"), ("serach", "search"), ("directoyr", "directory"), ("recieve", "receive")]
        {
            assert!(is_mistyped(typed, meant), "{typed}");
        }
        for (one, other) in [("port", "sort"), ("chart", "clear"), ("reader", "rounder")] {
            assert!(!is_mistyped(one, other), "{one}");
        }
    }

    #[test]
    fn forms_of_a_word_are_near() {
        assert!((nearness("describ", "descript") - FAMILY).abs() < 1e-9);
        assert!(nearness("describ", "desert") < 1e-9 && nearness("sort", "port") < 1e-9);
        assert!(!is_comparable("v2") && !is_comparable("größe") && is_comparable("file"));
    }

    #[test]
    fn the_distance_is_that_of_the_plain_definition() {
        fn plain(one: &[u8], other: &[u8]) -> usize {
            let (Some((x, left)), Some((y, right))) = (one.split_last(), other.split_last()) else {
                return one.len() + other.len();
            };
            let mut least = (plain(left, other) + 1)
                .min(plain(one, right) + 1)
                .min(plain(left, right) + usize::from(x != y));
            if let (Some((before, left)), Some((last, right))) = (left.split_last(), right.split_last())
                && (before, x) == (y, last)
            {
                least = least.min(plain(left, right) + 1);
            }
            least
        }
        let words: Vec<Vec<u8>> = (0..81_u32)
            .map(|n| (0..=n % 5).map(|i| b"abc"[(n / 3_u32.pow(i) % 3) as usize]).collect())
            .collect();
        for a in &words {
            for b in &words {
                let exact = plain(a, b);
                for most in 1..4 {
                    assert_eq!(distance_up_to(a, b, most).min(most + 1), exact.min(most + 1));
                }
            }
        }
    }

    #[test]
    fn a_long_word_is_cut_in_two() {
        assert_eq!(halves("webpage").collect::<Vec<_>>(), [("web", "page"), ("webp", "age")]);
        assert_eq!(halves("short").count() + halves("größere").count(), 0);
    }
}
