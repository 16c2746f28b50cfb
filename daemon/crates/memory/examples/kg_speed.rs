//! How long questions take over a graph of as many facts as are kept at most, and one entity that is in thousands of them.
//!
//! ```text
//! cargo run --release -p sdl-memory --example kg_speed -- [FACTS]
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a tool for measuring")]

use std::time::{Duration, Instant};

use sdl_ledger::{AgentReader, AgentStore, Options};
use sdl_memory::graph::{
    Direction, Draft, EntityQuery, FactSearch, TimelineOf, TimelineQuery, View, When, admit_fact,
    find_entities, find_facts, query_entity, read_timeline, walk_facts,
};
use sdl_memory::store::{Asked, change_store};
use sdl_memory::times::FOREVER;
use sdl_memory::{Author, limits, tables};

const DAY: i64 = 86_400_000;
const START: i64 = 1_700_000_000_000;
/// Facts that are written in one transaction.
const BATCH: usize = 60;
/// One fact in this number has the hub as its object, and as many have it as their subject.
const HUB: usize = 20;

fn main() {
    let facts = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(limits::TRIPLES);
    let place = tempfile::tempdir().unwrap();
    let options = Options { map_size: 1 << 31, ..Options::default() };
    let (store, _) = AgentStore::open(place.path(), tables::ALL, &options).unwrap();
    let filled = fill(&store, facts);
    println!("{facts} facts in {:.1} s", filled.as_secs_f64());
    let view = View::everything();
    let at = When::At(START + 200 * DAY);
    let measured = |what: &str, ask: &dyn Fn(&AgentReader<'_>, usize)| measure(&store, what, ask);
    measured("entity", &|reader, n| {
        let entity = format!("service {}", n * 7 % (facts / 20));
        query_entity(reader, &view, &query(&entity, Direction::Both, at)).unwrap();
    });
    measured("entity, as known before", &|reader, n| {
        let entity = format!("service {}", n * 7 % (facts / 20));
        let known_at = START + (n as i64) * 1_000;
        query_entity(reader, &view, &EntityQuery { known_at, ..query(&entity, Direction::Both, at) })
            .unwrap();
    });
    for (what, direction) in [("hub, out", Direction::Out), ("hub, in", Direction::In)] {
        let cursor = std::cell::RefCell::new(None::<String>);
        measured(what, &|reader, _| {
            let after = cursor.borrow().clone();
            let ask = EntityQuery { after: after.as_deref(), ..query("hub", direction, at) };
            *cursor.borrow_mut() = query_entity(reader, &view, &ask).unwrap().next;
        });
    }
    measured("walk of 3 steps", &|reader, n| {
        let entity = format!("service {}", n * 7 % (facts / 20));
        walk_facts(reader, &view, &query(&entity, Direction::Out, at), 3).unwrap();
    });
    measured("timeline", &|reader, n| {
        let entity = format!("service {}", n * 7 % (facts / 20));
        timeline(reader, &view, &entity);
    });
    measured("timeline of the hub", &|reader, _| timeline(reader, &view, "hub"));
    measured("facts by words", &|reader, n| {
        let text = format!("which team owns service {}", n * 7 % (facts / 20));
        let (text, predicates) = (text.as_str(), &[][..]);
        let asked = FactSearch { scopes: &[""], text, predicates, when: at, known_at: FOREVER, now: START };
        find_facts(reader, &view, &asked, 20).unwrap();
    });
    measured("entities by a part of the name", &|reader, n| {
        find_entities(reader, &view, &format!("service {}", n % 10), 10).unwrap();
    });
}

fn query(entity: &str, direction: Direction, when: When) -> EntityQuery<'_> {
    EntityQuery { entity, direction, predicates: &[], when, known_at: FOREVER, limit: 50, after: None }
}

fn timeline(reader: &AgentReader<'_>, view: &View, entity: &str) {
    let query = TimelineQuery {
        of: TimelineOf::Entity(entity),
        from: None,
        to: None,
        known_at: FOREVER,
        limit: 50,
        after: None,
    };
    read_timeline(reader, view, &query).unwrap();
}

/// About twenty facts of each service: who owns it, in which versions it ran, what it depends on.
fn draft(n: usize, facts: usize) -> Draft {
    let services = facts / 20;
    let service = |n: usize| format!("service {}", n % services);
    let from = START + (n as i64 * 37 % 400) * DAY + n as i64;
    let (predicate, object, exclusive) = match n % 4 {
        0 => ("owned_by", format!("team {}", n % 50), true),
        1 => ("runs_version", format!("{}.{}", n % 7, n % 11), true),
        2 => ("depends_on", service(n * 31 + 1), false),
        _ => ("mentioned_in", format!("ticket {n}"), false),
    };
    let (subject, object) = match n % (2 * HUB) {
        2 => ("hub".to_owned(), format!("thing {n}")),
        22 => (service(n), "hub".to_owned()),
        _ => (service(n / 20), object),
    };
    Draft {
        subject,
        predicate: predicate.to_owned(),
        object,
        valid_from: Some(from),
        valid_to: (n % 9 == 3).then_some(from + 30 * DAY),
        exclusive,
        ..Draft::default()
    }
}

fn fill(store: &AgentStore, facts: usize) -> Duration {
    let begun = Instant::now();
    let by = Author::default();
    let view = View::everything();
    for first in (0..facts).step_by(BATCH) {
        let asked = Asked { by: &by, now_ms: START as u64 + first as u64 * 10, once: None };
        change_store(store, &asked, |change| {
            for n in first..(first + BATCH).min(facts) {
                // A few are conflicts with others.
                let _ = admit_fact(change, &view, &draft(n, facts));
            }
            Ok(())
        })
        .unwrap();
    }
    begun.elapsed()
}

fn measure(store: &AgentStore, what: &str, ask: &dyn Fn(&AgentReader<'_>, usize)) {
    let mut times = Vec::new();
    for n in 0..300 {
        let begun = Instant::now();
        store
            .read(|reader| {
                ask(reader, n);
                Ok(())
            })
            .unwrap();
        times.push(begun.elapsed());
    }
    times.sort();
    let ms = |at: usize| times[at].as_secs_f64() * 1_000.0;
    println!("{what:32} p50 {:7.3} ms  p95 {:7.3} ms  max {:7.3} ms", ms(150), ms(285), ms(299));
}
