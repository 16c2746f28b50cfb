//! Everything that goes to the terminal, and the exit codes. Nothing else in this program writes to the terminal.
//!
//! Much of the output was written by others, for example names of files and documentation. [`terminal`] escapes every
//! character that a terminal would act on instead of showing it.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::terminal::{self, Style};

/// How a run that had an answer ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Good,
    /// There is an answer, and it is a bad one, for example not healthy or too risky.
    Bad,
    /// Another program did the work, and has reported the result. Its exit code.
    Reported(u8),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Good => 0,
            Outcome::Bad => 1,
            Outcome::Reported(code) => code,
        })
    }
}

/// The reasons why there is no answer.
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

/// Characters of a row on a terminal. A longer one has a name that somebody chose to fill the screen, or text that `--json` has whole.
const MAX_ROW: usize = 4_000;

/// Columns that a name may take from the others of its table.
pub(crate) const MAX_NAME_WIDTH: usize = 60;

/// Characters of the message beside a progress bar.
const MAX_MESSAGE: usize = 60;

/// A text as one row. On a terminal it has an end.
fn bound_row(text: &str, is_terminal: bool) -> String {
    let line = terminal::escape_line(text);
    if is_terminal { terminal::cut_line(&line, MAX_ROW) } else { line }
}

/// Prints why there is no answer.
pub(crate) fn print_failure(failure: &Failure, as_json: bool) -> ExitCode {
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
        write_stdout(&terminal::escape_json(&json!({ "error": error, "exitCode": code }).to_string()));
    } else {
        let mark = terminal::style_text(Style::Error, "error:");
        let shown = match failure {
            // The message quotes text from others.
            Failure::Refused { message, .. } => {
                bound_row(&format!("{mark} {message}"), io::stderr().is_terminal())
            }
            // It may quote several lines, such as the end of a log; none of them can pass for one of this program.
            other => terminal::escape_block(&format!("{mark} {}", other.to_string().replace('\n', "\n  "))),
        };
        write_stderr(&shown);
        if let Failure::Refused { detail, .. } = failure {
            detail["candidates"].as_array().into_iter().flatten().for_each(print_candidate);
        }
    }
    ExitCode::from(code)
}

/// Prints one of the things that a refused request may have meant, such as a symbol with its place.
fn print_candidate(candidate: &Value) {
    let parts = candidate.as_object().into_iter().flatten();
    let shown: Vec<String> =
        parts.map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    write_stderr(&bound_row(&format!("  {}", shown.join(" ")), io::stderr().is_terminal()));
}

/// One line to standard output. Text from elsewhere can't break out of its line.
pub(crate) fn print_line(text: &str) {
    write_stdout(&bound_row(text, io::stdout().is_terminal()));
}

/// The lines of a text by others, indented so that none of them can pass for one of this program.
pub(crate) fn print_quoted(text: &str) {
    text.lines().for_each(|line| write_stdout(&terminal::escape_line(&format!("  {line}"))));
}

/// Several lines that are already separate: made by this program, or by the daemon from text that it had escaped.
pub(crate) fn print_block(text: &str) {
    write_stdout(&terminal::escape_block(text));
}

/// One line to standard error.
pub(crate) fn print_note(text: &str) {
    let mark = terminal::style_text(Style::Warning, "note:");
    write_stderr(&bound_row(&format!("{mark} {text}"), io::stderr().is_terminal()));
}

/// The remarks of an answer on how the call was understood, to standard error.
pub(crate) fn print_notes(answer: &Value) {
    for note in answer["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        print_note(note);
    }
}

/// A JSON answer, for `--json`.
pub(crate) fn print_json(value: &Value) {
    write_stdout(&terminal::escape_json(&serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// One line of a run that goes on; false if the reader has gone away (`| head`). On a terminal it is cut to one row of `columns`.
pub(crate) fn print_live(text: &str, columns: Option<usize>) -> bool {
    let line = terminal::escape_line(text);
    let line = columns.map_or_else(|| line.clone(), |columns| terminal::cut_line(&line, columns));
    let shown = color_text(&line, io::stdout().is_terminal());
    writeln!(io::stdout().lock(), "{shown}").is_ok()
}

/// One value of a run that goes on, as a line of JSON; false if the reader has gone away.
pub(crate) fn print_live_json(value: &Value) -> bool {
    let line = terminal::escape_json(&value.to_string());
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
}

/// Lines of JSON as the daemon made them; false if the reader has gone away (`| head`).
pub(crate) fn json_lines(lines: &str) -> Result<bool, Failure> {
    match io::stdout().lock().write_all(terminal::escape_json(lines).as_bytes()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::io("can't write", &error)),
    }
}

/// Text generated from this program alone, unchanged: completions.
pub(crate) fn print_generated(bytes: &[u8]) {
    let _ = io::stdout().lock().write_all(bytes);
}

/// A progress bar on standard error.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Shown unless `hidden`.
    pub(crate) fn new(hidden: bool) -> Self {
        let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::no_length() };
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} files, {elapsed}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// Shows the daemon's progress.
    pub(crate) fn show(&self, said: &Value) {
        if let Some(total) = said["total"].as_u64() {
            self.0.set_length(total);
        }
        self.0.set_position(number_at(said, "/progress"));
        self.0.set_message(terminal::plain_row(text_at(said, "/message"), MAX_MESSAGE));
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// A reader that has gone away, as in `sdlctl export edges | head`, is not an error.
fn write_stdout(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{}", color_text(text, io::stdout().is_terminal()));
}

fn write_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", color_text(text, io::stderr().is_terminal()));
}

/// Colors only on a terminal, and only if `NO_COLOR` is not set.
fn color_text(text: &str, terminal: bool) -> String {
    let plain = !terminal || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    terminal::render_styles(text, !plain)
}

pub(crate) fn style_red(text: &str) -> String {
    terminal::style_text(Style::Bad, text)
}

pub(crate) fn style_green(text: &str) -> String {
    terminal::style_text(Style::Good, text)
}

pub(crate) fn style_yellow(text: &str) -> String {
    terminal::style_text(Style::Warning, text)
}

pub(crate) fn style_cyan(text: &str) -> String {
    terminal::style_text(Style::Busy, text)
}

pub(crate) fn style_bold(text: &str) -> String {
    terminal::style_text(Style::Bold, text)
}

pub(crate) fn style_dim(text: &str) -> String {
    terminal::style_text(Style::Dim, text)
}

/// A number with its noun: "1 file", "2 files".
pub(crate) fn format_count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A text as one word of a shell's command. Names of others are in the commands that a person copies.
pub(crate) fn quote_word(text: impl std::fmt::Display) -> String {
    let text = text.to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&byte);
    if !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Text at `pointer`; a dash if there is none.
pub(crate) fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("-")
}

/// A number at `pointer`; 0 if there is none.
pub(crate) fn number_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Calls that write to a terminal outside this module, by file and line.
    fn strays(folder: &Path, found: &mut Vec<String>) {
        const WAYS: [&str; 8] =
            ["println!", "print!", "stdout()", "stderr()", "dbg!", "/dev/tty", "ProgressBar", "set_message"];
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                strays(&path, found);
            } else if !path.ends_with("src/output.rs") && !path.ends_with("src/screen.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let lines = text.lines().enumerate();
                let lines = lines.filter(|(_, line)| WAYS.iter().any(|way| line.contains(way)));
                found.extend(lines.map(|(at, line)| format!("{}:{}: {line}", path.display(), at + 1)));
            }
        }
    }

    #[test]
    fn a_hostile_name_is_one_word() {
        use super::quote_word;

        assert_eq!(quote_word("/home/me/app-1.0"), "/home/me/app-1.0");
        assert_eq!(quote_word("a; rm -rf ~"), "'a; rm -rf ~'");
        assert_eq!(quote_word("it's $(x)"), r"'it'\''s $(x)'");
        assert_eq!([quote_word(""), quote_word("-f"), quote_word("~root")], ["''", "'-f'", "'~root'"]);
    }

    #[test]
    fn a_row_on_a_terminal_has_an_end() {
        let long = super::style_bold(&"x\u{1b}".repeat(10_000));
        assert_eq!(crate::terminal::count_shown(&super::bound_row(&long, true)), super::MAX_ROW);
        assert_eq!(
            super::bound_row(&long, false),
            crate::terminal::escape_line(&long),
            "a pipe gets all of it"
        );
    }

    #[test]
    fn nothing_else_writes_to_the_terminal() {
        let mut found = Vec::new();
        strays(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(
            found.is_empty(),
            "write through `output`, or show it on the `screen`:\n{}",
            found.join("\n")
        );
    }
}
