//! Transactions. No pointer into the map outlives the borrow of its transaction, no cursor leaves a call, and a write
//! borrows the transaction exclusively.

mod several;
mod space;

use std::ops::ControlFlow;
use std::ptr;
use std::sync::atomic::Ordering;

use lmdb::{DatabaseFlags, RoTransaction, RwTransaction, Transaction, WriteFlags};
use lmdb_sys as ffi;

use super::bounds::Bounds;
use super::gate::{Slot, WriterGuard};
use super::seal::{self, Seal};
use super::{Env, MANY_PUTS, MAX_KEY, Table, TableSpec};
use crate::codec::corrupt_record;
use crate::faults::{Fault, FaultPoint};
use crate::{Error, Result};

/// Takes keys or values until it breaks.
pub(crate) type Each<'f> = &'f mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>;
/// Takes rows until it breaks.
pub(crate) type EachRow<'f> = &'f mut dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>;

/// Reading, in a read or a write transaction.
pub(crate) trait Reads {
    /// The value of a key, in a table where a key has one.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<&[u8]>>;
    /// The values of a key in a table of several, in order, a slice of whole items at a time.
    fn items(&self, table: Table, key: &[u8], each: Each<'_>) -> Result<()>;
    /// How many values a key has in a table of several.
    fn count(&self, table: Table, key: &[u8]) -> Result<u64>;
    /// Whether a key has this value in a table of several.
    fn has_item(&self, table: Table, key: &[u8], item: &[u8]) -> Result<bool>;
    /// For each of these ids, which are sorted, the greatest value of a key that begins with it, in a table of several. Reads no
    /// other values than their neighbours.
    fn items_of(&self, table: Table, key: &[u8], ids: &[u64], each: Each<'_>) -> Result<()>;
    /// Every key and value from the key `from` on.
    fn scan(&self, table: Table, from: &[u8], each: EachRow<'_>) -> Result<()>;
    /// Every key once, from the key `from` on.
    fn keys(&self, table: Table, from: &[u8], each: Each<'_>) -> Result<()>;
    /// The first key at or after `from`, with its value.
    fn first(&self, table: Table, from: &[u8]) -> Result<Option<(&[u8], &[u8])>>;
    /// The last key, with its value.
    fn last(&self, table: Table) -> Result<Option<(&[u8], &[u8])>>;
    /// How many rows the table holds.
    fn entries(&self, table: Table) -> Result<u64>;
    /// How many bytes of pages the table takes.
    fn bytes(&self, table: Table) -> Result<u64>;
}

/// A transaction inside the gate.
pub(crate) struct Txn<'e, T> {
    // The first field, because it must end before the slot and the writer's lock are given back.
    raw: T,
    env: &'e Env,
    bounds: Bounds,
    puts: u64,
    _slot: Slot<'e>,
    _writer: Option<WriterGuard<'e>>,
}

/// A read transaction.
pub(crate) type Read<'e> = Txn<'e, RoTransaction<'e>>;

/// A write transaction. Dropping it changes nothing.
pub(crate) type Write<'e> = Txn<'e, RwTransaction<'e>>;

impl<'e> Read<'e> {
    pub(super) fn for_reading(raw: RoTransaction<'e>, env: &'e Env, bounds: Bounds, slot: Slot<'e>) -> Self {
        Self { raw, env, bounds, puts: 0, _slot: slot, _writer: None }
    }
}

/// A key and its value, the value's seal checked and taken off.
type Row<'t> = (&'t [u8], &'t [u8]);

struct Cursor<'t> {
    raw: *mut ffi::MDB_cursor,
    env: &'t Env,
    bounds: Bounds,
    table: Table,
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // SAFETY: opened in `Txn::cursor` and closed here only; its transaction is borrowed for longer than it lives.
        unsafe { ffi::mdb_cursor_close(self.raw) }
    }
}

fn mdb_val(bytes: &[u8]) -> ffi::MDB_val {
    ffi::MDB_val { mv_size: bytes.len(), mv_data: bytes.as_ptr().cast_mut().cast() }
}

fn no_val() -> ffi::MDB_val {
    ffi::MDB_val { mv_size: 0, mv_data: ptr::null_mut() }
}

/// The first key of an environment's table of tables.
pub(super) fn first_key(txn: &RoTransaction<'_>, env: &Env) -> Result<Option<ffi::MDB_val>> {
    // SAFETY: the table of tables is open from the start.
    let tables =
        unsafe { txn.open_db(None) }.map_err(|source| env.fail("open the table of tables", source))?;
    let mut raw = ptr::null_mut();
    // SAFETY: the transaction is live and the database belongs to its environment.
    let code = unsafe { ffi::mdb_cursor_open(txn.txn(), tables.dbi(), &raw mut raw) };
    if code != ffi::MDB_SUCCESS {
        return Err(env.fail("open a cursor", lmdb::Error::from_err_code(code)));
    }
    let spec = TableSpec { name: "tables", generation: 0, item: 0, sealed: false };
    let cursor = Cursor { raw, env, bounds: Bounds::UNKNOWN, table: Table::new(tables, spec) };
    let (mut key, mut data) = (no_val(), no_val());
    Ok(cursor.step(&mut key, &mut data, ffi::MDB_FIRST)?.then_some(key))
}

impl<'t> Cursor<'t> {
    /// Moves the cursor; returns whether there was an entry to move to.
    fn step(&self, key: &mut ffi::MDB_val, data: &mut ffi::MDB_val, op: ffi::MDB_cursor_op) -> Result<bool> {
        // SAFETY: the cursor is open; LMDB reads `key` and `data` (which point to live slices or nothing) and fills them.
        match unsafe { ffi::mdb_cursor_get(self.raw, key, data, op) } {
            ffi::MDB_SUCCESS => Ok(true),
            ffi::MDB_NOTFOUND => Ok(false),
            code => Err(self.env.fail("read", lmdb::Error::from_err_code(code))),
        }
    }

    /// A key and its value as they are stored.
    fn raw(&self, key: &[u8], op: ffi::MDB_cursor_op) -> Result<Option<Row<'t>>> {
        let (mut key, mut data) = (mdb_val(key), no_val());
        let op = if key.mv_size == 0 && op == ffi::MDB_SET_RANGE { ffi::MDB_FIRST } else { op };
        if !self.step(&mut key, &mut data, op)? {
            return Ok(None);
        }
        // SAFETY: filled by a successful call; `'t` is the borrow of the transaction, which no write can share.
        unsafe { self.bounds.row(self.table.spec, &key, &data) }.map(Some)
    }

    fn row(&self, key: &[u8], op: ffi::MDB_cursor_op) -> Result<Option<Row<'t>>> {
        match self.raw(key, op)? {
            Some((key, value)) => Ok(Some((key, self.table.open(key, value)?))),
            None => Ok(None),
        }
    }

    /// The first row at or after `from`. Both sides of the place are checked, because a flipped bit in a key leads a
    /// search astray, to a place beside the damaged key or on the wrong side of a neighbour.
    fn at_or_after(&self, from: &[u8]) -> Result<Option<Row<'t>>> {
        let found = self.row(from, ffi::MDB_SET_RANGE)?;
        if !self.table.spec.sealed || from.is_empty() {
            return Ok(found);
        }
        let astray = || corrupt_record(self.table.spec.name, "its keys are not in order");
        let before = match found {
            Some((key, _)) if key < from => return Err(astray()),
            // If the key itself was found, no comparison went wrong.
            Some((key, _)) if key == from => return Ok(found),
            Some(_) => self.row(&[], ffi::MDB_PREV_NODUP)?,
            None => self.row(&[], ffi::MDB_LAST)?,
        };
        match before {
            Some((key, _)) if key >= from => return Err(astray()),
            Some(_) if found.is_some() => self.row(&[], ffi::MDB_NEXT_NODUP)?,
            Some(_) => None,
            None => self.row(&[], ffi::MDB_FIRST)?,
        };
        Ok(found)
    }

    /// Returns nothing if the place where `key` would be is sound, and an error otherwise.
    fn misses(&self, key: &[u8]) -> Result<Option<&'t [u8]>> {
        if !self.table.spec.sealed {
            return Ok(None);
        }
        match self.at_or_after(key)? {
            Some((found, _)) if found == key => {
                Err(corrupt_record(self.table.spec.name, "a key is found by one search and not by another"))
            }
            _ => Ok(None),
        }
    }

    /// Every row from `from` on, each key after the one before.
    fn each(&self, from: &[u8], next: ffi::MDB_cursor_op, each: EachRow<'_>) -> Result<()> {
        let mut row = self.at_or_after(from)?;
        while let Some((key, value)) = row {
            if each(key, value)?.is_break() {
                break;
            }
            row = self.row(&[], next)?;
            if self.table.spec.sealed && row.is_some_and(|(next, _)| next < key) {
                return Err(corrupt_record(self.table.spec.name, "its keys are not in order"));
            }
        }
        Ok(())
    }
}

fn too_long(key: &[u8]) -> bool {
    key.is_empty() || key.len() > MAX_KEY
}

/// Refuses a table of several, whose rows are blocks.
fn single(table: Table) -> Result<()> {
    if table.spec.item == 0 { Ok(()) } else { Err(Error::Misuse("a table of several has no single values")) }
}

impl Table {
    /// The value from which the seals of `key` are computed; none where values are not sealed.
    fn seal(self, key: &[u8]) -> Option<Seal> {
        self.spec.sealed.then(|| Seal::new(self.spec.name, self.seals, key))
    }

    /// A stored value without its seal.
    fn open<'v>(self, key: &[u8], value: &'v [u8]) -> Result<&'v [u8]> {
        self.seal(key).map_or(Ok(value), |seal| seal.open(value))
    }
}

impl<T: Transaction> Txn<'_, T> {
    fn cursor(&self, table: Table) -> Result<Cursor<'_>> {
        let mut raw = ptr::null_mut();
        // SAFETY: the transaction is live and the database belongs to its environment.
        match unsafe { ffi::mdb_cursor_open(self.raw.txn(), table.db.dbi(), &raw mut raw) } {
            ffi::MDB_SUCCESS => Ok(Cursor { raw, env: self.env, bounds: self.bounds, table }),
            code => Err(self.env.fail("open a cursor", lmdb::Error::from_err_code(code))),
        }
    }

    fn stat(&self, table: Table) -> Result<lmdb::Stat> {
        self.raw.stat(table.db).map_err(|source| self.env.fail("measure a table", source))
    }

    /// Checks the table's flags, because LMDB takes them from the file and compares keys as they say.
    fn as_specified(&self, db: lmdb::Database, spec: TableSpec) -> Result<Table> {
        let flags = self.raw.db_flags(db).map_err(|source| self.env.fail("open a table", source))?;
        if flags.is_empty() {
            self.env.lmdb.note_table(db.dbi(), &spec.stored_name());
            Ok(Table::new(db, spec))
        } else {
            Err(corrupt_record(spec.name, "its flags are not those it was made with"))
        }
    }

    /// The table of that specification, if it exists.
    pub(crate) fn find_table(&self, spec: TableSpec) -> Result<Option<Table>> {
        // SAFETY: handles are opened in the transaction that opens a store, before any other can begin.
        match unsafe { self.raw.open_db(Some(&spec.stored_name())) } {
            Ok(db) => self.as_specified(db, spec).map(Some),
            Err(lmdb::Error::NotFound) => Ok(None),
            Err(source) => Err(self.env.fail("open a table", source)),
        }
    }
}

impl<T: Transaction> Reads for Txn<'_, T> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<&[u8]>> {
        if too_long(key) {
            return Ok(None);
        }
        single(table)?;
        let cursor = self.cursor(table)?;
        match cursor.row(key, ffi::MDB_SET_KEY)? {
            Some((_, value)) => Ok(Some(value)),
            None => cursor.misses(key),
        }
    }

    fn items(&self, table: Table, key: &[u8], each: Each<'_>) -> Result<()> {
        if too_long(key) { Ok(()) } else { self.each_block(table, key, each) }
    }

    fn count(&self, table: Table, key: &[u8]) -> Result<u64> {
        if too_long(key) { Ok(0) } else { self.count_values(table, key) }
    }

    fn has_item(&self, table: Table, key: &[u8], item: &[u8]) -> Result<bool> {
        if too_long(key) { Ok(false) } else { self.has_value(table, key, item) }
    }

    fn items_of(&self, table: Table, key: &[u8], ids: &[u64], each: Each<'_>) -> Result<()> {
        if too_long(key) { Ok(()) } else { self.values_of(table, key, ids, each) }
    }

    fn scan(&self, table: Table, from: &[u8], each: EachRow<'_>) -> Result<()> {
        if table.spec.item > 0 {
            return self.each_value(table, from, each);
        }
        self.cursor(table)?.each(from, ffi::MDB_NEXT, each)
    }

    fn keys(&self, table: Table, from: &[u8], each: Each<'_>) -> Result<()> {
        if table.spec.item > 0 {
            return self.each_key(table, from, each);
        }
        let cursor = self.cursor(table)?;
        // Long values have pages of their own, which nobody asked for.
        let mut row = cursor.raw(from, ffi::MDB_SET_RANGE)?;
        while let Some((key, _)) = row {
            if each(key)?.is_break() {
                break;
            }
            row = cursor.raw(&[], ffi::MDB_NEXT)?;
        }
        Ok(())
    }

    fn first(&self, table: Table, from: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
        single(table)?;
        self.cursor(table)?.at_or_after(from)
    }

    fn last(&self, table: Table) -> Result<Option<(&[u8], &[u8])>> {
        single(table)?;
        self.cursor(table)?.row(&[], ffi::MDB_LAST)
    }

    fn entries(&self, table: Table) -> Result<u64> {
        Ok(self.stat(table)?.entries() as u64)
    }

    fn bytes(&self, table: Table) -> Result<u64> {
        let stat = self.stat(table)?;
        let pages = stat.branch_pages() + stat.leaf_pages() + stat.overflow_pages();
        Ok(pages as u64 * u64::from(stat.page_size()))
    }
}

impl<'e> Write<'e> {
    pub(super) fn for_writing(
        raw: RwTransaction<'e>,
        env: &'e Env,
        bounds: Bounds,
        slot: Slot<'e>,
        writer: WriterGuard<'e>,
    ) -> Self {
        Self { raw, env, bounds, puts: 0, _slot: slot, _writer: Some(writer) }
    }

    fn fault(&self, point: FaultPoint) -> Result<()> {
        let Some(faults) = &self.env.faults else { return Ok(()) };
        let Some(fault) = faults.at(point) else { return Ok(()) };
        Err(self.env.fail(
            "write",
            match fault {
                Fault::MapFull => lmdb::Error::MapFull,
                Fault::DiskFull => lmdb::Error::Other(if cfg!(windows) { 112 } else { 28 }),
                Fault::Damage => lmdb::Error::Corrupted,
                Fault::Shut => lmdb::Error::Panic,
            },
        ))
    }

    fn check(&mut self, key: &[u8]) -> Result<()> {
        if too_long(key) {
            return Err(Error::Misuse("a key must have 1 to 511 bytes"));
        }
        self.puts += 1;
        if self.puts == MANY_PUTS {
            self.env.wrote_much.store(true, Ordering::Relaxed);
        }
        self.fault(FaultPoint::Put(self.puts - 1))
    }

    fn put_with(&mut self, table: Table, key: &[u8], value: &[u8], flags: WriteFlags) -> Result<()> {
        self.check(key)?;
        let value = seal::close(table.seal(key).as_ref(), value);
        self.raw.put(table.db, &key, &value, flags).map_err(|source| self.env.fail("write", source))
    }

    /// Opens the table, creating it if need be.
    pub(crate) fn create_table(&mut self, spec: TableSpec) -> Result<Table> {
        // SAFETY: as in `find_table`.
        let db = unsafe { self.raw.create_db(Some(&spec.stored_name()), DatabaseFlags::empty()) };
        self.as_specified(db.map_err(|source| self.env.fail("create a table", source))?, spec)
    }

    /// Sets the value of a key, or adds one in a table of several.
    pub(crate) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        if table.spec.item > 0 {
            return self.change_items(table, key, &[(value, true)]).map(drop);
        }
        self.put_with(table, key, value, WriteFlags::empty())
    }

    /// Adds a row after all others of the table.
    pub(crate) fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        single(table)?;
        self.put_with(table, key, value, WriteFlags::APPEND)
    }

    /// Removes a key with all its values; returns whether it existed.
    pub(crate) fn delete(&mut self, table: Table, key: &[u8]) -> Result<bool> {
        if table.spec.item > 0 { self.remove_values(table, key) } else { self.delete_row(table, key) }
    }

    /// Removes one value of a key in a table of several; returns whether it existed.
    pub(crate) fn delete_item(&mut self, table: Table, key: &[u8], item: &[u8]) -> Result<bool> {
        self.change_items(table, key, &[(item, false)])
    }

    fn delete_row(&mut self, table: Table, key: &[u8]) -> Result<bool> {
        self.check(key)?;
        match self.raw.del(table.db, &key, None) {
            Ok(()) => Ok(true),
            Err(lmdb::Error::NotFound) => Ok(false),
            Err(source) => Err(self.env.fail("delete", source)),
        }
    }

    /// Removes a table that is no longer used, if it exists.
    pub(crate) fn forget_table(&mut self, name: &str) -> Result<()> {
        // SAFETY: as in `find_table`.
        let db = match unsafe { self.raw.open_db(Some(name)) } {
            Ok(db) => db,
            Err(lmdb::Error::NotFound) => return Ok(()),
            Err(source) => return Err(self.env.fail("open a table", source)),
        };
        self.env.lmdb.forget_table(db.dbi());
        // SAFETY: nothing else holds its handle, because a store is opened in one transaction.
        unsafe { self.raw.drop_db(db) }.map_err(|source| self.env.fail("remove a table", source))
    }

    /// Empties a table.
    pub(crate) fn clear(&mut self, table: Table) -> Result<()> {
        self.raw.clear_db(table.db).map_err(|source| self.env.fail("clear a table", source))
    }

    /// Makes it durable and visible.
    pub(crate) fn commit(self) -> Result<()> {
        self.fault(FaultPoint::BeforeCommit)?;
        let Self { raw, env, _slot, _writer, .. } = self;
        raw.commit().map_err(|source| env.fail("commit", source))?;
        if let Some(faults) = &env.faults {
            // The result is ignored, because the commit is done and only a crash has a meaning after it.
            let _ = faults.at(FaultPoint::AfterCommit);
        }
        Ok(())
    }
}
