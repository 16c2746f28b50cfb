//! Schemas that do not exist yet: how a ledger of another schema is opened.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_model::{Cause, FileRow, FileState, RelPath, SkipReason, Version};

use super::{Lease, Ledger, Opened, STORAGE_SCHEMA};
use crate::env::{Reads, TableSpec};
use crate::store::{How, Upgrade};
use crate::{Error, Fault, FaultPoint, Faults, FileUpdate, Options, Result, View};

const NOTES: TableSpec = TableSpec { name: "notes", generation: 0, item: 0, sealed: false };
const NEXT: u32 = STORAGE_SCHEMA + 1;

fn test_options() -> Options {
    Options { map_size: 1 << 20, ..Options::default() }
}

fn with_a_version(dir: &Path) -> Version {
    let ledger = Ledger::open(dir, &test_options()).unwrap().ledger;
    let path = RelPath::new("a").unwrap();
    let row = FileRow { path: path.clone(), state: FileState::Skipped(SkipReason::Binary), size: 1 };
    let mut batch = ledger.batch().unwrap();
    batch.apply_files(&[FileUpdate { path, row: Some(row), stat: None, facts: None }]).unwrap();
    batch.commit(Cause::FirstIndex, None, 0).unwrap().unwrap()
}

/// Two steps: the first makes a table, the second fills it from another.
const UPGRADES: &[Upgrade] = &[
    Upgrade {
        from: NEXT,
        run: |txn, tables| {
            let notes = txn.find_table(NOTES)?.ok_or(Error::Misuse("the first step did not run"))?;
            let files = txn.entries(tables[1])?;
            txn.put(notes, b"files", &files.to_be_bytes())
        },
    },
    Upgrade { from: STORAGE_SCHEMA, run: |txn, _| txn.create_table(NOTES).map(drop) },
];

fn open_ledger(dir: &Path, schema: u32, options: &Options) -> Result<Opened> {
    Ledger::open_schema(dir, options, schema, UPGRADES)
}

#[test]
fn an_older_ledger_is_brought_up_to_date_in_one_transaction() {
    struct Full;
    impl Faults for Full {
        fn at(&self, point: FaultPoint) -> Option<Fault> {
            (point == FaultPoint::BeforeCommit).then_some(Fault::DiskFull)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let version = with_a_version(dir.path());
    let full = Options { faults: Some(std::sync::Arc::new(Full)), ..test_options() };
    assert!(matches!(open_ledger(dir.path(), NEXT + 1, &full), Err(Error::DiskFull { .. })));
    assert_eq!(Ledger::open(dir.path(), &test_options()).unwrap().how, How::Existing, "nothing was changed");

    let opened = open_ledger(dir.path(), NEXT + 1, &test_options()).unwrap();
    assert_eq!(opened.how, How::Migrated { from: STORAGE_SCHEMA });
    let ledger = opened.ledger;
    assert_eq!(ledger.head(), Some(version), "what it held is still there");
    let soon = Instant::now() + Duration::from_mins(1);
    assert!(ledger.read(soon, |view| Ok(view.counters()?.skipped.len() == 1)).unwrap());
    {
        let txn = ledger.env.read(None).unwrap();
        let notes = txn.find_table(NOTES).unwrap().unwrap();
        assert_eq!(txn.get(notes, b"files").unwrap(), Some(&1_u64.to_be_bytes()[..]));
    }
    drop(ledger);
    assert_eq!(open_ledger(dir.path(), NEXT + 1, &test_options()).unwrap().how, How::Existing);
}

#[test]
fn a_newer_ledger_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let version = with_a_version(dir.path());
    drop(open_ledger(dir.path(), NEXT, &test_options()).unwrap());
    let Err(error) = Ledger::open(dir.path(), &test_options()) else { panic!("opened") };
    assert!(matches!(error, Error::Newer { found: NEXT, known: STORAGE_SCHEMA, .. }));
    assert!(error.to_string().contains("run the newer sdld"), "{error}");
    assert_eq!(open_ledger(dir.path(), NEXT, &test_options()).unwrap().ledger.head(), Some(version));
}

#[test]
fn a_schema_without_a_way_up_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    with_a_version(dir.path());
    let opened = open_ledger(dir.path(), NEXT + 2, &test_options()).unwrap();
    assert!(matches!(opened.how, How::Rebuilt { why, .. } if why.contains("too old")));
}

#[test]
fn a_ledger_without_checksums_starts_over_and_keeps_its_leases() {
    let lease =
        Lease { handle: "sl_1".into(), holds_from: Version(1), expires_ms: u64::MAX, data: vec![1, 2, 3] };
    for schema in [2_u32, 3] {
        let dir = tempfile::tempdir().unwrap();
        let version = with_a_version(dir.path());
        let incarnation = {
            let ledger = Ledger::open(dir.path(), &test_options()).unwrap().ledger;
            ledger.put_lease(&lease).unwrap();
            // As an older schema wrote it.
            let mut txn = ledger.env.write().unwrap();
            for table in ledger.shared().all().filter(|table| table.spec.item == 0) {
                let mut rows = Vec::new();
                txn.scan(table, &[], &mut |key, value| {
                    rows.push((key.to_vec(), value.to_vec()));
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
                for (key, value) in rows {
                    txn.put(table.unsealed(), &key, &value).unwrap();
                }
            }
            txn.put(ledger.shared().meta.unsealed(), b"schema", &schema.to_be_bytes()).unwrap();
            txn.commit().unwrap();
            ledger.incarnation()
        };
        let opened = Ledger::open(dir.path(), &test_options()).unwrap();
        assert_eq!(opened.how, How::Migrated { from: schema });
        assert_eq!((opened.ledger.head(), opened.ledger.incarnation()), (None, incarnation));
        assert_eq!(opened.ledger.lease("sl_1").unwrap().as_ref(), Some(&lease));
        drop(opened);
        assert!(with_a_version(dir.path()) > version, "numbers go on");
        assert_eq!(Ledger::open(dir.path(), &test_options()).unwrap().how, How::Existing);
    }
}

#[test]
fn a_damaged_schema_number_is_damage_and_no_newer_schema() {
    for number in [&[0, 0, 0, 9, 1, 2, 3, 4][..], &STORAGE_SCHEMA.to_be_bytes(), &[0; 3]] {
        let dir = tempfile::tempdir().unwrap();
        with_a_version(dir.path());
        let ledger = Ledger::open(dir.path(), &test_options()).unwrap().ledger;
        let mut txn = ledger.env.write().unwrap();
        txn.put(ledger.shared().meta.unsealed(), b"schema", number).unwrap();
        txn.commit().unwrap();
        drop(ledger);
        let how = Ledger::open(dir.path(), &test_options()).unwrap().how;
        assert!(matches!(how, How::Rebuilt { .. }), "{number:?}: {how:?}");
    }
}
