//! All rows, for a copy of the graph elsewhere.

use std::ops::ControlFlow;

use super::triple::Triple;
use crate::Result;
use crate::store::{Tables, from_bytes};
use crate::tables::TRIPLES;

/// Calls `each` with the facts in the order of their ids, from the first above `after` on, until it breaks: as they were asserted, ended and
/// retracted.
pub fn each_fact(
    tables: &impl Tables,
    after: Option<&str>,
    each: &mut dyn FnMut(Triple) -> ControlFlow<()>,
) -> Result<()> {
    let from = after.map_or(&[0][..], str::as_bytes);
    tables.scan_bytes(TRIPLES, from, &mut |key, value| {
        if after.is_some_and(|after| after.as_bytes() == key) {
            return ControlFlow::Continue(());
        }
        from_bytes::<Triple>(value).map_or(ControlFlow::Continue(()), &mut *each)
    })?;
    Ok(())
}
