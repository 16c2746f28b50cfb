//! Spreads work over a bounded number of threads, for example so that each has enough memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// Calls `work` for each chunk of `items`, on at most `workers` threads of the pool at a time. After an error no further chunk
/// begins on its thread.
pub fn for_each_chunk<T: Sync, E: Send>(
    items: &[T],
    chunk: usize,
    workers: usize,
    work: impl Fn(&[T]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let chunks: Vec<&[T]> = items.chunks(chunk.max(1)).collect();
    let next = AtomicUsize::new(0);
    (0..workers.clamp(1, chunks.len().max(1))).into_par_iter().try_for_each(|_| {
        while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(chunk)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn each_item_comes_once() {
        let items: Vec<usize> = (0..100).collect();
        for (chunk, workers) in [(1, 1), (7, 3), (1_000, 64), (0, 0)] {
            let seen = Mutex::new(Vec::new());
            let add = |chunk: &[usize]| {
                seen.lock().map_err(drop)?.extend_from_slice(chunk);
                Ok(())
            };
            assert_eq!(for_each_chunk::<_, ()>(&items, chunk, workers, add), Ok(()));
            let mut seen = seen.into_inner().unwrap_or_default();
            seen.sort_unstable();
            assert_eq!(seen, items, "{chunk} {workers}");
        }
        assert_eq!(for_each_chunk(&items, 10, 2, |_| Err(1)), Err(1));
        assert_eq!(for_each_chunk(&[] as &[u8], 10, 2, |_| Err(1)), Ok(()));
    }
}
