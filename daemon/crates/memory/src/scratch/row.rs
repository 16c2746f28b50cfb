//! An entry of the scratch cache as it is stored.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::store::{Head, Row, scoped_key};
use crate::words::{Lane, Texts};
use crate::{Anchors, tables};

/// An entry of the scratch cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scratch {
    /// `c_…`.
    pub id: String,
    /// The repository that it belongs to; empty for the user.
    pub scope: String,
    /// The agent whose entry it is; empty for everyone's.
    pub agent: String,
    /// Its kind, as on the wire.
    pub kind: String,
    /// Its name.
    pub key: String,
    /// The fields of its kind.
    pub fields: Map<String, Value>,
    /// The code that it is about.
    pub anchors: Anchors,
    /// When it ends, in Unix milliseconds.
    pub expires_ms: u64,
    /// When it was written, and by whom.
    pub head: Head,
}

impl Scratch {
    /// Whether it is over.
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.expires_ms <= now_ms
    }
}

/// Longest text of an entry that words find, in bytes.
const TEXT: usize = 8_000;

impl Row for Scratch {
    const TABLE: &'static str = tables::SCRATCH;
    const LANE: Option<Lane> = Some(Lane::Scratch);
    const REVISED: bool = false;

    fn key(&self) -> Vec<u8> {
        scoped_key(&self.scope, &self.id)
    }

    crate::store::own_fields!();

    fn anchors(&self) -> Option<&Anchors> {
        Some(&self.anchors)
    }

    fn ends_ms(&self) -> Option<u64> {
        Some(self.expires_ms)
    }

    fn texts(&self) -> Texts {
        fn collect(value: &Value, body: &mut String) {
            match value {
                Value::String(text) if body.len() + text.len() < TEXT => {
                    body.push_str(text);
                    body.push('\n');
                }
                Value::Array(items) => items.iter().for_each(|item| collect(item, body)),
                Value::Object(fields) => fields.values().for_each(|value| collect(value, body)),
                _ => {}
            }
        }
        let mut body = String::new();
        self.fields.values().for_each(|value| collect(value, &mut body));
        let symbols = self.anchors.symbols.iter().map(|anchor| anchor.name.clone());
        let files = self.anchors.files.iter().map(|anchor| anchor.path.clone());
        Texts {
            title: self.key.clone(),
            body,
            tags: vec![self.kind.clone()],
            names: symbols.chain(files).collect(),
            at_ms: i64::try_from(self.head.updated_ms).unwrap_or(i64::MAX),
            session: self.head.by.session.clone(),
        }
    }
}
