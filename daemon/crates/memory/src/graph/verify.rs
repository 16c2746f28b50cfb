//! Compares the index with the rows that it is made of.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::export::each_fact;
use super::index::index_of;
use crate::Result;
use crate::store::Tables;
use crate::tables::{ENTITIES, TRIPLES_BY_ENTITY};

/// Faults that are named, at most.
const MOST_FAULTS: usize = 20;

/// How the index of the graph compares with its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphVerdict {
    /// Rows.
    pub facts: u64,
    /// Rows of the index.
    pub indexed: u64,
    /// Differences, at most 20 of them: the table, and the row that is missing, different or left over.
    pub faults: Vec<String>,
}

/// Makes the index again beside the stored one, and compares both.
pub fn verify_graph(tables: &impl Tables) -> Result<GraphVerdict> {
    let mut verdict = GraphVerdict::default();
    let mut wanted: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let mut names: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    each_fact(tables, None, &mut |row| {
        verdict.facts += 1;
        let index = index_of(&row);
        wanted.extend(index.keys.into_iter().map(|key| (key, index.value.clone())));
        for (key, name) in index.names {
            // Rows come in the order in which they were made, and the first name is the one that is shown.
            names.entry(key).or_insert(name);
        }
        ControlFlow::Continue(())
    })?;
    for (table, wanted) in [(TRIPLES_BY_ENTITY, wanted), (ENTITIES, names)] {
        compare_table(tables, table, wanted, &mut verdict)?;
    }
    Ok(verdict)
}

fn compare_table(
    tables: &impl Tables,
    table: &str,
    mut wanted: BTreeMap<Vec<u8>, Vec<u8>>,
    verdict: &mut GraphVerdict,
) -> Result<()> {
    let mut faults = Vec::new();
    let mut fault = |what: &str, key: &[u8]| {
        faults.push(format!("{table}: {what}: {}", String::from_utf8_lossy(key).escape_debug()));
    };
    tables.scan_bytes(table, &[0], &mut |key, value| {
        verdict.indexed += 1;
        match wanted.remove(key) {
            None => fault("left over", key),
            Some(wanted) if wanted != value => fault("different", key),
            Some(_) => {}
        }
        ControlFlow::Continue(())
    })?;
    wanted.keys().for_each(|key| fault("missing", key));
    verdict.faults.extend(faults);
    verdict.faults.truncate(MOST_FAULTS);
    Ok(())
}
