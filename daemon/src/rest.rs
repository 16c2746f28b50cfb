//! Gives memory back after requests that read much, such as an overview of a whole tree.
//!
//! The allocator keeps freed memory, and a repository's worker gives it back only after changes of files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A request that takes this long has read much.
const LONG: Duration = Duration::from_millis(500);
/// So much later, because the next request may need the same.
const AFTER: Duration = Duration::from_secs(5);

/// Plans to give memory back. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Rest {
    is_planned: Arc<AtomicBool>,
}

impl Rest {
    /// Notes that a request took this long. After a long one, calls `give_back` once on a thread that may block, however many
    /// such requests there are until then. To be called on the runtime.
    pub(crate) fn note_request(&self, took: Duration, give_back: impl FnOnce() + Send + 'static) {
        if took < LONG || self.is_planned.swap(true, Ordering::AcqRel) {
            return;
        }
        let is_planned = Arc::clone(&self.is_planned);
        tokio::spawn(async move {
            tokio::time::sleep(AFTER).await;
            is_planned.store(false, Ordering::Release);
            // If the runtime ends before it is done, so does the process.
            let _ = tokio::task::spawn_blocking(give_back).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn once_after_long_requests() {
        let (rest, times) = (Rest::default(), Arc::new(AtomicU32::new(0)));
        let note = |took| {
            let times = Arc::clone(&times);
            rest.note_request(took, move || _ = times.fetch_add(1, Ordering::SeqCst));
        };
        // The paused clock goes on once every task waits and the thread that may block is done.
        let settle = async || {
            tokio::time::sleep(AFTER * 2).await;
            times.load(Ordering::SeqCst)
        };
        note(LONG / 2);
        assert_eq!(settle().await, 0, "nothing was long");
        note(LONG);
        note(LONG * 3);
        assert_eq!(settle().await, 1, "one plan for both");
        note(LONG);
        assert_eq!(settle().await, 2, "and one for the next");
    }
}
