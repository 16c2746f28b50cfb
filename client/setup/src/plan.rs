//! What setup would do: steps for each client, a change for each file. Nothing is written here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::catalog::Client;
use crate::draft::{Draft, Setting};
use crate::edit::Fault;
use crate::entry::Wanted;
use crate::file::{self, FileProblem};
use crate::jobs::{Job, list_jobs};
use crate::machine::Machine;
use crate::piece::Piece;
use crate::record::{FileRecord, Records};

/// Whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's.
    User,
    /// Those of a project, which a team commits.
    Project,
}

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The entry of the server.
    Server,
    /// The text that agents read.
    Rules,
    /// The commands that a client runs.
    Hooks,
}

/// What besides the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Rules for agents.
    pub rules: bool,
    /// Hooks.
    pub hooks: bool,
}

/// A wish of a person.
#[derive(Clone, Debug)]
pub struct Request {
    /// The clients, in the order of the steps.
    pub clients: Vec<&'static Client>,
    /// Whether a person named them. If not, removal does not spare what other clients share.
    pub named: bool,
    /// Whose files.
    pub scope: Scope,
    /// What the entries are to say.
    pub wanted: Wanted,
    /// What else.
    pub parts: Parts,
    /// The program of hooks, quoted for a shell.
    pub hook_program: String,
    /// Take ours back instead.
    pub remove: bool,
    /// Replace an entry that starts another program.
    pub force: bool,
}

impl Request {
    /// The command that a client runs as a hook.
    pub fn hook_command(&self, client: &str) -> String {
        format!("{} hook --client {client}", self.hook_program)
    }
}

/// What happens for one client.
#[derive(Clone, Debug)]
pub struct Step {
    /// The client.
    pub client: &'static Client,
    /// What it is about.
    pub part: Part,
    /// Its file, as the catalog names it.
    pub file: Option<PathBuf>,
    /// What happens.
    pub action: Action,
}

/// What happens to a client's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ours is added.
    Add,
    /// Ours is brought up to date, or replaces a foreign entry.
    Change,
    /// Ours is there and right.
    Keep,
    /// Ours is removed.
    Remove,
    /// There is nothing of ours to remove.
    Nothing,
    /// A person has to do it in the client.
    ByHand,
    /// The client reads it only in the other scope, as this says.
    Skip(&'static str),
    /// An entry of our name starts something else, which this names.
    Foreign(String),
    /// The file stays as it is, for this reason.
    Refuse(String),
}

/// All that setup would do.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By client, in the order of the request.
    pub steps: Vec<Step>,
    /// By file.
    pub changes: Vec<FileChange>,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, with links followed.
    pub path: PathBuf,
    /// Its text now. `None` if there is no file.
    pub before: Option<String>,
    /// Its text afterwards. `None` if it is deleted.
    pub after: Option<String>,
    /// The record of it. `None` if nothing of ours is in it afterwards.
    pub record: Option<FileRecord>,
    /// Whether the text before is worth a backup: a person's, without an entry of ours.
    pub is_pristine: bool,
    /// Whether the text afterwards is exactly the one from before we first changed it.
    pub is_restored: bool,
    /// Whether a new file is for its user alone.
    pub is_private: bool,
}

/// Plans a request.
pub fn make_plan(machine: &Machine, request: &Request, records: &Records) -> Plan {
    let jobs = list_jobs(machine, request);
    let mut drafts: BTreeMap<PathBuf, Draft> = BTreeMap::new();
    let mut steps: Vec<Step> = Vec::new();
    for job in &jobs {
        // Reminders of a server that could not be set up would mislead.
        let failed = |step: &Step| {
            step.client.id == job.client.id && matches!(step.action, Action::Foreign(_) | Action::Refuse(_))
        };
        if !request.remove && job.part != Part::Server && steps.iter().any(failed) {
            continue;
        }
        let action = plan_job(job, &jobs, request, records, &mut drafts);
        if job.part == Part::Server || action != Action::Nothing {
            steps.push(Step { client: job.client, part: job.part, file: job.file.clone(), action });
        }
    }
    let changes =
        drafts.into_iter().filter_map(|(path, draft)| draft.finish(path, records, request.scope)).collect();
    Plan { steps, changes }
}

/// A reason to leave a file alone.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("{path}, {fault}", path = .path.display())]
    Text { path: PathBuf, fault: Fault },
}

fn plan_job(
    job: &Job,
    jobs: &[Job],
    request: &Request,
    records: &Records,
    drafts: &mut BTreeMap<PathBuf, Draft>,
) -> Action {
    match (&job.given, &job.file) {
        (Some(given), _) => given.clone(),
        (None, None) => Action::Nothing,
        (None, Some(file)) => plan_file(job, file, jobs, request, records, drafts)
            .unwrap_or_else(|problem| Action::Refuse(problem.to_string())),
    }
}

/// Plans all pieces of a job, or none of them.
fn plan_file(
    job: &Job,
    file: &Path,
    jobs: &[Job],
    request: &Request,
    records: &Records,
    drafts: &mut BTreeMap<PathBuf, Draft>,
) -> Result<Action, Problem> {
    let path = file::resolve_link(file)?;
    let mut draft = match drafts.get(&path) {
        Some(draft) => draft.clone(),
        None => Draft::of(file::read_text(&path)?),
    };
    let shares = |other: &&Job| {
        let same =
            |other: &PathBuf| other == file || file::resolve_link(other).is_ok_and(|other| other == path);
        other.file.as_ref().is_some_and(same)
    };
    let pieces: Vec<Piece> = jobs.iter().filter(shares).flat_map(|job| job.pieces.clone()).collect();
    let setting = Setting { request, record: records.files.get(&path), pieces: &pieces };
    let mut action = None;
    for piece in &job.pieces {
        let fault = |fault| Problem::Text { path: path.clone(), fault };
        let next = draft.plan_piece(*piece, setting).map_err(fault)?;
        action = Some(action.map_or(next.clone(), |action| merge_actions(action, next)));
    }
    if draft.before != draft.now {
        file::check_writable(&path)?;
    }
    drafts.insert(path, draft);
    Ok(action.unwrap_or(Action::Nothing))
}

/// What happens to a file of which several pieces are planned.
fn merge_actions(one: Action, other: Action) -> Action {
    match (one, other) {
        (one, other) if one == other => one,
        (Action::Nothing, Action::Remove) | (Action::Remove, Action::Nothing) => Action::Remove,
        _ => Action::Change,
    }
}
