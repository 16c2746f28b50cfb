//! Edges to their compact forms, and back.

use std::collections::HashMap;

use sdl_model::Resolution;
use serde_json::{Map, Value, json};

use super::cards::encode_resolution;
use super::decode::{Index, decode_confidence, decode_uint, resolution_of};
use super::tables::Tables;
use crate::slice::{Link, SliceEdge};

pub(super) fn encode_edges(edges: &[SliceEdge], tables: &Tables<'_>, out: &mut Map<String, Value>) {
    match tables.version {
        1 => encode_flat(edges, tables, &HashMap::new(), out),
        2 => {
            let types = frequent_types(edges);
            if !types.is_empty() {
                out.insert("types".into(), types.iter().map(|kind| kind.name()).collect());
            }
            let numbers = types.iter().enumerate().map(|(number, kind)| (*kind, number)).collect();
            encode_flat(edges, tables, &numbers, out);
        }
        _ => encode_grouped(edges, tables, out),
    }
}

/// With fewer edges, a table of types costs more than it saves: it takes four tokens and three for each type, and an
/// edge saves about one.
const LEAST_EDGES: usize = 16;

/// Edge types that occur often enough for a place in the table, in order.
fn frequent_types(edges: &[SliceEdge]) -> Vec<Link> {
    if edges.len() < LEAST_EDGES {
        return Vec::new();
    }
    let often = |kind: &Link| edges.iter().filter(|edge| edge.kind == *kind).count() > 3;
    Link::all().filter(often).collect()
}

/// `[from, to, type, confidence, resolution unless exact]` each.
fn encode_flat(
    edges: &[SliceEdge],
    tables: &Tables<'_>,
    numbers: &HashMap<Link, usize>,
    out: &mut Map<String, Value>,
) {
    let one = |edge: &SliceEdge| {
        let kind = numbers.get(&edge.kind).map_or_else(|| json!(edge.kind.name()), |number| json!(number));
        let mut parts = vec![tables.id(edge.from), tables.id(edge.to), kind, json!(edge.confidence.0)];
        if edge.resolution != Resolution::Exact {
            parts.push(encode_resolution(edge.resolution));
        }
        Value::Array(parts)
    };
    out.insert("edges".into(), edges.iter().map(one).collect());
}

/// Runs of edges of one type and confidence: `[type, confidence, resolution unless exact, [from, to…]…]`.
fn encode_grouped(edges: &[SliceEdge], tables: &Tables<'_>, out: &mut Map<String, Value>) {
    let alike = |a: &SliceEdge, b: &SliceEdge| {
        (a.kind, a.confidence, a.resolution) == (b.kind, b.confidence, b.resolution)
    };
    let run = |run: &[SliceEdge]| {
        let mut parts = Vec::new();
        if let Some(edge) = run.first() {
            parts.push(json!(edge.kind.name()));
            parts.push(json!(edge.confidence.0));
            if edge.resolution != Resolution::Exact {
                parts.push(encode_resolution(edge.resolution));
            }
        }
        for of_source in run.chunk_by(|a, b| a.from == b.from) {
            let from = of_source.first().map(|edge| tables.id(edge.from));
            parts.push(from.into_iter().chain(of_source.iter().map(|edge| tables.id(edge.to))).collect());
        }
        Value::Array(parts)
    };
    out.insert("edges".into(), edges.chunk_by(alike).map(run).collect());
}

pub(super) fn decode_edges(
    value: &Value,
    version: u8,
    types: &[Link],
    index: &Index,
) -> Option<Vec<SliceEdge>> {
    let mut edges = Vec::new();
    for entry in value.as_array()? {
        let entry = entry.as_array()?;
        if version >= 3 {
            read_run(entry, index, &mut edges)?;
        } else {
            edges.push(read_one(entry, types, index)?);
        }
    }
    Some(edges)
}

fn read_one(entry: &[Value], types: &[Link], index: &Index) -> Option<SliceEdge> {
    let [from, to, kind, sure, rest @ ..] = entry else { return None };
    let kind = match kind.as_str() {
        Some(name) => Link::from_name(name)?,
        None => *types.get(decode_uint(kind)?)?,
    };
    Some(SliceEdge {
        from: index.id(from)?,
        to: index.id(to)?,
        kind,
        confidence: decode_confidence(sure)?,
        resolution: rest.first().map_or(Some(Resolution::Exact), resolution_of)?,
    })
}

fn read_run(entry: &[Value], index: &Index, edges: &mut Vec<SliceEdge>) -> Option<()> {
    let [kind, sure, rest @ ..] = entry else { return None };
    let (kind, confidence) = (Link::from_name(kind.as_str()?)?, decode_confidence(sure)?);
    let (resolution, sources) = match rest.split_first() {
        Some((code, sources)) if code.is_string() => (resolution_of(code)?, sources),
        _ => (Resolution::Exact, rest),
    };
    for source in sources {
        let (from, targets) = source.as_array()?.split_first()?;
        let from = index.id(from)?;
        for to in targets {
            edges.push(SliceEdge { from, to: index.id(to)?, kind, confidence, resolution });
        }
    }
    Some(())
}
