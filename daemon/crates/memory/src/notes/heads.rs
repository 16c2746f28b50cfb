//! The fields that notes are chosen by when no words are asked for, in an index of their own, because the texts are long.
//!
//! The law: the index has one entry for each note, which follows from it.

use std::ops::ControlFlow;

use super::{Kind, Memory};
use crate::store::{Change, Row as _, Tables, scoped_key};
use crate::tables::{MEMORIES, NOTE_HEADS};

/// The stored form: the fields of [`HeadFields`] as a list, because their names would be most of it.
type Form<T, A> = (Kind, T, f64, A, Option<u64>, bool, u64);

/// A note without its texts.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteHead {
    /// The repository that it belongs to; empty for the user.
    pub scope: String,
    /// `m_…`.
    pub id: String,
    /// The other fields.
    pub fields: HeadFields,
}

/// The fields of a [`NoteHead`] beside its key.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadFields {
    /// The kind of note.
    pub kind: Kind,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// The agent that learned it.
    pub agent: Option<String>,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// Whether another note replaced it.
    pub is_superseded: bool,
    /// When it was last changed, in Unix milliseconds.
    pub updated_ms: u64,
}

impl HeadFields {
    /// Whether it is over.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms.is_some_and(|expires| expires <= now_ms)
    }
}

/// The entry of a note: its key and its value.
pub(crate) fn head_entry(note: &Memory) -> (Vec<u8>, Vec<u8>) {
    let Memory { tags, agent, confidence, expires_ms, .. } = note;
    let is_superseded = note.superseded_by.is_some();
    let form: Form<&[String], Option<&str>> =
        (note.kind(), tags, *confidence, agent.as_deref(), *expires_ms, is_superseded, note.head.updated_ms);
    // A list of texts and numbers always has a form in JSON.
    (note.key(), serde_json::to_vec(&form).unwrap_or_default())
}

/// Writes the entry of a note.
pub(super) fn put_head(change: &mut Change<'_, '_>, note: &Memory) -> crate::Result<()> {
    let (key, value) = head_entry(note);
    change.put_bytes(NOTE_HEADS, &key, &value)
}

/// Removes the entry of a note.
pub(super) fn drop_head(change: &mut Change<'_, '_>, note: &Memory) -> crate::Result<()> {
    change.delete_bytes(NOTE_HEADS, &note.key()).map(drop)
}

/// Returns the notes of some scopes, or of all, without their texts.
pub fn note_heads(tables: &impl Tables, scopes: Option<&[String]>) -> sdl_ledger::Result<Vec<NoteHead>> {
    let mut found = Vec::new();
    let prefixes = match scopes {
        Some(scopes) => scopes.iter().map(|scope| scoped_key(scope, "")).collect(),
        None => vec![Vec::new()],
    };
    for prefix in prefixes {
        tables.scan_bytes(NOTE_HEADS, &prefix, &mut |key, bytes| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            found.extend(read_head(key, bytes));
            ControlFlow::Continue(())
        })?;
    }
    Ok(found)
}

fn read_head(key: &[u8], bytes: &[u8]) -> Option<NoteHead> {
    let (scope, id) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let form: Form<Vec<String>, Option<String>> = serde_json::from_slice(bytes).ok()?;
    let (kind, tags, confidence, agent, expires_ms, is_superseded, updated_ms) = form;
    let fields = HeadFields { kind, tags, confidence, agent, expires_ms, is_superseded, updated_ms };
    Some(NoteHead { scope: scope.to_owned(), id: id.to_owned(), fields })
}

/// Whether any of some scopes has a note.
pub fn has_notes(tables: &impl Tables, scopes: &[String]) -> sdl_ledger::Result<bool> {
    let mut found = false;
    for scope in scopes {
        let prefix = scoped_key(scope, "");
        tables.scan_bytes(MEMORIES, &prefix, &mut |key, _| {
            found |= key.starts_with(&prefix);
            ControlFlow::Break(())
        })?;
    }
    Ok(found)
}
