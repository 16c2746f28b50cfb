//! What agents own.
#![allow(missing_docs, unused_variables, clippy::todo, clippy::type_complexity, reason = "signatures first")]

use std::ops::ControlFlow;
use std::path::Path;

use crate::{How, Options, Result};

/// What agents own.
pub struct AgentStore {}
pub struct AgentReader<'s> {
    store: &'s AgentStore,
}
pub struct AgentWriter<'s> {
    store: &'s AgentStore,
}

impl AgentStore {
    /// `tables`: every table that the daemon knows, each a named database.
    pub fn open(dir: &Path, tables: &[&'static str], options: &Options) -> Result<(Self, How)> {
        todo!()
    }
    pub fn read<T>(&self, read: impl FnOnce(&AgentReader<'_>) -> Result<T>) -> Result<T> {
        todo!()
    }
    /// Runs `write` in one transaction and commits it if it returns `Ok`; runs it again when the map had to grow.
    pub fn write<T>(&self, write: impl FnMut(&mut AgentWriter<'_>) -> Result<T>) -> Result<T> {
        todo!()
    }
}

impl AgentReader<'_> {
    pub fn get(&self, table: &str, key: &[u8]) -> Result<Option<&[u8]>> {
        todo!()
    }
    /// Rows from `from` on, in order of key.
    pub fn scan(
        &self,
        table: &str,
        from: &[u8],
        each: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        todo!()
    }
    pub fn last(&self, table: &str) -> Result<Option<(&[u8], &[u8])>> {
        todo!()
    }
    pub fn len(&self, table: &str) -> Result<u64> {
        todo!()
    }
}

impl AgentWriter<'_> {
    pub fn get(&self, table: &str, key: &[u8]) -> Result<Option<&[u8]>> {
        todo!()
    }
    pub fn scan(
        &self,
        table: &str,
        from: &[u8],
        each: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        todo!()
    }
    pub fn last(&self, table: &str) -> Result<Option<(&[u8], &[u8])>> {
        todo!()
    }
    pub fn put(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<()> {
        todo!()
    }
    pub fn delete(&mut self, table: &str, key: &[u8]) -> Result<bool> {
        todo!()
    }
}
