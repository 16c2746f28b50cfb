//! Brings the store of an older build into the form of this one.

use std::ops::ControlFlow;

use sdl_ledger::{AgentStore, AgentWriter};
use sdl_model::SymbolId;
use serde::Deserialize;

use crate::notes::{Details, Kind, Memory, text_key};
use crate::store::{Head, Row as _, Tables as _, to_bytes};
use crate::tables::{MEMORIES, MEMORIES_BY_TEXT, MEMORY_META};
use crate::{Anchors, Author, FileAnchor, SymbolAnchor, derived, verify, words};

const FORM: &[u8] = b"form";
/// The form of the rows that this build writes.
const THIS_FORM: u8 = 4;

/// A memory as builds before this form stored it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldMemory {
    id: String,
    kind: Kind,
    title: String,
    content: String,
    tags: Vec<String>,
    confidence: f64,
    symbols: Vec<OldSymbol>,
    files: Vec<OldFile>,
    created_ms: u64,
    updated_ms: u64,
    version: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldSymbol {
    id: SymbolId,
    name: String,
    file: String,
    fingerprint: u64,
    gone: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldFile {
    path: String,
    module: Option<SymbolId>,
    gone: Option<u64>,
}

/// Brings the rows of an older build into the form of this one, in one transaction. Cheap when that is done. A row that can't be read stays as
/// it is.
pub fn prepare_store(store: &AgentStore) -> sdl_ledger::Result<()> {
    let is_ready = store.read(|reader| {
        Ok(reader.get(MEMORY_META, FORM)? == Some(&[THIS_FORM][..]) && words::is_current(reader)?)
    })?;
    if is_ready {
        return Ok(());
    }
    store.write(|writer| {
        convert_memories(writer)?;
        derived::build_entries(writer)?;
        if !words::is_current(writer)? {
            words::rebuild(writer, &verify::kinds())?;
        }
        writer.put(MEMORY_META, FORM, &[THIS_FORM])
    })
}

fn convert_memories(writer: &mut AgentWriter<'_>) -> sdl_ledger::Result<()> {
    let mut old: Vec<(Vec<u8>, Memory)> = Vec::new();
    writer.scan_bytes(MEMORIES, &[], &mut |key, bytes| {
        let scope = key.iter().position(|byte| *byte == 0).map_or(&key[..0], |end| &key[..end]);
        let row = match bytes.split_first() {
            Some((1, rest)) => serde_json::from_slice::<OldMemory>(rest).ok(),
            _ => None,
        };
        if let Some(row) = row {
            old.push((key.to_vec(), row.convert(&String::from_utf8_lossy(scope))));
        }
        ControlFlow::Continue(())
    })?;
    for (key, memory) in old {
        let Ok(bytes) = to_bytes(&memory) else { continue };
        if let Some(lane) = memory.lane() {
            words::note_row(writer, lane, &memory.scope, &memory.id, None, Some(&memory.texts()))?;
        }
        writer.put(MEMORIES_BY_TEXT, &text_key(&memory.scope, &memory.said()), memory.id.as_bytes())?;
        writer.put(MEMORIES, &key, &bytes)?;
    }
    Ok(())
}

impl OldMemory {
    fn convert(self, scope: &str) -> Memory {
        let version = self.version;
        let symbols = self.symbols.into_iter().map(|old| SymbolAnchor {
            id: old.id,
            name: old.name,
            file: old.file,
            fingerprint: old.fingerprint,
            gone: old.gone,
            was: None,
            repo: None,
            version: 0,
        });
        let files = self.files.into_iter().map(|old| FileAnchor {
            path: old.path,
            module: old.module,
            gone: old.gone,
            was: None,
            repo: None,
        });
        let anchors = Anchors { symbols: symbols.collect(), files: files.collect(), version };
        let head = Head {
            revision: 0,
            created_ms: self.created_ms,
            updated_ms: self.updated_ms,
            by: Author::default(),
        };
        Memory {
            id: self.id,
            scope: scope.to_owned(),
            title: self.title,
            content: self.content,
            tags: self.tags,
            confidence: self.confidence,
            anchors,
            details: Details::of_kind(self.kind),
            agent: None,
            expires_ms: None,
            supersedes: None,
            superseded_by: None,
            head,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::find_memory;

    #[test]
    fn memories_of_an_older_build_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) =
            AgentStore::open(dir.path(), crate::tables::ALL, &sdl_ledger::Options::default()).unwrap();
        let old = br#"{"id":"m_1","kind":"decision","title":"Tokens","content":"Twice.","tags":["auth"],"confidence":0.8,"symbols":[{"id":77,"name":"a.b","file":"a.py","fingerprint":7,"gone":null}],"files":[{"path":"a.py","module":null,"gone":0}],"createdMs":5,"updatedMs":6,"version":3}"#;
        let bytes = [&[1][..], old].concat();
        store.write(|writer| writer.put(MEMORIES, b"repo\0m_1", &bytes)).unwrap();
        prepare_store(&store).unwrap();
        prepare_store(&store).unwrap();
        let found = store.read(|reader| find_memory(reader, None, "m_1")).unwrap().unwrap();
        assert_eq!(
            (found.scope.as_str(), found.title.as_str(), found.kind()),
            ("repo", "Tokens", Kind::Decision)
        );
        assert_eq!((found.anchors.symbols[0].fingerprint, found.anchors.version), (7, 3));
        assert_eq!((found.head.created_ms, found.head.updated_ms, found.head.revision), (5, 6, 0));
    }
}
