//! The fields that notes are chosen by when no words are asked for, in an index of their own, because the texts are long.
//!
//! The law: the index has one entry for each note, which follows from it. A question reads thousands of entries and shows a few notes, so entries are
//! bytes that are read in place: kind, whether it was replaced, confidence, time of the last change, end, agent, tags.

use std::ops::ControlFlow;

use super::{Kind, Memory};
use crate::store::{Change, Row as _, Tables, scoped_key};
use crate::tables::{MEMORIES, NOTE_HEADS};

/// The end of a note that has none.
const NO_END: u64 = u64::MAX;

/// A note without its texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoteHead<'b> {
    /// The repository that it belongs to; empty for the user.
    pub scope: &'b str,
    /// `m_…`.
    pub id: &'b str,
    /// The kind of note.
    pub kind: Kind,
    /// From 0 to 1.
    pub confidence: f64,
    /// The agent that learned it.
    pub agent: Option<&'b str>,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// Whether another note replaced it.
    pub is_superseded: bool,
    /// When it was last changed, in Unix milliseconds.
    pub updated_ms: u64,
    tags: &'b [u8],
}

impl<'b> NoteHead<'b> {
    /// Whether it is over.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms.is_some_and(|expires| expires <= now_ms)
    }

    /// Returns the words to find it by.
    pub fn tags(&self) -> impl Iterator<Item = &'b str> + use<'b> {
        let mut rest = self.tags;
        std::iter::from_fn(move || take_text(&mut rest))
    }

    fn read(key: &'b [u8], mut bytes: &'b [u8]) -> Option<Self> {
        let (scope, id) = std::str::from_utf8(key).ok()?.split_once('\0')?;
        let [kind, is_superseded] = take_array(&mut bytes)?;
        let confidence = f64::from_le_bytes(take_array(&mut bytes)?);
        let updated_ms = u64::from_le_bytes(take_array(&mut bytes)?);
        let expires_ms = u64::from_le_bytes(take_array(&mut bytes)?);
        let [has_agent] = take_array(&mut bytes)?;
        let agent = if has_agent == 1 { Some(take_text(&mut bytes)?) } else { None };
        Some(Self {
            scope,
            id,
            kind: *Kind::ALL.get(usize::from(kind))?,
            confidence,
            agent,
            expires_ms: Some(expires_ms).filter(|end| *end != NO_END),
            is_superseded: is_superseded == 1,
            updated_ms,
            tags: bytes,
        })
    }
}

/// The entry of a note: its key and its value.
pub(crate) fn head_entry(note: &Memory) -> (Vec<u8>, Vec<u8>) {
    let kind = Kind::ALL.iter().position(|kind| *kind == note.kind()).unwrap_or_default();
    let mut value = vec![kind as u8, u8::from(note.superseded_by.is_some())];
    value.extend(note.confidence.to_le_bytes());
    value.extend(note.head.updated_ms.to_le_bytes());
    value.extend(note.expires_ms.unwrap_or(NO_END).to_le_bytes());
    value.push(u8::from(note.agent.is_some()));
    for text in note.agent.iter().chain(&note.tags) {
        // Arguments are far shorter; a longer text is cut off, because a length must fit its place.
        let text = text.get(..text.floor_char_boundary(usize::from(u16::MAX))).unwrap_or_default();
        value.extend((text.len() as u16).to_le_bytes());
        value.extend(text.as_bytes());
    }
    (note.key(), value)
}

fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (array, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*array)
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = u16::from_le_bytes(take_array(bytes)?);
    let (text, rest) = bytes.split_at_checked(usize::from(length))?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
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

/// Calls `each` with the notes of some scopes, or of all, without their texts, in order.
pub fn scan_heads(
    tables: &impl Tables,
    scopes: Option<&[String]>,
    each: &mut dyn FnMut(NoteHead<'_>),
) -> sdl_ledger::Result<()> {
    let prefixes = match scopes {
        Some(scopes) => scopes.iter().map(|scope| scoped_key(scope, "")).collect(),
        None => vec![Vec::new()],
    };
    for prefix in prefixes {
        tables.scan_bytes(NOTE_HEADS, &prefix, &mut |key, bytes| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            if let Some(head) = NoteHead::read(key, bytes) {
                each(head);
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(())
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
