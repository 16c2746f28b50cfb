//! One forwarded request on its way.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::trouble::Trouble;

/// What an upstream answered: the text of its `result`, or what was wrong.
pub(crate) type Outcome = Result<String, Trouble>;

/// Where a request is.
const QUEUED: u8 = 0;
const SENT: u8 = 1;
const WITHDRAWN: u8 = 2;

/// Follows one request. Shared by the task that waits for the answer and by the connection.
#[derive(Debug)]
pub(crate) struct Track {
    place: AtomicU8,
    outcome: Mutex<Option<Outcome>>,
    /// The newest `params` of a progress notification, without its token. Older ones that nobody took are lost.
    progress: watch::Sender<Option<Arc<str>>>,
}

impl Track {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            place: AtomicU8::new(QUEUED),
            outcome: Mutex::new(None),
            progress: watch::Sender::new(None),
        })
    }

    /// To be called before the first byte leaves. False if the request was withdrawn and must not leave.
    pub(crate) fn leave(&self) -> bool {
        match self.place.compare_exchange(QUEUED, SENT, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => true,
            Err(place) => place == SENT,
        }
    }

    /// Holds the request back. False if it may have left.
    pub(crate) fn withdraw(&self) -> bool {
        match self.place.compare_exchange(QUEUED, WITHDRAWN, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => true,
            Err(place) => place == WITHDRAWN,
        }
    }

    /// Keeps the first outcome.
    pub(crate) fn settle(&self, outcome: Outcome) {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(outcome);
    }

    pub(crate) fn take_outcome(&self) -> Option<Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn report_progress(&self, params: Arc<str>) {
        self.progress.send_replace(Some(params));
    }

    pub(crate) fn progress(&self) -> watch::Receiver<Option<Arc<str>>> {
        self.progress.subscribe()
    }
}

/// A request's parameters as text. Travels with the request through rmcp.
#[derive(Clone, Debug)]
pub(crate) struct RawRequest {
    pub(crate) params: Arc<str>,
    pub(crate) track: Arc<Track>,
    /// What the client can be asked, where that is said with each request.
    pub(crate) client: Option<Map<String, Value>>,
}
