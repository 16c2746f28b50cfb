//! Why a call is refused.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Code;

/// Something the caller may have meant. Its keys are named as the arguments that take them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Candidate(pub Map<String, Value>);

impl Candidate {
    /// A candidate with one key.
    pub fn of(key: &str, value: impl Into<Value>) -> Self {
        Self::default().with(key, value)
    }

    /// This candidate and another key.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }
}

/// Why a call is refused, for whoever made it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// For programs.
    pub code: Code,
    /// For readers: what, where, what to do next.
    pub message: String,
    /// What else there is to say.
    pub about: Box<RefusalAbout>,
}

/// What a refusal says beside its code and message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefusalAbout {
    /// The argument at fault, as a path (`budget.maxCards`, `symbolRefs[2].name`).
    pub field: Option<String>,
    /// What may have been meant, best first.
    pub candidates: Vec<Candidate>,
    /// Further keys of the wire form: `schema`, `expected`, `got`.
    pub details: Map<String, Value>,
}

impl Refusal {
    /// A refusal of that kind.
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

    /// Adds a key to the wire form.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.about.details.insert(key.to_owned(), value.into());
        self
    }
}
