//! Cancellation that wakes whoever waits, without polling.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

type Wake = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Shared {
    fired: AtomicBool,
    wakers: Mutex<Wakers>,
}

#[derive(Default)]
struct Wakers {
    next: u64,
    waiting: BTreeMap<u64, Arc<Wake>>,
}

/// Nobody wants the work any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// One request's cancellation and deadline. Clones share the flag.
#[derive(Clone, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
    deadline: Option<Instant>,
    /// See [`Cancel::with_turn`].
    turn: Option<Arc<Wake>>,
}

impl Cancel {
    /// Never cancelled unless someone calls [`Cancel::cancel`].
    pub fn new() -> Self {
        Self::default()
    }

    /// The same flag, with a time after which the work is not wanted any more.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same flag for work that holds one of few places. `give_back` gives the place to others.
    #[must_use]
    pub fn with_turn(mut self, give_back: impl Fn() + Send + Sync + 'static) -> Self {
        self.turn = Some(Arc::new(Box::new(give_back)));
        self
    }

    /// Gives back the place of the work, because from now on it mostly waits for somebody else.
    pub fn give_turn_back(&self) {
        if let Some(give_back) = &self.turn {
            give_back();
        }
    }

    /// When the work is not wanted any more.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns `wanted`, cut to the time that remains until the deadline.
    pub fn at_most(&self, wanted: Duration) -> Duration {
        self.deadline
            .map_or(wanted, |deadline| wanted.min(deadline.saturating_duration_since(Instant::now())))
    }

    /// Cancels the work and wakes everyone who waits on its behalf.
    pub fn cancel(&self) {
        self.shared.fired.store(true, Ordering::SeqCst);
        // The wakers run without the lock, because one may drop its guard, which takes the lock.
        let waiting: Vec<_> = self.wakers().waiting.values().cloned().collect();
        for wake in waiting {
            wake();
        }
    }

    /// Whether it was cancelled or its deadline is over.
    pub fn is_cancelled(&self) -> bool {
        self.shared.fired.load(Ordering::SeqCst) || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// An error if nobody wants the work any more. Loops over many things call it.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Waits until the work is cancelled. The deadline does not end this wait.
    pub async fn cancelled(&self) {
        let mut registered = None;
        poll_fn(|context| {
            let waker = context.waker().clone();
            // The last waker alone counts; registering it wakes it at once if the work is cancelled already.
            registered = Some(self.on_cancel(move || waker.wake_by_ref()));
            if self.shared.fired.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop(registered);
    }

    /// Calls `wake` when the work is cancelled, at once if it is already, until the guard is dropped. The deadline does
    /// not call it: wait no longer than [`Cancel::at_most`].
    pub fn on_cancel(&self, wake: impl Fn() + Send + Sync + 'static) -> WakeGuard {
        let wake: Arc<Wake> = Arc::new(Box::new(wake));
        let key = {
            let mut wakers = self.wakers();
            let key = wakers.next;
            wakers.next += 1;
            wakers.waiting.insert(key, Arc::clone(&wake));
            key
        };
        if self.shared.fired.load(Ordering::SeqCst) {
            wake();
        }
        WakeGuard { shared: Arc::clone(&self.shared), key }
    }

    fn wakers(&self) -> MutexGuard<'_, Wakers> {
        self.shared.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancel")
            .field("fired", &self.is_cancelled())
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// Keeps a waker registered.
#[must_use = "dropping it unregisters the waker"]
pub struct WakeGuard {
    shared: Arc<Shared>,
    key: u64,
}

impl Drop for WakeGuard {
    fn drop(&mut self) {
        let mut wakers = self.shared.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        wakers.waiting.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn wakes_once_registered_and_not_after() {
        let calls = Arc::new(AtomicU32::new(0));
        let cancel = Cancel::new();
        let count = |calls: &Arc<AtomicU32>| {
            let calls = Arc::clone(calls);
            move || {
                calls.fetch_add(1, Ordering::SeqCst);
            }
        };
        drop(cancel.on_cancel(count(&calls)));
        let _kept = cancel.on_cancel(count(&calls));
        cancel.clone().cancel();
        assert_eq!(calls.load(Ordering::SeqCst), 1, "only the one that is still registered");
        let _late = cancel.on_cancel(count(&calls));
        assert_eq!(calls.load(Ordering::SeqCst), 2, "registered after the fact: woken at once");
    }

    #[test]
    fn whoever_awaits_it_is_woken() {
        struct Count(AtomicU32);
        impl std::task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let count = Arc::new(Count(AtomicU32::new(0)));
        let waker = std::task::Waker::from(Arc::clone(&count));
        let mut context = std::task::Context::from_waker(&waker);
        let cancel = Cancel::new().with_deadline(Instant::now());
        let mut waiting = Box::pin(cancel.cancelled());
        assert!(waiting.as_mut().poll(&mut context).is_pending(), "a deadline does not end the wait");
        cancel.cancel();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert!(waiting.as_mut().poll(&mut context).is_ready());
    }

    #[test]
    fn a_deadline_counts_as_cancelled() {
        let cancel = Cancel::new().with_deadline(Instant::now());
        assert!(cancel.is_cancelled());
        assert_eq!(cancel.at_most(Duration::from_secs(1)), Duration::ZERO);
    }
}
