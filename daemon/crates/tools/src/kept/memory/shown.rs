//! Memories in the form of answers.

use schemars::JsonSchema;
use sdl_memory::notes::{Kind, Memory};
use sdl_retrieve::plain;
use serde::Serialize;
use serde_json::{Map, Value};

use super::rank::Ranked;
use crate::ToolError;
use crate::call::answers::{append_block, append_text, begin_line};
use crate::call::budget::{self, Room};
use crate::call::context::{Call, ReadCx};
use crate::call::family::Family;
use crate::kept::anchors::{AnchorState, FileState, StaleSince, anchor_states, stale_since};

/// A memory in an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryOut {
    /// Its id, for `memory.store` and `memory.remove`.
    memory_id: String,
    /// `decision`, `bugfix`, `task_context`, `pattern`, `note` or `lesson`.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    kind: Kind,
    /// One line.
    title: String,
    /// What to remember.
    content: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    tags: Vec<String>,
    /// How sure its author was, 0 to 1.
    confidence: f64,
    /// Symbols it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<SymbolOut>>")]
    symbols: Vec<SymbolOut>,
    /// Files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<FileOut>>")]
    files: Vec<FileOut>,
    /// When it was stored, in Unix milliseconds.
    created_at: u64,
    /// When it was last changed, in Unix milliseconds.
    updated_at: u64,
    /// Whether a symbol changed or is gone, or a file is gone, since it was stored.
    pub(crate) stale: bool,
    /// How well it matches, 0 to 1; counts confidence and age too.
    score: f64,
    /// Since which version it is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_since: Option<StaleSince>,
    /// The revision in which it was last changed, for `ifRevision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// `user` if it is yours in every repository; the repository's id if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// The agent that learned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// Who changed it last: the agent or the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// The fields of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
    /// When it ends, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    /// The memory that it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    supersedes: Option<String>,
    /// The memory that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
}

/// A symbol of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SymbolOut {
    /// The symbol.
    symbol_id: String,
    /// Its qualified name.
    name: String,
    /// Path of its file.
    file: String,
    /// `same`, `changed`, `renamed` or `gone` since the memory was stored; `unchecked` if its code is not that of the answer.
    state: &'static str,
}

/// A file of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileOut {
    /// Path of the file.
    file: String,
    /// `same` (it exists), `renamed`, `gone`, `unknown` if it never was in a version, or `unchecked`.
    state: &'static str,
}

/// With which code memories are shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The version; none if the call is about no repository.
    pub(crate) read: Option<&'a ReadCx<'a>>,
    /// Whose code that is.
    pub(crate) family: &'a Family,
    /// Whether the fields of the module are shown.
    pub(crate) whole: bool,
}

/// Returns the memory in the form of an answer, with its state in this version.
pub(crate) fn show_memory(shown: &Shown<'_>, ranked: Ranked) -> Result<MemoryOut, ToolError> {
    let Ranked { memory, score } = ranked;
    let states = anchor_states(shown.read, shown.family, &memory.scope, &memory.anchors)?;
    let stale = states.is_stale();
    let since = match shown.read {
        Some(read) if stale && shown.whole => stale_since(read, &memory.anchors, &states)?,
        _ => None,
    };
    let kind = memory.kind();
    let own = shown.family.ids().first().is_some_and(|own| *own == memory.scope);
    let Memory { id, scope, title, content, tags, confidence, anchors, details, head, .. } = memory;
    let Memory { agent, expires_ms, supersedes, superseded_by, .. } = memory;
    // Without the module a renamed symbol counts as the same, because the contract of that time has no other word for it.
    let plain = |state: AnchorState| match state {
        AnchorState::Renamed if !shown.whole => AnchorState::Same.name(),
        state => state.name(),
    };
    let symbols = anchors.symbols.into_iter().zip(states.symbols).map(|(anchor, state)| SymbolOut {
        symbol_id: anchor.id.to_string(),
        name: anchor.name,
        file: anchor.file,
        state: plain(state),
    });
    let files = anchors.files.into_iter().zip(states.files).map(|(anchor, state)| FileOut {
        file: anchor.path,
        state: match state {
            FileState::Known(state) => plain(state),
            FileState::Unknown => state.name(),
        },
    });
    let fields = details.fields();
    let known = head.by.agent.is_some() || !head.by.client.is_empty();
    let whole = shown.whole;
    Ok(MemoryOut {
        memory_id: id,
        kind,
        title,
        content,
        tags,
        confidence,
        symbols: symbols.collect(),
        files: files.collect(),
        created_at: head.created_ms,
        updated_at: head.updated_ms,
        stale,
        score,
        stale_since: since,
        revision: whole.then_some(head.revision),
        scope: (whole && !own).then(|| if scope.is_empty() { "user".to_owned() } else { scope }),
        agent: agent.filter(|_| whole),
        by: (whole && known).then(|| head.by.name().to_owned()),
        details: (whole && !fields.is_empty()).then_some(fields),
        expires_at: expires_ms.filter(|_| whole),
        supersedes: supersedes.filter(|_| whole),
        superseded_by: superseded_by.filter(|_| whole),
    })
}

/// One page of memories.
pub(crate) struct Page {
    pub(crate) memories: Vec<MemoryOut>,
    /// How many memories matched, including this page.
    pub(crate) total: usize,
    /// Whether further memories were left out only because of the token budget.
    pub(crate) cut: bool,
}

/// Returns the best of `ranked`, from `offset` on, at most `limit` memories and at most `tokens` in size.
pub(crate) fn memory_page(
    shown: &Shown<'_>,
    ranked: Vec<Ranked>,
    (offset, limit): (usize, usize),
    stale_only: bool,
    tokens: usize,
) -> Result<Page, ToolError> {
    let mut page = Page { memories: Vec::new(), total: 0, cut: false };
    let all = ranked.len();
    let (mut fitting, mut room) = (0, Room::of(tokens));
    for ranked in ranked {
        let full = page.cut || page.memories.len() == limit;
        // Whether a memory is stale takes a look-up. Without that filter the rest needs none.
        if !stale_only && full {
            break;
        }
        if !stale_only && fitting < offset {
            fitting += 1;
            continue;
        }
        shown.call.check()?;
        let memory = show_memory(shown, ranked)?;
        if stale_only && !memory.stale {
            continue;
        }
        fitting += 1;
        if full || fitting <= offset {
            continue;
        }
        page.cut = !room.take(budget::item_tokens(&memory)?);
        if !page.cut {
            page.memories.push(memory);
        }
    }
    page.total = if stale_only { fitting } else { all };
    Ok(page)
}

/// Appends one memory as text.
pub(crate) fn line_of(text: &mut String, memory: &MemoryOut) {
    let stale = match &memory.stale_since {
        Some(since) => format!(", stale since {}", since.words()),
        None if memory.stale => ", stale".to_owned(),
        None => String::new(),
    };
    append_text(text, format_args!("{} [{}{stale}] {}", memory.memory_id, memory.kind.name(), memory.title));
    for (what, value) in [("of agent", &memory.agent), ("replaced by", &memory.superseded_by)] {
        if let Some(value) = value {
            append_text(text, format_args!(" ({what} {value})"));
        }
    }
    for symbol in &memory.symbols {
        append_text(text, format_args!(" ({} {} {})", symbol.name, symbol.symbol_id, symbol.state));
    }
    for file in &memory.files {
        append_text(text, format_args!(" ({} {})", file.file, file.state));
    }
    append_block(text, &plain::quote_lines(&memory.content));
    for (name, value) in memory.details.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        begin_line(text, format_args!("{name}: {}", plain::quote_lines(&value)));
    }
}
