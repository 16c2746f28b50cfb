//! Facts by content: one environment that all repositories share.

mod briefs;
mod cache;
mod pins;
mod share;
mod stored;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use sdl_model::{Body, Facts, FactsKey, Outline};

use crate::env::{Env, Reads, Sync, Table, TableSpec};
use crate::store::{self, How, Plan, Upgrade};
use crate::tables::FactsTables;
use crate::{Error, Options, Release, Result, Space};

pub use briefs::{Brief, BriefRow, Briefs};
use cache::DecodedCache;
use pins::PinBoard;
pub use pins::Pins;
use stored::StoredFacts;
pub use stored::{EncodedFacts, encode_facts};

const SCHEMA: u32 = 3;
/// Up to schema 1 rows had no checksums; up to schema 2 outlines and bodies had tables of their own. Facts can be made
/// again.
const UPGRADES: &[Upgrade] = &[
    Upgrade { from: 1, run: |_, _| Ok(()) },
    Upgrade {
        from: 2,
        run: |txn, tables| {
            for spec in FORMER {
                if let Some(table) = txn.find_table(spec)? {
                    txn.clear(table)?;
                }
            }
            tables.iter().try_for_each(|table| txn.clear(*table))
        },
    },
];
/// The tables of schema 2 that are no longer used.
const FORMER: [TableSpec; 2] = [
    TableSpec { name: "outlines", generation: 0, item: 0, sealed: true },
    TableSpec { name: "bodies", generation: 0, item: 0, sealed: true },
];
/// A transaction is committed when it holds this many bytes, because other writers wait for it.
const TRANSACTION_BYTES: usize = 2 << 20;
/// The bytes of briefs that are kept decoded; a definition takes, for example, 27 and its names.
const BRIEFS_BYTES: usize = 16 << 20;
/// The number of rows that are swept in one transaction.
const SWEEP_ROWS: usize = 512;

/// Facts by content, shared by every repository. `Send + Sync`; keep it in an `Arc`.
pub struct FactsStore {
    tables: FactsTables,
    outlines: DecodedCache<Arc<Outline>>,
    briefs: DecodedCache<Briefs>,
    pins: PinBoard,
    env: Env,
}

/// The result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Rows that were kept.
    pub kept: u64,
    /// Rows that were removed.
    pub removed: u64,
}

/// The contents of the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactsStats {
    /// Blobs with facts.
    pub facts: u64,
    /// Blobs that could not be parsed.
    pub failed: u64,
    /// Bytes of the data file that are or were in use.
    pub bytes: u64,
    /// Bytes of it that are in use.
    pub used_bytes: u64,
    /// Decoded outlines in memory.
    pub cached: usize,
    /// The approximate number of bytes that those take.
    pub cached_bytes: usize,
}

/// As long as it lives, a store keeps more decoded outlines than usual.
pub struct WideCache<'s> {
    outlines: &'s DecodedCache<Arc<Outline>>,
}

impl Drop for WideCache<'_> {
    fn drop(&mut self) {
        self.outlines.lower_limit();
    }
}

impl FactsStore {
    /// Opens the store in `dir`, creating it if need be. A damaged store is set aside: its facts are parsed again.
    pub fn open(dir: &Path, options: &Options) -> Result<(Self, How)> {
        // Synced only when closed, because extracting facts again after a crash is cheaper than a sync for each
        // commit.
        let sync = Sync::WhenClosed;
        let plan = Plan { schema: SCHEMA, tables: FactsTables::SPECS, sync, upgrades: UPGRADES };
        let (env, tables, how) = store::open_store(dir, &plan, options)?;
        let tables = FactsTables::bind(&tables).ok_or(Error::Misuse("tables missing"))?;
        let outlines = DecodedCache::new(options.cache_bytes);
        let briefs = DecodedCache::new(BRIEFS_BYTES);
        Ok((Self { tables, outlines, briefs, pins: PinBoard::default(), env }, how))
    }

    /// Stores facts that are missing, or that differ from those given; returns how many. Encodes them here: where facts
    /// are made in parallel, encode them there and use [`Self::put_encoded`].
    pub fn put_many(&self, facts: &[(FactsKey, &Facts)]) -> Result<usize> {
        let encoded =
            facts.iter().map(|(key, facts)| Ok((*key, encode_facts(facts)?))).collect::<Result<Vec<_>>>()?;
        self.put_encoded(&encoded)
    }

    /// Stores facts that are missing, or that differ from those given; returns how many.
    pub fn put_encoded(&self, facts: &[(FactsKey, EncodedFacts)]) -> Result<usize> {
        let mut rows: Vec<_> = facts.iter().map(|(key, facts)| (key.to_bytes(), facts)).collect();
        rows.sort_unstable_by_key(|(key, _)| *key);
        self.pins.touch(facts.iter().map(|(key, _)| *key));
        let mut stored = 0;
        let mut rest = &rows[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let part = rest.iter().take_while(|(_, facts)| {
                let room = bytes < TRANSACTION_BYTES;
                bytes += facts.len();
                room
            });
            let (part, later) = rest.split_at(part.count());
            stored += self.env.retry(|| self.put_part(part))?;
            rest = later;
        }
        Ok(stored)
    }

    fn put_part(&self, rows: &[([u8; 37], &EncodedFacts)]) -> Result<usize> {
        let FactsTables { facts: table, failures, .. } = self.tables;
        let mut txn = self.env.write()?;
        // After a damaged row nothing is appended.
        let mut end =
            skip_damaged(txn.last(table))?.map(|row| row.map(|(key, _)| key.to_vec()).unwrap_or_default());
        let mut stored = 0;
        for (key, facts) in rows {
            if end.as_ref().is_some_and(|end| end[..] < key[..]) {
                txn.append(table, key, &facts.row)?;
                end = Some(key.to_vec());
            } else if has_row(&txn, table, key, &facts.row)? {
                continue;
            } else {
                txn.put(table, key, &facts.row)?;
                self.forget(key);
            }
            txn.delete(failures, key)?;
            stored += 1;
        }
        if stored > 0 {
            txn.commit()?;
        }
        Ok(stored)
    }

    /// What `read` makes of a blob's row; none if there is no row.
    fn with_row<T>(
        &self,
        key: &FactsKey,
        read: impl FnOnce(StoredFacts<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let txn = self.env.read(None)?;
        StoredFacts::of(txn.get(self.tables.facts, &key.to_bytes())?)?.map(read).transpose()
    }

    /// Both halves of a blob's facts. Damage is an error, here and below, because a reader who follows a version's
    /// names would take missing facts for an empty file.
    pub fn facts(&self, key: &FactsKey) -> Result<Option<Facts>> {
        let (Some(outline), Some(body)) = (self.outline(key)?, self.body(key)?) else { return Ok(None) };
        Ok(Some(Facts { outline: Outline::clone(&outline), body }))
    }

    /// Both halves of a blob's facts, for a caller who has the blob: damaged facts count as missing.
    pub fn sound_facts(&self, key: &FactsKey) -> Result<Option<Facts>> {
        let facts = skip_damaged(self.facts(key))?;
        if facts.is_none() {
            tracing::warn!(content = %key.content, "stored facts are damaged; they are extracted again");
        }
        Ok(facts.flatten())
    }

    /// Whether the stored facts of a blob exist and can be read.
    pub fn is_sound(&self, key: &FactsKey) -> Result<bool> {
        let read = self.with_row(key, |stored| {
            stored.briefs()?;
            stored.outline()?;
            stored.body().map(drop)
        });
        Ok(skip_damaged(read)?.flatten().is_some())
    }

    /// Whether no sound facts of a blob differ from these. Missing or damaged facts don't.
    pub fn agrees(&self, key: &FactsKey, facts: &EncodedFacts) -> Result<bool> {
        let Some(wanted) = StoredFacts::of(Some(&facts.row))? else { return Ok(false) };
        let agrees = self.with_row(key, |stored| stored.agrees(wanted));
        Ok(skip_damaged(agrees)?.flatten().unwrap_or(true))
    }

    /// The outline of a blob. Kept decoded for a while.
    pub fn outline(&self, key: &FactsKey) -> Result<Option<Arc<Outline>>> {
        if let Some(outline) = self.outlines.get(key) {
            return Ok(Some(outline));
        }
        let read =
            self.with_row(key, |stored| Ok((Arc::new(stored.outline()?), stored.decoded_outline())))?;
        let Some((outline, bytes)) = read else { return Ok(None) };
        self.outlines.put(*key, Arc::clone(&outline), bytes);
        Ok(Some(outline))
    }

    /// The entries in a list of the definitions of a blob, without decoding its outline. Kept decoded for a while: a card or a
    /// page of results names the same headers again and again.
    pub fn briefs(&self, key: &FactsKey) -> Result<Option<Briefs>> {
        if let Some(briefs) = self.briefs.get(key) {
            return Ok(Some(briefs));
        }
        let read = self.with_row(key, |stored| stored.briefs())?;
        if let Some(briefs) = &read {
            self.briefs.put(*key, briefs.clone(), briefs.bytes());
        }
        Ok(read)
    }

    /// Lets go of everything that was decoded from the row under these bytes.
    fn forget(&self, key: &[u8]) {
        self.outlines.remove(key);
        self.briefs.remove(key);
    }

    /// The body of a blob. Decoded again each time: only resolving the file itself needs it.
    pub fn body(&self, key: &FactsKey) -> Result<Option<Body>> {
        self.with_row(key, |stored| stored.body())
    }

    /// Whether the facts of a blob are stored. Damaged facts count as missing.
    pub fn has(&self, key: &FactsKey) -> Result<bool> {
        Ok(skip_damaged(self.with_row(key, |_| Ok(())))?.flatten().is_some())
    }

    /// Notes that a blob can't be parsed, so that it is not tried again.
    pub fn mark_failed(&self, key: &FactsKey, why: &str) -> Result<()> {
        self.pins.touch([*key]);
        self.env.retry(|| {
            let mut txn = self.env.write()?;
            txn.put(self.tables.failures, &key.to_bytes(), why.as_bytes())?;
            txn.commit()
        })
    }

    /// The reason why a blob can't be parsed, if that was tried.
    pub fn failed(&self, key: &FactsKey) -> Result<Option<String>> {
        let txn = self.env.read(None)?;
        let why = txn.get(self.tables.failures, &key.to_bytes())?;
        Ok(why.map(|why| String::from_utf8_lossy(why).into_owned()))
    }

    /// Keeps facts from being swept until the pins are dropped. Pin the facts that a batch names before asking
    /// [`Self::has`] or storing it, and drop the pins when the batch is committed.
    pub fn pin(&self, keys: &[FactsKey]) -> Pins<'_> {
        self.pins.pin(keys)
    }

    /// Removes the facts that no kept version of any repository names. `live` collects the names in use, and is called
    /// after the sweep has begun: facts that are pinned, unpinned or stored from then on are spared.
    pub fn sweep(&self, live: impl FnOnce() -> Result<HashSet<FactsKey>>) -> Result<Swept> {
        let sweeping = self.pins.begin_sweep()?;
        let live: HashSet<[u8; 37]> = live()?.into_iter().map(FactsKey::to_bytes).collect();
        let mut swept = Swept::default();
        let FactsTables { facts, failures, .. } = self.tables;
        for table in [facts, failures] {
            let mut from = Vec::new();
            while let Some(next) = self.env.retry(|| {
                let (part, next) = self.dead(table, &from, &live)?;
                let (mut removed, mut kept) = (0, part.kept);
                if !part.dead.is_empty() {
                    let mut txn = self.env.write()?;
                    // Held until the commit, because a caller that pins one of these later must no longer find it.
                    let held = sweeping.hold();
                    for key in &part.dead {
                        if held.spares(key) {
                            kept += 1;
                            continue;
                        }
                        txn.delete(table, key)?;
                        self.forget(key);
                        removed += 1;
                    }
                    txn.commit()?;
                }
                swept.kept += kept;
                swept.removed += removed;
                Ok::<_, Error>(next)
            })? {
                from = next;
            }
        }
        Ok(swept)
    }

    /// Looks at some rows from `from` on; returns where to go on.
    fn dead(&self, table: Table, from: &[u8], live: &HashSet<[u8; 37]>) -> Result<(Part, Option<Vec<u8>>)> {
        let txn = self.env.read(None)?;
        let mut part = Part::default();
        let mut next = None;
        let mut seen = 0;
        txn.keys(table, from, &mut |key| {
            if seen == SWEEP_ROWS {
                next = Some(key.to_vec());
                return Ok(std::ops::ControlFlow::Break(()));
            }
            seen += 1;
            if <&[u8; 37]>::try_from(key).is_ok_and(|key| live.contains(key)) {
                part.kept += 1;
            } else {
                part.dead.push(key.to_vec());
            }
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        Ok((part, next))
    }

    /// Counts the contents of the store.
    pub fn stats(&self) -> Result<FactsStats> {
        let txn = self.env.read(None)?;
        let (cached, cached_bytes) = self.outlines.size();
        let mut used_bytes = 0;
        for table in self.tables.all() {
            used_bytes += txn.bytes(table)?;
        }
        Ok(FactsStats {
            facts: txn.entries(self.tables.facts)?,
            failed: txn.entries(self.tables.failures)?,
            bytes: self.env.used_bytes()?,
            used_bytes,
            cached,
            cached_bytes,
        })
    }

    /// Measures how much room the store takes. Reads all of it.
    pub fn space(&self) -> Result<Space> {
        Space::of(&self.env, self.tables.all())
    }

    /// Changes how many bytes of decoded outlines are kept.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.outlines.set_limit(bytes);
    }

    /// Keeps up to `bytes` of decoded outlines until the result is dropped. Without it, for example, a first index of C decodes
    /// a common header thousands of times.
    pub fn widen_cache(&self, bytes: usize) -> WideCache<'_> {
        self.outlines.raise_limit(bytes);
        WideCache { outlines: &self.outlines }
    }

    /// Drops the decoded facts, because those of a first index are rarely the ones that are needed next.
    pub fn forget_decoded(&self) {
        self.outlines.clear();
        self.briefs.clear();
    }

    /// Gives the memory back that the store keeps for the pages of large transactions: [`crate::Ledger::release_pages`].
    ///
    /// # Errors
    /// As there.
    pub fn release_pages(&self) -> Result<Release> {
        self.env.release_pages()
    }

    /// Notes that the stored data is damaged: the next open sets it aside.
    pub fn condemn(&self, why: &str) -> Result<()> {
        self.env.condemn(why)
    }
}

/// None for a row that is damaged.
fn skip_damaged<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Error::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a row exists and equals this one.
fn has_row(reads: &impl Reads, table: Table, key: &[u8], value: &[u8]) -> Result<bool> {
    Ok(skip_damaged(reads.get(table, key))?.flatten() == Some(value))
}

#[derive(Default)]
struct Part {
    kept: u64,
    dead: Vec<Vec<u8>>,
}
