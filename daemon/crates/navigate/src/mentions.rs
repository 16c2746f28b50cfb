//! Each place that mentions a symbol.
//!
//! Edges count mentions and keep the line of the first. The lines of all mentions are found by resolving the files
//! with such an edge again, one after the other, so a page costs as much as its files.

use std::collections::BTreeMap;

use sdl_graph::{OpenSite, SharedOutline, Site, World, resolve_sites};
use sdl_model::facts::Body;
use sdl_model::{FactsKey, FileId, SymbolId};
use sdl_retrieve::{Outlines, Result, Source};

use crate::graph::MAX_LINKS;
use crate::{Filter, Graph};

/// Where the bodies of files come from.
pub trait Bodies {
    /// The second half of the facts of a file, or none if the store does not have it.
    fn body(&self, key: FactsKey) -> sdl_ledger::Result<Option<Body>>;
}

/// A file that mentions one of the targets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MentioningFile {
    /// Its path.
    pub path: String,
    /// The file.
    pub file: FileId,
    /// The number of mentions that its edges count. A mention that makes two edges, such as a decorator, counts twice.
    pub counted: u64,
}

/// The files that mention one of `targets`, by path.
pub fn mentioning_files(
    graph: &Graph<'_, '_>,
    targets: &[SymbolId],
    filter: &Filter,
) -> Result<Vec<MentioningFile>> {
    let view = graph.source().view();
    let mut sources: BTreeMap<SymbolId, FileId> = BTreeMap::new();
    for target in targets {
        for edge in view.in_edges(*target, MAX_LINKS)? {
            if edge.confidence >= filter.min_confidence
                && let Some(file) = view.symbol_file(edge.from)?
            {
                sources.insert(edge.from, file);
            }
        }
    }
    let mut files: BTreeMap<FileId, u64> = BTreeMap::new();
    for (symbol, file) in sources {
        let edges = view.out_edges(symbol)?;
        let counted =
            edges.iter().filter(|edge| targets.contains(&edge.to)).map(|edge| u64::from(edge.sites));
        *files.entry(file).or_default() += counted.sum::<u64>();
    }
    let mut found = Vec::with_capacity(files.len());
    for (file, counted) in files {
        let Some(row) = view.file(file)? else { continue };
        let path = row.path.as_str();
        if filter.keeps_file(path) {
            found.push(MentioningFile { path: path.to_owned(), file, counted });
        }
    }
    found.sort();
    Ok(found)
}

/// The mentions in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileMentions {
    /// Those of the targets, in the order of lines; each place once, by its surest edge.
    pub found: Vec<Site>,
    /// Those of one of the names whose meaning is not known.
    pub open: Vec<OpenSite>,
}

/// Finds mentions, file by file.
pub struct Mentions<'g, 's, 'a> {
    source: &'s Source<'a>,
    bodies: &'g dyn Bodies,
    world: World<'g>,
}

/// The outlines of a source, as the resolver asks for them.
pub struct SourceOutlines<'a>(&'a dyn Outlines);

impl<'a> SourceOutlines<'a> {
    /// The outlines of a source.
    pub fn of(source: &Source<'a>) -> Self {
        Self(source.outlines())
    }

    /// Those of a store.
    pub fn over(outlines: &'a dyn Outlines) -> Self {
        Self(outlines)
    }
}

impl sdl_graph::Outlines for SourceOutlines<'_> {
    fn outline(&self, key: &FactsKey) -> sdl_ledger::Result<Option<SharedOutline>> {
        Ok(self.0.outline(*key)?.map(SharedOutline::Outline))
    }
}

/// The mentions of `targets` among those of a file, in the order of lines.
pub(crate) fn mentions_of(mut found: Vec<Site>, targets: &[SymbolId]) -> Vec<Site> {
    found.retain(|site| targets.contains(&site.edge.to));
    // The surest edge is kept, because one place may make several.
    found.sort_by_key(|site| (site.line, site.at, site.edge.resolution, site.edge.kind, *site));
    found.dedup_by_key(|site| (site.line, site.at));
    found
}

impl<'g, 's, 'a: 'g> Mentions<'g, 's, 'a> {
    /// For the version that `source` reads.
    pub fn new(source: &'s Source<'a>, outlines: &'g SourceOutlines<'_>, bodies: &'g dyn Bodies) -> Self {
        Self { source, bodies, world: World::new(source.view(), outlines) }
    }

    /// The mentions of `targets` in a file, and those of `names` whose meaning is not known. None if the file has no
    /// facts.
    pub fn in_file(
        &self,
        file: FileId,
        targets: &[SymbolId],
        names: &[&str],
    ) -> Result<Option<FileMentions>> {
        let Some(row) = self.source.view().file(file)? else { return Ok(None) };
        let Some(key) = row.state.facts() else { return Ok(None) };
        let outlines = self.source.outlines();
        let (Some(outline), Some(body)) = (outlines.outline(key)?, self.bodies.body(key)?) else {
            return Ok(None);
        };
        let sites = resolve_sites(&self.world, file, &row.path, (&outline, &body))?;
        let mut open = sites.open;
        open.retain(|site| names.contains(&&*site.name));
        open.sort();
        Ok(Some(FileMentions { found: mentions_of(sites.found, targets), open }))
    }
}
