//! Blocks: the form in which the sorted values of one key are stored, many to a row.
//!
//! Values of one size begin with an id of eight bytes, and ids are hashes: of sorted ones only the distance to the first is
//! stored, to the bit. Its low bits are stored as they are. Its high bits, which rarely differ from those before by more than one or
//! two, are a sequence of bits with a one for each id, after as many zeros as the high bits are. (P. Elias, Efficient storage and
//! retrieval by content and address of static files, 1974; R. M. Fano, On the number of bits required to implement an
//! associative memory, 1971.) That takes as little room as the distances to the ids before, and no id has to wait for the one
//! before it to be read. The bytes after the id are stored by their place, each as a number among those that occur
//! there, because kinds and weights have few values: for example, a place with four different kinds takes two bits.

use crate::Result;
use crate::codec::{corrupt_record, put_varint, take_varint};

/// The bytes of the id that a value begins with.
const ID: usize = 8;
/// A block has about this many bytes of values, for example 120 postings. Larger blocks are packed better, smaller ones fill pages
/// better.
const BLOCK_BYTES: usize = 1_440;

/// What a block is of the values of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of them.
    All,
    /// The first of them. With their number in all blocks.
    First(u64),
    /// Some of the others.
    Later,
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) part: Part,
    /// The number of values in this block.
    pub(super) count: usize,
}

impl Head {
    /// How many values the key has; for a later block, how many it has itself.
    pub(super) fn total(self) -> u64 {
        match self.part {
            Part::First(total) => total,
            Part::All | Part::Later => self.count as u64,
        }
    }
}

/// The number of values of a size that a block has at most.
pub(super) fn capacity(size: usize) -> usize {
    (BLOCK_BYTES / size.max(1)).max(2)
}

/// Stores values of `size` bytes, sorted and end to end.
pub(super) fn pack(part: Part, size: usize, values: &[u8]) -> Vec<u8> {
    let count = values.len() / size.max(1);
    let number = match part {
        Part::All => 0,
        Part::First(_) => 1,
        Part::Later => 2,
    };
    let mut out = Vec::with_capacity(values.len() + 16);
    put_varint(&mut out, count as u64 * 4 + number);
    if let Part::First(total) = part {
        put_varint(&mut out, total);
    }
    if count < 2 {
        out.extend_from_slice(values);
        return out;
    }
    pack_ids(size, values, count, &mut out);
    let mut bytes = Vec::with_capacity(count);
    for place in ID..size {
        bytes.clear();
        bytes.extend(values.chunks_exact(size).filter_map(|value| value.get(place)));
        pack_bytes(&bytes, &mut out);
    }
    out
}

/// Reads the head of a block.
pub(super) fn head(table: &'static str, block: &[u8]) -> Result<Head> {
    let mut rest = block;
    read_head(&mut rest).ok_or_else(|| odd(table))
}

/// Reads a block: appends its values, of `size` bytes each, to `out`.
pub(super) fn unpack(table: &'static str, size: usize, block: &[u8], out: &mut Vec<u8>) -> Result<Head> {
    let mut rest = block;
    let head = read_head(&mut rest).filter(|head| head.count > 0 && head.count <= 2 * capacity(size));
    let head = head.ok_or_else(|| odd(table))?;
    let start = out.len();
    out.resize(start + head.count * size, 0);
    let values = &mut out[start..];
    unpack_values(size, rest, values, head.count).ok_or_else(|| odd(table))?;
    Ok(head)
}

/// A block whose ids are read, and of whose values each can be read by itself. It is used for one block after the other, to keep its
/// room.
#[derive(Default)]
pub(super) struct Opened<'b> {
    /// The ids of its values, sorted.
    ids: Vec<u64>,
    /// The bytes after the ids, by their place.
    columns: Vec<Column<'b>>,
    /// The place that was asked for last.
    last_place: usize,
}

/// The bytes at one place of the values.
enum Column<'b> {
    /// As they are.
    Bytes(&'b [u8]),
    /// Each as a number of this many bits among those that occur.
    Numbers { occurring: &'b [u8], width: u32, packed: &'b [u8] },
}

impl<'b> Opened<'b> {
    /// Opens a block with values of `size` bytes.
    pub(super) fn open(&mut self, table: &'static str, size: usize, block: &'b [u8]) -> Result<()> {
        let mut rest = block;
        let head = read_head(&mut rest).filter(|head| head.count > 0 && head.count <= 2 * capacity(size));
        let head = head.ok_or_else(|| odd(table))?;
        self.ids.clear();
        self.columns.clear();
        self.last_place = 0;
        self.read(size, rest, head.count).ok_or_else(|| odd(table))
    }

    fn read(&mut self, size: usize, mut rest: &'b [u8], count: usize) -> Option<()> {
        if count < 2 {
            let (id, bytes) = rest.split_first_chunk()?;
            self.ids.push(u64::from_be_bytes(*id));
            self.columns.extend(bytes.chunks(1).map(Column::Bytes));
            return (rest.len() == size).then_some(());
        }
        each_id(&mut rest, count, |id| self.ids.push(id))?;
        for _ in ID..size {
            self.columns.push(take_column(&mut rest, count)?);
        }
        rest.is_empty().then_some(())
    }

    /// The last id.
    pub(super) fn last(&self) -> Option<u64> {
        self.ids.last().copied()
    }

    /// The place of the last value with an id. Takes time in proportion to the logarithm of the distance from the place that
    /// was asked for before, because mostly ids are asked for in order, and many of a block.
    pub(super) fn place(&mut self, id: u64) -> Option<usize> {
        if self.ids.get(self.last_place).is_none_or(|here| *here > id) {
            self.last_place = 0;
        }
        let (mut from, mut step) = (self.last_place, 1);
        while self.ids.get(from + step).is_some_and(|there| *there <= id) {
            from += step;
            step *= 2;
        }
        let to = (from + step).min(self.ids.len());
        let at = from + self.ids.get(from..to)?.partition_point(|other| *other <= id);
        self.last_place = at.checked_sub(1)?;
        (self.ids.get(self.last_place) == Some(&id)).then_some(self.last_place)
    }

    /// The value at a place, in `value`.
    pub(super) fn read_value(&self, at: usize, value: &mut Vec<u8>) {
        value.clear();
        value.extend_from_slice(&self.ids.get(at).copied().unwrap_or_default().to_be_bytes());
        value.extend(self.columns.iter().map(|column| column.byte(at)));
    }
}

impl Column<'_> {
    fn byte(&self, at: usize) -> u8 {
        let found = match self {
            Self::Bytes(bytes) => bytes.get(at),
            Self::Numbers { occurring, width, packed } => {
                let number =
                    BitReader { bytes: packed, at: at * *width as usize }.word() & ((1 << width) - 1);
                // An unused number is the last byte's, as where all values are read.
                occurring.get(number as usize).or(occurring.last())
            }
        };
        found.copied().unwrap_or_default()
    }
}

fn odd(table: &'static str) -> crate::Error {
    corrupt_record(table, "a block of odd form")
}

fn read_head(rest: &mut &[u8]) -> Option<Head> {
    let word = take_varint(rest)?;
    let part = match word % 4 {
        0 => Part::All,
        1 => Part::First(take_varint(rest)?),
        2 => Part::Later,
        _ => return None,
    };
    Some(Head { part, count: usize::try_from(word / 4).ok()? })
}

fn unpack_values(size: usize, mut rest: &[u8], values: &mut [u8], count: usize) -> Option<()> {
    if count < 2 {
        return (rest.len() == values.len()).then(|| values.copy_from_slice(rest));
    }
    unpack_ids(size, &mut rest, values, count)?;
    for place in ID..size {
        unpack_bytes(&mut rest, values, (size, place), count)?;
    }
    rest.is_empty().then_some(())
}

/// The first id; the number of low bits of a distance to it; the low bits of each distance; the high bits.
fn pack_ids(size: usize, values: &[u8], count: usize, out: &mut Vec<u8>) {
    let id = |n: usize| {
        values.get(n * size..).and_then(<[u8]>::first_chunk).map_or(0, |id| u64::from_be_bytes(*id))
    };
    let first = id(0);
    let distance = |n: usize| id(n).saturating_sub(first);
    let mean = distance(count - 1) / (count as u64 - 1);
    let low = mean.max(1).ilog2();
    out.extend_from_slice(&first.to_be_bytes());
    out.push(low as u8);
    let mut bits = BitWriter { out, bits: 0, word: 0 };
    (1..count).for_each(|n| bits.put(distance(n), low));
    bits.end();
    let mut bits = BitWriter { out, bits: 0, word: 0 };
    let mut before = 0;
    for high in (1..count).map(|n| distance(n) >> low) {
        bits.put_unary(high.saturating_sub(before));
        before = high;
    }
    bits.end();
}

fn unpack_ids(size: usize, rest: &mut &[u8], values: &mut [u8], count: usize) -> Option<()> {
    let mut values = values.chunks_exact_mut(size);
    each_id(rest, count, |id| {
        if let Some(place) = values.next().and_then(<[u8]>::first_chunk_mut) {
            *place = id.to_be_bytes();
        }
    })
}

/// Passes on `count` ids, at least two.
fn each_id(rest: &mut &[u8], count: usize, mut each: impl FnMut(u64)) -> Option<()> {
    let (first, more) = rest.split_first_chunk::<ID>()?;
    let (low, more) = more.split_first()?;
    let (first, low) = (u64::from_be_bytes(*first), u32::from(*low));
    if low >= 64 {
        return None;
    }
    let mut lows = BitReader { bytes: more, at: 0 };
    let highs = more.get(((count - 1) * low as usize).div_ceil(8)..)?;
    each(first);
    // The number of ids that were found after the first, and of the zeros and ones that were passed over.
    let (mut found, mut passed) = (0, 0);
    for bytes in highs.chunks(8) {
        let mut word = word_of(bytes);
        while word > 0 {
            let at = passed + word.trailing_zeros() as usize;
            word &= word - 1;
            let high = ((at - found) as u64) << low;
            each(first.wrapping_add(high | lows.take_low(low)));
            found += 1;
            if found == count - 1 {
                *rest = highs.get(at / 8 + 1..)?;
                return Some(());
            }
        }
        passed += 64;
    }
    None
}

/// The number of different bytes, less one; these; for each byte its number among them, in as few bits as all need.
fn pack_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    let mut occurring = [0_u64; 4];
    for byte in bytes {
        occurring[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    let different = occurring.iter().map(|word| word.count_ones() as usize).sum::<usize>();
    let width = width(different);
    if width == 8 || different + (bytes.len() * width as usize).div_ceil(8) >= bytes.len() {
        // As they are: all 256 occur, so to speak.
        out.push(255);
        out.extend_from_slice(bytes);
        return;
    }
    out.push((different - 1) as u8);
    let mut numbers = [0_u8; 256];
    let mut number = 0;
    for (first, mut word) in (0..=255_u8).step_by(64).zip(occurring) {
        while word > 0 {
            let byte = first + word.trailing_zeros() as u8;
            numbers[usize::from(byte)] = number;
            out.push(byte);
            number = number.wrapping_add(1);
            word &= word - 1;
        }
    }
    let mut bits = BitWriter { out, bits: 0, word: 0 };
    bytes.iter().for_each(|byte| bits.put(u64::from(numbers[usize::from(*byte)]), width));
    bits.end();
}

/// Reads the bytes at one place of `count` values of a size.
fn unpack_bytes(
    rest: &mut &[u8],
    values: &mut [u8],
    (size, place): (usize, usize),
    count: usize,
) -> Option<()> {
    let (occurring, width, packed) = match take_column(rest, count)? {
        Column::Bytes(bytes) => {
            let places = values.chunks_exact_mut(size).filter_map(|value| value.get_mut(place));
            places.zip(bytes).for_each(|(place, byte)| *place = *byte);
            return Some(());
        }
        Column::Numbers { occurring, width, packed } => (occurring, width, packed),
    };
    // Every number of this many bits has a byte, so that none needs a check of its own; the unused ones are the last byte's.
    let mut known = [*occurring.last()?; 256];
    known[..occurring.len()].copy_from_slice(occurring);
    let mut bits = BitReader { bytes: packed, at: 0 };
    let (each, mask) = ((WORD_BITS / width.max(1)) as usize, (1_u64 << width) - 1);
    for some in values.chunks_mut(each * size) {
        let mut word = bits.word();
        bits.at += each * width as usize;
        for place in some.chunks_exact_mut(size).filter_map(|value| value.get_mut(place)) {
            *place = known[(word & mask) as usize];
            word >>= width;
        }
    }
    Some(())
}

/// The bytes of `count` values at one place.
fn take_column<'b>(rest: &mut &'b [u8], count: usize) -> Option<Column<'b>> {
    let (different, more) = rest.split_first()?;
    if *different == 255 {
        let (bytes, more) = more.split_at_checked(count)?;
        *rest = more;
        return Some(Column::Bytes(bytes));
    }
    let different = usize::from(*different) + 1;
    let (occurring, more) = more.split_at_checked(different)?;
    let width = width(different);
    let (packed, more) = more.split_at_checked((count * width as usize).div_ceil(8))?;
    *rest = more;
    Some(Column::Numbers { occurring, width, packed })
}

/// The bits of a number below `different`.
fn width(different: usize) -> u32 {
    usize::BITS - different.saturating_sub(1).leading_zeros()
}

struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    /// How many bits of `word` are used.
    bits: u32,
    word: u64,
}

impl BitWriter<'_> {
    /// Appends the low `width` bits, at most 64.
    fn put(&mut self, number: u64, width: u32) {
        if width > 32 {
            self.put(number & u64::from(u32::MAX), 32);
            self.put(number >> 32, width - 32);
            return;
        }
        let number = if width == 0 { 0 } else { number & (u64::MAX >> (64 - width)) };
        self.word |= number << self.bits;
        self.bits += width;
        // Half of the word at a time, so that the rest and any further number fit into it.
        if self.bits >= 32 {
            self.out.extend_from_slice(&(self.word as u32).to_le_bytes());
            self.word >>= 32;
            self.bits -= 32;
        }
    }

    /// Appends a number in unary: its zeros, then a one. For example, 3 is `0001`.
    fn put_unary(&mut self, mut zeros: u64) {
        while zeros >= 32 {
            self.put(0, 32);
            zeros -= 32;
        }
        self.put(1 << zeros, zeros as u32 + 1);
    }

    fn end(self) {
        let bytes = self.bits.div_ceil(8) as usize;
        self.out.extend_from_slice(self.word.to_le_bytes().get(..bytes).unwrap_or_default());
    }
}

/// A word of a reader has at least this many bits, wherever it begins.
const WORD_BITS: u32 = 57;

struct BitReader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl BitReader<'_> {
    /// At least [`WORD_BITS`] bits from here, or zeros after the end.
    #[inline]
    fn word(&self) -> u64 {
        word_of(self.bytes.get(self.at / 8..).unwrap_or_default()) >> (self.at % 8)
    }

    /// The next `width` bits, at most 63.
    #[inline]
    fn take_low(&mut self, width: u32) -> u64 {
        let mut bits = self.word();
        if width > WORD_BITS {
            let more = BitReader { bytes: self.bytes, at: self.at + 32 };
            bits = (bits & u64::from(u32::MAX)) | (more.word() << 32);
        }
        self.at += width as usize;
        bits & ((1 << width) - 1)
    }
}

/// The first eight bytes as a number, the first byte in the lowest bits.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or_else(|| last_word(bytes), |word| u64::from_le_bytes(*word))
}

/// The word of fewer than eight bytes.
#[cold]
fn last_word(rest: &[u8]) -> u64 {
    let mut word = [0; 8];
    rest.iter().zip(&mut word).for_each(|(byte, place)| *place = *byte);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(size: usize, count: usize, spread: u32) -> Vec<u8> {
        let mut values: Vec<Vec<u8>> = (0..count as u64)
            .map(|n| {
                let id = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> spread;
                let mut value = id.to_be_bytes().to_vec();
                value.extend((ID..size).map(|place| (n as usize * place % 7) as u8));
                value
            })
            .collect();
        values.sort();
        values.concat()
    }

    /// Every value can be read by itself.
    fn compare_opened(size: usize, block: &[u8], values: &[u8]) {
        let (mut opened, mut value) = (Opened::default(), Vec::new());
        opened.open("t", size, block).unwrap();
        let values: Vec<&[u8]> = values.chunks_exact(size).collect();
        for (at, wanted) in values.iter().enumerate() {
            opened.read_value(at, &mut value);
            assert_eq!(value, *wanted);
            let id = u64::from_be_bytes(*wanted.first_chunk().unwrap());
            let last = values.iter().rposition(|value| value[..ID] == wanted[..ID]);
            assert_eq!(opened.place(id), last);
            assert_eq!(
                opened.place(id ^ 0x55),
                values.iter().rposition(|value| value[..ID] == (id ^ 0x55).to_be_bytes())
            );
        }
        assert_eq!(opened.last().unwrap().to_be_bytes(), values.last().unwrap()[..ID]);
    }

    #[test]
    fn blocks_survive() {
        for size in [8, 12, 17] {
            for count in [1, 2, 3, 50, capacity(size)] {
                for spread in [0, 20, 56, 63] {
                    for part in [Part::All, Part::First(7_000), Part::Later] {
                        let values = values(size, count, spread);
                        let block = pack(part, size, &values);
                        let mut read = Vec::new();
                        let head = unpack("t", size, &block, &mut read).unwrap();
                        assert_eq!((head.part, head.count), (part, count));
                        assert_eq!(read, values, "{count} of {size}, {spread}");
                        compare_opened(size, &block, &values);
                    }
                }
            }
        }
        let far = [[0; 8], [0, 0, 0, 0, 0, 0, 0, 1], [0xff; 8]].concat();
        let mut read = Vec::new();
        unpack("t", 8, &pack(Part::All, 8, &far), &mut read).unwrap();
        assert_eq!(read, far);
    }

    #[test]
    fn many_values_take_less_room() {
        let values = values(12, 120, 0);
        assert!(pack(Part::All, 12, &values).len() * 5 < values.len() * 4);
    }

    #[test]
    fn damaged_blocks_are_refused_or_read_within_bounds() {
        let block = pack(Part::First(900), 12, &values(12, 40, 3));
        for end in 0..block.len() {
            assert!(unpack("t", 12, &block[..end], &mut Vec::new()).is_err(), "{end} bytes");
        }
        for bit in 0..block.len() * 8 {
            let mut flipped = block.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let mut read = Vec::new();
            let unpacked = unpack("t", 12, &flipped, &mut read);
            assert!(read.len() <= 2 * capacity(12) * 12);
            let mut opened = Opened::default();
            assert_eq!(opened.open("t", 12, &flipped).is_ok(), unpacked.is_ok());
            let mut value = Vec::new();
            for (at, wanted) in read.chunks(12).enumerate().filter(|_| unpacked.is_ok()) {
                opened.read_value(at, &mut value);
                assert_eq!(value, wanted);
            }
        }
        assert!(unpack("t", 12, &[0xff; 30], &mut Vec::new()).is_err());
    }
}
