//! Something that happens once, and that many can wait for.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag that is raised once and stays so.
#[derive(Clone, Debug)]
pub(crate) struct Flag(Arc<watch::Sender<bool>>);

impl Default for Flag {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Flag {
    pub(crate) fn raise(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_raised(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the flag is raised.
    pub(crate) async fn raised(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = receiver.wait_for(|raised| *raised).await;
    }
}
