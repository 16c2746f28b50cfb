//! `export/graph`: the symbols and edges of a version in columns, page by page in order of path, for a program that draws them.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use sdl_ledger::{Result, Snapshot, View};
use sdl_model::{FileId, SymbolKind};
use sdl_proto::{WireError, code};
use sdl_retrieve::card::Enrichment;
use sdl_tools::{Mask, Repo as _};
use serde::{Deserialize, Serialize};

use super::export::{Files, Opened, symbol_name};
use super::{Admin, store_error, wire_error};
use crate::repo::Repo;

/// A page ends with the file that makes it have more symbols and edges than this.
const PAGE: usize = 40_000;

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
    /// The last file of the page before.
    after: Option<String>,
    /// The version of the page before.
    version: Option<String>,
}

/// A page. Lists of one object have the same length.
#[derive(Default, Serialize)]
struct Page {
    repo: String,
    version: String,
    /// The file to go on after; none on the last page.
    next: Option<String>,
    files: Vec<String>,
    nodes: Nodes,
    edges: Edges,
}

#[derive(Default, Serialize)]
struct Nodes {
    id: Vec<String>,
    name: Vec<String>,
    kind: Vec<&'static str>,
    /// Places in the list of files of this page.
    file: Vec<usize>,
    line: Vec<u32>,
    /// The names of clusters; empty for a file that is in none.
    cluster: Vec<String>,
}

/// Edges from symbols of this page to any.
#[derive(Default, Serialize)]
struct Edges {
    from: Vec<String>,
    to: Vec<String>,
    kind: Vec<&'static str>,
}

/// Runs the method. A page of another version than the one before is refused, because a file on two pages must not be in two
/// states.
pub fn export_graph(admin: &Admin<'_>, params: &[u8]) -> std::result::Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    if params.after.is_none() {
        repo.barrier(Duration::from_secs(10), admin.cancel);
    }
    let mask = Mask::of(admin.engine.as_ref(), repo.id());
    let deadline = Instant::now() + Duration::from_secs(60);
    let read = |view: &Snapshot<'_>| read_page(&repo, view, mask, params.after.as_deref());
    let page = repo.ledger().read(deadline, read).map_err(|error| store_error(&repo, error))?;
    if params.version.is_some_and(|version| version != page.version) {
        return Err(wire_error(code::CONFLICT, "the tree changed during the export; start again"));
    }
    serde_json::to_vec(&page).map_err(|error| wire_error(code::INTERNAL, error.to_string()))
}

fn read_page(repo: &Repo, view: &Snapshot<'_>, mask: Mask, after: Option<&str>) -> Result<Page> {
    let enrichment = repo.enrichment(view);
    let mut files = Files::new(view, repo.facts(), mask);
    let mut page =
        Page { repo: repo.id().to_owned(), version: view.version().to_string(), ..Page::default() };
    let mut last = None;
    let mut is_full = false;
    let mut failure = Ok(());
    view.files_under("", &mut |file, path| {
        if after.is_some_and(|after| path <= after) {
            return ControlFlow::Continue(());
        }
        is_full = page.nodes.id.len() + page.edges.to.len() > PAGE;
        if is_full {
            return ControlFlow::Break(());
        }
        last = Some(path.to_owned());
        failure = files.open(file).and_then(|open| match open {
            Some(open) => page.add(view, mask, file, &open, enrichment.as_ref()),
            None => Ok(()),
        });
        if failure.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failure?;
    page.next = last.filter(|_| is_full);
    Ok(page)
}

impl Page {
    fn add(
        &mut self,
        view: &Snapshot<'_>,
        mask: Mask,
        file: FileId,
        open: &Opened,
        enrichment: &dyn Enrichment,
    ) -> Result<()> {
        // Without its cluster a file can be drawn all the same.
        let cluster = enrichment.cluster(file).ok().flatten().unwrap_or_default();
        let place = self.files.len();
        self.files.push(open.path.clone());
        for (_, def) in open.outline.iter().filter(|(_, def)| def.kind != SymbolKind::Impl) {
            let symbol = file.symbol(def.key);
            let id = symbol.to_string();
            for edge in view.out_edges(symbol)? {
                self.edges.from.push(id.clone());
                self.edges.to.push(edge.to.to_string());
                self.edges.kind.push(sdl_graph::strategies::kind_name(edge.kind, edge.strategy));
            }
            self.nodes.id.push(id);
            self.nodes.name.push(mask.text(symbol_name(open, def)).into_owned());
            self.nodes.kind.push(def.kind.name());
            self.nodes.file.push(place);
            self.nodes.line.push(def.line);
            self.nodes.cluster.push(cluster.clone());
        }
        Ok(())
    }
}
