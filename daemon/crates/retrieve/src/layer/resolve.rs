//! Files that differ to the edges that differ: what they resolve to, and what everyone who asked about them does.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sdl_graph::{SharedOutline, World};
use sdl_ledger::{
    ChangedKeys, FactsStore, LookupKey, ResolutionCounts, Resolved, Sign, Snapshot, Tally, View,
};
use sdl_model::{Body, Edge, Facts, FactsKey, FileId, FileRow, Outline, RelPath, SymbolId};

use super::{Laid, Layer, LayerFile};
use crate::{Error, Result};

/// A file as another state has it.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// Its path.
    pub path: RelPath,
    /// Its row there; none if it is not there.
    pub row: Option<FileRow>,
    /// What it says there, if it has facts. They need not be stored.
    pub facts: Option<Arc<Facts>>,
}

impl Layer {
    /// The state that has these files otherwise than the snapshot's version, and the edges that follow from it. `check`
    /// fails when nobody waits any more. Stores nothing.
    pub fn of_state<E: From<Error>>(
        facts: &FactsStore,
        files: &[StateFile],
        snapshot: &Snapshot<'_>,
        check: &dyn Fn() -> std::result::Result<(), E>,
    ) -> std::result::Result<Self, E> {
        let mut held: HashMap<FactsKey, Arc<Facts>> = HashMap::new();
        for file in files {
            if let (Some(row), Some(facts)) = (&file.row, &file.facts)
                && let Some(key) = row.state.facts()
            {
                held.insert(key, Arc::clone(facts));
            }
        }
        let mut layer = Self::of_files(files.iter().map(|file| LayerFile {
            path: file.path.clone(),
            row: file.row.clone(),
            outline: file.facts.as_ref().map(|facts| Arc::new(facts.outline.clone())),
        }));
        let state = State { facts, held: &held, layer: &layer, snapshot };
        let found = state.resolve(check)?;
        layer.take(facts, snapshot, found).map_err(E::from)?;
        Ok(layer)
    }

    fn take(&mut self, facts: &FactsStore, snapshot: &Snapshot<'_>, found: Found) -> Result<()> {
        let mut tally = Tally::from_counters(&snapshot.counters()?);
        for (id, own) in &self.files {
            let old = snapshot.file(*id)?;
            let was = old.as_ref().and_then(|row| row.state.facts());
            let was = was.map_or(Ok(None), |key| facts.outline(&key))?;
            let sides = [
                (old.as_ref(), was.as_deref(), Sign::Minus),
                (own.row.as_ref(), own.outline.as_deref(), Sign::Plus),
            ];
            for (row, outline, sign) in sides {
                row.into_iter().for_each(|row| tally.row(row, sign));
                if let Some(outline) = outline {
                    tally.outline(outline.lang.name(), outline.defs.len(), sign);
                }
            }
        }
        for (file, counts) in found.counts {
            tally.resolved(snapshot.resolution_of(file)?, Sign::Minus);
            tally.resolved(counts, Sign::Plus);
        }
        for (symbol, edges) in found.edges {
            let below = snapshot.out_edges(symbol)?;
            if below != edges {
                tally.edges(below.len(), Sign::Minus);
                tally.edges(edges.len(), Sign::Plus);
                self.set_edges(snapshot, symbol, edges)?;
            }
        }
        self.totals = Some(tally.counters());
        Ok(())
    }
}

/// What resolving a state gave.
#[derive(Default)]
struct Found {
    /// The outgoing edges of every symbol whose edges may be others.
    edges: BTreeMap<SymbolId, Vec<Edge>>,
    /// How the references of each file came out that was looked at, or is gone.
    counts: BTreeMap<FileId, ResolutionCounts>,
}

/// A layer whose edges are not known yet, and where to look for them.
struct State<'a> {
    facts: &'a FactsStore,
    held: &'a HashMap<FactsKey, Arc<Facts>>,
    layer: &'a Layer,
    snapshot: &'a Snapshot<'a>,
}

impl State<'_> {
    fn resolve<E: From<Error>>(
        &self,
        check: &dyn Fn() -> std::result::Result<(), E>,
    ) -> std::result::Result<Found, E> {
        let laid = Laid::new(self.snapshot, self.layer);
        let mut found = Found::default();
        let dirty = self.dirty(&laid, &mut found).map_err(E::from)?;
        let outlines = |key: &FactsKey| match self.held.get(key) {
            Some(facts) => Ok(Some(SharedOutline::Facts(Arc::clone(facts)))),
            None => Ok(self.facts.outline(key)?.map(SharedOutline::Outline)),
        };
        let world = World::new(&laid, &outlines);
        for file in dirty {
            check()?;
            self.resolve_file(&world, &laid, file, &mut found).map_err(E::from)?;
        }
        Ok(found)
    }

    /// The files to be resolved. Notes every symbol of the version below that lies in a file of the layer.
    fn dirty(&self, laid: &Laid<'_>, found: &mut Found) -> Result<BTreeSet<FileId>> {
        let asked = self.snapshot.dependents(&self.changed_keys(laid)?)?;
        let mut dirty: BTreeSet<FileId> = asked.into_iter().collect();
        for (file, own) in self.layer.files() {
            // What is gone has no edges.
            found
                .edges
                .extend(self.snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
            found.counts.insert(file, ResolutionCounts::default());
            match own.outline {
                Some(_) => drop(dirty.insert(file)),
                None => drop(dirty.remove(&file)),
            }
        }
        Ok(dirty)
    }

    fn resolve_file(
        &self,
        world: &World<'_>,
        laid: &Laid<'_>,
        file: FileId,
        found: &mut Found,
    ) -> Result<()> {
        let Some(row) = laid.file(file)? else { return Ok(()) };
        let Some(key) = row.state.facts() else { return Ok(()) };
        let resolved = match self.held.get(&key) {
            Some(facts) => one(world, file, &row.path, &facts.outline, &facts.body)?,
            None => {
                let (Some(outline), Some(body)) = (self.facts.outline(&key)?, self.facts.body(&key)?) else {
                    return Ok(());
                };
                one(world, file, &row.path, &outline, &body)?
            }
        };
        // Symbols that have no edges any more are not told of.
        found.edges.extend(self.snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        found.edges.extend(resolved.edges);
        found.counts.insert(file, resolved.counts);
        Ok(())
    }

    /// The questions whose answers are others in this state.
    fn changed_keys(&self, laid: &Laid<'_>) -> Result<ChangedKeys> {
        let mut keys = ChangedKeys::default();
        let mut names: BTreeSet<String> = self.layer.names().map(str::to_owned).collect();
        for (file, own) in self.layer.files() {
            let key = self.snapshot.file(file)?.and_then(|row| row.state.facts());
            let was = key.map_or(Ok(None), |key| self.facts.outline(&key))?;
            let (was, is) = (was.as_deref(), own.outline.as_deref());
            if was.is_some() != is.is_some() {
                let path = &own.path;
                let asked = [
                    LookupKey::Path(path.as_str()),
                    LookupKey::FileName(path.file_name()),
                    LookupKey::Dir(path.dir()),
                ];
                keys.0.extend(asked.map(LookupKey::hash));
            }
            if was.map(|outline| outline.interface) != is.map(|outline| outline.interface) {
                keys.0.insert(LookupKey::Interface(file).hash());
            }
            let package = |outline: Option<&Outline>| {
                outline.and_then(|outline| outline.package.map(|package| outline.str(package).to_owned()))
            };
            let (old, new) = (package(was), package(is));
            if old != new {
                keys.0.extend([old, new].iter().flatten().map(|text| LookupKey::Package(text).hash()));
            }
            if let Some(was) = was {
                names.extend(was.defs.iter().map(|def| was.str(def.name).to_owned()));
            }
        }
        for name in names {
            if self.snapshot.named(&name)? != laid.named(&name)? {
                keys.0.insert(LookupKey::Name(&name).hash());
            }
        }
        Ok(keys)
    }
}

fn one(world: &World<'_>, file: FileId, path: &RelPath, outline: &Outline, body: &Body) -> Result<Resolved> {
    let mut resolved = sdl_graph::resolve_file(world, file, path, outline, body)?;
    for (_, edges) in &mut resolved.edges {
        edges.sort_unstable();
        edges.dedup();
    }
    Ok(resolved)
}
