//! Writes the log, and notices when it was changed from outside.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sdl_ledger::{AgentReader, AgentStore, AgentWriter, Clock as _, Error, How, Result, SystemClock};
use serde_json::{Value, json};

use super::seal::{Seal, Stored};
use super::{ANCHOR, Anchor, CUT, Cut, Row, key, number};
use crate::stored::tables::AUDIT;
use crate::stored::{self, RowChange};
use sdl_redact::{self as redact, Level};
use sdl_settings::trust;

/// Maximum number of rows that are kept.
pub(super) const KEPT: u64 = 200_000;
/// Maximum number of cuts that the anchor names; each has its row besides.
const MOST_CUTS: usize = 50;
/// A larger file is not accepted as a head.
const MOST_HEAD_BYTES: u64 = 256 << 10;

/// The log. Rows are in the store of the data that agents own. The key and a second copy of the log's end are in a
/// separate folder.
pub struct Audit {
    dir: PathBuf,
    /// The folder of the store, where damaged ones are set aside.
    pub(super) store_dir: PathBuf,
    state: Mutex<State>,
}

/// The known state of the log while it is open.
pub(super) struct State {
    pub(super) seal: Seal,
    /// Its ends, as the last append left them.
    pub(super) anchor: Anchor,
    /// Why the second copy of the end is older than the log.
    pub(super) unwritten: Option<String>,
    /// The faults that the last check found.
    pub(super) found: Vec<String>,
}

/// A row as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The row itself.
    pub row: Row,
    /// Its hash.
    pub hash: String,
    /// Whether it is unchanged since it was written.
    pub holds: bool,
}

/// The log's state according to the files beside the store.
struct Begun {
    seal: Seal,
    /// The second copy of its end.
    head: Option<Anchor>,
    /// Why the log must have lost rows.
    lost: Option<String>,
    /// Whether the key was there.
    is_known: bool,
}

impl Begun {
    /// Reads the files, or makes a key where there is none.
    fn read(key_file: &Path, head_file: &Path) -> io::Result<Self> {
        let mut lost: Option<String> = None;
        let read = Seal::read(key_file);
        let head = trust::read_private(head_file, MOST_HEAD_BYTES);
        let (seal, head, is_known) = match (read, head) {
            (Ok(Some(seal)), Ok(Some(bytes))) => {
                let head = seal.decoded::<Anchor>(&bytes).filter(|head| head.keyed).map(|head| head.value);
                if head.is_none() {
                    lost = Some("the second copy of its end is not what was written".to_owned());
                }
                (seal, head, true)
            }
            (Ok(Some(seal)), head) => {
                let why = head.err().unwrap_or_else(|| "is missing".to_owned());
                lost = Some(format!("the second copy of its end {why}"));
                (seal, None, true)
            }
            (read, head) => {
                // A first start that was interrupted leaves the end of an empty log without a key.
                let empty = match &head {
                    Ok(None) => true,
                    Ok(Some(bytes)) => {
                        Seal::unchecked::<Anchor>(bytes).is_some_and(|(_, head)| head.head == 0)
                    }
                    Err(_) => false,
                };
                if let Err(why) = &read {
                    lost = Some(format!("its key {why}"));
                } else if !empty {
                    lost = Some("its key is missing".to_owned());
                }
                (Seal::new()?, None, false)
            }
        };
        Ok(Self { seal, head, lost, is_known })
    }
}

impl Audit {
    /// Opens the log whose rows are in `store`. The store is in `store_dir` and was opened as `how` says. The key and
    /// the second copy of the end are in `dir`. Where they and the store don't fit, a row says that the log was cut.
    pub fn open(dir: &Path, store: &AgentStore, store_dir: &Path, how: &How) -> Result<Self> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io { what: "keep the audit log in", path, source }
        };
        trust::make_folder(dir).map_err(failed(dir))?;
        let (key_file, head_file) = (dir.join("key"), dir.join("head"));
        let Begun { seal, head, mut lost, is_known } =
            Begun::read(&key_file, &head_file).map_err(failed(&key_file))?;
        let ends = store.read(|reader| Ends::read(reader, &seal))?;
        let mut anchor = head.clone().unwrap_or_default();
        if lost.is_none() {
            (anchor, lost) = match &head {
                Some(head) => store.read(|reader| ends.after(reader, &seal, head))?,
                None => ends.before_keys(),
            };
        } else if head.is_none()
            && let Some(stored) = ends.anchor.filter(|stored| stored.keyed)
        {
            anchor = stored.value;
        }
        if let How::Rebuilt { set_aside, .. } = how {
            let lost = lost.get_or_insert_with(|| "its store was damaged".to_owned());
            lost.push_str(&format!(
                "; the store before is in {}, and with it the policies, memories and feedback of every repository",
                set_aside.display()
            ));
        }
        let state = State { seal, anchor, unwritten: None, found: Vec::new() };
        let log = Self { dir: dir.to_owned(), store_dir: store_dir.to_owned(), state: Mutex::new(state) };
        let mut state = log.lock();
        if !is_known {
            // The end of an empty log first: with a key, its absence would be a cut.
            if lost.is_none() {
                log.write_head(&mut state);
            }
            state.seal.write(&key_file).map_err(failed(&key_file))?;
        }
        match lost {
            Some(why) => {
                log.write(&mut state, store, &Additions { lost: Some(&why), ..Additions::default() }, KEPT)?;
            }
            // Rows that were committed just before the daemon died, or a log from before keys.
            None if head.as_ref() != Some(&state.anchor) => {
                let (_, bytes) = state.seal.encoded(&state.anchor);
                if state.anchor.head > 0 {
                    store.write(|writer| writer.put(AUDIT, &key(ANCHOR), &bytes))?;
                }
                log.write_head(&mut state);
            }
            None => {}
        }
        drop(state);
        Ok(log)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends rows; their numbers and hashes are filled in. Durable when this returns. Returns the rows' hashes.
    pub(crate) fn append(&self, store: &AgentStore, rows: &[Row]) -> Result<Vec<String>> {
        self.append_keeping(store, rows, KEPT)
    }

    /// Appends rows as [`Self::append`] does, and writes rows of other tables in the same transaction.
    pub(super) fn append_beside(
        &self,
        store: &AgentStore,
        rows: &[Row],
        beside: &[RowChange],
    ) -> Result<Vec<String>> {
        self.write(&mut self.lock(), store, &Additions { rows, beside, lost: None }, KEPT)
    }

    pub(super) fn append_keeping(&self, store: &AgentStore, rows: &[Row], kept: u64) -> Result<Vec<String>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        self.write(&mut self.lock(), store, &Additions { rows, ..Additions::default() }, kept)
    }

    /// Appends rows. A row that says that the log was cut goes first if `lost` says so or if the log's end is not where
    /// it was left.
    pub(super) fn write(
        &self,
        state: &mut State,
        store: &AgentStore,
        added: &Additions<'_>,
        kept: u64,
    ) -> Result<Vec<String>> {
        let (anchor, hashes) = store.write(|writer| {
            stored::write_changes(writer, added.beside)?;
            let mut anchor = state.anchor.clone();
            let last = writer.last(AUDIT)?.map_or(0, |(at, _)| number(at));
            let lost = added.lost.map(str::to_owned).or(displaced_end(writer, state, last)?);
            if let Some(why) = lost {
                let cut = cut_row(&anchor, last, &why);
                anchor.head = anchor.head.max(last);
                let (hash, bytes) = state.seal.encoded(&cut);
                writer.put(AUDIT, &key(cut.seq), &bytes)?;
                (anchor.head, anchor.head_hash) = (cut.seq, hash);
                if anchor.cuts.len() < MOST_CUTS {
                    anchor.cuts.push(Cut { seq: cut.seq, why });
                }
            }
            let mut hashes = Vec::with_capacity(added.rows.len());
            for row in added.rows {
                let row = Row { seq: anchor.head + 1, prev: anchor.head_hash.clone(), ..mask_row(row) };
                let (hash, bytes) = state.seal.encoded(&row);
                writer.put(AUDIT, &key(row.seq), &bytes)?;
                hashes.push(hash.clone());
                if row.decision == super::ACKNOWLEDGED {
                    anchor.cuts.clear();
                }
                (anchor.head, anchor.head_hash) = (row.seq, hash);
            }
            while anchor.head - anchor.dropped > kept {
                let oldest = anchor.dropped + 1;
                if let Some(row) =
                    writer.get(AUDIT, &key(oldest))?.and_then(|bytes| state.seal.decoded::<Row>(bytes))
                {
                    anchor.dropped_hash = row.hash;
                }
                writer.delete(AUDIT, &key(oldest))?;
                anchor.dropped = oldest;
            }
            writer.put(AUDIT, &key(ANCHOR), &state.seal.encoded(&anchor).1)?;
            Ok((anchor, hashes))
        })?;
        state.anchor = anchor;
        self.write_head(state);
        Ok(hashes)
    }

    /// Writes the second copy of the end. The rows are durable already, so a failure is only reported, and the next
    /// append tries again.
    fn write_head(&self, state: &mut State) {
        let written = trust::write_private(&self.dir.join("head"), &state.seal.encoded(&state.anchor).1);
        state.unwritten = written.err().map(|error| {
            tracing::error!(%error, "the end of the audit log can't be written to {}", self.dir.display());
            format!("the second copy of the log's end can't be written: {error}")
        });
    }

    /// Continues from the stored rows: adds a row that says that the log was cut if its end does not fit, and writes
    /// the key and the second copy of the end again.
    pub(super) fn mend_ends(&self, state: &mut State, store: &AgentStore) -> Result<()> {
        if !self.key_holds(&state.seal)
            && let Err(error) = state.seal.write(&self.dir.join("key"))
        {
            tracing::error!(%error, "the key of the audit log can't be written to {}", self.dir.display());
        }
        self.write(state, store, &Additions::default(), KEPT).map(drop)
    }

    /// Reads the second copy of the end from the disk.
    pub(super) fn head(&self, seal: &Seal) -> std::result::Result<Option<Anchor>, String> {
        let Some(bytes) = trust::read_private(&self.dir.join("head"), MOST_HEAD_BYTES)? else {
            return Ok(None);
        };
        match seal.decoded::<Anchor>(&bytes) {
            Some(head) if head.keyed => Ok(Some(head.value)),
            _ => Err("is not what was written".to_owned()),
        }
    }

    /// Whether the key on the disk is still the one in use.
    pub(super) fn key_holds(&self, seal: &Seal) -> bool {
        let probe = b"the same key";
        Seal::read(&self.dir.join("key"))
            .is_ok_and(|key| key.is_some_and(|key| key.hash(probe) == seal.hash(probe)))
    }

    /// Returns the newest rows, oldest first: at most `limit`, and only those of `repo` if it is given.
    pub fn show(&self, store: &AgentStore, repo: Option<&str>, limit: usize) -> Result<Vec<Shown>> {
        let seal = self.lock().seal.clone();
        let mut rows = VecDeque::new();
        store.read(|reader| {
            reader.scan(AUDIT, &key(ANCHOR + 1), &mut |_, bytes| {
                let shown = match seal.decoded::<Row>(bytes) {
                    Some(stored) => Some(Shown { row: stored.value, hash: stored.hash, holds: true }),
                    None => Seal::unchecked(bytes).map(|(hash, row)| Shown { row, hash, holds: false }),
                };
                if let Some(shown) = shown
                    && repo.is_none_or(|repo| shown.row.repo_id == repo)
                {
                    rows.push_back(shown);
                    if rows.len() > limit {
                        rows.pop_front();
                    }
                }
                ControlFlow::Continue(())
            })
        })?;
        Ok(rows.into())
    }

    /// How many rows were ever written.
    pub fn count(&self) -> u64 {
        self.lock().anchor.head
    }

    /// Returns the damage that nobody has acknowledged. A person should see it without having asked for it.
    pub fn concerns(&self) -> Vec<String> {
        let state = self.lock();
        let advice = "see: sdlctl audit verify";
        let cuts =
            state.anchor.cuts.iter().map(|cut| format!("the audit log was cut: {}; {advice}", cut.why));
        let found = state.found.iter().filter(|_| state.anchor.cuts.is_empty());
        let found = found.map(|fault| format!("the audit log is damaged: {fault}; {advice}"));
        cuts.chain(found).chain(state.unwritten.clone()).take(5).collect()
    }
}

/// One transaction's additions.
#[derive(Default)]
pub(super) struct Additions<'a> {
    pub(super) rows: &'a [Row],
    /// Rows of other tables.
    pub(super) beside: &'a [RowChange],
    /// Why the log must have lost rows before these.
    pub(super) lost: Option<&'a str>,
}

/// Returns why the log does not end where the last append left it; none if it does.
fn displaced_end(writer: &AgentWriter<'_>, state: &State, last: u64) -> Result<Option<String>> {
    let stored = writer.get(AUDIT, &key(ANCHOR))?;
    let anchor = stored.and_then(|bytes| state.seal.decoded::<Anchor>(bytes)).filter(|anchor| anchor.keyed);
    Ok(match (stored, anchor) {
        (None, _) if state.anchor.head == 0 && last == 0 => None,
        (None, _) => Some("its end is missing".to_owned()),
        (Some(_), None) => Some("its end is not what was written".to_owned()),
        (Some(_), Some(anchor)) if anchor.value != state.anchor => {
            Some("its end is not where it was left".to_owned())
        }
        (Some(_), Some(_)) if last != state.anchor.head => {
            Some(format!("it ends with row {last}; row {} was written", state.anchor.head))
        }
        (Some(_), Some(_)) => None,
    })
}

/// Returns the row that says that the log was cut.
fn cut_row(anchor: &Anchor, last: u64, why: &str) -> Row {
    Row {
        seq: anchor.head.max(last) + 1,
        at_ms: SystemClock.unix_ms(),
        action: "audit".to_owned(),
        decision: CUT.to_owned(),
        why: vec![why.to_owned()],
        details: json!({ "written": anchor.head, "lastStored": last }),
        prev: anchor.head_hash.clone(),
        ..Row::default()
    }
}

fn mask_row(row: &Row) -> Row {
    let mut row = row.clone();
    // An acknowledgement's faults must stay as they are, because they are compared with faults found later.
    if row.decision != super::ACKNOWLEDGED {
        redact::mask_value(&mut row.details, Level::Likely);
    }
    for text in row.why.iter_mut().chain([&mut row.client]) {
        if let Some(shown) = redact::mask_text(text, Level::Likely) {
            *text = shown;
        }
    }
    row
}

/// How the stored log ends.
struct Ends {
    /// The anchor, if there is a valid one; whether there is anything in its place.
    anchor: Option<Stored<Anchor>>,
    present: bool,
    /// The number of the last row, and its hash if the row is unchanged.
    last: u64,
    last_row: Option<(String, bool)>,
}

impl Ends {
    fn read(reader: &AgentReader<'_>, seal: &Seal) -> Result<Self> {
        let stored = reader.get(AUDIT, &key(ANCHOR))?;
        let last = reader.last(AUDIT)?.filter(|(at, _)| number(at) != ANCHOR);
        let last_row = last.and_then(|(_, bytes)| seal.decoded::<Row>(bytes));
        Ok(Self {
            anchor: stored.and_then(|bytes| seal.decoded(bytes)),
            present: stored.is_some(),
            last: last.map_or(0, |(at, _)| number(at)),
            last_row: last_row.map(|row| (row.hash, row.keyed)),
        })
    }

    /// Returns the ends of a log that was left at `head`, and its faults. Rows that were committed just before the
    /// daemon died may follow, if they are linked to it.
    fn after(
        &self,
        reader: &AgentReader<'_>,
        seal: &Seal,
        head: &Anchor,
    ) -> Result<(Anchor, Option<String>)> {
        let lost = |why: String| Ok((head.clone(), Some(why)));
        let stored = match &self.anchor {
            Some(stored) if stored.keyed => &stored.value,
            None if !self.present && self.last == 0 && head.head == 0 => return Ok((head.clone(), None)),
            None if !self.present && self.last == 0 => {
                return lost(format!("its store is gone; {} rows were written", head.head));
            }
            None if !self.present => return lost("its end is missing".to_owned()),
            _ => return lost("its end is not what was written".to_owned()),
        };
        if stored.head < head.head || self.last != stored.head {
            return lost(format!("it ends with row {}; row {} was written", self.last, head.head));
        }
        let (mut seq, mut prev, mut follows) = (head.head, head.head_hash.clone(), true);
        reader.scan(AUDIT, &key(head.head + 1), &mut |at, bytes| {
            seq += 1;
            follows = match seal.decoded::<Row>(bytes) {
                Some(row) => {
                    let fits = row.keyed && number(at) == seq && row.value.prev == prev;
                    prev = row.hash;
                    fits
                }
                None => false,
            };
            if follows { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if !follows || prev != stored.head_hash {
            return lost(format!("the rows after row {} do not follow it", head.head));
        }
        Ok((stored.clone(), None))
    }

    /// The ends of a log that has no key yet: a new one, or one from before keys were introduced.
    fn before_keys(&self) -> (Anchor, Option<String>) {
        match (&self.anchor, &self.last_row) {
            (None, _) if !self.present && self.last == 0 => (Anchor::default(), None),
            (Some(stored), Some((hash, false)))
                if !stored.keyed && stored.value.head == self.last && stored.value.head_hash == *hash =>
            {
                (Anchor { keyed_from: self.last + 1, ..stored.value.clone() }, None)
            }
            _ => (Anchor::default(), Some("its key and the second copy of its end are missing".to_owned())),
        }
    }
}

/// Formats details the way an acknowledgement keeps them.
pub(super) fn acknowledged_details(faults: &[String], reason: &str) -> Value {
    json!({ "faults": faults, "reason": reason })
}
