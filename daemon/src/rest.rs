//! Gives memory back after requests.
//!
//! They leave decoded outlines, and freed memory that the allocator keeps. A repository's worker gives both back, but only after
//! changes of files.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A request that takes this long has read much, such as an overview of a whole tree.
const LONG: Duration = Duration::from_millis(500);
/// So long after it memory is given back, because the next request may need the same.
const AFTER: Duration = Duration::from_secs(5);
/// So long after the last request, long or not. Most agents think for less, and then ask about the same code.
const QUIET: Duration = Duration::from_secs(120);

/// Plans to give memory back. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Rest {
    plan: Arc<Mutex<Plan>>,
}

/// When to give memory back.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    /// After the first long request since the last time.
    after_long: Option<Instant>,
    /// After the last request.
    when_quiet: Option<Instant>,
    /// A task follows the plan.
    is_followed: bool,
}

impl Plan {
    /// The next time to look at the plan, no later than [`AFTER`] from now, because a long request may come. None ends the task.
    fn next_look(&mut self, now: Instant) -> Option<Instant> {
        let next = self.after_long.into_iter().chain(self.when_quiet).min();
        self.is_followed = next.is_some();
        next.map(|next| next.min(now + AFTER))
    }

    /// Crosses off the times that have come. Returns whether there were any.
    fn take_due(&mut self, now: Instant) -> bool {
        let due =
            [&mut self.after_long, &mut self.when_quiet].map(|at| at.take_if(|at| *at <= now).is_some());
        due.contains(&true)
    }
}

impl Rest {
    /// Notes that a request took this long. Calls `give_back` on a thread that may block: [`AFTER`] the first of some long requests,
    /// and [`QUIET`] after the last request. To be called on the runtime.
    pub(crate) fn note_request(&self, took: Duration, give_back: impl Fn() + Clone + Send + 'static) {
        let now = Instant::now();
        let mut plan = self.plan();
        plan.when_quiet = Some(now + QUIET);
        if took >= LONG {
            plan.after_long.get_or_insert(now + AFTER);
        }
        if !std::mem::replace(&mut plan.is_followed, true) {
            tokio::spawn(self.clone().follow_plan(give_back));
        }
    }

    async fn follow_plan(self, give_back: impl Fn() + Clone + Send + 'static) {
        loop {
            let Some(next) = self.plan().next_look(Instant::now()) else { return };
            tokio::time::sleep_until(next).await;
            let is_due = self.plan().take_due(Instant::now());
            if is_due {
                // If the runtime ends before it is done, so does the process.
                let _ = tokio::task::spawn_blocking(give_back.clone()).await;
            }
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Counts how often memory was given back.
    #[derive(Clone, Default)]
    struct Counter(Arc<AtomicU32>);

    impl Counter {
        fn note(&self, rest: &Rest, took: Duration) {
            let times = Arc::clone(&self.0);
            rest.note_request(took, move || _ = times.fetch_add(1, Ordering::SeqCst));
        }

        /// The paused clock goes on once every task waits and the thread that may block is done.
        async fn after(&self, time: Duration) -> u32 {
            tokio::time::sleep(time).await;
            self.0.load(Ordering::SeqCst)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn once_after_long_requests_and_once_when_all_is_quiet() {
        let (rest, counter) = (Rest::default(), Counter::default());
        counter.note(&rest, LONG);
        assert_eq!(counter.after(AFTER / 2).await, 0, "the next may need the same");
        counter.note(&rest, LONG * 3);
        assert_eq!(counter.after(AFTER / 2 + SECOND).await, 1, "one plan for both");
        assert_eq!(counter.after(QUIET / 2).await, 1);
        assert_eq!(counter.after(QUIET).await, 2, "it is quiet");
        assert_eq!(counter.after(QUIET * 9).await, 2, "and nothing is decoded any more");
        counter.note(&rest, LONG);
        assert_eq!(counter.after(AFTER + SECOND).await, 3, "the next one begins another plan");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_go_on_put_the_quiet_off_and_a_long_one_is_not_missed() {
        let (rest, counter) = (Rest::default(), Counter::default());
        for _ in 0..10 {
            counter.note(&rest, LONG / 2);
            assert_eq!(counter.after(QUIET / 2).await, 0);
        }
        counter.note(&rest, LONG);
        assert_eq!(counter.after(AFTER + SECOND).await, 1);
        assert_eq!(counter.after(QUIET).await, 2);
    }
}
