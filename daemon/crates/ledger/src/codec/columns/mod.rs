//! Records in columns: the values of one field of one type are stored together, whatever the number of rows that have it.
//!
//! A file's facts are many small rows of numbers. Stored row by row, neighbours have nothing in common; stored by field,
//! most numbers are close to the one before, and a general compressor does the rest. The layout follows from the order in
//! which serde visits a type, so no type needs code of its own, and both directions agree by construction.
//!
//! A record is the number of its values, the number of its columns, for each column its mode and length, then the
//! columns, end to end. A column takes its number from its first use.

mod column;
mod error;
mod reader;
mod writer;

use serde::Serialize;
use serde::de::DeserializeOwned;

use error::Fault;

/// A record has no more values, because a number in a damaged record must not ask for all memory.
const MOST_VALUES: u64 = 64 << 20;
/// Places that one field, or one variant of an enum, has for columns.
const PARTS: usize = 8;

/// The parts of a field that have columns of their own.
mod part {
    /// Numbers, and the variants of enums.
    pub(super) const VALUE: usize = 0;
    /// Whether an optional value is there.
    pub(super) const TAG: usize = 1;
    /// The lengths of lists and texts.
    pub(super) const LEN: usize = 2;
    /// The texts.
    pub(super) const TEXT: usize = 3;
    /// The elements of a tuple from the second on; all after the last share its column.
    pub(super) const ELEMENT: usize = 4;
}

/// Stores a record.
pub(super) fn to_columns<T: Serialize>(value: &T) -> Result<Vec<u8>, Fault> {
    let mut writer = writer::Writer::default();
    value.serialize(writer.root())?;
    writer.finish()
}

/// Reads a record, all of it.
pub(super) fn from_columns<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let mut reader = reader::Reader::open(bytes)?;
    let value = T::deserialize(reader.root())?;
    reader.finish()?;
    Ok(value)
}

/// The place of a value: its type's number, and the place within that type.
#[derive(Clone, Copy)]
struct Spot {
    owner: usize,
    slot: usize,
    /// The number of the newtype around a number, such as an index of texts.
    kin: Option<usize>,
}

impl Spot {
    const ROOT: Self = Self { owner: 0, slot: 0, kin: None };

    fn field(owner: usize, field: usize) -> Self {
        Self { owner, slot: field * PARTS, kin: None }
    }

    /// The place of an element of a tuple that is here.
    fn element(self, at: usize) -> Self {
        let part = if at == 0 { 0 } else { (part::ELEMENT + at - 1).min(PARTS - 1) };
        Self { slot: self.slot / PARTS * PARTS + part, kin: None, ..self }
    }

    /// The place of a part. Those of a tuple's later elements share one column.
    fn part(self, part: usize) -> usize {
        if self.slot.is_multiple_of(PARTS) { self.slot + part } else { self.slot }
    }

    /// The field number of an enum's variant at a position.
    fn variant(owner: usize, variant: u32, at: usize) -> Self {
        Self::field(owner, 1 + variant as usize * 4 + at.min(3))
    }
}

/// The numbers of types and of the columns of their fields, in the order of first use.
#[derive(Default)]
struct Layout {
    types: Vec<(&'static str, Vec<Option<usize>>)>,
    columns: usize,
    /// For each newtype of numbers one more than the greatest seen.
    kin: Vec<(&'static str, u64)>,
}

impl Layout {
    /// The number of a type.
    fn owner(&mut self, name: &'static str) -> usize {
        if let Some(at) = place_of(&self.types, name) {
            return at + 1;
        }
        self.types.push((name, Vec::new()));
        self.types.len()
    }

    /// The number of a newtype.
    fn kin(&mut self, name: &'static str) -> usize {
        if let Some(at) = place_of(&self.kin, name) {
            return at;
        }
        self.kin.push((name, 0));
        self.kin.len() - 1
    }

    /// One more than the greatest number of that newtype so far.
    fn above(&self, kin: Option<usize>) -> u64 {
        kin.and_then(|at| self.kin.get(at)).map_or(0, |(_, above)| *above)
    }

    /// Notes a number of that newtype.
    fn raise(&mut self, kin: Option<usize>, number: u64) {
        if let Some((_, above)) = kin.and_then(|at| self.kin.get_mut(at)) {
            *above = (*above).max(number.wrapping_add(1));
        }
    }

    /// The column of a place, and whether this is its first use.
    fn column(&mut self, owner: usize, slot: usize) -> (usize, bool) {
        if self.types.is_empty() {
            self.types.push(("", Vec::new()));
        }
        let Some((_, slots)) = self.types.get_mut(owner.saturating_sub(1)) else { return (0, false) };
        if slots.len() <= slot {
            slots.resize(slot + 1, None);
        }
        match &mut slots[slot] {
            Some(column) => (*column, false),
            empty => {
                let column = self.columns;
                *empty = Some(column);
                self.columns += 1;
                (column, true)
            }
        }
    }
}

/// The place of a name in a list. The name of a type is mostly the very same text, for example `Def`; comparing addresses takes
/// a fraction of the time that comparing bytes takes, and a record has thousands of values.
fn place_of<T>(list: &[(&'static str, T)], name: &'static str) -> Option<usize> {
    let same = list.iter().position(|(known, _)| std::ptr::eq(*known, name));
    same.or_else(|| list.iter().position(|(known, _)| *known == name))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Ix(u32);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Unit,
        New(Ix),
        Pair(Ix, Option<u8>),
        Named { a: i64, b: Vec<(Ix, Ix, bool)> },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        text: String,
        shapes: Vec<Shape>,
        hash: u64,
        bytes: [u8; 4],
        rest: Option<Box<Row>>,
    }

    fn row(n: u32) -> Row {
        let shapes = (0..n)
            .flat_map(|i| {
                [
                    Shape::Unit,
                    Shape::New(Ix(i)),
                    Shape::Pair(Ix(i * 7), (i % 2 == 0).then_some(3)),
                    Shape::Named { a: -i64::from(i), b: vec![(Ix(i), Ix(0), true); i as usize % 3] },
                ]
            })
            .collect();
        let hash = u64::MAX / u64::from(n + 1);
        let rest = (n > 0).then(|| Box::new(row(n / 2)));
        Row { text: "ä".repeat(n as usize), shapes, hash, bytes: [1, 2, 3, n as u8], rest }
    }

    #[test]
    fn records_survive() {
        for n in [0, 1, 5, 300] {
            let bytes = to_columns(&row(n)).unwrap();
            assert_eq!(from_columns::<Row>(&bytes).unwrap(), row(n));
        }
        let bytes = to_columns(&7_u32).unwrap();
        assert_eq!(from_columns::<u32>(&bytes).unwrap(), 7);
    }

    #[test]
    fn near_numbers_take_little_room() {
        let rows: Vec<Ix> = (1_000_000..1_001_000).map(Ix).collect();
        assert!(to_columns(&rows).unwrap().len() < 1_100, "one byte each");
        assert!(to_columns(&vec![Ix(9); 1_000]).unwrap().len() < 20, "one value");
    }

    #[test]
    fn damaged_records_are_refused() {
        let bytes = to_columns(&row(20)).unwrap();
        for end in 0..bytes.len() {
            assert!(from_columns::<Row>(&bytes[..end]).is_err(), "{end} bytes");
        }
        let more = [&bytes[..], b"x"].concat();
        assert!(from_columns::<Row>(&more).is_err());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                // Any result will do, because a checksum tells them apart: it must come, and take no memory to speak of.
                let _ = from_columns::<Row>(&flipped);
            }
        }
    }
}
