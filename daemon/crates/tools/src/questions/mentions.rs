//! The mentions of a symbol, as rows of `symbol.related`.

use sdl_model::{FileId, SymbolId};
use sdl_navigate::mentions::{FileMentions, Mentions, SourceOutlines};
use sdl_navigate::{Filter, Graph, Link, mentions};
use sdl_retrieve::{Source, Sym};

use super::related::RelatedOut;
use super::rows::{LinkOut, SymbolOut};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::outlines::StoredBodies;
use crate::questions::lines::LineTexts;

/// Where a page of mentions starts: a file in the order of paths, and a mention in it.
const PER_FILE: usize = 1 << 20;

/// A page of mentions.
pub(crate) struct MentionPage {
    /// The mentions, by path and line.
    pub(crate) rows: Vec<RelatedOut>,
    /// For each, the place from which the page after it starts.
    pub(crate) next: Vec<usize>,
    /// Whether nothing follows the last.
    pub(crate) is_last: bool,
    /// Mentions on all pages, as edges count them.
    pub(crate) total: u64,
}

/// The mentions of `targets` from the place `offset`, at most `limit`.
pub(crate) fn find_mentions(
    cx: &ReadCx<'_>,
    graph: &Graph<'_, '_>,
    targets: &[Sym],
    filter: &Filter,
    (offset, limit): (usize, usize),
) -> Result<MentionPage, ToolError> {
    let source = graph.source();
    let ids: Vec<SymbolId> = targets.iter().map(|sym| sym.id).collect();
    let files = mentions::mentioning_files(graph, &ids, filter)?;
    let total = files.iter().map(|file| file.counted).sum();
    let bodies = StoredBodies(cx.repo.facts());
    let outlines = SourceOutlines::of(source);
    let finder = Mentions::new(source, &outlines, &bodies);
    let mut page = MentionPage { rows: Vec::new(), next: Vec::new(), is_last: true, total };
    for (place, file) in files.iter().enumerate().skip(offset / PER_FILE) {
        cx.call.check()?;
        let skipped = if place == offset / PER_FILE { offset % PER_FILE } else { 0 };
        let found = match cx.across {
            Some(across) => across.workspace.mentions_in(file.file, &ids)?,
            None => finder.in_file(file.file, &ids, &[])?.unwrap_or_default(),
        };
        for (at, row) in
            mention_rows(source, file.file, &found, filter)?.into_iter().enumerate().skip(skipped)
        {
            if page.rows.len() >= limit {
                page.is_last = false;
                return Ok(page);
            }
            page.rows.push(row);
            page.next.push(place * PER_FILE + at + 1);
        }
    }
    Ok(page)
}

fn mention_rows(
    source: &Source<'_>,
    file: FileId,
    found: &FileMentions,
    filter: &Filter,
) -> Result<Vec<RelatedOut>, ToolError> {
    let mut rows = Vec::with_capacity(found.found.len());
    for site in found.found.iter().filter(|site| site.edge.confidence >= filter.min_confidence) {
        let Some(around) = source.symbol(site.from)?.filter(|around| around.file() == file) else { continue };
        if !filter.include_tests && around.is_test() {
            continue;
        }
        let link = Link {
            symbol: site.from,
            kind: site.edge.kind,
            resolution: site.edge.resolution,
            strategy: site.edge.strategy,
            confidence: site.edge.confidence,
            through: None,
        };
        rows.push(RelatedOut {
            symbol: SymbolOut::of(&around),
            depth: 1,
            of: None,
            at: Some(site.line),
            sites: None,
            text: None,
            test: around.is_test(),
            exported: false,
            users: None,
            link: Some(LinkOut::of(source, &link)?),
        });
    }
    Ok(rows)
}

/// Adds the texts of the lines.
pub(crate) fn add_texts(
    source: &Source<'_>,
    rows: &mut [RelatedOut],
    texts: &mut LineTexts<'_, '_>,
) -> Result<(), ToolError> {
    for row in rows {
        let around = row.symbol.symbol_id.parse::<SymbolId>().ok().map(|id| source.symbol(id)).transpose()?;
        if let (Some(around), Some(line)) = (around.flatten(), row.at) {
            row.text = texts.text(&around, line)?;
        }
    }
    Ok(())
}
