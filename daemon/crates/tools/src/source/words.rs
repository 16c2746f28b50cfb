//! Which files spell a name, without reading the others.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_model::{ContentHash, FactsKey, FileRow};
use sdl_retrieve::Source;

use crate::ToolError;
use crate::call::context::ReadCx;
use crate::source::text;

/// Most words that are kept, over all files. Each takes four bytes.
const MOST_WORDS: usize = 8 << 20;

/// The words of files that were read lately, as hashes, under the hash of the file's content.
#[derive(Default)]
pub(crate) struct KnownWords(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    words: HashMap<ContentHash, Arc<[u32]>>,
    /// The number of words of all files.
    count: usize,
}

impl KnownWords {
    fn get(&self, content: ContentHash) -> Option<Arc<[u32]>> {
        self.lock().words.get(&content).cloned()
    }

    fn keep(&self, content: ContentHash, words: &Arc<[u32]>) {
        let mut kept = self.lock();
        if kept.count + words.len() > MOST_WORDS {
            // All are dropped, and read again when they are needed, because nothing marks the files that are gone.
            *kept = Kept::default();
        }
        if kept.words.insert(content, Arc::clone(words)).is_none() {
            kept.count += words.len();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name, as it is looked for in the words of files.
pub(crate) struct WantedWords(Vec<u32>);

impl WantedWords {
    /// The words in a name, usually one.
    pub(crate) fn of(name: &str) -> Self {
        Self(hashed_words(name.as_bytes()).collect())
    }

    /// Whether a file with these words, sorted, may contain the name.
    pub(crate) fn may_be_in(&self, words: &[u32]) -> bool {
        self.0.iter().all(|word| words.binary_search(word).is_ok())
    }
}

/// Many names, any of which is looked for.
pub(crate) struct AnyWord(HashSet<u32>);

impl AnyWord {
    /// The words in all of `names`.
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().flat_map(|name| hashed_words(name.as_bytes())).collect())
    }

    /// Whether a file with these words may contain one of the names.
    pub(crate) fn may_be_in(&self, words: &[u32]) -> bool {
        words.iter().any(|word| self.0.contains(word))
    }
}

/// The files of a version that have wanted words.
#[derive(Default)]
pub(crate) struct WordFiles {
    /// Each with its bytes.
    pub(crate) files: Vec<(FileRow, Vec<u8>)>,
    /// Paths of files that can't be read, so that they may have such words too.
    pub(crate) unread: Vec<String>,
}

/// Reads the indexed files of `source` whose words, sorted, `is_wanted` accepts. Notes those that can't be read.
pub(crate) fn files_with_words(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    is_wanted: &dyn Fn(&[u32]) -> bool,
) -> Result<WordFiles, ToolError> {
    let mut all = Vec::new();
    source.view().files_under("", &mut |file, _| {
        all.push(file);
        ControlFlow::Continue(())
    })?;
    let mut found = WordFiles::default();
    for file in all {
        cx.call.check()?;
        let Some(row) = source.view().file(file)? else { continue };
        let Some(key) = row.state.facts() else { continue };
        match bytes_with_words(cx, &row, key, is_wanted)? {
            Looked::Wanted(bytes) => found.files.push((row, bytes)),
            Looked::Other => {}
            Looked::Unread => found.unread.push(row.path.as_str().to_owned()),
        }
    }
    if let Some(first) = found.unread.first() {
        cx.note(format!(
            "{} files can't be read and were not looked at, such as {first}",
            found.unread.len()
        ));
    }
    Ok(found)
}

/// The outcome for one file.
enum Looked {
    /// Its bytes.
    Wanted(Vec<u8>),
    /// It has no wanted words.
    Other,
    /// It can't be read.
    Unread,
}

fn bytes_with_words(
    cx: &ReadCx<'_>,
    row: &FileRow,
    key: FactsKey,
    is_wanted: &dyn Fn(&[u32]) -> bool,
) -> Result<Looked, ToolError> {
    let known = cx.call.memos.shared::<KnownWords>();
    if known.get(key.content).is_some_and(|words| !is_wanted(&words)) {
        return Ok(Looked::Other);
    }
    let Some(bytes) = text::file_bytes(cx, row)? else { return Ok(Looked::Unread) };
    let mut words: Vec<u32> = hashed_words(&bytes).collect();
    words.sort_unstable();
    words.dedup();
    let words = Arc::from(words);
    known.keep(key.content, &words);
    Ok(if is_wanted(&words) { Looked::Wanted(bytes) } else { Looked::Other })
}

/// The hash (FNV-1a) of each word: a run of letters, digits and underscores.
fn hashed_words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let words = bytes.split(move |byte| !is_part(byte)).filter(|word| !word.is_empty());
    words.map(|word| {
        word.iter().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_its_words() {
        let mut words: Vec<u32> = hashed_words(b"def run(a): return a.$b_c$ + x").collect();
        words.sort_unstable();
        for (name, is_there) in [("run", true), ("b_c", true), ("$b_c$", true), ("b", false), ("ru", false)] {
            assert_eq!(WantedWords::of(name).may_be_in(&words), is_there, "{name}");
        }
    }

    #[test]
    fn words_are_kept_up_to_a_limit() {
        let known = KnownWords::default();
        let words: Arc<[u32]> = vec![0; MOST_WORDS - 1].into();
        known.keep(ContentHash::of(b"a"), &words);
        assert!(known.get(ContentHash::of(b"a")).is_some());
        known.keep(ContentHash::of(b"b"), &Arc::from(vec![1, 2]));
        assert!(known.get(ContentHash::of(b"a")).is_none() && known.get(ContentHash::of(b"b")).is_some());
    }
}
