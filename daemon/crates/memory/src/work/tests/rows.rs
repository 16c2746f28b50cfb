use serde_json::Map;

use super::super::activity::{
    Activity, ActivityFilter, ActivityKind, NewActivity, log_activity, make_room, recent_activity,
};
use super::super::session::{all_sessions, end_session, is_news, note_session, open_sessions};
use super::*;
use crate::Anchors;

fn entry(message: &str) -> NewActivity {
    NewActivity {
        scope: "shop".to_owned(),
        kind: ActivityKind::Note,
        message: message.to_owned(),
        details: Map::new(),
        dispatch: None,
        at_ms: None,
        anchors: Anchors::default(),
    }
}

fn recent(bench: &Bench, filter: ActivityFilter<'_>, now: u64, most: usize) -> Vec<String> {
    let rows = bench.look(|tables| recent_activity(tables, filter, |scope| scope == "shop", (now, most)));
    rows.into_iter().map(|row: Activity| row.message).collect()
}

#[test]
fn the_newest_activity_comes_first_and_the_oldest_goes_first() {
    let bench = Bench::new();
    let (ann, bob) = (author("ses_a", "ann"), author("ses_b", "bob"));
    let day = crate::limits::DAY_MS;
    for n in 0..30_u64 {
        let by = if n % 2 == 0 { &ann } else { &bob };
        let new = NewActivity { at_ms: Some(7), ..entry(&n.to_string()) };
        bench.change((by, 1_000 + n * day), |change| log_activity(change, new.clone())).unwrap();
    }
    let now = 1_000 + 30 * day;
    let any = ActivityFilter::default();
    assert_eq!(recent(&bench, any, now, 3), ["29", "28", "27"]);
    assert_eq!(recent(&bench, any, now, 100).len(), 30);
    let since_ms = 1_000 + 27 * day;
    assert_eq!(recent(&bench, ActivityFilter { since_ms, ..any }, now, 100), ["29", "28", "27"]);
    let of_ann = ActivityFilter { session: Some("ses_a"), ..any };
    assert_eq!(recent(&bench, of_ann, now, 2), ["28", "26"]);
    assert_eq!(recent(&bench, ActivityFilter { agent: Some("BOB"), ..any }, now, 2), ["29", "27"]);
    assert_eq!(recent(&bench, ActivityFilter { since_ms, ..of_ann }, now, 9), ["28"]);
    let last = bench.look(|tables| recent_activity(tables, any, |_| true, (now, 2))).pop().unwrap();
    assert_eq!(recent(&bench, ActivityFilter { before: Some(&last.id), ..any }, now, 2), ["27", "26"]);
    // 95 days after the first: six are older than 90 days.
    let later = 1_000 + 95 * day + 1;
    assert_eq!(bench.change((&ann, later), |change| make_room(change, 4)).unwrap(), 4);
    assert_eq!(bench.change((&ann, later), |change| make_room(change, 4)).unwrap(), 2);
    assert_eq!(recent(&bench, any, later, 100).last().map(String::as_str), Some("6"));
    assert_eq!(recent(&bench, of_ann, later, 100).last().map(String::as_str), Some("6"));
}

#[test]
fn a_session_ends_with_its_connection_and_comes_back() {
    let bench = Bench::new();
    let by = author("ses_a", "ann");
    let seen = |repo: &str| Seen {
        id: "ses_a".to_owned(),
        client: "test".to_owned(),
        principal: None,
        repo: Some(repo.to_owned()),
    };
    let note = |now, repo| bench.change((&by, now), |change| note_session(change, &seen(repo))).unwrap();
    assert_eq!(note(10, "shop").since_ms, 10);
    let row = note(20, "site");
    assert_eq!(
        (row.since_ms, row.seen_ms, &*row.repos),
        (10, 20, &["site".to_owned(), "shop".to_owned()][..])
    );
    assert!(!is_news(Some(&row), &seen("shop"), 21), "the same again is not written");
    let open = |now| bench.look(|tables| open_sessions(tables, now)).len();
    assert_eq!((open(30), open(20 + session::LONGEST_SILENCE_MS + 1)), (1, 0));
    bench.change((&by, 40), |change| end_session(change, "ses_a")).unwrap();
    assert_eq!(open(50), 0);
    assert_eq!(note(60, "shop").ended_ms, None);
    assert_eq!(open(70), 1);
    let later = 100 * crate::limits::DAY_MS;
    assert_eq!(bench.change((&by, later), |change| session::make_room(change, 10)).unwrap(), 1);
    assert!(bench.look(|tables| all_sessions(tables)).is_empty());
}

#[test]
fn a_sweep_ends_when_nothing_is_too_old() {
    let bench = Bench::new();
    let ann = bench.join("ses_a", "ann", 1_000);
    bench.change((&ann, 1_000), |change| log_activity(change, entry("old"))).unwrap();
    let year = 366 * crate::limits::DAY_MS;
    assert_eq!(bench.change((&ann, year), sweep_rows).unwrap(), 2, "the entry and the session");
    assert_eq!(bench.change((&ann, year), sweep_rows).unwrap(), 0);
    let words = bench.store.read(|reader| reader.count("work_keys")).unwrap();
    assert_eq!(words, 0, "no key without its row");
}

#[test]
fn what_is_newer_than_the_clock_is_not_lost() {
    let bench = Bench::new();
    let ann = author("ses_a", "ann");
    bench.change((&ann, 5_000_000), |change| log_activity(change, entry("late"))).unwrap();
    assert_eq!(recent(&bench, ActivityFilter::default(), 1_000, 9), ["late"], "the clock was set back");
}
