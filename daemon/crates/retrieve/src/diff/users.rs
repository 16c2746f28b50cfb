//! The symbols that use changed ones, where no past tells more.

use std::collections::{BTreeMap, HashSet};

use sdl_model::{InEdge, SymbolId, SymbolKind};

use super::blast::{proximity_to_test, resolution_weight};
use super::left::present_verb;
use super::symbols::Change;
use super::types::BlastItem;
use crate::numbers::Milli;
use crate::{Result, Source};

/// Users of one changed symbol that are considered.
const MOST_USERS: usize = 200;

/// The users of symbols whose behavior or interface changed, the surest first. Those that changed themselves are left
/// out, and users of users are not followed.
pub(crate) fn users_of(source: &Source<'_>, changed: &[Change], most: usize) -> Result<Vec<BlastItem>> {
    let own: HashSet<SymbolId> = changed.iter().map(Change::symbol).collect();
    let mut best: BTreeMap<SymbolId, (f32, InEdge, &Change)> = BTreeMap::new();
    for change in changed.iter().filter(|change| change.is_behavior()) {
        for edge in source.view().in_edges(change.symbol(), MOST_USERS)? {
            let weight = f32::from(edge.confidence) / 100.0 * resolution_weight(edge.resolution);
            let is_known = best.get(&edge.from).is_some_and(|(known, ..)| *known >= weight);
            if !own.contains(&edge.from) && !is_known {
                best.insert(edge.from, (weight, edge, change));
            }
        }
    }
    let mut order: Vec<_> = best.into_values().collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.from.cmp(&b.1.from)));
    let mut items = Vec::new();
    for (weight, edge, change) in order {
        if items.len() == most {
            break;
        }
        let Some(sym) = source.symbol(edge.from)?.filter(|sym| sym.kind() != SymbolKind::Impl) else {
            continue;
        };
        let target = change.new.as_ref().or(change.old.as_ref()).map_or("", |sym| sym.qualified());
        items.push(BlastItem {
            symbol_id: edge.from,
            name: sym.qualified().to_owned(),
            file: sym.path().to_owned(),
            reason: format!("{} {target}", present_verb(edge.kind)),
            distance: 1,
            rank: Milli::of(f64::from(weight.min(1.0))),
            fan_in_trend: None,
            test_proximity: proximity_to_test(source, &sym)?,
            processes: Vec::new(),
            origin: change.symbol(),
            is_callable: sym.kind().is_callable(),
        });
    }
    Ok(items)
}
