//! What is written is kept, in order, and whatever is changed is found.

use super::*;

fn store() -> (tempfile::TempDir, AgentStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = AgentStore::open(dir.path(), crate::AGENT_TABLES, &sdl_ledger::Options::default()).unwrap().0;
    for i in 0..5 {
        let repo_id = if i % 2 == 0 { "a" } else { "b" }.to_owned();
        append(&store, &[Row { repo_id, decision: "denied".into(), ..Row::default() }]).unwrap();
    }
    (dir, store)
}

#[test]
fn rows_follow_each_other() {
    let (_dir, store) = store();
    let found = verify(&store).unwrap();
    assert_eq!((found.ok, found.rows, found.dropped), (true, 5, 0), "{found:?}");
    let rows = show(&store, Some("a"), 2).unwrap();
    assert_eq!(rows.iter().map(|(row, _)| row.seq).collect::<Vec<_>>(), [3, 5]);
    assert_eq!(found.head, rows[1].1);
}

type Change = fn(&mut AgentWriter<'_>) -> sdl_ledger::Result<()>;

#[test]
fn whatever_is_changed_is_found() {
    let change: [(&str, Change); 5] = [
        ("not what was written", |w| {
            let mut bytes = w.get(AUDIT, &key(3))?.unwrap().to_vec();
            let at = bytes.len() - 9;
            bytes[at] ^= 1;
            w.put(AUDIT, &key(3), &bytes)
        }),
        ("row 2 is missing", |w| w.delete(AUDIT, &key(2)).map(|_| ())),
        ("ends with row 4", |w| w.delete(AUDIT, &key(5)).map(|_| ())),
        ("does not follow", |w| {
            let row = Row { seq: 3, decision: "approved".into(), prev: "forged".into(), ..Row::default() };
            w.put(AUDIT, &key(3), &encoded(&row).1)
        }),
        ("was written", |w| w.delete(AUDIT, &key(ANCHOR)).map(|_| ())),
    ];
    for (says, change) in change {
        let (_dir, store) = store();
        store.write(change).unwrap();
        let found = verify(&store).unwrap();
        assert!(!found.ok && found.faults.iter().any(|fault| fault.contains(says)), "{says}: {found:?}");
    }
}

#[test]
fn whichever_byte_is_flipped_it_is_found() {
    let (_dir, store) = store();
    for row in [ANCHOR, 1, 3, 5] {
        let written = store.read(|reader| Ok(reader.get(AUDIT, &key(row))?.unwrap().to_vec())).unwrap();
        for at in (0..written.len()).step_by(3) {
            let mut bytes = written.clone();
            bytes[at] ^= 1 << (at % 8);
            store.write(|w| w.put(AUDIT, &key(row), &bytes)).unwrap();
            let found = verify(&store).unwrap();
            assert!(!found.ok && !found.faults.is_empty(), "byte {at} of row {row}");
        }
        store.write(|w| w.put(AUDIT, &key(row), &written)).unwrap();
        assert!(verify(&store).unwrap().ok);
    }
}

#[test]
fn the_log_is_bounded_and_its_chain_stays_whole() {
    let (_dir, store) = store();
    let row = |n: usize| Row { repo_id: "a".into(), decision: format!("n{n}"), ..Row::default() };
    for n in 0..30 {
        append_keeping(&store, &[row(n), row(n)], 7).unwrap();
        let found = verify(&store).unwrap();
        assert!(found.ok && found.rows <= 7, "{found:?}");
    }
    let found = verify(&store).unwrap();
    assert_eq!((found.rows, found.dropped), (7, 58));
    assert_eq!(show(&store, None, 100).unwrap().first().map(|(row, _)| row.seq), Some(59));
    store.write(|w| w.delete(AUDIT, &key(59)).map(|_| ())).unwrap();
    assert!(!verify(&store).unwrap().ok, "the oldest kept row is missed too");
}

#[test]
fn no_secret_is_written_for_good() {
    let (_dir, store) = store();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let details =
        serde_json::json!({"reason": format!("see {key}"), "identifiersToFind": [key], "password": "x"});
    append(&store, &[Row { client: key.clone(), why: vec![key.clone()], details, ..Row::default() }])
        .unwrap();
    let rows = format!("{:?}", show(&store, None, 1).unwrap());
    assert!(!rows.contains(&key) && rows.contains("see ***"), "{rows}");
}

#[test]
fn what_is_decided_twice_by_one_action_is_one_row() {
    let (_dir, store) = store();
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
    decisions.settle(&store).unwrap();
    decisions.settle(&store).unwrap();
    let rows = show(&store, None, 100).unwrap();
    let made: Vec<(&str, &str)> = rows
        .iter()
        .skip(5)
        .map(|(row, _)| (row.action.as_str(), row.details["file"].as_str().unwrap()))
        .collect();
    let wanted = [
        ("code.getSkeleton", ".env"),
        ("code.getSkeleton", ".env"),
        ("agent.orchestrate", ".env"),
        ("agent.orchestrate", "id_rsa"),
    ];
    assert_eq!(made, wanted);
    assert!(verify(&store).unwrap().ok);
}
