//! A root's handle for everybody but its worker: ask for barriers and status.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::disk::identity_of;
use crate::hub::Hub;
use crate::inbox::{Attempt, Inbox, Rescan, Serial, Waited};
use crate::router::{RootId, Route, lock_mutex};

/// How a root is kept up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// By events.
    Watching,
    /// By comparing the tree for each barrier.
    Scanning {
        /// The reason, the remedy, and when watching is tried again.
        reason: String,
    },
}

/// A root's state, for status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchStatus {
    /// How it is kept up to date.
    pub kind: WatchKind,
    /// The number of watched folders.
    pub watches: usize,
    /// When its last event came, in nanoseconds since 1970.
    pub last_event_ns: Option<i64>,
}

/// How [`TreeHandle::sync`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// Every write that had finished before the call is committed.
    Confirmed,
    /// That could not be confirmed in time.
    TimedOut,
    /// The attempt that was asked for failed.
    Failed,
    /// The root was removed.
    Closed,
}

/// A barrier that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub serial: Serial,
    epoch: u64,
}

/// A root's handle for barriers and status. Clones are the same root.
#[derive(Clone)]
pub struct TreeHandle {
    pub(crate) hub: Hub,
    pub(crate) route: Arc<Route>,
}

impl TreeHandle {
    /// The root's id.
    pub fn id(&self) -> RootId {
        self.route.id
    }

    /// The root's path.
    pub fn root(&self) -> &Path {
        &self.route.path
    }

    /// Its pending changes.
    pub fn inbox(&self) -> &Arc<Inbox> {
        &self.route.inbox
    }

    /// Asks for a barrier: a cookie, or a scan where there are no events to trust.
    pub fn request(&self) -> Ticket {
        let inbox = &self.route.inbox;
        let epoch = inbox.epoch();
        self.check_root();
        let (serial, result) = self.hub.0.router.cookies.issue(|| self.hub.0.repair_cookies());
        if self.route.is_scanning() || result.is_err() {
            inbox.arrive_by_scan(serial);
        }
        inbox.want(serial);
        Ticket { serial, epoch }
    }

    /// Waits for a barrier.
    pub fn wait(&self, ticket: Ticket, deadline: Instant) -> Waited {
        self.route.inbox.wait_epoch(ticket.serial, ticket.epoch, deadline)
    }

    /// Blocks until every write that finished before this call is committed. Lost events start it over.
    pub fn sync(&self, deadline: Instant) -> Synced {
        self.sync_attempt(None, deadline)
    }

    /// As [`Self::sync`] after a failure: has the worker try at once, however long it was to wait, and ends when that
    /// attempt has failed too.
    pub fn sync_now(&self, deadline: Instant) -> Synced {
        self.sync_attempt(Some(self.attempt()), deadline)
    }

    /// Has the worker try at once after a failure; the number of that attempt.
    pub fn attempt(&self) -> Attempt {
        self.route.inbox.try_now()
    }

    /// As [`Self::sync`], and ends when `attempt` or a later one has failed.
    pub fn sync_attempt(&self, attempt: Option<Attempt>, deadline: Instant) -> Synced {
        let config = &self.hub.0.config;
        let mut patience = config.cookie_patience;
        loop {
            let ticket = self.request();
            let until = (config.clock.now() + patience).min(deadline);
            let wait = |until| self.route.inbox.wait_attempt(ticket.serial, ticket.epoch, attempt, until);
            let mut waited = wait(until);
            if waited == Waited::TimedOut && until < deadline {
                if self.route.inbox.has_arrived(ticket.serial) {
                    // The cookie has arrived, so only the worker is busy.
                    waited = wait(deadline);
                } else {
                    tracing::warn!("a cookie did not come through; its folder is watched again");
                    let _ = self.hub.0.repair_cookies();
                    patience *= 2;
                    continue;
                }
            }
            match waited {
                Waited::Released => return Synced::Confirmed,
                Waited::TimedOut => return Synced::TimedOut,
                Waited::Failed => return Synced::Failed,
                Waited::Closed => return Synced::Closed,
                Waited::Aborted => {}
            }
        }
    }

    /// Asks for a comparison of the whole tree.
    pub fn rescan(&self) {
        self.route.inbox.ask_rescan(Rescan::Requested);
    }

    /// Checks that the root is still the same folder, because one that was moved, replaced or unmounted sends no
    /// event about it.
    fn check_root(&self) {
        let known = *lock_mutex(&self.route.identity);
        if known.is_some() && identity_of(&self.route.path).ok() != known {
            *lock_mutex(&self.route.identity) = None;
            self.route.inbox.ask_rescan(Rescan::Root);
        }
    }

    /// How the root is kept up to date.
    pub fn status(&self) -> WatchStatus {
        let now = self.hub.0.config.clock.now();
        let reason = lock_mutex(&self.route.scanning).as_ref().map(|scanned| scanned.reason(now));
        let last = self.route.last_event_ns.load(Ordering::Relaxed);
        WatchStatus {
            kind: reason.map_or(WatchKind::Watching, |reason| WatchKind::Scanning { reason }),
            watches: self.route.watches.load(Ordering::Relaxed),
            last_event_ns: (last != 0).then_some(last),
        }
    }
}
