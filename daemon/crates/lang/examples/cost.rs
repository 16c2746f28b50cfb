//! Compares the cost of extraction with that of bare parsing: `cargo run --release -p sdl-lang --example cost --
//! FOLDER`.
//!
//! Prints CPU seconds of one thread for parsing alone, parsing and walking the tree with a cursor, and extraction, for
//! all files of the languages that have an extractor; the best of several rounds each.

#![allow(clippy::print_stdout, reason = "a tool for people")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use sdl_lang::{detect_lang, extract_facts, parse_only};
use sdl_model::{Lang, RelPath};

const ROUNDS: usize = 5;

fn main() {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let mut files = Vec::new();
    collect(&root, &mut files);
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    println!("{} files, {:.1} MB", files.len(), bytes as f64 / 1e6);
    let parse = best(|| files.iter().for_each(|(lang, bytes)| drop(parse_only(*lang, bytes))));
    let walk = best(|| files.iter().for_each(|(lang, bytes)| walk(*lang, bytes)));
    let all = best(|| files.iter().for_each(|(lang, bytes)| drop(extract_facts(*lang, bytes))));
    println!("parse          {parse:.3} s");
    println!("parse + walk   {walk:.3} s");
    println!("extract        {all:.3} s   {:.2} of parse + walk", all / walk);
    let (mut defs, mut refs, mut bindings, mut strings, mut exprs) = (0, 0, 0, 0, 0);
    for (lang, bytes) in &files {
        if let Ok(facts) = extract_facts(*lang, bytes) {
            defs += facts.outline.defs.len();
            refs += facts.body.refs.len();
            bindings += facts.body.bindings.len();
            strings += facts.outline.arena.strings.len() + facts.body.arena.strings.len();
            exprs += facts.outline.arena.exprs.len() + facts.body.arena.exprs.len();
        }
    }
    println!(
        "{defs} definitions, {refs} references, {bindings} bindings, {strings} texts, {exprs} expressions"
    );
}

fn collect(dir: &Path, files: &mut Vec<(Lang, Vec<u8>)>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && let Some(lang) = RelPath::new(name).and_then(|name| detect_lang(&name, b""))
            && let Ok(bytes) = std::fs::read(&path)
            && parse_only(lang, b"").is_some()
        {
            files.push((lang, bytes));
        }
    }
}

fn best(mut work: impl FnMut()) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn walk(lang: Lang, bytes: &[u8]) {
    let Some(Ok(tree)) = parse_only(lang, bytes) else { return };
    let mut cursor = tree.walk();
    let mut seen = 0_u64;
    loop {
        seen += u64::from(cursor.node().kind_id());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                std::hint::black_box(seen);
                return;
            }
        }
    }
}
