//! Extracts facts again that were found damaged or missing. The facts of a file depend on its bytes alone, so the
//! file that a version names gives the same facts again, and the version stays valid.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sdl_ledger::{Result, View};
use sdl_model::{FactsKey, FileRow};

use super::Repo;
use crate::index::read_file::{Outcome, Reader};

/// Looking at every row of a ledger ends long before this.
const READ_DEADLINE: Duration = Duration::from_secs(600);

/// Files that are parsed and stored at a time.
const CHUNK: usize = 128;

/// Makes the facts again that a kept version of `repo` names and that can't be read. False if that was not possible for
/// all: if a file has changed since, only an index from scratch helps.
pub(super) fn restore_facts(repo: &Repo, files: sdl_watch::Reader) -> Result<bool> {
    let (rows, mut wanted) = unreadable_facts(repo)?;
    tracing::info!(repo = repo.entry.repo_id, blobs = wanted.len(), "making facts again");
    let reader = Reader { anew: true, ..repo.reader(files, &repo.facts) };
    for rows in rows.chunks(CHUNK) {
        let parsed: Vec<_> = rows
            .par_iter()
            .filter_map(|row| match reader.read(&row.path, Some(row), None) {
                Outcome::Same { parsed, .. } => parsed,
                Outcome::Absent | Outcome::Again | Outcome::Changed { .. } => None,
            })
            .collect();
        repo.facts.put_encoded(&parsed)?;
        for (key, _) in parsed {
            wanted.remove(&key);
        }
    }
    Ok(wanted.is_empty())
}

/// The facts that a kept version names and that can't be read, and the files of the newest version that have some of them.
fn unreadable_facts(repo: &Repo) -> Result<(Vec<FileRow>, HashSet<FactsKey>)> {
    repo.ledger.read(Instant::now() + READ_DEADLINE, |view| {
        let mut named = HashSet::new();
        view.facts_keys(&mut |key, has_facts| {
            if has_facts {
                named.insert(key);
            }
        })?;
        let mut files = Vec::new();
        view.files_under("", &mut |file, _| {
            files.push(file);
            ControlFlow::Continue(())
        })?;
        let mut wanted = HashSet::new();
        for key in named {
            if !repo.facts.is_sound(&key)? {
                wanted.insert(key);
            }
        }
        let mut rows = Vec::new();
        for file in files {
            let row = view.file(file)?;
            rows.extend(row.filter(|row| row.state.facts().is_some_and(|key| wanted.contains(&key))));
        }
        Ok((rows, wanted))
    })
}
