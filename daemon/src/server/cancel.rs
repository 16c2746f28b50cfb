//! A flag that async and blocking code can both watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Tells the code behind a request that nobody wants its result any more. Cheap to clone; all clones are one flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    set: AtomicBool,
    wake: Notify,
}

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag, for good.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Release);
        self.0.wake.notify_waiters();
    }

    /// Whether the flag is set. Costs one load: long loops should ask often.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Acquire)
    }

    /// Waits until the flag is set.
    pub async fn cancelled(&self) {
        loop {
            let wake = self.0.wake.notified();
            if self.is_cancelled() {
                return;
            }
            wake.await;
        }
    }
}
