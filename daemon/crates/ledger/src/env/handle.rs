//! LMDB's environment, which can be closed and opened again under its users. LMDB keeps each page that a transaction ever had in
//! memory for the next one, so after a transaction that wrote 200 MB these stay with the process until it closes the
//! environment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};

use lmdb::{Environment, EnvironmentFlags, Transaction};

use super::gate::Slot;

/// The number of LMDB's first table with a name.
const FIRST_TABLE: u32 = 2;

/// How an environment is opened.
pub(super) struct Opening {
    /// Its folder.
    pub(super) path: PathBuf,
    /// LMDB's flags.
    pub(super) flags: EnvironmentFlags,
    /// Slots for readers.
    pub(super) readers: u32,
    /// Named tables, at most.
    pub(super) tables: u32,
}

impl Opening {
    fn open(&self, map_size: usize) -> lmdb::Result<Environment> {
        Environment::new()
            .set_flags(self.flags)
            .set_max_readers(self.readers)
            .set_max_dbs(self.tables)
            .set_map_size(map_size)
            .open_with_permissions(&self.path, 0o600)
    }
}

/// An environment that is open, but for the moment in which it is opened again.
pub(super) struct Handle {
    env: RwLock<Option<Environment>>,
    opening: Opening,
    /// The names of the open tables by LMDB's numbers for them.
    tables: Mutex<BTreeMap<u32, String>>,
}

impl Handle {
    /// Opens it with a map of that many bytes.
    pub(super) fn open(opening: Opening, map_size: usize) -> Result<Self, (Opening, lmdb::Error)> {
        match opening.open(map_size) {
            Ok(env) => Ok(Self { env: RwLock::new(Some(env)), opening, tables: Mutex::default() }),
            Err(error) => Err((opening, error)),
        }
    }

    /// Lends it for one call, which begins no transaction that outlives it.
    pub(super) fn with<T>(&self, call: impl FnOnce(&Environment) -> lmdb::Result<T>) -> lmdb::Result<T> {
        let env = self.env.read().unwrap_or_else(PoisonError::into_inner);
        call(env.as_ref().ok_or(lmdb::Error::Panic)?)
    }

    /// Lends it for as long as a place inside the gate is held.
    pub(super) fn inside<'s>(&'s self, _place: &Slot<'s>) -> lmdb::Result<&'s Environment> {
        let env = self.env.read().unwrap_or_else(PoisonError::into_inner);
        let env = std::ptr::from_ref(env.as_ref().ok_or(lmdb::Error::Panic)?);
        // SAFETY: it is replaced by `reopen` alone, while nobody is inside; a transaction keeps its place until it has ended.
        // It does not move, because `self` is borrowed.
        Ok(unsafe { &*env })
    }

    /// Notes the number that LMDB gave to a table.
    pub(super) fn note_table(&self, number: u32, name: &str) {
        self.lock_tables().insert(number, name.to_owned());
    }

    /// Notes that a table was removed.
    pub(super) fn forget_table(&self, number: u32) {
        self.lock_tables().remove(&number);
    }

    fn lock_tables(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, String>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether tables that are opened in the order of their numbers get the same numbers again: LMDB counts up.
    pub(super) fn can_reopen(&self) -> bool {
        self.lock_tables().keys().zip(FIRST_TABLE..).all(|(number, next)| *number == next)
    }

    /// Closes the environment and opens it again, with the same numbers for its tables. Nobody may be inside the gate. After an
    /// error there is no environment.
    pub(super) fn reopen(&self) -> lmdb::Result<()> {
        let mut env = self.env.write().unwrap_or_else(PoisonError::into_inner);
        let size = env.as_ref().ok_or(lmdb::Error::Panic)?.info()?.map_size();
        // Closed first, because a process may open an environment only once.
        *env = None;
        let again = self.opening.open(size)?;
        let txn = again.begin_ro_txn()?;
        for (number, name) in self.lock_tables().iter() {
            // SAFETY: no other transaction exists.
            let table = unsafe { txn.open_db(Some(name)) }?;
            if table.dbi() != *number {
                return Err(lmdb::Error::BadDbi);
            }
        }
        txn.commit()?;
        *env = Some(again);
        Ok(())
    }
}
