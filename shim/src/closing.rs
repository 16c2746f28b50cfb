//! Knows whether the end has come.

use std::sync::Arc;

use tokio::sync::watch;

/// Set once the client will not send anything any more. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Closing(Arc<watch::Sender<bool>>);

impl Closing {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn close(&self) {
        self.0.send_replace(true);
    }

    /// Waits for the end.
    pub(crate) async fn closed(&self) {
        let mut watched = self.0.subscribe();
        let _ = watched.wait_for(|closed| *closed).await;
    }
}
