//! A slice to its compact forms.

use serde_json::{Map, Value, json};

use super::tables::Tables;
use super::{cards, edges};
use crate::slice::SliceDoc;

pub(super) fn encode_compact(doc: &SliceDoc, version: u8) -> Value {
    let tables = Tables::of(doc, version);
    let mut out = Map::new();
    out.insert("v".into(), json!(version));
    out.insert("symbolIndex".into(), tables.ids());
    if let Some(paths) = tables.paths() {
        out.insert("paths".into(), paths);
    }
    out.insert("cards".into(), doc.cards.iter().map(|card| cards::encode_card(card, &tables)).collect());
    if !doc.card_refs.is_empty() {
        out.insert(
            "cardRefs".into(),
            doc.card_refs.iter().map(|held| cards::card_ref(held, &tables)).collect(),
        );
    }
    edges::encode_edges(&doc.edges, &tables, &mut out);
    let frontier = doc.frontier.iter().map(|item| {
        let score = serde_json::to_value(item.score).unwrap_or_default();
        json!([tables.id(item.symbol_id), item.name, tables.path(&item.file), score])
    });
    out.insert("frontier".into(), frontier.collect());
    out.insert("estimatedTokens".into(), json!(doc.estimated_tokens));
    Value::Object(out)
}
