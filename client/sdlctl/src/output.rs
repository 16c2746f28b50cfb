//! What goes to the terminal, and how a run ends.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// How a run ended that had an answer. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Good,
    /// There is an answer, and it is a bad one: not healthy, not identical, too risky.
    Bad,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Good => 0,
            Outcome::Bad => 1,
        })
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The user asked for something that makes no sense. Exit code 2, as for wrong flags.
    #[error("{0}")]
    Usage(String),
    /// No daemon answers. Exit code 3.
    #[error("{0}")]
    NoDaemon(String),
    /// The daemon answered with an error. Exit code 4.
    #[error("{message}")]
    Refused {
        /// For people.
        message: String,
        /// The whole error.
        detail: Value,
    },
    /// Something on this side failed. Exit code 1.
    #[error("{0}")]
    Local(String),
}

impl Failure {
    pub(crate) fn io(what: &str, error: &io::Error) -> Self {
        Self::Local(format!("{what}: {error}"))
    }
}

/// Says why there is no answer.
pub(crate) fn failure(failure: &Failure, as_json: bool) -> ExitCode {
    let code = match failure {
        Failure::Usage(_) => 2,
        Failure::NoDaemon(_) => 3,
        Failure::Refused { .. } => 4,
        Failure::Local(_) => 1,
    };
    if as_json {
        let error = match failure {
            Failure::Refused { detail, .. } => detail.clone(),
            other => json!({ "message": other.to_string() }),
        };
        line(&json!({ "error": error, "exitCode": code }).to_string());
    } else {
        eprintln!("{} {failure}", paint("31;1", "error:"));
    }
    ExitCode::from(code)
}

/// One line to standard output. A reader that has gone away (`| head`) is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// A JSON answer, for `--json`.
pub(crate) fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Colors `text` if standard output is a terminal and `NO_COLOR` is not set.
pub(crate) fn paint(code: &str, text: &str) -> String {
    let plain =
        !io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain { text.to_owned() } else { format!("\u{1b}[{code}m{text}\u{1b}[0m") }
}

pub(crate) fn bold(text: &str) -> String {
    paint("1", text)
}

pub(crate) fn dim(text: &str) -> String {
    paint("2", text)
}

/// A number with its noun: "1 file", "2 files".
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Text at `pointer`; a dash if there is none.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("-")
}

/// A number at `pointer`; 0 if there is none.
pub(crate) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}
