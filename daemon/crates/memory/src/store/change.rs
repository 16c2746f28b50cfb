//! One change of the store: everything that a request writes, in one transaction.

use sdl_contract::Refusal;
use sdl_ledger::{AgentStore, AgentWriter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::anchored::note_anchors;
use super::ends;
use super::replies::{self, Once};
use super::revisions;
use super::row::{Head, Row, Tables, to_bytes};
use crate::tables::{ENDS, MEMORY_META};
use crate::{Author, Result, Trouble, ids, words};

const REVISION: &[u8] = b"revision";
const CHANGED: &[u8] = b"changed";

/// Who changes the store, and when.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Who.
    pub by: &'a Author,
    /// Unix milliseconds.
    pub now_ms: u64,
    /// The key under which a request that is sent again gets the same answer.
    pub once: Option<Once<'a>>,
}

/// What a change returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed<T> {
    /// The answer.
    pub value: T,
    /// The revision of the store after it.
    pub revision: u64,
    /// Whether the answer is that of the same request before. Nothing was written then.
    pub replayed: bool,
}

/// A transaction that changes the store.
pub struct Change<'w, 's> {
    writer: &'w mut AgentWriter<'s>,
    by: &'w Author,
    now_ms: u64,
    revision: u64,
    made: u64,
    dirty: bool,
    /// The revision that an import into an empty store ends with.
    restored: Option<u64>,
}

/// Returns the number of changes so far.
pub fn store_revision(tables: &impl Tables) -> sdl_ledger::Result<u64> {
    let bytes = tables.get_bytes(MEMORY_META, REVISION)?;
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes))
}

/// Returns when the store was last changed, in Unix milliseconds; 0 before the first change.
pub fn last_change_ms(tables: &impl Tables) -> sdl_ledger::Result<u64> {
    let bytes = tables.get_bytes(MEMORY_META, CHANGED)?;
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes))
}

/// Runs `work` in one transaction, which is durable when this returns. A request with the key of an earlier one gets
/// the earlier answer. Nothing is written if `work` fails. `work` may run twice, on a fresh transaction each time.
pub fn change_store<T: Serialize + DeserializeOwned>(
    store: &AgentStore,
    asked: &Asked<'_>,
    mut work: impl FnMut(&mut Change<'_, '_>) -> Result<T>,
) -> Result<Changed<T>> {
    let mut trouble = None;
    let outcome = store.write(|writer| {
        match change_once(writer, asked, &mut work) {
            Ok(changed) => Ok(changed),
            Err(Trouble::Store(error)) => Err(error),
            Err(other) => {
                // An error ends the transaction without its writes; the caller gets `trouble`.
                trouble = Some(other);
                Err(sdl_ledger::Error::Misuse("the change was refused"))
            }
        }
    });
    match (outcome, trouble) {
        (Ok(changed), _) => Ok(changed),
        (Err(_), Some(trouble)) => Err(trouble),
        (Err(error), None) => Err(error.into()),
    }
}

/// Writes rows whose anchors were followed to where their symbols are now, unless they were changed or removed meanwhile. What a row says stays, so
/// that this makes no revision.
pub fn put_followed<R: Row>(store: &AgentStore, rows: &[R]) -> Result<()> {
    let bytes = rows.iter().map(to_bytes).collect::<Result<Vec<_>>>()?;
    store.write(|writer| {
        for (row, bytes) in rows.iter().zip(&bytes) {
            let key = row.key();
            let Some(before) = writer.row::<R>(&key)? else { continue };
            if before.head() != row.head() {
                continue;
            }
            if let Some(lane) = row.lane() {
                let (old, new) = (before.texts(), row.texts());
                words::note_row(writer, lane, row.scope(), row.id(), Some(&old), Some(&new))?;
            }
            note_anchors(writer, Some(&before), Some(row))?;
            writer.put(R::TABLE, &key, bytes)?;
        }
        Ok(())
    })?;
    Ok(())
}

fn change_once<T: Serialize + DeserializeOwned>(
    writer: &mut AgentWriter<'_>,
    asked: &Asked<'_>,
    work: &mut impl FnMut(&mut Change<'_, '_>) -> Result<T>,
) -> Result<Changed<T>> {
    let Asked { by, now_ms, once } = *asked;
    let before = store_revision(writer)?;
    if let Some(once) = &once
        && let Some(value) = replies::find_reply(writer, by, once, now_ms)?
    {
        return Ok(Changed { value, revision: before, replayed: true });
    }
    let mut change =
        Change { writer, by, now_ms, revision: before + 1, made: 0, dirty: false, restored: None };
    let value = work(&mut change)?;
    let (dirty, restored) = (change.dirty, change.restored.filter(|_| before == 0));
    let revision = if dirty { restored.unwrap_or(before + 1) } else { before };
    if dirty {
        writer.put(MEMORY_META, REVISION, &revision.to_le_bytes())?;
        writer.put(MEMORY_META, CHANGED, &now_ms.to_le_bytes())?;
    }
    if let Some(once) = &once {
        replies::keep_reply(writer, by, once, now_ms, &value)?;
    }
    Ok(Changed { value, revision, replayed: false })
}

impl<'s> Change<'_, 's> {
    /// Who makes it.
    pub fn by(&self) -> &Author {
        self.by
    }

    /// When, in Unix milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// The revision that the store has after it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Lets an empty store go on from the revision of the store that its rows are from. No effect on one that was changed before.
    pub fn restore_revision(&mut self, revision: u64) {
        self.restored = Some(revision);
    }

    /// Reads the tables, with the writes so far.
    pub fn tables(&self) -> &AgentWriter<'s> {
        self.writer
    }

    /// Returns an id that no row has. Ids are in the order in which they are made, because rows are read by time.
    pub fn new_id(&mut self, prefix: &str) -> String {
        let id = ids::id_in_time(prefix, self.now_ms, self.revision, self.made);
        self.made += 1;
        id
    }

    /// Writes a row over the one under its key. Sets when and by whom; keeps what was there before.
    pub fn put<R: Row>(&mut self, row: &mut R) -> Result<()> {
        let key = row.key();
        let before: Option<R> = self.writer.row(&key)?;
        let created_ms = before.as_ref().map_or(self.now_ms, |before| before.head().created_ms);
        let head = Head { revision: self.revision, created_ms, updated_ms: self.now_ms, by: self.by.clone() };
        row.set_head(head);
        self.write_row(&key, before.as_ref(), row)
    }

    /// Writes a row as it is: its head stays. For rows from elsewhere, and for anchors that were followed.
    pub fn put_as_is<R: Row>(&mut self, row: &R) -> Result<()> {
        let key = row.key();
        let before: Option<R> = self.writer.row(&key)?;
        self.write_row(&key, before.as_ref(), row)
    }

    /// Removes a row. Whether it was there.
    pub fn remove<R: Row>(&mut self, key: &[u8]) -> Result<bool> {
        let Some(before) = self.writer.row::<R>(key)? else { return Ok(false) };
        if R::REVISED {
            revisions::keep_former(self.writer, &before, (self.revision, self.now_ms), self.by, true)?;
            ends::note_removal(self.writer, before.id(), self.now_ms)?;
        }
        ends::note_end(self.writer, Some(&before), None)?;
        note_anchors(self.writer, Some(&before), None)?;
        if let Some(lane) = before.lane() {
            words::note_row(self.writer, lane, before.scope(), before.id(), Some(&before.texts()), None)?;
        }
        self.dirty = true;
        Ok(self.writer.delete(R::TABLE, key)?)
    }

    /// Sets a value that is no row: an index of one, or a count.
    pub fn put_bytes(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<()> {
        self.dirty = true;
        Ok(self.writer.put(table, key, value)?)
    }

    /// Removes a value that is no row. Whether it was there.
    pub fn delete_bytes(&mut self, table: &str, key: &[u8]) -> Result<bool> {
        self.dirty = true;
        Ok(self.writer.delete(table, key)?)
    }

    /// Puts rows that were removed elsewhere into the index of ends.
    pub(crate) fn note_removed(&mut self) -> Result<()> {
        for entry in ends::entries_of_removed(self.writer)? {
            self.put_bytes(ENDS, &entry, ends::VALUE)?;
        }
        Ok(())
    }

    /// Fails with a refusal.
    pub fn refuse<T>(refusal: Refusal) -> Result<T> {
        Err(refusal.into())
    }

    fn write_row<R: Row>(&mut self, key: &[u8], before: Option<&R>, row: &R) -> Result<()> {
        if let Some(before) = before.filter(|_| R::REVISED) {
            revisions::keep_former(self.writer, before, (self.revision, self.now_ms), self.by, false)?;
        }
        let former = before.and_then(|before| before.lane().map(|lane| (lane, before.texts())));
        let latter = row.lane().map(|lane| (lane, row.texts()));
        let (scope, id) = (row.scope(), row.id());
        let (was, is) = (former.as_ref(), latter.as_ref());
        if let Some((lane, texts)) = was.filter(|was| is.is_none_or(|is| is.0 != was.0)) {
            words::note_row(self.writer, *lane, scope, id, Some(texts), None)?;
        }
        if let Some((lane, texts)) = is {
            let before = was.filter(|was| was.0 == *lane).map(|(_, texts)| texts);
            words::note_row(self.writer, *lane, scope, id, before, Some(texts))?;
        }
        ends::note_end(self.writer, before, Some(row))?;
        note_anchors(self.writer, before, Some(row))?;
        self.dirty = true;
        Ok(self.writer.put(R::TABLE, key, &to_bytes(row)?)?)
    }
}
