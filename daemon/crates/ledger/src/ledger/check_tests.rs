//! Every row that lacks or does not belong is found.

use std::ops::ControlFlow;

use super::{Ledger, State};
use crate::Result;
use crate::env::{Reads, Table, Write};
use crate::tables::LedgerTables;

#[path = "../../tests/support/mod.rs"]
pub(super) mod support;

fn live_tables(ledger: &Ledger) -> &LedgerTables {
    let live = State::load_existing(&ledger.env.read(None).unwrap(), ledger.shared()).unwrap().live;
    ledger.tables_of(live)
}

fn rows_of(ledger: &Ledger, table: Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let txn = ledger.env.read(None).unwrap();
    txn.scan(table, &[], &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    rows
}

/// Whether the check finds something once `harm` was done, and nothing once `mend` was.
fn is_found(
    ledger: &Ledger,
    harm: impl Fn(&mut Write<'_>) -> Result<()>,
    mend: impl Fn(&mut Write<'_>) -> Result<()>,
) -> bool {
    ledger.write_aside(|txn| harm(txn)).unwrap();
    let found = !ledger.check().unwrap().is_empty();
    ledger.write_aside(|txn| mend(txn)).unwrap();
    support::no_findings(ledger);
    found
}

fn loaded(dir: &std::path::Path) -> Ledger {
    let ledger = support::open(dir, &support::small());
    support::load(&ledger, &support::sample(3)).unwrap();
    support::no_findings(&ledger);
    ledger
}

#[test]
fn every_row_that_lacks_is_found() {
    let dir = support::folder();
    let ledger = loaded(dir.path());
    let tables = live_tables(&ledger);
    // A posting is derived from facts, and inclusions from a part of a file that is not kept: none is expected.
    let unexpected = ["postings", "inclusions", "stats"];
    let mut seen = 0;
    for table in tables.of_content().filter(|table| !unexpected.contains(&table.spec.name)) {
        for (key, value) in rows_of(&ledger, table) {
            let harm = |txn: &mut Write<'_>| {
                let deleted = match table.spec.item {
                    0 => txn.delete(table, &key)?,
                    _ => txn.delete_item(table, &key, &value)?,
                };
                assert!(deleted);
                Ok(())
            };
            assert!(
                is_found(&ledger, harm, |txn| txn.put(table, &key, &value)),
                "{} lacks {key:x?}",
                table.spec.name
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn every_item_that_does_not_belong_is_found() {
    let dir = support::folder();
    let ledger = loaded(dir.path());
    let mut seen = 0;
    for table in live_tables(&ledger).of_content().filter(|table| table.spec.item > 0) {
        for (key, mut item) in rows_of(&ledger, table) {
            // The file of an item, its mark, its question or the symbol: other ones have other bytes here.
            item[4] ^= 1;
            let found = is_found(
                &ledger,
                |txn| txn.put(table, &key, &item),
                |txn| txn.delete_item(table, &key, &item).map(drop),
            );
            assert!(found, "{} has {key:x?} {item:x?}", table.spec.name);
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}
