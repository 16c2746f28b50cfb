//! Facts by content: one environment that all repositories share.

mod briefs;
mod cache;
mod pins;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use sdl_model::{Body, Facts, FactsKey, Outline};

use crate::codec;
use crate::env::{Env, Reads, Sync, Table};
use crate::store::{self, How, Plan, Upgrade};
use crate::tables::FactsTables;
use crate::{Error, Options, Result};

pub use briefs::{Brief, Briefs};
use cache::OutlineCache;
use pins::PinBoard;
pub use pins::Pins;

const SCHEMA: u32 = 2;
/// Up to schema 1 rows had no checksums. Facts can be made again.
const UPGRADES: &[Upgrade] =
    &[Upgrade { from: 1, run: |txn, tables| tables.iter().try_for_each(|table| txn.clear(*table)) }];
/// The layout of a stored body; a row that begins with another number counts as missing.
const BODY: u8 = 1;
/// The layout of a stored outline: the number of bytes of its briefs, its briefs, the outline.
const OUTLINE: u8 = 2;
/// A transaction is committed when it holds this many bytes, because other writers wait for it.
const TRANSACTION_BYTES: usize = 2 << 20;
/// The number of rows that are swept in one transaction.
const SWEEP_ROWS: usize = 512;
/// The size of a decoded outline, as a multiple of its stored form, roughly.
const DECODED_FACTOR: usize = 4;

/// Facts by content, shared by every repository. `Send + Sync`; keep it in an `Arc`.
pub struct FactsStore {
    tables: FactsTables,
    cache: OutlineCache,
    pins: PinBoard,
    env: Env,
}

/// Encoded facts, ready to be stored. Encoding is the expensive part and needs no store: do it where the facts are
/// made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedFacts {
    outline: Vec<u8>,
    body: Vec<u8>,
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

/// Encodes both halves.
pub fn encode_facts(facts: &Facts) -> Result<EncodedFacts> {
    let mut outline = vec![OUTLINE, 0, 0, 0, 0];
    briefs::write_briefs(&facts.outline, &mut outline);
    let size = (outline.len() as u32 - 5).to_le_bytes();
    outline.splice(1..5, size);
    codec::encode_into("outlines", &facts.outline, &mut outline)?;
    let mut body = vec![BODY];
    codec::encode_into("bodies", &facts.body, &mut body)?;
    Ok(EncodedFacts { outline, body })
}

impl EncodedFacts {
    /// The number of bytes it will take.
    pub fn len(&self) -> usize {
        self.outline.len() + self.body.len()
    }

    /// Never: both halves have at least their layout's number.
    pub fn is_empty(&self) -> bool {
        false
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
        let cache = OutlineCache::new(options.cache_bytes);
        Ok((Self { tables, cache, pins: PinBoard::default(), env }, how))
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
        let FactsTables { outlines, bodies, failures, .. } = self.tables;
        let mut txn = self.env.write()?;
        // After a damaged row nothing is appended.
        let mut end =
            skip_damaged(txn.last(outlines))?.map(|row| row.map(|(key, _)| key.to_vec()).unwrap_or_default());
        let mut stored = 0;
        for (key, facts) in rows {
            if end.as_ref().is_some_and(|end| end[..] < key[..]) {
                txn.append(outlines, key, &facts.outline)?;
                end = Some(key.to_vec());
            } else if has_row(&txn, outlines, key, &facts.outline)?
                && has_row(&txn, bodies, key, &facts.body)?
            {
                continue;
            } else {
                txn.put(outlines, key, &facts.outline)?;
                self.cache.remove(key);
            }
            txn.put(bodies, key, &facts.body)?;
            txn.delete(failures, key)?;
            stored += 1;
        }
        if stored > 0 {
            txn.commit()?;
        }
        Ok(stored)
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
        let txn = self.env.read(None)?;
        let (outlines, bodies, key) = (self.tables.outlines, self.tables.bodies, key.to_bytes());
        let read = || -> Result<bool> {
            let Some((_, outline)) = outline_of(txn.get(outlines, &key)?) else { return Ok(false) };
            let Some(body) = body_of(txn.get(bodies, &key)?) else { return Ok(false) };
            codec::decode_record::<Outline>("outlines", outline)?;
            codec::decode_record::<Body>("bodies", body)?;
            Ok(true)
        };
        Ok(skip_damaged(read())?.unwrap_or(false))
    }

    /// Whether the stored facts of a blob equal these. Missing or damaged facts don't.
    pub fn agrees(&self, key: &FactsKey, facts: &EncodedFacts) -> Result<bool> {
        let (txn, key) = (self.env.read(None)?, key.to_bytes());
        let differs = |table, wanted: &[u8]| {
            let stored = skip_damaged(txn.get(table, &key))?.flatten();
            Ok::<_, Error>(stored.is_some_and(|stored| stored != wanted))
        };
        Ok(!differs(self.tables.outlines, &facts.outline)? && !differs(self.tables.bodies, &facts.body)?)
    }

    /// The outline of a blob. Kept decoded for a while.
    pub fn outline(&self, key: &FactsKey) -> Result<Option<Arc<Outline>>> {
        if let Some(outline) = self.cache.get(key) {
            return Ok(Some(outline));
        }
        let txn = self.env.read(None)?;
        let Some((_, bytes)) = outline_of(txn.get(self.tables.outlines, &key.to_bytes())?) else {
            return Ok(None);
        };
        let outline: Arc<Outline> = Arc::new(codec::decode_record("outlines", bytes)?);
        let bytes = bytes.len() * DECODED_FACTOR;
        drop(txn);
        self.cache.put(*key, Arc::clone(&outline), bytes);
        Ok(Some(outline))
    }

    /// The entries in a list of the definitions of a blob, without decoding its outline.
    pub fn briefs(&self, key: &FactsKey) -> Result<Option<Briefs>> {
        let txn = self.env.read(None)?;
        let stored = outline_of(txn.get(self.tables.outlines, &key.to_bytes())?);
        Ok(stored.map(|(briefs, _)| Briefs::stored(briefs)))
    }

    /// The body of a blob. Decoded again each time: only resolving the file itself needs it.
    pub fn body(&self, key: &FactsKey) -> Result<Option<Body>> {
        let txn = self.env.read(None)?;
        body_of(txn.get(self.tables.bodies, &key.to_bytes())?)
            .map(|bytes| codec::decode_record("bodies", bytes))
            .transpose()
    }

    /// Whether the facts of a blob are stored. Damaged facts count as missing.
    pub fn has(&self, key: &FactsKey) -> Result<bool> {
        let (txn, key) = (self.env.read(None)?, key.to_bytes());
        let outline = skip_damaged(txn.get(self.tables.outlines, &key))?.flatten();
        let body = skip_damaged(txn.get(self.tables.bodies, &key))?.flatten();
        Ok(outline_of(outline).is_some() && body_of(body).is_some())
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
        let FactsTables { outlines, bodies, failures, .. } = self.tables;
        for table in [outlines, failures] {
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
                        if table.spec.name == outlines.spec.name {
                            txn.delete(bodies, key)?;
                            self.cache.remove(key);
                        }
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
        let (cached, cached_bytes) = self.cache.size();
        let mut used_bytes = 0;
        for table in self.tables.all() {
            used_bytes += txn.bytes(table)?;
        }
        Ok(FactsStats {
            facts: txn.entries(self.tables.outlines)?,
            failed: txn.entries(self.tables.failures)?,
            bytes: self.env.used_bytes()?,
            used_bytes,
            cached,
            cached_bytes,
        })
    }

    /// Changes how many bytes of decoded outlines are kept, for example more during a first index.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.cache.set_limit(bytes);
    }

    /// Drops the decoded outlines, because those of a first index are rarely the ones that are needed next.
    pub fn forget_decoded(&self) {
        self.cache.clear();
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

/// A stored body, after its layout's number.
fn body_of(bytes: Option<&[u8]>) -> Option<&[u8]> {
    match bytes {
        Some([BODY, body @ ..]) => Some(body),
        _ => None,
    }
}

/// Briefs and outline of a stored outline.
fn outline_of(bytes: Option<&[u8]>) -> Option<(&[u8], &[u8])> {
    match bytes {
        Some([OUTLINE, b0, b1, b2, b3, rest @ ..]) => {
            rest.split_at_checked(u32::from_le_bytes([*b0, *b1, *b2, *b3]) as usize)
        }
        _ => None,
    }
}
