//! Calls that wait until their client sends them again with answers, because it can only be asked in an answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::guard::random_key;
use crate::host::Exchange;

/// Calls of one session that wait at once. One more takes the place of the oldest.
const MOST_OF_SESSION: usize = 16;

/// How long a call waits, in milliseconds.
const PATIENCE_MS: u64 = 10 * 60 * 1_000;

/// The call that is to go on: whose it is, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallMark {
    session: u64,
    tool: String,
    /// Hash of the arguments.
    args: [u8; 32],
}

impl CallMark {
    pub(crate) fn new(session: u64, tool: &str, args: &Map<String, Value>) -> Self {
        let args = Value::Object(args.clone()).to_string();
        Self { session, tool: tool.to_owned(), args: *blake3::hash(args.as_bytes()).as_bytes() }
    }
}

/// A call that waits.
pub(crate) struct Parked {
    /// Whether a person has allowed it where a rule wants that.
    pub(crate) is_confirmed: bool,
    pub(crate) rest: Rest,
}

/// What has to be done with the answers.
pub(crate) enum Rest {
    /// The answer to the question whether the call may be made decides.
    Confirm,
    /// The upstream waits for answers to its questions: under which name the client knows each, and its number.
    Exchange(Box<dyn Exchange>, Vec<(String, u64)>),
    /// The upstream gets the call again with the answers, and with its own state.
    Repeat(Option<String>),
}

/// The calls that wait.
#[derive(Default)]
pub(crate) struct ParkedCalls(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// Grows with each call.
    order: u64,
    by_state: HashMap<String, Waits>,
}

struct Waits {
    mark: CallMark,
    parked: Parked,
    since_ms: u64,
    order: u64,
}

impl ParkedCalls {
    /// Keeps a call, and returns the state that the client must send to go on. None if the system has no randomness for it.
    pub(crate) fn park(&self, mark: CallMark, parked: Parked, now_ms: u64) -> Option<String> {
        let key = random_key().ok()?;
        let state = format!("sdl-{}", blake3::hash(&key).to_hex());
        let dropped = {
            let mut waiting = self.lock();
            let mut dropped = waiting.take_old(now_ms);
            dropped.extend(waiting.make_room(mark.session));
            waiting.order += 1;
            let order = waiting.order;
            waiting.by_state.insert(state.clone(), Waits { mark, parked, since_ms: now_ms, order });
            dropped
        };
        // Without the lock, because an exchange tells its upstream that it is over.
        drop(dropped);
        Some(state)
    }

    /// Takes a call that goes on. None if no call waits under this state, or another one does.
    pub(crate) fn take(&self, state: &str, mark: &CallMark, now_ms: u64) -> Option<Parked> {
        let (found, dropped) = {
            let mut waiting = self.lock();
            let dropped = waiting.take_old(now_ms);
            let is_same = waiting.by_state.get(state).is_some_and(|waits| waits.mark == *mark);
            (if is_same { waiting.by_state.remove(state) } else { None }, dropped)
        };
        drop(dropped);
        found.map(|waits| waits.parked)
    }

    /// Forgets the calls of a session.
    pub(crate) fn session_ended(&self, session: u64) {
        let dropped = {
            let mut waiting = self.lock();
            waiting.take_where(|waits| waits.mark.session == session)
        };
        drop(dropped);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn take_old(&mut self, now_ms: u64) -> Vec<Waits> {
        self.take_where(|waits| now_ms.saturating_sub(waits.since_ms) > PATIENCE_MS)
    }

    fn take_where(&mut self, is_meant: impl Fn(&Waits) -> bool) -> Vec<Waits> {
        self.by_state.extract_if(|_, waits| is_meant(waits)).map(|(_, waits)| waits).collect()
    }

    fn make_room(&mut self, session: u64) -> Option<Waits> {
        let of_session = self.by_state.iter().filter(|(_, waits)| waits.mark.session == session);
        let (count, oldest) =
            of_session.fold((0, None::<(&String, u64)>), |(count, oldest), (state, waits)| {
                let is_older = oldest.is_none_or(|(_, order)| waits.order < order);
                (count + 1, if is_older { Some((state, waits.order)) } else { oldest })
            });
        let oldest = oldest.filter(|_| count >= MOST_OF_SESSION).map(|(state, _)| state.clone())?;
        self.by_state.remove(&oldest)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mark(session: u64, args: &Value) -> CallMark {
        CallMark::new(session, "db_drop", args.as_object().unwrap())
    }

    fn waits() -> Parked {
        Parked { is_confirmed: false, rest: Rest::Repeat(Some("theirs".to_owned())) }
    }

    #[test]
    fn a_call_goes_on_once_and_only_as_the_same_call() {
        let parked = ParkedCalls::default();
        let mine = mark(1, &json!({"a": 1}));
        let state = parked.park(mine.clone(), waits(), 0).unwrap();
        for other in [mark(2, &json!({"a": 1})), mark(1, &json!({"a": 2})), mark(1, &json!({}))] {
            assert!(parked.take(&state, &other, 1).is_none(), "{other:?}");
        }
        assert!(parked.take("theirs", &mine, 1).is_none());
        assert!(parked.take(&state, &mine, 1).is_some());
        assert!(parked.take(&state, &mine, 1).is_none(), "it has gone on already");
    }

    #[test]
    fn calls_that_wait_are_bounded_in_number_and_time() {
        let parked = ParkedCalls::default();
        let other = parked.park(mark(2, &json!({})), waits(), 0).unwrap();
        let states: Vec<String> =
            (0..=MOST_OF_SESSION).map(|_| parked.park(mark(1, &json!({})), waits(), 0).unwrap()).collect();
        assert!(parked.take(&states[0], &mark(1, &json!({})), 1).is_none(), "the oldest made room");
        assert!(parked.take(&states[1], &mark(1, &json!({})), 1).is_some());
        assert!(parked.take(&states[2], &mark(1, &json!({})), PATIENCE_MS + 1).is_none());
        assert!(parked.take(&other, &mark(2, &json!({})), PATIENCE_MS + 1).is_none());
        let state = parked.park(mark(1, &json!({})), waits(), 0).unwrap();
        parked.session_ended(1);
        assert!(parked.take(&state, &mark(1, &json!({})), 0).is_none());
    }
}
