//! Finds the edges that differ, given the files that differ: those of the files themselves, and of all files that asked
//! about them.
//!
//! A state is made from the nearest known one: the version, or another state over it. Only the differences from that
//! one are resolved.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sdl_graph::{FileFacts, HeldFacts, KeptIndexes, SharedOutline, resolve_files};
use sdl_ledger::{
    ChangedKeys, FactsStore, Invalidation, Public, ResolutionCounts, Resolved, Result, Snapshot, View,
};
use sdl_model::{Edge, Facts, FactsKey, FileId, FileRow, FileState, Outline, RelPath, SymbolId};

use super::{Laid, Layer, LayerFile};

/// A state over a version, and the data needed to derive others from it.
#[derive(Default)]
pub struct State {
    layer: Arc<Layer>,
    /// The files resolved for this state. The version has the outcomes of the others.
    resolved: HashMap<FileId, Outcome>,
}

/// The outcome of resolving a file.
#[derive(Clone)]
struct Outcome {
    /// The questions it asked, sorted.
    asked: Arc<[u32]>,
    /// The marks of the names it left open, sorted.
    unresolved: Arc<[u32]>,
    counts: ResolutionCounts,
}

/// A file that differs between a state and the version.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// Its path.
    pub path: RelPath,
    /// Its row in the state. None if the state does not have it.
    pub row: Option<FileRow>,
}

/// The source of a state's files.
pub trait Origin {
    /// Why a state could not be made.
    type Error: From<sdl_ledger::Error>;

    /// The facts of an indexed file of the state. If a parser gives up on the file, this must record it in `row`.
    fn facts(&self, file: FileId, row: &mut FileRow) -> std::result::Result<Option<Arc<Facts>>, Self::Error>;

    /// Fails when nobody waits for the result any more.
    fn check(&self) -> std::result::Result<(), Self::Error>;
}

/// The resolved files of one state. Kept when time runs out, because the next request can continue from there.
pub type Done = HashMap<FileId, Resolved>;

impl State {
    /// The differences from the version.
    pub fn layer(&self) -> &Arc<Layer> {
        &self.layer
    }

    /// The outcome of the references of each file that was resolved for this state.
    pub(super) fn counts(&self) -> impl Iterator<Item = (FileId, ResolutionCounts)> {
        self.resolved.iter().map(|(file, outcome)| (*file, outcome.counts))
    }

    /// The files that differ between this state and `files`, which differ from the version.
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

    /// The state in which `files` differ from the snapshot's version. It is made from this state, from which it differs
    /// in `apart`. Stores nothing.
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
        for (file, outcome) in &resolved {
            layer.set_unresolved(*file, Arc::clone(&outcome.unresolved));
        }
        Ok(Self { layer: Arc::new(layer), resolved })
    }
}

/// Whether two rows have the same content. A parser may have given up on one of them.
fn is_same(a: Option<&FileRow>, b: Option<&FileRow>) -> bool {
    let content = |row: &FileRow| match &row.state {
        FileState::Failed(key) => FileState::Indexed(*key),
        state => state.clone(),
    };
    a.map(content) == b.map(content)
}

/// The inputs from which a state is made.
struct Means<'a, O> {
    facts: &'a FactsStore,
    snapshot: &'a Snapshot<'a>,
    origin: &'a O,
}

/// The result of resolving: edges of every symbol whose edges may differ from the version's.
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
        let outlines = [outline_of(&before, file)?, outline_of(&laid, file)?];
        let published =
            outlines.each_ref().map(|outline| outline.as_ref().map(|outline| Public::of(file, outline)));
        changes.note_file(&path, published.each_ref().map(Option::as_ref), || {
            let [was, is] = &outlines;
            Ok(was.clone().zip(is.clone()).map(<[_; 2]>::from))
        })?;
    }
    let was = changes.name_answers(|name| before.named(name))?;
    let is = changes.name_answers(|name| laid.named(name))?;
    let keys = changes.changed_keys(&was, &is);

    // The files that asked one of these questions. Files resolved for the base count by the questions they asked then.
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
    let facts_of = |file: FileId, ()| -> std::result::Result<Option<FileFacts>, O::Error> {
        origin.check()?;
        let Some(row) = laid.file(file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let found = match held.get(&key) {
            Some(facts) => Some(HeldFacts::Whole(Arc::clone(facts))),
            None => match (outline_of(&laid, file)?, facts.body(&key)?) {
                (Some(outline), Some(body)) => Some(HeldFacts::Halves(outline, body)),
                // The facts of a state's file need not be stored.
                _ if layer.has(file) => origin.facts(file, &mut row.clone())?.map(HeldFacts::Whole),
                _ => None,
            },
        };
        Ok(found.map(|facts| FileFacts { path: row.path, facts }))
    };
    let open: Vec<(FileId, ())> =
        dirty.iter().filter(|file| !done.contains_key(file)).map(|file| (*file, ())).collect();
    resolve_files(&laid, &outlines, (usize::MAX, &mut KeptIndexes::default()), open, facts_of, |resolved| {
        if let Some(file) = resolved.file {
            done.insert(file, resolved);
        }
        Ok(())
    })?;
    for file in dirty {
        // The file's edges of the base no longer count. Edges of the version that are missing here are removed.
        outcomes.remove(&file);
        for def in outline_of(&before, file)?.iter().flat_map(|outline| &outline.defs) {
            edges.remove(&file.symbol(def.key));
        }
        edges.extend(snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        if let Some(resolved) = done.remove(&file) {
            let Resolved { asked, unresolved, counts, edges: found, .. } = resolved;
            outcomes.insert(file, Outcome { asked: asked.into(), unresolved: unresolved.into(), counts });
            edges.extend(found);
        }
    }
    Ok(Resolution { edges, resolved: outcomes })
}

/// Whether any of the sorted `asked` is among `keys`, or both of a pair are.
fn has_any_key(asked: &[u32], keys: &ChangedKeys) -> bool {
    let has = |key: &u32| asked.binary_search(key).is_ok();
    if keys.pairs.iter().any(|(one, other)| has(one) && has(other)) {
        return true;
    }
    if keys.keys.len() < asked.len() / 16 {
        return keys.keys.iter().any(has);
    }
    asked.iter().any(|key| keys.keys.contains(key))
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
