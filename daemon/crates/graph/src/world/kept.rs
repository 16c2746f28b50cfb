//! Indexes of files that outlive a world: for example, of two edits of a driver of Linux, both look at the same hundred headers.

use std::collections::HashMap;
use std::sync::Arc;

use sdl_ledger::ChangedKeys;
use sdl_model::{FactsKey, FileId, Version};

use super::index::FileIndex;
use super::kept_closures::KeptClosures;
use super::kept_outcomes::KeptOutcomes;
use super::outlines::SharedOutline;
use crate::hash::NumberMap;
use crate::values::Sym;

/// The share of the bytes, one part in this many, for answers about included files.
const CLOSURES_SHARE: usize = 32;
/// The same for what files' scopes were resolved to.
const OUTCOMES_SHARE: usize = 8;
/// About the bytes that a text takes, with its place in the table.
const TEXT: usize = 100;
/// The part of an index's weight that its outline takes, one in this many.
const OUTLINE_SHARE: usize = 2;

/// The texts by number, which the indexes hold.
#[derive(Default)]
pub(super) struct Texts {
    /// Names come from files that anyone may have written: this hasher is quick and seeded.
    numbers: HashMap<Arc<str>, Sym, foldhash::fast::RandomState>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    /// The number of a text.
    pub(super) fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.numbers.get(text) {
            return *sym;
        }
        let text: Arc<str> = text.into();
        let sym = Sym(self.texts.len() as u32);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, sym);
        sym
    }

    /// The text with a number.
    pub(super) fn text(&self, sym: Sym) -> Arc<str> {
        self.texts.get(sym.0 as usize).cloned().unwrap_or_else(|| "".into())
    }
}

/// An index that is kept, and what it was made from.
pub(super) struct KeptIndex {
    pub(super) key: FactsKey,
    /// About the bytes that it takes.
    pub(super) weight: usize,
    /// When it was last used.
    pub(super) turn: u64,
    pub(super) index: FileIndex,
}

/// An outline that is kept longer than the index of it.
struct KeptOutline {
    key: FactsKey,
    /// About the bytes that it takes.
    weight: usize,
    /// When its index was last used.
    turn: u64,
    outline: SharedOutline,
}

/// Indexes of files, from one call of [`crate::resolve_files`] to the next. They depend on nothing but a file's path and facts, so
/// they remain valid when the tree changes.
///
/// Beside them are answers about which files include which, and what the scopes of files were resolved to. These hold until an
/// answer changes that they were derived from, so [`Self::forget_changed`] has to learn of each change of the tree.
#[derive(Default)]
pub struct KeptIndexes {
    /// About the bytes to keep; none by default.
    limit: usize,
    turn: u64,
    pub(super) texts: Texts,
    files: NumberMap<u64, KeptIndex>,
    /// The outlines of files whose indexes were let go. Decoding an outline takes four times as long as indexing it.
    outlines: NumberMap<u64, KeptOutline>,
    pub(super) closures: KeptClosures,
    pub(super) outcomes: KeptOutcomes,
    /// The version whose answers are kept.
    version: Option<Version>,
}

impl KeptIndexes {
    /// Keeps about this many bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            closures: KeptClosures::with_limit(limit / CLOSURES_SHARE),
            outcomes: KeptOutcomes::with_limit(limit / OUTCOMES_SHARE),
            ..Self::default()
        }
    }

    /// Begins a change of `version`: forgets answers that are those of another one. They count as those of no version until
    /// [`Self::end_at`].
    pub fn begin_from(&mut self, version: Option<Version>) {
        if self.version.take() != version || version.is_none() {
            self.closures.clear();
            self.outcomes.clear();
        }
    }

    /// Forgets the answers that a change of the tree made others.
    pub fn forget_changed(&mut self, changed: &ChangedKeys) {
        self.closures.forget_changed(changed);
        self.outcomes.forget_changed(changed);
    }

    /// Ends a change: the answers are those of `version` now.
    pub fn end_at(&mut self, version: Option<Version>) {
        self.version = version;
    }

    /// All of them, for a world. Empty until they are put back.
    pub(crate) fn lend(&mut self) -> Self {
        let limit = self.limit;
        std::mem::replace(self, Self::with_limit(limit))
    }

    /// Takes out the index of a file with these facts.
    pub(super) fn take(&mut self, id: FileId, key: &FactsKey) -> Option<KeptIndex> {
        self.files.remove(&id.0).filter(|kept| kept.key == *key)
    }

    /// Takes out the outline of a file with these facts, if it was kept longer than the index.
    pub(super) fn take_outline(&mut self, id: FileId, key: &FactsKey) -> Option<SharedOutline> {
        self.outlines.remove(&id.0).filter(|kept| kept.key == *key).map(|kept| kept.outline)
    }

    /// Puts back what a world looked at: the index of a file, what it was made from, and about the bytes that it takes. If that
    /// is too much, those go first that were not used for longest.
    pub(super) fn put_back(&mut self, used: impl Iterator<Item = (FileIndex, FactsKey, usize)>) {
        self.turn += 1;
        let turn = self.turn;
        self.files
            .extend(used.map(|(index, key, weight)| (index.id.0, KeptIndex { key, weight, turn, index })));
        self.shrink_indexes(self.limit);
    }

    fn shrink_indexes(&mut self, bytes: usize) {
        let texts = self.texts.texts.len() * TEXT;
        let mut weight = texts + self.files.values().map(|kept| kept.weight).sum::<usize>();
        if weight <= bytes {
            return;
        }
        if texts > bytes / 2 {
            // Numbers of texts are in the indexes, so both go together.
            (self.files, self.texts) = Default::default();
            return;
        }
        let mut oldest: Vec<(u64, u64)> = self.files.iter().map(|(id, kept)| (kept.turn, *id)).collect();
        oldest.sort_unstable();
        for (_, id) in oldest {
            if weight <= bytes {
                break;
            }
            weight -= self.files.remove(&id).map_or(0, |kept| kept.weight);
        }
    }

    /// Lets go of all.
    pub fn clear(&mut self) {
        self.lend();
    }

    /// Lets go of the indexes. Keeps about `bytes`, those used last: a quarter of them answers, the rest outlines of the
    /// indexed files.
    pub fn shrink_to(&mut self, bytes: usize) {
        let answers = bytes / 4;
        self.keep_outlines(bytes - answers);
        self.closures.shrink_to(answers / 4);
        self.outcomes.shrink_to(answers - answers / 4);
    }

    /// Lets go of the indexes and their texts, but keeps about `bytes` of outlines: of the files that were used last.
    fn keep_outlines(&mut self, bytes: usize) {
        self.texts = Texts::default();
        for (id, kept) in std::mem::take(&mut self.files) {
            // Facts hold the body as well, which nobody needs again.
            if let outline @ SharedOutline::Outline(_) = kept.index.outline {
                let weight = kept.weight / OUTLINE_SHARE;
                self.outlines.insert(id, KeptOutline { key: kept.key, weight, turn: kept.turn, outline });
            }
        }
        let mut newest: Vec<(u64, u64)> = self.outlines.iter().map(|(id, kept)| (kept.turn, *id)).collect();
        newest.sort_unstable_by(|a, b| b.cmp(a));
        let mut weight = 0;
        for (_, id) in newest {
            weight += self.outlines.get(&id).map_or(0, |kept| kept.weight);
            if weight > bytes {
                self.outlines.remove(&id);
            }
        }
        self.outlines.shrink_to_fit();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use sdl_model::{ContentHash, RelPath};

    use super::*;
    use crate::world::SharedOutline;

    fn file(path: &str) -> FileId {
        FileId::of(&RelPath::new(path).unwrap())
    }

    fn key(text: &str) -> FactsKey {
        let lang = sdl_lang::detect_lang(&RelPath::new("a.py").unwrap(), text.as_bytes()).unwrap();
        FactsKey { lang, content: ContentHash::of(text.as_bytes()) }
    }

    fn index(kept: &mut KeptIndexes, path: &str, text: &str) -> FileIndex {
        let facts = sdl_lang::extract_facts(key(text).lang, text.as_bytes()).unwrap();
        let outline = SharedOutline::Facts(Arc::new(facts));
        FileIndex::build(file(path), RelPath::new(path).unwrap(), outline, |text| kept.texts.intern(text))
    }

    #[test]
    fn those_not_used_for_longest_go_first() {
        let [a, b, c] = ["a.py", "b.py", "c.py"].map(file);
        let mut kept = KeptIndexes::with_limit(10_000);
        for (path, weight) in [("a.py", 4_000), ("b.py", 4_000)] {
            let one = index(&mut kept, path, "x = 1\n");
            kept.put_back(std::iter::once((one, key("x = 1\n"), weight)));
        }
        // Used again, so `b.py` is the older one now.
        let again = kept.take(a, &key("x = 1\n")).unwrap();
        kept.put_back(std::iter::once((again.index, again.key, again.weight)));
        let one = index(&mut kept, "c.py", "y = 1\n");
        kept.put_back(std::iter::once((one, key("y = 1\n"), 4_000)));
        assert!(kept.take(b, &key("x = 1\n")).is_none());
        assert!(kept.take(c, &key("x = 1\n")).is_none(), "it has other contents");
        assert!(kept.take(a, &key("x = 1\n")).is_some());
    }

    #[test]
    fn outlines_of_the_files_used_last_outlive_their_indexes() {
        let mut kept = KeptIndexes::with_limit(1_000_000);
        let one = |kept: &mut KeptIndexes, path: &str| {
            let outline = sdl_lang::extract_facts(key("x = 1\n").lang, b"x = 1\n").unwrap().outline;
            let outline = SharedOutline::Outline(Arc::new(outline));
            let index = FileIndex::build(file(path), RelPath::new(path).unwrap(), outline, |text| {
                kept.texts.intern(text)
            });
            kept.put_back(std::iter::once((index, key("x = 1\n"), 8_000)));
        };
        let take = |kept: &mut KeptIndexes, path: &str, text: &str| {
            kept.take_outline(file(path), &key(text)).is_some()
        };
        one(&mut kept, "a.py");
        one(&mut kept, "b.py");
        // Room for two outlines of 4,000 bytes, beside a quarter for answers.
        kept.shrink_to(11_000);
        assert!(kept.take(file("a.py"), &key("x = 1\n")).is_none(), "no index");
        one(&mut kept, "c.py");
        kept.shrink_to(11_000);
        assert!(!take(&mut kept, "a.py", "x = 1\n"), "used longest ago");
        assert!(take(&mut kept, "b.py", "x = 1\n"), "kept from the time before");
        assert!(!take(&mut kept, "b.py", "x = 1\n"), "taken out");
        assert!(!take(&mut kept, "c.py", "y = 1\n"), "it has other contents");
    }

    #[test]
    fn many_texts_are_let_go_with_the_indexes() {
        let mut kept = KeptIndexes::with_limit(10_000);
        let one = index(&mut kept, "a.py", "x = 1\n");
        for n in 0..60 {
            kept.texts.intern(&n.to_string());
        }
        kept.put_back(std::iter::once((one, key("x = 1\n"), 4_000)));
        assert!(kept.take(file("a.py"), &key("x = 1\n")).is_none() && kept.texts.texts.is_empty());
        assert_eq!(kept.limit, 10_000);
    }
}
