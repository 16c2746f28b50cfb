//! Data that agents own: policy, audit, memory, feedback. An environment of its own, which no reindex and no rebuild of
//! a ledger touches. It stores bytes by key in named tables; their meaning is their owner's business.

use std::ops::ControlFlow;
use std::path::Path;

use crate::env::{Env, MAX_KEY, Read, Reads, Sync, Table, TableSpec, Write};
use crate::store::{self, How, Plan};
use crate::{Error, Options, Result};

const SCHEMA: u32 = 1;
const META: TableSpec = TableSpec { name: "meta", generation: 0, item: 0, sealed: false };

/// Data that agents own. `Send + Sync`; keep it in an `Arc`. Its rows have no checksums, because tables of other
/// builds must stay readable for those builds and can't be rewritten here.
pub struct AgentStore {
    tables: Vec<Table>,
    env: Env,
}

/// One state of the store.
pub struct AgentReader<'s> {
    tables: &'s [Table],
    txn: Read<'s>,
}

/// One transaction; sees its own writes.
pub struct AgentWriter<'s> {
    tables: &'s [Table],
    txn: Write<'s>,
}

impl AgentStore {
    /// The longest key.
    pub const MAX_KEY: usize = MAX_KEY;

    /// Opens the store in `dir`, creating it if need be. `tables` are all tables that this build knows; those of
    /// other builds stay as they are.
    pub fn open(dir: &Path, tables: &[&'static str], options: &Options) -> Result<(Self, How)> {
        if tables.contains(&META.name) {
            return Err(Error::Misuse("`meta` is the store's own table"));
        }
        let specs: Vec<_> = std::iter::once(META)
            .chain(tables.iter().map(|name| TableSpec { name, generation: 0, item: 0, sealed: false }))
            .collect();
        let plan = Plan { schema: SCHEMA, tables: &specs, sync: Sync::EachCommit, upgrades: &[] };
        let (env, tables, how) = store::open_store(dir, &plan, options)?;
        Ok((Self { tables, env }, how))
    }

    /// Reads one state. Keep it short.
    pub fn read<T>(&self, read: impl FnOnce(&AgentReader<'_>) -> Result<T>) -> Result<T> {
        read(&AgentReader { tables: &self.tables, txn: self.env.read(None)? })
    }

    /// Runs `write` in one transaction and commits it if that returns `Ok`. It is run again, on a fresh transaction,
    /// when the map had to grow.
    pub fn write<T>(&self, mut write: impl FnMut(&mut AgentWriter<'_>) -> Result<T>) -> Result<T> {
        self.env.retry(|| {
            let mut writer = AgentWriter { tables: &self.tables, txn: self.env.write()? };
            let value = write(&mut writer)?;
            writer.txn.commit()?;
            Ok(value)
        })
    }

    /// Notes that the stored data is damaged: the next open sets it aside.
    pub fn condemn(&self, why: &str) -> Result<()> {
        self.env.condemn(why)
    }
}

fn find_table(tables: &[Table], name: &str) -> Result<Table> {
    tables
        .iter()
        .find(|table| table.spec.name == name)
        .copied()
        .ok_or(Error::Misuse("a table that was not named when the store was opened"))
}

macro_rules! reading {
    ($of:ty) => {
        impl $of {
            /// The value of a key.
            pub fn get(&self, table: &str, key: &[u8]) -> Result<Option<&[u8]>> {
                self.txn.get(find_table(self.tables, table)?, key)
            }

            /// Rows from the key `from` on, in order, until `each` breaks.
            pub fn scan(
                &self,
                table: &str,
                from: &[u8],
                each: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>,
            ) -> Result<()> {
                self.txn.scan(find_table(self.tables, table)?, from, &mut |key, value| Ok(each(key, value)))
            }

            /// The row with the greatest key.
            pub fn last(&self, table: &str) -> Result<Option<(&[u8], &[u8])>> {
                self.txn.last(find_table(self.tables, table)?)
            }

            /// How many rows.
            pub fn count(&self, table: &str) -> Result<u64> {
                self.txn.entries(find_table(self.tables, table)?)
            }
        }
    };
}

reading!(AgentReader<'_>);
reading!(AgentWriter<'_>);

impl AgentWriter<'_> {
    /// Sets the value of a key of 1 to [`AgentStore::MAX_KEY`] bytes.
    pub fn put(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<()> {
        self.txn.put(find_table(self.tables, table)?, key, value)
    }

    /// Removes a key; whether it was there.
    pub fn delete(&mut self, table: &str, key: &[u8]) -> Result<bool> {
        self.txn.delete(find_table(self.tables, table)?, key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_and_a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { map_size: 1 << 20, ..Options::default() };
        let (store, how) = AgentStore::open(dir.path(), &["memory", "audit"], &options).unwrap();
        assert_eq!(how, How::Created);
        store
            .write(|w| {
                w.put("memory", b"a", b"1")?;
                w.put("memory", b"b", b"2")?;
                w.put("audit", b"a", b"3")
            })
            .unwrap();
        let failed = store.write(|w| {
            w.put("memory", b"c", b"4")?;
            w.put("nowhere", b"c", b"4")
        });
        assert!(matches!(failed, Err(Error::Misuse(_))));
        // More than the map holds, so that it grows while this runs.
        store.write(|w| w.put("memory", b"z", &vec![7; 3 << 20])).unwrap();
        drop(store);
        let (store, how) = AgentStore::open(dir.path(), &["memory", "audit"], &options).unwrap();
        assert_eq!(how, How::Existing);
        store
            .read(|r| {
                assert_eq!((r.get("memory", b"b")?, r.get("memory", b"c")?), (Some(&b"2"[..]), None));
                let mut keys = Vec::new();
                r.scan("memory", b"b", &mut |key, _| {
                    keys.push(key.to_vec());
                    ControlFlow::Continue(())
                })?;
                assert_eq!(keys, [b"b", b"z"]);
                assert_eq!((r.count("memory")?, r.last("audit")?), (3, Some((&b"a"[..], &b"3"[..]))));
                Ok(())
            })
            .unwrap();
    }
}
