//! The error that a caller gets when there is no answer.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use sdl_contract::{Cancelled, Refusal, RefusalAbout};
pub use sdl_contract::{Candidate, Code, Explained};

/// A call that works when sent as it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextBestAction {
    /// The tool's advertised name.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// The reason for calling it.
    pub rationale: String,
}

/// The error that a caller gets when there is no answer. Internal failures have code [`Code::Internal`], the only code
/// that is nobody's mistake.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{refusal}")]
pub struct ToolError {
    /// The code, the message, and the details.
    pub refusal: Refusal,
    /// A call to make instead.
    pub next_best_action: Option<Box<NextBestAction>>,
    /// The damage, if that is why there is no answer. Not part of the wire form.
    pub damage: Option<Box<Damage>>,
}

/// The tables of the facts' store, and the name in an error when facts are missing.
const FACTS_TABLES: [&str; 2] = ["facts", "failures"];

/// Damage of a store that was met while answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// A description of the damage.
    pub why: String,
    /// The table, if a single record is damaged.
    pub table: Option<&'static str>,
    /// The store's path, if more than one record is damaged.
    pub path: Option<PathBuf>,
}

impl Damage {
    /// Returns the damage that an error reports; none for other errors.
    pub fn of(error: &sdl_ledger::Error) -> Option<Self> {
        let (table, path) = match error {
            sdl_ledger::Error::Corrupt { table, .. } => (Some(*table), None),
            sdl_ledger::Error::Lmdb { path, .. } => (None, Some(path.clone())),
            _ => (None, None),
        };
        error.is_damage().then(|| Self { why: error.to_string(), table, path })
    }

    /// Whether it is of stored facts, which all repositories share.
    pub fn is_of_facts(&self) -> bool {
        self.table.is_some_and(|table| FACTS_TABLES.contains(&table))
    }
}

impl ToolError {
    /// Names a call to make instead.
    #[must_use]
    pub fn next(mut self, tool: impl Into<String>, args: Value, rationale: impl Into<String>) -> Self {
        let call = NextBestAction { tool: tool.into(), args, rationale: rationale.into() };
        self.next_best_action = Some(Box::new(call));
        self
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        let Refusal { code, message, about } = &self.refusal;
        out.insert("code".into(), code.name().into());
        out.insert("message".into(), message.clone().into());
        let RefusalAbout { field, candidates, details } = &**about;
        if let Some(field) = field {
            out.insert("field".into(), field.clone().into());
        }
        if !candidates.is_empty() {
            out.insert("candidates".into(), candidates.iter().map(|c| Value::Object(c.0.clone())).collect());
        }
        if let Some(next) = &self.next_best_action {
            out.insert("nextBestAction".into(), serde_json::to_value(next).unwrap_or_default());
        }
        for (key, value) in details {
            out.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(out)
    }
}

impl Explained for ToolError {
    fn refusal_mut(&mut self) -> &mut Refusal {
        &mut self.refusal
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, next_best_action: None, damage: None }
    }
}

impl From<Cancelled> for ToolError {
    fn from(_: Cancelled) -> Self {
        Self::new(Code::Cancelled, "the request was cancelled or ran out of time")
    }
}

impl From<sdl_ledger::Error> for ToolError {
    fn from(error: sdl_ledger::Error) -> Self {
        if let Some(damage) = Damage::of(&error) {
            let message = format!(
                "the repository's data is damaged ({error}); it is being rebuilt from the tree: ask again"
            );
            let mut told = Self::new(Code::Unavailable, message);
            told.damage = Some(Box::new(damage));
            return told;
        }
        match error {
            sdl_ledger::Error::Deadline => Self::new(Code::DeadlineExceeded, error.to_string()),
            sdl_ledger::Error::DiskFull { .. } => Self::new(Code::Unavailable, error.to_string()),
            error => Self::internal("reading the ledger", error),
        }
    }
}

impl From<sdl_retrieve::Error> for ToolError {
    fn from(error: sdl_retrieve::Error) -> Self {
        use sdl_retrieve::{Error, UserError};
        match error {
            Error::Ledger(error) => error.into(),
            Error::User(error) => {
                let text = error.to_string();
                match error {
                    UserError::EmptyQuery | UserError::BadRegex(_) => Self::invalid("query", text),
                    UserError::BadGlob(_) => Self::invalid("pathGlob", text),
                    UserError::BadCursor | UserError::StaleCursor => {
                        Self::new(Code::BadCursor, text).at("cursor")
                    }
                    UserError::UnknownSymbol(_) => Self::new(Code::UnknownSymbol, text),
                    UserError::NoSeeds => Self::new(Code::InvalidArgument, text),
                    _ => Self::new(Code::InvalidArgument, text),
                }
            }
            error => Self::internal("answering", error),
        }
    }
}
