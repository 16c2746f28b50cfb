//! The dependencies of a symbol.

use sdl_graph::strategies;
use sdl_model::{Edge, EdgeKind};

use super::CardOptions;
use super::types::{Dep, Deps, Detail, How};
use crate::numbers::Percent;
use crate::{Result, Source, Sym};

/// How many dependencies of a kind each level shows.
fn dependency_limit(kind: EdgeKind, detail: Detail) -> usize {
    match (kind, detail) {
        (EdgeKind::Ref, Detail::Full) => 8,
        (EdgeKind::Ref, _) => 0,
        (_, Detail::Full) => 24,
        (EdgeKind::Call, _) => 5,
        _ => 3,
    }
}

/// A symbol's dependencies, the surest first.
pub(super) fn symbol_deps(
    source: &Source<'_>,
    sym: &Sym,
    edges: &[Edge],
    options: CardOptions,
) -> Result<Deps> {
    let mut wanted: Vec<&Edge> = edges
        .iter()
        .filter(|edge| edge.kind != EdgeKind::Call || edge.confidence >= options.min_call_confidence)
        .collect();
    wanted
        .sort_by_key(|edge| (edge.resolution, std::cmp::Reverse(edge.confidence), edge.line_offset, edge.to));
    let mut deps = Deps::default();
    for edge in wanted {
        let list = match edge.kind {
            EdgeKind::Call => &mut deps.calls,
            EdgeKind::Implements => &mut deps.implements,
            EdgeKind::Config => &mut deps.config,
            EdgeKind::Import => &mut deps.imports,
            EdgeKind::Ref => &mut deps.refs,
        };
        if list.len() >= dependency_limit(edge.kind, options.detail) {
            deps.omitted += u32::from(edge.kind != EdgeKind::Ref);
            continue;
        }
        let Some(target) = source.listed(edge.to)? else { continue };
        let how = options.resolution_metadata.then(|| How {
            strategy: strategies::rule_name(edge.strategy).to_owned(),
            line: sym.def().span.start_line + edge.line_offset,
            sites: edge.sites,
        });
        list.push(Dep {
            symbol_id: edge.to,
            name: target.qualified().to_owned(),
            confidence: Percent(edge.confidence),
            resolution: edge.resolution,
            how,
        });
    }
    Ok(deps)
}
