//! The versioned store. Three kinds of LMDB environment, each with one writer at a time:
//!
//! * [`FactsStore`]: facts by content, shared by every repository; * [`Ledger`]: one repository's versions;
//! * [`AgentStore`]: data that agents own, which outlives any ledger.
//!
//! How a ledger keeps its past: the tables hold the newest version, and each batch notes the rows that it overwrites.
//! The state at version V is the first note made after V, else the present row; ageing out deletes notes.
//!
//! How an incremental index equals one from scratch: resolving a file sees other files through [`LookupKey`]s only, and
//! each key asked is stored. [`Batch::apply_files`] reports which answers changed by value, [`Batch::dependents`] which
//! files asked them.
//!
//! How it stays whole: one writer, one transaction per version. A full map is [`Error::MapFull`] and grows before the
//! next write; a full disk is [`Error::DiskFull`] and changes nothing; damage ([`Error::is_damage`]) is condemned, and
//! the next open sets the files aside.
//!
//! Knows no parser, no resolver and no wire: rows are computed elsewhere and handed in whole.

// The world of the tests outside of this crate is used inside too; it knows the crate by its name.
#[cfg(test)]
extern crate self as sdl_ledger;

mod agent;
mod codec;
mod env;
mod error;
mod facts;
mod faults;
mod invalidation;
mod ledger;
mod lookup;
mod options;
mod share;
mod space;
mod store;
mod tables;
mod update;
mod view;

pub use agent::{AgentReader, AgentStore, AgentWriter};
pub use codec::Public;
pub use env::{Release, lock_within};
pub use error::{Error, Result};
pub use facts::{
    Brief, BriefRow, Briefs, EncodedFacts, FactsStats, FactsStore, Pins, Swept, WideCache, encode_facts,
};
pub use faults::{Fault, FaultPoint, Faults};
pub use invalidation::{Invalidation, NameAnswers};
pub use ledger::{
    AgedOut, Batch, Bulk, ChangedKeys, Changes, DumpOptions, Finding, Intake, Lease, Ledger, LedgerStats,
    Opened, PostingChanges, STORAGE_SCHEMA, Sign, Snapshot, Tally,
};
pub use lookup::{LookupKey, MAX_ASKING_FILES, NAME_LIMIT, name_mark};
pub use options::{Clock, Options, Retention, SystemClock};
pub use share::{EachChunk, MAX_CHUNK_BYTES};
pub use space::{Space, TableSpace};
pub use store::How;
pub use update::{FilePostings, FileUpdate, Posting, ResolutionCounts, Resolved};
pub use view::{Counters, HitFlags, NameHit, Named, SymbolHome, TermHit, View};
