//! Leaves: many blocks in one row, so that a key with few values costs a few bytes besides its own and those of the values.
//!
//! A row's key is its fence: blocks in it are under keys from there on, before the next row's fence. Of a block's key only
//! the part is stored that differs from the key before, in the first block from the fence.

use super::MAX_KEY;
use super::block::{self, Part};
use crate::codec::{corrupt_record, put_varint, take_varint};
use crate::{Error, Result};

/// Two rows of this size, with their fences, fill a page of 4,096 bytes.
const ROW_BYTES: usize = 2_026;
/// Fewer values than this are not made a block of their own to fill a row.
const LEAST_VALUES: usize = 16;

/// The bytes that the leaf of a row with this fence may have.
fn room(fence: &[u8]) -> usize {
    ROW_BYTES - fence.len().min(MAX_KEY)
}

/// What follows a key under which later blocks are.
pub(super) const LATER: [u8; 2] = [0, 0];

/// The key of a later block whose first value is `value`.
pub(super) fn later_key(key: &[u8], value: &[u8]) -> Vec<u8> {
    [key, &LATER, value].concat()
}

/// Whether that is the key of a later block of `key`.
pub(super) fn is_later(row: &[u8], key: &[u8]) -> bool {
    row.strip_prefix(key).is_some_and(|rest| rest.starts_with(&LATER))
}

/// The key to which a block under `row` with values of `size` bytes belongs.
pub(super) fn owner<'r>(table: &'static str, row: &'r [u8], part: Part, size: usize) -> Result<&'r [u8]> {
    match part {
        Part::All | Part::First(_) => Ok(row),
        Part::Later => row
            .len()
            .checked_sub(LATER.len() + size)
            .and_then(|len| row.get(..len))
            .ok_or_else(|| corrupt_record(table, "a block under a short key")),
    }
}

/// The blocks of a leaf, one after the other.
#[derive(Clone)]
pub(super) struct Blocks<'l> {
    table: &'static str,
    rest: &'l [u8],
    key: Vec<u8>,
}

impl<'l> Blocks<'l> {
    pub(super) fn new(table: &'static str, fence: &[u8], leaf: &'l [u8]) -> Self {
        Self { table, rest: leaf, key: fence.to_vec() }
    }

    /// The key of the block that came last.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The next block; none after the last.
    pub(super) fn next(&mut self) -> Result<Option<&'l [u8]>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let block = self.take().ok_or_else(|| corrupt_record(self.table, "a row of odd form"))?;
        Ok(Some(block))
    }

    fn take(&mut self) -> Option<&'l [u8]> {
        let rest = &mut self.rest;
        let shared = usize::try_from(take_varint(rest)?).ok().filter(|shared| *shared <= self.key.len())?;
        let own = usize::try_from(take_varint(rest)?).ok()?;
        let (own, more) = rest.split_at_checked(own)?;
        *rest = more;
        let len = usize::try_from(take_varint(rest)?).ok()?;
        let (block, more) = rest.split_at_checked(len)?;
        *rest = more;
        self.key.truncate(shared);
        self.key.extend_from_slice(own);
        (self.key.len() <= MAX_KEY).then_some(block)
    }
}

/// Appends a block under `key`, which comes after `before`.
fn put_block(before: &[u8], key: &[u8], block: &[u8], out: &mut Vec<u8>) {
    let shared = before.iter().zip(key).take_while(|(a, b)| a == b).count();
    put_varint(out, shared as u64);
    put_varint(out, (key.len() - shared) as u64);
    out.extend_from_slice(&key[shared..]);
    put_varint(out, block.len() as u64);
    out.extend_from_slice(block);
}

/// The leaf of the row with this fence, with the block of a key set, or removed. None if that block was to be removed and is
/// not there.
pub(super) fn with_block(
    mut blocks: Blocks<'_>,
    key: &[u8],
    block: Option<&[u8]>,
) -> Result<Option<Vec<u8>>> {
    let leaf = blocks.rest;
    let mut before = blocks.key.clone();
    let mut start = 0;
    let mut found = blocks.next()?;
    while found.is_some() && blocks.key() < key {
        before.clear();
        before.extend_from_slice(blocks.key());
        start = leaf.len() - blocks.rest.len();
        found = blocks.next()?;
    }
    let is_there = found.is_some() && blocks.key() == key;
    if block.is_none() && !is_there {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(leaf.len() + key.len() + block.map_or(0, <[u8]>::len) + 8);
    out.extend_from_slice(&leaf[..start]);
    if let Some(block) = block {
        put_block(&before, key, block, &mut out);
    }
    // The block after the place has another one before it now, unless one took the place of another.
    if block.is_none() {
        found = blocks.next()?;
    }
    if let Some(next) = found.filter(|_| block.is_none() || !is_there) {
        put_block(if block.is_some() { key } else { &before }, blocks.key(), next, &mut out);
    }
    out.extend_from_slice(blocks.rest);
    Ok(Some(out))
}

/// A row with its fence.
pub(super) type FencedRow = (Vec<u8>, Vec<u8>);

/// A leaf as one row, or as two if it has grown too large.
pub(super) fn rows(table: &'static str, fence: &[u8], leaf: Vec<u8>) -> Result<Vec<FencedRow>> {
    if leaf.len() <= room(fence) {
        return Ok(vec![(fence.to_vec(), leaf)]);
    }
    let mut blocks = Blocks::new(table, fence, &leaf);
    let mut start = 0;
    while let Some(block) = blocks.next()? {
        // The first one stays in any case.
        if start > 0 && leaf.len() - blocks.rest.len() > leaf.len() / 2 {
            let mut second = Vec::new();
            put_block(blocks.key(), blocks.key(), block, &mut second);
            second.extend_from_slice(blocks.rest);
            return Ok(vec![(fence.to_vec(), leaf[..start].to_vec()), (blocks.key().to_vec(), second)]);
        }
        start = leaf.len() - blocks.rest.len();
    }
    Ok(vec![(fence.to_vec(), leaf)])
}

/// Takes a full row, with its fence.
type EachRow<'f> = &'f mut dyn FnMut(&[u8], &[u8]) -> Result<()>;

/// Makes rows of keys that come in order, each filled before the next is begun.
#[derive(Default)]
pub(crate) struct Leaves {
    fence: Vec<u8>,
    last: Vec<u8>,
    leaf: Vec<u8>,
}

impl Leaves {
    /// Adds the values of a key, of `size` bytes each, sorted and end to end.
    pub(crate) fn push(&mut self, size: usize, key: &[u8], values: &[u8], each: EachRow<'_>) -> Result<()> {
        let count = values.len() / size.max(1);
        if count * size != values.len() || count == 0 {
            return Err(Error::Misuse("values of a table of several must have its size"));
        }
        let mut done = 0;
        while done < count {
            let most = (count - done).min(block::capacity(size));
            let row = if done == 0 { key.to_vec() } else { later_key(key, &values[done * size..][..size]) };
            let pack = |taken: usize| {
                let part = match (done, taken == count) {
                    (0, true) => Part::All,
                    (0, false) => Part::First(count as u64),
                    _ => Part::Later,
                };
                block::pack(part, size, &values[done * size..(done + taken) * size])
            };
            let mut taken = most;
            let mut block = pack(taken);
            if !self.leaf.is_empty() {
                let left = room(&self.fence).saturating_sub(self.leaf.len() + row.len() + 8);
                if block.len() > left && left * most / block.len() > LEAST_VALUES {
                    taken = left * most / block.len() - 2;
                    block = pack(taken);
                }
                if block.len() > left {
                    self.end(each)?;
                    taken = most;
                    block = pack(taken);
                }
            }
            if self.leaf.is_empty() {
                self.fence.clone_from(&row);
                self.last.clone_from(&row);
            }
            put_block(&self.last, &row, &block, &mut self.leaf);
            self.last = row;
            done += taken;
        }
        Ok(())
    }

    /// Gives the row that is begun.
    pub(crate) fn end(&mut self, each: EachRow<'_>) -> Result<()> {
        if !self.leaf.is_empty() {
            each(&self.fence, &self.leaf)?;
            self.leaf.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fence: &[u8], leaf: &[u8]) -> Result<Vec<FencedRow>> {
        let mut blocks = Blocks::new("t", fence, leaf);
        let mut read = Vec::new();
        while let Some(block) = blocks.next()? {
            read.push((blocks.key().to_vec(), block.to_vec()));
        }
        Ok(read)
    }

    #[test]
    fn leaves_change_and_split() {
        let (fence, mut leaf) = (&b"key 0"[..], Vec::new());
        let mut model = std::collections::BTreeMap::new();
        for n in 0..400_u32 {
            let key = format!("key {:03}", n * 7 % 71).into_bytes();
            let block = vec![n as u8; n as usize % 40];
            let block = (n % 3 > 0).then_some(&block[..]);
            let changed = with_block(Blocks::new("t", fence, &leaf), &key, block).unwrap();
            assert_eq!(changed.is_some(), block.is_some() || model.contains_key(&key));
            leaf = changed.unwrap_or(leaf);
            match block {
                Some(block) => drop(model.insert(key, block.to_vec())),
                None => drop(model.remove(&key)),
            }
            assert!(read(fence, &leaf).unwrap().into_iter().eq(model.clone()));
        }
        assert_eq!(rows("t", fence, leaf.clone()).unwrap(), [(fence.to_vec(), leaf.clone())]);
        let large =
            with_block(Blocks::new("t", fence, &leaf), b"key 035", Some(&[7; 2_000])).unwrap().unwrap();
        let split = rows("t", fence, large).unwrap();
        assert_eq!((split.len(), &split[0].0[..]), (2, fence));
        model.insert(b"key 035".to_vec(), vec![7; 2_000]);
        assert!(split.iter().flat_map(|(fence, leaf)| read(fence, leaf).unwrap()).eq(model));
    }

    #[test]
    fn rows_are_filled_before_the_next_is_begun() {
        let (mut leaves, mut rows) = (Leaves::default(), Vec::new());
        let mut each = |fence: &[u8], leaf: &[u8]| {
            rows.push((fence.to_vec(), leaf.to_vec()));
            Ok(())
        };
        for n in 0..300_u64 {
            let values: Vec<u8> = (0..=n % 400).flat_map(|v| (v << 50 | n).to_be_bytes()).collect();
            leaves.push(8, &n.to_be_bytes(), &values, &mut each).unwrap();
        }
        leaves.end(&mut each).unwrap();
        let mut count = 0;
        for (fence, leaf) in &rows {
            assert!(leaf.len() <= room(fence));
            for (key, block) in read(fence, leaf).unwrap() {
                let mut values = Vec::new();
                let head = block::unpack("t", 8, &block, &mut values).unwrap();
                assert_eq!(owner("t", &key, head.part, 8).unwrap().len(), 8);
                count += head.count;
            }
        }
        assert_eq!(count, (1..=300).sum::<usize>());
        let bytes: usize = rows.iter().map(|(_, leaf)| leaf.len()).sum();
        assert!(bytes * 20 > rows.len() * ROW_BYTES * 19, "nineteen twentieths are full");
    }

    #[test]
    fn damaged_leaves_are_refused_or_read_within_bounds() {
        let (fence, mut bytes) = (&b"ab"[..], Vec::new());
        put_block(b"ab", b"ab", &[1; 9], &mut bytes);
        put_block(b"ab", b"abc", &[2; 9], &mut bytes);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let _ = read(fence, &flipped);
            let _ = with_block(Blocks::new("t", fence, &flipped), b"abb", Some(&[3; 9]));
        }
        assert!(read(fence, &bytes[..bytes.len() - 1]).is_err());
    }
}
