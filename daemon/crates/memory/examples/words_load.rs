//! Measures the index of words at the limits of the store: 20,000 memories, 100,000 facts, 50,000 rows of activity, in ten
//! repositories. Words are drawn as they are in English: the nth most common one with a share of 1/n, without the first
//! fifty, which say nothing.
//!
//! `cargo run --release -p sdl-memory --example words_load`

use std::error::Error;
use std::time::{Duration, Instant};

use sdl_ledger::{AgentStore, Options};
use sdl_memory::tables;
use sdl_memory::words::{Ask, Lane, Texts, note_row, search};

const REPOS: usize = 10;
/// Different words.
const WORDS: usize = 30_000;
/// The most common words, which are not in the index.
const STOP: usize = 50;
const QUESTIONS: usize = 200;

/// A small generator of numbers, so that each run is the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A word whose rank is drawn with a share of 1/rank.
    fn word(&mut self) -> String {
        let rank = (STOP as f64 * (WORDS as f64 / STOP as f64).powf(self.roll())) as usize;
        let mut word = String::new();
        let mut rest = rank * 7_919 + 17;
        while rest > 0 {
            word.push(char::from(b"bcdfghklmnprstvz"[rest % 16]));
            word.push(char::from(b"aeiou"[rest % 5]));
            rest /= 16;
        }
        word
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn row(&mut self, lane: Lane, nth: usize) -> Texts {
        let (title, body) = match lane {
            Lane::Kg => (4, 4),
            Lane::Activity => (0, 15),
            _ => (6, 60),
        };
        Texts {
            title: self.text(title),
            body: self.text(body),
            at_ms: 1_770_000_000_000 + nth as i64 * 60_000,
            session: (lane != Lane::Kg).then(|| format!("ses_{}", nth / 40)),
            ..Texts::default()
        }
    }
}

fn percentile(times: &mut [Duration], share: usize) -> Duration {
    times.sort_unstable();
    times.get(times.len() * share / 100).copied().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let options = Options { map_size: 1 << 30, ..Options::default() };
    let (store, _) = AgentStore::open(dir.path(), tables::ALL, &options)?;
    let mut dice = Dice(7);
    let scopes: Vec<String> = (0..REPOS).map(|repo| format!("repository_{repo}")).collect();
    for (lane, rows) in [(Lane::Memory, 20_000), (Lane::Kg, 100_000), (Lane::Activity, 50_000)] {
        let mut took = Vec::new();
        let numbers: Vec<usize> = (0..rows).collect();
        for numbers in numbers.chunks(500) {
            let texts: Vec<Texts> = numbers.iter().map(|nth| dice.row(lane, *nth)).collect();
            store.write(|writer| {
                for (nth, texts) in numbers.iter().zip(&texts) {
                    let scope = scopes.get(nth % REPOS).map_or("", String::as_str);
                    let begun = Instant::now();
                    note_row(writer, lane, scope, &format!("{lane:?}_{nth}"), None, Some(texts))?;
                    took.push(begun.elapsed());
                }
                Ok(())
            })?;
        }
        let (p50, p95) = (percentile(&mut took, 50), percentile(&mut took, 95));
        println!("{rows} rows of {lane:?}: the words of one p50 {p50:?}, p95 {p95:?}");
    }
    // As in use: a transaction of its own for each row.
    let mut took = Vec::new();
    for nth in 20_000..20_200 {
        let texts = dice.row(Lane::Memory, nth);
        store.write(|writer| {
            let begun = Instant::now();
            note_row(writer, Lane::Memory, "repository_0", &format!("Memory_{nth}"), None, Some(&texts))?;
            took.push(begun.elapsed());
            Ok(())
        })?;
    }
    let (p50, p95) = (percentile(&mut took, 50), percentile(&mut took, 95));
    println!("a memory in a transaction of its own: its words p50 {p50:?}, p95 {p95:?}");
    let all: Vec<&str> = scopes.iter().map(String::as_str).collect();
    for (name, scopes, lanes) in [
        ("memories of one repository", &all[..1], &[Lane::Memory][..]),
        ("all lanes of one repository", &all[..1], &Lane::ALL[..]),
        ("memories of all", &all[..], &[Lane::Memory][..]),
        ("all lanes of all", &all[..], &Lane::ALL[..]),
    ] {
        let mut took = Vec::new();
        for _ in 0..QUESTIONS {
            let text = dice.text(6);
            let now_ms = 1_770_000_000_000;
            let ask = Ask { scopes, lanes, text: &text, now_ms, since_ms: None, keep: None, limit: 20 };
            let begun = Instant::now();
            store.read(|reader| search(reader, &ask))?;
            took.push(begun.elapsed());
        }
        let (p50, p95) = (percentile(&mut took, 50), percentile(&mut took, 95));
        println!("a question to {name}: p50 {p50:?}, p95 {p95:?}");
    }
    let bytes: u64 = std::fs::read_dir(dir.path())?
        .filter_map(|entry| entry.ok()?.metadata().ok())
        .map(|file| file.len())
        .sum();
    println!("{} MB on the disk", bytes >> 20);
    Ok(())
}
