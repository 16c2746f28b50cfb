//! Everything that goes to the terminal.

use std::io::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::trouble::Trouble;

/// A result: for programs, and for people.
pub(crate) struct Report {
    pub(crate) data: Value,
    pub(crate) lines: Vec<String>,
    /// Why the result is not the one that was asked for, if so. Exit code 1.
    pub(crate) concern: Option<String>,
}

/// Prints a text of this program's own.
#[allow(clippy::print_stdout, reason = "the answer to whoever started it")]
pub(crate) fn print_text(text: &str) {
    // A reader that has gone away is no error.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

pub(crate) fn print_report(report: &Report, as_json: bool) -> ExitCode {
    if as_json {
        print_text(&escape_text(&report.data.to_string()));
    } else {
        report.lines.iter().for_each(|line| print_text(&escape_text(line)));
        if let Some(concern) = &report.concern {
            eprintln!("note: {}", escape_text(concern));
        }
    }
    ExitCode::from(u8::from(report.concern.is_some()))
}

pub(crate) fn print_trouble(trouble: &Trouble, as_json: bool) -> ExitCode {
    let code = trouble.exit_code();
    let message = trouble.to_string();
    if as_json {
        print_text(&escape_text(&json!({ "error": { "message": message }, "exitCode": code }).to_string()));
    } else {
        eprintln!("error: {}", escape_text(&message));
    }
    ExitCode::from(code)
}

/// A text in which a terminal shows every character, because stores and trees name things as they like.
fn escape_text(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// A number of bytes for people, such as `1.5 MB`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}
