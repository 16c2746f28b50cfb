//! Splits the files of a tree into portions that are read at a time: for example, generated headers of a megabyte each come a few at
//! a time, small files by the hundred.

use sdl_watch::Found;

/// The limits of a portion.
#[derive(Clone, Copy, Debug)]
pub struct Portion {
    /// The most files.
    pub files: usize,
    /// The most bytes of source, unless a single file has more.
    pub bytes: u64,
    /// Larger files are not read, so they count for nothing.
    pub largest: u64,
}

/// The files in order, in portions within the limits.
pub fn split_into_portions(files: &[Found], limits: Portion) -> impl Iterator<Item = &[Found]> {
    let weight = move |found: &Found| {
        if found.skip.is_some() || found.stat.size > limits.largest { 0 } else { found.stat.size }
    };
    let mut rest = files;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut bytes = 0_u64;
        let fitting = rest.iter().take(limits.files.max(1)).take_while(|found| {
            bytes = bytes.saturating_add(weight(found));
            bytes <= limits.bytes
        });
        let (portion, others) = rest.split_at(fitting.count().max(1));
        rest = others;
        Some(portion)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use sdl_model::{RelPath, StatHint};

    use super::*;

    fn sizes(sizes: &[u64]) -> Vec<Found> {
        let found = |(n, size): (usize, &u64)| Found {
            path: RelPath::new(&format!("{n}.c")).unwrap(),
            stat: StatHint { size: *size, mtime_ns: 0, ctime_ns: 0, inode: 0, read_ns: 0 },
            skip: None,
        };
        sizes.iter().enumerate().map(found).collect()
    }

    fn split(files: &[u64], limits: Portion) -> Vec<Vec<u64>> {
        let files = sizes(files);
        split_into_portions(&files, limits)
            .map(|portion| portion.iter().map(|found| found.stat.size).collect())
            .collect()
    }

    #[test]
    fn a_portion_ends_at_its_limit_of_files_or_bytes() {
        let limits = Portion { files: 3, bytes: 10, largest: 100 };
        assert_eq!(split(&[], limits), Vec::<Vec<u64>>::new());
        assert_eq!(split(&[1, 1, 1, 1], limits), [vec![1, 1, 1], vec![1]]);
        assert_eq!(split(&[9, 2, 50, 1, 9], limits), [vec![9], vec![2], vec![50], vec![1, 9]]);
    }

    #[test]
    fn files_that_are_not_read_weigh_nothing() {
        let limits = Portion { files: 3, bytes: 10, largest: 20 };
        assert_eq!(split(&[9, 21, 1, 1], limits), [vec![9, 21, 1], vec![1]]);
    }
}
