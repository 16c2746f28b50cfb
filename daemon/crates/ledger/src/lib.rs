//! The versioned store. Two kinds of LMDB environment, each with one writer at a time:
//!
//! * [`FactsStore`]: facts by content, shared by every repository; * [`Ledger`]: one repository's versions.
//!
//! Knows no parser, no resolver and no wire: what to store is computed elsewhere and handed in whole.

mod error;
mod lookup;
mod update;
mod view;

pub use error::{Error, Result};
pub use lookup::{LookupKey, NAME_LIMIT};
pub use update::{FileUpdate, Posting, ResolutionCounts, Resolved};
pub use view::{Counters, NameHit, Named, TermHit, View};
