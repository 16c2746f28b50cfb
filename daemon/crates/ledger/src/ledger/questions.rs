//! Who asked what: the questions of each file, and the files of each question.
//!
//! Beside a question only the marks of the files are stored. A mark leads to all files that share it, so a change may wake a
//! file that did not ask. None that did is forgotten: a mark stays as long as one of its files asked.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use sdl_model::FileId;

use crate::codec::{id_at, id_key, question_key, short_at};
use crate::env::{Reads, Table};
use crate::tables::LedgerTables;
use crate::{ChangedKeys, Result};

/// The questions that a file asked, sorted.
pub(super) fn questions_of(reads: &impl Reads, tables: &LedgerTables, file: FileId) -> Result<Vec<u32>> {
    short_items(reads, tables.questions, &id_key(file.0))
}

/// The marks of the files that asked a question, sorted.
pub(super) fn marks_asking(reads: &impl Reads, tables: &LedgerTables, hash: u32) -> Result<Vec<u32>> {
    short_items(reads, tables.asked, &question_key(hash))
}

fn short_items(reads: &impl Reads, table: Table, key: &[u8]) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    reads.items(table, key, &mut |page| {
        for item in page.chunks(table.spec.item) {
            numbers.push(short_at(table.spec.name, item)?);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(numbers)
}

/// The resolved files with a mark, sorted.
pub(super) fn files_marked(reads: &impl Reads, tables: &LedgerTables, mark: u32) -> Result<Vec<FileId>> {
    let mut files = Vec::new();
    let first = mark.to_be_bytes();
    reads.keys(tables.resolved, &first, &mut |key| {
        if !key.starts_with(&first) {
            return Ok(ControlFlow::Break(()));
        }
        files.push(FileId(id_at("resolved", key)?));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(files)
}

/// The files that asked one of `keys`, sorted.
pub(super) fn find_dependents(
    reads: &impl Reads,
    tables: &LedgerTables,
    keys: &ChangedKeys,
) -> Result<Vec<FileId>> {
    let mut marks = BTreeSet::new();
    for hash in &keys.keys {
        marks.extend(marks_asking(reads, tables, *hash)?);
    }
    let mut including: Option<(u32, HashSet<u32>)> = None;
    for (inclusions, name) in &keys.pairs {
        // In order, so the pairs of one file come together.
        let all = match including.take() {
            Some((of, all)) if of == *inclusions => all,
            _ => marks_asking(reads, tables, *inclusions)?.into_iter().collect(),
        };
        if !all.is_empty() {
            marks.extend(marks_asking(reads, tables, *name)?.into_iter().filter(|mark| all.contains(mark)));
        }
        including = Some((*inclusions, all));
    }
    let mut files = Vec::with_capacity(marks.len());
    for mark in marks {
        files.append(&mut files_marked(reads, tables, mark)?);
    }
    Ok(files)
}
