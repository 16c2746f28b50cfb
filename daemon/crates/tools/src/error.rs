//! The error that a caller gets when there is no answer.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use sdl_contract::{Cancelled, Refusal, RefusalAbout};
pub use sdl_contract::{Candidate, Code};

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
#[error("{message}")]
pub struct ToolError {
    /// The code, for programs.
    pub code: Code,
    /// The message, for readers: the problem, its place, and the next step.
    pub message: String,
    /// Further details.
    pub about: Box<About>,
}

/// The details of an error beside its code and message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The argument at fault, as a path (`budget.maxCards`, `symbolRefs[2].name`).
    pub field: Option<String>,
    /// Likely meanings, best first.
    pub candidates: Vec<Candidate>,
    /// A call to make instead.
    pub next_best_action: Option<NextBestAction>,
    /// The damage, if that is why there is no answer. Not part of the wire form.
    pub damage: Option<Damage>,
    /// Further keys of the wire form: `schema`, `expected`, `got`, `progress`, `failed`.
    pub details: Map<String, Value>,
}

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
}

impl ToolError {
    /// Creates an error with this code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), about: Box::default() }
    }

    /// Creates an internal error. `what` names the operation, `why` the failure.
    pub fn internal(what: &str, why: impl std::fmt::Display) -> Self {
        Self::new(Code::Internal, format!("{what} failed: {why}"))
    }

    /// Creates an error for fields that don't go together, or for a value outside its range.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message).at(field)
    }

    /// Names the argument at fault.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.about.field = Some(field.into());
        self
    }

    /// Lists the likely meanings.
    #[must_use]
    pub fn or_one_of(mut self, candidates: impl IntoIterator<Item = Candidate>) -> Self {
        self.about.candidates.extend(candidates);
        self
    }

    /// Names a call to make instead.
    #[must_use]
    pub fn next(mut self, tool: impl Into<String>, args: Value, rationale: impl Into<String>) -> Self {
        self.about.next_best_action =
            Some(NextBestAction { tool: tool.into(), args, rationale: rationale.into() });
        self
    }

    /// Adds a key to the wire form.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.about.details.insert(key.to_owned(), value.into());
        self
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        out.insert("code".into(), self.code.name().into());
        out.insert("message".into(), self.message.clone().into());
        let About { field, candidates, next_best_action, damage: _, details } = &*self.about;
        if let Some(field) = field {
            out.insert("field".into(), field.clone().into());
        }
        if !candidates.is_empty() {
            out.insert("candidates".into(), candidates.iter().map(|c| Value::Object(c.0.clone())).collect());
        }
        if let Some(next) = next_best_action {
            out.insert("nextBestAction".into(), serde_json::to_value(next).unwrap_or_default());
        }
        for (key, value) in details {
            out.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(out)
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message, about } = refusal;
        let RefusalAbout { field, candidates, details } = *about;
        Self { code, message, about: Box::new(About { field, candidates, details, ..About::default() }) }
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
                "the repository's data is damaged ({error}); it is built anew from the tree: ask again"
            );
            let mut told = Self::new(Code::Unavailable, message);
            told.about.damage = Some(damage);
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
