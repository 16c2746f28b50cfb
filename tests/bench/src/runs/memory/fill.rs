//! A store of some size, as an export.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::lines::{Lines, make_id, scoped_key};
use crate::random::Random;
use crate::texts::Vocabulary;

const DAY_MS: u64 = 86_400_000;
/// Repositories with memories, the user among them.
const SCOPES: usize = 10;
/// Entities of the facts.
const ENTITIES: usize = 5_000;
const PREDICATES: usize = 40;
/// Sessions that logged the activity.
const SESSIONS: usize = 1_200;
const KINDS: [&str; 6] = ["decision", "bugfix", "task_context", "pattern", "note", "lesson"];
const ACTIVITY: [&str; 6] = ["note", "decision", "command", "edit", "test", "error"];

/// How many rows a store has.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) memories: usize,
    pub(super) triples: usize,
    pub(super) activity: usize,
}

/// A store, and what to ask it about.
pub(super) struct Filled {
    pub(super) export: String,
    /// Words of memories of the repository and of the user.
    pub(super) questions: Vec<String>,
    /// The more facts an entity has, the more often it is here.
    pub(super) entities: Vec<String>,
}

/// The makings of a store.
pub(super) struct Filler<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) random: Random,
    /// The repository that is asked. It has as many memories as the user and each of the others, and half of all other rows.
    pub(super) repo: &'a str,
    /// Anchors as the daemon made them.
    pub(super) anchors: &'a [Value],
    pub(super) now_ms: u64,
}

impl Filler<'_> {
    /// Makes a store. `room` memories fewer than its share are the repository's, because calls will add them.
    pub(super) fn make_store(&mut self, sizes: Sizes, room: usize) -> Filled {
        let mut lines = Lines::new((sizes.memories + sizes.triples + sizes.activity) as u64);
        let mut questions = Vec::new();
        let share = sizes.memories / SCOPES;
        for scope in 0..SCOPES {
            let count = if scope == 0 { share.saturating_sub(room) } else { share };
            for nth in 0..count {
                let number = (scope * share + nth) as u64;
                let question = self.add_memory(&mut lines, &self.scope_name(scope), number);
                if scope < 2 && nth % 4 == 0 {
                    questions.push(question);
                }
            }
        }
        let entities = self.add_triples(&mut lines, sizes.triples.saturating_sub(room));
        self.add_activity(&mut lines, sizes.activity);
        Filled { export: lines.finish(), questions, entities }
    }

    /// The repository, the user, and others that are not registered here.
    fn scope_name(&self, scope: usize) -> String {
        match scope {
            0 => self.repo.to_owned(),
            1 => String::new(),
            other => format!("another-{other}"),
        }
    }

    fn any_scope(&mut self) -> String {
        if self.random.chance(0.5) {
            return self.repo.to_owned();
        }
        let scope = self.random.below(SCOPES as u64) as usize;
        self.scope_name(scope)
    }

    /// A memory about a few words, a third of them with an anchor, of which a tenth are stale. Returns words of it.
    fn add_memory(&mut self, lines: &mut Lines, scope: &str, number: u64) -> String {
        let random = &mut self.random;
        let at_ms = self.now_ms - random.below(360 * DAY_MS);
        let id = make_id("m_", at_ms, number);
        let subject = self.vocabulary.words(random, 5);
        let length = 20 + random.below(100) as usize;
        let content = self.vocabulary.text(random, length, (&subject, 0.3));
        let kind = KINDS.get(number as usize % KINDS.len()).copied().unwrap_or("note");
        let details = match kind {
            "decision" => json!({"rationale": self.vocabulary.text(random, 20, (&subject, 0.3))}),
            "bugfix" => json!({"cause": self.vocabulary.text(random, 15, (&subject, 0.3))}),
            "lesson" => json!({"lessonType": "procedural", "importance": 0.5}),
            _ => json!({}),
        };
        let mut row = json!({
            "id": id, "scope": scope, "title": self.vocabulary.text(random, 7, (&subject, 0.5)), "content": content,
            "tags": [subject.first()], "confidence": 0.8, "anchors": {"version": 0}, "details": {kind: details},
            "head": {"revision": number + 1, "createdMs": at_ms, "updatedMs": at_ms, "by": {"client": "bench"}},
        });
        if kind == "lesson" {
            row["agent"] = json!(format!("agent-{}", random.below(4)));
        }
        if random.chance(0.33) {
            row["anchors"] = make_anchors(self.anchors, random);
        }
        let asked = subject.join(" ");
        lines.add_row("memories", &scoped_key(scope, &id), 2, &row);
        asked
    }

    /// Facts about entities, some of which are in far more of them than others. Returns the entities, each once for every fact.
    fn add_triples(&mut self, lines: &mut Lines, count: usize) -> Vec<String> {
        let name = |random: &mut Random, words: &Vocabulary| words.words(random, 2).join(" ");
        let names: Vec<String> = (0..ENTITIES).map(|_| name(&mut self.random, self.vocabulary)).collect();
        let predicates: Vec<String> =
            (0..PREDICATES).map(|_| name(&mut self.random, self.vocabulary).replace(' ', "_")).collect();
        let entity =
            |random: &mut Random| names.get(random.zipf(names.len(), 50)).cloned().unwrap_or_default();
        let (mut seen, mut asked) = (HashSet::new(), Vec::new());
        while asked.len() < count {
            let scope = self.any_scope();
            let random = &mut self.random;
            let subject = entity(random);
            let predicate = random.zipf(PREDICATES, 5);
            let exclusive = predicate.is_multiple_of(5);
            let (object, kind) = match random.below(3) {
                0 => (self.vocabulary.text(random, 8, (&[], 0.0)), "text"),
                _ => (entity(random), "entity"),
            };
            // Each only once: intervals of one fact may not overlap.
            if !seen.insert((scope.clone(), subject.clone(), predicate, object.clone())) {
                continue;
            }
            let from = self.now_ms - random.below(700 * DAY_MS);
            let id = make_id("t_", from, asked.len() as u64);
            let by = json!({"client": "bench"});
            let mut row = json!({
                "id": id, "scope": scope, "subject": subject, "predicate": predicates.get(predicate), "object": object,
                "objectType": kind, "validFrom": from, "exclusive": exclusive, "confidence": 0.8, "onChange": "flag",
                "anchors": {"version": 0}, "recordedAt": from, "by": by,
                "head": {"revision": asked.len() + 1, "createdMs": from, "updatedMs": from, "by": by},
            });
            if random.chance(0.2) {
                row["validTo"] = json!(from + (1 + random.below(60)) * DAY_MS);
            }
            if random.chance(0.1) {
                row["anchors"] = make_anchors(self.anchors, random);
            }
            lines.add_row("triples", id.as_bytes(), 1, &row);
            asked.push(subject);
        }
        asked
    }

    /// Eighty days of activity of some sessions.
    fn add_activity(&mut self, lines: &mut Lines, count: usize) {
        let step = 80 * DAY_MS / (count as u64).max(1);
        for number in 0..count as u64 {
            let scope = self.any_scope();
            let random = &mut self.random;
            let at_ms = self.now_ms - 80 * DAY_MS + number * step;
            let id = make_id("act_", at_ms, number);
            // A session works for a while and is followed by the next.
            let place = number * SESSIONS as u64 / count as u64;
            let session = make_id("ses_", place, 0);
            let length = 8 + random.below(14) as usize;
            let by = json!({"session": session, "agent": format!("agent-{}", place % 4), "client": "bench"});
            let row = json!({
                "id": id, "scope": scope, "kind": random.pick(&ACTIVITY), "atMs": at_ms,
                "message": self.vocabulary.text(random, length, (&[], 0.0)), "anchors": {"version": 0},
                "head": {"revision": number + 1, "createdMs": at_ms, "updatedMs": at_ms, "by": by},
            });
            lines.add_row("activity", id.as_bytes(), 1, &row);
        }
    }
}

/// One to three of the daemon's anchors. A tenth has another fingerprint than the code.
fn make_anchors(known: &[Value], random: &mut Random) -> Value {
    let mut symbols: Vec<Value> = Vec::new();
    for _ in 0..=random.below(3) {
        if let Some(anchor) = random.pick(known).filter(|anchor| !symbols.contains(anchor)) {
            let mut anchor = anchor.clone();
            if random.chance(0.1) {
                anchor["fingerprint"] = json!(random.next());
            }
            symbols.push(anchor);
        }
    }
    let version = symbols.first().map_or(json!(0), |anchor| anchor["version"].clone());
    json!({"symbols": symbols, "version": version})
}
