//! Slices as text: what a model reads first.

use std::collections::HashMap;
use std::fmt::Write as _;

use sdl_model::{Resolution, SymbolId};

use crate::card;
use crate::plain::{self, Line};
use crate::slice::SliceDoc;

/// A slice as text. Cards come with their ids; edges and frontier go by name.
pub fn slice_text(doc: &SliceDoc) -> String {
    let mut out = String::new();
    for one in &doc.cards {
        out.push_str(&card::brief_text(one));
        out.push('\n');
    }
    let names: HashMap<SymbolId, &str> =
        doc.cards.iter().map(|card| (card.symbol_id, card.qualified_name.as_str())).collect();
    let name = |id: SymbolId| names.get(&id).map_or_else(|| id.to_string(), |name| (*name).to_owned());
    if !doc.card_refs.is_empty() {
        let held: Vec<String> = doc
            .card_refs
            .iter()
            .map(|held| format!("{}:{}", held.symbol_id, held.range.start_line))
            .collect();
        let _ = writeln!(out, "unchanged: {}", held.join(" "));
    }
    for run in doc.edges.chunk_by(|a, b| (a.from, a.kind) == (b.from, b.kind)) {
        let Some(first) = run.first() else { continue };
        let _ = write!(Line(&mut out), "{} {}:", first.kind.name(), name(first.from));
        for edge in run {
            let mark = if edge.resolution == Resolution::Exact { "" } else { "?" };
            let _ = write!(Line(&mut out), " {}{mark}", name(edge.to));
        }
        out.push('\n');
    }
    if !doc.frontier.is_empty() {
        let items: Vec<String> =
            doc.frontier.iter().map(|item| format!("{} {}", item.name, item.symbol_id)).collect();
        let _ = writeln!(out, "frontier: {}", plain::inline_text(&items.join(", ")));
    }
    out
}
