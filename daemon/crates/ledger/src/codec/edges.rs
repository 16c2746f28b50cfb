//! Edges, packed so that the order of bytes is that of edges. In this form they are compared and turned around; rows hold
//! a shorter one.

use sdl_model::{Edge, EdgeKind, InEdge, Resolution, Strategy, SymbolId};

use super::{corrupt_record, id_at, put_varint, take_varint};
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

/// The form of packed edges in a row: their number, the ways in which they were found, and for each edge the number of its
/// way, its target unless that of the edge before, its line, and how often it occurs unless once.
pub(crate) fn shorten_edges(packed: &[u8]) -> Vec<u8> {
    if packed.is_empty() {
        return Vec::new();
    }
    let (edges, _) = packed.as_chunks::<EDGE_LEN>();
    let mut ways: Vec<&[u8]> = Vec::new();
    let mut body = Vec::with_capacity(edges.len() * 12);
    let mut before: &[u8] = &[];
    for edge in edges {
        let (to, rest) = edge.split_at(8);
        let (way, rest) = rest.split_at(4);
        let number = ways.iter().position(|known| *known == way).unwrap_or_else(|| {
            ways.push(way);
            ways.len() - 1
        });
        let number_at = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let (line, sites) = (number_at(&rest[..4]), number_at(&rest[4..]));
        put_varint(&mut body, (number as u64) << 2 | u64::from(to == before) << 1 | u64::from(sites == 1));
        if to != before {
            body.extend_from_slice(to);
        }
        put_varint(&mut body, line);
        if sites != 1 {
            put_varint(&mut body, sites);
        }
        before = to;
    }
    let mut out = Vec::with_capacity(body.len() + ways.len() * 4 + 4);
    put_varint(&mut out, edges.len() as u64);
    put_varint(&mut out, ways.len() as u64);
    ways.iter().for_each(|way| out.extend_from_slice(way));
    out.append(&mut body);
    out
}

/// Undoes [`shorten_edges`]. No bytes are no edges.
pub(crate) fn expand_edges(table: &'static str, row: &[u8]) -> Result<Vec<u8>> {
    if row.is_empty() {
        return Ok(Vec::new());
    }
    expand_row(row).ok_or_else(|| corrupt_record(table, "a list of edges of odd form"))
}

fn expand_row(mut rest: &[u8]) -> Option<Vec<u8>> {
    let rest = &mut rest;
    let count = usize::try_from(take_varint(rest)?).ok()?;
    let ways = usize::try_from(take_varint(rest)?).ok()?.checked_mul(4)?;
    let (ways, more) = rest.split_at_checked(ways)?;
    *rest = more;
    // Each edge takes two bytes at least.
    if count > rest.len() / 2 {
        return None;
    }
    let mut out = Vec::with_capacity(count * EDGE_LEN);
    let mut to = [0; 8];
    for _ in 0..count {
        let head = take_varint(rest)?;
        let way = usize::try_from(head >> 2).ok()?;
        if head & 2 == 0 {
            let (target, more) = rest.split_first_chunk()?;
            (to, *rest) = (*target, more);
        }
        let line = u32::try_from(take_varint(rest)?).ok()?;
        let sites = if head & 1 == 1 { 1 } else { u16::try_from(take_varint(rest)?).ok()? };
        out.extend_from_slice(&to);
        out.extend_from_slice(ways.as_chunks::<4>().0.get(way)?);
        out.extend_from_slice(&line.to_be_bytes());
        out.extend_from_slice(&sites.to_be_bytes());
    }
    rest.is_empty().then_some(out)
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
    fn rows_of_edges_survive_and_damaged_ones_are_refused() {
        let edge = |to, kind, line_offset, sites| Edge {
            to: SymbolId(to),
            kind,
            resolution: Resolution::Exact,
            strategy: Strategy(3),
            confidence: 90,
            line_offset,
            sites,
        };
        let edges = [
            edge(5, EdgeKind::Call, 0, 1),
            edge(5, EdgeKind::Import, 3, 1),
            edge(u64::MAX, EdgeKind::Call, u32::MAX, u16::MAX),
        ];
        let mut packed = Vec::new();
        pack_edges(&edges, &mut packed);
        let row = shorten_edges(&packed);
        assert!(row.len() < packed.len());
        assert_eq!(expand_edges("t", &row).unwrap(), packed);
        assert!(expand_edges("t", &[]).unwrap().is_empty());
        assert!(expand_edges("t", &shorten_edges(&[])).unwrap().is_empty());
        for end in 1..row.len() {
            assert!(expand_edges("t", &row[..end]).is_err(), "{end} bytes");
        }
        for bit in 0..row.len() * 8 {
            let mut flipped = row.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let _ = expand_edges("t", &flipped);
        }
    }

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
