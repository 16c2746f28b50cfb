//! Takes what agents keep out of a store, as lines of JSON, and into another one.
//!
//! The law: a store is a function of its lines. Exported, emptied, imported and exported again, they are the same bytes. Words, indexes of
//! facts and texts, and the answers kept for retries are in no line, because an import makes the indexes again from the rows, through their
//! types.

use std::io::{BufRead, Read};
use std::ops::ControlFlow;

use sdl_contract::{Code, Explained as _, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::graph::{Triple, write_fact_as_is};
use crate::notes::{Memory, put_memory_as_is};
use crate::scratch::Scratch;
use crate::store::{Change, Row, Tables, from_bytes};
use crate::work::activity::Activity;
use crate::work::dispatch::{Brief, Dispatch};
use crate::work::message::Message;
use crate::work::session::SessionRow;
use crate::{Result, tables, work};

/// The name of the format, in its first line.
pub const FORMAT: &str = "sdl-memory/1";
/// A page ends with the line that makes it larger than this, in bytes.
const PAGE: usize = 1 << 20;
/// The longest line of an import, in bytes.
const LONGEST: u64 = 4 << 20;

/// The tables that are in lines, in their order.
const EXPORTED: &[&str] = &[
    tables::MEMORIES,
    tables::TRIPLES,
    tables::ENTITIES,
    tables::SCRATCH,
    tables::DISPATCHES,
    tables::DISPATCH_EVENTS,
    tables::SESSIONS,
    tables::MESSAGES,
    tables::INBOX,
    tables::ACTIVITY,
    tables::WORK_KEYS,
    tables::WEIGHTS,
    tables::REVISIONS,
];

/// One row.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    table: String,
    /// In hexadecimal digits.
    key: String,
    /// The layout of the row; none for a value that is no row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layout: Option<u8>,
    /// The row.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    row: Option<&'a RawValue>,
    /// A value that is no row, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// Some of the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Lines, each with its end.
    pub lines: String,
    /// The place to continue from; none at the end.
    pub next: Option<String>,
}

/// Returns how many rows each exported table has.
pub fn count_lines(tables: &impl Tables) -> Result<Vec<(&'static str, u64)>> {
    EXPORTED.iter().map(|table| Ok((*table, tables.count_rows(table)?))).collect()
}

/// Returns lines from a place on, or from the beginning.
pub fn export_page(tables: &impl Tables, after: Option<&str>) -> Result<Page> {
    let start = after.and_then(|place| place.split_once(' '));
    let mut lines = String::new();
    let mut next = None;
    let skip = start.and_then(|(table, _)| EXPORTED.iter().position(|known| *known == table)).unwrap_or(0);
    let mut from = start.and_then(|(_, key)| from_hex(key)).map_or_else(Vec::new, |mut key| {
        key.push(0);
        key
    });
    for table in EXPORTED.iter().skip(skip) {
        let mut failure = Ok(());
        tables.scan_bytes(table, &std::mem::take(&mut from), &mut |key, bytes| {
            if !is_exported(table, key) {
                return ControlFlow::Continue(());
            }
            match line_of(table, key, bytes) {
                Ok(line) => lines.push_str(&line),
                Err(error) => failure = Err(error),
            }
            if failure.is_err() || lines.len() > PAGE {
                next = Some(format!("{table} {}", to_hex(key)));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        failure?;
        if next.is_some() {
            break;
        }
    }
    Ok(Page { lines, next })
}

/// Whether no other row says the same.
fn is_exported(table: &str, key: &[u8]) -> bool {
    table != tables::WORK_KEYS || work::is_own_row(key)
}

fn line_of(table: &str, key: &[u8], bytes: &[u8]) -> Result<String> {
    let as_row = bytes.split_first().and_then(|(layout, rest)| {
        let text = std::str::from_utf8(rest).ok()?;
        let row: &RawValue = serde_json::from_str(text).ok()?;
        // Only rows that are restored to the same bytes, because the export of an import must be the export.
        (row.get() == text && text.starts_with('{')).then_some((*layout, row))
    });
    let line = Line {
        table: table.to_owned(),
        key: to_hex(key),
        layout: as_row.map(|(layout, _)| layout),
        row: as_row.map(|(_, row)| row),
        value: as_row.is_none().then(|| to_hex(bytes)),
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

/// Whether a line is the last one, which has the hash of all before it.
pub fn is_last(line: &str) -> bool {
    line.starts_with("{\"blake3\":")
}

/// Checks the first line and the hash in the last one. Returns the revision of the store that was exported, or a fault: a text that goes
/// after the name of the file.
pub fn check_lines(file: &mut impl BufRead) -> std::result::Result<u64, String> {
    let mut hash = blake3::Hasher::new();
    let (mut header, mut last) = (None, None);
    loop {
        let mut line = String::new();
        let read = Read::take(&mut *file, LONGEST).read_line(&mut line);
        if read.map_err(|error| format!("can't be read: {error}"))? == 0 {
            break;
        }
        if last.is_some() {
            return Err("goes on after its last line; it is no export, or several".to_owned());
        }
        if header.is_none() {
            let first: Value = serde_json::from_str(&line).unwrap_or_default();
            if first["format"] != FORMAT {
                return Err("is no export of sdlctl memory export: its first line is no header".to_owned());
            }
            header = Some(first["storeRevision"].as_u64().unwrap_or(0));
        }
        if is_last(&line) {
            let value: Value = serde_json::from_str(&line).unwrap_or_default();
            last = Some(value["blake3"].as_str().unwrap_or_default().to_owned());
        } else {
            hash.update(line.as_bytes());
        }
    }
    match (header, last) {
        (Some(revision), Some(last)) if last == hash.finalize().to_hex().as_str() => Ok(revision),
        (Some(_), Some(_)) => Err("was changed or damaged: its hash is another".to_owned()),
        _ => Err("is cut off: its last line is missing".to_owned()),
    }
}

/// What to do with a row that the store has with another content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnConflict {
    /// The store's row stays.
    Skip,
    /// The one that was changed last stays. Of work (sessions, messages, dispatches) the store's.
    Newer,
    /// Nothing is imported.
    #[default]
    Fail,
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Rows that are new.
    pub added: u64,
    /// Rows that were there, the same.
    pub same: u64,
    /// Rows that replaced others.
    pub replaced: u64,
    /// Rows that did not.
    pub skipped: u64,
}

/// Takes a line into the store. The refusal of a bad one names its fault.
pub fn import_line(
    change: &mut Change<'_, '_>,
    line: &str,
    on_conflict: OnConflict,
    done: &mut Imported,
) -> Result<()> {
    let bad = |why: &str| -> Refusal {
        let shown: String = line.chars().take(60).collect();
        Refusal::new(Code::InvalidArgument, format!("this is no line of {FORMAT}: {why}: {shown}"))
    };
    let parsed: Line<'_> = serde_json::from_str(line).map_err(|error| bad(&error.to_string()))?;
    let table = EXPORTED.iter().find(|known| **known == parsed.table);
    let Some(table) = table else { return Change::refuse(bad("it names no table that is exported")) };
    let key = from_hex(&parsed.key).filter(|key| !key.is_empty()).ok_or_else(|| bad("its key is no key"))?;
    if key.len() > sdl_ledger::AgentStore::MAX_KEY {
        return Change::refuse(bad("its key is too long"));
    }
    let bytes = match (parsed.layout, parsed.row, parsed.value) {
        (Some(layout), Some(row), None) => [&[layout][..], row.get().as_bytes()].concat(),
        (None, None, Some(value)) => {
            from_hex(&value).ok_or_else(|| bad("its value is not in hexadecimal"))?
        }
        _ => return Change::refuse(bad("it needs layout and row, or value")),
    };
    let before = change.tables().get_bytes(table, &key)?.map(<[u8]>::to_vec);
    match before {
        None => {
            put_typed(change, table, &key, &bytes).map_err(|error| or_bad(error, &bad))?;
            done.added += 1;
        }
        Some(known) if known == bytes => done.same += 1,
        Some(known) => match on_conflict {
            OnConflict::Skip => done.skipped += 1,
            OnConflict::Newer if is_newer(table, &known, &bytes) => {
                put_typed(change, table, &key, &bytes).map_err(|error| or_bad(error, &bad))?;
                done.replaced += 1;
            }
            OnConflict::Newer => done.skipped += 1,
            OnConflict::Fail => {
                let message = format!(
                    "the store has another row under a key of {table}; give --on-conflict skip to keep it, or newer to keep \
                     the one that was changed last"
                );
                return Change::refuse(Refusal::new(Code::Conflict, message));
            }
        },
    }
    Ok(())
}

/// Makes the indexes again that follow from rows together, and lets an empty store go on from a revision. The last step of an import.
pub fn finish_import(change: &mut Change<'_, '_>, revision: u64) -> Result<()> {
    work::rebuild_keys(change)?;
    change.note_removed()?;
    change.restore_revision(revision);
    Ok(())
}

/// A row that its type does not read.
enum Typed {
    Unread,
    Trouble(crate::Trouble),
}

impl From<crate::Trouble> for Typed {
    fn from(trouble: crate::Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

fn or_bad(typed: Typed, bad: &impl Fn(&str) -> Refusal) -> crate::Trouble {
    match typed {
        Typed::Unread => bad("this build can't read the row").into(),
        Typed::Trouble(trouble) => trouble,
    }
}

/// Writes a row through its type, so that its words and indexes are written too.
fn put_typed(
    change: &mut Change<'_, '_>,
    table: &str,
    key: &[u8],
    bytes: &[u8],
) -> std::result::Result<(), Typed> {
    fn read<R: Row>(key: &[u8], bytes: &[u8]) -> std::result::Result<R, Typed> {
        from_bytes::<R>(bytes).filter(|row| row.key() == key).ok_or(Typed::Unread)
    }
    match table {
        tables::MEMORIES => put_memory_as_is(change, &read::<Memory>(key, bytes)?)?,
        tables::TRIPLES => {
            let row = read::<Triple>(key, bytes)?;
            let before = change.tables().row::<Triple>(key).map_err(crate::Trouble::from)?;
            write_fact_as_is(change, before.as_ref(), &row)?;
        }
        tables::SCRATCH => change.put_as_is(&read::<Scratch>(key, bytes)?)?,
        tables::DISPATCHES => change.put_as_is(&read::<Dispatch>(key, bytes)?)?,
        tables::SESSIONS => change.put_as_is(&read::<SessionRow>(key, bytes)?)?,
        tables::MESSAGES => change.put_as_is(&read::<Message>(key, bytes)?)?,
        tables::ACTIVITY => change.put_as_is(&read::<Activity>(key, bytes)?)?,
        tables::DISPATCH_EVENTS => match read::<Brief>(key, bytes) {
            Ok(brief) => change.put_as_is(&brief)?,
            Err(_) => change.put_bytes(table, key, bytes)?,
        },
        _ => change.put_bytes(table, key, bytes)?,
    }
    Ok(())
}

fn is_newer(table: &str, known: &[u8], new: &[u8]) -> bool {
    fn updated<R: Row>(bytes: &[u8]) -> Option<u64> {
        from_bytes::<R>(bytes).map(|row| row.head().updated_ms)
    }
    match table {
        tables::MEMORIES => updated::<Memory>(new) > updated::<Memory>(known),
        tables::TRIPLES => updated::<Triple>(new) > updated::<Triple>(known),
        tables::SCRATCH => updated::<Scratch>(new) > updated::<Scratch>(known),
        _ => false,
    }
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use sdl_ledger::{AgentStore, Options};

    use super::*;
    use crate::notes::{Details, Draft, Kind, find_memory, store_memory};
    use crate::store::{Asked, change_store, store_revision};
    use crate::{Author, Trouble};

    fn open(dir: &tempfile::TempDir) -> AgentStore {
        AgentStore::open(dir.path(), tables::ALL, &Options::default()).unwrap().0
    }

    fn change<T: Serialize + serde::de::DeserializeOwned>(
        store: &AgentStore,
        work: impl FnMut(&mut Change<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let by = Author::default();
        change_store(store, &Asked { by: &by, now_ms: 7, once: None }, work).map(|changed| changed.value)
    }

    fn note(store: &AgentStore, title: &str) -> String {
        let draft = Draft {
            scope: "r".to_owned(),
            title: title.to_owned(),
            content: "A text.".to_owned(),
            tags: None,
            confidence: Some(0.25),
            anchors: (None, None),
            confirmed: None,
            details: Details::of_kind(Kind::Note),
            agent: None,
            expires_ms: None,
            supersedes: None,
            version: 0,
        };
        change(store, |change| store_memory(change, None, &draft)).unwrap().id
    }

    fn export(store: &AgentStore) -> String {
        let (mut all, mut after) = (String::new(), None);
        loop {
            let page = store.read(|reader| Ok(export_page(reader, after.as_deref()))).unwrap().unwrap();
            all.push_str(&page.lines);
            after = page.next;
            if after.is_none() {
                return all;
            }
        }
    }

    fn import(store: &AgentStore, lines: &str, how: OnConflict) -> Result<Imported> {
        change(store, |change| {
            let mut done = Imported::default();
            for line in lines.lines() {
                import_line(change, line, how, &mut done)?;
            }
            finish_import(change, 9)?;
            Ok(done)
        })
    }

    #[test]
    fn exported_and_imported_a_store_is_the_same_and_found_by_its_words() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, other) = (open(&one), open(&other));
        let id = note(&one, "Tokens expire");
        note(&one, "Prices");
        let memory = one.read(|reader| find_memory(reader, None, &id)).unwrap().unwrap();
        change(&one, |change| crate::notes::remove_memory(change, &memory)).unwrap();
        let lines = export(&one);
        let done = import(&other, &lines, OnConflict::Fail).unwrap();
        assert_eq!(done.added, lines.lines().count() as u64);
        assert_eq!(export(&other), lines);
        assert_eq!(other.read(|reader| store_revision(reader)).unwrap(), 9);
        let verdict = other.read(|reader| Ok(crate::verify_store(reader))).unwrap().unwrap();
        assert_eq!((verdict.rows, verdict.faults), (1, Vec::<String>::new()));
        assert_eq!(import(&other, &lines, OnConflict::Fail).unwrap().same, done.added);
    }

    #[test]
    fn conflicts_are_settled_as_asked_and_bad_lines_change_nothing() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, other) = (open(&one), open(&other));
        note(&one, "Tokens expire");
        let lines = export(&one);
        let changed = lines.replace("A text.", "Another.").replace("\"updatedMs\":7", "\"updatedMs\":8");
        import(&other, &changed, OnConflict::Fail).unwrap();
        let refused = import(&other, &lines, OnConflict::Fail).unwrap_err();
        assert!(matches!(refused, Trouble::Refused(_)), "{refused}");
        assert_eq!(import(&other, &lines, OnConflict::Skip).unwrap().skipped, 1);
        assert_eq!(import(&other, &lines, OnConflict::Newer).unwrap().skipped, 1);
        assert_eq!(export(&other).lines().next(), changed.lines().next());
        assert_eq!(import(&one, &changed, OnConflict::Newer).unwrap().replaced, 1);
        for bad in [
            "{}",
            "nonsense",
            r#"{"table":"words","key":"00","value":"00"}"#,
            r#"{"table":"memories","key":"0","value":"00"}"#,
            r#"{"table":"memories","key":"00","layout":9,"row":{}}"#,
        ] {
            let refused = import(&other, &format!("{lines}{bad}\n"), OnConflict::Skip).unwrap_err();
            assert!(refused.to_string().contains("no line of sdl-memory/1"), "{bad}: {refused}");
        }
        let verdict = one.read(|reader| Ok(crate::verify_store(reader))).unwrap().unwrap();
        assert_eq!(verdict.faults, Vec::<String>::new());
    }

    #[test]
    fn a_file_is_whole_and_as_it_was_written() {
        let body = "{\"format\":\"sdl-memory/1\",\"storeRevision\":4}\n{}\n";
        let whole = format!("{body}{{\"blake3\":\"{}\"}}\n", blake3::hash(body.as_bytes()).to_hex());
        let check = |text: &str| check_lines(&mut Cursor::new(text.to_owned()));
        assert_eq!(check(&whole), Ok(4));
        for (text, fault) in [
            (body.to_owned(), "cut off"),
            (whole.replace("{}\n", "{ }\n"), "hash"),
            (format!("{whole}{whole}"), "goes on"),
            (String::new(), "cut off"),
            ("{}\n".to_owned(), "header"),
        ] {
            assert!(check(&text).unwrap_err().contains(fault), "{text}");
        }
    }
}
