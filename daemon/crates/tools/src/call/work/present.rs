//! The sessions that are open now.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_model::ids::stable_hash;

use crate::Session;

/// Files and symbols that are remembered of one session, the latest ones.
const MOST_TOUCHED: usize = 400;
/// Sessions that are remembered; the one that was silent longest is dropped.
const MOST_SESSIONS: usize = 256;
/// For how long something counts as touched, in milliseconds.
const TOUCHED_MS: u64 = 2 * 60 * 60 * 1_000;

/// Returns the id of a session: of the run of its client, on behalf of whom it calls. None for a client that has no runs, such as
/// `sdlctl`.
pub(crate) fn session_key(session: &Session) -> Option<String> {
    let run = session.run.get()?;
    let principal = session.principal.as_ref().map(ToString::to_string).unwrap_or_default();
    let hash = stable_hash(&[&run.to_be_bytes(), principal.as_bytes()]);
    Some(format!("{}{}", sdl_memory::work::session::PREFIX, sdl_memory::encode_number(hash)))
}

/// A file or a symbol that a session was served, or pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) repo: String,
    /// A path, or a symbol's id.
    pub(crate) name: String,
    /// Unix milliseconds.
    pub(crate) at_ms: u64,
}

#[derive(Default)]
struct One {
    connections: BTreeSet<u64>,
    last_call_ms: u64,
    /// The latest at the end.
    touched: VecDeque<Touched>,
    /// The messages that it was shown the beginning of.
    hinted: BTreeSet<String>,
}

/// The sessions that are open now.
#[derive(Default)]
pub(crate) struct Present(Mutex<BTreeMap<String, One>>);

impl Present {
    /// Notes a call.
    pub(crate) fn note_call(&self, id: &str, connection: u64, now_ms: u64) {
        let mut all = self.lock();
        let one = all.entry(id.to_owned()).or_default();
        one.connections.insert(connection);
        one.last_call_ms = now_ms;
        if all.len() > MOST_SESSIONS {
            let silent = all.iter().min_by_key(|(_, one)| one.last_call_ms).map(|(id, _)| id.clone());
            silent.and_then(|id| all.remove(&id));
        }
    }

    /// Notes files and symbols that a session was served.
    pub(crate) fn touch(&self, id: &str, repo: &str, names: impl IntoIterator<Item = String>, now_ms: u64) {
        let mut all = self.lock();
        let Some(one) = all.get_mut(id) else { return };
        for name in names {
            one.touched.retain(|known| known.name != name || known.repo != repo);
            one.touched.push_back(Touched { repo: repo.to_owned(), name, at_ms: now_ms });
        }
        let above = one.touched.len().saturating_sub(MOST_TOUCHED);
        one.touched.drain(..above);
    }

    /// What a session touched lately, the latest first.
    pub(crate) fn touched_by(&self, id: &str, now_ms: u64) -> Vec<Touched> {
        let all = self.lock();
        let touched = all.get(id).into_iter().flat_map(|one| one.touched.iter().rev());
        touched.filter(|touched| now_ms.saturating_sub(touched.at_ms) <= TOUCHED_MS).cloned().collect()
    }

    /// The sessions that are open now.
    pub(crate) fn open_keys(&self) -> Vec<String> {
        self.lock().iter().filter(|(_, one)| !one.connections.is_empty()).map(|(id, _)| id.clone()).collect()
    }

    /// When a session called last, in Unix milliseconds; none if it has not since the daemon was started.
    pub(crate) fn last_call_ms(&self, id: &str) -> Option<u64> {
        self.lock().get(id).map(|one| one.last_call_ms)
    }

    /// Whether a session is shown the beginning of a message for the first time.
    pub(crate) fn hint(&self, id: &str, message: &str) -> bool {
        self.lock().get_mut(id).is_some_and(|one| one.hinted.insert(message.to_owned()))
    }

    /// Notes that a connection is closed. Returns the session that has no other one.
    pub(crate) fn connection_ended(&self, connection: u64) -> Option<String> {
        let mut all = self.lock();
        let (id, one) = all.iter_mut().find(|(_, one)| one.connections.contains(&connection))?;
        one.connections.remove(&connection);
        one.connections.is_empty().then(|| id.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, One>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use sdl_contract::ClientRun;

    #[test]
    fn a_session_is_a_run_and_ends_with_its_last_connection() {
        let session = |id, run| Session { id, cwd: None, client: "c".into(), principal: None, run };
        assert_eq!(session_key(&session(1, ClientRun::default())), None);
        let key = session_key(&session(1, ClientRun::of(7))).unwrap();
        assert_eq!(session_key(&session(2, ClientRun::of(7))).as_deref(), Some(&*key));
        assert_ne!(session_key(&session(1, ClientRun::of(8))).as_deref(), Some(&*key));
        let present = Present::default();
        present.note_call(&key, 1, 10);
        present.note_call(&key, 2, 20);
        present.touch(&key, "shop", ["a".to_owned(), "b".to_owned(), "a".to_owned()], 20);
        let touched: Vec<_> = present.touched_by(&key, 30).into_iter().map(|touched| touched.name).collect();
        assert_eq!(touched, ["a", "b"]);
        assert!(present.touched_by(&key, 21 + TOUCHED_MS).is_empty());
        assert!(present.hint(&key, "msg_1") && !present.hint(&key, "msg_1"));
        assert_eq!(present.connection_ended(1), None);
        assert_eq!(present.open_keys(), [key.as_str()]);
        assert_eq!(present.connection_ended(2), Some(key.clone()));
        assert!(present.open_keys().is_empty());
        assert_eq!(present.last_call_ms(&key), Some(20));
    }
}
