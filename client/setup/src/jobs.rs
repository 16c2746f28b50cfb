//! Which files a request is about, and what goes into each.

use std::path::{Path, PathBuf};

use crate::catalog::{Client, clients};
use crate::edit::block;
use crate::edit::hooks::{HookTarget, find_hook};
use crate::entry::Standing;
use crate::file;
use crate::machine::Machine;
use crate::piece::Piece;
use crate::plan::{Action, Part, Request, Scope};

/// A step before anything is known of its file.
pub(crate) struct Job {
    pub(crate) client: &'static Client,
    pub(crate) part: Part,
    pub(crate) file: Option<PathBuf>,
    pub(crate) pieces: Vec<Piece>,
    /// What happens, if that does not depend on the file.
    pub(crate) given: Option<Action>,
}

/// All steps of a request, client by client.
pub(crate) fn list_jobs(machine: &Machine, request: &Request) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for client in &request.clients {
        jobs.extend(server_job(client, machine, request));
        if request.parts.rules {
            let new = rules_jobs(client, machine, request);
            let known = |job: &Job| request.remove && jobs.iter().any(|other| is_same_rules(other, job));
            let new: Vec<Job> = new.into_iter().filter(|job| !known(job)).collect();
            jobs.extend(new);
        }
        if request.parts.hooks {
            jobs.extend(hooks_job(client, machine, request));
        }
    }
    jobs
}

fn is_same_rules(one: &Job, other: &Job) -> bool {
    one.part == Part::Rules && other.part == Part::Rules && one.file == other.file
}

fn server_job(client: &'static Client, machine: &Machine, request: &Request) -> Option<Job> {
    let file = client.server_file(machine, request.scope);
    let job = |given| Job {
        client,
        part: Part::Server,
        file: file.clone(),
        pieces: vec![Piece::Server(client)],
        given,
    };
    match &file {
        // Its server is the user's, and its rules are what a project can have.
        None if request.scope == Scope::Project
            && request.parts.rules
            && client.rules().is_some_and(|rules| rules.project.is_some()) =>
        {
            None
        }
        None => Some(job(Some(Action::ByHand))),
        Some(file) if !request.remove && is_replaced(client, file) => Some(job(Some(Action::ByHand))),
        Some(_) => Some(job(None)),
    }
}

/// Whether another file takes the place of the client's own.
fn is_replaced(client: &Client, file: &Path) -> bool {
    !file.exists() && client.instead.iter().any(|name| file.with_file_name(name).exists())
}

fn rules_jobs(client: &'static Client, machine: &Machine, request: &Request) -> Vec<Job> {
    let Some(rules) = client.rules() else { return Vec::new() };
    let Some(file) = rules.of_scope(request.scope) else {
        let why = match request.scope {
            Scope::User => "it reads rules only in a project: run setup --project there",
            Scope::Project => "it reads rules only from the user's folder: run setup without --project",
        };
        let given = Some(Action::Skip(why)).filter(|_| !request.remove);
        let job = Job { client, part: Part::Rules, file: None, pieces: Vec::new(), given };
        return if job.given.is_some() { vec![job] } else { Vec::new() };
    };
    let paths = if request.remove {
        let held =
            |path: &PathBuf| holds_rules(path) && !(request.named && is_shared(path, machine, request));
        file.candidates(machine).into_iter().filter(held).collect()
    } else {
        file.path(machine).into_iter().collect::<Vec<_>>()
    };
    let pieces = vec![Piece::Rules(file.form)];
    let job = |path| Job { client, part: Part::Rules, file: Some(path), pieces: pieces.clone(), given: None };
    paths.into_iter().map(job).collect()
}

/// Whether the file has our block, or markers that are broken.
pub fn holds_rules(path: &Path) -> bool {
    let text = path.is_file().then(|| file::read_text(path).ok().flatten()).flatten();
    text.is_some_and(|text| !matches!(block::find_block(&text), Ok(None)))
}

/// Whether a client that is not asked for, and is set up, reads the same file.
fn is_shared(path: &Path, machine: &Machine, request: &Request) -> bool {
    let asked = |client: &Client| request.clients.iter().any(|one| one.id == client.id);
    clients().filter(|client| !asked(client)).any(|client| {
        let file = client.rules().and_then(|rules| rules.of_scope(request.scope));
        file.and_then(|file| file.path(machine)).is_some_and(|other| other == path)
            && is_set_up(client, machine, request)
    })
}

/// Whether our entry is in one of the client's files.
fn is_set_up(client: &'static Client, machine: &Machine, request: &Request) -> bool {
    let files = [client.server_file(machine, request.scope), client.user_file(machine)];
    files.into_iter().flatten().any(|file| {
        let text = file::read_text(&file).ok().flatten().unwrap_or_default();
        let standing = Piece::Server(client).find(&text, request, false).ok().flatten();
        matches!(standing, Some(Standing::Same | Standing::Differs(_)))
    })
}

fn hooks_job(client: &'static Client, machine: &Machine, request: &Request) -> Option<Job> {
    let hooks = client.hooks()?;
    let file = hooks.path(machine, request.scope)?;
    let mut pieces: Vec<Piece> = hooks.events.iter().map(|event| Piece::Hook(hooks, event)).collect();
    if request.remove {
        // The first one may have made the map that holds the others.
        pieces.reverse();
    }
    Some(Job { client, part: Part::Hooks, file: Some(file), pieces, given: None })
}

/// Whether the file has a hook of ours.
pub fn holds_hooks(client: &Client, path: &Path) -> bool {
    let Some(hooks) = client.hooks() else { return false };
    let text = file::read_text(path).ok().flatten().unwrap_or_default();
    hooks.events.iter().any(|event| {
        let target = HookTarget { event: event.name, client: client.id };
        find_hook(&text, target, false).is_ok_and(|found| found.is_some())
    })
}

impl Client {
    /// Its file of that scope.
    pub fn server_file(&self, machine: &Machine, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => self.user_file(machine),
            Scope::Project => self.project_file(machine),
        }
    }
}
