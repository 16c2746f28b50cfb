//! What a caller is told when there is no answer.

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
    /// Why.
    pub rationale: String,
}

/// What a caller is told when there is no answer. What went wrong inside has code [`Code::Internal`] and is the only
/// code that is no one's mistake.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// For programs.
    pub code: Code,
    /// For readers: what, where, what to do next.
    pub message: String,
    /// What else there is to say.
    pub about: Box<About>,
}

/// What an error says beside its code and message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The argument at fault, as a path (`budget.maxCards`, `symbolRefs[2].name`).
    pub field: Option<String>,
    /// What may have been meant, best first.
    pub candidates: Vec<Candidate>,
    /// What to call instead.
    pub next_best_action: Option<NextBestAction>,
    /// What is damaged, if that is why there is no answer. Not part of the wire form.
    pub damage: Option<Damage>,
    /// Further keys of the wire form: `schema`, `expected`, `got`, `progress`, `failed`.
    pub details: Map<String, Value>,
}

/// Damage of a store that an answer met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong.
    pub why: String,
    /// The table whose record it is, if it is one record.
    pub table: Option<&'static str>,
    /// The store, if it is more than that.
    pub path: Option<PathBuf>,
}

impl Damage {
    /// The damage that an error tells of; none if it tells of something else.
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
    /// An error of that kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), about: Box::default() }
    }

    /// A failure inside. `what` says what was being done, `why` what came of it.
    pub fn internal(what: &str, why: impl std::fmt::Display) -> Self {
        Self::new(Code::Internal, format!("{what} failed: {why}"))
    }

    /// Fields that do not go together, or a value outside its range.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message).at(field)
    }

    /// Names the argument at fault.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.about.field = Some(field.into());
        self
    }

    /// Lists what may have been meant.
    #[must_use]
    pub fn or_one_of(mut self, candidates: impl IntoIterator<Item = Candidate>) -> Self {
        self.about.candidates.extend(candidates);
        self
    }

    /// Says what to call instead.
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
