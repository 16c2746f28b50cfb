//! The context that a handler gets: the call, its repository, and one version of the repository.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use sdl_ledger::{Clock as _, Snapshot, SystemClock};
use sdl_model::{RelPath, Version};
use sdl_retrieve::Source;
use sdl_retrieve::part::PartView;

use crate::call::across::Across;
use crate::call::budget;
use crate::call::buffers::{Buffers, Overlay};
use crate::call::leases::{Held, LeaseWrite, Leases};
use crate::call::memos::Memos;
use crate::call::modules::Modules;
use crate::call::names;
use crate::call::origin::Origin;
use crate::call::pins::Pins;
use crate::call::stamp::Stamp;
use crate::call::upstream::{Listed, Rules, UpstreamTools, Verdict, View, Who, lists_of_caller};
use crate::call::usage::{Served, Usage};
use crate::call::work::Work;
use crate::guard::audit::{Decisions, Row};
use crate::guard::policy::Policy;
use crate::host::{ListsOf, policies};
use crate::{Cancel, Candidate, Explained, Host, Progress, Repo, Session, ToolError};

/// One call, as every handler sees it.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The daemon.
    pub(crate) host: &'a dyn Host,
    /// The session of the caller.
    pub(crate) session: &'a Session,
    /// Where long work reports its progress.
    pub(crate) progress: &'a dyn Progress,
    /// Fires when no one waits for the answer any more.
    pub(crate) cancel: &'a Cancel,
    pub(crate) leases: &'a Leases,
    pub(crate) usage: &'a Usage,
    /// The files that this call serves, for the usage counts.
    pub(crate) served: &'a RefCell<Served>,
    /// Notes for the caller beside the answer of an action without a snapshot.
    pub(crate) notes: &'a RefCell<Vec<String>>,
    /// Decisions made on the way: written to the log before the answer goes out.
    pub(crate) decisions: &'a Decisions,
    /// The versions and state that a step of a chain shares with the steps before it.
    pub(crate) pins: Option<&'a Pins>,
    /// Recently computed results.
    pub(crate) memos: &'a Memos,
    /// Unsaved editor buffers.
    pub(crate) buffers: &'a Buffers,
    /// The tools of upstreams.
    pub(crate) upstream: &'a UpstreamTools,
    /// The sessions that are open, and who waits for messages.
    pub(crate) work: &'a Work,
    /// Text that may be added to the answer, for its budget.
    pub(crate) room: &'a str,
    /// What the request says beside its arguments, and the way to the client.
    pub(crate) origin: Origin<'a>,
    /// What the rules say of the call of `tool.call` that this call came by.
    pub(crate) relayed: Option<&'a Verdict>,
}

impl Call<'_> {
    /// Returns an error if no one waits for the answer any more. Loops over many things call it.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        Ok(self.cancel.check()?)
    }

    /// Writes a row to the log at once, after those decided before it. Returns its hash.
    pub(crate) fn log(&self, row: Row) -> Result<String, ToolError> {
        let (log, store) = (self.host.audit(), self.host.agent());
        self.decisions.settle(log, store)?;
        let row = Row { at_ms: SystemClock.unix_ms(), ..self.signed(row) };
        let mut hashes = log.append(store, &[row])?;
        hashes.pop().ok_or_else(|| ToolError::internal("writing the audit log", "no row was written"))
    }

    /// Records a decision that is not about one version of a repository, with the caller.
    pub(crate) fn decide(&self, row: Row) {
        self.decisions.add(self.signed(row));
    }

    /// The row with the caller in it.
    fn signed(&self, row: Row) -> Row {
        let Session { id, client, principal, .. } = self.session;
        let short = |text: &str| text.chars().take(200).collect();
        let principal = principal.as_ref().map_or_else(String::new, |known| short(&known.to_string()));
        Row { session: *id, client: short(client), principal, ..row }
    }

    /// Returns the tools of upstreams that the caller may see.
    pub(crate) fn view(&self) -> Arc<View> {
        self.upstream.view(self.session, &self.origin.way())
    }

    /// Returns which lists of an upstream are the caller's: those for what it can be asked.
    pub(crate) fn lists_of<'k>(&self, upstream: &'k Listed) -> ListsOf<'k> {
        let settings = &self.upstream.gateway.catalog().settings;
        lists_of_caller(
            upstream,
            &self.origin.way(),
            &Rules::new(settings, Who::of(self.session)),
            self.session.id,
        )
    }

    /// Returns the modules that are on for the caller.
    pub(crate) fn modules(&self) -> Modules {
        Rules::new(&self.upstream.gateway.catalog().settings, Who::of(self.session)).modules()
    }

    /// Adds a note for the caller beside the answer. Reads have [`ReadCx::note`], which counts for their budget.
    pub(crate) fn note(&self, note: impl Into<String>) {
        self.notes.borrow_mut().push(note.into());
    }

    /// Adds to the files that this call serves. A failure to count does not fail the call.
    pub(crate) fn serves(&self, add: impl FnOnce(&mut Served)) {
        if let Ok(mut served) = self.served.try_borrow_mut() {
            add(&mut served);
        }
    }

    /// Returns how long an operation that wants `wanted` may take.
    pub(crate) fn at_most(&self, wanted: Duration) -> Duration {
        self.cancel.at_most(wanted)
    }

    /// Returns the advertised name of the action called `name`.
    pub(crate) fn tool(name: &str) -> String {
        names::underscored_name(name)
    }
}

/// A call on a repository.
pub(crate) struct RepoCx<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The repository.
    pub(crate) repo: &'a dyn Repo,
}

/// A call on one version of a repository.
pub(crate) struct ReadCx<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The repository.
    pub(crate) repo: &'a dyn Repo,
    /// The state to answer from: the version, with unsaved buffers over it if there are any.
    pub(crate) source: &'a Source<'a>,
    /// The version alone: for its number, its past, and its stored data.
    pub(crate) snapshot: &'a Snapshot<'a>,
    /// The version's number.
    pub(crate) version: Version,
    /// The unsaved buffers over it.
    pub(crate) overlay: Option<&'a Overlay>,
    /// What the first index has read so far, if the answer is from that. The source reads it, and the snapshot is empty.
    pub(crate) part: Option<&'a PartView<'a>>,
    /// The workspace that is asked in place of a repository.
    pub(crate) across: Option<&'a Across<'a>>,
    /// How many tokens of an answer the pipeline's own fields take.
    pub(crate) reserved: usize,
    /// The lease of the handle in the arguments.
    pub(crate) held: Option<Result<Held, ToolError>>,
    pub(crate) writes: &'a RefCell<Vec<LeaseWrite>>,
    pub(crate) notes: &'a RefCell<Vec<String>>,
}

impl<'a> ReadCx<'a> {
    /// Returns the lease of the handle in the arguments; an error for a handle that holds nothing.
    pub(crate) fn held(&self) -> Result<Held, ToolError> {
        let none = || Err(ToolError::internal("reading a lease", "the action names no handle"));
        self.held.clone().unwrap_or_else(none)
    }

    /// Returns the stamp of the state that is answered from. A client may give it back.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { version: self.version, overlay: self.source.overlay() }
    }

    /// Returns the version that a new handle keeps. Over a workspace it is of the repository whose ledger has the handle.
    pub(crate) fn kept_version(&self) -> Version {
        if self.across.is_some() { self.snapshot.head().unwrap_or(Version(0)) } else { self.version }
    }

    /// Returns the policy of the repository. Over a workspace, what the policies of all its repositories allow.
    pub(crate) fn policy(&self) -> Result<Policy, ToolError> {
        let members = self.across.map_or(&[][..], |across| across.members);
        let Some((first, rest)) = members.split_first() else {
            return policies::repo_policy(self.call.host, self.repo);
        };
        let mut policy = policies::repo_policy(self.call.host, first.repo)?;
        for member in rest {
            policy = policy.below(&policies::repo_policy(self.call.host, member.repo)?);
        }
        Ok(policy)
    }

    /// Adds a note for the caller beside the answer.
    pub(crate) fn note(&self, note: impl Into<String>) {
        self.notes.borrow_mut().push(note.into());
    }

    /// Returns the tokens of the fields that the pipeline adds to the answer: freshness and the notes so far.
    pub(crate) fn around(&self) -> Result<usize, ToolError> {
        Ok(self.reserved + budget::json_tokens(&*self.notes.borrow())? + 4)
    }

    /// Returns the repository with a file of the source, the unsaved buffers over it, and the file's path there.
    pub(crate) fn place_of(&self, path: &RelPath) -> (&'a dyn Repo, Option<&'a Overlay>, RelPath) {
        match self.across.and_then(|across| across.place(path)) {
            Some((member, path)) => (member.repo, member.overlay, path),
            None => (self.repo, self.overlay, path.clone()),
        }
    }

    /// Returns an error over a workspace: `what` is asked of one repository.
    pub(crate) fn only_one(&self, what: &str) -> Result<(), ToolError> {
        let Some(across) = self.across else { return Ok(()) };
        let message =
            format!("{what} is asked of one repository at a time; give one of the candidates as repoId");
        let ids = across.members.iter().map(|member| Candidate::of("repoId", member.repo.id()));
        Err(ToolError::invalid(what, message).or_one_of(ids))
    }

    /// Records a decision on source for the log, with the caller, the request and the version.
    pub(crate) fn decided(&self, row: Row) {
        let repo_id = if row.repo_id.is_empty() { self.repo.id().to_owned() } else { row.repo_id };
        let row = Row { repo_id, version: self.version.to_string(), ..row };
        self.call.decide(row);
    }

    /// Queues a lease to be written once the snapshot is closed.
    pub(crate) fn write(&self, write: LeaseWrite) {
        self.writes.borrow_mut().push(write);
    }
}
