//! Faults of a text, and their places.

use crate::located::Fault;

/// The reason why settings are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}{}: {message}", shown_path(.path))]
pub struct SettingsError {
    /// The fault, and the remedy.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The place in the JSON, such as `mcpServers.fs.sdl.mode`. Empty if the text is not JSON.
    pub path: String,
    /// The kind of fault.
    pub kind: ErrorKind,
}

/// The kinds of faults that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A person has to correct the file.
    Misconfigured,
    /// The server is reached in a way that is not supported, such as HTTP with server-sent events of 2024-11-05.
    UnsupportedTransport,
}

impl ErrorKind {
    /// The code of the error in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Misconfigured => "misconfigured",
            Self::UnsupportedTransport => "unsupportedTransport",
        }
    }
}

/// Something that is permitted but may not be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The oddity, and the remedy.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The place in the JSON.
    pub path: String,
}

fn shown_path(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", {path}") }
}

impl SettingsError {
    /// An error at a byte of `text`.
    pub(crate) fn at(text: &str, at: usize, path: &str, message: impl Into<String>) -> Self {
        let (line, column) = line_and_column(text, at);
        Self { message: message.into(), line, column, path: path.to_owned(), kind: ErrorKind::Misconfigured }
    }

    pub(crate) fn of_fault(text: &str, fault: Fault) -> Self {
        Self::at(text, fault.at, &fault.path, fault.message)
    }
}

/// Line and column of a byte, both from 1. Columns are characters, as editors count them.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let mut end = at.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (line, column)
}
