//! A note as it is stored.

use serde::{Deserialize, Serialize};

use super::{Details, Kind};
use crate::store::{Head, Row, scoped_key};
use crate::words::{Lane, Texts};
use crate::{Anchors, tables};

/// A memory or a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// `m_…`.
    pub id: String,
    /// The repository that it belongs to; empty for the user.
    pub scope: String,
    /// One line.
    pub title: String,
    /// What to remember.
    pub content: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How sure its author was, from 0 to 1.
    pub confidence: f64,
    /// The code that it is about.
    pub anchors: Anchors,
    /// The fields of its kind.
    pub details: Details,
    /// The agent that learned it; none for a memory, which is everyone's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// When it ends, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// The note that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The note that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it was written, and by whom.
    pub head: Head,
}

impl Memory {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.details.kind()
    }

    /// Whether it is over.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms.is_some_and(|expires| expires <= now_ms)
    }

    /// What it says, without differences in case and white space.
    pub fn said(&self) -> String {
        normalized_text(self.kind(), self.agent.as_deref(), &self.title, &self.content)
    }
}

/// Returns the text of a note without differences in white space and case.
pub fn normalized_text(kind: Kind, agent: Option<&str>, title: &str, content: &str) -> String {
    let mut said = kind.name().to_owned();
    for text in agent.into_iter().chain([title, content]) {
        said.push('\0');
        for word in text.split_whitespace() {
            said.push(' ');
            said.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    said
}

impl Row for Memory {
    const TABLE: &'static str = tables::MEMORIES;
    const LAYOUT: u8 = 2;
    const LANE: Option<Lane> = Some(Lane::Memory);

    fn key(&self) -> Vec<u8> {
        scoped_key(&self.scope, &self.id)
    }

    crate::store::own_fields!();

    fn anchors(&self) -> Option<&Anchors> {
        Some(&self.anchors)
    }

    fn ends_ms(&self) -> Option<u64> {
        self.expires_ms
    }

    fn texts(&self) -> Texts {
        let mut body = self.content.clone();
        for text in self.details.texts() {
            body.push('\n');
            body.push_str(&text);
        }
        let symbols = self.anchors.symbols.iter().map(|anchor| anchor.name.clone());
        let files = self.anchors.files.iter().map(|anchor| anchor.path.clone());
        Texts {
            title: self.title.clone(),
            body,
            tags: self.tags.clone(),
            names: symbols.chain(files).chain(self.agent.clone()).collect(),
            at_ms: i64::try_from(self.head.created_ms).unwrap_or(i64::MAX),
            session: self.head.by.session.clone(),
        }
    }

    fn lane(&self) -> Option<Lane> {
        Some(if self.kind() == Kind::Lesson { Lane::Lesson } else { Lane::Memory })
    }
}
