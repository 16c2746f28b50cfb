//! Files that differ to the edges that differ: what they resolve to, and what everyone who asked about them does.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sdl_graph::{SharedOutline, World};
use sdl_ledger::{ChangedKeys, FactsStore, LookupKey, Snapshot, View};
use sdl_model::{Body, Edge, Facts, FactsKey, FileId, Outline, RelPath, SymbolId};
use sdl_retrieve::layer::{Laid, Layer, LayerFile};
use sdl_tools::{Cancel, ToolError};

use super::check;
use super::tree::Differing;

/// The state that has these files otherwise.
pub(super) fn layer(
    facts: &FactsStore,
    files: Vec<Differing>,
    snapshot: &Snapshot<'_>,
    cancel: &Cancel,
) -> Result<Layer, ToolError> {
    let mut held: HashMap<FactsKey, Arc<Facts>> = HashMap::new();
    for file in &files {
        if let (Some(row), Some(facts)) = (&file.row, &file.facts)
            && let Some(key) = row.state.facts()
        {
            held.insert(key, Arc::clone(facts));
        }
    }
    let mut layer = Layer::of_files(files.into_iter().map(|file| LayerFile {
        path: file.path,
        row: file.row,
        outline: file.facts.map(|facts| Arc::new(facts.outline.clone())),
    }));
    let resolved = resolve(facts, &held, &layer, snapshot, cancel)?;
    for (symbol, edges) in resolved {
        if snapshot.out_edges(symbol)? != edges {
            layer.set_edges(snapshot, symbol, edges)?;
        }
    }
    Ok(layer)
}

/// The outgoing edges of every symbol whose edges may be others.
fn resolve(
    facts: &FactsStore,
    held: &HashMap<FactsKey, Arc<Facts>>,
    layer: &Layer,
    snapshot: &Snapshot<'_>,
    cancel: &Cancel,
) -> Result<BTreeMap<SymbolId, Vec<Edge>>, ToolError> {
    let laid = Laid::new(snapshot, layer);
    let mut all: BTreeMap<SymbolId, Vec<Edge>> = BTreeMap::new();
    let mut dirty: BTreeSet<FileId> =
        snapshot.dependents(&changed_keys(facts, layer, snapshot)?)?.into_iter().collect();
    for (file, own) in layer.files() {
        // What is gone has no edges.
        all.extend(snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        match own.outline {
            Some(_) => drop(dirty.insert(file)),
            None => drop(dirty.remove(&file)),
        }
    }
    let outlines = |key: &FactsKey| match held.get(key) {
        Some(facts) => Ok(Some(SharedOutline::Facts(Arc::clone(facts)))),
        None => Ok(facts.outline(key)?.map(SharedOutline::Outline)),
    };
    let world = World::new(&laid, &outlines);
    for file in dirty {
        check(cancel)?;
        let Some(row) = laid.file(file)? else { continue };
        let Some(key) = row.state.facts() else { continue };
        all.extend(snapshot.symbols_of(file)?.into_iter().map(|symbol| (symbol, Vec::new())));
        let resolved = match held.get(&key) {
            Some(facts) => one(&world, file, &row.path, &facts.outline, &facts.body)?,
            None => {
                let (Some(outline), Some(body)) = (facts.outline(&key)?, facts.body(&key)?) else { continue };
                one(&world, file, &row.path, &outline, &body)?
            }
        };
        all.extend(resolved);
    }
    Ok(all)
}

fn one(
    world: &World<'_>,
    file: FileId,
    path: &RelPath,
    outline: &Outline,
    body: &Body,
) -> Result<Vec<(SymbolId, Vec<Edge>)>, ToolError> {
    let mut resolved = sdl_graph::resolve_file(world, file, path, outline, body)?.edges;
    for (_, edges) in &mut resolved {
        edges.sort_unstable();
        edges.dedup();
    }
    Ok(resolved)
}

/// The questions whose answers are others in this state.
fn changed_keys(
    facts: &FactsStore,
    layer: &Layer,
    snapshot: &Snapshot<'_>,
) -> Result<ChangedKeys, ToolError> {
    let laid = Laid::new(snapshot, layer);
    let mut keys = ChangedKeys::default();
    let mut names: BTreeSet<String> = layer.names().map(str::to_owned).collect();
    for (file, own) in layer.files() {
        let key = snapshot.file(file)?.and_then(|row| row.state.facts());
        let was = key.map_or(Ok(None), |key| facts.outline(&key))?;
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
        if snapshot.named(&name)? != laid.named(&name)? {
            keys.0.insert(LookupKey::Name(&name).hash());
        }
    }
    Ok(keys)
}
