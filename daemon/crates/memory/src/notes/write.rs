//! Stores, changes, removes and restores notes.

use sdl_contract::{Candidate, Code, Explained as _, Refusal};
use serde_json::{Map, Value};

use super::heads::{drop_head, put_head};
use super::read::{check_revision, find_memory, unknown_memory};
use super::row::normalized_text;
use super::{Details, Memory};
use crate::limits::{ANCHORS, MEMORIES as MOST, MEMORIES_OF_ONE, REMOVED_MS};
use crate::store::{Change, Head, Tables, former_states, scoped_key};
use crate::tables::{MEMORIES, MEMORIES_BY_TEXT};
use crate::words::{Lane, count_lanes};
use crate::{Anchors, Result, encode_number};

/// The most tags of one note.
const MOST_TAGS: usize = 20;
/// The confidence of a note that states none.
const CONFIDENCE: f64 = 0.8;

/// A note to be stored. Where the note exists, fields that are none keep their values.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Whose it is.
    pub scope: String,
    /// One line.
    pub title: String,
    /// What to remember.
    pub content: String,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    /// The symbols and files that it is about, each none to keep those that the note has.
    pub anchors: (Option<Anchors>, Option<Anchors>),
    /// Anchors as the code is now, in place of those that the note has: its writer has looked at it.
    pub confirmed: Option<Anchors>,
    /// The fields of its kind.
    pub details: Details,
    /// The agent that learned it.
    pub agent: Option<String>,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// The note that it replaces.
    pub supersedes: Option<String>,
    /// The version of the code that its writer saw.
    pub version: u64,
}

/// Fields of a note that change.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// One line.
    pub title: Option<String>,
    /// What to remember.
    pub content: Option<String>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    /// The symbols that it is about.
    pub symbols: Option<Anchors>,
    /// The files that it is about.
    pub files: Option<Anchors>,
    /// When it ends, or never.
    pub expires_ms: Option<Option<u64>>,
    /// The note that it replaces.
    pub supersedes: Option<String>,
    /// Fields of its kind.
    pub fields: Map<String, Value>,
    /// Anchors as the code is now, in place of those that the note has: someone says that it is still true.
    pub confirmed: Option<Anchors>,
}

/// The result of storing a draft.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stored {
    /// The note.
    pub id: String,
    /// Whether it is new.
    pub created: bool,
    /// Whether a note said the same, and got the new anchors and tags.
    pub deduplicated: bool,
}

/// Where the index of texts has the note of a scope that says this.
pub(crate) fn text_key(scope: &str, said: &str) -> Vec<u8> {
    [scope.as_bytes(), &[0], &blake3::hash(said.as_bytes()).as_bytes()[..16]].concat()
}

/// Returns the note of the scope that says exactly this.
fn same_text(change: &Change<'_, '_>, scope: &str, said: &str) -> Result<Option<Memory>> {
    let Some(id) = change.tables().get_bytes(MEMORIES_BY_TEXT, &text_key(scope, said))? else {
        return Ok(None);
    };
    let id = String::from_utf8_lossy(id).into_owned();
    let found = change.tables().row::<Memory>(&scoped_key(scope, &id))?;
    Ok(found.filter(|memory| memory.said() == said))
}

/// Writes a note, and its text in the index.
fn put_memory(change: &mut Change<'_, '_>, before: Option<&Memory>, after: &mut Memory) -> Result<()> {
    if let Some(before) = before {
        change.delete_bytes(MEMORIES_BY_TEXT, &text_key(&before.scope, &before.said()))?;
    }
    change.put_bytes(MEMORIES_BY_TEXT, &text_key(&after.scope, &after.said()), after.id.as_bytes())?;
    change.put(after)?;
    put_head(change, after)
}

/// Writes a note from elsewhere as it is, and its text in the index.
pub(crate) fn put_memory_as_is(change: &mut Change<'_, '_>, row: &Memory) -> Result<()> {
    if let Some(before) = change.tables().row::<Memory>(&scoped_key(&row.scope, &row.id))? {
        change.delete_bytes(MEMORIES_BY_TEXT, &text_key(&before.scope, &before.said()))?;
    }
    change.put_bytes(MEMORIES_BY_TEXT, &text_key(&row.scope, &row.said()), row.id.as_bytes())?;
    change.put_as_is(row)?;
    put_head(change, row)
}

/// Stores a draft: over the note `id`, else over the one that says the same, else as a new one.
pub fn store_memory(change: &mut Change<'_, '_>, id: Option<&str>, draft: &Draft) -> Result<Stored> {
    let said = normalized_text(draft.details.kind(), draft.agent.as_deref(), &draft.title, &draft.content);
    let mut same = same_text(change, &draft.scope, &said)?;
    // A write removes only some of the rows that are over, so that this one may still be there.
    if let Some(over) = same.take_if(|same| same.is_expired(change.now_ms())) {
        remove_memory(change, &over)?;
    }
    let before = match (id, same) {
        (Some(id), same) => {
            let scope = std::slice::from_ref(&draft.scope);
            let Some(named) = find_memory(change.tables(), Some(scope), id)? else {
                return Change::refuse(unknown_memory(&draft.scope, id));
            };
            if let Some(other) = same.filter(|other| other.id != named.id) {
                return Change::refuse(said_already(&other));
            }
            Some(named)
        }
        (None, same) => same,
    };
    let created = before.is_none();
    let deduplicated = id.is_none() && !created;
    let mut memory = match &before {
        Some(before) => before.clone(),
        None => blank_memory(new_id(change, &draft.scope, &said)?, draft),
    };
    if created {
        check_room(change, &draft.scope)?;
    }
    fill_memory(&mut memory, draft, deduplicated);
    supersede(change, &memory.id, &draft.scope, draft.supersedes.as_deref())?;
    if before.as_ref().is_none_or(|before| !differences(before, &memory).is_empty()) {
        put_memory(change, before.as_ref(), &mut memory)?;
    }
    Ok(Stored { id: memory.id, created, deduplicated })
}

/// Returns an id for a text. It takes several tries where a note that changed since has it, or a removed one, because former states are found by ids.
fn new_id(change: &Change<'_, '_>, scope: &str, said: &str) -> Result<String> {
    let mut salt = 0_u64;
    loop {
        let hash =
            sdl_model::ids::stable_hash(&[scope.as_bytes(), &[0], said.as_bytes(), &salt.to_le_bytes()]);
        let id = format!("m_{}", encode_number(hash));
        let taken = change.tables().get_bytes(MEMORIES, &scoped_key(scope, &id))?.is_some();
        if !taken && former_states(change.tables(), &id)?.is_empty() {
            return Ok(id);
        }
        salt += 1;
    }
}

fn blank_memory(id: String, draft: &Draft) -> Memory {
    Memory {
        id,
        scope: draft.scope.clone(),
        title: String::new(),
        content: String::new(),
        tags: Vec::new(),
        confidence: CONFIDENCE,
        anchors: Anchors::default(),
        details: draft.details.clone(),
        agent: draft.agent.clone(),
        expires_ms: None,
        supersedes: None,
        superseded_by: None,
        head: Head::default(),
    }
}

fn check_room(change: &Change<'_, '_>, scope: &str) -> Result<()> {
    let count = count_lanes(change.tables(), scope, &[Lane::Memory, Lane::Lesson])?;
    let all = change.tables().count_rows(MEMORIES)?;
    let (whose, most) = if count >= MEMORIES_OF_ONE as u64 {
        (if scope.is_empty() { "you have" } else { "the repository has" }, MEMORIES_OF_ONE)
    } else if all >= MOST as u64 {
        ("the store has", MOST)
    } else {
        return Ok(());
    };
    let message = format!("{whose} {most} memories, which is the limit; remove some with memory.remove");
    Change::refuse(Refusal::new(Code::Conflict, message))
}

/// Takes over the draft. A duplicate gains the new parts; in an update, fields that the draft has are replaced.
fn fill_memory(memory: &mut Memory, draft: &Draft, merge: bool) {
    if merge {
        let more = draft.details.fields();
        memory.details = memory.details.with_fields(&more).unwrap_or_else(|_| memory.details.clone());
    } else {
        if let Some(confirmed) = &draft.confirmed {
            memory.anchors.clone_from(confirmed);
        }
        memory.title.clone_from(&draft.title);
        memory.content.clone_from(&draft.content);
        memory.details = if memory.kind() == draft.details.kind() {
            let more = draft.details.fields();
            memory.details.with_fields(&more).unwrap_or_else(|_| draft.details.clone())
        } else {
            draft.details.clone()
        };
        if draft.tags.is_some() {
            memory.tags.clear();
        }
        if draft.anchors.0.is_some() {
            memory.anchors.symbols.clear();
        }
        if draft.anchors.1.is_some() {
            memory.anchors.files.clear();
        }
    }
    memory.confidence = draft.confidence.unwrap_or(memory.confidence);
    memory.expires_ms = draft.expires_ms.or(memory.expires_ms);
    memory.supersedes = draft.supersedes.clone().or(memory.supersedes.take());
    add_tags(memory, draft.tags.iter().flatten());
    for anchors in [&draft.anchors.0, &draft.anchors.1].into_iter().flatten() {
        memory.anchors.join(anchors, ANCHORS);
    }
    memory.anchors.version = draft.version;
}

fn add_tags<'t>(memory: &mut Memory, tags: impl Iterator<Item = &'t String>) {
    for tag in tags {
        if memory.tags.len() < MOST_TAGS && !memory.tags.contains(tag) {
            memory.tags.push(tag.clone());
        }
    }
}

/// Marks the note that another one replaces.
fn supersede(change: &mut Change<'_, '_>, by: &str, scope: &str, old: Option<&str>) -> Result<()> {
    let Some(old) = old else { return Ok(()) };
    if old == by {
        let message = "a memory can't replace itself; give the id of the older one";
        return Change::refuse(Refusal::new(Code::InvalidArgument, message).at("supersedes"));
    }
    let scopes = [scope.to_owned(), String::new()];
    let Some(mut memory) = find_memory(change.tables(), Some(&scopes), old)? else {
        return Change::refuse(unknown_memory(scope, old).at("supersedes"));
    };
    if memory.superseded_by.as_deref() == Some(by) {
        return Ok(());
    }
    memory.superseded_by = Some(by.to_owned());
    change.put(&mut memory)?;
    put_head(change, &memory)
}

/// Changes fields of a note, of which `before` is the state in this transaction. Returns the names of those that are different now.
pub fn update_memory(change: &mut Change<'_, '_>, before: &Memory, patch: &Patch) -> Result<Vec<String>> {
    let mut after = before.clone();
    if let Some(confirmed) = &patch.confirmed {
        after.anchors = confirmed.clone();
    }
    if let Some(title) = &patch.title {
        after.title.clone_from(title);
    }
    if let Some(content) = &patch.content {
        after.content.clone_from(content);
    }
    if let Some(tags) = &patch.tags {
        after.tags.clear();
        add_tags(&mut after, tags.iter());
    }
    after.confidence = patch.confidence.unwrap_or(after.confidence);
    if let Some(symbols) = &patch.symbols {
        after.anchors.symbols.clone_from(&symbols.symbols);
        after.anchors.version = symbols.version;
    }
    if let Some(files) = &patch.files {
        after.anchors.files.clone_from(&files.files);
        after.anchors.version = files.version;
    }
    after.expires_ms = patch.expires_ms.unwrap_or(after.expires_ms);
    after.supersedes = patch.supersedes.clone().or(after.supersedes);
    after.details = after.details.with_fields(&patch.fields).map_err(|error| {
        Refusal::new(Code::InvalidArgument, format!("a {} can't have this: {error}", before.kind().name()))
    })?;
    let changed = differences(before, &after);
    if changed.is_empty() {
        return Ok(changed);
    }
    if let Some(other) = same_text(change, &after.scope, &after.said())?.filter(|other| other.id != before.id)
    {
        return Change::refuse(said_already(&other));
    }
    supersede(change, &after.id, &after.scope, patch.supersedes.as_deref())?;
    put_memory(change, Some(before), &mut after)?;
    Ok(changed)
}

/// The names of the fields in which two states of a note differ.
fn differences(before: &Memory, after: &Memory) -> Vec<String> {
    let (old, new) = (before.details.fields(), after.details.fields());
    let mut changed: Vec<String> = [
        ("title", before.title != after.title),
        ("content", before.content != after.content),
        ("tags", before.tags != after.tags),
        ("confidence", before.confidence.to_bits() != after.confidence.to_bits()),
        ("symbolIds", before.anchors.symbols != after.anchors.symbols),
        ("files", before.anchors.files != after.anchors.files),
        ("expiresAt", before.expires_ms != after.expires_ms),
        ("supersedes", before.supersedes != after.supersedes),
    ]
    .into_iter()
    .filter(|(_, differs)| *differs)
    .map(|(name, _)| name.to_owned())
    .collect();
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    changed.extend(names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned());
    changed
}

/// Removes a note.
pub fn remove_memory(change: &mut Change<'_, '_>, memory: &Memory) -> Result<()> {
    change.delete_bytes(MEMORIES_BY_TEXT, &text_key(&memory.scope, &memory.said()))?;
    change.remove::<Memory>(&scoped_key(&memory.scope, &memory.id))?;
    drop_head(change, memory)
}

/// Brings a note back to the state that was written in a revision: a change is undone, a removed note is there again. Removed notes can be
/// restored for 30 days. Returns the names of the fields that are different now.
pub fn restore_memory(
    change: &mut Change<'_, '_>,
    scopes: Option<&[String]>,
    id: &str,
    revision: u64,
    if_revision: Option<u64>,
) -> Result<Vec<String>> {
    let current = find_memory(change.tables(), scopes, id)?;
    if let Some(current) = &current {
        check_revision(current, if_revision)?;
    }
    let now = change.now_ms();
    let formers = former_states(change.tables(), id)?;
    let kept = formers.into_iter().filter(|former| {
        let mine = serde_json::from_value::<Memory>(former.row.clone())
            .is_ok_and(|memory| scopes.is_none_or(|scopes| scopes.contains(&memory.scope)));
        mine && (current.is_some() || now.saturating_sub(former.at_ms) <= REMOVED_MS)
    });
    let kept: Vec<_> = kept.collect();
    let Some(former) = kept.iter().find(|former| former.revision == revision) else {
        if kept.is_empty() && current.is_none() {
            let scope = scopes.and_then(<[String]>::first).map_or("", String::as_str);
            return Change::refuse(unknown_memory(scope, id));
        }
        let known: Vec<String> = kept.iter().map(|former| former.revision.to_string()).collect();
        let message = format!(
            "no state of {id} from revision {revision} is kept; restoreRevision can be one of: {}",
            if known.is_empty() { "none, it never changed".to_owned() } else { known.join(", ") }
        );
        let known = known.into_iter().map(|revision| Candidate::of("restoreRevision", revision));
        let refusal = Refusal::new(Code::InvalidArgument, message).at("restoreRevision");
        return Change::refuse(refusal.or_one_of(known));
    };
    let mut memory: Memory = serde_json::from_value(former.row.clone())?;
    let other = same_text(change, &memory.scope, &memory.said())?;
    if let Some(other) = other.filter(|other| other.id != memory.id) {
        return Change::refuse(said_already(&other));
    }
    if current.is_none() {
        check_room(change, &memory.scope)?;
        // One that was removed at its end would be gone again at once.
        memory.expires_ms = memory.expires_ms.filter(|expires| *expires > now);
    }
    let changed = match &current {
        Some(current) => differences(current, &memory),
        None => vec!["removed".to_owned()],
    };
    put_memory(change, current.as_ref(), &mut memory)?;
    Ok(changed)
}

fn said_already(other: &Memory) -> Refusal {
    let message = format!(
        "{} says exactly that; remove one of the two with memory.remove, or say something else",
        other.id
    );
    Refusal::new(Code::Conflict, message).at("content").or_one_of([Candidate::of(
        "memoryId",
        other.id.clone(),
    )
    .with("title", other.title.clone())])
}
