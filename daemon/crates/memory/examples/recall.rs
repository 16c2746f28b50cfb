//! Answers the questions of a test of recall by the index of words. Each turn of a dialogue is stored as a row, one scope
//! for each dialogue, and each question is searched in its dialogue's scope. Prints one JSON object for each question:
//! its id, and the ids of turns, the best first.
//!
//! `cargo run --release -p sdl-memory --example recall -- DATA [--pooled] > results.jsonl`, where DATA has
//! `memories.jsonl` (id, dialogue, session, time, speaker, text, caption) and `questions.jsonl` (id, dialogue, question).
//! With `--pooled` all dialogues are in one scope.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_ledger::{AgentStore, Options};
use sdl_memory::store::{Asked, Head, Row, change_store, scoped_key};
use sdl_memory::words::{Ask, Lane, Texts, search};
use sdl_memory::{Author, tables, times};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Turns that are answered for one question.
const LIMIT: usize = 100;

#[derive(Deserialize)]
struct Turn {
    id: String,
    dialogue: String,
    session: String,
    time: String,
    speaker: String,
    text: String,
    #[serde(default)]
    caption: String,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    dialogue: String,
    #[serde(rename = "question")]
    text: String,
}

/// A turn as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct Memory {
    id: String,
    scope: String,
    author: String,
    content: String,
    session: String,
    said_ms: i64,
    head: Head,
}

impl Row for Memory {
    const TABLE: &'static str = tables::MEMORIES;
    const LANE: Option<Lane> = Some(Lane::Memory);

    fn key(&self) -> Vec<u8> {
        scoped_key(&self.scope, &self.id)
    }
    fn id(&self) -> &str {
        &self.id
    }
    fn scope(&self) -> &str {
        &self.scope
    }
    fn head(&self) -> Head {
        self.head.clone()
    }
    fn set_head(&mut self, head: Head) {
        self.head = head;
    }
    fn texts(&self) -> Texts {
        Texts {
            body: self.content.clone(),
            names: vec![self.author.clone()],
            at_ms: self.said_ms,
            session: Some(self.session.clone()),
            ..Texts::default()
        }
    }
}

/// What was stored: the turn of each row, and the last time of each scope.
#[derive(Default)]
struct Stored {
    turns: BTreeMap<String, String>,
    last_ms: BTreeMap<String, i64>,
}

fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Outcome<Vec<T>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Stores the turns in their order. One change for each session, as an agent's notes are written.
fn store_turns(store: &AgentStore, turns: &[Turn], scope_of: &dyn Fn(&str) -> String) -> Outcome<Stored> {
    let by = Author::default();
    let mut stored = Stored::default();
    for turns in turns.chunk_by(|one, next| one.session == next.session) {
        let asked = Asked { by: &by, now_ms: 1, once: None };
        let times: Vec<i64> = turns
            .iter()
            .map(|turn| times::parse_time("time", &turn.time).map_err(|refusal| refusal.to_string()))
            .collect::<Result<_, _>>()?;
        let mut ids = Vec::new();
        change_store(store, &asked, |change| {
            ids.clear();
            for (turn, said_ms) in turns.iter().zip(&times) {
                let mut memory = Memory {
                    id: format!("m_{:08}", stored.turns.len() + ids.len()),
                    scope: scope_of(&turn.dialogue),
                    author: turn.speaker.clone(),
                    content: format!("{} {}", turn.text, turn.caption),
                    session: turn.session.clone(),
                    said_ms: *said_ms,
                    head: Head::default(),
                };
                change.put(&mut memory)?;
                ids.push(memory.id);
            }
            Ok(())
        })
        .map_err(|trouble| trouble.to_string())?;
        for ((turn, said_ms), id) in turns.iter().zip(times).zip(ids) {
            stored.turns.insert(id, turn.id.clone());
            let last = stored.last_ms.entry(scope_of(&turn.dialogue)).or_default();
            *last = said_ms.max(*last);
        }
    }
    Ok(stored)
}

fn answer(store: &AgentStore, stored: &Stored, scope: &str, question: &str) -> Outcome<Vec<Value>> {
    let ask = Ask {
        scopes: &[scope],
        lanes: &[Lane::Memory, Lane::Lesson],
        text: question,
        now_ms: stored.last_ms.get(scope).copied().unwrap_or_default(),
        since_ms: None,
        keep: None,
        limit: LIMIT,
    };
    let found = store.read(|reader| search(reader, &ask))?;
    Ok(found.hits.iter().filter_map(|hit| stored.turns.get(&hit.id)).map(|turn| json!(turn)).collect())
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let is_pooled = args.iter().any(|arg| arg == "--pooled");
    let Some(data) = args.iter().find(|arg| !arg.starts_with("--")) else {
        return Err("name the folder with memories.jsonl and questions.jsonl".into());
    };
    let scope_of = |dialogue: &str| if is_pooled { "all".to_owned() } else { dialogue.to_owned() };
    let dir = tempfile::tempdir()?;
    let (store, _) = AgentStore::open(dir.path(), tables::ALL, &Options::default())?;
    let turns: Vec<Turn> = read_lines(&Path::new(data).join("memories.jsonl"))?;
    let questions: Vec<Question> = read_lines(&Path::new(data).join("questions.jsonl"))?;
    let begun = Instant::now();
    let stored = store_turns(&store, &turns, &scope_of)?;
    let storing = begun.elapsed();
    let mut out = std::io::stdout().lock();
    let mut took: Vec<Duration> = Vec::new();
    for Question { id, dialogue, text } in &questions {
        let begun = Instant::now();
        let ranked = answer(&store, &stored, &scope_of(dialogue), text)?;
        took.push(begun.elapsed());
        writeln!(out, "{}", json!({"id": id, "ranked": ranked}))?;
    }
    took.sort_unstable();
    let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or_default();
    eprintln!("{} turns in {storing:?}; a question: p50 {:?}, p95 {:?}", turns.len(), at(50), at(95));
    Ok(())
}
