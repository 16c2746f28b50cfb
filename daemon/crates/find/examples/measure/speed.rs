//! How long an index of many tools takes to build, and a query to answer.

use std::time::Instant;

use sdl_find::{Doc, Finder, Lexicon};

const QUERIES: usize = 1_000;
/// Syllables that generated words are made of.
const SYLLABLES: [&str; 32] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su", "ta", "ve",
    "wi", "xo", "yu", "za", "ble", "cra", "dri", "flo", "gru", "pla", "ste", "tri", "spo", "shu", "tha",
];
/// Verbs and nouns that real tools have.
const COMMON: [&str; 48] = [
    "get",
    "list",
    "create",
    "update",
    "delete",
    "search",
    "find",
    "read",
    "write",
    "send",
    "open",
    "run",
    "file",
    "page",
    "user",
    "issue",
    "message",
    "image",
    "document",
    "table",
    "price",
    "weather",
    "route",
    "ticket",
    "note",
    "task",
    "chart",
    "branch",
    "commit",
    "database",
    "query",
    "account",
    "payment",
    "order",
    "product",
    "video",
    "music",
    "map",
    "city",
    "calendar",
    "event",
    "contact",
    "email",
    "password",
    "container",
    "log",
    "metric",
    "report",
];

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// A word: one of three times a common one, else one of several thousand.
    fn word(&mut self) -> String {
        if self.below(3) == 0 {
            return COMMON[self.below(COMMON.len())].to_owned();
        }
        (0..=self.below(3)).map(|_| SYLLABLES[self.below(SYLLABLES.len())]).collect()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn doc(&mut self, at: usize) -> Doc {
        Doc {
            key: format!("server{}", at / 40),
            name: self.words(3).replace(' ', "_"),
            about: format!("The server of {}.", at / 40),
            description: format!("{}. {}.", self.words(12), self.words(30)),
            parameters: (0..4).map(|_| (self.words(2).replace(' ', "_"), self.words(8))).collect(),
            ..Doc::default()
        }
    }
}

/// Prints the times for this number of tools.
pub(crate) fn measure_speed(count: usize) {
    let mut numbers = Numbers(7);
    let docs: Vec<Doc> = (0..count).map(|at| numbers.doc(at)).collect();
    let begin = Instant::now();
    let lexicon = Lexicon::shared();
    println!(
        "lexicon: {:?}, {} KB, {:?} entries and groups",
        begin.elapsed(),
        lexicon.bytes() / 1024,
        lexicon.counts()
    );
    let begin = Instant::now();
    let finder = Finder::new(&docs);
    println!("index of {count} tools: {:?}", begin.elapsed());
    for words in [4, 12, 40] {
        let mut times: Vec<u128> = Vec::with_capacity(QUERIES);
        for _ in 0..QUERIES {
            let query = numbers.words(words);
            let begin = Instant::now();
            let found = finder.search(&query, 10);
            times.push(begin.elapsed().as_micros());
            assert!(found.hits.len() <= 10);
        }
        times.sort_unstable();
        let at =
            |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default() as f64 / 1_000.0;
        println!(
            "queries of {words} words: p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms",
            at(50),
            at(95),
            at(99)
        );
    }
}
