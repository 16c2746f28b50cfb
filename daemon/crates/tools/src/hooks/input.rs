//! The event of a hook, as the command line passes it on, and what the model did.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sdl_model::RelPath;
use serde::Deserialize;

use super::pattern::{Wanted, names_in_glob, names_in_pattern};
use crate::call::context::Call;
use crate::call::pipeline;
use crate::people::HookEvent;
use crate::{Repo, ToolError};

/// Bytes of a path, a pattern or a session's name; longer ones are left alone.
const MOST_TEXT: usize = 4_096;
/// Files of one event that are looked at.
const MOST_FILES: usize = 8;

/// The event of a hook, whichever client it comes from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HookInput {
    /// What happened.
    pub kind: HookKind,
    /// The tool that ran, if one did and it is of a known kind.
    pub tool: Option<HookTool>,
    /// What it searched for.
    pub pattern: String,
    /// The files that it read or wrote: absolute, or relative to `cwd`.
    pub files: Vec<PathBuf>,
    /// The working directory of the client.
    pub cwd: PathBuf,
    /// The client's name for the session.
    pub session: String,
    /// The client's name for the subagent, if the event is of one.
    pub agent: String,
}

/// What happened at a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HookKind {
    /// Nothing that a reminder is about, such as a prompt.
    #[default]
    Other,
    /// A session started, or its context was emptied.
    Start,
    /// A subagent started.
    Subagent,
    /// A tool ran.
    Tool,
    /// The model is about to stop.
    Stop,
}

/// A kind of tool that clients have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HookTool {
    /// Searches texts for a regular expression.
    Grep,
    /// Searches for files by a pattern of their names.
    Glob,
    /// Reads a file.
    Read,
    /// Writes files, or changes them.
    Edit,
}

impl HookInput {
    /// The messages that are delivered with the answer. None if the event shows none: a subagent that begins has its task.
    pub(super) fn messages(&self) -> Option<HookEvent> {
        match self.kind {
            HookKind::Subagent => None,
            HookKind::Stop => Some(HookEvent::Stops),
            HookKind::Other | HookKind::Start | HookKind::Tool => Some(HookEvent::Reads),
        }
    }

    /// The conversation that the answer becomes a part of: a subagent has its own.
    pub(super) fn conversation(&self) -> String {
        let short = |text: &str| text.chars().take(200).collect::<String>();
        format!("{}\n{}", short(&self.session), short(&self.agent))
    }
}

/// What the model did, as far as a reminder can be about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// It begins.
    Started,
    /// It searched for these names.
    Searched(Vec<Wanted>),
    /// It read a file.
    Opened(PathBuf),
    /// It wrote files.
    Edited(Vec<PathBuf>),
}

impl Moment {
    /// None if there is nothing to be reminded of.
    pub(super) fn of(input: &HookInput) -> Option<Self> {
        let files = || {
            let short = input.files.iter().filter(|file| file.as_os_str().len() <= MOST_TEXT);
            short.take(MOST_FILES).map(|file| input.cwd.join(file)).collect::<Vec<_>>()
        };
        if matches!(input.kind, HookKind::Start | HookKind::Subagent) {
            return Some(Self::Started);
        }
        match (input.kind, input.tool?) {
            (HookKind::Tool, HookTool::Grep) if input.pattern.len() <= MOST_TEXT => {
                Self::searched(names_in_pattern(&input.pattern))
            }
            (HookKind::Tool, HookTool::Glob) if input.pattern.len() <= MOST_TEXT => {
                Self::searched(names_in_glob(&input.pattern))
            }
            (HookKind::Tool, HookTool::Read) => files().into_iter().next().map(Self::Opened),
            (HookKind::Tool, HookTool::Edit) => {
                Some(files()).filter(|files| !files.is_empty()).map(Self::Edited)
            }
            _ => None,
        }
    }

    fn searched(names: Vec<Wanted>) -> Option<Self> {
        (!names.is_empty()).then_some(Self::Searched(names))
    }

    /// The action that says the same. Who may not call it gets no reminder.
    pub(super) fn action(&self) -> &'static str {
        match self {
            Self::Started | Self::Searched(_) => "symbol.search",
            Self::Opened(_) => "symbol.related",
            Self::Edited(_) => "change.impact",
        }
    }

    fn files(&self) -> &[PathBuf] {
        match self {
            Self::Started | Self::Searched(_) => &[],
            Self::Opened(file) => std::slice::from_ref(file),
            Self::Edited(files) => files,
        }
    }
}

/// Where it happened: a repository, and the files in it.
pub(super) struct Place {
    pub(super) repo: Arc<dyn Repo>,
    pub(super) files: Vec<RelPath>,
}

impl Place {
    /// None if the session sees no repository there.
    pub(super) fn find(call: &Call<'_>, moment: &Moment, cwd: &Path) -> Option<Self> {
        let found = match moment.files() {
            [] if !cwd.is_absolute() => return None,
            [] => pipeline::find_repo(call, None).map(|repo| Self { repo, files: Vec::new() }),
            files => Ok(Self::around(call, files)?),
        };
        found.ok()
    }

    /// The innermost repository around the first file, and all files in it.
    fn around(call: &Call<'_>, files: &[PathBuf]) -> Option<Self> {
        let repos = call.host.repos();
        let mut found: Option<Self> = None;
        for file in files {
            let real = real_path(file);
            // A hook has no time for a first index.
            if call.host.unregistered_worktree(&real).is_some() {
                continue;
            }
            let around = repos.iter().filter(|repo| real.starts_with(repo.root()));
            let Some(repo) = around.max_by_key(|repo| repo.root().as_os_str().len()) else { continue };
            let path = real.strip_prefix(repo.root()).ok().and_then(slashed_path);
            let Some(path) = path.and_then(|path| RelPath::new(&path)) else { continue };
            let place = found.get_or_insert_with(|| Self { repo: Arc::clone(repo), files: Vec::new() });
            if place.repo.id() == repo.id() && !place.files.contains(&path) {
                place.files.push(path);
            }
        }
        found
    }
}

/// A path without links in it, because roots have none. The file itself may be gone.
fn real_path(file: &Path) -> PathBuf {
    std::fs::canonicalize(file).unwrap_or_else(|_| {
        let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
        folder.zip(file.file_name()).map_or_else(|| file.to_owned(), |(folder, name)| folder.join(name))
    })
}

/// A path with slashes between its parts, on every system.
fn slashed_path(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// What reads a version returns: nothing, if nothing is known.
pub(super) type Read<T> = Result<Option<T>, ToolError>;
