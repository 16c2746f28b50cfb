//! Edges, packed so that the order of bytes is that of edges.

use sdl_model::{Edge, EdgeKind, InEdge, Resolution, Strategy, SymbolId};

use super::{corrupt_record, id_at};
use crate::Result;

/// Size of an outgoing edge.
pub(crate) const EDGE_LEN: usize = 18;
/// Size of an incoming edge in its table.
pub(crate) const IN_EDGE_ITEM: usize = 12;
/// An incoming edge, stored.
pub(crate) type PackedInEdge = [u8; IN_EDGE_ITEM];

fn decode_kind(table: &'static str, number: u8) -> Result<EdgeKind> {
    EdgeKind::ALL
        .into_iter()
        .find(|kind| *kind as u8 == number)
        .ok_or_else(|| corrupt_record(table, format!("edge kind {number}")))
}

fn decode_resolution(table: &'static str, number: u8) -> Result<Resolution> {
    [Resolution::Exact, Resolution::Inferred, Resolution::Ambiguous]
        .into_iter()
        .find(|resolution| *resolution as u8 == number)
        .ok_or_else(|| corrupt_record(table, format!("resolution {number}")))
}

/// Appends the edges, which are sorted and without doubles.
pub(crate) fn pack_edges(edges: &[Edge], out: &mut Vec<u8>) {
    out.reserve(edges.len() * EDGE_LEN);
    for edge in edges {
        out.extend_from_slice(&edge.to.0.to_be_bytes());
        out.extend_from_slice(&[edge.kind as u8, edge.resolution as u8, edge.strategy.0, edge.confidence]);
        out.extend_from_slice(&edge.line_offset.to_be_bytes());
        out.extend_from_slice(&edge.sites.to_be_bytes());
    }
}

fn unpack_edge(table: &'static str, bytes: &[u8; EDGE_LEN]) -> Result<Edge> {
    Ok(Edge {
        to: SymbolId(id_at(table, bytes)?),
        kind: decode_kind(table, bytes[8])?,
        resolution: decode_resolution(table, bytes[9])?,
        strategy: Strategy(bytes[10]),
        confidence: bytes[11],
        line_offset: u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]),
        sites: u16::from_be_bytes([bytes[16], bytes[17]]),
    })
}

/// The edges.
pub(crate) fn unpack_edges(table: &'static str, bytes: &[u8]) -> Result<Vec<Edge>> {
    let (edges, rest) = bytes.as_chunks::<EDGE_LEN>();
    if !rest.is_empty() {
        return Err(corrupt_record(table, "a list of edges that is cut off"));
    }
    edges.iter().map(|edge| unpack_edge(table, edge)).collect()
}

/// The target of a packed outgoing edge of `from`, and the edge as the target sees it.
pub(crate) fn in_edge_of(from: SymbolId, edge: &[u8; EDGE_LEN]) -> (u64, PackedInEdge) {
    let mut item = [0; IN_EDGE_ITEM];
    item[..8].copy_from_slice(&from.0.to_be_bytes());
    item[8..].copy_from_slice(&edge[8..12]);
    let mut to = [0; 8];
    to.copy_from_slice(&edge[..8]);
    (u64::from_be_bytes(to), item)
}

/// Reads an incoming edge.
pub(crate) fn unpack_in_edge(item: &PackedInEdge) -> Result<InEdge> {
    const TABLE: &str = "in_edges";
    Ok(InEdge {
        from: SymbolId(id_at(TABLE, item)?),
        kind: decode_kind(TABLE, item[8])?,
        resolution: decode_resolution(TABLE, item[9])?,
        strategy: Strategy(item[10]),
        confidence: item[11],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_survive_and_sort_as_bytes() {
        let edge = Edge {
            to: SymbolId(u64::MAX - 5),
            kind: EdgeKind::Import,
            resolution: Resolution::Inferred,
            strategy: Strategy(9),
            confidence: 80,
            line_offset: 70_000,
            sites: 300,
        };
        let later = Edge { line_offset: 70_001, ..edge };
        let mut bytes = Vec::new();
        pack_edges(&[edge, later], &mut bytes);
        assert!(bytes[..EDGE_LEN] < bytes[EDGE_LEN..]);
        assert_eq!(unpack_edges("t", &bytes).unwrap(), [edge, later]);
        assert!(unpack_edges("t", &bytes[..20]).is_err());
        let (to, item) = in_edge_of(SymbolId(3), bytes[..EDGE_LEN].try_into().unwrap());
        let seen = unpack_in_edge(&item).unwrap();
        assert_eq!((to, seen.from, seen.kind), (edge.to.0, SymbolId(3), edge.kind));
        bytes[8] = 99;
        assert!(unpack_edges("t", &bytes).is_err());
    }
}
