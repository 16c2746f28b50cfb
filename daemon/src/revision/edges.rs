//! Files that differ to the edges that differ: what they resolve to, and what everyone who asked about them does.
//!
//! A state is made from the nearest one that is known: the version, or another revision over it. Only what differs from
//! that one is resolved.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sdl_graph::{SharedOutline, World};
use sdl_ledger::{ChangedKeys, FactsStore, LookupKey, Resolved, Snapshot, View};
use sdl_model::{Body, Edge, Facts, FactsKey, FileId, FileRow, FileState, Outline, RelPath, SymbolId};
use sdl_retrieve::layer::{Laid, Layer, LayerFile};
use sdl_tools::{Cancel, ToolError};

use super::check;
use super::tree::{self, Differing};

/// A revision over a version.
#[derive(Default)]
pub(super) struct State {
    pub(super) layer: Arc<Layer>,
    /// What each file asked that was resolved for this state, sorted. The version knows what the others asked.
    asked: HashMap<FileId, Arc<[u64]>>,
}

impl State {
    /// The files that are others here than among `files`, which differ from the version.
    pub(super) fn apart(&self, files: &BTreeMap<FileId, Differing>) -> BTreeSet<FileId> {
        let mut apart: BTreeSet<FileId> = files.keys().copied().collect();
        for (id, own) in self.layer.files() {
            if files.get(&id).is_some_and(|file| is_same(own.row.as_ref(), file.row.as_ref())) {
                apart.remove(&id);
            } else {
                apart.insert(id);
            }
        }
        apart
    }
}

/// Whether two rows are of the same content: a parser may have given up on one.
fn is_same(a: Option<&FileRow>, b: Option<&FileRow>) -> bool {
    let content = |row: &FileRow| match &row.state {
        FileState::Failed(key) => FileState::Indexed(*key),
        state => state.clone(),
    };
    a.map(content) == b.map(content)
}

/// What files resolve to in one state. Kept when time runs out: who asks again goes on from there.
pub(super) type Done = HashMap<FileId, Resolved>;

/// What a state is made with.
#[derive(Clone, Copy)]
pub(super) struct Means<'a> {
    pub(super) facts: &'a FactsStore,
    pub(super) repo: &'a gix::Repository,
    pub(super) snapshot: &'a Snapshot<'a>,
    pub(super) cancel: &'a Cancel,
}

/// The state that has these files otherwise, made from one that `apart` of them tell it from.
pub(super) fn state(
    means: Means<'_>,
    base: &State,
    mut files: BTreeMap<FileId, Differing>,
    apart: &BTreeSet<FileId>,
    done: &mut Done,
) -> Result<State, ToolError> {
    let snapshot = means.snapshot;
    let mut held: HashMap<FactsKey, Arc<Facts>> = HashMap::new();
    let known: HashMap<FileId, &LayerFile> = base.layer.files().collect();
    let mut laid_files = Vec::with_capacity(files.len());
    for (id, file) in &mut files {
        check(means.cancel)?;
        if !apart.contains(id)
            && let Some(known) = known.get(id)
        {
            laid_files.push((*known).clone());
            continue;
        }
        let facts = tree::facts(means.facts, means.repo, file)?;
        if let (Some(facts), Some(key)) = (&facts, file.row.as_ref().and_then(|row| row.state.facts())) {
            held.insert(key, Arc::clone(facts));
        }
        laid_files.push(LayerFile {
            path: file.path.clone(),
            row: file.row.clone(),
            outline: facts.map(|facts| Arc::new(facts.outline.clone())),
        });
    }
    let mut layer = Layer::of_files(laid_files);
    let Resolution { edges, asked } = resolve(means, &held, base, &layer, apart, done)?;
    for (symbol, edges) in edges {
        if snapshot.out_edges(symbol)? != edges {
            layer.set_edges(snapshot, symbol, edges)?;
        }
    }
    Ok(State { layer: Arc::new(layer), asked })
}

/// What came of resolving: edges of every symbol that may have others than in the version.
struct Resolution {
    edges: BTreeMap<SymbolId, Vec<Edge>>,
    asked: HashMap<FileId, Arc<[u64]>>,
}

fn resolve(
    means: Means<'_>,
    held: &HashMap<FactsKey, Arc<Facts>>,
    base: &State,
    layer: &Layer,
    apart: &BTreeSet<FileId>,
    done: &mut Done,
) -> Result<Resolution, ToolError> {
    let (snapshot, facts) = (means.snapshot, means.facts);
    let laid = Laid::new(snapshot, layer);
    let before = Laid::new(snapshot, &base.layer);
    let of_layers = Outlines::new(&[&base.layer, layer]);
    let outline_of = |view: &Laid<'_>, file: FileId| -> Result<Option<Arc<Outline>>, ToolError> {
        let Some(key) = view.file(file)?.and_then(|row| row.state.facts()) else { return Ok(None) };
        Ok(match of_layers.0.get(&key) {
            Some(outline) => Some(Arc::clone(outline)),
            None => facts.outline(&key)?,
        })
    };

    let mut changed = Changed::default();
    for &file in apart {
        check(means.cancel)?;
        let row = match laid.file(file)? {
            Some(row) => Some(row),
            None => before.file(file)?,
        };
        let Some(FileRow { path, .. }) = row else { continue };
        changed.file(file, &path, outline_of(&before, file)?.as_deref(), outline_of(&laid, file)?.as_deref());
    }
    let keys = changed.keys(&before, &laid)?;

    // Whoever asked one of these questions; of those that were resolved for the base, what they asked then.
    let mut dirty: BTreeSet<FileId> = snapshot.dependents(&keys)?.into_iter().collect();
    dirty.retain(|file| !base.asked.contains_key(file));
    dirty.extend(base.asked.iter().filter(|(_, asked)| meets(asked, &keys)).map(|(file, _)| *file));
    for &file in apart {
        dirty.insert(file);
    }

    let mut edges: BTreeMap<SymbolId, Vec<Edge>> =
        base.layer.edges().map(|(symbol, edges)| (symbol, edges.to_vec())).collect();
    let mut asked = base.asked.clone();
    let outlines = |key: &FactsKey| match (held.get(key), of_layers.0.get(key)) {
        (Some(facts), _) => Ok(Some(SharedOutline::Facts(Arc::clone(facts)))),
        (None, Some(outline)) => Ok(Some(SharedOutline::Outline(Arc::clone(outline)))),
        (None, None) => Ok(facts.outline(key)?.map(SharedOutline::Outline)),
    };
    let world = World::new(&laid, &outlines);
    for &file in &dirty {
        check(means.cancel)?;
        if done.contains_key(&file) {
            continue;
        }
        let Some(row) = laid.file(file)? else { continue };
        let Some(key) = row.state.facts() else { continue };
        let resolved = match held.get(&key) {
            Some(facts) => one(&world, file, &row.path, &facts.outline, &facts.body)?,
            None => {
                let (Some(outline), Some(body)) = (outline_of(&laid, file)?, facts.body(&key)?) else {
                    continue;
                };
                one(&world, file, &row.path, &outline, &body)?
            }
        };
        done.insert(file, resolved);
    }
    for file in dirty {
        // What the file had in the base counts no more; what it has in the version and not here is gone.
        asked.remove(&file);
        for def in outline_of(&before, file)?.iter().flat_map(|outline| &outline.defs) {
            edges.remove(&file.symbol(def.key));
        }
        edges.extend(snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        if let Some(resolved) = done.remove(&file) {
            asked.insert(file, resolved.asked.into());
            edges.extend(resolved.edges);
        }
    }
    Ok(Resolution { edges, asked })
}

fn one(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    outline: &Outline,
    body: &Body,
) -> Result<Resolved, ToolError> {
    let mut resolved = sdl_graph::resolve_file(world, file, path, outline, body)?;
    for (_, edges) in &mut resolved.edges {
        edges.sort_unstable();
        edges.dedup();
    }
    Ok(resolved)
}

/// Whether any of the sorted `asked` is among `keys`.
fn meets(asked: &[u64], keys: &ChangedKeys) -> bool {
    if keys.0.len() < asked.len() / 16 {
        return keys.0.iter().any(|key| asked.binary_search(key).is_ok());
    }
    asked.iter().any(|key| keys.0.contains(key))
}

/// The outlines that layers hold.
struct Outlines(HashMap<FactsKey, Arc<Outline>>);

impl Outlines {
    fn new(layers: &[&Layer]) -> Self {
        let files = layers.iter().flat_map(|layer| layer.files());
        let held = files.filter_map(|(_, file)| {
            Some((file.row.as_ref()?.state.facts()?, Arc::clone(file.outline.as_ref()?)))
        });
        Self(held.collect())
    }
}

/// The questions whose answers are others in one state than in another.
#[derive(Default)]
struct Changed {
    keys: ChangedKeys,
    /// Names that are defined otherwise, maybe.
    names: BTreeSet<String>,
}

impl Changed {
    /// A file that was `was` and is `is`.
    fn file(&mut self, file: FileId, path: &RelPath, was: Option<&Outline>, is: Option<&Outline>) {
        let keys = &mut self.keys.0;
        if was.is_some() != is.is_some() {
            let asked = [
                LookupKey::Path(path.as_str()),
                LookupKey::FileName(path.file_name()),
                LookupKey::Dir(path.dir()),
            ];
            keys.extend(asked.map(LookupKey::hash));
        }
        if was.map(|outline| outline.interface) != is.map(|outline| outline.interface) {
            keys.insert(LookupKey::Interface(file).hash());
        }
        let package = |outline: Option<&Outline>| {
            outline.and_then(|o| o.package.map(|package| o.str(package).to_owned()))
        };
        let (old, new) = (package(was), package(is));
        if old != new {
            keys.extend([old, new].iter().flatten().map(|text| LookupKey::Package(text).hash()));
        }
        for outline in [was, is].into_iter().flatten() {
            self.names.extend(outline.defs.iter().map(|def| outline.str(def.name).to_owned()));
        }
    }

    fn keys(mut self, before: &dyn View, after: &dyn View) -> Result<ChangedKeys, ToolError> {
        for name in self.names {
            if before.named(&name)? != after.named(&name)? {
                self.keys.0.insert(LookupKey::Name(&name).hash());
            }
        }
        Ok(self.keys)
    }
}
