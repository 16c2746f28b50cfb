//! What the scopes of files were resolved to, from one edit to the next: of a driver of Linux with a hundred functions, an edit
//! changes one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sdl_ledger::ChangedKeys;
use sdl_model::facts::DefIx;
use sdl_model::{EdgeKind, FileId, SymbolId};

use crate::hash::NumberMap;
use crate::strategies::Rule;

/// How a reference is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Exact,
    Inferred,
    Ambiguous,
    External,
    Unresolved,
}

/// An edge from the symbol around a scope, as a mention adds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptEdge {
    pub(crate) scope: DefIx,
    pub(crate) to: SymbolId,
    pub(crate) kind: EdgeKind,
    pub(crate) rule: &'static Rule,
}

/// What one reference came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptOutcome {
    /// How many of the scope's edges are its own.
    pub(crate) edges: u32,
    pub(crate) counted: Option<Counted>,
    /// Its meaning is not known.
    pub(crate) is_open: bool,
}

/// Hashes of questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Sorted.
    pub(crate) single: Box<[u32]>,
    /// Each sorted. Other scopes may have the same lists.
    pub(crate) shared: Box<[Arc<[u32]>]>,
}

impl Asked {
    fn has(&self, key: u32) -> bool {
        let is_in = |list: &[u32]| list.binary_search(&key).is_ok();
        is_in(&self.single) || self.shared.iter().any(|list| is_in(list))
    }

    fn has_any(&self, keys: &HashSet<u32>) -> bool {
        let is_in = |list: &[u32]| list.iter().any(|key| keys.contains(key));
        is_in(&self.single) || self.shared.iter().any(|list| is_in(list))
    }
}

/// A scope of the same file that was looked into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) scope: DefIx,
    /// What its bindings were, seen from the looking scope; none if it had none. See [`sdl_model::facts::ScopeContents`].
    pub(crate) bindings: Option<(u64, i64)>,
}

/// What the references of one scope came to, and from what that was found out.
#[derive(Debug)]
pub(crate) struct KeptScope {
    /// In the order of the text.
    pub(crate) outcomes: Box<[KeptOutcome]>,
    /// The edges of all of them, in the same order.
    pub(crate) edges: Box<[KeptEdge]>,
    pub(crate) asked: Asked,
    /// The hash of the scope's contents.
    pub(crate) contents: u64,
    /// The scopes whose bindings it looked at.
    pub(crate) seen: Box<[Seen]>,
}

/// What the references of a file came to.
#[derive(Debug, Default)]
pub(crate) struct KeptFile {
    /// The hash of the definitions: see [`sdl_model::Outline::hash_definitions`].
    pub(crate) definitions: u64,
    /// By number of definition. A scope that looked at the whole file is not there.
    pub(crate) scopes: NumberMap<u32, KeptScope>,
}

impl KeptFile {
    /// About the bytes that it takes.
    fn weight(&self) -> usize {
        let mut lists = HashSet::new();
        let mut weight = size_of::<Self>();
        for scope in self.scopes.values() {
            let KeptScope { outcomes, edges, asked, seen, .. } = scope;
            weight += size_of::<KeptScope>() + size_of_val(&**outcomes) + size_of_val(&**edges);
            weight += size_of_val(&*asked.single) + size_of_val(&*asked.shared) + size_of_val(&**seen);
            let new = asked.shared.iter().filter(|list| lists.insert(list.as_ptr()));
            weight += new.map(|list| size_of_val(&**list)).sum::<usize>();
        }
        weight
    }
}

/// If more questions than this have another answer, all outcomes are forgotten instead of those that asked them.
const MOST_CHANGED: usize = 50_000;

/// What files' references came to, at most about as many bytes as given.
///
/// A change of the tree is noted, and compared with the questions of a file when that file is resolved again: of a hundred
/// files that are kept, the next edit is of one.
#[derive(Default)]
pub(super) struct KeptOutcomes {
    limit: usize,
    weight: usize,
    turn: u64,
    files: NumberMap<u64, Entry>,
    /// The questions with other answers, for each change since the first file was kept.
    changes: Vec<ChangedKeys>,
    /// How many questions these are.
    changed: usize,
}

struct Entry {
    kept: KeptFile,
    weight: usize,
    /// When it was last used.
    turn: u64,
    /// How many changes it outlived before it was kept.
    changes: usize,
}

impl KeptOutcomes {
    pub(super) fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether anything is to be kept.
    pub(super) fn is_wanted(&self) -> bool {
        self.limit > 0
    }

    /// Takes out the outcomes of a file, without the scopes for which a change gave another answer.
    pub(super) fn take(&mut self, file: FileId) -> Option<KeptFile> {
        let Entry { mut kept, changes, .. } = self.remove(file)?;
        let since = Since::of(self.changes.get(changes..).unwrap_or_default());
        let mut lists = HashMap::new();
        kept.scopes.retain(|_, scope| !since.concerns(&scope.asked, &mut lists));
        Some(kept)
    }

    fn remove(&mut self, file: FileId) -> Option<Entry> {
        let entry = self.files.remove(&file.0)?;
        self.weight -= entry.weight;
        Some(entry)
    }

    /// Keeps a file's outcomes. If that is too much, those of the files go first that were not used for longest.
    pub(super) fn put(&mut self, file: FileId, kept: KeptFile) {
        self.remove(file);
        let weight = kept.weight();
        if weight > self.limit {
            return;
        }
        self.turn += 1;
        self.weight += weight;
        self.files.insert(file.0, Entry { kept, weight, turn: self.turn, changes: self.changes.len() });
        self.shrink_to(self.limit);
    }

    /// Keeps about this many bytes: of the files that were used last.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        while self.weight > bytes
            && let Some(oldest) = self.files.iter().min_by_key(|(_, entry)| entry.turn).map(|(file, _)| *file)
        {
            self.remove(FileId(oldest));
        }
    }

    /// Notes that a change of the tree gave other answers.
    pub(super) fn forget_changed(&mut self, changed: &ChangedKeys) {
        self.changed += changed.keys.len() + changed.pairs.len();
        if self.files.is_empty() || self.changed > MOST_CHANGED {
            self.clear();
        } else if *changed != ChangedKeys::default() {
            self.changes.push(changed.clone());
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Self::with_limit(self.limit);
    }
}

/// The questions that have another answer since some time.
struct Since {
    keys: HashSet<u32>,
    /// Both of a pair must have been asked: the seconds by the first.
    pairs: HashMap<u32, HashSet<u32>>,
}

impl Since {
    fn of(changes: &[ChangedKeys]) -> Self {
        let mut pairs: HashMap<u32, HashSet<u32>> = HashMap::new();
        for (first, second) in changes.iter().flat_map(|changed| &changed.pairs) {
            pairs.entry(*first).or_default().insert(*second);
        }
        Self { keys: changes.iter().flat_map(|changed| &changed.keys).copied().collect(), pairs }
    }

    /// Whether one of these questions is among those asked. `lists` has the answers for shared lists so far.
    fn concerns(&self, asked: &Asked, lists: &mut HashMap<*const u32, bool>) -> bool {
        let has_key = |list: &[u32]| !self.keys.is_empty() && list.iter().any(|key| self.keys.contains(key));
        has_key(&asked.single)
            || asked.shared.iter().any(|list| *lists.entry(list.as_ptr()).or_insert_with(|| has_key(list)))
            || self.pairs.iter().any(|(first, seconds)| asked.has(*first) && asked.has_any(seconds))
    }
}
