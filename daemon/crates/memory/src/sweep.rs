//! Removes rows that are kept for a time only.
//!
//! The law: an entry of the scratch cache goes at its end, and so does a memory that has one; what can be brought back goes 30 days after it was
//! removed. Nobody has ever seen a row after its end, because reads leave those out. A write removes a bounded number, and a start all.

use crate::notes::{Memory, remove_memory};
use crate::scratch::Scratch;
use crate::store::ends::{self, Ending};
use crate::store::{Change, Row as _, Tables as _, forget_former, former_states};
use crate::tables::ENDS;
use crate::{Result, work};

/// Rows that a write removes, at most.
const PER_WRITE: usize = 16;
/// Rows that one transaction of [`sweep_store`] removes, at most.
const PER_SWEEP: usize = 500;

/// Removes rows that are too old, a bounded number of each kind. Returns how many, which is 0 when all are gone.
pub fn sweep_store(change: &mut Change<'_, '_>) -> Result<usize> {
    Ok(sweep_ended(change, PER_SWEEP)? + work::sweep_rows(change)?)
}

/// Removes some of the rows whose time is over. To be called by every write.
pub fn sweep_some(change: &mut Change<'_, '_>) -> Result<()> {
    sweep_ended(change, PER_WRITE).map(drop)
}

/// Removes rows whose time is over, the earliest first, `most` at most. Returns how many.
fn sweep_ended(change: &mut Change<'_, '_>, most: usize) -> Result<usize> {
    let now_ms = change.now_ms();
    let ended = ends::ended_rows(change.tables(), now_ms, most)?;
    for end in &ended {
        match end.what {
            Ending::Memory => {
                let row = change.tables().row::<Memory>(&end.key)?;
                if let Some(row) = row.filter(|row| row.is_expired(now_ms)) {
                    remove_memory(change, &row)?;
                }
            }
            Ending::Scratch => {
                let row = change.tables().row::<Scratch>(&end.key)?;
                if row.is_some_and(|row| row.is_over(now_ms)) {
                    change.remove::<Scratch>(&end.key)?;
                }
            }
            Ending::Removed => forget_removed(change, &String::from_utf8_lossy(&end.key))?,
        }
        change.delete_bytes(ENDS, &end.entry)?;
    }
    Ok(ended.len())
}

/// Forgets the former states of a removed row, unless it is there again.
fn forget_removed(change: &mut Change<'_, '_>, id: &str) -> Result<()> {
    let formers = former_states(change.tables(), id)?;
    let Some(last) = formers.last().filter(|last| last.removed) else { return Ok(()) };
    let row = serde_json::from_value::<Memory>(last.row.clone());
    let is_back = match row {
        Ok(row) => change.tables().row::<Memory>(&row.key())?.is_some(),
        Err(_) => false,
    };
    // One that was brought back and removed again has a later entry.
    let is_over = change.now_ms().saturating_sub(last.at_ms) >= crate::limits::REMOVED_MS;
    if is_over && !is_back { forget_former(change, id) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use sdl_ledger::{AgentStore, Options};

    use super::*;
    use crate::limits::{DAY_MS, REMOVED_MS};
    use crate::notes::{Details, Draft, Kind, find_memory, restore_memory, store_memory};
    use crate::store::{Asked, change_store, store_revision};
    use crate::{Author, verify_store};

    struct Bench {
        _dir: tempfile::TempDir,
        store: AgentStore,
    }

    impl Bench {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let (store, _) = AgentStore::open(dir.path(), crate::tables::ALL, &Options::default()).unwrap();
            Self { _dir: dir, store }
        }

        fn change<T: serde::Serialize + serde::de::DeserializeOwned>(
            &self,
            now_ms: u64,
            work: impl FnMut(&mut Change<'_, '_>) -> Result<T>,
        ) -> Result<T> {
            let by = Author::default();
            change_store(&self.store, &Asked { by: &by, now_ms, once: None }, work)
                .map(|changed| changed.value)
        }

        fn note(&self, now_ms: u64, title: &str, expires_ms: Option<u64>) -> String {
            let draft = Draft {
                scope: "r".to_owned(),
                title: title.to_owned(),
                content: "A text.".to_owned(),
                tags: None,
                confidence: None,
                anchors: (None, None),
                confirmed: None,
                details: Details::of_kind(Kind::Note),
                agent: None,
                expires_ms,
                supersedes: None,
                version: 0,
            };
            let store = |change: &mut Change<'_, '_>| {
                sweep_some(change)?;
                store_memory(change, None, &draft)
            };
            self.change(now_ms, store).unwrap().id
        }

        fn has(&self, id: &str) -> bool {
            self.store.read(|reader| find_memory(reader, None, id)).unwrap().is_some()
        }

        fn faults(&self) -> Vec<String> {
            self.store.read(|reader| Ok(verify_store(reader))).unwrap().unwrap().faults
        }
    }

    #[test]
    fn a_memory_goes_at_its_end_and_comes_back_for_thirty_days() {
        let bench = Bench::new();
        let id = bench.note(1, "Tokens", Some(10));
        let stays = bench.note(2, "Prices", None);
        assert_eq!(bench.change(9, sweep_store).unwrap(), 0);
        assert!(bench.has(&id));
        bench.note(10, "Another", None);
        assert!(!bench.has(&id), "a write removes rows that are over");
        let scopes = ["r".to_owned()];
        let restore =
            |now_ms: u64| bench.change(now_ms, |change| restore_memory(change, Some(&scopes), &id, 1, None));
        restore(11).unwrap();
        assert!(bench.has(&id));
        assert_eq!(bench.change(12, sweep_store).unwrap(), 0, "it would go at once if it still had its end");
        let memory = bench.store.read(|reader| find_memory(reader, None, &id)).unwrap().unwrap();
        bench.change(13, |change| remove_memory(change, &memory)).unwrap();
        assert_eq!(bench.faults(), Vec::<String>::new());
        bench.change(10 + REMOVED_MS, sweep_store).unwrap();
        let formers =
            |id: &str| bench.store.read(|reader| Ok(former_states(reader, id).unwrap().len())).unwrap();
        assert!(formers(&id) > 0, "the second removal counts");
        bench.change(13 + REMOVED_MS, sweep_store).unwrap();
        assert_eq!(formers(&id), 0);
        assert!(restore(14 + REMOVED_MS).is_err());
        assert!(bench.has(&stays));
        assert_eq!(bench.faults(), Vec::<String>::new());
    }

    #[test]
    fn saying_again_a_memory_that_is_over_stores_it_again() {
        let bench = Bench::new();
        let over: Vec<String> =
            (0..30).map(|nth| bench.note(1, &format!("Note {nth}"), Some(DAY_MS))).collect();
        // More are over than one write removes.
        let again = bench.note(DAY_MS + 1, "Note 29", None);
        assert!(bench.has(&again));
        assert_ne!(again, over[29]);
        assert_eq!(bench.faults(), Vec::<String>::new());
    }

    #[test]
    fn a_sweep_without_work_is_no_change() {
        let bench = Bench::new();
        bench.note(1, "Tokens", None);
        assert_eq!(bench.change(5, sweep_store).unwrap(), 0);
        assert_eq!(bench.store.read(|reader| store_revision(reader)).unwrap(), 1);
    }
}
