//! Requests to the gate that wait for their answer.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sdl_proto::WireError;
use sdl_tools::host::Question;
use sdl_tools::{Cancel, Progress};

/// What a waiting thread hears.
pub(super) enum News {
    /// A report of progress.
    Progress(Vec<u8>),
    /// The upstream asks something.
    Asked(Question),
    /// A question needs no answer any more.
    Withdrawn(u64),
    /// The answer. Nothing comes after it.
    Answer(Result<Vec<u8>, WireError>),
    /// Nobody waits for the answer any more.
    Cancelled,
}

/// The requests that wait. Each has a thread that waits with it.
#[derive(Default)]
pub(super) struct Pending(Mutex<State>);

#[derive(Default)]
struct State {
    next: u64,
    waiting: HashMap<u64, Sender<News>>,
}

/// One that waits. Forgotten when it is dropped.
pub(super) struct Waiting {
    pending: Arc<Pending>,
    pub(super) id: u64,
    news: Receiver<News>,
    sender: Sender<News>,
}

/// What happens to a request.
pub(super) enum Next {
    /// It is answered.
    Answer(Result<Vec<u8>, WireError>),
    /// The upstream asks something.
    Asked(Question),
    /// A question needs no answer any more.
    Withdrawn(u64),
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// The caller has gone.
    Cancelled,
    /// It took too long.
    TooLong,
}

impl Pending {
    /// Takes up a request. None if `most` wait already.
    pub(super) fn begin(self: &Arc<Self>, most: usize) -> Option<Waiting> {
        let mut state = self.lock();
        if state.waiting.len() >= most {
            return None;
        }
        state.next += 1;
        let id = state.next;
        let (sender, news) = channel();
        state.waiting.insert(id, sender.clone());
        drop(state);
        Some(Waiting { pending: Arc::clone(self), id, news, sender })
    }

    /// Passes on what the gate says about a request; returns whether somebody waits for it. Late answers go nowhere.
    pub(super) fn tell(&self, id: u64, news: News) -> bool {
        let mut state = self.lock();
        let waiting = match &news {
            News::Answer(_) => state.waiting.remove(&id),
            News::Progress(_) | News::Asked(_) | News::Withdrawn(_) | News::Cancelled => {
                state.waiting.get(&id).cloned()
            }
        };
        drop(state);
        // One that has just given up hears nothing any more.
        waiting.is_some_and(|waiting| waiting.send(news).is_ok())
    }

    /// Answers all requests with an error: the gate is gone.
    pub(super) fn fail_all(&self, error: &WireError) {
        let waiting: Vec<Sender<News>> = self.lock().waiting.drain().map(|(_, sender)| sender).collect();
        for sender in waiting {
            let _ = sender.send(News::Answer(Err(error.clone())));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Waits for the answer, and reports progress meanwhile.
    pub(super) fn wait(
        &self,
        patience: Duration,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Result<Vec<u8>, WireError>, Unanswered> {
        let until = Instant::now() + patience;
        loop {
            if let Next::Answer(answer) = self.next(until, progress, cancel)? {
                return Ok(answer);
            }
        }
    }

    /// Waits for the next thing that is no progress.
    pub(super) fn next(
        &self,
        until: Instant,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Next, Unanswered> {
        let sender = self.sender.clone();
        let _guard = cancel.on_cancel(move || {
            let _ = sender.send(News::Cancelled);
        });
        let until = Instant::now() + cancel.at_most(until.saturating_duration_since(Instant::now()));
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(News::Progress(report)) => progress.forward(&report),
                Ok(News::Asked(question)) => return Ok(Next::Asked(question)),
                Ok(News::Withdrawn(question)) => return Ok(Next::Withdrawn(question)),
                Ok(News::Answer(answer)) => return Ok(Next::Answer(answer)),
                Ok(News::Cancelled) => return Err(Unanswered::Cancelled),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Err(Unanswered::TooLong);
                }
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.pending.lock().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use sdl_tools::NoProgress;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn each_request_gets_its_own_answer_once() {
        let pending = Arc::<Pending>::default();
        let (one, other) = (pending.begin(2).unwrap(), pending.begin(2).unwrap());
        assert!(pending.begin(2).is_none(), "there are two already");
        pending.tell(other.id, News::Answer(Ok(b"other".to_vec())));
        pending.tell(other.id, News::Answer(Ok(b"again".to_vec())));
        pending.tell(one.id, News::Answer(Ok(b"one".to_vec())));
        let cancel = Cancel::new();
        assert_eq!(one.wait(LONG, &NoProgress, &cancel), Ok(Ok(b"one".to_vec())));
        assert_eq!(other.wait(LONG, &NoProgress, &cancel), Ok(Ok(b"other".to_vec())));
        assert!(pending.begin(2).is_some(), "answered ones take no place");
    }

    #[test]
    fn whoever_gives_up_is_woken_and_forgotten() {
        let pending = Arc::<Pending>::default();
        let cancel = Cancel::new();
        cancel.cancel();
        let waiting = pending.begin(1).unwrap();
        assert_eq!(waiting.wait(LONG, &NoProgress, &cancel), Err(Unanswered::Cancelled));
        drop(waiting);
        let late = Cancel::new().with_deadline(std::time::Instant::now());
        let waiting = pending.begin(1).unwrap();
        assert_eq!(waiting.wait(LONG, &NoProgress, &late), Err(Unanswered::TooLong));
    }

    #[test]
    fn all_hear_that_the_gate_is_gone() {
        let pending = Arc::<Pending>::default();
        let waiting = pending.begin(1).unwrap();
        let error = WireError::new("outcomeUnknown", "it ended");
        pending.fail_all(&error);
        assert_eq!(waiting.wait(LONG, &NoProgress, &Cancel::new()), Ok(Err(error)));
    }
}
