//! Transactions. Nothing that points into the map outlives the borrow of its transaction, no cursor leaves a call,
//! and a write borrows the transaction alone.

use std::ops::ControlFlow;
use std::ptr;

use lmdb::{RoTransaction, RwTransaction, Transaction, WriteFlags};
use lmdb_sys as ffi;

use super::gate::{Slot, WriterGuard};
use super::{Env, MAX_KEY, Table, TableSpec};
use crate::faults::{Fault, FaultPoint};
use crate::{Error, Result};

/// Takes keys or values until it breaks.
pub(crate) type Each<'f> = &'f mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>;
/// Takes rows until it breaks.
pub(crate) type EachRow<'f> = &'f mut dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>;

/// Reading, in a read or a write transaction.
pub(crate) trait Reads {
    /// The value of a key; of several the first.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<&[u8]>>;
    /// The values of a key in a table of several, in order, a slice of whole items at a time.
    fn items(&self, table: Table, key: &[u8], each: Each<'_>) -> Result<()>;
    /// How many values a key has in a table of several.
    fn count(&self, table: Table, key: &[u8]) -> Result<u64>;
    /// Whether a key has this value in a table of several.
    fn has_item(&self, table: Table, key: &[u8], item: &[u8]) -> Result<bool>;
    /// Every key and value from the key `from` on.
    fn scan(&self, table: Table, from: &[u8], each: EachRow<'_>) -> Result<()>;
    /// Every key once, from the key `from` on.
    fn keys(&self, table: Table, from: &[u8], each: Each<'_>) -> Result<()>;
    /// The first key at or after `from`, with its (first) value.
    fn first(&self, table: Table, from: &[u8]) -> Result<Option<(&[u8], &[u8])>>;
    /// The last key, with its (last) value.
    fn last(&self, table: Table) -> Result<Option<(&[u8], &[u8])>>;
    /// How many values the table holds.
    fn entries(&self, table: Table) -> Result<u64>;
    /// How many bytes of pages the table takes.
    fn bytes(&self, table: Table) -> Result<u64>;
}

/// A transaction inside the gate.
pub(crate) struct Txn<'e, T> {
    // First: it ends before the slot and the writer's lock are given back.
    raw: T,
    env: &'e Env,
    puts: u64,
    _slot: Slot<'e>,
    _writer: Option<WriterGuard<'e>>,
}

/// A read transaction.
pub(crate) type Read<'e> = Txn<'e, RoTransaction<'e>>;

/// A write transaction. Dropping it changes nothing.
pub(crate) type Write<'e> = Txn<'e, RwTransaction<'e>>;

impl<'e> Read<'e> {
    pub(super) fn for_reading(raw: RoTransaction<'e>, env: &'e Env, slot: Slot<'e>) -> Self {
        Self { raw, env, puts: 0, _slot: slot, _writer: None }
    }
}

struct Cursor<'t> {
    raw: *mut ffi::MDB_cursor,
    env: &'t Env,
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // SAFETY: opened in `Txn::cursor` and closed here only; its transaction is borrowed for longer than it lives.
        unsafe { ffi::mdb_cursor_close(self.raw) }
    }
}

fn val(bytes: &[u8]) -> ffi::MDB_val {
    ffi::MDB_val { mv_size: bytes.len(), mv_data: bytes.as_ptr().cast_mut().cast() }
}

fn no_val() -> ffi::MDB_val {
    ffi::MDB_val { mv_size: 0, mv_data: ptr::null_mut() }
}

/// The bytes that LMDB pointed `val` to.
///
/// # Safety
/// `val` must have been filled by a successful call, and `'a` must not outlast the transaction or its next write.
unsafe fn bytes<'a>(val: &ffi::MDB_val) -> &'a [u8] {
    if val.mv_data.is_null() || val.mv_size == 0 {
        return &[];
    }
    // SAFETY: by the contract above.
    unsafe { std::slice::from_raw_parts(val.mv_data.cast::<u8>(), val.mv_size) }
}

impl<'t> Cursor<'t> {
    /// Moves the cursor; whether there was anything to move to.
    fn step(&self, key: &mut ffi::MDB_val, data: &mut ffi::MDB_val, op: ffi::MDB_cursor_op) -> Result<bool> {
        // SAFETY: the cursor is open; LMDB reads `key` and `data` (which point to live slices or nothing) and fills them.
        match unsafe { ffi::mdb_cursor_get(self.raw, key, data, op) } {
            ffi::MDB_SUCCESS => Ok(true),
            ffi::MDB_NOTFOUND => Ok(false),
            code => Err(self.env.fail("read", lmdb::Error::from_err_code(code))),
        }
    }

    fn seek(&self, key: &[u8], op: ffi::MDB_cursor_op) -> Result<Option<(&'t [u8], &'t [u8])>> {
        let (mut key, mut data) = (val(key), no_val());
        let op = if key.mv_size == 0 && op == ffi::MDB_SET_RANGE { ffi::MDB_FIRST } else { op };
        let found = self.step(&mut key, &mut data, op)?;
        // SAFETY: filled by a successful call; `'t` is the borrow of the transaction, which no write can share.
        Ok(found.then(|| unsafe { (bytes(&key), bytes(&data)) }))
    }

    fn next(&self, op: ffi::MDB_cursor_op) -> Result<Option<(&'t [u8], &'t [u8])>> {
        self.seek(&[], op)
    }

    fn count(&self) -> Result<u64> {
        let mut count = 0;
        // SAFETY: the cursor is open and positioned, `count` outlives the call.
        match unsafe { ffi::mdb_cursor_count(self.raw, &raw mut count) } {
            ffi::MDB_SUCCESS => Ok(count as u64),
            code => Err(self.env.fail("count", lmdb::Error::from_err_code(code))),
        }
    }
}

fn too_long(key: &[u8]) -> bool {
    key.is_empty() || key.len() > MAX_KEY
}

impl<T: Transaction> Txn<'_, T> {
    fn cursor(&self, table: Table) -> Result<Cursor<'_>> {
        let mut raw = ptr::null_mut();
        // SAFETY: the transaction is live and the database belongs to its environment.
        match unsafe { ffi::mdb_cursor_open(self.raw.txn(), table.db.dbi(), &raw mut raw) } {
            ffi::MDB_SUCCESS => Ok(Cursor { raw, env: self.env }),
            code => Err(self.env.fail("open a cursor", lmdb::Error::from_err_code(code))),
        }
    }

    fn stat(&self, table: Table) -> Result<lmdb::Stat> {
        self.raw.stat(table.db).map_err(|source| self.env.fail("measure a table", source))
    }

    /// The table of that specification, if it exists.
    pub(crate) fn find_table(&self, spec: TableSpec) -> Result<Option<Table>> {
        // SAFETY: handles are opened in the transaction that opens a store, before any other can begin.
        match unsafe { self.raw.open_db(Some(spec.name)) } {
            Ok(db) => Ok(Some(Table { db, spec })),
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
        match self.raw.get(table.db, &key) {
            Ok(value) => Ok(Some(value)),
            Err(lmdb::Error::NotFound) => Ok(None),
            Err(source) => Err(self.env.fail("read", source)),
        }
    }

    fn items(&self, table: Table, key: &[u8], each: Each<'_>) -> Result<()> {
        if too_long(key) {
            return Ok(());
        }
        let cursor = self.cursor(table)?;
        let Some((_, first)) = cursor.seek(key, ffi::MDB_SET)? else { return Ok(()) };
        // A single value is no page of values, and asking for one would return nothing.
        if cursor.count()? == 1 {
            return each(first).map(|_| ());
        }
        let mut op = ffi::MDB_GET_MULTIPLE;
        while let Some((_, page)) = cursor.next(op)? {
            if each(page)?.is_break() {
                break;
            }
            op = ffi::MDB_NEXT_MULTIPLE;
        }
        Ok(())
    }

    fn count(&self, table: Table, key: &[u8]) -> Result<u64> {
        if too_long(key) {
            return Ok(0);
        }
        let cursor = self.cursor(table)?;
        if cursor.seek(key, ffi::MDB_SET)?.is_none() { Ok(0) } else { cursor.count() }
    }

    fn has_item(&self, table: Table, key: &[u8], item: &[u8]) -> Result<bool> {
        if too_long(key) {
            return Ok(false);
        }
        self.cursor(table)?.step(&mut val(key), &mut val(item), ffi::MDB_GET_BOTH)
    }

    fn scan(&self, table: Table, from: &[u8], each: EachRow<'_>) -> Result<()> {
        let cursor = self.cursor(table)?;
        let mut row = cursor.seek(from, ffi::MDB_SET_RANGE)?;
        while let Some((key, value)) = row {
            if each(key, value)?.is_break() {
                break;
            }
            row = cursor.next(ffi::MDB_NEXT)?;
        }
        Ok(())
    }

    fn keys(&self, table: Table, from: &[u8], each: Each<'_>) -> Result<()> {
        let cursor = self.cursor(table)?;
        let mut row = cursor.seek(from, ffi::MDB_SET_RANGE)?;
        while let Some((key, _)) = row {
            if each(key)?.is_break() {
                break;
            }
            row = cursor.next(ffi::MDB_NEXT_NODUP)?;
        }
        Ok(())
    }

    fn first(&self, table: Table, from: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
        self.cursor(table)?.seek(from, ffi::MDB_SET_RANGE)
    }

    fn last(&self, table: Table) -> Result<Option<(&[u8], &[u8])>> {
        self.cursor(table)?.next(ffi::MDB_LAST)
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
        slot: Slot<'e>,
        writer: WriterGuard<'e>,
    ) -> Self {
        Self { raw, env, puts: 0, _slot: slot, _writer: Some(writer) }
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
        self.fault(FaultPoint::Put(self.puts - 1))
    }

    fn put_with(&mut self, table: Table, key: &[u8], value: &[u8], flags: WriteFlags) -> Result<()> {
        self.check(key)?;
        self.raw.put(table.db, &key, &value, flags).map_err(|source| self.env.fail("write", source))
    }

    /// Opens the table, creating it if need be.
    pub(crate) fn create_table(&mut self, spec: TableSpec) -> Result<Table> {
        // SAFETY: as in `find_table`.
        let db = unsafe { self.raw.create_db(Some(spec.name), spec.flags()) };
        Ok(Table { db: db.map_err(|source| self.env.fail("create a table", source))?, spec })
    }

    /// Sets the value of a key, or adds one in a table of several.
    pub(crate) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_with(table, key, value, WriteFlags::empty())
    }

    /// Adds a row behind all others of the table.
    pub(crate) fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        self.put_with(table, key, value, WriteFlags::APPEND)
    }

    /// Adds values of one key, in order and end to end. With `append` the key lies behind all others of the table.
    pub(crate) fn put_items(&mut self, table: Table, key: &[u8], items: &[u8], append: bool) -> Result<()> {
        self.check(key)?;
        let size = table.spec.item;
        let Some(count) = items.len().checked_div(size).filter(|n| *n > 0 && n * size == items.len()) else {
            return Err(Error::Misuse("values of a table of several must have its size"));
        };
        let cursor = self.cursor(table)?;
        let mut key = val(key);
        let mut rest = items;
        if append {
            // The first one makes the key; the others are appended to it.
            let mut data = val(&items[..size]);
            // SAFETY: the cursor is open in a write transaction that is borrowed alone; both values are live slices.
            let code =
                unsafe { ffi::mdb_cursor_put(cursor.raw, &raw mut key, &raw mut data, ffi::MDB_APPEND) };
            if code != ffi::MDB_SUCCESS {
                return Err(self.env.fail("append", lmdb::Error::from_err_code(code)));
            }
            rest = &items[size..];
            if count == 1 {
                return Ok(());
            }
        }
        let flags = ffi::MDB_MULTIPLE | if append { ffi::MDB_APPENDDUP } else { 0 };
        let mut data = [
            ffi::MDB_val { mv_size: size, mv_data: rest.as_ptr().cast_mut().cast() },
            ffi::MDB_val { mv_size: rest.len() / size, mv_data: ptr::null_mut() },
        ];
        // SAFETY: as above; MDB_MULTIPLE takes an array of two, the second holding the number of items behind the first.
        let code = unsafe { ffi::mdb_cursor_put(cursor.raw, &raw mut key, data.as_mut_ptr(), flags) };
        if code == ffi::MDB_SUCCESS {
            Ok(())
        } else {
            Err(self.env.fail("write", lmdb::Error::from_err_code(code)))
        }
    }

    /// Removes a key with all its values; whether it was there.
    pub(crate) fn delete(&mut self, table: Table, key: &[u8]) -> Result<bool> {
        self.delete_with(table, key, None)
    }

    /// Removes one value of a key in a table of several; whether it was there.
    pub(crate) fn delete_item(&mut self, table: Table, key: &[u8], item: &[u8]) -> Result<bool> {
        self.delete_with(table, key, Some(item))
    }

    fn delete_with(&mut self, table: Table, key: &[u8], item: Option<&[u8]>) -> Result<bool> {
        self.check(key)?;
        match self.raw.del(table.db, &key, item) {
            Ok(()) => Ok(true),
            Err(lmdb::Error::NotFound) => Ok(false),
            Err(source) => Err(self.env.fail("delete", source)),
        }
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
            // The commit stands; only a crash means something here.
            let _ = faults.at(FaultPoint::AfterCommit);
        }
        Ok(())
    }
}
