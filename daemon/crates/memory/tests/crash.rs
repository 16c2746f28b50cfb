//! Every change of every kind is there whole or not at all, wherever it is interrupted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on fails")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use sdl_ledger::{AgentStore, Fault, FaultPoint, Faults, Options};
use sdl_memory::graph::{self, View, Which, admit_fact, end_facts, end_gone_facts, retract_facts};
use sdl_memory::limits::REMOVED_MS;
use sdl_memory::notes::{self, Details, Kind, Memory, Patch};
use sdl_memory::scratch::{self, Scratch};
use sdl_memory::store::{Asked, Change, Once, Row, Tables as _, change_store};
use sdl_memory::transfer::{self, Imported, OnConflict};
use sdl_memory::weights::{Source, judge_context};
use sdl_memory::words::Lane;
use sdl_memory::work::activity::{ActivityKind, NewActivity, log_activity};
use sdl_memory::work::address::Address;
use sdl_memory::work::dispatch::{self, Dispatch, Ending, NewDispatch, Report, state::Outcome};
use sdl_memory::work::inbox::{self, Listener, Via};
use sdl_memory::work::message::{Message, MessageKind, NewMessage, send_message};
use sdl_memory::work::session::{self, Joined, Seen};
use sdl_memory::{Anchors, Author, Result, SymbolAnchor, Trouble, sweep_store, tables, verify_store};
use sdl_model::SymbolId;

const SESSION: &str = "ses_one";
const OTHER: &str = "ses_two";
const START_MS: u64 = 1_000_000;

/// Raises a fault at one point.
#[derive(Default)]
struct Switch(Mutex<Option<(FaultPoint, Fault)>>);

impl Switch {
    /// Whether the fault of before was raised.
    fn set(&self, next: Option<(FaultPoint, Fault)>) -> bool {
        std::mem::replace(&mut *self.0.lock().unwrap(), next).is_none()
    }
}

impl Faults for Switch {
    fn at(&self, point: FaultPoint) -> Option<Fault> {
        let mut armed = self.0.lock().unwrap();
        armed.take_if(|(at, _)| *at == point).map(|(_, fault)| fault)
    }
}

type Dump = BTreeMap<(&'static str, Vec<u8>), Vec<u8>>;

struct Bench {
    store: AgentStore,
    switch: Arc<Switch>,
    dir: tempfile::TempDir,
    by: Author,
}

impl Bench {
    fn new() -> Self {
        let (dir, switch) = (tempfile::tempdir().unwrap(), Arc::new(Switch::default()));
        let by =
            Author { session: Some(SESSION.to_owned()), agent: Some("one".to_owned()), ..Author::default() };
        Self { store: open(dir.path(), &switch), switch, dir, by }
    }

    fn dump(&self) -> Dump {
        let mut all = Dump::new();
        for table in tables::ALL {
            let each = |reader: &sdl_ledger::AgentReader<'_>| {
                reader.scan(table, &[0], &mut |key, value| {
                    all.insert((*table, key.to_vec()), value.to_vec());
                    ControlFlow::Continue(())
                })
            };
            self.store.read(each).unwrap();
        }
        all
    }

    fn run(&self, now_ms: u64, step: &Step) -> Result<()> {
        let once = Some(Once { key: step.name, request: 7 });
        let asked = Asked { by: &self.by, now_ms, once };
        change_store(&self.store, &asked, |change| (step.make)(change)).map(drop)
    }

    fn faults(&self) -> Vec<String> {
        self.store.read(|reader| Ok(verify_store(reader))).unwrap().unwrap().faults
    }

    /// The store as a process finds it that starts now.
    fn reopened(self) -> Self {
        let Self { store, switch, dir, by } = self;
        drop(store);
        Self { store: open(dir.path(), &switch), switch, dir, by }
    }
}

fn open(dir: &std::path::Path, switch: &Arc<Switch>) -> AgentStore {
    let faults = Some(Arc::clone(switch) as Arc<dyn Faults>);
    AgentStore::open(dir, tables::ALL, &Options { faults, map_size: 1 << 20, ..Options::default() })
        .unwrap()
        .0
}

struct Step {
    name: &'static str,
    /// Milliseconds since the step before.
    after_ms: u64,
    make: fn(&mut Change<'_, '_>) -> Result<()>,
}

fn rows<R: Row>(change: &Change<'_, '_>) -> Vec<R> {
    let mut all = Vec::new();
    change
        .tables()
        .scan_rows::<R>(&[], &mut |row| {
            all.push(row);
            ControlFlow::Continue(())
        })
        .unwrap();
    all
}

fn memory(change: &Change<'_, '_>, title: &str) -> Memory {
    rows::<Memory>(change).into_iter().find(|row| row.title == title).expect(title)
}

fn anchors() -> Anchors {
    let symbol = SymbolAnchor {
        id: SymbolId(5),
        name: "shop.total".to_owned(),
        file: "shop.py".to_owned(),
        fingerprint: 9,
        gone: None,
        was: None,
        repo: None,
        version: 1,
    };
    Anchors { symbols: vec![symbol], files: Vec::new(), version: 1 }
}

fn note(
    change: &mut Change<'_, '_>,
    title: &str,
    expires_ms: Option<u64>,
    supersedes: Option<String>,
) -> Result<()> {
    let draft = notes::Draft {
        scope: "r".to_owned(),
        title: title.to_owned(),
        content: format!("{title}: tokens expire after an hour"),
        tags: Some(vec!["auth".to_owned()]),
        confidence: Some(0.7),
        anchors: (Some(anchors()), None),
        confirmed: None,
        details: Details::of_kind(Kind::Decision),
        agent: None,
        expires_ms,
        supersedes,
        version: 1,
    };
    notes::store_memory(change, None, &draft).map(drop)
}

fn scratch_entry(change: &mut Change<'_, '_>, key: &str) -> Result<()> {
    let draft = scratch::Draft {
        scope: "r".to_owned(),
        agent: String::new(),
        kind: "plan".to_owned(),
        key: key.to_owned(),
        fields: serde_json::Map::from_iter([("steps".to_owned(), "measure, cut".into())]),
        anchors: anchors(),
        expires_ms: change.now_ms() + 50,
    };
    scratch::write_scratch(change, &draft).map(drop)
}

fn fact(change: &mut Change<'_, '_>, object: &str, exclusive: bool) -> Result<()> {
    let draft = graph::Draft {
        scope: "r".to_owned(),
        subject: "auth service".to_owned(),
        predicate: "owned_by".to_owned(),
        object: object.to_owned(),
        exclusive,
        anchors: anchors(),
        ..graph::Draft::default()
    };
    admit_fact(change, &View::everything(), &draft).map(drop)
}

fn seen(id: &str) -> Seen {
    Seen { id: id.to_owned(), client: "test".to_owned(), repo: Some("r".to_owned()), ..Seen::default() }
}

fn first_dispatch(change: &Change<'_, '_>) -> String {
    rows::<Dispatch>(change)[0].id.clone()
}

const STEPS: &[Step] = &[
    Step { name: "memory.store", after_ms: 1, make: |change| note(change, "Tokens", None, None) },
    Step { name: "memory.store again", after_ms: 1, make: |change| note(change, "Tokens", None, None) },
    Step {
        name: "memory.store, for a while",
        after_ms: 1,
        make: |change| note(change, "Soon over", Some(START_MS + 40), None),
    },
    Step {
        name: "memory.store, in place of another",
        after_ms: 1,
        make: |change| {
            let old = memory(change, "Tokens").id;
            note(change, "Longer tokens", None, Some(old))
        },
    },
    Step {
        name: "memory.update",
        after_ms: 1,
        make: |change| {
            let before = memory(change, "Longer tokens");
            let patch = Patch { content: Some("Two hours.".to_owned()), ..Patch::default() };
            notes::update_memory(change, &before, &patch).map(drop)
        },
    },
    Step {
        name: "memory.update, undone",
        after_ms: 1,
        make: |change| {
            let row = memory(change, "Longer tokens");
            notes::restore_memory(change, None, &row.id, row.head.revision - 1, None).map(drop)
        },
    },
    Step {
        name: "memory.remove",
        after_ms: 1,
        make: |change| {
            let row = memory(change, "Tokens");
            notes::remove_memory(change, &row)
        },
    },
    Step { name: "scratch.write", after_ms: 1, make: |change| scratch_entry(change, "main") },
    Step { name: "scratch.write over it", after_ms: 1, make: |change| scratch_entry(change, "main") },
    Step { name: "scratch.write another", after_ms: 1, make: |change| scratch_entry(change, "other") },
    Step {
        name: "scratch.clear",
        after_ms: 1,
        make: |change| {
            let which = scratch::Which { key: Some("other"), ..scratch::Which::default() };
            scratch::clear_scratch(change, &which).map(drop)
        },
    },
    Step { name: "kg.add", after_ms: 1, make: |change| fact(change, "north", true) },
    Step { name: "kg.add after it", after_ms: 1, make: |change| fact(change, "south", true) },
    Step { name: "kg.add beside it", after_ms: 1, make: |change| fact(change, "west", false) },
    Step {
        name: "kg.invalidate",
        after_ms: 1,
        make: |change| {
            let which = Which::Spo("auth service", "owned_by", "west");
            end_facts(change, &View::everything(), which, None, Some("moved")).map(drop)
        },
    },
    Step {
        name: "kg.invalidate, code that is gone",
        after_ms: 1,
        make: |change| {
            let gone = rows::<graph::Triple>(change).into_iter().find(|row| row.object == "south").unwrap();
            end_gone_facts(change, &[(gone.id, i64::try_from(change.now_ms()).unwrap())])
        },
    },
    Step {
        name: "kg.invalidate, retracted",
        after_ms: 1,
        make: |change| {
            let which = Which::Spo("auth service", "owned_by", "north");
            retract_facts(change, &View::everything(), which, None).map(drop)
        },
    },
    Step {
        name: "session.join",
        after_ms: 1,
        make: |change| {
            let joined =
                Joined { agent: "one".to_owned(), task: Some("tokens".to_owned()), ..Joined::default() };
            session::join_session(change, &seen(SESSION), &joined).map(drop)
        },
    },
    Step {
        name: "session.join of another",
        after_ms: 1,
        make: |change| {
            let channels = vec![Address::Channel("all".to_owned())];
            let joined = Joined { agent: "two".to_owned(), task: None, channels };
            session::join_session(change, &seen(OTHER), &joined).map(drop)
        },
    },
    Step {
        name: "session.send",
        after_ms: 1,
        make: |change| {
            let new = NewMessage {
                scope: "r".to_owned(),
                to: Address::Session(OTHER.to_owned()),
                to_text: OTHER.to_owned(),
                kind: MessageKind::Directive,
                body: "Stop editing the cart.".to_owned(),
                requires_ack: true,
                in_reply_to: None,
                ttl_ms: 60_000,
                dispatch: None,
            };
            send_message(change, new).map(drop)
        },
    },
    Step {
        name: "delivery",
        after_ms: 1,
        make: |change| {
            let addresses = [OTHER.to_owned(), "@two".to_owned()];
            let listener = Listener { session: OTHER, addresses: &addresses };
            let waiting = inbox::waiting_for(change.tables(), listener, change.now_ms())?;
            assert_eq!(waiting.len(), 1);
            inbox::deliver_messages(change, OTHER, &waiting, Via::Answer).map(drop)
        },
    },
    Step {
        name: "a reminder",
        after_ms: 1,
        make: |change| {
            let message = rows::<Message>(change)[0].id.clone();
            inbox::note_reminder(change, OTHER, &message).map(drop)
        },
    },
    Step {
        name: "session.inbox",
        after_ms: 1,
        make: |change| {
            let addresses = [OTHER.to_owned()];
            let message = rows::<Message>(change)[0].id.clone();
            let listener = Listener { session: OTHER, addresses: &addresses };
            assert_eq!(inbox::acknowledge(change, listener, &message)?, Some(true));
            Ok(())
        },
    },
    Step {
        name: "dispatch.start",
        after_ms: 1,
        make: |change| {
            let new = NewDispatch {
                scope: "r".to_owned(),
                title: "Shorten tokens".to_owned(),
                brief: "One hour is too long.".to_owned(),
                to: Some("one".to_owned()),
                plan: Some("auth".to_owned()),
                domain: Some("backend".to_owned()),
                milestones: vec!["test".to_owned(), "change".to_owned()],
                anchors: anchors(),
                ..NewDispatch::default()
            };
            dispatch::start_dispatch(change, new).map(drop)
        },
    },
    Step {
        name: "dispatch.claim",
        after_ms: 1,
        make: |change| {
            let (id, by) = (first_dispatch(change), change.by().clone());
            dispatch::claim_dispatch(change, &id, &by, 60_000).map(drop)
        },
    },
    Step {
        name: "dispatch.progress",
        after_ms: 1,
        make: |change| {
            let report =
                Report { note: "tested".to_owned(), milestones: vec!["1".to_owned()], ..Report::default() };
            let id = first_dispatch(change);
            dispatch::report_progress(change, &id, report).map(drop)
        },
    },
    Step {
        name: "dispatch.complete",
        after_ms: 1,
        make: |change| {
            let ending = Ending {
                outcome: Outcome::Success,
                summary: "Ten minutes.".to_owned(),
                artifacts: vec!["shop.py".to_owned()],
                counts: true,
                by_person: false,
            };
            let id = first_dispatch(change);
            dispatch::complete_dispatch(change, &id, ending).map(drop)
        },
    },
    Step {
        name: "activity.log",
        after_ms: 1,
        make: |change| {
            let new = NewActivity {
                scope: "r".to_owned(),
                kind: ActivityKind::Decision,
                message: "tokens are short now".to_owned(),
                details: serde_json::Map::new(),
                dispatch: None,
                at_ms: None,
                anchors: Anchors::default(),
            };
            log_activity(change, new).map(drop)
        },
    },
    Step {
        name: "context.feedback",
        after_ms: 1,
        make: |change| {
            let used = memory(change, "Longer tokens").id;
            let sources = [(used, Source::Kept(Lane::Memory), true), ("s_1".to_owned(), Source::Code, false)];
            judge_context(change, "r", "a_1", &sources)
        },
    },
    Step {
        name: "an import",
        after_ms: 1,
        make: |change| {
            let page = transfer::export_page(change.tables(), None)?;
            let mut done = Imported::default();
            for line in page.lines.lines() {
                let line = line
                    .replace("Longer tokens", "Even longer ones")
                    .replace("\"updatedMs\":1", "\"updatedMs\":2");
                transfer::import_line(change, &line, OnConflict::Newer, &mut done)?;
            }
            assert!(done.replaced > 0, "{done:?}");
            transfer::finish_import(change, 1)
        },
    },
    Step { name: "the end of a session", after_ms: 1, make: |change| session::end_session(change, OTHER) },
    Step {
        name: "a sweep at the end of rows",
        after_ms: 100,
        make: |change| {
            assert!(!rows::<Scratch>(change).is_empty());
            assert!(sweep_store(change)? > 0);
            assert!(rows::<Scratch>(change).is_empty());
            Ok(())
        },
    },
    Step {
        name: "a sweep of old rows",
        after_ms: 400 * 86_400_000 + REMOVED_MS,
        make: |change| {
            while sweep_store(change)? > 0 {}
            assert!(rows::<Dispatch>(change).is_empty() && rows::<Message>(change).is_empty());
            Ok(())
        },
    },
];

#[test]
fn a_change_is_there_whole_or_not_at_all() {
    let bench = Bench::new();
    let mut now_ms = START_MS;
    for step in STEPS {
        now_ms += step.after_ms;
        let before = bench.dump();
        let mut writes = 0;
        loop {
            let last = bench.switch.set(Some((FaultPoint::Put(writes), Fault::DiskFull)));
            assert!(last, "{}", step.name);
            let outcome = bench.run(now_ms, step);
            let was_raised = bench.switch.set(None);
            if !was_raised {
                outcome.unwrap_or_else(|trouble| panic!("{}: {trouble}", step.name));
                break;
            }
            assert!(
                matches!(outcome, Err(Trouble::Store(_))),
                "{} at write {writes}: {outcome:?}",
                step.name
            );
            assert!(bench.dump() == before, "{} left something at write {writes}", step.name);
            writes += 1;
        }
        assert!(writes > 0, "{} writes nothing", step.name);
        assert_ne!(bench.dump(), before, "{}", step.name);
        assert_eq!(bench.faults(), Vec::<String>::new(), "after {}", step.name);
    }
}

#[test]
fn a_change_is_durable_or_as_if_it_had_never_been_when_it_is_cut_off_at_the_commit() {
    let mut bench = Bench::new();
    let mut now_ms = START_MS;
    for step in STEPS {
        now_ms += step.after_ms;
        let before = bench.dump();
        bench.switch.set(Some((FaultPoint::BeforeCommit, Fault::Shut)));
        assert!(bench.run(now_ms, step).is_err(), "{}", step.name);
        bench.switch.set(None);
        bench = bench.reopened();
        assert!(bench.dump() == before, "{} was there after a restart", step.name);
        bench.run(now_ms, step).unwrap_or_else(|trouble| panic!("{}: {trouble}", step.name));
        let after = bench.dump();
        bench = bench.reopened();
        assert!(bench.dump() == after, "{} was lost", step.name);
    }
}

/// A map that has to grow becomes twice as large, so that a store grows in some of the steps only.
const PHASES: usize = 4;

#[test]
fn a_map_that_has_to_grow_changes_no_outcome() {
    for phase in 0..PHASES {
        let (bench, grown) = (Bench::new(), Bench::new());
        let mut now_ms = START_MS;
        for (nth, step) in STEPS.iter().enumerate() {
            now_ms += step.after_ms;
            bench.run(now_ms, step).unwrap();
            if nth % PHASES == phase {
                grown.switch.set(Some((FaultPoint::Put(nth as u64 % 7), Fault::MapFull)));
            }
            grown.run(now_ms, step).unwrap_or_else(|trouble| panic!("{}: {trouble}", step.name));
            grown.switch.set(None);
            assert!(bench.dump() == grown.dump(), "{} is different", step.name);
        }
    }
}
