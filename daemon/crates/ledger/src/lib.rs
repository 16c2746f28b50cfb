//! The versioned store. Three kinds of LMDB environment, each with one writer at a time:
//!
//! * [`FactsStore`]: facts by content, shared by every repository; * [`Ledger`]: one repository's versions;
//! * [`AgentStore`]: what agents own, which outlives any ledger.
//!
//! Knows no parser, no resolver and no wire: what to store is computed elsewhere and handed in whole.

mod agent;
mod codec;
mod env;
mod error;
mod facts;
mod faults;
mod ledger;
mod lookup;
mod options;
mod store;
mod tables;
mod update;
mod view;

pub use agent::{AgentReader, AgentStore, AgentWriter};
pub use error::{Error, Result};
pub use facts::{EncodedFacts, FactsStats, FactsStore, Pins, Swept, encode};
pub use faults::{Fault, FaultPoint, Faults};
pub use ledger::{
    AgedOut, Batch, Bulk, ChangedKeys, Changes, DumpOptions, Finding, Lease, Ledger, LedgerStats, Opened,
    STORAGE_SCHEMA, Snapshot,
};
pub use lookup::{LookupKey, NAME_LIMIT};
pub use options::{Clock, Options, Retention, SystemClock};
pub use store::How;
pub use update::{FileUpdate, Posting, ResolutionCounts, Resolved};
pub use view::{Counters, NameHit, Named, TermHit, View};
