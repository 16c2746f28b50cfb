//! Checks that rows are kept, in order, and that every change is found, at once and later.

use std::fs;
use std::path::PathBuf;

use sdl_ledger::{AgentStore, AgentWriter, How, Options};

use super::seal::{Seal, plain_seal};
use super::*;
use crate::stored::tables::AUDIT;

/// A log of five rows that can be closed and opened again.
struct Bed {
    dir: tempfile::TempDir,
    open: Option<(AgentStore, Audit)>,
}

impl Bed {
    fn new() -> Self {
        let mut bed = Self { dir: tempfile::tempdir().unwrap(), open: None };
        bed.open();
        for i in 0..5 {
            let repo_id = if i % 2 == 0 { "a" } else { "b" }.to_owned();
            bed.append(&[Row { repo_id, decision: "denied".into(), ..Row::default() }]);
        }
        bed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn open(&mut self) {
        let (store, how) =
            AgentStore::open(&self.path("agent"), crate::AGENT_TABLES, &Options::default()).unwrap();
        self.open_as(store, &how);
    }

    fn open_as(&mut self, store: AgentStore, how: &How) {
        let log = Audit::open(&self.path("audit"), &store, &self.path("agent"), how).unwrap();
        self.open = Some((store, log));
    }

    /// Changes files while nobody has them open.
    fn between(&mut self, change: impl FnOnce(&Self)) {
        self.open = None;
        change(self);
        self.open();
    }

    fn store(&self) -> &AgentStore {
        &self.open.as_ref().unwrap().0
    }

    fn log(&self) -> &Audit {
        &self.open.as_ref().unwrap().1
    }

    fn append(&self, rows: &[Row]) {
        self.log().append(self.store(), rows).unwrap();
    }

    fn append_one(&self) {
        self.append(&[Row { decision: "denied".into(), ..Row::default() }]);
    }

    fn verify(&self) -> Verified {
        self.log().verify(self.store()).unwrap()
    }

    fn shown(&self, repo: Option<&str>, limit: usize) -> Vec<Shown> {
        self.log().show(self.store(), repo, limit).unwrap()
    }

    fn seal(&self) -> Seal {
        self.log().lock().seal.clone()
    }

    fn assert_broken(&self, says: &str) {
        let found = self.verify();
        assert!(!found.ok && found.faults.iter().any(|fault| fault.contains(says)), "{says}: {found:?}");
    }
}

#[test]
fn rows_follow_each_other() {
    let mut bed = Bed::new();
    let found = bed.verify();
    assert_eq!((found.ok, found.rows, found.dropped), (true, 5, 0), "{found:?}");
    let rows = bed.shown(Some("a"), 2);
    assert_eq!(rows.iter().map(|shown| shown.row.seq).collect::<Vec<_>>(), [3, 5]);
    assert_eq!(found.head, rows[1].hash);
    bed.between(|_| {});
    assert_eq!(bed.verify(), found, "and so after a restart");
    assert_eq!(bed.log().concerns(), [""; 0]);
}

type Change = fn(&mut AgentWriter<'_>, &Seal) -> sdl_ledger::Result<()>;

const CHANGES: [(&str, Change); 9] = [
    ("row 3 is not what was written", |w, _| {
        let mut bytes = w.get(AUDIT, &key(3))?.unwrap().to_vec();
        let at = bytes.len() - 9;
        bytes[at] ^= 1;
        w.put(AUDIT, &key(3), &bytes)
    }),
    ("row 2 is missing", |w, _| w.delete(AUDIT, &key(2)).map(|_| ())),
    ("row 5", |w, _| w.delete(AUDIT, &key(5)).map(|_| ())),
    ("rows 3 to 4 do not follow", |w, seal| {
        let row = Row { seq: 3, decision: "approved".into(), prev: "forged".into(), ..Row::default() };
        w.put(AUDIT, &key(3), &seal.encoded(&row).1)
    }),
    ("is missing", |w, _| w.delete(AUDIT, &key(ANCHOR)).map(|_| ())),
    ("row", |w, _| w.put(AUDIT, &key(ANCHOR), b"garbled")),
    // Remove the tail and the anchor.
    ("rows 4 to 5 are missing", |w, _| {
        w.delete(AUDIT, &key(4))?;
        w.delete(AUDIT, &key(5))?;
        w.delete(AUDIT, &key(ANCHOR)).map(|_| ())
    }),
    // Remove everything.
    ("rows 1 to 5 are missing", |w, _| (0..=5).try_for_each(|row| w.delete(AUDIT, &key(row)).map(|_| ()))),
    // Replace all rows by a chain that is linked correctly but made without the key, as before keys were introduced.
    ("not what was written", |w, _| {
        let mut prev = START.to_owned();
        for seq in 1..=3 {
            let row = Row { seq, decision: "approved".into(), prev: prev.clone(), ..Row::default() };
            let (hash, bytes) = plain_seal(&row);
            w.put(AUDIT, &key(seq), &bytes)?;
            prev = hash;
        }
        w.delete(AUDIT, &key(4))?;
        w.delete(AUDIT, &key(5))?;
        let anchor = Anchor { head: 3, head_hash: prev, keyed_from: 4, ..Anchor::default() };
        w.put(AUDIT, &key(ANCHOR), &plain_seal(&anchor).1)
    }),
];

#[test]
fn every_tampered_row_is_reported_until_a_person_acknowledges_it() {
    for while_open in [true, false] {
        for (says, change) in CHANGES {
            let mut bed = Bed::new();
            let seal = bed.seal();
            bed.store().write(|writer| change(writer, &seal)).unwrap();
            if while_open {
                assert!(!bed.verify().ok, "{says}: at once");
            }
            if !while_open {
                bed.between(|_| {});
            }
            for _ in 0..3 {
                bed.append_one();
                let found = bed.verify();
                assert!(!found.ok, "{says}: after more rows");
            }
            bed.between(|_| {});
            let found = bed.verify();
            let said = found.faults.join("; ");
            assert!(!found.ok && (said.contains(says) || said.contains("was cut")), "{says}: {found:?}");
            let who = Row { client: "someone".into(), ..Row::default() };
            let noted = bed.log().acknowledge(bed.store(), &who, "looked into it").unwrap();
            assert_eq!(noted.faults, found.faults);
            for _ in 0..2 {
                let after = bed.verify();
                assert!(after.ok && after.acknowledged == found.faults, "{says}: {after:?}");
                assert_eq!(bed.log().concerns(), [""; 0]);
                bed.append_one();
                bed.between(|_| {});
            }
            let row = bed.shown(None, 3).remove(0).row;
            assert_eq!((row.decision.as_str(), row.client.as_str()), ("acknowledged", "someone"));
            // Later changes are reported.
            let newest = key(bed.log().count());
            bed.store().write(|w| w.put(AUDIT, &newest, b"x")).unwrap();
            bed.assert_broken("not what was written");
        }
    }
}

#[test]
fn a_store_that_is_gone_or_was_set_aside_is_missed() {
    let mut bed = Bed::new();
    bed.between(|bed| fs::remove_dir_all(bed.path("agent")).unwrap());
    bed.assert_broken("its store is gone; 5 rows were written");
    assert!(bed.log().concerns()[0].contains("audit verify"), "{:?}", bed.log().concerns());
    bed.append_one();
    bed.assert_broken("rows 1 to 5 are missing");
    assert_eq!(bed.shown(None, 9).iter().map(|shown| shown.row.seq).collect::<Vec<_>>(), [6, 7]);

    let mut bed = Bed::new();
    bed.open = None;
    let aside = bed.path("agent").join("set-aside-1");
    fs::create_dir(&aside).unwrap();
    fs::rename(bed.path("agent").join("data.mdb"), aside.join("data.mdb")).unwrap();
    let (store, _) = AgentStore::open(&bed.path("agent"), crate::AGENT_TABLES, &Options::default()).unwrap();
    bed.open_as(store, &How::Rebuilt { set_aside: aside, why: "pages".into() });
    assert!(bed.log().concerns()[0].contains("policies"), "{:?}", bed.log().concerns());
    bed.between(|_| {});
    assert!(bed.log().concerns()[0].contains("policies"), "also after the next start");
    bed.assert_broken("a damaged store was set aside");
    bed.log().acknowledge(bed.store(), &Row::default(), "").unwrap();
    assert!(bed.verify().ok);
}

#[test]
fn the_key_and_the_second_copy_are_missed_too() {
    for (file, content) in [
        ("head", None),
        ("key", None),
        ("head", Some("x")),
        ("key", Some("0123456789abcdef0123456789abcdef")),
    ] {
        let change = |bed: &Bed| {
            let path = bed.path("audit").join(file);
            fs::remove_file(&path).unwrap();
            if let Some(content) = content {
                sdl_settings::trust::write_private(&path, content.as_bytes()).unwrap();
            }
        };
        let bed = Bed::new();
        change(&bed);
        assert!(!bed.verify().ok, "{file}: at once");
        let mut bed = Bed::new();
        bed.between(change);
        bed.append_one();
        assert!(!bed.verify().ok, "{file}: after a restart");
        bed.log().acknowledge(bed.store(), &Row::default(), "").unwrap();
        bed.between(|_| {});
        assert!(bed.verify().ok, "{file}: acknowledged {:?}", bed.verify());
        assert!(bed.shown(None, 99).len() >= 7, "what can't be checked any more is still shown");
    }
    let mut bed = Bed::new();
    bed.open = None;
    fs::copy(bed.path("agent").join("data.mdb"), bed.path("old.mdb")).unwrap();
    bed.open();
    bed.append_one();
    bed.between(|bed| {
        fs::copy(bed.path("old.mdb"), bed.path("agent").join("data.mdb")).unwrap();
    });
    bed.assert_broken("row 6 was written");
}

#[test]
fn rows_committed_just_before_the_daemon_died_are_no_damage() {
    let mut bed = Bed::new();
    let head = fs::read(bed.path("audit").join("head")).unwrap();
    bed.append_one();
    bed.append_one();
    bed.between(|bed| sdl_settings::trust::write_private(&bed.path("audit").join("head"), &head).unwrap());
    let found = bed.verify();
    assert!(found.ok && found.rows == 7, "{found:?}");
    // A first start that was interrupted between its two files.
    let mut bed = Bed { dir: tempfile::tempdir().unwrap(), open: None };
    bed.open();
    bed.between(|bed| fs::remove_file(bed.path("audit").join("key")).unwrap());
    bed.append_one();
    assert!(bed.verify().ok, "{:?}", bed.verify());
}

#[test]
fn a_log_from_before_there_was_a_key_goes_on() {
    let mut bed = Bed { dir: tempfile::tempdir().unwrap(), open: None };
    let (store, how) =
        AgentStore::open(&bed.path("agent"), crate::AGENT_TABLES, &Options::default()).unwrap();
    store
        .write(|w| {
            let mut anchor = Anchor::default();
            for seq in 1..=4 {
                let row = Row { seq, prev: anchor.head_hash.clone(), ..Row::default() };
                let (hash, bytes) = plain_seal(&row);
                w.put(AUDIT, &key(seq), &bytes)?;
                (anchor.head, anchor.head_hash) = (seq, hash);
            }
            let mut old = serde_json::to_value(&anchor).unwrap();
            old.as_object_mut().unwrap().retain(|name, _| name != "keyed_from" && name != "cuts");
            w.put(AUDIT, &key(ANCHOR), &plain_seal(&old).1)
        })
        .unwrap();
    bed.open_as(store, &how);
    bed.append_one();
    bed.between(|_| {});
    let found = bed.verify();
    assert!(found.ok && found.rows == 5, "{found:?}");
    // The first sealed row protects the old rows.
    bed.store()
        .write(|w| {
            w.put(AUDIT, &key(4), &plain_seal(&Row { seq: 4, decision: "x".into(), ..Row::default() }).1)
        })
        .unwrap();
    assert!(!bed.verify().ok);
}

#[test]
fn whichever_byte_is_flipped_it_is_found() {
    let bed = Bed::new();
    for row in [ANCHOR, 1, 3, 5] {
        let written = bed.store().read(|reader| Ok(reader.get(AUDIT, &key(row))?.unwrap().to_vec())).unwrap();
        for at in (0..written.len()).step_by(3) {
            let mut bytes = written.clone();
            bytes[at] ^= 1 << (at % 8);
            bed.store().write(|w| w.put(AUDIT, &key(row), &bytes)).unwrap();
            let found = bed.verify();
            assert!(!found.ok && !found.faults.is_empty(), "byte {at} of row {row}");
        }
        bed.store().write(|w| w.put(AUDIT, &key(row), &written)).unwrap();
        assert!(bed.verify().ok);
    }
}

#[test]
fn the_log_is_bounded_and_its_chain_stays_whole() {
    let mut bed = Bed::new();
    let row = |n: usize| Row { repo_id: "a".into(), decision: format!("n{n}"), ..Row::default() };
    for n in 0..30 {
        bed.log().append_keeping(bed.store(), &[row(n), row(n)], 7).unwrap();
        let found = bed.verify();
        assert!(found.ok && found.rows <= 7, "{found:?}");
    }
    bed.between(|_| {});
    let found = bed.verify();
    assert_eq!((found.rows, found.dropped, found.ok), (7, 58, true), "{found:?}");
    assert_eq!(bed.shown(None, 100).first().map(|shown| shown.row.seq), Some(59));
    bed.store().write(|w| w.delete(AUDIT, &key(59)).map(|_| ())).unwrap();
    assert!(!bed.verify().ok, "the oldest kept row is missed too");
}

#[test]
fn no_secret_is_written_for_good() {
    let bed = Bed::new();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let details =
        serde_json::json!({"reason": format!("see {key}"), "identifiersToFind": [key], "password": "x"});
    bed.append(&[Row { client: key.clone(), why: vec![key.clone()], details, ..Row::default() }]);
    let rows = format!("{:?}", bed.shown(None, 1));
    assert!(!rows.contains(&key) && rows.contains("see ***"), "{rows}");
}

#[test]
fn what_is_decided_twice_by_one_action_is_one_row() {
    let bed = Bed::new();
    let decisions = Decisions::default();
    let denied = |file: &str| Row {
        decision: "denied".into(),
        details: serde_json::json!({ "file": file }),
        ..Row::default()
    };
    for step in ["code.getSkeleton", "code.getSkeleton", "agent.orchestrate"] {
        decisions.begin(step);
        (0..3).for_each(|_| decisions.add(denied(".env")));
    }
    decisions.add(denied("id_rsa"));
    let mark = decisions.mark();
    decisions.add(denied("another"));
    decisions.back_to(mark);
    decisions.settle(bed.log(), bed.store()).unwrap();
    decisions.settle(bed.log(), bed.store()).unwrap();
    let rows = bed.shown(None, 100);
    let made: Vec<(&str, &str)> = rows
        .iter()
        .skip(5)
        .map(|shown| (shown.row.action.as_str(), shown.row.details["file"].as_str().unwrap()))
        .collect();
    let wanted = [
        ("code.getSkeleton", ".env"),
        ("code.getSkeleton", ".env"),
        ("agent.orchestrate", ".env"),
        ("agent.orchestrate", "id_rsa"),
    ];
    assert_eq!(made, wanted);
    assert!(bed.verify().ok);
}
