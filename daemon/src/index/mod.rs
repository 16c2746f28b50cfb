//! From a tree to a version: read files, take their facts, resolve what changed, commit.
//!
//! * [`read_file`]: one file -> one update; * [`commit`]: a batch of updates -> the next version;
//! * [`wide_change`]: a batch of many updates -> the next version; * [`large_change`]: most of the tree -> the next version;
//! * [`extent`] tells these three apart;
//! * [`first_index`]: a whole tree -> the first version, and [`pace`] when that will be done;
//! * [`budget`] bounds the memory of all of these: [`portions`] and [`spread`] split the work to fit it.
//!
//! Knows nothing of watching, requests or the wire.

pub mod budget;
pub mod commit;
pub mod extent;
pub mod first_index;
pub mod git_head;
pub mod large_change;
pub mod memory;
pub mod pace;
pub mod portions;
pub mod read_file;
mod resolve;
pub mod spread;
pub mod wide_change;

use budget::Budget;
use sdl_ledger::{FactsStore, FileUpdate, Ledger};
use sdl_model::Version;

/// The stores that a repository's index lives in.
#[derive(Clone, Copy)]
pub struct Stores<'a> {
    /// The repository's versions.
    pub ledger: &'a Ledger,
    /// The facts, shared with the other repositories.
    pub facts: &'a FactsStore,
    /// The memory that indexing may take.
    pub budget: Budget,
}

/// The outcome of committing a change in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// It is done. None: nothing that belongs to a version changed.
    Done(Option<Version>),
    /// The caller wants to stop. Nothing was changed.
    GivenUp,
    /// Another way is better, because very many files asked about the change. Nothing was changed.
    TooManyAsked,
}

/// Why a transaction ends early.
enum Early {
    GivenUp,
    TooManyAsked,
    Failed(sdl_ledger::Error),
}

impl From<sdl_ledger::Error> for Early {
    fn from(error: sdl_ledger::Error) -> Self {
        Self::Failed(error)
    }
}

impl Committed {
    fn of(written: Result<Option<Version>, Early>) -> sdl_ledger::Result<Self> {
        match written {
            Ok(version) => Ok(Self::Done(version)),
            Err(Early::GivenUp) => Ok(Self::GivenUp),
            Err(Early::TooManyAsked) => Ok(Self::TooManyAsked),
            Err(Early::Failed(error)) => Err(error),
        }
    }
}

/// How many files a step read and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Files that differ from the version before.
    pub changed: u64,
    /// Files whose facts were extracted now.
    pub parsed: u64,
    /// Files whose facts were known already, changed or not.
    pub reused: u64,
}

impl Tally {
    /// Counts one outcome.
    pub fn count(&mut self, outcome: &read_file::Outcome) {
        match outcome {
            read_file::Outcome::Changed { update, parsed } => {
                self.changed += 1;
                match parsed {
                    Some(_) => self.parsed += 1,
                    None if update.facts.is_some() => self.reused += 1,
                    None => {}
                }
            }
            read_file::Outcome::Same { parsed: Some(_), .. } => self.parsed += 1,
            read_file::Outcome::Same { stat: Some(_), .. } => self.reused += 1,
            // An entry that is not read, such as a symbolic link.
            read_file::Outcome::Same { .. } => {}
            read_file::Outcome::Absent | read_file::Outcome::Again => {}
        }
    }
}

/// Unix milliseconds now, for the time that a version row shows to people.
pub fn now_ms() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

/// Stores the facts of `updates` that are not there. Called after the facts were pinned, because a sweep may have
/// removed some between the lookup and the pin.
pub(crate) fn put_missing<'u>(
    facts: &FactsStore,
    updates: impl Iterator<Item = &'u FileUpdate>,
) -> sdl_ledger::Result<()> {
    for update in updates {
        let key = update.row.as_ref().and_then(|row| row.state.facts());
        if let (Some(key), Some(held)) = (key, &update.facts)
            && !facts.has(&key)?
        {
            facts.put_many(&[(key, held)])?;
        }
    }
    Ok(())
}
