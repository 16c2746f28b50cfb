//! Answers a test of facts in time: reads `ops.jsonl` and `questions.jsonl` of a folder, writes `outcomes.jsonl` and
//! `answers.jsonl` into another.
//!
//! ```text
//! cargo run -p sdl-memory --example kg_truth -- FOLDER OUT
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a tool for measuring")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use sdl_contract::Code;
use sdl_ledger::{AgentReader, AgentStore, Options};
use sdl_memory::graph::{
    Direction, Draft, EntityQuery, Fact, View, When, Which, admit_fact, end_facts, entity_key, query_entity,
    retract_facts,
};
use sdl_memory::store::{Asked, change_store};
use sdl_memory::times::{FOREVER, parse_time, write_time};
use sdl_memory::{Author, Trouble, tables};
use serde_json::{Value, json};

fn main() {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let (folder, out) = (args.next().expect("a folder"), args.next().expect("a folder for the answers"));
    fs::create_dir_all(&out).unwrap();
    let place = tempfile::tempdir().unwrap();
    let (store, _) = AgentStore::open(place.path(), tables::ALL, &Options::default()).unwrap();
    let outcomes = read_lines(&folder.join("ops.jsonl")).into_iter().map(|op| {
        let outcome = apply_op(&store, &op);
        json!({ "op": op["op"], "outcome": outcome })
    });
    write_lines(&out.join("outcomes.jsonl"), outcomes);
    let answers = read_lines(&folder.join("questions.jsonl")).into_iter().map(|question| {
        let answer = store.read(|reader| Ok(answer(reader, &question))).unwrap();
        json!({ "id": question["id"], "answer": answer })
    });
    write_lines(&out.join("answers.jsonl"), answers);
}

fn read_lines(path: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write_lines(path: &std::path::Path, lines: impl Iterator<Item = Value>) {
    fs::write(path, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn time(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(parse_time("time", &text).unwrap())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn apply_op(store: &AgentStore, op: &Value) -> &'static str {
    let by = Author::default();
    let asked = Asked { by: &by, now_ms: time(&op["at"]).unwrap() as u64, once: None };
    let view = View::everything();
    let spo = Which::Spo(text(&op["subject"]), text(&op["predicate"]), text(&op["object"]));
    let outcome = match text(&op["do"]) {
        "add" => {
            let draft = Draft {
                subject: text(&op["subject"]).to_owned(),
                predicate: text(&op["predicate"]).to_owned(),
                object: text(&op["object"]).to_owned(),
                valid_from: time(&op["validFrom"]),
                valid_to: time(&op["validTo"]),
                exclusive: op["exclusive"] == true,
                ..Draft::default()
            };
            change_store(store, &asked, |change| admit_fact(change, &view, &draft))
                .map(|added| if added.value.deduplicated { "deduplicated" } else { "created" })
        }
        "invalidate" => {
            let at = time(&op["when"]);
            change_store(store, &asked, |change| end_facts(change, &view, spo, at, None))
                .map(|_| "invalidated")
        }
        _ => {
            change_store(store, &asked, |change| retract_facts(change, &view, spo, None)).map(|_| "retracted")
        }
    };
    match outcome {
        Ok(outcome) => outcome,
        Err(Trouble::Refused(refusal)) if refusal.code == Code::Conflict => "conflict",
        Err(Trouble::Refused(_)) => "refused",
        Err(other) => panic!("{other}"),
    }
}

/// The facts that a question is about, as they were known at `known`.
fn facts(reader: &AgentReader<'_>, entity: &str, question: &Value, known: i64) -> Vec<Fact> {
    let predicates: Vec<String> = question["predicate"].as_str().map(str::to_owned).into_iter().collect();
    let when = match (time(&question["asOf"]), time(&question["from"]), time(&question["to"])) {
        (Some(at), _, _) => When::At(at),
        (None, Some(from), Some(to)) => When::During(from, to),
        _ => When::Ever,
    };
    let direction = if question["direction"] == "in" { Direction::In } else { Direction::Out };
    let query = EntityQuery {
        entity,
        direction,
        predicates: &predicates,
        when,
        known_at: known,
        limit: usize::MAX,
        after: None,
    };
    query_entity(reader, &View::everything(), &query).unwrap().facts
}

fn answer(reader: &AgentReader<'_>, question: &Value) -> Value {
    let known = time(&question["knownAt"]).unwrap_or(FOREVER);
    let entity = text(&question["entity"]);
    let spo =
        |fact: &Fact| (entity_key(&fact.subject), fact.triple.predicate.clone(), entity_key(&fact.object));
    match text(&question["kind"]) {
        "path" => {
            let mut at = BTreeSet::from([entity.to_owned()]);
            for predicate in question["predicates"].as_array().unwrap() {
                let step = json!({ "predicate": predicate, "asOf": question["asOf"] });
                at = at
                    .iter()
                    .flat_map(|entity| facts(reader, entity, &step, known))
                    .map(|fact| fact.object)
                    .collect();
            }
            json!(at)
        }
        "changed" => {
            let then = time(&question["thenKnownAt"]).unwrap_or(FOREVER);
            let held =
                |known| facts(reader, entity, question, known).iter().map(spo).collect::<BTreeSet<_>>();
            let (before, after) = (held(known), held(then));
            json!({
                "lost": before.difference(&after).collect::<Vec<_>>(),
                "gained": after.difference(&before).collect::<Vec<_>>()
            })
        }
        _ => facts(reader, entity, question, known)
            .iter()
            .map(|fact| {
                json!({
                    "subject": fact.subject,
                    "predicate": fact.triple.predicate,
                    "object": fact.object,
                    "validFrom": write_time(fact.from),
                    "validTo": fact.to.map(write_time)
                })
            })
            .collect(),
    }
}
