//! Symbols of edited files, and their callers.

use sdl_model::facts::DefFlags;
use sdl_model::{EdgeKind, SymbolKind};

use super::Seeds;
use crate::search::files::files_at;
use crate::slice::{Link, SliceRequest};
use crate::{Evidence, LaneStatus, Result, Source};

/// Most callers of one symbol that are forced in.
const MOST_CALLERS: usize = 20;
/// The score of a user of an edited variable.
const USER: f32 = 0.5;

pub(super) fn add_edited_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    if request.edited_files.is_empty() {
        evidence.skipped("editedFiles");
        return Ok(());
    }
    let mut found = 0;
    let mut unknown = Vec::new();
    for path in &request.edited_files {
        let files = files_at(source.view(), path)?;
        if files.is_empty() {
            unknown.push(path.as_str());
        }
        for file in files.into_iter().take(1) {
            for sym in source.symbols_of(file)? {
                let hidden = sym.def().flags.has(DefFlags::LOCAL) || sym.kind() == SymbolKind::Impl;
                if hidden {
                    continue;
                }
                let runs = sym.kind().is_callable() || sym.kind().is_type();
                seeds.add(sym.id, if runs { 0.95 } else { 0.75 }, true);
                found += 1;
                for edge in source.view().in_edges(sym.id, MOST_CALLERS)? {
                    if !request.follows(Link::Edge(edge.kind), edge.confidence) {
                        continue;
                    }
                    let sure = f32::from(edge.confidence) / 100.0;
                    if edge.kind == EdgeKind::Call {
                        seeds.add(edge.from, 0.8 * sure, true);
                        found += 1;
                    } else if !runs && edge.kind != EdgeKind::Import {
                        // A symbol that is not a function is used without a call. Its users come after all required
                        // symbols.
                        seeds.add(edge.from, USER * sure, false);
                        found += 1;
                    }
                }
            }
        }
    }
    if unknown.is_empty() {
        evidence.ran("editedFiles", found);
    } else {
        let status = if found == 0 { LaneStatus::Empty } else { LaneStatus::Ok };
        evidence.push("editedFiles", status, found, Some(format!("not indexed: {}", unknown.join(", "))));
    }
    Ok(())
}
