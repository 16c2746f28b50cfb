//! A report for a pull request.

use std::fmt::Write as _;

use serde_json::Value;

use crate::output::{number_at, text_at};
use crate::terminal;

/// The report.
pub(super) fn markdown_report(answer: &Value) -> String {
    let mut out = String::new();
    let (score, level) =
        (number_at(answer, "/analysis/riskScore"), escape_cell(text_at(answer, "/analysis/riskLevel")));
    add_line(&mut out, format_args!("## Risk {score} of 100 ({level})\n"));
    add_line(
        &mut out,
        format_args!(
            "`{}` to `{}`: {} symbols changed, {} may be affected. Decision: **{}**.\n",
            code_span(text_at(answer, "/analysis/fromVersion")),
            code_span(text_at(answer, "/analysis/toVersion")),
            number_at(answer, "/analysis/changedSymbolsCount"),
            number_at(answer, "/analysis/blastRadiusCount"),
            escape_cell(text_at(answer, "/policyDecision/decision")),
        ),
    );
    add_line(&mut out, format_args!("| part | points | of | why |\n|---|---:|---:|---|"));
    for part in list_items(answer, "/analysis/parts") {
        let points = part["points"].as_f64().unwrap_or(0.0);
        let (name, weight) = (escape_cell(text_at(part, "/name")), number_at(part, "/weight"));
        add_line(
            &mut out,
            format_args!("| {name} | {points} | {weight} | {} |", escape_cell(text_at(part, "/why"))),
        );
    }
    write_section(&mut out, answer, "Findings", "/analysis/findings", |finding| {
        format!(
            "**{}** {}: {}",
            text_at(finding, "/severity"),
            text_at(finding, "/type"),
            escape_cell(text_at(finding, "/message"))
        )
    });
    write_section(&mut out, answer, "Affected", "/analysis/impactedSymbols", |symbol| {
        format!(
            "`{}` in `{}`: {}",
            code_span(text_at(symbol, "/name")),
            code_span(text_at(symbol, "/file")),
            escape_cell(text_at(symbol, "/reason"))
        )
    });
    write_section(&mut out, answer, "Tests", "/analysis/recommendedTests", |test| {
        format!(
            "{} ({}): {}",
            text_at(test, "/type"),
            text_at(test, "/priority"),
            escape_cell(text_at(test, "/description"))
        )
    });
    out
}

fn write_section(
    out: &mut String,
    answer: &Value,
    title: &str,
    pointer: &str,
    entry: impl Fn(&Value) -> String,
) {
    let mut entries = list_items(answer, pointer).peekable();
    if entries.peek().is_some() {
        add_line(out, format_args!("\n### {title}\n"));
        entries.for_each(|item| add_line(out, format_args!("- {}", terminal::escape_line(&entry(item)))));
    }
}

fn list_items<'a>(answer: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    answer.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn add_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{line}");
}

/// Text between backticks on one line, which it can't end.
fn code_span(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '`' => '\'',
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .collect()
}

/// Text that breaks no table and starts no markup of its own.
fn escape_cell(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        if matches!(letter, '|' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '\\') {
            safe.push('\\');
        }
        safe.push(if letter.is_control() { ' ' } else { letter });
    }
    safe
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_report_has_its_parts() {
        let report = super::markdown_report(&super::super::sample_answer());
        for piece in [
            "## Risk 41 of 100 (medium)",
            "Decision: **review**.",
            "| interface | 10 | 25 | 1 interfaces changed or gone |",
            "- **medium** signatureChange: what \\`a\\|b\\` shows changed",
            "- `caller` in `src/c.rs`: calls a",
            "- run (high): tests/a.rs: test\\_a",
        ] {
            assert!(report.contains(piece), "{piece} is not in\n{report}");
        }
    }
}
