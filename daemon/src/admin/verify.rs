//! `ledger/verify`: whether a repository's ledger equals a fresh index of the same tree.
//!
//! The tree is read, parsed and resolved again into a ledger in a temporary folder of the state folder. The hashes of the two
//! logical dumps are compared, and so are the facts that both are made of. Only where they differ are dumps written, to name
//! lines. If the tree changes meanwhile, all of it is done again, a few times.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sdl_ledger::{DumpOptions, FactsStore, Ledger, Options, Snapshot, View};
use sdl_model::ids::stable_hash;
use sdl_model::{Cause, FileRow};
use sdl_proto::{WireError, code};
use sdl_tools::Repo as _;
use serde::Deserialize;
use serde_json::json;

use super::{Admin, ledger_error, store_error, wire_error};
use crate::index::{
    Stores,
    first_index::{Observer, first_index},
    memory,
};
use crate::repo::Repo;

const ATTEMPTS: usize = 5;
const SHOWN_DIFFERENCES: usize = 20;
/// The bytes of a dump whose lines are compared at a time: about four million lines, so a hundred megabytes of hashes.
const SHARE_BYTES: u64 = 256 << 20;
const READ_DEADLINE: Duration = Duration::from_secs(600);

#[derive(Deserialize)]
struct Params {
    repo: Option<String>,
}

/// Does both at the same time. Not on the pool's threads, which resolve edits meanwhile.
fn read_both<T, U: Send>(first: impl FnOnce() -> T, second: impl FnOnce() -> U + Send) -> (T, U) {
    std::thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        (first, second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Runs the method.
pub fn run_verify(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Params = crate::router::parse_params(params)?;
    let repo = admin.repo(params.repo.as_deref())?;
    let work = WorkFolder::new(&admin.engine.scratch_dir())?;
    for _ in 0..ATTEMPTS {
        let barrier = repo.barrier(Duration::from_secs(60), admin.cancel);
        if !barrier.synced {
            let why = barrier.reason.unwrap_or_else(|| "the tree could not be synced in time".into());
            return Err(wire_error(code::NOT_SYNCED, format!("{why}; try again")));
        }
        let before = repo.head_version();
        let (fresh, facts) = index_afresh(admin, &repo, &work.0)?;
        let digests = read_both(|| repo.ledger().digest(), || fresh.digest());
        let kept = digests.0.map_err(|error| store_error(&repo, error))?;
        let mut differences = Vec::new();
        if kept != digests.1.map_err(ledger_error)? {
            let [old, new] = ["kept.txt", "fresh.txt"].map(|name| work.0.join(name));
            dump_ledger(repo.ledger(), &old)?.map_err(|error| store_error(&repo, error))?;
            dump_ledger(&fresh, &new)?.map_err(ledger_error)?;
            differences = compare_dumps(&old, &new)?;
        }
        differences.extend(facts);
        repo.barrier(Duration::from_secs(60), admin.cancel);
        if repo.head_version() != before {
            continue;
        }
        let findings = repo.ledger().check().map_err(|error| store_error(&repo, error))?;
        let findings: Vec<String> = findings.iter().map(|f| format!("{}: {}", f.table, f.what)).collect();
        return Ok(super::json_bytes(&json!({
            "repoId": repo.id(),
            "ledgerVersion": before.map(|version| version.to_string()),
            "identical": differences.is_empty() && findings.is_empty(),
            "differences": differences,
            "findings": findings,
        })));
    }
    Err(wire_error(code::NOT_SYNCED, "the tree kept changing while it was verified; try again when it rests"))
}

/// The outer error means that the file can't be written, the inner one that the ledger can't be read.
fn dump_ledger(ledger: &Ledger, to: &Path) -> Result<sdl_ledger::Result<()>, WireError> {
    let failed =
        |source: std::io::Error| wire_error(code::UNAVAILABLE, format!("can't write {to:?}: {source}"));
    let mut out = BufWriter::new(File::create(to).map_err(failed)?);
    let dumped = ledger.dump(&mut out, DumpOptions { postings: true, asked: true });
    out.flush().map_err(failed)?;
    Ok(dumped)
}

/// A ledger from scratch, and the files whose stored facts are damaged or differ from those of their text.
fn index_afresh(admin: &Admin<'_>, repo: &Repo, work: &Path) -> Result<(Ledger, Vec<String>), WireError> {
    let (facts_dir, ledger_dir) = (work.join("facts"), work.join("ledger"));
    for dir in [&facts_dir, &ledger_dir] {
        let _ = fs::remove_dir_all(dir);
    }
    let (facts, _) = FactsStore::open(&facts_dir, &Options::default()).map_err(ledger_error)?;
    let ledger = Ledger::open(&ledger_dir, &Options::default()).map_err(ledger_error)?.ledger;
    let stores = Stores { ledger: &ledger, facts: &facts, ..repo.stores() };
    let (files, tree) = repo
        .crawl_all()
        .map_err(|source| wire_error(code::UNAVAILABLE, format!("can't read the tree: {source}")))?;
    let reader = repo.reader(tree, &facts);
    first_index(stores, &reader, &files, Cause::FirstIndex, None, &Afresh(admin))
        .map_err(ledger_error)?
        .ok_or_else(|| wire_error(code::CANCELLED, "cancelled"))?;
    let deadline = Instant::now() + READ_DEADLINE;
    let differing = ledger.read(deadline, |view| differing_facts(view, &facts, repo.facts()));
    Ok((ledger, differing.map_err(ledger_error)?))
}

/// Reports an index from scratch to the caller.
struct Afresh<'a>(&'a Admin<'a>);

impl Observer for Afresh<'_> {
    fn read(&self, done: u64, total: u64) -> bool {
        self.0.progress.report(done, Some(total), "indexing afresh");
        !self.0.cancel.is_cancelled()
    }
}

fn differing_facts(
    view: &Snapshot<'_>,
    fresh: &FactsStore,
    kept: &FactsStore,
) -> sdl_ledger::Result<Vec<String>> {
    let mut files = Vec::new();
    view.files_under("", &mut |file, _| {
        files.push(file);
        ControlFlow::Continue(())
    })?;
    let rows: sdl_ledger::Result<Vec<FileRow>> =
        files.into_iter().filter_map(|file| view.file(file).transpose()).collect();
    let is_well = |row: &FileRow| -> sdl_ledger::Result<bool> {
        let Some(key) = row.state.facts() else { return Ok(true) };
        let Some(facts) = fresh.facts(&key)? else { return Ok(true) };
        Ok(kept.is_sound(&key)? && kept.agrees(&key, &sdl_ledger::encode_facts(&facts)?)?)
    };
    let mut found: Vec<String> = rows?
        .par_iter()
        .filter_map(|row| match is_well(row) {
            Ok(true) => None,
            Ok(false) => {
                Some(Ok(format!("the stored facts of {} are damaged or not what its text says", row.path)))
            }
            Err(error) => Some(Err(error)),
        })
        .collect::<sdl_ledger::Result<_>>()?;
    found.truncate(SHOWN_DIFFERENCES);
    Ok(found)
}

/// Lines that only one of the two has, `-` kept, `+` fresh; the first few of each.
fn compare_dumps(kept: &Path, fresh: &Path) -> Result<Vec<String>, WireError> {
    let mut differences = only_in(kept, fresh, '-')?;
    differences.extend(only_in(fresh, kept, '+')?);
    Ok(differences)
}

/// Compares hashes of lines, a share of them at a time, because the dump of a large tree has very many.
fn only_in(one: &Path, other: &Path, mark: char) -> Result<Vec<String>, WireError> {
    let failed =
        |source: std::io::Error| wire_error(code::UNAVAILABLE, format!("can't compare the dumps: {source}"));
    let lines = |path: &Path| File::open(path).map(|file| BufReader::new(file).lines()).map_err(failed);
    let bytes = fs::metadata(other).map_err(failed)?.len();
    let shares = bytes / SHARE_BYTES + 1;
    let mut found = Vec::new();
    for share in 0..shares {
        let mut seen: HashMap<u64, i64> = HashMap::new();
        for line in lines(other)? {
            let hash = stable_hash(&[line.map_err(failed)?.as_bytes()]);
            if hash % shares == share {
                *seen.entry(hash).or_default() += 1;
            }
        }
        for line in lines(one)? {
            let line = line.map_err(failed)?;
            let hash = stable_hash(&[line.as_bytes()]);
            if hash % shares != share {
                continue;
            }
            let count = seen.entry(hash).or_default();
            *count -= 1;
            if *count < 0 {
                found.push(format!("{mark} {line}"));
                if found.len() == SHOWN_DIFFERENCES {
                    return Ok(found);
                }
            }
        }
    }
    Ok(found)
}

/// A folder that goes with the request.
struct WorkFolder(PathBuf);

impl WorkFolder {
    fn new(parent: &Path) -> Result<Self, WireError> {
        let dir = parent.join(format!("verify-{:x}", crate::index::now_ms()));
        fs::create_dir_all(&dir)
            .map_err(|source| wire_error(code::UNAVAILABLE, format!("can't make {dir:?}: {source}")))?;
        Ok(Self(dir))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        memory::give_back(memory::Work::Verify);
    }
}
