mod delivery;
mod dispatches;
mod rows;

use sdl_ledger::{AgentStore, Options};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::session::{Joined, Seen};
use super::*;
use crate::store::{Asked, Change, change_store};
use crate::{Author, Trouble, tables};

/// A store, and the time in it.
struct Bench {
    _dir: tempfile::TempDir,
    store: AgentStore,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap();
        Self { _dir: dir, store }
    }

    fn change<T: Serialize + DeserializeOwned>(
        &self,
        (by, now_ms): (&Author, u64),
        work: impl FnMut(&mut Change<'_, '_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        change_store(&self.store, &Asked { by, now_ms, once: None }, work).map(|changed| changed.value)
    }

    fn look<T>(&self, read: impl FnOnce(&sdl_ledger::AgentReader<'_>) -> Result<T, Trouble>) -> T {
        self.store.read(|reader| Ok(read(reader).unwrap())).unwrap()
    }

    /// Has a session with an agent join.
    fn join(&self, session: &str, agent: &str, now_ms: u64) -> Author {
        let by = author(session, agent);
        let seen = Seen { id: session.to_owned(), client: "test".to_owned(), ..Seen::default() };
        let joined = Joined { agent: agent.to_owned(), ..Joined::default() };
        self.change((&by, now_ms), |change| session::join_session(change, &seen, &joined)).unwrap();
        by
    }
}

fn author(session: &str, agent: &str) -> Author {
    Author { session: Some(session.to_owned()), agent: Some(agent.to_owned()), ..Author::default() }
}
