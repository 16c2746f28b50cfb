//! Reads one file of a tree into an update for the ledger: bytes -> hash -> facts, parsing only bytes never seen
//! before. Follows no symbolic link and opens nothing but regular files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sdl_lang::Limits;
use sdl_ledger::{EncodedFacts, FactsStore, FileUpdate};
use sdl_model::{ContentHash, Facts, FactsKey, FileRow, FileState, Lang, RelPath, SkipReason, StatHint};
use sdl_watch::{FileRead, ReadError};

/// What reading a file takes from its repository. For any number of threads.
#[derive(Clone)]
pub struct Reader<'a> {
    /// Opens the tree's files.
    pub files: sdl_watch::Reader,
    /// Where facts of bytes seen before are.
    pub facts: &'a FactsStore,
    /// What is too large to be read.
    pub limits: Limits,
    /// The languages to read; empty: all.
    pub languages: &'a [Lang],
}

/// What became of a file.
pub enum Outcome {
    /// It is not there, or not a file that facts are taken from.
    Absent,
    /// The system failed for the moment: nothing is known of it now.
    Again,
    /// Its content is that of the row given.
    Same(StatHint),
    /// It differs from the row given.
    Changed {
        /// What the ledger is to hold.
        update: Box<FileUpdate>,
        /// Facts that are new to the store.
        parsed: Option<(FactsKey, EncodedFacts)>,
    },
}

impl Reader<'_> {
    /// Reads the file at `path`; `old` is what the ledger holds of it, `listed` a reason to skip it that the crawl gave.
    pub fn read(&self, path: &RelPath, old: Option<&FileRow>, listed: Option<SkipReason>) -> Outcome {
        let claimed = sdl_lang::detect(path, &[]);
        // A file whose name no language claims is read only if it has no extension: it may have a shebang.
        if claimed.is_none_or(|lang| !self.wants(lang)) && (claimed.is_some() || path.extension().is_some()) {
            return Outcome::Absent;
        }
        let skipped = |reason, size, stat| match claimed {
            Some(_) => Self::changed(path, FileState::Skipped(reason), size, stat, old, None),
            None => Outcome::Absent,
        };
        if let Some(reason) = listed {
            return skipped(reason, 0, None);
        }
        let (bytes, stat) = match self.files.read(path, self.limits.max_bytes) {
            Ok(FileRead::Bytes { bytes, stat }) => (bytes, stat),
            Ok(FileRead::TooLarge { stat }) => return skipped(SkipReason::TooLarge, stat.size, Some(stat)),
            Err(ReadError::Gone(_)) => return Outcome::Absent,
            Err(ReadError::NotAFile(_)) => return skipped(SkipReason::Special, 0, None),
            Err(ReadError::Unreadable(_)) => return skipped(SkipReason::Unreadable, 0, None),
            Err(error @ ReadError::Io { .. }) => {
                tracing::warn!(%error, "a file can't be read at the moment");
                return Outcome::Again;
            }
        };
        let Some(lang) = sdl_lang::detect(path, &bytes).filter(|lang| self.wants(*lang)) else {
            return Outcome::Absent;
        };
        match sdl_lang::classify(path, &bytes, &self.limits) {
            Some(reason) => skipped(reason, bytes.len() as u64, Some(stat)),
            None => self.extract(path, lang, &bytes, stat, old),
        }
    }

    fn wants(&self, lang: Lang) -> bool {
        self.languages.is_empty() || lang == Lang::Manifest || self.languages.contains(&lang)
    }

    fn extract(
        &self,
        path: &RelPath,
        lang: Lang,
        bytes: &[u8],
        stat: StatHint,
        old: Option<&FileRow>,
    ) -> Outcome {
        let key = FactsKey { lang, content: ContentHash::of(bytes) };
        let size = bytes.len() as u64;
        let known =
            |row: &FileRow| row.state == FileState::Indexed(key) || row.state == FileState::Failed(key);
        if old.is_some_and(known) {
            return Outcome::Same(stat);
        }
        if let Ok(Some(facts)) = self.facts.facts(&key) {
            return Self::changed(
                path,
                FileState::Indexed(key),
                size,
                Some(stat),
                old,
                Some(Arc::new(facts)),
            );
        }
        // The one place where a parser meets foreign bytes: whatever it does, this file alone fails.
        match catch_unwind(AssertUnwindSafe(|| sdl_lang::extract(lang, bytes))) {
            Ok(Ok(facts)) => {
                let encoded = sdl_ledger::encode(&facts);
                let facts = Some(Arc::new(facts));
                match Self::changed(path, FileState::Indexed(key), size, Some(stat), old, facts) {
                    Outcome::Changed { update, .. } => {
                        Outcome::Changed { update, parsed: encoded.ok().map(|encoded| (key, encoded)) }
                    }
                    other => other,
                }
            }
            Ok(Err(error)) => {
                tracing::warn!(%path, %error, "not indexed: the parser gave up on it");
                Self::changed(path, FileState::Failed(key), size, Some(stat), old, None)
            }
            Err(_) => {
                tracing::error!(%path, "not indexed: the extractor panicked on it; please report this file");
                Self::changed(path, FileState::Failed(key), size, Some(stat), old, None)
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
        match (old == Some(&row), stat) {
            (true, Some(stat)) => Outcome::Same(stat),
            _ => Outcome::Changed {
                update: Box::new(FileUpdate { path: path.clone(), row: Some(row), stat, facts }),
                parsed: None,
            },
        }
    }
}
