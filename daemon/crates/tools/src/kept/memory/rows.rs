//! The stored memories of a repository: finds them by content, counts and replaces them.

use std::ops::ControlFlow;

use sdl_ledger::AgentStore;
use sdl_model::ids::stable_hash;
use serde_json::json;

use super::{FileLink, Kind, MOST, MOST_LINKS, MOST_TAGS, Memory, SymbolLink};
use crate::call::context::{Call, ReadCx};
use crate::stored::tables::MEMORIES;
use crate::{Candidate, Code, Explained, ToolError, stored};

pub(super) const LAYOUT: u8 = 1;

/// A memory to be stored. Where the memory exists, fields that are none keep their values.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) confidence: Option<f64>,
    pub(crate) symbols: Option<Vec<SymbolLink>>,
    pub(crate) files: Option<Vec<FileLink>>,
}

/// The result of storing a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: String,
    pub(crate) created: bool,
    pub(crate) deduplicated: bool,
}

/// The confidence of a memory that states none.
const CONFIDENCE: f64 = 0.8;

/// Stores a draft: over the memory `id`, else over the one with the same text, else as a new one.
pub(crate) fn store_memory(cx: &ReadCx<'_>, id: Option<&str>, draft: &Draft) -> Result<Stored, ToolError> {
    let now = cx.call.leases.now();
    let repo = cx.repo.id();
    cx.call.host.agent().write(|writer| {
        // All reads are in the transaction that writes: of two equal memories that are stored at once, one becomes a
        // duplicate.
        let prefix = stored::row_key(repo, "");
        let mut count = 0;
        let (mut same, mut named) = (None, None);
        let said = normalized_text(draft.kind, &draft.title, &draft.content);
        writer.scan(MEMORIES, &prefix, &mut |key, value| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            count += 1;
            if let Some(memory) = stored::from_bytes::<Memory>(LAYOUT, value) {
                if id == Some(memory.id.as_str()) {
                    named = Some(memory);
                } else if said == self::normalized_text(memory.kind, &memory.title, &memory.content) {
                    same = Some(memory);
                }
            }
            ControlFlow::Continue(())
        })?;
        let (mut memory, created, deduplicated) = match (id, named, same) {
            (Some(id), None, _) => return Ok(Err(unknown_memory(repo, id))),
            (Some(_), Some(_), Some(other)) => return Ok(Err(said_already(repo, &other))),
            (Some(_), Some(memory), None) => (memory, false, false),
            (None, _, Some(memory)) => (memory, false, true),
            (None, ..) if count >= MOST => return Ok(Err(store_full(repo))),
            (None, _, None) => {
                let mut salt = 0_u64;
                let id = loop {
                    let hash = stable_hash(&[said.as_bytes(), &salt.to_le_bytes()]);
                    let id = format!("m_{}", stored::encode_number(hash));
                    // A memory that was changed since may have this content's id.
                    if writer.get(MEMORIES, &stored::row_key(repo, &id))?.is_none() {
                        break id;
                    }
                    salt += 1;
                };
                (blank_memory(id, draft, now), true, false)
            }
        };
        if id.is_some() {
            confirm_links(cx, &mut memory);
        }
        fill_memory(&mut memory, draft, deduplicated);
        memory.updated_ms = now;
        memory.version = cx.version.0;
        let outcome = Stored { id: memory.id.clone(), created, deduplicated };
        match stored::to_bytes(LAYOUT, &memory) {
            Ok(bytes) => writer.put(MEMORIES, &stored::row_key(repo, &memory.id), &bytes)?,
            Err(error) => return Ok(Err(error)),
        }
        Ok(Ok(outcome))
    })?
}

fn blank_memory(id: String, draft: &Draft, now: u64) -> Memory {
    Memory {
        id,
        kind: draft.kind,
        title: String::new(),
        content: String::new(),
        tags: Vec::new(),
        confidence: CONFIDENCE,
        symbols: Vec::new(),
        files: Vec::new(),
        created_ms: now,
        updated_ms: now,
        version: 0,
    }
}

/// Renews a memory's links. Whoever writes a memory again has looked at the linked code, so the links are to its
/// present state.
fn confirm_links(cx: &ReadCx<'_>, memory: &mut Memory) {
    for link in &mut memory.symbols {
        if let Ok(Some(sym)) = cx.source.symbol(link.id) {
            link.fingerprint = sym.def().fingerprint;
            link.gone = None;
        }
    }
}

/// Takes over the draft. A duplicate gains the new parts; in an update, fields that the draft has are replaced.
fn fill_memory(memory: &mut Memory, draft: &Draft, merge: bool) {
    memory.kind = draft.kind;
    if !merge {
        memory.title.clone_from(&draft.title);
        memory.content.clone_from(&draft.content);
        if draft.tags.is_some() {
            memory.tags.clear();
        }
        if draft.symbols.is_some() {
            memory.symbols.clear();
        }
        if draft.files.is_some() {
            memory.files.clear();
        }
    }
    memory.confidence = draft.confidence.unwrap_or(memory.confidence);
    for tag in draft.tags.iter().flatten() {
        if memory.tags.len() < MOST_TAGS && !memory.tags.contains(tag) {
            memory.tags.push(tag.clone());
        }
    }
    for link in draft.symbols.iter().flatten() {
        let room = memory.symbols.len() < MOST_LINKS;
        match memory.symbols.iter_mut().find(|known| known.id == link.id) {
            Some(known) => known.clone_from(link),
            None if room => memory.symbols.push(link.clone()),
            None => {}
        }
    }
    for link in draft.files.iter().flatten() {
        let room = memory.files.len() < MOST_LINKS;
        match memory.files.iter_mut().find(|known| known.path == link.path) {
            Some(known) => known.clone_from(link),
            None if room => memory.files.push(link.clone()),
            None => {}
        }
    }
}

/// Returns the text of a memory without differences in white space and case.
fn normalized_text(kind: Kind, title: &str, content: &str) -> String {
    let mut said = kind.name().to_owned();
    for text in [title, content] {
        said.push('\0');
        for word in text.split_whitespace() {
            said.push(' ');
            said.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    said
}

/// Removes a memory.
pub(crate) fn remove_memory(store: &AgentStore, repo: &str, id: &str) -> Result<(), ToolError> {
    let key = stored::row_key(repo, id);
    let there = key.len() <= AgentStore::MAX_KEY && store.write(|writer| writer.delete(MEMORIES, &key))?;
    if there { Ok(()) } else { Err(unknown_memory(repo, id)) }
}

/// Writes back memories whose links were followed, unless they were changed or removed meanwhile.
pub(super) fn put_back(store: &AgentStore, repo: &str, followed: &[Memory]) -> Result<(), ToolError> {
    store.write(|writer| {
        for memory in followed {
            let key = stored::row_key(repo, &memory.id);
            let now =
                writer.get(MEMORIES, &key)?.and_then(|bytes| stored::from_bytes::<Memory>(LAYOUT, bytes));
            if now.is_some_and(|now| now.updated_ms == memory.updated_ms)
                && let Ok(bytes) = stored::to_bytes(LAYOUT, memory)
            {
                writer.put(MEMORIES, &key, &bytes)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

fn unknown_memory(repo: &str, id: &str) -> ToolError {
    let shown: String = id.chars().take(40).collect();
    let message = format!("{repo} has no memory {shown:?}: it was removed, or belongs to another repository");
    ToolError::new(Code::UnknownMemory, message).at("memoryId").next(
        Call::tool("memory.query"),
        json!({ "repoId": repo }),
        "lists the memories with their ids",
    )
}

fn said_already(repo: &str, other: &Memory) -> ToolError {
    let message = format!(
        "{} says exactly that; remove one of the two with memory.remove, or say something else",
        other.id
    );
    ToolError::new(Code::Conflict, message)
        .at("content")
        .or_one_of([Candidate::of("memoryId", other.id.clone()).with("title", other.title.clone())])
        .next(Call::tool("memory.query"), json!({ "repoId": repo }), "lists the memories with their ids")
}

fn store_full(repo: &str) -> ToolError {
    let message =
        format!("{repo} has {MOST} memories, which is as many as it may; remove some with memory.remove");
    ToolError::new(Code::Conflict, message).next(
        Call::tool("memory.query"),
        json!({ "repoId": repo, "staleOnly": true }),
        "lists those that are stale",
    )
}
