//! Several needs in one query: tools that bring what those above them did not bring come first.

/// A word that is found again counts this much for each earlier time.
const AGAIN: f64 = 0.85;
/// Shorter queries have one need.
const LEAST_WORDS: usize = 6;
/// At most this many of the best are put in order, because nobody reads further.
pub(crate) const MOST: usize = 40;

/// A doc with its score.
pub(crate) type Hit = (u32, f64);

/// Orders the best hits so that each brings the most that is new. `gains` has, for each word of the query, the docs with what the word
/// gives them, sorted by doc.
pub(crate) fn spread_hits(hits: &mut [Hit], gains: &[Vec<(u32, f64)>]) {
    if gains.len() < LEAST_WORDS {
        return;
    }
    let count = hits.len().min(MOST);
    let (best, rest) = hits.split_at_mut(count);
    let table: Vec<Vec<f64>> =
        best.iter().map(|(doc, _)| gains.iter().map(|gains| gain_of(gains, *doc)).collect()).collect();
    let most: Vec<f64> =
        gains.iter().map(|gains| gains.iter().map(|(_, gain)| *gain).fold(0.0, f64::max)).collect();
    let mut found = vec![0.0_f64; gains.len()];
    let mut open: Vec<usize> = (0..count).collect();
    let mut order: Vec<Hit> = Vec::with_capacity(count);
    while !open.is_empty() {
        let value = |at: usize| {
            let (score, gains) = (best.get(at).map_or(0.0, |hit| hit.1), table.get(at)?);
            let all: f64 = gains.iter().sum();
            let new: f64 = gains.iter().zip(&found).map(|(gain, found)| gain * AGAIN.powf(*found)).sum();
            Some(if all > 0.0 { score * new / all } else { score })
        };
        let mut next = (0, f64::NEG_INFINITY);
        for (nth, at) in open.iter().enumerate() {
            let value = value(*at).unwrap_or_default();
            if value > next.1 {
                next = (nth, value);
            }
        }
        let at = open.remove(next.0.min(open.len() - 1));
        if let (Some((doc, _)), Some(gains)) = (best.get(at), table.get(at)) {
            order.push((*doc, next.1));
            for ((found, gain), most) in found.iter_mut().zip(gains).zip(&most) {
                *found += if *most > 0.0 { gain / most } else { 0.0 };
            }
        }
    }
    let (before, last) = (best.last().map_or(0.0, |hit| hit.1), order.last().map_or(0.0, |hit| hit.1));
    best.copy_from_slice(&order);
    let scale = if before > 0.0 { last / before } else { 0.0 };
    rest.iter_mut().for_each(|hit| hit.1 *= scale);
}

fn gain_of(gains: &[(u32, f64)], doc: u32) -> f64 {
    let at = gains.binary_search_by_key(&doc, |(held, _)| *held);
    at.ok().and_then(|at| gains.get(at)).map_or(0.0, |(_, gain)| *gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(rows: &[&[f64]]) -> Vec<Vec<(u32, f64)>> {
        let words = rows[0].len();
        (0..words)
            .map(|word| rows.iter().enumerate().map(|(doc, row)| (doc as u32, row[word])).collect())
            .collect()
    }

    #[test]
    fn the_second_need_comes_before_the_twin_of_the_first() {
        let gains = gains(&[
            &[3.0, 3.0, 3.0, 0.0, 0.0, 0.0],
            &[3.0, 3.0, 2.9, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 3.0, 3.0, 2.5],
        ]);
        let mut hits = vec![(0, 9.0), (1, 8.9), (2, 8.5)];
        spread_hits(&mut hits, &gains);
        assert_eq!(hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), [0, 2, 1]);
        assert!(hits.windows(2).all(|pair| pair[0].1 >= pair[1].1), "scores fall: {hits:?}");
    }

    #[test]
    fn short_queries_stay_as_they_are() {
        let gains = gains(&[&[3.0, 3.0], &[3.0, 2.9], &[0.0, 1.0]]);
        let mut hits = vec![(0, 9.0), (1, 8.9), (2, 8.5)];
        spread_hits(&mut hits, &gains);
        assert_eq!(hits, [(0, 9.0), (1, 8.9), (2, 8.5)]);
        spread_hits(&mut [], &[]);
    }
}
