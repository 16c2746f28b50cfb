//! Compares indexes with the rows that they are made from.

use std::ops::ControlFlow;

use crate::derived::verify_entries;
use crate::graph::{Triple, verify_graph};
use crate::notes::{Memory, text_key};
use crate::scratch::Scratch;
use crate::store::Tables;
use crate::tables::{MEMORIES, MEMORIES_BY_TEXT};
use crate::words::{self, Batch, Verdict, batch_of};
use crate::work::activity::Activity;
use crate::work::dispatch::Brief;
use crate::work::message::Message;
use crate::work::session::SessionRow;
use crate::work::verify_keys;
use crate::{Result, store};

/// Faults that are named.
const MOST: usize = 20;

/// The rows that words find, by type.
pub(crate) fn kinds<T: Tables>() -> [Batch<T>; 7] {
    [
        batch_of::<Memory, T>,
        batch_of::<Triple, T>,
        batch_of::<Scratch, T>,
        batch_of::<Brief, T>,
        batch_of::<SessionRow, T>,
        batch_of::<Message, T>,
        batch_of::<Activity, T>,
    ]
}

/// Looks at every row, at its words, and at the texts by which duplicates are found. Reads everything.
pub fn verify_store<T: Tables>(tables: &T) -> Result<Verdict> {
    let mut verdict = words::verify(tables, &kinds())?;
    let mut memories = 0;
    tables.scan_bytes(MEMORIES, &[], &mut |key, bytes| {
        memories += 1;
        let Some(memory) = store::from_bytes::<Memory>(bytes) else {
            verdict
                .faults
                .push(format!("a row of {MEMORIES} can't be read: {}", String::from_utf8_lossy(key)));
            return ControlFlow::Continue(());
        };
        let known = tables.get_bytes(MEMORIES_BY_TEXT, &text_key(&memory.scope, &memory.said()));
        if !known.is_ok_and(|known| known == Some(memory.id.as_bytes())) {
            verdict.faults.push(format!("{} is not found by its text", memory.id));
        }
        ControlFlow::Continue(())
    })?;
    let texts = tables.count_rows(MEMORIES_BY_TEXT)?;
    if texts != memories {
        verdict.faults.push(format!("there are {memories} memories, and texts of {texts}"));
    }
    verdict.faults.extend(verify_graph(tables)?.faults);
    verdict.faults.extend(verify_keys(tables)?);
    verdict.faults.extend(verify_entries(tables)?);
    verdict.faults.truncate(MOST);
    Ok(verdict)
}
