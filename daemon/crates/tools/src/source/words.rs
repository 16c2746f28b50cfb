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
/// In a tree of more files, the words of most would be dropped before they are needed again. Looking for a name in the bytes
/// takes a fifth of the time of listing their words.
const MOST_FILES: usize = 10_000;

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

/// The text that files are searched for.
pub(crate) enum Wanted<'n> {
    /// A name, with the hashes of its words, usually one.
    Name(&'n str, Vec<u32>),
    /// Any of many words.
    AnyWord(HashSet<u32>),
}

impl<'n> Wanted<'n> {
    /// This name.
    pub(crate) fn name(name: &'n str) -> Self {
        Self::Name(name, hashed_words(name.as_bytes()).collect())
    }

    /// Any word in any of `names`.
    pub(crate) fn any_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::AnyWord(names.into_iter().flat_map(|name| hashed_words(name.as_bytes())).collect())
    }

    /// Whether a file with these words, sorted, may have it.
    fn may_be_in(&self, words: &[u32]) -> bool {
        match self {
            Self::Name(_, wanted) => wanted.iter().all(|word| words.binary_search(word).is_ok()),
            Self::AnyWord(wanted) => words.iter().any(|word| wanted.contains(word)),
        }
    }

    /// Whether a file has it, where its bytes say so sooner than its words.
    fn is_spelled(&self, bytes: &[u8]) -> Option<bool> {
        match self {
            Self::Name(name, _) => Some(sdl_lang::spelled_places(bytes, name).next().is_some()),
            Self::AnyWord(_) => None,
        }
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

/// Reads the indexed files of `source` that may have the wanted text. Notes those that can't be read.
pub(crate) fn files_with_words(
    cx: &ReadCx<'_>,
    source: &Source<'_>,
    wanted: &Wanted<'_>,
) -> Result<WordFiles, ToolError> {
    let mut all = Vec::new();
    source.view().files_under("", &mut |file, _| {
        all.push(file);
        ControlFlow::Continue(())
    })?;
    let keeps_words = all.len() <= MOST_FILES;
    let mut found = WordFiles::default();
    for file in all {
        cx.call.check()?;
        let Some(row) = source.view().file(file)? else { continue };
        let Some(key) = row.state.facts() else { continue };
        match bytes_with_words(cx, &row, key, (wanted, keeps_words))? {
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
    (wanted, keeps_words): (&Wanted<'_>, bool),
) -> Result<Looked, ToolError> {
    let known = cx.call.memos.shared::<KnownWords>();
    if known.get(key.content).is_some_and(|words| !wanted.may_be_in(&words)) {
        return Ok(Looked::Other);
    }
    let Some(bytes) = text::file_bytes(cx, row)? else { return Ok(Looked::Unread) };
    if let Some(is_spelled) = wanted.is_spelled(&bytes).filter(|_| !keeps_words) {
        return Ok(if is_spelled { Looked::Wanted(bytes) } else { Looked::Other });
    }
    let mut words: Vec<u32> = hashed_words(&bytes).collect();
    words.sort_unstable();
    words.dedup();
    let words = Arc::from(words);
    known.keep(key.content, &words);
    Ok(if wanted.may_be_in(&words) { Looked::Wanted(bytes) } else { Looked::Other })
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
        let text = b"def run(a): return a.$b_c$ + x";
        let mut words: Vec<u32> = hashed_words(text).collect();
        words.sort_unstable();
        for (name, is_there) in [("run", true), ("b_c", true), ("$b_c$", true), ("b", false), ("ru", false)] {
            assert_eq!(Wanted::name(name).may_be_in(&words), is_there, "{name}");
            assert_eq!(Wanted::name(name).is_spelled(text), Some(is_there), "{name}");
            assert_eq!(Wanted::any_of(["none", name]).may_be_in(&words), is_there, "{name}");
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
