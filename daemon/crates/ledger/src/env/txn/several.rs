//! Tables in which a key has several values. They are stored in blocks (see [`super::super::block`]), and many blocks in a row
//! (see [`super::super::leaf`]). The first block of a key is under the key itself. Later blocks are under the key, two zeros
//! and their first value at the time when they were made, so the order of blocks is that of keys and values.

use lmdb::{Transaction, WriteFlags};
use lmdb_sys as ffi;

use super::super::Table;
use super::super::block::{self, Head, Opened, Part};
#[cfg(test)]
use super::super::leaf::Leaves;
use super::super::leaf::{Blocks, LATER, is_later, later_key, owner, rows, with_block};
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

/// The last block up to a key.
struct Floor<'c, 't> {
    under: Vec<u8>,
    block: &'t [u8],
    /// The place of the block after it in its row, or of none if it is the last one there.
    next: Walk<'c, 't>,
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

    /// The last block at or before a key.
    fn floor(&self, key: &[u8]) -> Result<Option<Floor<'_, 't>>> {
        let name = self.table.spec.name;
        let mut row = self.fenced(key)?;
        while let Some((fence, leaf)) = row {
            let (mut under, mut found) = (Vec::new(), None);
            let mut walk = Walk { cursor: self, fence, blocks: Blocks::new(name, fence, leaf), block: None };
            loop {
                walk.block = walk.blocks.next()?;
                if walk.block.is_none() || walk.key() > key {
                    break;
                }
                under.clear();
                under.extend_from_slice(walk.key());
                found = walk.block;
            }
            if let Some(block) = found {
                return Ok(Some(Floor { under, block, next: walk }));
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

/// Looks up values of a key by their ids, sorted ones in one walk.
struct LookUp<'c, 't, 'k> {
    cursor: &'c Cursor<'t>,
    key: &'k [u8],
    /// The key that the block is under.
    under: Vec<u8>,
    /// The id for which the block was made; none for the first block of the key.
    made_for: Option<u64>,
    block: Opened<'t>,
    /// The place after the block.
    next: Option<Walk<'c, 't>>,
}

/// How far a walk to a block came.
enum Passed<'t> {
    /// The open block is the one.
    Nothing,
    /// It is this one.
    To(&'t [u8]),
    /// It is further on, or before the open one.
    Enough,
}

impl<'t> LookUp<'_, 't, '_> {
    /// Blocks that are passed over one by one before the tree is searched.
    const MOST_PASSED: usize = 8;

    /// Opens the block in which a value is, or would be. False if the key has no such block.
    fn open_at(&mut self, value: &[u8]) -> Result<bool> {
        let wanted = later_key(self.key, value);
        let found = match self.pass_to(&wanted)? {
            Passed::Nothing => None,
            Passed::To(block) => Some(block),
            Passed::Enough => {
                let Some(Floor { under, block, next }) = self.cursor.floor(&wanted)? else {
                    return Ok(false);
                };
                let found = (under != self.under).then_some(block);
                (self.under, self.next) = (under, Some(next));
                found
            }
        };
        if self.under != self.key && !is_later(&self.under, self.key) {
            return Ok(false);
        }
        if let Some(block) = found {
            let spec = self.cursor.table.spec;
            self.block.open(spec.name, spec.item, block)?;
            self.made_for =
                self.first_value().and_then(<[u8]>::first_chunk).map(|id| u64::from_be_bytes(*id));
        }
        Ok(true)
    }

    /// The first value that the open block had when it was made, if it is not the first of the key.
    fn first_value(&self) -> Option<&[u8]> {
        self.under.strip_prefix(self.key)?.strip_prefix(&LATER)
    }

    /// Walks to the block of `wanted`, if it is one of the next.
    fn pass_to(&mut self, wanted: &[u8]) -> Result<Passed<'t>> {
        let next = self.next.as_mut().filter(|_| self.under.as_slice() <= wanted);
        let Some(next) = next else { return Ok(Passed::Enough) };
        let mut found = Passed::Nothing;
        for _ in 0..Self::MOST_PASSED {
            if next.block.is_none() {
                next.advance()?;
            }
            let Some(block) = next.block.filter(|_| next.key() <= wanted) else { return Ok(found) };
            self.under.clear();
            self.under.extend_from_slice(next.key());
            found = Passed::To(block);
            next.block = None;
        }
        // Not to be taken for the block that is open.
        self.under.clear();
        self.next = None;
        Ok(Passed::Enough)
    }

    /// The place of the last value with that id in the open block, or in those before it.
    fn find(&mut self, id: u64) -> Result<Option<usize>> {
        loop {
            let place = self.block.place(id);
            if place.is_some() || self.made_for != Some(id) {
                return Ok(place);
            }
            // The block was made for a value of this id that is gone, and another may have come into the one before.
            match self.value_before(&id.to_be_bytes()) {
                Some(before) if self.open_at(&before)? => {}
                _ => return Ok(None),
            }
        }
    }

    /// The greatest value that would be in the block before the open one, if that can begin with `id`.
    fn value_before(&self, id: &[u8]) -> Option<Vec<u8>> {
        let first = self.first_value()?;
        let rest = first.strip_prefix(id)?;
        let last = rest.iter().rposition(|byte| *byte > 0)? + id.len();
        let mut before = first.to_vec();
        before[last] -= 1;
        before[last + 1..].fill(u8::MAX);
        Some(before)
    }
}

/// A change of a key's values: the value, and whether the key has it afterwards.
pub(crate) type Change<'v> = (&'v [u8], bool);

/// A block that was found.
#[derive(Default)]
struct Found {
    /// The key that it is under.
    under: Vec<u8>,
    /// Its values, end to end.
    values: Vec<u8>,
    /// How many values the key has.
    total: u64,
    /// The value from which on values are in the next block; none if there is none.
    bound: Option<Vec<u8>>,
}

impl Found {
    /// Where `value` is, or where it would be.
    fn place(&self, value: &[u8]) -> std::result::Result<usize, usize> {
        let at = value.len() * partition_values(&self.values, value.len(), |other| other < value);
        match self.values.get(at..at + value.len()) {
            Some(found) if found == value => Ok(at),
            _ => Err(at),
        }
    }
}

/// Makes `changes`, sorted by value, to `values`, sorted and end to end. Gives how many were added and removed.
fn change_sorted(values: &mut Vec<u8>, changes: &[Change<'_>]) -> (u64, u64) {
    let old = std::mem::take(values);
    let mut rest = old.as_slice();
    let (mut added, mut removed) = (0, 0);
    for (value, is_kept) in changes {
        let (before, after) =
            rest.split_at(value.len() * partition_values(rest, value.len(), |other| other < *value));
        values.extend_from_slice(before);
        let without = after.strip_prefix(*value);
        rest = without.unwrap_or(after);
        if *is_kept {
            values.extend_from_slice(value);
        }
        added += u64::from(*is_kept && without.is_none());
        removed += u64::from(!is_kept && without.is_some());
    }
    values.extend_from_slice(rest);
    (added, removed)
}

/// How many values, sorted and end to end, `before` holds for; it holds for none after them. Takes logarithmic time.
fn partition_values(values: &[u8], size: usize, before: impl Fn(&[u8]) -> bool) -> usize {
    let (mut from, mut to) = (0, values.len() / size.max(1));
    while from < to {
        let middle = usize::midpoint(from, to);
        if before(&values[middle * size..(middle + 1) * size]) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
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

    /// For each of these ids, which are sorted, the greatest value of a key that begins with it. Reads only the blocks where such
    /// values would be, and of these the ids and the values that are found.
    pub(super) fn values_of(&self, table: Table, key: &[u8], ids: &[u64], each: Each<'_>) -> Result<()> {
        let cursor = self.cursor(table)?;
        let block = Opened::default();
        let mut look_up =
            LookUp { cursor: &cursor, key, under: Vec::new(), made_for: None, block, next: None };
        let mut value = vec![u8::MAX; table.spec.item];
        for &id in ids {
            // An id before the last one of the open block is in no other.
            if look_up.block.last().is_none_or(|last| id >= last) {
                value.clear();
                value.extend_from_slice(&id.to_be_bytes());
                value.resize(table.spec.item, u8::MAX);
                if !look_up.open_at(&value)? {
                    // The key has no block, if the place is sound.
                    return cursor.first_block(key)?.map_or(Ok(()), |_| Err(astray(table)));
                }
            }
            if let Some(place) = look_up.find(id)? {
                look_up.block.read_value(place, &mut value);
                if each(&value)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
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
        let found = found.filter(|found| found.under == key || is_later(&found.under, key));
        let Some(Floor { under, block, mut next }) = found else {
            // No block is there, if the place is sound.
            return cursor.first_block(key)?.map_or(Ok(None), |_| Err(astray(table)));
        };
        let mut values = Vec::new();
        let head = block::unpack(name, size, block, &mut values)?;
        if next.block.is_none() {
            next.advance()?;
        }
        let bound = next.block.and_then(|_| next.key().strip_prefix(key)?.strip_prefix(&LATER));
        let bound = bound.map(<[u8]>::to_vec);
        let total = if under == key {
            head.total()
        } else {
            cursor.first_block(key)?.ok_or_else(|| missing(name))?.0.total()
        };
        Ok(Some(Found { under, values, total, bound }))
    }
}

impl Write<'_> {
    /// Adds and removes values of a key in a table of several; returns whether that changed it. They are sorted, and each
    /// comes once. Each block is read and written once, however many of the values are in it.
    pub(crate) fn change_items(&mut self, table: Table, key: &[u8], changes: &[Change<'_>]) -> Result<bool> {
        let name = table.spec.name;
        if !changes.is_sorted_by(|(a, _), (b, _)| a < b && a.len() == b.len()) {
            return Err(Error::Misuse("changed values must be sorted and of one size, without doubles"));
        }
        // The values of the first block once it changes. It is written last, because it has the number of values.
        let mut first = None;
        let (mut total, mut is_changed) = (None, false);
        let mut left = changes;
        while let Some((value, _)) = left.first() {
            let found = self.find_block(table, key, value)?;
            let mut found = found.unwrap_or_else(|| Found { under: key.to_vec(), ..Found::default() });
            let here = found
                .bound
                .as_deref()
                .map_or(left.len(), |bound| left.iter().take_while(|(value, _)| *value < bound).count());
            let (here, later) = left.split_at_checked(here.max(1)).unwrap_or((left, &[]));
            left = later;
            let (added, removed) = change_sorted(&mut found.values, here);
            let known = total.unwrap_or(found.total) + added;
            total = Some(known.checked_sub(removed).ok_or_else(|| too_many(name))?);
            if added + removed > 0 {
                is_changed = true;
                self.store_block(table, key, found, &mut first)?;
            }
        }
        match total {
            _ if !is_changed => {}
            Some(total) if total > 0 => self.store_first(table, key, first, total)?,
            _ => self.remove_block(table, key)?,
        }
        Ok(is_changed)
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

    /// Writes a block that was changed, in several if it has grown too large. The values of a first block go to `first`.
    fn store_block(
        &mut self,
        table: Table,
        key: &[u8],
        found: Found,
        first: &mut Option<Vec<u8>>,
    ) -> Result<()> {
        let size = table.spec.item;
        let count = found.values.len() / size;
        let each = count.div_ceil(count.div_ceil(block::capacity(size)).max(1)) * size;
        let (begin, rest) = found.values.split_at(each);
        for values in rest.chunks(each.max(size)) {
            let later = later_key(key, &values[..size]);
            self.set_block(table, &later, &block::pack(Part::Later, size, values))?;
        }
        if found.under == key {
            *first = Some(begin.to_vec());
            return Ok(());
        }
        if begin.is_empty() {
            return self.remove_block(table, &found.under);
        }
        self.set_block(table, &found.under, &block::pack(Part::Later, size, begin))
    }

    /// Writes the first block of a key: `changed`, or with the values that it has. Without values, the next block becomes the
    /// first.
    fn store_first(&mut self, table: Table, key: &[u8], changed: Option<Vec<u8>>, total: u64) -> Result<()> {
        let (name, size) = (table.spec.name, table.spec.item);
        let is_emptied = changed.is_some();
        let (mut first, mut taken) = (changed.unwrap_or_default(), None);
        if first.is_empty() {
            let cursor = self.cursor(table)?;
            let (_, mut walk) = cursor.first_block(key)?.ok_or_else(|| missing(name))?;
            if is_emptied {
                walk.advance()?;
                let block = walk.block.filter(|_| is_later(walk.key(), key));
                walk.block = Some(block.ok_or_else(|| missing(name))?);
                taken = Some(walk.key().to_vec());
            }
            block::unpack(name, size, walk.block.unwrap_or_default(), &mut first)?;
        }
        if let Some(taken) = taken {
            self.remove_block(table, &taken)?;
        }
        self.set_first(table, key, &first, total)
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
