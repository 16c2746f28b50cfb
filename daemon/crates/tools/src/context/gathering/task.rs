//! The task of a context, and the code that was found for it.

use std::collections::{BTreeSet, HashMap, HashSet};

use sdl_memory::notes::Memory;
use sdl_memory::store::{Holder, Linked};
use sdl_model::SymbolId;

use super::Lane;
use super::searches::{Searched, Searches};
use crate::ToolError;
use crate::call::context::ReadCx;
use crate::call::family::Family;
use crate::call::owned::OwnedCx;
use crate::kept::linked::{Code, all_about_code};
use crate::kept::memory::load_by_id;

/// The task, for the lanes of the agents' store.
pub(crate) struct Task<'a> {
    /// The call.
    pub(crate) cx: &'a OwnedCx<'a>,
    /// The repository of the call and its other worktrees.
    pub(crate) family: &'a Family,
    /// The task, in words.
    pub(crate) text: &'a str,
    /// Names that are to be looked up.
    pub(crate) entities: &'a [String],
    /// Only lessons of this agent.
    pub(crate) agent: Option<&'a str>,
    /// Whether rows are used whose code changed.
    pub(crate) include_stale: bool,
    /// Whether what was judged before moves rows.
    pub(crate) use_feedback: bool,
    /// When the store last changed, in Unix milliseconds: the time to which ages are counted.
    pub(crate) at_ms: u64,
    /// The symbols of the code that was found, with their nearness, from 0 to 1.
    pub(crate) symbols: HashMap<SymbolId, f64>,
    /// Their files.
    pub(crate) files: HashSet<String>,
    /// What the words of the task found.
    pub(crate) searched: Searched,
    /// The rows about the code, once they were looked for, because three lanes want them.
    pub(crate) linked: Option<BTreeSet<Linked>>,
    /// The memories and lessons among them.
    pub(crate) memories: Option<Vec<Memory>>,
}

/// Rows about the code after which no further symbols are looked up. Several times as many as a lane considers.
const MOST_LINKED: usize = 200;
/// Symbols that are looked up at once.
const NEAREST: usize = 4;

/// The nearness of the best symbol, and of the last one.
const NEARNESS: (f64, f64) = (1.0, 0.4);

impl<'a> Task<'a> {
    /// Takes the symbols of the code that was found, the best first.
    pub(crate) fn look_at(&mut self, symbols: &[SymbolId]) -> Result<(), ToolError> {
        let Some(read) = self.cx.read else { return Ok(()) };
        for (place, id) in symbols.iter().enumerate() {
            let along = place as f64 / symbols.len().max(1) as f64;
            let near = NEARNESS.0 + (NEARNESS.1 - NEARNESS.0) * along;
            self.symbols.entry(*id).or_insert(near);
            if let Some(sym) = read.source.symbol(*id)? {
                self.files.insert(sym.path().to_owned());
            }
        }
        Ok(())
    }

    /// Returns the rows of one kind that are about the code.
    pub(crate) fn rows_about_code(&mut self, holder: Holder) -> Result<Vec<&Linked>, ToolError> {
        let Some(read) = self.cx.read else { return Ok(Vec::new()) };
        let linked = match self.linked.take() {
            Some(linked) => linked,
            None => self.find_linked(read)?,
        };
        let linked = &*self.linked.insert(linked);
        let scopes = &self.cx.scopes;
        Ok(linked.iter().filter(|row| row.holder == holder && scopes.reads(&row.scope)).collect())
    }

    /// Finds the rows about the code: of the nearest symbols first, until there are more than enough.
    fn find_linked(&self, read: &ReadCx<'_>) -> Result<BTreeSet<Linked>, ToolError> {
        let mut nearest: Vec<(SymbolId, f64)> = self.symbols.iter().map(|(id, near)| (*id, *near)).collect();
        nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let symbols: Vec<SymbolId> = nearest.into_iter().map(|(id, _)| id).collect();
        let no_files = HashSet::new();
        let mut linked = BTreeSet::new();
        for symbols in symbols.chunks(NEAREST) {
            let code = Code { symbols, files: &no_files, beside: false };
            linked.extend(all_about_code(read, self.family, code)?);
            if linked.len() >= MOST_LINKED {
                return Ok(linked);
            }
        }
        let code = Code { symbols: &[], files: &self.files, beside: true };
        linked.extend(all_about_code(read, self.family, code)?);
        Ok(linked)
    }

    /// Returns the memories and lessons that are about the code.
    pub(crate) fn memories_about_code(&mut self) -> Result<&[Memory], ToolError> {
        if self.memories.is_none() {
            let call = self.cx.call;
            let rows = self.rows_about_code(Holder::Memory)?;
            let rows = load_by_id(call, rows.iter().map(|row| (row.scope.as_str(), row.id.as_str())))?;
            self.memories = Some(rows);
        }
        Ok(self.memories.as_deref().unwrap_or_default())
    }

    /// Prepares the searches of these lanes by its words.
    pub(crate) fn searches(&self, lanes: impl Iterator<Item = Lane>) -> Searches<'a> {
        let scopes = self.cx.scopes.read.iter().flatten().map(String::as_str);
        Searches::new(self.cx.call.host.agent(), scopes.collect(), (self.question(), self.at_ms), lanes)
    }

    /// The question for the index of words.
    fn question(&self) -> String {
        let mut text = self.text.to_owned();
        for entity in self.entities {
            text.push('\n');
            text.push_str(entity);
        }
        text
    }
}
