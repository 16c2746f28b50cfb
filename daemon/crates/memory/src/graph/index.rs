//! The index of facts by entity, with everything that says when a fact holds: a question reads the rows of its answer and no others.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sdl_ledger::AgentStore;

use super::names::{NameHash, entity_key, fold_name, hash_code, hash_entity, hash_predicate, is_code};
use super::triple::{ObjectType, Triple};
use super::view::View;
use crate::Result;
use crate::store::anchored::note_anchors;
use crate::store::{Change, Row as _, Tables, to_bytes};
use crate::tables::{ENTITIES, TRIPLES, TRIPLES_BY_ENTITY};
use crate::times::FOREVER;
use crate::words::{Lane, note_row};

/// The layout of a value.
const LAYOUT: u8 = 1;
/// Bytes of a predicate that are in a key in the clear, for the order of answers.
const CLEAR: usize = 32;
/// Longer keys of entities end in a hash.
const LONGEST_KEY: usize = 300;

/// The part of a key that says how an entity occurs in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Subject = 0,
    Object = 1,
    Predicate = 2,
    /// Of all rows about code of a repository.
    Code = 3,
}

/// The times of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FactEntry {
    pub(super) id: String,
    pub(super) from: i64,
    /// As asserted; [`FOREVER`] for none.
    pub(super) to: i64,
    pub(super) exclusive: bool,
    pub(super) recorded: i64,
    /// [`FOREVER`] if it is not.
    pub(super) retracted: i64,
    /// Each explicit end, and when it was recorded.
    pub(super) ends: Vec<(i64, i64)>,
    pub(super) subject: NameHash,
    pub(super) object: NameHash,
    pub(super) confidence: f64,
    pub(super) scope: String,
}

impl FactEntry {
    pub(super) fn of(row: &Triple) -> Self {
        Self {
            id: row.id.clone(),
            from: row.valid_from,
            to: row.valid_to.unwrap_or(FOREVER),
            exclusive: row.exclusive,
            recorded: row.recorded_at,
            retracted: row.retracted.as_ref().map_or(FOREVER, |retracted| retracted.at),
            ends: row.ends.iter().map(|end| (end.at, end.recorded_at)).collect(),
            subject: hash_entity(row.subject_entity()),
            object: hash_entity(row.object_entity()),
            confidence: row.confidence,
            scope: row.scope.clone(),
        }
    }

    /// Whether it was believed at `known`.
    pub(super) fn is_believed(&self, known: i64) -> bool {
        self.recorded <= known && !self.is_retracted(known)
    }

    /// Whether it was withdrawn at `known`.
    pub(super) fn is_retracted(&self, known: i64) -> bool {
        self.retracted != FOREVER && self.retracted <= known
    }

    /// Its end by itself, as it was known at `known`.
    pub(super) fn own_end(&self, known: i64) -> i64 {
        let ends = self.ends.iter().filter(|(_, recorded)| *recorded <= known).map(|(at, _)| *at);
        ends.fold(self.to, i64::min)
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT, u8::from(self.exclusive)];
        for time in [self.to, self.recorded, self.retracted] {
            out.extend(time.to_le_bytes());
        }
        out.extend(self.confidence.to_le_bytes());
        out.extend(self.subject);
        out.extend(self.object);
        let ends = &self.ends[self.ends.len().saturating_sub(255)..];
        out.push(ends.len() as u8);
        for (at, recorded) in ends {
            out.extend(at.to_le_bytes());
            out.extend(recorded.to_le_bytes());
        }
        out.extend(self.scope.as_bytes());
        out
    }

    /// None for a value that is damaged or of another layout.
    fn decode(id: &str, from: i64, bytes: &[u8]) -> Option<Self> {
        let mut rest = Bytes(bytes);
        let [layout, exclusive] = rest.take::<2>()?;
        if layout != LAYOUT {
            return None;
        }
        let (to, recorded, retracted) = (rest.time()?, rest.time()?, rest.time()?);
        let confidence = f64::from_le_bytes(rest.take()?);
        let (subject, object) = (rest.take()?, rest.take()?);
        let [count] = rest.take::<1>()?;
        let mut ends = Vec::with_capacity(count as usize);
        for _ in 0..count {
            ends.push((rest.time()?, rest.time()?));
        }
        Some(Self {
            id: id.to_owned(),
            from,
            to,
            exclusive: exclusive != 0,
            recorded,
            retracted,
            ends,
            subject,
            object,
            confidence,
            scope: std::str::from_utf8(rest.0).ok()?.to_owned(),
        })
    }
}

struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn time(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }
}

/// The part of a key that is a predicate: the same order as the predicates for their first letters.
pub(super) fn predicate_key(predicate: &str) -> Vec<u8> {
    let folded = fold_name(predicate);
    let clear = &folded.as_bytes()[..folded.len().min(CLEAR)];
    [clear, &[0], &hash_predicate(predicate)[..8]].concat()
}

/// The beginning of the keys of an entity.
pub(super) fn entity_prefix(entity: NameHash, place: Place) -> Vec<u8> {
    [&entity[..], &[place as u8]].concat()
}

/// The beginning of the keys of an entity and a predicate.
pub(super) fn group_prefix(entity: NameHash, place: Place, predicate: &[u8]) -> Vec<u8> {
    [&entity[..], &[place as u8], predicate].concat()
}

/// The beginning of the keys of all rows with a predicate.
pub(super) fn predicate_prefix(predicate: &str) -> Vec<u8> {
    entity_prefix(hash_predicate(predicate), Place::Predicate)
}

/// A key of the index in its parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Indexed {
    pub(super) key: Vec<u8>,
    /// As [`predicate_key`] returns it.
    pub(super) predicate: Vec<u8>,
    pub(super) entry: FactEntry,
}

impl Indexed {
    /// How the entity of the key occurs in the row; none for the key of a predicate.
    pub(super) fn place(&self) -> Option<Place> {
        match self.key.get(16) {
            Some(0) => Some(Place::Subject),
            Some(1) => Some(Place::Object),
            _ => None,
        }
    }
}

/// Returns the parts of a row of the index; none if it is damaged.
fn read_indexed(key: &[u8], value: &[u8]) -> Option<Indexed> {
    let rest = key.get(17..)?;
    let clear = rest.iter().position(|byte| *byte == 0)?;
    let (predicate, rest) = rest.split_at_checked(clear + 9)?;
    let (from, id) = rest.split_first_chunk::<8>()?;
    let from = (u64::from_be_bytes(*from) ^ (1 << 63)) as i64;
    let entry = FactEntry::decode(std::str::from_utf8(id).ok()?, from, value)?;
    Some(Indexed { key: key.to_vec(), predicate: predicate.to_vec(), entry })
}

/// Calls `each` for the rows of the index whose keys begin with `prefix`, in order, from the first key above `after` on.
pub(super) fn scan_index(
    tables: &impl Tables,
    prefix: &[u8],
    after: Option<&[u8]>,
    each: &mut dyn FnMut(Indexed) -> ControlFlow<()>,
) -> Result<()> {
    let from = after.filter(|after| *after > prefix).unwrap_or(prefix);
    tables.scan_bytes(TRIPLES_BY_ENTITY, from, &mut |key, value| {
        if !key.starts_with(prefix) {
            return ControlFlow::Break(());
        }
        if after == Some(key) {
            return ControlFlow::Continue(());
        }
        read_indexed(key, value).map_or(ControlFlow::Continue(()), &mut *each)
    })?;
    Ok(())
}

/// Returns the key of a row under one of its entities.
pub(super) fn row_key(entity: NameHash, place: Place, row: &Triple) -> Vec<u8> {
    let mut key = group_prefix(entity, place, &predicate_key(&row.predicate));
    key.extend(((row.valid_from as u64) ^ (1 << 63)).to_be_bytes());
    key.extend(row.id.as_bytes());
    key
}

/// The repositories of the code that a row is about.
fn code_of(row: &Triple) -> Vec<&str> {
    let symbols = row.anchors.symbols.iter().map(|anchor| anchor.repo.as_deref());
    let files = row.anchors.files.iter().map(|anchor| anchor.repo.as_deref());
    let mut repos: Vec<&str> = symbols.chain(files).map(|repo| repo.unwrap_or(&row.scope)).collect();
    repos.sort_unstable();
    repos.dedup();
    repos
}

/// Returns the keys under which a row is in the index: under its present subject and object, under those that it was written with, and under
/// the names of its symbols.
fn keys_of(row: &Triple) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let mut add = |entity: NameHash, place: Place| {
        let key = row_key(entity, place, row);
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    let sides = [
        (Place::Subject, row.subject_entity(), &row.subject),
        (Place::Object, row.object_entity(), &row.object),
    ];
    for (place, present, written) in sides {
        add(hash_entity(present), place);
        add(hash_entity(written), place);
        if let Some(name) = row.symbol_name(present) {
            add(hash_entity(name), place);
        }
    }
    add(hash_predicate(&row.predicate), Place::Predicate);
    for repo in code_of(row) {
        add(hash_code(repo), Place::Code);
    }
    keys
}

/// Writes a row with its index, in place of the one before.
pub(super) fn write_fact(
    change: &mut Change<'_, '_>,
    before: Option<&Triple>,
    row: &mut Triple,
) -> Result<()> {
    change.put(row)?;
    index_fact(change, before, row)
}

/// Writes a row as it is, with its index: for a row from elsewhere, and for one whose anchors were followed.
pub fn write_fact_as_is(change: &mut Change<'_, '_>, before: Option<&Triple>, row: &Triple) -> Result<()> {
    change.put_as_is(row)?;
    index_fact(change, before, row)
}

/// Writes rows whose anchors were followed, unless they were changed meanwhile. What a row says stays, so that this makes no revision.
pub fn put_followed_facts(store: &AgentStore, rows: &[Triple]) -> Result<()> {
    let bytes = rows.iter().map(to_bytes).collect::<Result<Vec<_>>>()?;
    store.write(|writer| {
        for (row, bytes) in rows.iter().zip(&bytes) {
            let Some(before) = writer.row::<Triple>(&row.key())? else { continue };
            if before.head != row.head {
                continue;
            }
            let (old, new) = (before.texts(), row.texts());
            note_row(writer, Lane::Kg, &row.scope, &row.id, Some(&old), Some(&new))?;
            writer.put(TRIPLES, &row.key(), bytes)?;
            note_anchors(writer, Some(&before), Some(row))?;
            for key in keys_of(&before) {
                writer.delete(TRIPLES_BY_ENTITY, &key)?;
            }
            let value = FactEntry::of(row).encode();
            for key in keys_of(row) {
                writer.put(TRIPLES_BY_ENTITY, &key, &value)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Returns rows about code of these repositories that are believed now, at most `most`.
pub fn facts_about_code(
    tables: &impl Tables,
    view: &View,
    repos: &[String],
    most: usize,
) -> Result<Vec<Triple>> {
    let mut ids = Vec::new();
    let mut known = HashSet::new();
    for repo in repos {
        scan_index(tables, &entity_prefix(hash_code(repo), Place::Code), None, &mut |indexed| {
            let entry = indexed.entry;
            if entry.retracted == FOREVER && view.reads(&entry.scope) && known.insert(entry.id.clone()) {
                ids.push(entry.id);
            }
            if ids.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    let mut rows = Vec::new();
    for id in ids {
        rows.extend(tables.row::<Triple>(id.as_bytes())?);
    }
    Ok(rows)
}

fn index_fact(change: &mut Change<'_, '_>, before: Option<&Triple>, row: &Triple) -> Result<()> {
    let keys = keys_of(row);
    for old in before.map(keys_of).unwrap_or_default() {
        if !keys.contains(&old) {
            change.delete_bytes(TRIPLES_BY_ENTITY, &old)?;
        }
    }
    let value = FactEntry::of(row).encode();
    for key in keys {
        change.put_bytes(TRIPLES_BY_ENTITY, &key, &value)?;
    }
    for (key, name) in names_of(row) {
        if change.tables().get_bytes(ENTITIES, &key)?.is_none() {
            change.put_bytes(ENTITIES, &key, &name)?;
        }
    }
    Ok(())
}

/// What the index has of a row.
pub(super) struct IndexOf {
    pub(super) keys: Vec<Vec<u8>>,
    /// The value under each key.
    pub(super) value: Vec<u8>,
    /// The names of its entities, by their keys.
    pub(super) names: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Returns what the index has of a row.
pub(super) fn index_of(row: &Triple) -> IndexOf {
    IndexOf { keys: keys_of(row), value: FactEntry::of(row).encode(), names: names_of(row) }
}

/// The names of a row's entities as they were written, by their keys. Code has names of its own.
fn names_of(row: &Triple) -> Vec<(Vec<u8>, Vec<u8>)> {
    let sides = [(&row.subject, true), (&row.object, row.object_type == ObjectType::Entity)];
    let named = sides.into_iter().filter(|(name, is_entity)| *is_entity && !is_code(name));
    named.map(|(name, _)| (name_key(name), name.trim().as_bytes().to_vec())).collect()
}

/// The key of an entity in the table of names. Long ones end in a hash, because keys of the store are short.
pub(super) fn name_key(name: &str) -> Vec<u8> {
    let folded = entity_key(name);
    if folded.len() <= LONGEST_KEY {
        return folded.into_bytes();
    }
    [&folded.as_bytes()[..LONGEST_KEY], &hash_entity(name)].concat()
}

/// Returns an entity's name as it was first written.
pub(super) fn first_name(tables: &impl Tables, name: &str) -> Result<Option<String>> {
    let bytes = tables.get_bytes(ENTITIES, &name_key(name))?;
    Ok(bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::to_owned))
}
