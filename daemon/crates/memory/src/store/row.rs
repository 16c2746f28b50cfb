//! What a row is: where it is stored, whose it is, and what its text is.

use std::ops::ControlFlow;

use sdl_ledger::{AgentReader, AgentWriter};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::words::{Lane, Texts};
use crate::{Anchors, Author, Result};

/// When a row was written, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The revision of the store in which it was last changed; 0 for a row from before revisions.
    #[serde(default)]
    pub revision: u64,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// Unix milliseconds.
    pub updated_ms: u64,
    /// Who changed it last.
    #[serde(default)]
    pub by: Author,
}

/// Implements what [`Row`] asks of a type whose fields `id`, `scope` and `head` are what their names say.
macro_rules! own_fields {
    () => {
        fn id(&self) -> &str {
            &self.id
        }

        fn scope(&self) -> &str {
            &self.scope
        }

        $crate::store::own_head!();
    };
}

/// Implements what [`Row`] asks of a type whose field `head` says when it was written.
macro_rules! own_head {
    () => {
        fn head(&self) -> $crate::store::Head {
            self.head.clone()
        }

        fn set_head(&mut self, head: $crate::store::Head) {
            self.head = head;
        }
    };
}

pub(crate) use {own_fields, own_head};

/// A row of a table. Stored as JSON after a layout number. JSON forms must not use `serde(flatten)`: numbers of any precision don't go through
/// it.
pub trait Row: Clone + Serialize + DeserializeOwned {
    /// The table.
    const TABLE: &'static str;
    /// The number of its layout. A row of another layout is not read.
    const LAYOUT: u8 = 1;
    /// The kind of row in the index of words; none if words don't find it.
    const LANE: Option<Lane>;
    /// Whether former states are kept when it changes.
    const REVISED: bool = true;

    /// Its key in the table.
    fn key(&self) -> Vec<u8>;
    /// Its id, unique over all tables.
    fn id(&self) -> &str;
    /// The repository that it belongs to; empty for the user.
    fn scope(&self) -> &str;
    /// When it was written, and by whom.
    fn head(&self) -> Head;
    /// Sets what [`Row::head`] returns.
    fn set_head(&mut self, head: Head);
    /// Its text for the index of words.
    fn texts(&self) -> Texts;
    /// The kind of row in the index of words. Where one table holds several, a row says which it is.
    fn lane(&self) -> Option<Lane> {
        Self::LANE
    }
    /// The code that it is about, if rows of its type are found by that.
    fn anchors(&self) -> Option<&Anchors> {
        None
    }
    /// When it ends by itself, in Unix milliseconds.
    fn ends_ms(&self) -> Option<u64> {
        None
    }
}

/// Returns the key of a row that belongs to a scope.
pub fn scoped_key(scope: &str, id: &str) -> Vec<u8> {
    [scope.as_bytes(), &[0], id.as_bytes()].concat()
}

/// Returns a row in its stored form.
pub fn to_bytes<R: Row>(row: &R) -> Result<Vec<u8>> {
    let mut bytes = vec![R::LAYOUT];
    serde_json::to_writer(&mut bytes, row)?;
    Ok(bytes)
}

/// Returns the row of a stored form; none if it is damaged or has a layout that this build doesn't know.
pub fn from_bytes<R: Row>(bytes: &[u8]) -> Option<R> {
    let (&layout, rest) = bytes.split_first()?;
    (layout == R::LAYOUT).then(|| serde_json::from_slice(rest).ok()).flatten()
}

/// Looks at a key and its value, and says whether to go on.
type Each<'e> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'e;

/// What reads tables: one state of the store, or a transaction that sees its own writes.
pub trait Tables {
    /// The value of a key.
    fn get_bytes(&self, table: &str, key: &[u8]) -> sdl_ledger::Result<Option<&[u8]>>;

    /// Rows from the key `from` on, in order, until `each` breaks.
    fn scan_bytes(&self, table: &str, from: &[u8], each: &mut Each<'_>) -> sdl_ledger::Result<()>;

    /// How many rows a table has.
    fn count_rows(&self, table: &str) -> sdl_ledger::Result<u64>;

    /// The row under a key.
    fn row<R: Row>(&self, key: &[u8]) -> sdl_ledger::Result<Option<R>> {
        Ok(self.get_bytes(R::TABLE, key)?.and_then(from_bytes::<R>))
    }

    /// The rows whose keys begin with `prefix`, in order, until `each` breaks.
    fn scan_rows<R: Row>(
        &self,
        prefix: &[u8],
        each: &mut dyn FnMut(R) -> ControlFlow<()>,
    ) -> sdl_ledger::Result<()> {
        self.scan_bytes(R::TABLE, prefix, &mut |key, value| {
            if !key.starts_with(prefix) {
                return ControlFlow::Break(());
            }
            from_bytes::<R>(value).map_or(ControlFlow::Continue(()), &mut *each)
        })
    }
}

macro_rules! tables {
    ($of:ty) => {
        impl Tables for $of {
            fn get_bytes(&self, table: &str, key: &[u8]) -> sdl_ledger::Result<Option<&[u8]>> {
                self.get(table, key)
            }

            fn scan_bytes(&self, table: &str, from: &[u8], each: &mut Each<'_>) -> sdl_ledger::Result<()> {
                self.scan(table, from, each)
            }

            fn count_rows(&self, table: &str) -> sdl_ledger::Result<u64> {
                self.count(table)
            }
        }
    };
}

tables!(AgentReader<'_>);
tables!(AgentWriter<'_>);
