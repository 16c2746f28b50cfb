//! Measures the cost of hostile input: `cargo run --release -p sdl-lang --example hostile -- [LANGUAGE|all] [CASE]
//! [SIZE]`.
//!
//! Builds files that nobody would write, up to the size that is still parsed, and takes each at a quarter of that size
//! and at all of it, on a stack of 2 MB. Prints the seconds that parsing and all later steps take. Flags cases that
//! take over a second or whose time after parsing grows faster than the file.

#![allow(clippy::print_stdout, reason = "a tool for people")]

use std::io::Write;

use sdl_lang::{Limits, extract_facts, parse_only};
use sdl_model::Lang;

#[path = "hostile/cases.rs"]
mod cases;

use cases::Case;

static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);

/// The stack of a thread of the daemon.
const STACK: usize = 2 << 20;
/// The largest allowed growth of the time for extraction, for a file of four times the size.
const MAX_GROWTH: f64 = 6.0;
/// The limit in seconds for each part.
const MAX_SECONDS: f64 = 1.0;
/// Below this, a ratio of times is meaningless.
const MEASURABLE: f64 = 0.04;

/// Seconds for parsing and for the later steps, and whether there was an answer.
#[derive(Clone, Copy)]
struct Cost {
    parse: f64,
    rest: f64,
    refused: bool,
}

fn main() {
    let lang = std::env::args().nth(1).filter(|name| name != "all");
    let only = std::env::args().nth(2);
    let largest = std::env::args().nth(3).and_then(|size| size.parse().ok());
    let largest = largest.unwrap_or(Limits::default().max_bytes as usize);
    let (mut taken, mut flagged) = (0, 0);
    for lang in Lang::ALL.into_iter().filter(|of| lang.as_ref().is_none_or(|name| of.name() == name)) {
        if parse_only(lang, b"").is_none() {
            continue;
        }
        for case in cases::cases(lang) {
            if only.as_ref().is_some_and(|only| !case.name().contains(only.as_str())) {
                continue;
            }
            taken += 1;
            flagged += u32::from(measure(lang, &case, largest));
        }
    }
    println!("{taken} cases, {flagged} flagged");
}

/// Prints the cost of `case`, and returns whether it is too high.
fn measure(lang: Lang, case: &Case, largest: usize) -> bool {
    // A file with more of its text in long lines counts as minified.
    let largest = if case.is_one_line() { largest / 2 } else { largest };
    // Printed first, so that a case that overflows the stack is the last one on the screen.
    print!("{:<11} {:<44}", lang.name(), case.name());
    let _ = std::io::stdout().flush();
    let small = cost(lang, case.text(largest / 4));
    let large = cost(lang, case.text(largest));
    let growth = if large.rest < MEASURABLE { 0.0 } else { large.rest / small.rest.max(1e-4) };
    let mut flags = String::new();
    for (is_bad, flag) in [
        (large.parse.max(small.parse) > MAX_SECONDS, " PARSE"),
        (large.rest.max(small.rest) > MAX_SECONDS, " EXTRACT"),
        (growth > MAX_GROWTH && !small.refused, " GROWS"),
    ] {
        if is_bad {
            flags.push_str(flag);
        }
    }
    println!(
        " parse {:7.3} {:7.3}{} rest {:7.3} {:7.3} x{growth:<5.1}{flags}",
        small.parse,
        large.parse,
        if large.refused { " refused" } else { "        " },
        small.rest,
        large.rest,
    );
    !flags.is_empty()
}

fn cost(lang: Lang, text: String) -> Cost {
    let work = move || {
        let start = cpu_seconds();
        let refused = parse_only(lang, text.as_bytes()).is_none_or(|tree| tree.is_err());
        let parse = cpu_seconds() - start;
        let start = cpu_seconds();
        if !refused {
            drop(extract_facts(lang, text.as_bytes()));
        }
        let rest = if refused { 0.0 } else { (cpu_seconds() - start - parse).max(0.0) };
        Cost { parse, rest, refused }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let failed = Cost { parse: f64::INFINITY, rest: f64::INFINITY, refused: true };
    thread.map_or(failed, |thread| thread.join().unwrap_or(failed))
}

/// The processor time of this thread, or the wall time where that is unavailable.
fn cpu_seconds() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|first| first.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |all| all / 1e9)
}
