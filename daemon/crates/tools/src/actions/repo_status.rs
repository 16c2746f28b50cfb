//! `repo.status`: reports how a repository is doing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use sdl_ledger::View;
use sdl_model::FileState;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Object, append_text, begin_line};
use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::error::NextBestAction;
use crate::host::{RepoHealth, RepoState, RepoStatus as HostStatus};
use crate::kept::memory::{self, Surfaced};

/// See [`ActionDef`].
pub(crate) struct RepoStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Level {
    /// State, version, health.
    Compact,
    /// And totals.
    Standard,
    /// And which files were skipped or failed.
    Full,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default standard. `compact`: state and health. `standard`: also totals. `full`: also skipped and
    /// failed files.
    detail: Option<Level>,
    /// Add memories. Of the repository.
    surface_memories: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The repository.
    repo_id: String,
    /// Its root folder.
    root_path: String,
    /// The newest version; missing before the first index is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger_version: Option<String>,
    /// Git's HEAD, as that version recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<Head>,
    /// Why git's data, or its index, is there but is not read. Without its data there is no history.
    #[serde(skip_serializing_if = "Option::is_none")]
    git_problem: Option<String>,
    /// `indexing` (first index), `live` (watching), `scanning` (comparing on each request) or `failed`.
    state: String,
    /// Progress of the first index.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
    /// Parsed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    /// Parsed files with a generator's mark; they rank lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    generated: Option<u64>,
    /// Symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<u64>,
    /// Edges between symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<u64>,
    /// Files that were not parsed, by reason, such as `secret`, `tooLarge` or `binary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<BTreeMap<String, u64>>,
    /// Files that could not be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u64>,
    /// With `full`, or if no file was parsed: the rules that leave files out, each with an entry that it leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored_by: Option<Vec<String>>,
    /// Parsed files, by language.
    #[serde(skip_serializing_if = "Option::is_none")]
    languages: Option<BTreeMap<String, u64>>,
    /// How changes are noticed.
    watcher: Watcher,
    /// How references were resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<Resolution>,
    /// `ok`, `degraded` or `failed`.
    health: String,
    /// Why it is not `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    health_reason: Option<String>,
    /// With `full`: files that were skipped or failed, by path, at most 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_without_facts: Option<Vec<FileLine>>,
    /// A call that helps; works as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Object>")]
    next_best_action: Option<NextBestAction>,
    /// Memories about the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<Object>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Head {
    /// The branch; missing if HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The commit's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The commit's time, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_time: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Progress {
    /// Files read.
    done: u64,
    /// Files in all, once counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Estimated seconds until it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_left: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Watcher {
    /// `inotify`, `fsevents`, `windows`, `kqueue` or `scan`.
    kind: String,
    /// Folders watched.
    watches: u64,
    /// When the last event came, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event_ms: Option<u64>,
    /// Why it is scanning.
    #[serde(skip_serializing_if = "Option::is_none")]
    degraded_reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Resolution {
    /// References with one certain target.
    exact: u32,
    /// References whose target was inferred.
    inferred: u32,
    /// References with several possible targets.
    ambiguous: u32,
    /// References to code outside the repository.
    external: u32,
    /// References without a known target.
    unresolved: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileLine {
    /// Path of the file.
    file: String,
    /// Why it was not parsed.
    reason: String,
}

impl Action for RepoStatus {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "repo.status",
        namespace: Namespace::Repo,
        mutating: false,
        description: "Call this when you need to know whether a repository is indexed, watched and healthy",
        needs: "",
        examples: &[r#"{"repoId":"my-repo"}"#, r#"{"repoId":"my-repo","detail":"full"}"#],
        aliases: &[],
    };
}

/// Maximum number of files that are listed on `full`.
const LISTED: usize = 50;

impl ReadAction for RepoStatus {
    const EARLY: bool = true;
    // Only for the mark: how far the index is.
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let level = request.detail.unwrap_or(Level::Standard);
        let status = cx.repo.status();
        let version = cx.snapshot.head();
        let recorded = version.map(|version| cx.snapshot.version_row(version)).transpose()?.flatten();
        let head = recorded.and_then(|row| row.head).or_else(|| status.head.clone());
        let (health, health_reason) = match &status.health {
            RepoHealth::Ok => ("ok", None),
            RepoHealth::Degraded(why) => ("degraded", Some(why.clone())),
            RepoHealth::Failed(why) => ("failed", Some(why.clone())),
        };
        let mut response = Response {
            repo_id: cx.repo.id().to_owned(),
            root_path: cx.repo.root().to_string_lossy().into_owned(),
            ledger_version: version.map(|version| version.to_string()),
            head: head.map(|head| Head {
                branch: head.branch,
                commit: head.commit,
                commit_time: head.commit_time,
            }),
            git_problem: status.git_problem.clone(),
            state: status.state.name().to_owned(),
            progress: match status.state {
                RepoState::Indexing { done, total, left } => {
                    let seconds_left = left.map(|left| left.as_secs_f64().ceil() as u64);
                    Some(Progress { done, total, seconds_left })
                }
                _ => None,
            },
            files: None,
            generated: None,
            symbols: None,
            edges: None,
            skipped: None,
            failed: None,
            ignored_by: None,
            languages: None,
            watcher: Watcher {
                kind: status.watcher.kind.name().to_owned(),
                watches: status.watcher.watches,
                last_event_ms: status.watcher.last_event_ms,
                degraded_reason: status.watcher.degraded_reason.clone(),
            },
            resolution: None,
            health: health.to_owned(),
            health_reason,
            files_without_facts: None,
            next_best_action: next_action(cx, &status),
            memories: Surfaced::of(cx, request.surface_memories, None)?.any(cx)?,
        };
        // Before the first version there is nothing to count, which is not the same as 0 files.
        if level != Level::Compact && version.is_some() {
            response.add_totals(cx)?;
            let is_told = response.files == Some(0) || level == Level::Full;
            response.ignored_by =
                (is_told && !status.ignored_by.is_empty()).then(|| status.ignored_by.clone());
        }
        if level == Level::Full && version.is_some() {
            response.files_without_facts = Some(without_facts(cx)?);
            let total = cx.around()? + budget::json_tokens(&response)?;
            let excess = total.saturating_sub(budget::DEFAULT_TOKENS);
            if let Some(files) = &mut response.files_without_facts {
                files.truncate(budget::count_kept(files, excess)?);
            }
        }
        Ok(response)
    }
}

impl Response {
    fn add_totals(&mut self, cx: &ReadCx<'_>) -> Result<(), ToolError> {
        let counters = cx.snapshot.counters()?;
        self.files = Some(counters.files);
        self.generated = Some(counters.generated);
        self.symbols = Some(counters.symbols);
        self.edges = Some(counters.edges);
        self.failed = Some(counters.failed);
        self.skipped = Some(counters.skipped.into_iter().collect());
        self.languages = Some(counters.languages.into_iter().collect());
        let found = counters.resolution;
        self.resolution = Some(Resolution {
            exact: found.exact,
            inferred: found.inferred,
            ambiguous: found.ambiguous,
            external: found.external,
            unresolved: found.unresolved,
        });
        Ok(())
    }
}

fn without_facts(cx: &ReadCx<'_>) -> Result<Vec<FileLine>, ToolError> {
    let mut found = Vec::new();
    let mut failure = None;
    cx.snapshot.files_under("", &mut |file, path| {
        let reason = match cx.snapshot.file(file) {
            Ok(Some(row)) => match row.state {
                FileState::Indexed(_) => return ControlFlow::Continue(()),
                FileState::Skipped(reason) => reason.name(),
                FileState::Failed(_) => "failed",
            },
            Ok(None) => return ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                return ControlFlow::Break(());
            }
        };
        found.push(FileLine { file: path.to_owned(), reason: reason.to_owned() });
        if found.len() == LISTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

/// Returns the call that a reader of the status should make, if any.
fn next_action(cx: &ReadCx<'_>, status: &HostStatus) -> Option<NextBestAction> {
    let action = |name: &str, args, rationale: &str| {
        Some(NextBestAction { tool: Call::tool(name), args, rationale: rationale.to_owned() })
    };
    match (&status.state, &status.health) {
        (RepoState::Indexing { .. }, _) => action(
            "repo.status",
            json!({"repoId": cx.repo.id(), "detail": "compact"}),
            "the first index is under way; ask again in a moment",
        ),
        (RepoState::Failed { .. }, _) | (_, RepoHealth::Failed(_)) => action(
            "index.refresh",
            json!({"repoId": cx.repo.id(), "mode": "full"}),
            "reads the tree again, which repairs a damaged or failed index",
        ),
        _ => None,
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let version = self.ledger_version.as_deref().unwrap_or("no version yet");
        let mut text = String::new();
        begin_line(&mut text, format_args!("{} {} {version}, {}", self.repo_id, self.state, self.health));
        if let Some(reason) = &self.health_reason {
            append_text(&mut text, format_args!(" ({reason})"));
        }
        if let Some(progress) = &self.progress {
            let total = progress.total.map_or_else(|| "?".to_owned(), |total| total.to_string());
            append_text(&mut text, format_args!(", {} of {total} files", progress.done));
            if let Some(seconds) = progress.seconds_left {
                append_text(&mut text, format_args!(", about {seconds} s left"));
            }
        }
        begin_line(&mut text, format_args!("{}", self.root_path));
        if let Some(head) = &self.head {
            let commit: String = head.commit.as_deref().unwrap_or("-").chars().take(12).collect();
            append_text(
                &mut text,
                format_args!(" at {} {commit}", head.branch.as_deref().unwrap_or("detached")),
            );
        }
        if let Some(problem) = &self.git_problem {
            begin_line(&mut text, format_args!("{problem}"));
        }
        if let (Some(files), Some(symbols), Some(edges)) = (self.files, self.symbols, self.edges) {
            if files == 0 {
                begin_line(&mut text, format_args!("no file is indexed"));
            } else {
                begin_line(&mut text, format_args!("{files} files"));
                if let Some(generated) = self.generated.filter(|generated| *generated > 0) {
                    append_text(&mut text, format_args!(" ({generated} generated)"));
                }
                append_text(&mut text, format_args!(", {symbols} symbols, {edges} edges"));
            }
        }
        for (reason, count) in self.skipped.iter().flatten() {
            append_text(&mut text, format_args!(", {count} skipped as {reason}"));
        }
        if let Some(failed) = self.failed.filter(|failed| *failed > 0) {
            append_text(&mut text, format_args!(", {failed} failed"));
        }
        for rule in self.ignored_by.iter().flatten() {
            begin_line(&mut text, format_args!("ignored: {rule}"));
        }
        if let Some(reason) = &self.watcher.degraded_reason {
            begin_line(&mut text, format_args!("watching is degraded: {reason}"));
        }
        for file in self.files_without_facts.iter().flatten() {
            begin_line(&mut text, format_args!("{}: {}", file.reason, file.file));
        }
        memory::write_memories(&mut text, self.memories.as_ref());
        text
    }
}
