//! The cost of the ledger, in CPU time of the calling thread. Run by hand:
//! `cargo test --release -p sdl-ledger --test speed -- --ignored --nocapture --test-threads 1`
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::sync::Arc;

use sdl_ledger::{
    FactsStore, FilePostings, FileUpdate, Ledger, Options, Posting, ResolutionCounts, Resolved, View,
    encode_facts,
};
use sdl_model::ids::stable_hash;
use sdl_model::{
    Cause, Edge, EdgeKind, FactsKey, FileId, FileRow, FileState, RelPath, Resolution, StatHint, Strategy,
};
use support::Spec;

// Django's package, about.
const FILES: usize = 880;
const SYMBOLS: usize = 23;
const EDGES: usize = 5;
const POSTINGS: usize = 20;
const ASKED: usize = 50;
const TERMS: u64 = 30_000;

fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6
}

fn private_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

struct Sample {
    updates: Vec<FileUpdate>,
    keys: Vec<FactsKey>,
    resolved: Vec<Resolved>,
    postings: Vec<Posting>,
}

/// A number that looks random, from 0 to `below`.
fn pick(of: (usize, usize, usize), below: u64) -> u64 {
    stable_hash(&[&of.0.to_le_bytes(), &of.1.to_le_bytes(), &of.2.to_le_bytes()]) % below
}

fn sample(files: usize) -> Sample {
    let mut sample =
        Sample { updates: Vec::new(), keys: Vec::new(), resolved: Vec::new(), postings: Vec::new() };
    let mut symbols = Vec::new();
    for n in 0..files {
        let path = RelPath::new(&format!("package{}/sub{}/file{n}.py", n % 7, n % 60)).unwrap();
        let mut facts = support::facts(&Spec {
            package: None,
            defs: vec![(0, vec![1; 60])],
            imports: Vec::new(),
            padding: 0,
        });
        let template = facts.outline.defs[1].clone();
        for s in 0..SYMBOLS {
            let name = facts.outline.arena.strings.push(&format!("name_{}", pick((n, s, 0), 12_000)));
            let mut def = template.clone();
            def.name = name;
            def.key = stable_hash(&[&n.to_le_bytes(), &s.to_le_bytes()]);
            facts.outline.defs.push(def);
        }
        let file = FileId::of(&path);
        symbols.push(facts.outline.defs.iter().map(|def| file.symbol(def.key)).collect::<Vec<_>>());
        let key = support::facts_key(&Spec {
            package: Some((n % 251) as u8),
            defs: vec![((n / 251) as u8, vec![])],
            imports: vec![],
            padding: 0,
        });
        sample.keys.push(key);
        sample.updates.push(FileUpdate {
            row: Some(FileRow { path: path.clone(), state: FileState::Indexed(key), size: 6_000 }),
            path,
            stat: Some(StatHint {
                size: 1,
                mtime_ns: 1 << 60,
                ctime_ns: 1 << 60,
                inode: n as u64,
                read_ns: 1 << 60,
            }),
            facts: Some(Arc::new(facts)),
        });
    }
    for (n, own) in symbols.iter().enumerate() {
        let file = FileId::of(&sample.updates[n].path);
        let edges = own.iter().enumerate().map(|(s, symbol)| {
            let mut edges: Vec<Edge> = (0..EDGES)
                .map(|e| Edge {
                    to: symbols[pick((n, s, e), files as u64) as usize][pick((n, s, e + 100), 20) as usize],
                    kind: EdgeKind::Call,
                    resolution: Resolution::Exact,
                    strategy: Strategy(3),
                    confidence: 97,
                    line_offset: e as u32,
                    sites: 1,
                })
                .collect();
            edges.sort_unstable();
            (*symbol, edges)
        });
        let mut asked: Vec<u32> =
            (0..ASKED).map(|a| stable_hash(&[&pick((n, a, 7), 15_000).to_le_bytes()]) as u32).collect();
        asked.sort_unstable();
        asked.dedup();
        let counts = ResolutionCounts { exact: 5, ..ResolutionCounts::default() };
        sample.resolved.push(Resolved {
            file: Some(file),
            edges: edges.collect(),
            asked,
            unresolved: Vec::new(),
            counts,
        });
        for (s, symbol) in own.iter().enumerate() {
            for p in 0..POSTINGS {
                // Few terms are frequent, most are rare.
                let rank = TERMS / (1 + pick((n, s, p + 200), TERMS));
                let term = format!("term{}", rank + pick((n, s, p + 300), 1 + rank));
                let (symbol, impact) = (*symbol, (p * 10) as u8);
                sample.postings.push(Posting { term: term.into(), symbol, impact, flags: 1 });
            }
        }
    }
    sample
}

fn load(ledger: &Ledger, sample: &Sample, quiet: bool) {
    let mut at = cpu_ms();
    let start = at;
    let mut lap = |what: &str| {
        let now = cpu_ms();
        if !quiet {
            println!("  {what:24} {:7.1} ms", now - at);
        }
        at = now;
    };
    let mut bulk = ledger.bulk().unwrap();
    lap("begin");
    for update in &sample.updates {
        bulk.add_file(update).unwrap();
    }
    lap("add_file");
    bulk.files_done().unwrap();
    lap("files_done");
    for resolved in &sample.resolved {
        bulk.add_resolved(resolved).unwrap();
    }
    lap("add_resolved");
    for postings in sample.postings.chunks((SYMBOLS + 2) * POSTINGS) {
        bulk.add_postings(&postings.iter().cloned().collect()).unwrap();
    }
    lap("add_postings");
    bulk.finish(Cause::FirstIndex, None, 0).unwrap();
    lap("finish");
    println!("  bulk load                {:7.1} ms CPU", cpu_ms() - start);
}

#[test]
#[ignore = "measures"]
fn bulk_load_and_batches() {
    for files in [FILES, FILES, 2_800] {
        let sample = sample(files);
        let dir = tempfile::tempdir().unwrap();
        let ledger = support::open(dir.path(), &Options::default());
        println!("{files} files, {} symbols, {} postings", files * (SYMBOLS + 2), sample.postings.len());
        let before = private_mb();
        load(&ledger, &sample, false);
        let stats = ledger.stats().unwrap();
        println!(
            "  private memory           {:+7.1} MB; data file {:.1} MB",
            private_mb() - before,
            stats.bytes as f64 / 1e6
        );
        let start = cpu_ms();
        let findings = ledger.check().unwrap();
        println!("  check                    {:7.1} ms, {} findings", cpu_ms() - start, findings.len());
        let start = cpu_ms();
        ledger.digest().unwrap();
        println!("  digest                   {:7.1} ms", cpu_ms() - start);
        let start = cpu_ms();
        let mut n = 0_u64;
        ledger
            .read(support::soon(), |view| {
                for r in &sample.resolved {
                    for (symbol, _) in &r.edges {
                        n += view.out_edges(*symbol)?.len() as u64 + view.fan_in(*symbol)?;
                    }
                }
                Ok(())
            })
            .unwrap();
        println!("  edges of every symbol    {:7.1} ms ({n})", cpu_ms() - start);

        // One file changes: a symbol's edges, a posting, the row.
        let mut total = 0.0;
        for round in 0..50 {
            let n = round * 7;
            let update = &sample.updates[n];
            let mut row = update.row.clone().unwrap();
            row.size += 1 + round as u64;
            let mut resolved = sample.resolved[n].clone();
            resolved.edges[3].1.pop();
            let mut all =
                sample.postings[n * (SYMBOLS + 2) * POSTINGS..][..(SYMBOLS + 2) * POSTINGS].to_vec();
            all.sort();
            all.dedup();
            let fewer = all[1..].to_vec();
            let update = FileUpdate { row: Some(row), ..update.clone() };
            let start = cpu_ms();
            let mut batch = ledger.batch().unwrap();
            let keys = batch.apply_files(&[update]).unwrap();
            batch.dependents(&keys).unwrap();
            batch.set_resolved(&resolved).unwrap();
            batch.set_postings(&all.into_iter().collect(), &fewer.into_iter().collect()).unwrap();
            batch.commit(Cause::Watch, None, 0).unwrap().unwrap();
            total += cpu_ms() - start;
        }
        println!("  one-file batch           {:7.3} ms CPU", total / 50.0);
        drop(ledger);
        for crashed in [false, true] {
            if crashed {
                std::fs::write(dir.path().join("running"), "").unwrap();
            }
            let start = cpu_ms();
            support::open(dir.path(), &Options::default());
            println!("  open, crashed: {crashed:5}     {:7.2} ms", cpu_ms() - start);
        }
    }
}

#[test]
#[ignore = "measures"]
fn one_batch_with_every_file() {
    let sample = sample(FILES);
    let dir = tempfile::tempdir().unwrap();
    let ledger = support::open(dir.path(), &Options::default());
    let before = private_mb();
    let start = cpu_ms();
    let mut batch = ledger.batch().unwrap();
    batch.apply_files(&sample.updates).unwrap();
    println!("apply_files  {:7.1} ms", cpu_ms() - start);
    for resolved in &sample.resolved {
        batch.set_resolved(resolved).unwrap();
    }
    println!("set_resolved {:7.1} ms", cpu_ms() - start);
    for postings in sample.postings.chunks((SYMBOLS + 2) * POSTINGS) {
        let postings = postings.iter().cloned().collect();
        batch.set_postings(&FilePostings::default(), &postings).unwrap();
    }
    println!("set_postings {:7.1} ms", cpu_ms() - start);
    batch.commit(Cause::FirstIndex, None, 0).unwrap();
    println!("commit       {:7.1} ms; private memory {:+.1} MB", cpu_ms() - start, private_mb() - before);
}

#[test]
#[ignore = "measures"]
fn facts() {
    let sample = sample(FILES);
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = FactsStore::open(dir.path(), &Options::default()).unwrap();
    let start = cpu_ms();
    let encoded: Vec<_> = sample
        .updates
        .iter()
        .zip(&sample.keys)
        .map(|(u, key)| (*key, encode_facts(u.facts.as_ref().unwrap()).unwrap()))
        .collect();
    println!(
        "encode {} facts, {} KB: {:.1} ms",
        encoded.len(),
        encoded.iter().map(|e| e.1.len()).sum::<usize>() / 1024,
        cpu_ms() - start
    );
    let start = cpu_ms();
    for chunk in encoded.chunks(128) {
        store.put_encoded(chunk).unwrap();
    }
    println!("put: {:.1} ms", cpu_ms() - start);
    let start = cpu_ms();
    for key in &sample.keys {
        store.outline(key).unwrap().unwrap();
    }
    println!("outline, cold: {:.1} ms", cpu_ms() - start);
    let start = cpu_ms();
    for key in &sample.keys {
        store.body(key).unwrap().unwrap();
    }
    println!("body: {:.1} ms; {:?}", cpu_ms() - start, store.stats().unwrap());
}
