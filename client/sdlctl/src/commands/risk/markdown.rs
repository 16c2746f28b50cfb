//! A report for a pull request.

use std::fmt::Write as _;

use serde_json::Value;

use crate::output::{number, text};
use crate::terminal;

/// The report.
pub(super) fn of(answer: &Value) -> String {
    let mut out = String::new();
    let (score, level) = (number(answer, "/analysis/riskScore"), text(answer, "/analysis/riskLevel"));
    add(&mut out, format_args!("## Risk {score} of 100 ({level})\n"));
    add(
        &mut out,
        format_args!(
            "`{}` to `{}`: {} symbols changed, {} may be affected. Decision: **{}**.\n",
            text(answer, "/analysis/fromVersion"),
            text(answer, "/analysis/toVersion"),
            number(answer, "/analysis/changedSymbolsCount"),
            number(answer, "/analysis/blastRadiusCount"),
            text(answer, "/policyDecision/decision"),
        ),
    );
    add(&mut out, format_args!("| part | points | of | why |\n|---|---:|---:|---|"));
    for part in list(answer, "/analysis/parts") {
        let points = part["points"].as_f64().unwrap_or(0.0);
        let (name, weight) = (text(part, "/name"), number(part, "/weight"));
        add(&mut out, format_args!("| {name} | {points} | {weight} | {} |", cell(text(part, "/why"))));
    }
    section(&mut out, answer, "Findings", "/analysis/findings", |finding| {
        format!(
            "**{}** {}: {}",
            text(finding, "/severity"),
            text(finding, "/type"),
            cell(text(finding, "/message"))
        )
    });
    section(&mut out, answer, "Affected", "/analysis/impactedSymbols", |symbol| {
        format!(
            "`{}` in `{}`: {}",
            text(symbol, "/name"),
            text(symbol, "/file"),
            cell(text(symbol, "/reason"))
        )
    });
    section(&mut out, answer, "Tests", "/analysis/recommendedTests", |test| {
        format!("{} ({}): {}", text(test, "/type"), text(test, "/priority"), cell(text(test, "/description")))
    });
    out
}

fn section(out: &mut String, answer: &Value, title: &str, pointer: &str, entry: impl Fn(&Value) -> String) {
    let mut entries = list(answer, pointer).peekable();
    if entries.peek().is_some() {
        add(out, format_args!("\n### {title}\n"));
        entries.for_each(|item| add(out, format_args!("- {}", terminal::line(&entry(item)))));
    }
}

fn list<'a>(answer: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    answer.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn add(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{line}");
}

/// Text that breaks no table and starts no markup of its own.
fn cell(text: &str) -> String {
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
        let report = super::of(&super::super::sample());
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
