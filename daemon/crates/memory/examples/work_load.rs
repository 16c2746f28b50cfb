//! How long the lookups of work take in a full store: `cargo run --release -p sdl-memory --example work_load`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::time::Instant;

use sdl_ledger::{AgentReader, AgentStore, Options};
use sdl_memory::store::{Asked, Change, change_store};
use sdl_memory::work::activity::{ActivityFilter, ActivityKind, NewActivity, log_activity, recent_activity};
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::{
    DispatchFilter, NewDispatch, claim_dispatch, list_dispatches, start_dispatch,
};
use sdl_memory::work::inbox::{Listener, Via, deliver_messages, waiting_for};
use sdl_memory::work::message::{MessageKind, NewMessage, send_message};
use sdl_memory::work::session::{Joined, Seen, join_session};
use sdl_memory::{Anchors, Author, Result, tables};

const ROUNDS: usize = 200;
const START: u64 = 1_700_000_000_000;
const SESSIONS: usize = 100;

fn author(nth: usize) -> Author {
    let session = format!("ses_{:013}", nth % SESSIONS);
    Author { session: Some(session), agent: Some(format!("agent{}", nth % SESSIONS)), ..Author::default() }
}

fn fill<T>(
    store: &AgentStore,
    (rows, step_ms): (usize, u64),
    mut one: impl FnMut(&mut Change<'_, '_>, usize) -> Result<T>,
) {
    for nth in (0..rows).step_by(50) {
        let by = author(nth / 50);
        let asked = Asked { by: &by, now_ms: START + nth as u64 * step_ms, once: None };
        change_store(store, &asked, |change| {
            for nth in nth..(nth + 50).min(rows) {
                one(change, nth)?;
            }
            Ok(())
        })
        .unwrap();
    }
}

fn measure(what: &str, mut one: impl FnMut(usize)) {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|nth| {
            let begin = Instant::now();
            one(nth);
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what:<46} p50 {:7.3} ms  p95 {:7.3} ms", times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
}

fn look<T>(store: &AgentStore, read: impl FnOnce(&AgentReader<'_>) -> Result<T>) -> T {
    store.read(|reader| Ok(read(reader).unwrap())).unwrap()
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap();
    fill(&store, (SESSIONS, 1), |change, nth| {
        let by = author(nth);
        let seen = Seen { id: by.session.clone().unwrap_or_default(), ..Seen::default() };
        join_session(change, &seen, &Joined { agent: by.agent.unwrap_or_default(), ..Joined::default() })
    });
    let words = ["gateway", "login", "cart", "clock", "schema", "token", "cache", "deploy"];
    let text = |nth: usize| format!("{} {} row{nth}", words[nth % 8], words[nth / 8 % 8]);
    let activity = |nth: usize| NewActivity {
        scope: "shop".into(),
        kind: ActivityKind::Note,
        message: text(nth),
        details: serde_json::Map::new(),
        dispatch: None,
        at_ms: None,
        anchors: Anchors::default(),
    };
    fill(&store, (50_000, 2_000), |change, nth| log_activity(change, activity(nth)));
    let message = |to: &str, nth: usize| NewMessage {
        scope: "shop".into(),
        to: Address::parse(to, "to").unwrap(),
        to_text: to.into(),
        kind: MessageKind::Info,
        body: text(nth),
        requires_ack: false,
        in_reply_to: None,
        ttl_ms: 30 * 86_400_000,
        dispatch: None,
    };
    fill(&store, (9_900, 60_000), |change, nth| {
        send_message(change, message(&format!("agent{}", nth % SESSIONS), nth))
    });
    let dispatch = |nth: usize| NewDispatch {
        scope: "shop".into(),
        title: text(nth),
        brief: text(nth).repeat(40),
        plan: Some(format!("plan{}", nth % 50)),
        ..NewDispatch::default()
    };
    fill(&store, (9_700, 1_000), |change, nth| start_dispatch(change, dispatch(nth)));
    let now = START + 9_900 * 60_000;
    let every = |_: &str| true;
    let any = ActivityFilter::default();
    measure("activity: newest 20 of 50,000", |_| {
        assert_eq!(look(&store, |tables| recent_activity(tables, any, every, (now, 20))).len(), 20);
    });
    measure("activity: newest 20 of one session", |nth| {
        let id = format!("ses_{:013}", nth % SESSIONS);
        let filter = ActivityFilter { session: Some(&id), ..any };
        assert_eq!(look(&store, |tables| recent_activity(tables, filter, every, (now, 20))).len(), 20);
    });
    measure("messages: 99 waiting at one of 100 addresses", |nth| {
        let addresses = [format!("ses_{:013}", nth % SESSIONS), format!("@agent{}", nth % SESSIONS)];
        let listener = Listener { session: "ses_other", addresses: &addresses };
        assert_eq!(look(&store, |tables| waiting_for(tables, listener, now)).len(), 99);
    });
    measure("messages: none waiting", |_| {
        let addresses = ["ses_other".to_owned(), "@other".to_owned()];
        let listener = Listener { session: "ses_other", addresses: &addresses };
        assert!(look(&store, |tables| waiting_for(tables, listener, now)).is_empty());
    });
    measure("dispatches: newest 20 of 9,700 open ones", |_| {
        let filter = DispatchFilter::default();
        assert_eq!(look(&store, |tables| list_dispatches(tables, filter, every, (now, 20))).len(), 20);
    });
    measure("dispatches: newest 20 of a plan", |nth| {
        let plan = format!("plan{}", nth % 50);
        let filter = DispatchFilter { plan: Some(&plan), ..DispatchFilter::default() };
        assert_eq!(look(&store, |tables| list_dispatches(tables, filter, every, (now, 20))).len(), 20);
    });
    let write = |nth: usize, one: &mut dyn FnMut(&mut Change<'_, '_>) -> Result<()>| {
        let by = author(nth);
        let asked = Asked { by: &by, now_ms: now + nth as u64 * 60_000, once: None };
        change_store(&store, &asked, |change| one(change)).unwrap();
    };
    measure("write: log an activity", |nth| {
        write(nth, &mut |change| log_activity(change, activity(nth)).map(drop));
    });
    measure("write: send a message", |nth| {
        write(nth, &mut |change| send_message(change, message("agent1", nth)).map(drop));
    });
    measure("write: start and claim a dispatch", |nth| {
        write(nth, &mut |change| {
            let id = start_dispatch(change, dispatch(nth))?.id;
            claim_dispatch(change, &id, &author(nth), 60_000).map(drop)
        });
    });
    measure("write: deliver one message", |nth| {
        write(nth, &mut |change| {
            let addresses = [format!("@agent{}", (nth + 1) % SESSIONS)];
            let listener = Listener { session: "ses_x", addresses: &addresses };
            let waiting = waiting_for(change.tables(), listener, now)?;
            let one = waiting.get(..1).unwrap_or_default();
            deliver_messages(change, "ses_x", one, Via::Answer).map(drop)
        });
    });
}
