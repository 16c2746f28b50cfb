//! How the symbols of an assembly belong together, in lines: which of them call which, and who uses the best of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sdl_model::{EdgeKind, SymbolId};
use sdl_retrieve::slice::Link;

use super::{Gathered, Ground};
use crate::ToolError;
use crate::call::answers::append_text;

/// The number of symbols whose users are listed, best first.
const MOST_USED: usize = 3;
/// The number of users that are named for each of them.
const MOST_NAMED: usize = 3;
/// Maximum number of users that are looked at.
const MOST_USERS: usize = 500;

impl Ground<'_> {
    /// Returns lines on the shown symbols: `a calls b, c` for calls between them, then for the best of them
    /// `b is used by d, e +2 in 3 files; tests in t.py (4)`.
    pub(crate) fn relations(&self, gathered: &Gathered) -> Result<Vec<String>, ToolError> {
        let shown = gathered.evidence.iter().filter_map(|piece| piece.symbol_id.parse().ok());
        let shown: Vec<SymbolId> = shown.collect();
        let mut lines = self.calls_between(&shown)?;
        for symbol in shown.iter().take(MOST_USED) {
            lines.extend(self.users_of(*symbol)?);
        }
        Ok(lines)
    }

    /// Returns a line for each shown symbol that calls others of them.
    fn calls_between(&self, shown: &[SymbolId]) -> Result<Vec<String>, ToolError> {
        let names: HashMap<SymbolId, &str> =
            self.members.iter().map(|card| (card.symbol_id, card.qualified_name.as_str())).collect();
        let mut called: HashMap<SymbolId, Vec<&str>> = HashMap::new();
        for edge in self.found.edges(shown)?.iter().filter(|edge| edge.kind == Link::Edge(EdgeKind::Call)) {
            called.entry(edge.from).or_default().extend(names.get(&edge.to));
        }
        let line = |symbol: &SymbolId| {
            let (from, to) = (names.get(symbol)?, called.get(symbol)?);
            (!to.is_empty()).then(|| format!("{from} calls {}", to.join(", ")))
        };
        Ok(shown.iter().filter_map(line).collect())
    }

    /// Returns a line on who uses a symbol: the users that the task leads to first.
    fn users_of(&self, symbol: SymbolId) -> Result<Option<String>, ToolError> {
        let source = self.cx.source;
        let places = self.members.iter().enumerate().map(|(place, card)| (card.symbol_id, place));
        let places: HashMap<SymbolId, usize> = places.collect();
        let mut users = BTreeMap::new();
        for edge in source.view().in_edges(symbol, MOST_USERS)? {
            let place = places.get(&edge.from).copied().unwrap_or(usize::MAX);
            let key = (place, 100_u8.saturating_sub(edge.confidence));
            let kept = users.entry(edge.from).or_insert(key);
            *kept = key.min(*kept);
        }
        users.remove(&symbol);
        let mut users: Vec<((usize, u8), SymbolId)> = users.into_iter().map(|(id, key)| (key, id)).collect();
        users.sort_unstable();
        let (mut named, mut count, mut files) = (Vec::new(), 0_usize, BTreeSet::new());
        let mut tests: BTreeMap<String, usize> = BTreeMap::new();
        for (_, user) in users {
            let Some(user) = source.listed(user)? else { continue };
            if user.is_test() {
                *tests.entry(user.path().to_owned()).or_default() += 1;
                continue;
            }
            count += 1;
            files.insert(user.path().to_owned());
            if named.len() < MOST_NAMED {
                named.push(user.qualified().to_owned());
            }
        }
        let Some(sym) = source.listed(symbol)? else { return Ok(None) };
        let mut line = sym.qualified().to_owned();
        if count == 0 && tests.is_empty() {
            return Ok(None);
        }
        if count > 0 {
            append_text(&mut line, format_args!(" is used by {}", named.join(", ")));
            if count > named.len() {
                append_text(&mut line, format_args!(" +{}", count - named.len()));
            }
            append_text(
                &mut line,
                format_args!(" in {} {}", files.len(), if files.len() == 1 { "file" } else { "files" }),
            );
        }
        if let Some((file, most)) = tests.iter().max_by_key(|(file, most)| (**most, std::cmp::Reverse(*file)))
        {
            let mark = if count > 0 { ";" } else { " has" };
            append_text(&mut line, format_args!("{mark} tests in {file} ({most})"));
            if tests.len() > 1 {
                append_text(&mut line, format_args!(" +{} files", tests.len() - 1));
            }
        }
        Ok(Some(line))
    }
}
