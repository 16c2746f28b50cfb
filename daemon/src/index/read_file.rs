//! Reads one file of a tree into an update for the ledger: bytes -> hash -> facts, parsing only bytes never seen
//! before. Follows no symbolic link and opens nothing but regular files.

use std::sync::Arc;

use sdl_lang::{Judged, Rules};
use sdl_ledger::{EncodedFacts, FactsStore, FileUpdate};
use sdl_model::{Facts, FactsKey, FileRow, FileState, RelPath, SkipReason, StatHint};
use sdl_watch::{FileRead, ReadError};

/// The parts of a repository that reading a file needs. For any number of threads.
#[derive(Clone)]
pub struct Reader<'a> {
    /// Opens the tree's files.
    pub files: sdl_watch::Reader,
    /// The store of facts, with those of bytes seen before.
    pub facts: &'a FactsStore,
    /// The rules for which files are read.
    pub rules: &'a Rules,
    /// Every file is parsed, even if its facts are stored.
    pub anew: bool,
}

/// The result for a file.
pub enum Outcome {
    /// It does not exist, or is not a regular file, for example a socket.
    Absent,
    /// A temporary error of the system, such as too many open files. The file's present state is unknown.
    Again,
    /// Its content is that of the given row.
    Same {
        /// Its `stat`, if it has one. A symbolic link, for example, has none.
        stat: Option<StatHint>,
        /// Its facts, if it was parsed all the same.
        parsed: Option<(FactsKey, EncodedFacts)>,
    },
    /// It differs from the given row.
    Changed {
        /// The row that the ledger is to hold.
        update: Box<FileUpdate>,
        /// Facts that are new to the store.
        parsed: Option<(FactsKey, EncodedFacts)>,
    },
}

impl Reader<'_> {
    /// Reads the file at `path`; `old` is the ledger's row for it, `listed` a reason to skip it that the crawl gave.
    pub fn read(&self, path: &RelPath, old: Option<&FileRow>, listed: Option<SkipReason>) -> Outcome {
        // Usually a folder that can't be listed. It is recorded as skipped, because whether its files exist is
        // unknown.
        if listed == Some(SkipReason::Unreadable) {
            let state = FileState::Skipped(SkipReason::Unreadable);
            return Self::changed(path, state, 0, None, old, None);
        }
        if !self.rules.may_read(path) {
            return Outcome::Absent;
        }
        let skipped = |judged, size, stat| match judged {
            Judged::Skipped(reason) => Self::changed(path, FileState::Skipped(reason), size, stat, old, None),
            _ => Outcome::Absent,
        };
        let unread = |reason, size, stat| skipped(self.rules.skipped(path, reason), size, stat);
        if let Some(reason) = listed {
            return unread(reason, 0, None);
        }
        if sdl_lang::is_secret_file(path.as_str()) {
            // Opened for its size and time only, because the content is not needed.
            return match self.files.read(path, 0) {
                Ok(FileRead::Bytes { stat, .. } | FileRead::TooLarge { stat }) => {
                    unread(SkipReason::Secret, stat.size, Some(stat))
                }
                Err(ReadError::Gone(_)) => Outcome::Absent,
                Err(_) => unread(SkipReason::Secret, 0, None),
            };
        }
        let (bytes, stat) = match self.files.read(path, self.rules.limits.max_bytes) {
            Ok(FileRead::Bytes { bytes, stat }) => (bytes, stat),
            Ok(FileRead::TooLarge { stat }) => return unread(SkipReason::TooLarge, stat.size, Some(stat)),
            Err(ReadError::Gone(_)) => return Outcome::Absent,
            Err(ReadError::NotAFile(_)) => return unread(SkipReason::Special, 0, None),
            Err(ReadError::Unreadable(_)) => return unread(SkipReason::Unreadable, 0, None),
            Err(error @ ReadError::Io { .. }) => {
                tracing::warn!(%error, "a file can't be read at the moment");
                return Outcome::Again;
            }
        };
        match self.rules.judge(path, &bytes, None) {
            Judged::Read(key) => self.extract(path, key, &bytes, stat, old),
            judged => skipped(judged, bytes.len() as u64, Some(stat)),
        }
    }

    fn extract(
        &self,
        path: &RelPath,
        key: FactsKey,
        bytes: &[u8],
        stat: StatHint,
        old: Option<&FileRow>,
    ) -> Outcome {
        let size = bytes.len() as u64;
        let known =
            |row: &FileRow| row.state == FileState::Indexed(key) || row.state == FileState::Failed(key);
        if old.is_some_and(known) && !self.anew {
            return Outcome::Same { stat: Some(stat), parsed: None };
        }
        let changed = |state, facts| Self::changed(path, state, size, Some(stat), old, facts);
        if !self.anew
            && let Ok(Some(facts)) = self.facts.sound_facts(&key)
        {
            return changed(FileState::Indexed(key), Some(Arc::new(facts)));
        }
        match sdl_lang::extract_guarded(key.lang, bytes) {
            Ok(facts) => {
                let parsed = sdl_ledger::encode_facts(&facts).ok().map(|encoded| (key, encoded));
                match changed(FileState::Indexed(key), Some(Arc::new(facts))) {
                    Outcome::Changed { update, .. } => Outcome::Changed { update, parsed },
                    Outcome::Same { stat, .. } => Outcome::Same { stat, parsed },
                    other => other,
                }
            }
            Err(error) => {
                tracing::warn!(%path, %error, "not indexed");
                changed(FileState::Failed(key), None)
            }
        }
    }

    fn changed(
        path: &RelPath,
        state: FileState,
        size: u64,
        stat: Option<StatHint>,
        old: Option<&FileRow>,
        facts: Option<Arc<Facts>>,
    ) -> Outcome {
        let row = FileRow { path: path.clone(), state, size };
        if old == Some(&row) {
            return Outcome::Same { stat, parsed: None };
        }
        let update = Box::new(FileUpdate { path: path.clone(), row: Some(row), stat, facts });
        Outcome::Changed { update, parsed: None }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    /// What a reader says about an entry that a crawl listed as a symbolic link.
    fn read_link(old: Option<&FileRow>) -> Outcome {
        let (tree, stores) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (facts, _) = FactsStore::open(stores.path(), &sdl_ledger::Options::default()).unwrap();
        let root = sdl_watch::check_root(tree.path(), &[], &sdl_watch::RootContext::default()).unwrap();
        let reader = Reader {
            files: sdl_watch::Reader::open(&root).unwrap(),
            facts: &facts,
            rules: &Rules::default(),
            anew: false,
        };
        reader.read(&RelPath::new("a.py").unwrap(), old, Some(SkipReason::Symlink))
    }

    #[test]
    fn a_skipped_entry_that_is_as_it_was_is_no_change() {
        let Outcome::Changed { update, .. } = read_link(None) else { panic!("it is new") };
        let row = update.row.unwrap();
        assert_eq!(row.state, FileState::Skipped(SkipReason::Symlink));
        assert!(matches!(read_link(Some(&row)), Outcome::Same { stat: None, parsed: None }));
        let other = FileRow { state: FileState::Skipped(SkipReason::Special), ..row };
        assert!(matches!(read_link(Some(&other)), Outcome::Changed { .. }));
    }
}
