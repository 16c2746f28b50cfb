//! How much room tables take.

use std::ops::ControlFlow;

use lmdb_sys as ffi;

use super::super::Table;
use super::{Read, Reads};
use crate::{Result, TableSpace};

impl Read<'_> {
    /// Measures a table. Reads all of it.
    pub(crate) fn space(&self, table: Table) -> Result<TableSpace> {
        let stat = self.stat(table)?;
        let mut space = TableSpace {
            name: table.spec.name,
            rows: self.entries(table)?,
            key_bytes: 0,
            value_bytes: 0,
            branch_pages: stat.branch_pages() as u64,
            leaf_pages: stat.leaf_pages() as u64,
            overflow_pages: stat.overflow_pages() as u64,
        };
        self.cursor(table)?.each(&[], ffi::MDB_NEXT, &mut |key, value| {
            space.key_bytes += key.len() as u64;
            space.value_bytes += value.len() as u64;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(space)
    }
}
