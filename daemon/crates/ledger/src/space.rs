//! How much room a store takes on the disk, and for what.

use crate::Result;
use crate::env::{Env, Table};

/// How much room a table takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSpace {
    /// Its name.
    pub name: &'static str,
    /// Rows. Where a key has several values, a row is a block of them.
    pub rows: u64,
    /// Bytes of the rows' keys.
    pub key_bytes: u64,
    /// Bytes of the rows' values, without their checksums.
    pub value_bytes: u64,
    /// Pages that lead to others.
    pub branch_pages: u64,
    /// Pages with rows.
    pub leaf_pages: u64,
    /// Pages of values too long for a page with others.
    pub overflow_pages: u64,
}

impl TableSpace {
    /// All of its pages.
    pub fn pages(&self) -> u64 {
        self.branch_pages + self.leaf_pages + self.overflow_pages
    }

    /// Adds the room of another table.
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.key_bytes += other.key_bytes;
        self.value_bytes += other.value_bytes;
        self.branch_pages += other.branch_pages;
        self.leaf_pages += other.leaf_pages;
        self.overflow_pages += other.overflow_pages;
    }
}

/// How much room a store takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes of the data file that are or were in use.
    pub bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Its tables. Those with the same name are generations.
    pub tables: Vec<TableSpace>,
}

impl Space {
    /// Measures the tables of an environment. Reads all of it.
    pub(crate) fn of(env: &Env, tables: impl Iterator<Item = Table>) -> Result<Self> {
        let txn = env.read(None)?;
        let tables = tables.map(|table| txn.space(table)).collect::<Result<_>>()?;
        Ok(Self { bytes: env.used_bytes()?, page_bytes: env.page_size()? as u64, tables })
    }
}
