//! The part of a command's output that goes into the answer.

use crate::{Outcome, Output};

/// How much output to show at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The first lines, those that report failures, and the last.
    #[default]
    Digest,
    /// The last lines.
    Tail,
    /// All lines that an answer has room for.
    Full,
}

impl Mode {
    fn tokens(self) -> usize {
        match self {
            Self::Digest => 800,
            Self::Tail => 2_000,
            Self::Full => 7_000,
        }
    }
}

/// Maximum characters of a line that are shown.
const WIDTH: usize = 400;
/// Words that mark a line as reporting a failure.
const TELLING: [&str; 8] = ["error", "fail", "panic", "fatal", "exception", "traceback", "warning", "assert"];

/// Returns the output as the mode selects it, within its tokens. States where lines are left out.
pub fn digest_output(outcome: &Outcome, mode: Mode) -> String {
    let streams = [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)];
    let said = streams.iter().filter(|(_, output)| output.count() > 0).count().max(1);
    let mut text = String::new();
    for (name, output) in streams {
        if output.count() > 0 {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(name);
            text.push(':');
            write_part(&mut text, output, mode, mode.tokens() / said);
        }
    }
    text
}

fn write_part(text: &mut String, output: &Output, mode: Mode, tokens: usize) {
    let lines: Vec<(u64, &str)> = output.lines().collect();
    let count = lines.len();
    let telling = |line: &str| {
        let line = line.to_lowercase();
        TELLING.iter().any(|word| line.contains(word))
    };
    // The order in which lines are selected until the tokens are used up.
    let order: Vec<usize> = match mode {
        Mode::Full => (0..count).collect(),
        Mode::Tail => (0..count).rev().collect(),
        Mode::Digest => {
            let told = (0..count).filter(|at| lines.get(*at).is_some_and(|(_, line)| telling(line)));
            (count.saturating_sub(10)..count).rev().chain(0..count.min(5)).chain(told.take(40)).collect()
        }
    };
    let mut taken = vec![false; count];
    let mut used = 0;
    for at in order {
        let (Some(taken), Some((_, line))) = (taken.get_mut(at), lines.get(at)) else { continue };
        if *taken {
            continue;
        }
        used += sdl_tokens::count_tokens(&shorten_line(line)) + 2;
        if used > tokens {
            break;
        }
        *taken = true;
    }
    let mut last = 0;
    let shown = lines.iter().zip(taken).filter(|(_, taken)| *taken).map(|(line, _)| *line);
    for (number, line) in shown {
        write_gap(text, number - last - 1);
        text.push('\n');
        text.push_str(&shorten_line(line));
        last = number;
    }
    write_gap(text, output.count() - last);
}

fn write_gap(text: &mut String, lines: u64) {
    if lines > 0 {
        text.push_str(&format!("\n… {lines} lines"));
    }
}

fn shorten_line(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line.to_owned(),
    }
}
