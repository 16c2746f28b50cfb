//! The calls that run on one connection.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::flag::Flag;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Running {
    /// By the daemon's number, each with the flag that is raised at its end.
    calls: Mutex<HashMap<u64, Flag>>,
    /// Questions of the upstream that wait for an answer.
    questions: AtomicU64,
    count: watch::Sender<usize>,
}

/// One call. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Run {
    running: Arc<Running>,
    id: u64,
}

impl Running {
    pub(crate) fn begin(self: &Arc<Self>, id: u64) -> Run {
        self.change(|calls| {
            calls.insert(id, Flag::default());
        });
        Run { running: Arc::clone(self), id }
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<u64, Flag>)) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut calls);
        self.count.send_replace(calls.len());
    }

    /// Takes up a question of the upstream; false if `most` wait already.
    pub(crate) fn begin_question(&self, most: u64) -> bool {
        let next = |open: u64| (open < most).then_some(open + 1);
        self.questions.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).is_ok()
    }

    /// A question is answered, or needs no answer any more.
    pub(crate) fn end_question(&self) {
        self.questions.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether the upstream waits for an answer of its client.
    pub(crate) fn is_asking(&self) -> bool {
        self.questions.load(Ordering::SeqCst) > 0
    }

    /// The call that runs, if it is the only one, and the flag that is raised at its end.
    pub(crate) fn only_one(&self) -> Option<(u64, Flag)> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = calls.iter();
        let (id, over) = all.next()?;
        all.next().is_none().then(|| (*id, over.clone()))
    }

    /// How many run.
    pub(crate) fn watch_count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Waits until none runs.
    pub(crate) async fn none_left(&self) {
        let _ = self.watch_count().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.running.change(|calls| {
            if let Some(over) = calls.remove(&self.id) {
                over.raise();
            }
        });
    }
}
