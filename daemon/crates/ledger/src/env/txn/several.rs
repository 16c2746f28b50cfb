//! Tables in which a key has several values. They are stored in blocks (see [`super::super::block`]), and many blocks in a row
//! (see [`super::super::leaf`]). The first block of a key is under the key itself. Later blocks are under the key, two zeros
//! and their first value at the time when they were made, so the order of blocks is that of keys and values.

use lmdb::{Transaction, WriteFlags};
use lmdb_sys as ffi;

use super::super::Table;
use super::super::block::{self, Head, Part};
#[cfg(test)]
use super::super::leaf::Leaves;
use super::super::leaf::{Blocks, is_later, later_key, owner, rows, with_block};
use super::{Cursor, Each, EachRow, Row, Txn, Write};
use crate::codec::corrupt_record;
use crate::{Error, Result};

/// A place among the blocks of a table.
struct Walk<'c, 't> {
    cursor: &'c Cursor<'t>,
    /// The fence of the row.
    fence: &'t [u8],
    blocks: Blocks<'t>,
    /// The block at this place, under the key that `blocks` gives; none at the end.
    block: Option<&'t [u8]>,
}

impl Walk<'_, '_> {
    fn key(&self) -> &[u8] {
        self.blocks.key()
    }

    /// Goes to the next block.
    fn advance(&mut self) -> Result<()> {
        let table = self.cursor.table;
        loop {
            self.block = self.blocks.next()?;
            if self.block.is_some() {
                return Ok(());
            }
            let Some((fence, leaf)) = self.cursor.row(&[], ffi::MDB_NEXT)? else { return Ok(()) };
            if fence <= self.key() {
                return Err(astray(table));
            }
            self.fence = fence;
            self.blocks = Blocks::new(table.spec.name, fence, leaf);
        }
    }
}

fn astray(table: Table) -> Error {
    corrupt_record(table.spec.name, "its keys are not in order")
}

impl<'t> Cursor<'t> {
    /// The row in which the block of a key is, if there is one: that with the greatest fence up to the key. The cursor is
    /// there afterwards.
    fn fenced(&self, key: &[u8]) -> Result<Option<Row<'t>>> {
        match self.raw(key, ffi::MDB_SET_RANGE)? {
            Some((fence, leaf)) if fence == key => return Ok(Some((fence, self.table.open(fence, leaf)?))),
            Some((fence, _)) if fence < key => return Err(astray(self.table)),
            Some(_) => {}
            None => return self.row(&[], ffi::MDB_LAST).and_then(|row| self.before(row, key)),
        }
        let row = self.row(&[], ffi::MDB_PREV)?;
        self.before(row, key)
    }

    fn before(&self, row: Option<Row<'t>>, key: &[u8]) -> Result<Option<Row<'t>>> {
        match row {
            Some((fence, _)) if fence > key => Err(astray(self.table)),
            row => Ok(row),
        }
    }

    /// The first block at or after a key. If it is not under the key itself, both sides of the place are sound.
    fn seek(&self, key: &[u8]) -> Result<Walk<'_, 't>> {
        let name = self.table.spec.name;
        let row = match self.fenced(key)? {
            None => self.row(&[], ffi::MDB_FIRST)?,
            found => found,
        };
        let (fence, leaf) = row.unwrap_or_default();
        let mut walk = Walk { cursor: self, fence, blocks: Blocks::new(name, fence, leaf), block: None };
        if row.is_none() {
            return Ok(walk);
        }
        walk.advance()?;
        while walk.block.is_some() && walk.key() < key {
            walk.advance()?;
        }
        // Of two fences up to the key, the search would have found the second.
        if walk.fence != fence && walk.fence <= key { Err(astray(self.table)) } else { Ok(walk) }
    }

    /// The last block at or before a key, with its own.
    fn floor(&self, key: &[u8]) -> Result<Option<(Vec<u8>, &'t [u8])>> {
        let name = self.table.spec.name;
        let mut row = self.fenced(key)?;
        while let Some((fence, leaf)) = row {
            let (mut under, mut found) = (Vec::new(), None);
            let mut blocks = Blocks::new(name, fence, leaf);
            while let Some(block) = blocks.next()? {
                if blocks.key() > key {
                    break;
                }
                under.clear();
                under.extend_from_slice(blocks.key());
                found = Some(block);
            }
            if let Some(block) = found {
                return Ok(Some((under, block)));
            }
            // Every block of the row came after the key.
            row = self.row(&[], ffi::MDB_PREV)?;
        }
        Ok(None)
    }

    /// The first block of a key, with its head.
    fn first_block(&self, key: &[u8]) -> Result<Option<(Head, Walk<'_, 't>)>> {
        let walk = self.seek(key)?;
        match walk.block {
            Some(block) if walk.key() == key => Ok(Some((block::head(self.table.spec.name, block)?, walk))),
            _ => Ok(None),
        }
    }
}

/// A block that was found.
struct Found {
    /// The key that it is under.
    under: Vec<u8>,
    /// Its values, end to end.
    values: Vec<u8>,
    /// How many values the key has.
    total: u64,
}

impl Found {
    /// Where `value` is, or where it would be.
    fn place(&self, value: &[u8]) -> std::result::Result<usize, usize> {
        let size = value.len();
        let (mut from, mut to) = (0, self.values.len() / size.max(1));
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.values[middle * size..(middle + 1) * size].cmp(value) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle * size),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Err(from * size)
    }
}

fn missing(name: &'static str) -> Error {
    corrupt_record(name, "a block is missing")
}

fn too_many(name: &'static str) -> Error {
    corrupt_record(name, "more values than its first block says")
}

impl<T: Transaction> Txn<'_, T> {
    /// The values of a key, in order, a block at a time.
    pub(super) fn each_block(&self, table: Table, key: &[u8], each: Each<'_>) -> Result<()> {
        let cursor = self.cursor(table)?;
        let Some((head, mut walk)) = cursor.first_block(key)? else { return Ok(()) };
        let (name, size) = (table.spec.name, table.spec.item);
        let mut values = Vec::new();
        let mut left = head.total();
        while let Some(block) = walk.block {
            values.clear();
            block::unpack(name, size, block, &mut values)?;
            left = left.checked_sub((values.len() / size) as u64).ok_or_else(|| too_many(name))?;
            if each(&values)?.is_break() || left == 0 {
                return Ok(());
            }
            walk.advance()?;
            if !is_later(walk.key(), key) {
                break;
            }
        }
        Err(missing(name))
    }

    /// How many values a key has.
    pub(super) fn count_values(&self, table: Table, key: &[u8]) -> Result<u64> {
        Ok(self.cursor(table)?.first_block(key)?.map_or(0, |(head, _)| head.total()))
    }

    /// Whether a key has a value.
    pub(super) fn has_value(&self, table: Table, key: &[u8], value: &[u8]) -> Result<bool> {
        let found = self.find_block(table, key, value)?;
        Ok(found.is_some_and(|found| found.place(value).is_ok()))
    }

    /// The greatest value of a key that begins with `id`.
    pub(super) fn value_of(&self, table: Table, key: &[u8], id: u64) -> Result<Option<Vec<u8>>> {
        let (id, size) = (id.to_be_bytes(), table.spec.item);
        let mut greatest = vec![u8::MAX; size];
        greatest.splice(..id.len().min(size), id);
        let Some(found) = self.find_block(table, key, &greatest)? else { return Ok(None) };
        let end = match found.place(&greatest) {
            Ok(at) => at + size,
            Err(at) => at,
        };
        let last = end.checked_sub(size).and_then(|at| found.values.get(at..end));
        Ok(last.filter(|value| value.starts_with(&id)).map(<[u8]>::to_vec))
    }

    /// Every key with each of its values, from the key `from` on.
    pub(super) fn each_value(&self, table: Table, from: &[u8], each: EachRow<'_>) -> Result<()> {
        let (name, size) = (table.spec.name, table.spec.item);
        let mut values = Vec::new();
        let cursor = self.cursor(table)?;
        let mut walk = cursor.seek(from)?;
        while let Some(block) = walk.block {
            values.clear();
            let head = block::unpack(name, size, block, &mut values)?;
            let key = owner(name, walk.key(), head.part, size)?;
            if key >= from {
                for value in values.chunks_exact(size) {
                    if each(key, value)?.is_break() {
                        return Ok(());
                    }
                }
            }
            walk.advance()?;
        }
        Ok(())
    }

    /// Every key once, from the key `from` on.
    pub(super) fn each_key(&self, table: Table, from: &[u8], each: Each<'_>) -> Result<()> {
        let cursor = self.cursor(table)?;
        let mut walk = cursor.seek(from)?;
        while let Some(block) = walk.block {
            if block::head(table.spec.name, block)?.part != Part::Later && each(walk.key())?.is_break() {
                return Ok(());
            }
            walk.advance()?;
        }
        Ok(())
    }

    /// The block in which `value` is, or would be; none if the key has no values.
    fn find_block(&self, table: Table, key: &[u8], value: &[u8]) -> Result<Option<Found>> {
        let (name, size) = (table.spec.name, table.spec.item);
        if value.len() != size {
            return Err(Error::Misuse("values of a table of several must have its size"));
        }
        let cursor = self.cursor(table)?;
        let found = cursor.floor(&later_key(key, value))?;
        let found = found.filter(|(under, _)| under == key || is_later(under, key));
        let Some((under, block)) = found else {
            // No block is there, if the place is sound.
            return cursor.first_block(key)?.map_or(Ok(None), |_| Err(astray(table)));
        };
        let mut values = Vec::new();
        let head = block::unpack(name, size, block, &mut values)?;
        let total = if under == key {
            head.total()
        } else {
            cursor.first_block(key)?.ok_or_else(|| missing(name))?.0.total()
        };
        Ok(Some(Found { under, values, total }))
    }
}

impl Write<'_> {
    /// Adds a value, unless the key has it.
    pub(super) fn add_value(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        let Some(mut found) = self.find_block(table, key, value)? else {
            return self.set_block(table, key, &block::pack(Part::All, table.spec.item, value));
        };
        let Err(at) = found.place(value) else { return Ok(()) };
        found.values.splice(at..at, value.iter().copied());
        found.total += 1;
        self.store_block(table, key, &found)
    }

    /// Removes a value; returns whether the key had it.
    pub(super) fn remove_value(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<bool> {
        let Some(mut found) = self.find_block(table, key, value)? else { return Ok(false) };
        let Ok(at) = found.place(value) else { return Ok(false) };
        found.values.drain(at..at + value.len());
        found.total = found.total.checked_sub(1).ok_or_else(|| too_many(table.spec.name))?;
        if found.values.is_empty() && found.total > 0 && found.under == key {
            // The next block becomes the first.
            let next = {
                let cursor = self.cursor(table)?;
                let (_, mut walk) = cursor.first_block(key)?.ok_or_else(|| missing(table.spec.name))?;
                walk.advance()?;
                let block = walk.block.filter(|_| is_later(walk.key(), key));
                let block = block.ok_or_else(|| missing(table.spec.name))?;
                block::unpack(table.spec.name, table.spec.item, block, &mut found.values)?;
                walk.key().to_vec()
            };
            self.remove_block(table, &next)?;
        }
        self.store_block(table, key, &found)?;
        Ok(true)
    }

    /// Removes all values of a key; returns whether it had any.
    pub(super) fn remove_values(&mut self, table: Table, key: &[u8]) -> Result<bool> {
        let mut keys = Vec::new();
        {
            let cursor = self.cursor(table)?;
            let Some((_, mut walk)) = cursor.first_block(key)? else { return Ok(false) };
            while walk.block.is_some() && (walk.key() == key || is_later(walk.key(), key)) {
                keys.push(walk.key().to_vec());
                walk.advance()?;
            }
        }
        keys.iter().try_for_each(|key| self.remove_block(table, key))?;
        Ok(true)
    }

    /// Writes a block that was changed, in two if it has grown too large, and the number of values in the first one.
    fn store_block(&mut self, table: Table, key: &[u8], found: &Found) -> Result<()> {
        let Found { under, values, total } = found;
        let size = table.spec.item;
        if *total == 0 {
            return self.remove_block(table, key);
        }
        let most = block::capacity(size) * size;
        let half = values.len() / size / 2 * size;
        let (left, right) = values.split_at(if values.len() > most { half } else { values.len() });
        if !right.is_empty() {
            let later = later_key(key, &right[..size]);
            self.set_block(table, &later, &block::pack(Part::Later, size, right))?;
        }
        if under == key {
            return self.set_first(table, key, left, *total);
        }
        if left.is_empty() {
            self.remove_block(table, under)?;
        } else {
            self.set_block(table, under, &block::pack(Part::Later, size, left))?;
        }
        let mut first = Vec::new();
        {
            let cursor = self.cursor(table)?;
            let (_, walk) = cursor.first_block(key)?.ok_or_else(|| missing(table.spec.name))?;
            block::unpack(table.spec.name, size, walk.block.unwrap_or_default(), &mut first)?;
        }
        self.set_first(table, key, &first, *total)
    }

    fn set_first(&mut self, table: Table, key: &[u8], values: &[u8], total: u64) -> Result<()> {
        let size = table.spec.item;
        let part = if (values.len() / size) as u64 == total { Part::All } else { Part::First(total) };
        self.set_block(table, key, &block::pack(part, size, values))
    }

    fn set_block(&mut self, table: Table, key: &[u8], block: &[u8]) -> Result<()> {
        self.change_block(table, key, Some(block))
    }

    fn remove_block(&mut self, table: Table, key: &[u8]) -> Result<()> {
        self.change_block(table, key, None)
    }

    fn change_block(&mut self, table: Table, key: &[u8], block: Option<&[u8]>) -> Result<()> {
        let name = table.spec.name;
        let (fence, leaf) = {
            let cursor = self.cursor(table)?;
            // A key before all others begins a row.
            let (fence, leaf) = cursor.fenced(key)?.unwrap_or((key, &[]));
            (fence.to_vec(), with_block(Blocks::new(name, fence, leaf), key, block)?)
        };
        let leaf = leaf.ok_or_else(|| missing(name))?;
        if leaf.is_empty() {
            return self.delete_row(table, &fence).map(drop);
        }
        for (fence, leaf) in rows(name, &fence, leaf)? {
            self.put_with(table, &fence, &leaf, WriteFlags::empty())?;
        }
        Ok(())
    }

    /// Adds all values of a key, in order and end to end. The key is after all others of the table. For many keys one
    /// [`Leaves`] is better, because rows are then full.
    #[cfg(test)]
    pub(crate) fn append_items(&mut self, table: Table, key: &[u8], values: &[u8]) -> Result<()> {
        let mut leaves = Leaves::default();
        let mut append = |fence: &[u8], leaf: &[u8]| self.append_row(table, fence, leaf);
        leaves.push(table.spec.item, key, values, &mut append)?;
        leaves.end(&mut append)
    }

    /// Adds a row that [`Leaves`] made, after all others of the table.
    pub(crate) fn append_row(&mut self, table: Table, fence: &[u8], leaf: &[u8]) -> Result<()> {
        self.put_with(table, fence, leaf, WriteFlags::APPEND)
    }
}
