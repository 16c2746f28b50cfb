//! A repository in memory, for tests: a [`View`] that is worked out from facts, apart from the store's own code.

pub mod edits;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use sdl_ledger::{
    ChangedKeys, Counters, LookupKey, NAME_LIMIT, NameHit, Named, Resolved, Result, SymbolHome, TermHit, View,
};
use sdl_model::facts::{Inclusion, names_in};
use sdl_model::{
    Edge, Facts, FactsKey, FileId, FileRow, FileState, InEdge, Lang, RelPath, SymbolId, Version,
};

use crate::{KeptIndexes, Limits, Outlines, SharedOutline, World, resolve_file};

type QuestionOf = fn(&str) -> u32;
type FilesBy = HashMap<String, BTreeSet<FileId>>;

#[derive(Clone, Debug)]
struct Entry {
    row: FileRow,
    facts: Arc<Facts>,
}

/// A repository in memory.
#[derive(Clone, Debug, Default)]
pub struct Repo {
    /// Where the resolver's work ends.
    pub limits: Limits,
    files: BTreeMap<RelPath, Entry>,
    by_id: HashMap<FileId, RelPath>,
    by_key: HashMap<FactsKey, Arc<Facts>>,
    by_file_name: FilesBy,
    by_dir: FilesBy,
    by_package: FilesBy,
    by_name: HashMap<String, BTreeSet<NameHit>>,
    by_symbol: HashMap<SymbolId, SymbolHome>,
}

/// The definitions that others find by name.
fn name_hits(file: FileId, facts: &Facts) -> impl Iterator<Item = (String, NameHit)> {
    facts.outline.published().flat_map(move |(ix, published)| {
        let hit = facts.outline.def(ix).map(|def| NameHit::of(file, def));
        let names: Vec<String> = names_in(&published).map(str::to_owned).collect();
        names.into_iter().filter_map(move |name| Some((name, hit?)))
    })
}

/// How many definitions this thread has looked at, whatever it resolved.
pub fn steps_taken() -> u64 {
    crate::world::steps::steps_taken()
}

impl Repo {
    /// Adds or replaces a file.
    pub fn insert(&mut self, path: RelPath, key: FactsKey, facts: Arc<Facts>) {
        self.remove(&path);
        let id = FileId::of(&path);
        self.by_id.insert(id, path.clone());
        self.by_key.insert(key, facts.clone());
        self.by_file_name.entry(path.file_name().to_owned()).or_default().insert(id);
        self.by_dir.entry(path.dir().to_owned()).or_default().insert(id);
        if let Some(package) = facts.outline.package {
            self.by_package.entry(facts.outline.str(package).to_owned()).or_default().insert(id);
        }
        for (name, hit) in name_hits(id, &facts) {
            self.by_name.entry(name).or_default().insert(hit);
        }
        for def in &facts.outline.defs {
            self.by_symbol.insert(id.symbol(def.key), SymbolHome { file: id, kind: def.kind });
        }
        let row = FileRow { path: path.clone(), state: FileState::Indexed(key), size: 0 };
        self.files.insert(path, Entry { row, facts });
    }

    /// Removes a file, if it is there.
    pub fn remove(&mut self, path: &RelPath) {
        let Some(entry) = self.files.remove(path) else { return };
        let id = FileId::of(path);
        self.by_id.remove(&id);
        let drop_from = |map: &mut FilesBy, key: &str| {
            if let Some(set) = map.get_mut(key) {
                set.remove(&id);
            }
        };
        drop_from(&mut self.by_file_name, path.file_name());
        drop_from(&mut self.by_dir, path.dir());
        if let Some(package) = entry.facts.outline.package {
            drop_from(&mut self.by_package, entry.facts.outline.str(package));
        }
        for (name, hit) in name_hits(id, &entry.facts) {
            if let Some(set) = self.by_name.get_mut(&name) {
                set.remove(&hit);
            }
        }
        for def in &entry.facts.outline.defs {
            self.by_symbol.remove(&id.symbol(def.key));
        }
    }

    /// The files, in order of path.
    pub fn files(&self) -> impl Iterator<Item = (&RelPath, &Arc<Facts>)> {
        self.files.iter().map(|(path, entry)| (path, &entry.facts))
    }

    /// The facts of a file.
    pub fn facts(&self, path: &RelPath) -> Option<&Arc<Facts>> {
        self.files.get(path).map(|entry| &entry.facts)
    }

    /// The file that defines a symbol, its path and its facts.
    pub fn symbol(&self, symbol: SymbolId) -> Option<(&RelPath, &Arc<Facts>)> {
        let path = self.by_id.get(&self.by_symbol.get(&symbol)?.file)?;
        Some((path, &self.files.get(path)?.facts))
    }

    /// Resolves the files for which `wanted` says so, in order of path, with one world.
    pub fn resolve(&self, wanted: impl Fn(&RelPath) -> bool) -> Result<BTreeMap<RelPath, Resolved>> {
        self.resolve_in_order(self.files.keys().filter(|path| wanted(path)))
    }

    /// Resolves the files at `paths` in that order, with one world.
    pub fn resolve_in_order<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p RelPath>,
    ) -> Result<BTreeMap<RelPath, Resolved>> {
        self.resolve_in(&World::with_limits(self, self, self.limits), paths)
    }

    /// Resolves the files for which `wanted` says so as [`crate::resolve_files`] does, with the indexes that `kept` has.
    pub fn resolve_with(
        &self,
        kept: &mut KeptIndexes,
        wanted: impl Fn(&RelPath) -> bool,
    ) -> Result<BTreeMap<RelPath, Resolved>> {
        let world = World::with_limits(self, self, self.limits).with_kept(kept.lend());
        let all = self.resolve_in(&world, self.files.keys().filter(|path| wanted(path)))?;
        *kept = world.into_kept();
        Ok(all)
    }

    fn resolve_in<'p>(
        &self,
        world: &World<'_>,
        paths: impl IntoIterator<Item = &'p RelPath>,
    ) -> Result<BTreeMap<RelPath, Resolved>> {
        let mut all = BTreeMap::new();
        for path in paths {
            let Some(Entry { facts, .. }) = self.files.get(path) else { continue };
            let resolved = resolve_file(world, FileId::of(path), path, &facts.outline, &facts.body)?;
            all.insert(path.clone(), resolved);
        }
        Ok(all)
    }

    /// The answer to every question that has one.
    pub fn answers(&self) -> Answers {
        use std::hash::{DefaultHasher, Hash, Hasher};
        fn value(of: impl Hash) -> u64 {
            let mut hasher = DefaultHasher::new();
            of.hash(&mut hasher);
            hasher.finish()
        }
        let (mut all, mut pairs, mut texts) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (path, entry) in &self.files {
            let (file, outline) = (FileId::of(path), &entry.facts.outline);
            all.insert(LookupKey::Path(path.as_str()).hash(), 1);
            all.insert(LookupKey::Interface(file).hash(), outline.interface);
            let inclusions = LookupKey::Inclusions(file).hash();
            all.insert(inclusions, value((outline.lang as u8, outline.inclusions())));
            if !outline.lang.includes_text() {
                continue;
            }
            texts.insert(LookupKey::Interface(file).hash(), Arc::clone(&entry.facts));
            let mut named: BTreeMap<String, BTreeSet<NameHit>> = BTreeMap::new();
            for (name, hit) in name_hits(file, &entry.facts).filter(|(_, hit)| hit.kind.is_free()) {
                named.entry(name).or_default().insert(hit);
            }
            pairs.extend(
                named
                    .iter()
                    .map(|(name, hits)| ((inclusions, LookupKey::Included(name).hash()), value(hits))),
            );
        }
        let lists: [(&FilesBy, QuestionOf); 3] = [
            (&self.by_file_name, |name| LookupKey::FileName(name).hash()),
            (&self.by_dir, |dir| LookupKey::Dir(dir).hash()),
            (&self.by_package, |package| LookupKey::Package(package).hash()),
        ];
        for (map, hash) in lists {
            for (text, files) in map.iter().filter(|(_, files)| !files.is_empty()) {
                all.insert(hash(text), value(files));
            }
        }
        for (name, found) in self.by_name.iter().filter(|(_, found)| !found.is_empty()) {
            let answer = if found.len() > NAME_LIMIT { 1 } else { value(found) };
            all.insert(LookupKey::Name(name).hash(), answer);
        }
        Answers { all, pairs, texts }
    }
}

/// The answers to questions, by their hashes, as hashes of their own.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    all: HashMap<u32, u64>,
    /// By the question after a file's inclusions and that after a name among included files.
    pairs: HashMap<(u32, u32), u64>,
    /// The files that others include as text, by the question after their interface.
    texts: HashMap<u32, Arc<Facts>>,
}

impl Answers {
    /// The questions with another answer in `other`.
    pub fn differing(&self, other: &Self) -> ChangedKeys {
        fn differing<K: Copy + Ord + std::hash::Hash>(
            one: &HashMap<K, u64>,
            other: &HashMap<K, u64>,
        ) -> BTreeSet<K> {
            one.keys().chain(other.keys()).filter(|key| one.get(key) != other.get(key)).copied().collect()
        }
        let mut changed = ChangedKeys {
            keys: differing(&self.all, &other.all),
            pairs: differing(&self.pairs, &other.pairs),
        };
        for (opened, was) in &self.texts {
            let Some(is) = other.texts.get(opened).filter(|_| changed.keys.contains(opened)) else {
                continue;
            };
            if let Some(differing) = was.outline.differing_names(&is.outline) {
                changed.keys.remove(opened);
                changed.pairs.extend(LookupKey::about_opened(&differing).map(|key| (*opened, key.hash())));
            }
        }
        changed
    }
}

/// Whether a file that asked `asked`, sorted, must be resolved again.
pub fn is_touched(asked: &[u32], changed: &ChangedKeys) -> bool {
    let has = |key: &u32| asked.binary_search(key).is_ok();
    asked.iter().any(|key| changed.keys.contains(key))
        || changed.pairs.iter().any(|(one, other)| has(one) && has(other))
}

impl Outlines for Repo {
    fn outline(&self, key: &FactsKey) -> Result<Option<SharedOutline>> {
        Ok(self.by_key.get(key).cloned().map(SharedOutline::Facts))
    }
}

fn to_list(set: Option<&BTreeSet<FileId>>) -> Vec<FileId> {
    set.map(|set| set.iter().copied().collect()).unwrap_or_default()
}

impl View for Repo {
    fn version(&self) -> Version {
        Version(1)
    }

    fn file(&self, file: FileId) -> Result<Option<FileRow>> {
        Ok(self.by_id.get(&file).and_then(|path| self.files.get(path)).map(|entry| entry.row.clone()))
    }

    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()> {
        for path in self.files.keys().filter(|path| path.as_str().starts_with(prefix)) {
            if each(FileId::of(path), path.as_str()).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>> {
        Ok(to_list(self.by_file_name.get(file_name)))
    }

    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>> {
        Ok(to_list(self.by_dir.get(dir)))
    }

    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>> {
        Ok(to_list(self.by_package.get(package)))
    }

    fn inclusions(&self, file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        let entry = self.by_id.get(&file).and_then(|path| self.files.get(path));
        Ok(entry.map(|entry| (entry.facts.outline.lang, entry.facts.outline.inclusions())))
    }

    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>> {
        Ok(self.by_symbol.get(&symbol).copied())
    }

    fn named(&self, name: &str) -> Result<Named> {
        let found = self.by_name.get(name);
        Ok(match found {
            Some(found) if found.len() > NAME_LIMIT => Named::TooMany,
            found => Named::All(found.map(|found| found.iter().copied().collect()).unwrap_or_default()),
        })
    }

    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>> {
        let found = self.by_name.get(name);
        Ok(found.map(|found| found.iter().copied().take(limit).collect()).unwrap_or_default())
    }

    fn out_edges(&self, _symbol: SymbolId) -> Result<Vec<Edge>> {
        Ok(Vec::new())
    }

    fn in_edges(&self, _symbol: SymbolId, _limit: usize) -> Result<Vec<InEdge>> {
        Ok(Vec::new())
    }

    fn fan_in(&self, _symbol: SymbolId) -> Result<u64> {
        Ok(0)
    }

    fn unresolved_files(&self, _name: &str) -> Result<Option<Vec<FileId>>> {
        Ok(None)
    }

    fn term_count(&self, _term: &str) -> Result<u64> {
        Ok(0)
    }

    fn postings(&self, _term: &str, _each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn terms(&self, _prefix: &str, _each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    fn term_from(&self, _from: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn counters(&self) -> Result<Counters> {
        Ok(Counters { files: self.files.len() as u64, ..Counters::default() })
    }
}
