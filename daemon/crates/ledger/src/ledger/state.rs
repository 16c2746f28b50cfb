//! The small record of a ledger's state.

use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;

use sdl_model::{GitHead, Incarnation, Version};
use serde::{Deserialize, Serialize};

use crate::codec::{self, id_at, id_key};
use crate::env::{Reads, Table, Write};
use crate::tables::LedgerTables;
use crate::{Counters, Error, Result};

const STATE: &[u8] = b"state";
const COUNTERS: &[u8] = b"counters";
const GIT: &[u8] = b"git";
const LIVE: &[u8] = b"live";
const UNBORN: &[u8] = b"unborn";

/// One of the two sets of content tables that a ledger has. One of them is live: it holds the newest version. The other
/// is empty but for the time in which a large change builds the next version there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The first set, which alone existed up to schema 6.
    #[default]
    First,
    /// The second set.
    Second,
}

impl Generation {
    /// The other set.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// The state of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Drawn when it was created.
    pub(crate) incarnation: Incarnation,
    /// The last number given out; at first the time of creation.
    pub(crate) last: Version,
    /// The newest version; none before the first is finished.
    pub(crate) head: Option<Version>,
    /// The oldest version that can be answered from.
    pub(crate) floor: Option<Version>,
    /// Whether the tables hold rows of an unfinished load.
    pub(crate) staged: bool,
    /// The generation that holds the newest version. Stored in a row of its own.
    #[serde(skip)]
    pub(crate) live: Generation,
}

impl State {
    /// A new ledger's.
    pub(crate) fn new(created_ms: u64) -> Self {
        // Seeded by the system; one hash of it is as random as it gets without another dependency.
        let random = RandomState::new().hash_one(created_ms) as u32;
        Self {
            incarnation: Incarnation(random),
            last: Version(created_ms.max(1)),
            head: None,
            floor: None,
            staged: false,
            live: Generation::First,
        }
    }

    /// Reads it; none in a ledger that was just created.
    pub(crate) fn load(reads: &impl Reads, tables: &LedgerTables) -> Result<Option<Self>> {
        let Some(bytes) = reads.get(tables.meta, STATE)? else { return Ok(None) };
        let live = match reads.get(tables.meta, LIVE)? {
            None | Some([0]) => Generation::First,
            Some([1]) => Generation::Second,
            Some(_) => return Err(codec::corrupt_record("meta", "an unknown generation is live")),
        };
        Ok(Some(Self { live, ..codec::decode_record("meta", bytes)? }))
    }

    /// Reads it where it must be.
    pub(crate) fn load_existing(reads: &impl Reads, tables: &LedgerTables) -> Result<Self> {
        Self::load(reads, tables)?.ok_or_else(|| codec::corrupt_record("meta", "the state is missing"))
    }

    /// Writes it.
    pub(crate) fn store(&self, txn: &mut Write<'_>, tables: &LedgerTables) -> Result<()> {
        txn.put(tables.meta, STATE, &codec::encode_record("meta", self)?)?;
        txn.put(tables.meta, LIVE, &[self.live as u8])
    }
}

/// The version whose history is being written ahead of its row; none unless a large change is under way or was cut
/// short.
pub(crate) fn unborn(reads: &impl Reads, tables: &LedgerTables) -> Result<Option<Version>> {
    reads.get(tables.meta, UNBORN)?.map(|bytes| Ok(Version(id_at("meta", bytes)?))).transpose()
}

/// Notes that version.
pub(crate) fn store_unborn(
    txn: &mut Write<'_>,
    tables: &LedgerTables,
    version: Option<Version>,
) -> Result<()> {
    match version {
        Some(version) => txn.put(tables.meta, UNBORN, &id_key(version.0)),
        None => txn.delete(tables.meta, UNBORN).map(drop),
    }
}

/// The totals.
pub(crate) fn read_counters(reads: &impl Reads, tables: &LedgerTables) -> Result<Counters> {
    reads
        .get(tables.meta, COUNTERS)?
        .map_or_else(|| Ok(Counters::default()), |bytes| codec::decode_record("meta", bytes))
}

/// Keeps the leases and the numbers of versions, and forgets everything else, because up to schema 3 rows had no
/// checksums and nothing shows which of them are sound.
pub(crate) fn seal_leases(txn: &mut Write<'_>, tables: &[Table]) -> Result<()> {
    forget_content(txn, tables, Table::unsealed)
}

/// Up to schema 4 the ledger did not say which names a file's resolution left open, up to schema 5 not which modules it
/// imports, and up to schema 8 not which definitions of a name have a body. Forgets everything that is made from the tree,
/// so that it is made again. Version numbers go on where they were.
pub(crate) fn start_over(txn: &mut Write<'_>, tables: &[Table]) -> Result<()> {
    forget_content(txn, tables, |table| table)
}

/// Up to schema 7 LMDB itself sorted the values of a key. Starts over, and removes the tables that it did so in.
pub(crate) fn drop_former_lists(txn: &mut Write<'_>, tables: &[Table]) -> Result<()> {
    for table in tables.iter().filter(|table| table.spec.item > 0 && table.spec.generation == 0) {
        txn.forget_table(table.spec.name)?;
        txn.forget_table(&format!("{}.1", table.spec.name))?;
    }
    start_over(txn, tables)
}

/// Keeps the leases and the numbers of versions, which `stored` tables hold, and forgets everything else.
fn forget_content(txn: &mut Write<'_>, tables: &[Table], stored: fn(Table) -> Table) -> Result<()> {
    let [tables, second] = LedgerTables::bind_both(tables).ok_or(Error::Misuse("tables missing"))?;
    let old: Option<State> =
        txn.get(stored(tables.meta), STATE)?.map(|bytes| codec::decode_record("meta", bytes)).transpose()?;
    let mut leases = Vec::new();
    txn.scan(stored(tables.leases), &[], &mut |key, value| {
        leases.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })?;
    for table in tables.all().chain(second.of_content()) {
        txn.clear(table)?;
    }
    if let Some(old) = old {
        State { head: None, floor: None, staged: false, ..old }.store(txn, &tables)?;
    }
    leases.iter().try_for_each(|(key, value)| txn.put(tables.leases, key, value))
}

/// Writes the totals.
pub(crate) fn store_counters(txn: &mut Write<'_>, tables: &LedgerTables, counters: &Counters) -> Result<()> {
    txn.put(tables.meta, COUNTERS, &codec::encode_record("meta", counters)?)
}

/// The HEAD that the newest version recorded.
pub(crate) fn git_head(reads: &impl Reads, tables: &LedgerTables) -> Result<Option<GitHead>> {
    reads.get(tables.meta, GIT)?.map_or(Ok(None), |bytes| codec::decode_record("meta", bytes))
}

/// Writes that HEAD.
pub(crate) fn store_git_head(
    txn: &mut Write<'_>,
    tables: &LedgerTables,
    head: Option<&GitHead>,
) -> Result<()> {
    txn.put(tables.meta, GIT, &codec::encode_record("meta", &head)?)
}
