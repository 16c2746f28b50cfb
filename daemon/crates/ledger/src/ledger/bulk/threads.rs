//! Loads tables on several threads: two sort and pack rows, which takes longer than to store them, and a third one stores them.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Builder};

use super::loader::Loader;
use super::sinks::{Place, Sink, Store};
use crate::env::{Env, Table};
use crate::{Error, Result};

/// Rows go to the thread that stores when there are this many bytes of them.
const PORTION_BYTES: usize = 256 << 10;
/// The most portions that wait for it.
const WAITING: usize = 4;
/// The name of the threads.
const THREAD: &str = "ledger load";

/// Rows on their way to the thread that stores them.
#[derive(Default)]
struct Portion {
    /// Keys and values, end to end.
    bytes: Vec<u8>,
    rows: Vec<(Table, Place, usize, usize)>,
}

/// Hands rows over to the thread that stores them.
pub(super) struct Handover {
    portion: Portion,
    to: SyncSender<Portion>,
}

impl Handover {
    fn send(&mut self) -> Result<()> {
        let portion = std::mem::take(&mut self.portion);
        // The thread ends early only with an error of its own, which counts then.
        self.to.send(portion).map_err(|_| Error::Misuse("the thread that stores a load's rows is gone"))
    }
}

impl Sink for Handover {
    fn take(&mut self, table: Table, place: Place, key: &[u8], value: &[u8]) -> Result<()> {
        self.portion.bytes.extend_from_slice(key);
        self.portion.bytes.extend_from_slice(value);
        self.portion.rows.push((table, place, key.len(), value.len()));
        if self.portion.bytes.len() < PORTION_BYTES { Ok(()) } else { self.send() }
    }

    fn end(mut self) -> Result<()> {
        self.send()
    }
}

/// What gives rows to a loader.
pub(super) trait Give: FnOnce(&mut Loader<Handover>) -> Result<()> + Send {}

impl<F: FnOnce(&mut Loader<Handover>) -> Result<()> + Send> Give for F {}

/// Stores the rows of both, whose tables differ. The caller must not be inside a transaction of `env`, because another thread would
/// wait for its end.
pub(super) fn load_on_threads(env: &Env, one: impl Give, other: impl Give) -> Result<()> {
    let (to, portions) = sync_channel(WAITING);
    thread::scope(|scope| {
        let start = || Builder::new().name(THREAD.into());
        let failed = |source| Error::Thread { name: THREAD, source };
        let store = start().spawn_scoped(scope, || store_portions(env, portions)).map_err(failed)?;
        let second = to.clone();
        let other = start().spawn_scoped(scope, || give_all(other, second)).map_err(failed)?;
        let given = give_all(one, to);
        let [other, stored] =
            [other, store].map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // If storing fails, both givers fail too; the error of the store says why.
        stored.and(given).and(other)
    })
}

fn give_all(give: impl Give, to: SyncSender<Portion>) -> Result<()> {
    let mut loader = Loader::to(Handover { portion: Portion::default(), to });
    give(&mut loader)?;
    loader.done()
}

fn store_portions(env: &Env, portions: Receiver<Portion>) -> Result<()> {
    let mut store = Store::new(env);
    for Portion { bytes, rows } in portions {
        let mut rest = &bytes[..];
        for (table, place, key, value) in rows {
            let (row, more) = rest.split_at(key + value);
            rest = more;
            store.take(table, place, &row[..key], &row[key..])?;
        }
    }
    store.end()
}

#[cfg(test)]
mod tests {
    use super::super::super::check_tests::support;
    use super::*;
    use crate::env::Reads;

    fn row(number: u32) -> ([u8; 4], Vec<u8>) {
        (number.to_be_bytes(), vec![number as u8; 3_000])
    }

    #[test]
    fn rows_arrive_in_order_across_portions_and_transactions() {
        let dir = support::folder();
        let ledger = support::open(dir.path(), &support::small());
        let tables = [ledger.shared().leases, ledger.shared().stats];
        let count = 2_000;
        let [one, other] = tables.map(|table| {
            move |loader: &mut Loader<Handover>| {
                (0..count).map(row).try_for_each(|(key, value)| loader.row(table, &key, &value))
            }
        });
        load_on_threads(&ledger.env, one, other).unwrap();
        let txn = ledger.env.read(None).unwrap();
        for table in tables {
            assert_eq!(txn.entries(table).unwrap(), u64::from(count));
            for (key, value) in (0..count).map(row) {
                assert_eq!(txn.get(table, &key).unwrap(), Some(&value[..]));
            }
        }
    }

    #[test]
    fn an_error_of_any_ends_all() {
        let dir = support::folder();
        let ledger = support::open(dir.path(), &support::small());
        let table = ledger.shared().leases;
        let nothing = |_: &mut Loader<Handover>| Ok(());
        let gives_up = |_: &mut Loader<Handover>| Err(Error::Misuse("given up"));
        // A row that is not after the one before is refused where rows are stored, long before all are given.
        let backwards = |loader: &mut Loader<Handover>| {
            (0..50_000).rev().map(row).try_for_each(|(key, value)| loader.row(table, &key, &value))
        };
        for refused in [
            load_on_threads(&ledger.env, backwards, nothing),
            load_on_threads(&ledger.env, nothing, backwards),
        ] {
            assert!(!matches!(refused, Ok(()) | Err(Error::Misuse(_))), "{refused:?}");
        }
        for given_up in
            [load_on_threads(&ledger.env, gives_up, nothing), load_on_threads(&ledger.env, nothing, gives_up)]
        {
            assert!(matches!(given_up, Err(Error::Misuse("given up"))), "{given_up:?}");
        }
    }
}
