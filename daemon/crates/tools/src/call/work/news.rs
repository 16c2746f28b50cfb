//! Waiting until somebody sends a message.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::Cancel;

/// Counts what was sent, and wakes those who wait for it.
#[derive(Default)]
pub(crate) struct News {
    sent: Mutex<u64>,
    changed: Condvar,
}

impl News {
    /// The count now. To be read before one looks whether there is anything to wait for.
    pub(crate) fn mark(&self) -> u64 {
        *self.lock()
    }

    /// Wakes all who wait, because something was sent.
    pub(crate) fn announce(&self) {
        *self.lock() += 1;
        self.changed.notify_all();
    }

    /// Waits until something was sent after `mark`, until the time is over, or until nobody wants the answer any more. Returns whether
    /// something was sent.
    pub(crate) fn wait(self: &Arc<Self>, mark: u64, until: Instant, cancel: &Cancel) -> bool {
        let waker = Arc::clone(self);
        let _guard = cancel.on_cancel(move || {
            // With the lock, because it would otherwise be missed between a look and the wait.
            drop(waker.lock());
            waker.changed.notify_all();
        });
        let mut sent = self.lock();
        while *sent == mark && !cancel.is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            sent = self.changed.wait_timeout(sent, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *sent != mark
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_waiter_is_woken_by_what_is_sent_and_by_cancelling() {
        let news = Arc::new(News::default());
        let far = Instant::now() + Duration::from_secs(600);
        let mark = news.mark();
        news.announce();
        assert!(news.wait(mark, far, &Cancel::new()), "sent between the look and the wait");
        for cancels in [false, true] {
            let cancel = Cancel::new();
            let mark = news.mark();
            let woken = std::thread::scope(|scope| {
                let waits = scope.spawn(|| news.wait(mark, far, &cancel));
                if cancels {
                    cancel.cancel()
                } else {
                    news.announce()
                }
                waits.join().unwrap()
            });
            assert_eq!(woken, !cancels);
        }
        assert!(!news.wait(news.mark(), Instant::now(), &Cancel::new()));
    }
}
