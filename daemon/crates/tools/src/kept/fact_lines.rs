//! Facts as lines, for a person who keeps a copy.

use std::ops::ControlFlow;

use sdl_ledger::AgentStore;
use sdl_memory::graph::each_fact;
use sdl_memory::store::store_revision;

use crate::ToolError;

/// Facts as lines of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactLines {
    /// The number of changes of the store so far. All pages must be of one.
    pub revision: u64,
    /// One fact a line: as it was asserted, ended and retracted, with times in Unix milliseconds.
    pub lines: String,
    /// The id to go on after; none at the end.
    pub next: Option<String>,
}

/// Returns the facts after `after` in the order of their ids, about `most` bytes of them.
pub fn export_facts(store: &AgentStore, after: Option<&str>, most: usize) -> Result<FactLines, ToolError> {
    let page = store.read(|reader| {
        let mut page = FactLines { revision: store_revision(reader)?, ..FactLines::default() };
        let mut last = None;
        let read = each_fact(reader, after, &mut |fact| {
            if page.lines.len() >= most {
                page.next = last.take();
                return ControlFlow::Break(());
            }
            if let Ok(line) = serde_json::to_string(&fact) {
                page.lines.push_str(&line);
                page.lines.push('\n');
            }
            last = Some(fact.id);
            ControlFlow::Continue(())
        });
        Ok(read.map(|()| page))
    })?;
    Ok(page?)
}
