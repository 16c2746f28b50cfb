//! Files that differ to the edges that differ: what they resolve to, and what everyone who asked about them does.
//!
//! A state is made from the nearest one that is known: the version, or another state over it. Only what differs from
//! that one is resolved.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sdl_graph::{FileFacts, HeldFacts, SharedOutline, resolve_files};
use sdl_ledger::{
    ChangedKeys, FactsStore, Invalidation, Public, ResolutionCounts, Resolved, Result, Snapshot, View,
};
use sdl_model::{Edge, Facts, FactsKey, FileId, FileRow, FileState, Outline, RelPath, SymbolId};

use super::{Laid, Layer, LayerFile};

/// A state over a version, and what it takes to make others from it.
#[derive(Default)]
pub struct State {
    layer: Arc<Layer>,
    /// The files that were resolved for this state. How the others came out, the version knows.
    resolved: HashMap<FileId, Outcome>,
}

/// How a file came out.
#[derive(Clone)]
struct Outcome {
    /// What it asked, sorted.
    asked: Arc<[u64]>,
    counts: ResolutionCounts,
}

/// A file that a state has otherwise than the version.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// Its path.
    pub path: RelPath,
    /// Its row there; none if it is not there.
    pub row: Option<FileRow>,
}

/// Where the files of a state come from.
pub trait Origin {
    /// Why a state can't be made.
    type Error: From<sdl_ledger::Error>;

    /// What an indexed file of the state says. If a parser gives up on it, its `row` is to say so.
    fn facts(&self, file: FileId, row: &mut FileRow) -> std::result::Result<Option<Arc<Facts>>, Self::Error>;

    /// Fails when nobody waits any more.
    fn check(&self) -> std::result::Result<(), Self::Error>;
}

/// What files resolve to in one state. Kept when time runs out: who asks again goes on from there.
pub type Done = HashMap<FileId, Resolved>;

impl State {
    /// What is otherwise than in the version.
    pub fn layer(&self) -> &Arc<Layer> {
        &self.layer
    }

    /// How the references of each file came out that was resolved for this state.
    pub(super) fn counts(&self) -> impl Iterator<Item = (FileId, ResolutionCounts)> {
        self.resolved.iter().map(|(file, outcome)| (*file, outcome.counts))
    }

    /// The files that are others here than among `files`, which differ from the version.
    pub fn apart(&self, files: &BTreeMap<FileId, StateFile>) -> BTreeSet<FileId> {
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

    /// The state that has these files otherwise than the snapshot's version, made from this one, from which `apart` of them
    /// tell it. Stores nothing.
    pub fn with<O: Origin>(
        &self,
        mut files: BTreeMap<FileId, StateFile>,
        apart: &BTreeSet<FileId>,
        (facts, snapshot): (&FactsStore, &Snapshot<'_>),
        origin: &O,
        done: &mut Done,
    ) -> std::result::Result<Self, O::Error> {
        let mut held: HashMap<FactsKey, Arc<Facts>> = HashMap::new();
        let known: HashMap<FileId, &LayerFile> = self.layer.files().collect();
        let mut laid_files = Vec::with_capacity(files.len());
        for (id, file) in &mut files {
            origin.check()?;
            if !apart.contains(id)
                && let Some(known) = known.get(id)
            {
                laid_files.push((*known).clone());
                continue;
            }
            let indexed = file.row.as_mut().filter(|row| matches!(row.state, FileState::Indexed(_)));
            let facts = indexed.map_or(Ok(None), |row| origin.facts(*id, row))?;
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
        let means = Means { facts, snapshot, origin };
        let Resolution { edges, resolved } = resolve_layer(means, &held, self, &layer, apart, done)?;
        for (symbol, edges) in edges {
            if snapshot.out_edges(symbol)? != edges {
                layer.set_edges(snapshot, symbol, edges)?;
            }
        }
        Ok(Self { layer: Arc::new(layer), resolved })
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

/// What a state is made with.
struct Means<'a, O> {
    facts: &'a FactsStore,
    snapshot: &'a Snapshot<'a>,
    origin: &'a O,
}

/// What came of resolving: edges of every symbol that may have others than in the version.
struct Resolution {
    edges: BTreeMap<SymbolId, Vec<Edge>>,
    resolved: HashMap<FileId, Outcome>,
}

fn resolve_layer<O: Origin>(
    Means { facts, snapshot, origin }: Means<'_, O>,
    held: &HashMap<FactsKey, Arc<Facts>>,
    base: &State,
    layer: &Layer,
    apart: &BTreeSet<FileId>,
    done: &mut Done,
) -> std::result::Result<Resolution, O::Error> {
    let laid = Laid::new(snapshot, layer);
    let before = Laid::new(snapshot, &base.layer);
    let of_layers = Outlines::new(&[&base.layer, layer]);
    let outline_of = |view: &Laid<'_>, file: FileId| -> Result<Option<Arc<Outline>>> {
        let Some(key) = view.file(file)?.and_then(|row| row.state.facts()) else { return Ok(None) };
        Ok(match of_layers.0.get(&key) {
            Some(outline) => Some(Arc::clone(outline)),
            None => facts.outline(&key)?,
        })
    };

    let mut changes = Invalidation::default();
    for &file in apart {
        origin.check()?;
        let row = match laid.file(file)? {
            Some(row) => Some(row),
            None => before.file(file)?,
        };
        let Some(FileRow { path, .. }) = row else { continue };
        let published = |view: &Laid<'_>| -> Result<Option<Public>> {
            Ok(outline_of(view, file)?.map(|outline| Public::of(file, &outline)))
        };
        changes.note_file(&path, published(&before)?.as_ref(), published(&laid)?.as_ref());
    }
    let was = changes.name_answers(|name| before.named(name))?;
    let is = changes.name_answers(|name| laid.named(name))?;
    let keys = changes.changed_keys(&was, &is);

    // Whoever asked one of these questions; of those that were resolved for the base, what they asked then.
    let mut dirty: BTreeSet<FileId> = snapshot.dependents(&keys)?.into_iter().collect();
    dirty.retain(|file| !base.resolved.contains_key(file));
    let asked_then = base.resolved.iter().filter(|(_, outcome)| has_any_key(&outcome.asked, &keys));
    dirty.extend(asked_then.map(|(file, _)| *file));
    for &file in apart {
        dirty.insert(file);
    }

    let mut edges: BTreeMap<SymbolId, Vec<Edge>> =
        base.layer.edges().map(|(symbol, edges)| (symbol, edges.to_vec())).collect();
    let mut outcomes = base.resolved.clone();
    let outlines = |key: &FactsKey| match (held.get(key), of_layers.0.get(key)) {
        (Some(facts), _) => Ok(Some(SharedOutline::Facts(Arc::clone(facts)))),
        (None, Some(outline)) => Ok(Some(SharedOutline::Outline(Arc::clone(outline)))),
        (None, None) => Ok(facts.outline(key)?.map(SharedOutline::Outline)),
    };
    let facts_of = |file: FileId| -> std::result::Result<Option<FileFacts>, O::Error> {
        origin.check()?;
        let Some(row) = laid.file(file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let found = match held.get(&key) {
            Some(facts) => Some(HeldFacts::Whole(Arc::clone(facts))),
            None => match (outline_of(&laid, file)?, facts.body(&key)?) {
                (Some(outline), Some(body)) => Some(HeldFacts::Halves(outline, body)),
                // What a state says need not be stored.
                _ if layer.has(file) => origin.facts(file, &mut row.clone())?.map(HeldFacts::Whole),
                _ => None,
            },
        };
        Ok(found.map(|facts| FileFacts { path: row.path, facts }))
    };
    let open: Vec<FileId> = dirty.iter().filter(|file| !done.contains_key(file)).copied().collect();
    resolve_files(&laid, &outlines, open, facts_of, |resolved| {
        if let Some(file) = resolved.file {
            done.insert(file, resolved);
        }
    })?;
    for file in dirty {
        // What the file had in the base counts no more; what it has in the version and not here is gone.
        outcomes.remove(&file);
        for def in outline_of(&before, file)?.iter().flat_map(|outline| &outline.defs) {
            edges.remove(&file.symbol(def.key));
        }
        edges.extend(snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        if let Some(resolved) = done.remove(&file) {
            outcomes.insert(file, Outcome { asked: resolved.asked.into(), counts: resolved.counts });
            edges.extend(resolved.edges);
        }
    }
    Ok(Resolution { edges, resolved: outcomes })
}

/// Whether any of the sorted `asked` is among `keys`.
fn has_any_key(asked: &[u64], keys: &ChangedKeys) -> bool {
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
