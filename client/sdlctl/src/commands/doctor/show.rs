//! What `doctor` prints: problems in full with what to do, everything else in one short line.

use serde_json::{Value, json};

use super::finding::{Finding, Severity, Theme};
use crate::output::{self, format_count, style_bold, style_dim, style_green, style_red, style_yellow};
use crate::terminal::cut_line;

/// Characters of the line of a finding that is no problem.
const SHORT: usize = 110;

/// Characters of a problem's note. Names of others are part of it.
const LONG: usize = 600;

/// All findings as one value.
pub(super) fn findings_json(findings: &[Finding]) -> Value {
    let count = |severity| findings.iter().filter(|one| one.severity == severity).count();
    json!({
        "ok": count(Severity::Bad) == 0,
        "counts": { "ok": count(Severity::Ok), "warn": count(Severity::Warn), "bad": count(Severity::Bad) },
        "checks": findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
    })
}

/// Prints the findings by theme, the worst of each first.
pub(super) fn print_findings(findings: &[Finding]) {
    for line in finding_lines(findings) {
        output::print_line(&line);
    }
}

fn finding_lines(findings: &[Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    for theme in Theme::ALL {
        let mut of_theme: Vec<&Finding> = findings.iter().filter(|one| one.check.theme == theme).collect();
        if of_theme.is_empty() {
            continue;
        }
        of_theme.sort_by_key(|one| std::cmp::Reverse(one.severity));
        lines.push(style_bold(theme.name()));
        for one in of_theme {
            lines.extend(describe_finding(one));
        }
    }
    lines.push(summary_line(findings));
    lines
}

fn describe_finding(one: &Finding) -> Vec<String> {
    let mark = match one.severity {
        Severity::Ok => style_green("ok  "),
        Severity::Warn => style_yellow("warn"),
        Severity::Bad => style_red("bad "),
    };
    if one.severity == Severity::Ok {
        let line = format!("{}: {}", one.check.id, one.note);
        return vec![format!("  {mark} {}", style_dim(&cut_line(&line, SHORT)))];
    }
    let note = cut_line(&one.note, LONG);
    let fix = one.fix.iter().map(|fix| format!("       -> {}", cut_line(fix, LONG)));
    std::iter::once(format!("  {mark} {}: {note}", style_bold(one.check.id))).chain(fix).collect()
}

fn summary_line(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|one| one.severity == severity).count() as u64;
    let (warned, bad) = (count(Severity::Warn), count(Severity::Bad));
    let all = format_count(findings.len() as u64, "finding");
    match (warned, bad) {
        (0, 0) => format!("{all}: {}", style_green("all is well")),
        (_, 0) => format!("{all}: {}, nothing is broken", style_yellow(&format_count(warned, "warning"))),
        _ => format!("{all}: {}, {}", style_red(&format!("{bad} bad")), format_count(warned, "warning")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::{DISK_SPACE, POLLED_TREE, REPOSITORY, WATCH_LIMIT};
    use super::*;
    use crate::terminal::{escape_line, render_styles};

    fn shown(findings: &[Finding]) -> Vec<String> {
        finding_lines(findings).iter().map(|line| render_styles(&escape_line(line), false)).collect()
    }

    #[test]
    fn problems_come_first_and_in_full() {
        let findings = [
            Finding::ok(WATCH_LIMIT, "x".repeat(500)),
            Finding::ok(REPOSITORY, "a is served"),
            Finding::warn(DISK_SPACE, "little is free", "free some"),
            Finding::bad(POLLED_TREE, "n".repeat(200), "move it"),
        ];
        let lines = shown(&findings);
        assert_eq!(
            lines[..3],
            ["machine", "  warn disk-space: little is free", "       -> free some"],
            "{lines:#?}"
        );
        assert!(
            lines[3].starts_with("  ok   watch-limit: xxx") && lines[3].chars().count() < 120,
            "{lines:#?}"
        );
        assert!(lines.iter().any(|line| line.contains(&"n".repeat(200))), "{lines:#?}");
        assert_eq!(lines.last().unwrap(), "4 findings: 1 bad, 1 warning");
        assert_eq!(shown(&findings[..2]).last().unwrap(), "2 findings: all is well");
        let json = findings_json(&findings);
        assert_eq!(json["counts"], json!({ "ok": 2, "warn": 1, "bad": 1 }));
        assert_eq!(json["checks"][3]["fix"], "move it");
        assert_eq!((&json["ok"], &findings_json(&findings[..3])["ok"]), (&json!(false), &json!(true)));
    }

    #[test]
    fn hostile_names_stay_on_their_line() {
        let name = format!("a\u{1b}[2J\u{202e}\nmachine{}", "z".repeat(10_000));
        for finding in
            [Finding::ok(REPOSITORY, name.clone()), Finding::bad(REPOSITORY, name.clone(), name.clone())]
        {
            for line in shown(&[finding]) {
                assert!(line.chars().count() < 700, "{} characters", line.chars().count());
                assert!(line.chars().all(|letter| !letter.is_control() && letter != '\u{202e}'), "{line}");
            }
        }
    }
}
