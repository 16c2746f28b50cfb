//! Facts in time: whose they are, how calls write their times, and how answers show them.

use std::collections::HashMap;

use schemars::JsonSchema;
use sdl_memory::Author;
use sdl_memory::graph::{self, Cut, Fact, Triple, View};
use sdl_memory::times::{parse_time, write_time};
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::call::answers::append_text;
use crate::call::context::Call;
use crate::call::owned::OwnedCx;
use crate::kept::anchors::{AnchorState, StaleSince};
use crate::kept::fact_code::Checked;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ObjectType {
    Entity,
    Text,
    Number,
    Boolean,
    Date,
}

impl From<ObjectType> for graph::ObjectType {
    fn from(of: ObjectType) -> Self {
        match of {
            ObjectType::Entity => Self::Entity,
            ObjectType::Text => Self::Text,
            ObjectType::Number => Self::Number,
            ObjectType::Boolean => Self::Boolean,
            ObjectType::Date => Self::Date,
        }
    }
}

impl From<graph::ObjectType> for ObjectType {
    fn from(of: graph::ObjectType) -> Self {
        match of {
            graph::ObjectType::Entity => Self::Entity,
            graph::ObjectType::Text => Self::Text,
            graph::ObjectType::Number => Self::Number,
            graph::ObjectType::Boolean => Self::Boolean,
            graph::ObjectType::Date => Self::Date,
        }
    }
}

/// What a change of the code does to a fact about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum OnChange {
    Flag,
    Invalidate,
}

impl From<OnChange> for graph::OnChange {
    fn from(of: OnChange) -> Self {
        match of {
            OnChange::Flag => Self::Flag,
            OnChange::Invalidate => Self::Invalidate,
        }
    }
}

/// A fact in an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FactOut {
    /// Its id.
    pub(crate) triple_id: String,
    /// The thing that it is about.
    pub(crate) subject: String,
    /// The symbol id or the file, if the subject is code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject_id: Option<String>,
    /// What it says.
    pub(crate) predicate: String,
    /// The other thing, or a value.
    pub(crate) object: String,
    /// The symbol id or the file, if the object is code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object_id: Option<String>,
    /// The kind of object; left out for an entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object_type: Option<ObjectType>,
    /// The first instant at which it holds.
    pub(crate) valid_from: String,
    /// The first instant at which it no longer holds; left out while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_to: Option<String>,
    /// When it was recorded.
    pub(crate) recorded_at: String,
    /// 0 to 1.
    pub(crate) confidence: f64,
    /// True if one object at a time holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exclusive: Option<bool>,
    /// Where it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    /// Whose it is: a repository's id, or `user`. Left out for the repository of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// When it was withdrawn, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retracted_at: Option<String>,
    /// The code that it is about, compared with when it was added: `same`, `changed`, `renamed`, `gone`, `unchecked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(crate) state: Option<&'static str>,
    /// Since which version the code is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale_since: Option<StaleSince>,
    /// Other assertions of the same, for the time before or after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    pub(crate) others: Vec<String>,
}

/// An end or a withdrawal in an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CutOut {
    /// The fact.
    pub(crate) triple_id: String,
    /// The first instant at which it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_to: Option<String>,
    /// True if it was withdrawn: it never held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retracted: Option<bool>,
}

impl From<Cut> for CutOut {
    fn from(cut: Cut) -> Self {
        Self {
            triple_id: cut.triple_id,
            valid_to: cut.valid_to.map(write_time),
            retracted: cut.valid_to.is_none().then_some(true),
        }
    }
}

impl CutOut {
    /// Writes it for the text form.
    pub(crate) fn write(&self, text: &mut String) {
        match &self.valid_to {
            Some(to) => append_text(text, format_args!("{} ends {}", self.triple_id, short_time(to))),
            None => append_text(text, format_args!("{} retracted", self.triple_id)),
        }
    }
}

impl FactOut {
    /// A fact as it holds.
    pub(crate) fn of(cx: &OwnedCx<'_>, checked: Checked) -> Self {
        let Checked { fact, state, since } = checked;
        let (from, to) = (fact.from, fact.to);
        let mut out = Self::of_row(cx, &fact.triple, (fact.subject, fact.object));
        out.valid_from = write_time(from);
        out.valid_to = to.map(write_time);
        out.confidence = fact.confidence;
        out.others = fact.others;
        out.state = state.map(AnchorState::name);
        out.stale_since = since;
        out
    }

    /// A row as it was asserted, with its subject and object as they are shown.
    pub(crate) fn of_row(cx: &OwnedCx<'_>, row: &Triple, (subject, object): (String, String)) -> Self {
        let code_id = |entity: &str| graph::is_code(entity).then(|| entity.to_owned());
        let scope = if row.scope.is_empty() { "user" } else { &row.scope };
        let is_own = row.scope == cx.scopes.own;
        Self {
            triple_id: row.id.clone(),
            subject_id: code_id(row.subject_entity()),
            subject,
            predicate: row.predicate.clone(),
            object_id: code_id(row.object_entity()),
            object,
            object_type: Some(row.object_type)
                .filter(|of| *of != graph::ObjectType::Entity)
                .map(ObjectType::from),
            valid_from: write_time(row.valid_from),
            valid_to: row.valid_to.map(write_time),
            recorded_at: write_time(row.recorded_at),
            confidence: row.confidence,
            exclusive: row.exclusive.then_some(true),
            source: row.source.clone(),
            scope: (!is_own).then(|| scope.to_owned()),
            retracted_at: row.retracted.as_ref().map(|retracted| write_time(retracted.at)),
            state: None,
            stale_since: None,
            others: Vec::new(),
        }
    }

    /// Writes it for the text form, in one line.
    pub(crate) fn write(&self, text: &mut String) {
        let to = self.valid_to.as_deref().map_or("", short_time);
        append_text(
            text,
            format_args!(
                "{} {} {} {} [{}..{to}]",
                self.triple_id,
                self.subject,
                self.predicate,
                self.object,
                short_time(&self.valid_from),
            ),
        );
        if (self.confidence - 0.8).abs() > 0.005 {
            append_text(text, format_args!(" {:.2}", self.confidence));
        }
        if let Some(state) = self.state.filter(|state| *state != AnchorState::Same.name()) {
            append_text(text, format_args!(" {state}"));
        }
        if let Some(since) = &self.stale_since {
            append_text(text, format_args!(" since {}", since.words()));
        }
        if let Some(scope) = &self.scope {
            append_text(text, format_args!(" ({scope})"));
        }
    }
}

/// Characters of a fact in an answer, about.
pub(crate) fn fact_size(fact: &Fact) -> usize {
    let source = fact.triple.source.as_deref().unwrap_or_default();
    200 + fact.subject.len() + fact.triple.predicate.len() + fact.object.len() + source.len()
}

/// Midnight as its date alone.
pub(crate) fn short_time(time: &str) -> &str {
    time.strip_suffix("T00:00:00Z").unwrap_or(time)
}

/// Who wrote something, in one word or two.
pub(crate) fn author_name(by: &Author) -> String {
    let who = by.agent.as_deref().or(by.principal.as_deref());
    match (who, by.client.as_str()) {
        (Some(who), "") => who.to_owned(),
        (Some(who), client) => format!("{who} ({client})"),
        (None, "") => "unknown".to_owned(),
        (None, client) => client.to_owned(),
    }
}

/// Reads an optional time.
pub(crate) fn time_arg(field: &str, text: Option<&str>) -> Result<Option<i64>, ToolError> {
    Ok(text.map(|text| parse_time(field, text)).transpose()?)
}

/// Returns whose facts a call reads.
pub(crate) fn view_of(cx: &OwnedCx<'_>) -> View {
    let repos = cx.call.host.repos();
    let worlds: HashMap<String, String> =
        repos.iter().map(|repo| (repo.id().to_owned(), repo.family().to_owned())).collect();
    View { scopes: cx.scopes.read.clone(), worlds }
}

/// Returns the scopes of a view, each by name.
pub(crate) fn scopes_of(view: &View) -> Vec<String> {
    let all = || std::iter::once(String::new()).chain(view.worlds.keys().cloned()).collect();
    view.scopes.clone().unwrap_or_else(all)
}

/// Returns the error of a change of facts, with the call that shows the facts.
pub(crate) fn with_lookup(error: ToolError, entity: Option<&str>) -> ToolError {
    let Some(entity) = entity else { return error };
    let args = serde_json::json!({ "entity": entity, "includeInvalid": true });
    error.next(Call::tool("kg.query"), args, "lists the facts of the entity with their ids")
}
