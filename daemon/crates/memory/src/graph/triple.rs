//! A fact as it was asserted, with what was said of it since.

use serde::{Deserialize, Serialize};

use super::names::is_code;
use crate::store::{Head, Row};
use crate::tables::TRIPLES;
use crate::words::{Lane, Texts};
use crate::{Anchors, Author};

/// The kind of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectType {
    /// A thing that can be the subject of other facts.
    #[default]
    Entity,
    /// Text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An instant or a day.
    Date,
}

/// What a change of the code does to a fact about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnChange {
    /// The fact is marked.
    #[default]
    Flag,
    /// The fact ends when the code is gone.
    Invalidate,
}

/// An explicit end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// The first instant at which the fact no longer holds.
    pub at: i64,
    /// When that was recorded.
    pub recorded_at: i64,
    /// Who recorded it.
    pub by: Author,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The withdrawal of an assertion: it never held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retraction {
    /// When it was recorded.
    pub at: i64,
    /// Who recorded it.
    pub by: Author,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The row that says it right, if it was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_by: Option<String>,
}

/// One assertion. Times are in Unix milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Triple {
    /// `t_…`.
    pub id: String,
    /// The repository that it belongs to; empty for the user.
    pub scope: String,
    /// The subject, as it was written.
    pub subject: String,
    /// The predicate, as it was written.
    pub predicate: String,
    /// The object, as it was written.
    pub object: String,
    /// The kind of object.
    pub object_type: ObjectType,
    /// The subject's present id or path, if it is code that was renamed or moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_now: Option<String>,
    /// The object's present id or path, if it is code that was renamed or moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_now: Option<String>,
    /// When it begins to hold.
    pub valid_from: i64,
    /// When it ends to hold, as it was asserted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
    /// Whether at most one object at a time is asserted of its subject and predicate.
    #[serde(default)]
    pub exclusive: bool,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What a change of the code does to it.
    #[serde(default)]
    pub on_change: OnChange,
    /// The code that it is about.
    #[serde(default)]
    pub anchors: Anchors,
    /// When it was recorded.
    pub recorded_at: i64,
    /// Who asserted it.
    pub by: Author,
    /// Its explicit ends; the earliest counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<End>,
    /// Its withdrawal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<Retraction>,
    /// When the row was written last.
    pub head: Head,
}

impl Triple {
    /// The subject's present name: an id or a path, if it is code.
    pub fn subject_entity(&self) -> &str {
        self.subject_now.as_deref().unwrap_or(&self.subject)
    }

    /// The object's present name: an id or a path, if it is code.
    pub fn object_entity(&self) -> &str {
        self.object_now.as_deref().unwrap_or(&self.object)
    }

    /// The qualified name of the symbol that an entity is, if one of the anchors is that symbol.
    pub fn symbol_name(&self, entity: &str) -> Option<&str> {
        let anchor = self.anchors.symbols.iter().find(|anchor| anchor.id.to_string() == entity)?;
        Some(&anchor.name)
    }

    /// Takes over anchors that were followed: the same ones in the same order, with the places where they lead now.
    pub fn follow(&mut self, followed: Anchors) {
        let symbols = self.anchors.symbols.iter().zip(&followed.symbols);
        let symbols = symbols.map(|(old, new)| (old.id.to_string(), new.id.to_string()));
        let files = self.anchors.files.iter().zip(&followed.files);
        let files = files.map(|(old, new)| (format!("file:{}", old.path), format!("file:{}", new.path)));
        let moved: Vec<_> = symbols.chain(files).filter(|(old, new)| old != new).collect();
        for (old, new) in moved {
            if self.subject_entity() == old {
                self.subject_now = Some(new.clone());
            }
            if self.object_entity() == old {
                self.object_now = Some(new);
            }
        }
        self.anchors = followed;
    }
}

impl Row for Triple {
    const TABLE: &'static str = TRIPLES;
    const LANE: Option<Lane> = Some(Lane::Kg);

    fn key(&self) -> Vec<u8> {
        self.id.clone().into_bytes()
    }
    crate::store::own_fields!();

    fn anchors(&self) -> Option<&Anchors> {
        Some(&self.anchors)
    }

    fn texts(&self) -> Texts {
        let named = |entity: &str, written: &str| match self.symbol_name(entity) {
            Some(name) => name.to_owned(),
            None => written.to_owned(),
        };
        let subject = named(self.subject_entity(), &self.subject);
        let object = named(self.object_entity(), &self.object);
        let mut names = vec![subject.clone()];
        if self.object_type == ObjectType::Entity || is_code(&self.object) {
            names.push(object.clone());
        }
        Texts {
            title: format!("{subject} {}", self.predicate),
            body: object,
            tags: self.source.iter().cloned().collect(),
            names,
            at_ms: self.valid_from,
            session: self.by.session.clone(),
        }
    }
}
