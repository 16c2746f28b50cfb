//! Why a call is refused.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Code;

/// A likely meaning of the caller. Its keys are the names of the arguments that take them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Candidate(pub Map<String, Value>);

impl Candidate {
    /// Creates a candidate with one key.
    pub fn of(key: &str, value: impl Into<Value>) -> Self {
        Self::default().with(key, value)
    }

    /// Adds another key to this candidate.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }
}

/// The reason why a call is refused, for its caller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The code, for programs.
    pub code: Code,
    /// The message, for readers: the problem, its place, and the next step.
    pub message: String,
    /// Further details.
    pub about: Box<RefusalAbout>,
}

/// The details of a refusal beside its code and message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefusalAbout {
    /// The argument at fault, as a path (`budget.maxCards`, `symbolRefs[2].name`).
    pub field: Option<String>,
    /// Likely meanings, best first.
    pub candidates: Vec<Candidate>,
    /// Further keys of the wire form, such as `expected` and `got`.
    pub details: Map<String, Value>,
}

/// An error that explains itself to its caller: a [`Refusal`], or one that holds a refusal. Both are built in the same way.
pub trait Explained: From<Refusal> {
    /// The explanation.
    fn refusal_mut(&mut self) -> &mut Refusal;

    /// Creates an error with this code.
    fn new(code: Code, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into(), about: Box::default() }.into()
    }

    /// Creates an internal error. `what` names the operation, `why` the failure.
    fn internal(what: &str, why: impl std::fmt::Display) -> Self {
        Self::new(Code::Internal, format!("{what} failed: {why}"))
    }

    /// Creates an error for fields that don't go together, or for a value outside its range.
    fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message).at(field)
    }

    /// Names the argument at fault.
    #[must_use]
    fn at(mut self, field: impl Into<String>) -> Self {
        self.refusal_mut().about.field = Some(field.into());
        self
    }

    /// Lists the likely meanings.
    #[must_use]
    fn or_one_of(mut self, candidates: impl IntoIterator<Item = Candidate>) -> Self {
        self.refusal_mut().about.candidates.extend(candidates);
        self
    }

    /// Adds a key to the wire form.
    #[must_use]
    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.refusal_mut().about.details.insert(key.to_owned(), value.into());
        self
    }
}

impl Explained for Refusal {
    fn refusal_mut(&mut self) -> &mut Refusal {
        self
    }
}
