//! Finding entities by a part of their names.

use std::ops::ControlFlow;

use super::index::{Place, entity_prefix, scan_index};
use super::names::{fold_name, hash_entity};
use super::view::View;
use crate::Result;
use crate::store::Tables;
use crate::tables::ENTITIES;
use crate::times::FOREVER;

/// Names that are looked at, at most.
const MOST_NAMES: usize = 200_000;

/// Returns the names of entities that contain `text`, those that begin with it first, then the shortest. Only entities that the view
/// has a fact of.
pub fn find_entities(tables: &impl Tables, view: &View, text: &str, limit: usize) -> Result<Vec<String>> {
    let wanted = fold_name(text);
    let mut hits: Vec<(bool, usize, String)> = Vec::new();
    let mut seen = 0;
    tables.scan_bytes(ENTITIES, &[0], &mut |key, value| {
        seen += 1;
        let folded = std::str::from_utf8(key).ok();
        if let (Some(at), Ok(name)) = (folded.and_then(|key| key.find(&wanted)), std::str::from_utf8(value)) {
            hits.push((at != 0, name.len(), name.to_owned()));
        }
        if seen < MOST_NAMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    hits.sort();
    let mut found = Vec::new();
    for (_, _, name) in hits {
        if found.len() >= limit {
            break;
        }
        if is_known(tables, view, &name)? {
            found.push(name);
        }
    }
    Ok(found)
}

/// Whether the view has a fact of an entity that was not retracted.
fn is_known(tables: &impl Tables, view: &View, name: &str) -> Result<bool> {
    let mut is_known = false;
    for place in [Place::Subject, Place::Object] {
        scan_index(tables, &entity_prefix(hash_entity(name), place), None, &mut |indexed| {
            is_known |= view.reads(&indexed.entry.scope) && indexed.entry.retracted == FOREVER;
            if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    Ok(is_known)
}
