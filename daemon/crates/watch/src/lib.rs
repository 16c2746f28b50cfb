//! Crawl, watch and barrier.

mod clock;
mod cookie;
mod crawl;
mod disk;
mod error;
mod fake;
mod fs_type;
mod git;
mod hub;
mod inbox;
#[cfg(target_os = "linux")]
mod quiet;
mod read;
mod reconcile;
mod root;
mod rules;
mod source;
mod table;
mod tree;

pub use clock::{Clock, ManualClock, SystemClock};
pub use crawl::{Crawl, Found, Listing};
pub use error::{Problem, ReadError, RootError};
pub use fake::FakeWatcher;
pub use hub::{
    Hub, HubConfig, RootId, RootOptions, Sink, Synced, Ticket, TreeHandle, WatchKind, WatchStatus,
};
pub use inbox::{Batch, Inbox, Limits, Rescan, Serial, Settle, Step, Waited};
pub use read::{FileRead, Reader};
pub use reconcile::{Difference, Known, KnownFile, Merge, NothingKnown, is_racy, needs_read, reconcile};
pub use root::{CanonicalRoot, RootContext, check_root};
pub use source::{Source, SystemSource, WatchError};
pub use tree::{Changes, Tree};
