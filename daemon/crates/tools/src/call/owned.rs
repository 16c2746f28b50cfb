//! The context of an action on what agents own.

use std::cell::RefCell;

use sdl_memory::store::{Asked, Change, Once, change_store};
use sdl_memory::work::session::find_session;
use sdl_memory::{Author, Trouble, sweep_some};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::budget;
use crate::call::context::{Call, ReadCx};
use crate::call::family::Family;
use crate::call::modules::{Module, Modules};
use crate::call::work::session_key;
use crate::{Code, Explained, Repo, ToolError};

/// Tokens of the revision of the store in an answer.
const STAMP: usize = 12;

/// Whose rows a call is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scopes {
    /// Whose row a new one is: a repository's id, or empty for the user.
    pub(crate) own: String,
    /// Whose rows are read: the repository, the other worktrees of it, and the user. None for everyone's.
    pub(crate) read: Option<Vec<String>>,
}

impl Scopes {
    /// Whether the rows of a scope are read.
    pub(crate) fn reads(&self, scope: &str) -> bool {
        self.read.as_ref().is_none_or(|read| read.iter().any(|known| known == scope))
    }
}

/// What a call did to the store, for its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The revision of the store after it; none if nothing was asked of the store.
    pub(crate) revision: Option<u64>,
    /// Whether the answer is that of the same request before.
    pub(crate) replayed: bool,
}

/// A call on what agents own.
pub(crate) struct OwnedCx<'a> {
    /// The call.
    pub(crate) call: &'a Call<'a>,
    /// The repository in one version; none if the call is about none.
    pub(crate) read: Option<&'a ReadCx<'a>>,
    /// Whose rows it is about.
    pub(crate) scopes: &'a Scopes,
    /// The modules that are on.
    pub(crate) modules: Modules,
    /// Who calls.
    pub(crate) author: &'a Author,
    /// The key that the caller gave the request, and the hash of the request.
    pub(crate) once: Option<(&'a str, u64)>,
    pub(crate) outcome: &'a RefCell<Outcome>,
}

impl<'a> OwnedCx<'a> {
    /// The time, in Unix milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        self.call.leases.now()
    }

    /// The repository of the call.
    pub(crate) fn repo(&self) -> Option<&'a dyn Repo> {
        self.read.map(|read| read.repo)
    }

    /// The version that the call answers from. An error without a repository: `what` needs one.
    pub(crate) fn need_code(&self, what: &str) -> Result<&'a ReadCx<'a>, ToolError> {
        self.read.ok_or_else(|| {
            let message = format!("{what} is about code, and no repository is known; give repoId");
            ToolError::new(Code::UnknownRepo, message).at("repoId")
        })
    }

    /// Whether a module is on.
    pub(crate) fn has(&self, module: Module) -> bool {
        self.modules.has(module)
    }

    /// Reads one state of the store.
    pub(crate) fn look<T>(
        &self,
        read: impl FnOnce(&sdl_ledger::AgentReader<'_>) -> Result<T, Trouble>,
    ) -> Result<T, ToolError> {
        self.call.host.agent().read(|reader| Ok(read(reader)))?.map_err(ToolError::from)
    }

    /// Writes in one transaction, which is durable when this returns. A request that was carried out already, by its key, is not
    /// carried out again.
    pub(crate) fn change<T: Serialize + DeserializeOwned>(
        &self,
        work: impl FnMut(&mut Change<'_, '_>) -> Result<T, Trouble>,
    ) -> Result<T, ToolError> {
        self.change_with(self.once.map(|(key, request)| Once { key, request }), work)
    }

    /// The same for a change that does nothing when it is made again, beside the one that has the key of the request.
    pub(crate) fn change_apart<T: Serialize + DeserializeOwned>(
        &self,
        work: impl FnMut(&mut Change<'_, '_>) -> Result<T, Trouble>,
    ) -> Result<T, ToolError> {
        self.change_with(None, work)
    }

    fn change_with<T: Serialize + DeserializeOwned>(
        &self,
        once: Option<Once<'_>>,
        mut work: impl FnMut(&mut Change<'_, '_>) -> Result<T, Trouble>,
    ) -> Result<T, ToolError> {
        let asked = Asked { by: self.author, now_ms: self.now_ms(), once };
        let changed = change_store(self.call.host.agent(), &asked, |change| {
            sweep_some(change)?;
            work(change)
        })?;
        *self.outcome.borrow_mut() = Outcome { revision: Some(changed.revision), replayed: changed.replayed };
        Ok(changed.value)
    }

    /// Returns how many tokens the fields take that the pipeline adds to the answer.
    pub(crate) fn around(&self) -> Result<usize, ToolError> {
        match self.read {
            Some(read) => Ok(read.around()? + STAMP),
            None => Ok(budget::json_tokens(&*self.call.notes.borrow())? + STAMP),
        }
    }

    /// The repository of the call and the other worktrees of it; none without one.
    pub(crate) fn family(&self) -> Family {
        self.repo().map(|repo| Family::of(self.call, repo)).unwrap_or_default()
    }

    /// Adds a note for the caller beside the answer.
    pub(crate) fn note(&self, note: impl Into<String>) {
        match self.read {
            Some(read) => read.note(note),
            None => self.call.note(note),
        }
    }
}

/// Who the caller is, as far as it is known.
pub(crate) fn author_of(call: &Call<'_>) -> Author {
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let session = session_key(call.session);
    let row = session.as_ref().map(|id| call.host.agent().read(|reader| Ok(find_session(reader, id))));
    let row = row.and_then(|found| found.ok()?.ok()?);
    Author {
        session,
        agent: row.and_then(|row| row.agent),
        client: short(&call.session.client),
        principal: call.session.principal.as_ref().map(|known| short(&known.to_string())),
    }
}

impl From<Trouble> for ToolError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused(refusal) => refusal.into(),
            Trouble::Store(error) => error.into(),
            Trouble::Row(error) => Self::internal("storing a row", error),
        }
    }
}
