//! Crawl, watch and barrier: which files a repository consists of, what changed, and when that is known for certain.
//!
//! One [`Hub`] owns the one watcher of the process. Each repository has a [`Tree`], owned by the repository's worker
//! thread, and an [`Inbox`], in which the watcher leaves hints: paths that may have changed. The worker takes a
//! [`Batch`] of them, [`Tree::changes`] looks at the tree and reports how it differs from the known state, the worker
//! reads, resolves and commits, and [`Tree::finish`] releases the barriers that the batch answers for. A caller who
//! must be sure that an answer is fresh calls [`TreeHandle::sync`] first.
//!
//! # Why the barrier holds
//!
//! Claim: when [`TreeHandle::sync`] says [`Synced::Confirmed`], every write to the tree that had finished when it was
//! called is committed. The watcher's events arrive in one queue, in the order in which things happened, and are
//! handled by one thread. The call creates a cookie file whose folder is watched through the same queue.
//!
//! 1. *Hints before cookies.* The handler puts each path into its inbox before it takes the next event. When a cookie
//!    reaches the inboxes, they therefore have every change that the queue had before it. A batch is taken whole, under
//!    the inbox's lock, with the highest cookie that had arrived; it is released when it is committed. A cookie that
//!    arrives with nothing pending and nothing at work is released at once, because everything before it is committed.
//! 2. *A hint covers files without hints.* Files in a folder that is not watched yet make no events. But the folder's
//!    own appearance does, in the folder above, and it happened before them; so the folder is in the batch, and the
//!    worker crawls it. Each folder is watched first and listed then: entries that exist when it is listed are found.
//!    Later ones make an event, which comes after the cookie, or before it and is in the inbox. The crawl runs in the
//!    worker, between taking and committing the batch, so that no cookie overtakes it; and the handler never waits for
//!    it. By induction from the root down, every kept folder is watched or in the inbox, or below one that is.
//! 3. *Watches are not lost unseen.* The watcher names folders by path and the kernel by identity. The table of watches
//!    keeps the two from drifting apart, and a crawl always renews the watches that it passes; the table's module
//!    explains why that is needed. A watch that ends because its folder goes away is announced by the folder above.
//! 4. *Hints only.* Nothing is concluded from an event's kind: the worker looks at the path. An event that comes late,
//!    twice, or under an outdated name costs a look and changes nothing.
//! 5. *Lost events.* An overflow is itself an event, which is in the queue before anything that was not dropped: all
//!    inboxes get a rescan before any later cookie, and barriers under way start over, because their cookie may have
//!    been dropped too. Errors of the watcher are handled in the same way. If a cookie does not come through in time,
//!    its folder is watched again and the cookie is created again.
//! 6. *No events.* Where events can't be had (network file systems, the limit of watches, no watcher at all, a cookie
//!    that can't be created) a barrier puts a rescan into the inbox, and is released with the batch that takes it: that
//!    comparison began after the call. Cookies mean nothing there and are ignored. Such a scan tries now and then to
//!    watch the folders that it passes; cookies count again once all of the tree is watched.
//! 7. *Git's index.* Which files git tracks decides whether they belong to the tree when git's patterns ignore them.
//!    The index's folder is watched through the same queue, before the index is read. When its list of paths changes,
//!    the paths among them that the patterns exclude are looked at again, with the rest of the batch.
//! 8. *Not complete, not released.* When the tree can't be looked at for a reason that says nothing about it (no more
//!    file descriptors), or the commit fails, the batch's barriers stay unreleased and the tree is compared again
//!    later.
//!
//! The crate can't see writes through a memory mapping until the file is closed, and a file system that is mounted over
//! a watched folder, both until the next rescan.

#![forbid(unsafe_code)]

mod clock;
mod cookie;
mod crawl;
mod disk;
mod error;
mod fake;
mod fs_type;
mod git;
mod handle;
mod hub;
mod inbox;
mod plain;
#[cfg(target_os = "linux")]
mod quiet;
mod read;
mod reconcile;
mod root;
mod router;
mod rules;
mod scanned;
mod source;
mod table;
mod tree;

pub use clock::{Clock, ManualClock, SystemClock};
pub use crawl::{Crawl, Found, Listing, shorten_middle};
pub use error::{Problem, ReadError, RootError};
pub use fake::FakeWatcher;
pub use git::{GitData, GitRefused};
pub use handle::{Synced, Ticket, TreeHandle, WatchKind, WatchStatus};
pub use hub::{Hub, HubConfig, RootOptions};
pub use inbox::{Attempt, Batch, Inbox, Limits, Rescan, Serial, Settle, Step, Turn, Waited};
pub use read::{FileRead, Reader};
pub use reconcile::{
    Difference, Known, KnownFile, Merge, NothingKnown, is_racy, needs_read, reconcile_files,
};
pub use root::{CanonicalRoot, RootContext, check_root};
pub use router::{RootId, Sink};
pub use source::{Source, SystemSource, WatchError};
pub use tree::{Changes, Tree};
