//! The calls of the modules, one after another, through the real shim.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fill::Filled;
use crate::Outcome;
use crate::figures::Times;
use crate::modules::Symbol;
use crate::random::Random;
use crate::texts::Vocabulary;
use crate::world::{World, connect_shim, text_field};

/// The daemon takes at most 60 messages a minute of one session.
const MOST_MESSAGES: u64 = 50;

/// The times of some calls, in the order in which they were measured.
#[derive(Default)]
pub(super) struct Table(Vec<Row>);

struct Row {
    label: &'static str,
    /// Milliseconds that half of the calls should not exceed.
    bar: Option<f64>,
    first: Duration,
    times: Times,
}

impl Table {
    /// Measures a call, which returns when its answer had arrived: parsing it is the client's. The first time by itself, because it may have to read
    /// what later ones find.
    fn measure(
        &mut self,
        (label, bar): (&'static str, Option<f64>),
        calls: u64,
        mut call: impl FnMut() -> Outcome<Instant>,
    ) -> Outcome {
        let mut timed = || -> Outcome<Duration> {
            let began = Instant::now();
            Ok(call()?.saturating_duration_since(began))
        };
        let first = timed()?;
        let mut times = Times::default();
        for _ in 0..calls {
            times.push(timed()?);
        }
        eprintln!("{label}: {}", times.summary());
        self.0.push(Row { label, bar, first, times });
        Ok(())
    }

    /// Prints it as Markdown.
    pub(super) fn print(&mut self) {
        println!("| call | calls | first | p50 | p95 | bar |\n|---|---:|---:|---:|---:|---:|");
        for Row { label, bar, first, times } in &mut self.0 {
            let (p50, p95) = times.shares();
            let (first, calls) = (first.as_secs_f64() * 1e3, times.len());
            let bar = match bar {
                Some(bar) if p50 > *bar => format!("{bar:.0}, missed"),
                Some(bar) => format!("{bar:.0}, met"),
                None => String::new(),
            };
            println!("| {label} | {calls} | {first:.1} | {p50:.2} | {p95:.2} | {bar} |");
        }
    }
}

/// What calls ask about.
pub(super) struct Asker<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) random: Random,
    pub(super) filled: &'a Filled,
    /// Symbols that memories are about.
    pub(super) symbols: &'a [Symbol],
}

impl Asker<'_> {
    fn text(&mut self, length: usize) -> String {
        self.vocabulary.text(&mut self.random, length, (&[], 0.0))
    }

    fn symbol(&mut self) -> &str {
        self.random.pick(self.symbols).map_or("", |symbol| &symbol.id)
    }

    fn question(&mut self) -> String {
        self.random.pick(&self.filled.questions).cloned().unwrap_or_default()
    }

    fn entity(&mut self) -> String {
        self.random.pick(&self.filled.entities).cloned().unwrap_or_default()
    }

    fn memory(&mut self) -> Value {
        json!({
            "type": "decision", "title": self.text(7), "content": self.text(70), "rationale": self.text(20),
            "symbolIds": [self.symbol()], "tags": [self.vocabulary.word(&mut self.random)],
        })
    }

    fn task(&mut self) -> Value {
        // Short names are words of any text, and say nothing about code.
        let named: Vec<&Symbol> = self.symbols.iter().filter(|symbol| symbol.name().len() > 4).collect();
        let name = self.random.pick(&named).map_or("", |symbol| symbol.name());
        let text = format!("{} in {name} {}", self.question(), self.text(8));
        json!({"taskText": text, "budget": {"maxTokens": 4_000}})
    }

    fn fact(&mut self) -> Value {
        let predicate = self.vocabulary.words(&mut self.random, 2).join("_");
        json!({"subject": self.entity(), "predicate": predicate, "object": self.entity()})
    }
}

/// Measures all of them, each `calls` times.
pub(super) fn measure_calls(world: &mut World, asker: &mut Asker<'_>, calls: u64) -> Outcome<Table> {
    let mut table = Table::default();
    let of = |action: &'static str, world: &mut World, arguments: Value| -> Outcome<Instant> {
        world.call(action, arguments)?;
        Ok(world.client.arrived())
    };
    let five = Some(5.0);
    table.measure(("repo.status, sync none", None), calls, || {
        of("repo_status", world, json!({"sync": "none"}))
    })?;
    table.measure(("repo.status", None), calls, || of("repo_status", world, json!({"sync": "require"})))?;
    table.measure(("memory.query, words", five), calls, || {
        of("memory_query", world, json!({"query": asker.question()}))
    })?;
    table.measure(("memory.query, no words", five), calls, || of("memory_query", world, json!({})))?;
    table.measure(("memory.surface, a symbol", five), calls, || {
        of("memory_surface", world, json!({"symbolIds": [asker.symbol()]}))
    })?;
    let assemble = Some(25.0);
    table.measure(("context.assemble", assemble), calls, || of("context_assemble", world, asker.task()))?;
    let kept = json!(["memory", "lesson", "kg", "scratch", "dispatch"]);
    table.measure(("context.assemble, all lanes but code", assemble), calls, || {
        let mut task = asker.task();
        task["lanes"] = kept.clone();
        of("context_assemble", world, task)
    })?;
    table.measure(("agent.orchestrate, the same tasks", None), calls, || {
        of("agent_orchestrate", world, asker.task())
    })?;
    table.measure(("kg.query, entity", five), calls, || {
        of("kg_query", world, json!({"entity": asker.entity()}))
    })?;
    table.measure(("kg.query, entity, asOf, depth 2", five), calls, || {
        let as_of = format!("2026-{:02}-15", 1 + asker.random.below(9));
        of("kg_query", world, json!({"entity": asker.entity(), "asOf": as_of, "depth": 2}))
    })?;
    table.measure(("kg.query, words", five), calls, || {
        of("kg_query", world, json!({"query": asker.entity()}))
    })?;
    table.measure(("kg.add", Some(8.0)), calls, || of("kg_add", world, asker.fact()))?;
    table.measure(("memory.store", Some(8.0)), calls, || of("memory_store", world, asker.memory()))?;
    table.measure(("activity.log", Some(8.0)), calls, || {
        of("activity_log", world, json!({"type": "edit", "message": asker.text(14)}))
    })?;
    let mut nth = 0;
    table.measure(("scratch.write", Some(8.0)), calls, || {
        nth += 1;
        let items = [asker.text(12), asker.text(12)];
        let key = format!("key {}", nth % 50);
        of("scratch_write", world, json!({"contextType": "findings", "key": key, "items": items}))
    })?;
    table.measure(("scratch.read, one", five), calls, || {
        nth += 1;
        let key = format!("key {}", nth % 50);
        of("scratch_read", world, json!({"contextType": "findings", "key": key}))
    })?;
    table.measure(("dispatch.start", Some(8.0)), calls, || {
        let start = json!({"title": asker.text(6), "brief": asker.text(60), "symbolIds": [asker.symbol()]});
        of("dispatch_start", world, start)
    })?;
    table.measure(("session.search", five), calls, || {
        of("session_search", world, json!({"query": asker.text(5)}))
    })?;
    measure_delivery(&mut table, world, calls.min(MOST_MESSAGES / 2))?;
    Ok(table)
}

/// Measures messages: until the waiting call of the addressee answers, and one that is beside its next answer.
fn measure_delivery(table: &mut Table, world: &mut World, calls: u64) -> Outcome {
    let mut other = connect_shim(&world.env, &world.root)?;
    other.call("sdl_session_join", json!({"agent": "bob"}))?;
    let send =
        |world: &mut World| world.call("session_send", json!({"to": "bob", "body": "Look at the tests."}));
    let mut times = Times::default();
    let mut first = Duration::ZERO;
    for nth in 0..=calls {
        let waiting = other.send_call("sdl_session_inbox", json!({"waitMs": 60_000}))?;
        // The other daemon's thread has to wait before the message comes, or the call finds it at once.
        super::pass_time(Duration::from_millis(20));
        let began = Instant::now();
        send(world)?;
        let answer = other.wait_call(waiting)?;
        let took = began.elapsed();
        text_field(answer.data["messages"].get(0).unwrap_or(&Value::Null), "body")?;
        if nth == 0 { first = took } else { times.push(took) }
    }
    table.0.push(Row { label: "session.send until session.inbox wakes", bar: None, first, times });
    table.measure(("session.send and the next answer", None), calls, || {
        send(world)?;
        let answer = other.call("sdl_repo_status", json!({"sync": "none"}))?.data;
        text_field(answer["inbox"]["messages"].get(0).unwrap_or(&Value::Null), "body")?;
        Ok(other.arrived())
    })
}
