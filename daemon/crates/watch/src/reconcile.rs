//! Compares the known state of a tree with its present state.

use sdl_model::{RelPath, StatHint};

use crate::crawl::Found;

/// The known state of a file (or of an entry that is listed as skipped).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its `stat` when it was last read. Without it, the file is read again.
    pub stat: Option<StatHint>,
}

/// The files of a tree that the ledger knows.
pub trait Known {
    /// The error when it can't be asked.
    type Error;
    /// The known state of one path; none if it is not known.
    fn file(&self, path: &str) -> Result<Option<KnownFile>, Self::Error>;
    /// All known paths that start with `prefix` (empty, or a folder with its `/`), in order of path.
    fn under(&self, prefix: &str, each: &mut dyn FnMut(&str, KnownFile)) -> Result<(), Self::Error>;
}

/// Nothing is known: the first index.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingKnown;

impl Known for NothingKnown {
    type Error = std::convert::Infallible;

    fn file(&self, _path: &str) -> Result<Option<KnownFile>, Self::Error> {
        Ok(None)
    }

    fn under(&self, _prefix: &str, _each: &mut dyn FnMut(&str, KnownFile)) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The result of a comparison. Both lists are in order of path, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// To be read and hashed: files that are new, have another size or time, or were changed so shortly before they
    /// were last read that their time can't show a later change.
    pub candidates: Vec<Found>,
    /// Known, and no longer there.
    pub removed: Vec<RelPath>,
}

/// The longest tick of a file system's clock that shows fractions of a second. It matters because two writes in one
/// tick have the same time.
const GRAIN_NS: i64 = 20_000_000;
/// And this slowly if they don't.
const COARSE_GRAIN_NS: i64 = 2_000_000_000;

/// Whether the file could have changed after it was read without its time showing it.
pub fn is_racy(stat: &StatHint) -> bool {
    // The change time is preferred, because only the kernel sets it, while `touch -d` sets the modification time.
    let time = if stat.ctime_ns == 0 { stat.mtime_ns } else { stat.ctime_ns };
    let grain = if time % 1_000_000_000 == 0 { COARSE_GRAIN_NS } else { GRAIN_NS };
    time.saturating_add(grain) >= stat.read_ns
}

/// Whether the file must be read to find out whether it changed.
pub fn needs_read(known: Option<KnownFile>, found: &Found) -> bool {
    let Some(before) = known.and_then(|known| known.stat) else { return true };
    let now = &found.stat;
    (before.size, before.mtime_ns, before.ctime_ns, before.inode)
        != (now.size, now.mtime_ns, now.ctime_ns, now.inode)
        || is_racy(&before)
}

/// Compares the known state with the result of a crawl, both in order of path.
#[derive(Debug)]
pub struct Merge<'a> {
    found: std::iter::Peekable<std::slice::Iter<'a, Found>>,
    difference: Difference,
}

impl<'a> Merge<'a> {
    /// Starts with the entries that were found.
    pub fn new(found: &'a [Found]) -> Self {
        Self { found: found.iter().peekable(), difference: Difference::default() }
    }

    /// Takes the next known path.
    pub fn known(&mut self, path: &str, known: KnownFile) {
        while let Some(found) = self.found.peek() {
            match found.path.as_str().cmp(path) {
                std::cmp::Ordering::Less => self.take(None),
                std::cmp::Ordering::Equal => return self.take(Some(known)),
                std::cmp::Ordering::Greater => break,
            }
        }
        self.difference.removed.extend(RelPath::new(path));
    }

    fn take(&mut self, known: Option<KnownFile>) {
        if let Some(found) = self.found.next()
            && needs_read(known, found)
        {
            self.difference.candidates.push(found.clone());
        }
    }

    /// Ends the comparison, after all known paths were taken.
    pub fn finish(mut self) -> Difference {
        self.difference.candidates.extend(self.found.cloned());
        self.difference
    }
}

/// [`Merge`] over an iterator of known paths, in order of path.
pub fn reconcile_files<'a>(
    known: impl IntoIterator<Item = (&'a str, KnownFile)>,
    found: &[Found],
) -> Difference {
    let mut merge = Merge::new(found);
    for (path, file) in known {
        merge.known(path, file);
    }
    merge.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(size: u64, time: i64) -> StatHint {
        StatHint { size, mtime_ns: time, ctime_ns: time, inode: 7, read_ns: time + 10 * COARSE_GRAIN_NS }
    }

    fn found(path: &str, stat: StatHint) -> Found {
        Found { path: RelPath::new(path).unwrap(), stat, skip: None }
    }

    #[test]
    fn new_changed_and_removed() {
        let known = |stat| KnownFile { stat: Some(stat) };
        let difference = reconcile_files(
            [
                ("a", known(stat(1, 5))),
                ("b-", known(stat(1, 5))),
                ("b/c", known(stat(1, 5))),
                ("d", KnownFile { stat: None }),
                ("e", known(stat(1, 5))),
            ],
            &[
                found("a", stat(1, 5)),
                found("b/c", stat(1, 6)),
                found("c", stat(1, 5)),
                found("d", stat(1, 5)),
                found("f", stat(1, 5)),
            ],
        );
        let candidates: Vec<_> = difference.candidates.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(candidates, ["b/c", "c", "d", "f"]);
        let removed: Vec<_> = difference.removed.iter().map(RelPath::as_str).collect();
        assert_eq!(removed, ["b-", "e"]);
    }

    #[test]
    fn a_file_touched_just_before_it_was_read_is_read_again() {
        let mut just = stat(1, 1_000_000_123);
        just.read_ns = just.mtime_ns + GRAIN_NS;
        assert!(needs_read(Some(KnownFile { stat: Some(just) }), &found("a", just)));
        just.read_ns += 1;
        assert!(!needs_read(Some(KnownFile { stat: Some(just) }), &found("a", just)));
        // On a clock without fractions of seconds the doubt lasts much longer.
        let mut coarse = stat(1, 5_000_000_000);
        coarse.read_ns = coarse.mtime_ns + COARSE_GRAIN_NS;
        assert!(is_racy(&coarse));
        // A modification time in the future proves nothing as long as there is a change time.
        let mut future = stat(1, 5_000_000_123);
        future.mtime_ns = i64::MAX;
        assert!(!is_racy(&future));
    }
}
