//! `upstream diff` and `upstream approve`: definitions that changed.

use std::time::Duration;

use serde_json::{Value, json};
use similar::{Algorithm, ChangeTag, TextDiff};

use super::show;
use crate::output::{
    self, Failure, Outcome, number_at, quote_word, style_bold, style_dim, style_green, style_red,
    style_yellow, text_at,
};
use crate::session::Session;
use crate::time::format_rfc3339;

/// Lines that are shown around a change.
const AROUND: usize = 3;
/// After this time the comparison of two texts is coarse.
const MOST_TIME: Duration = Duration::from_secs(2);

pub(super) fn compare_definitions(key: &str, tool: Option<&str>, as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/diff", &json!({ "key": key, "tool": tool }))?;
    let tools = answer["tools"].as_array().cloned().unwrap_or_default();
    show(as_json, &answer, || {
        for one in &tools {
            print_comparison(key, one);
        }
        if tools.is_empty() {
            output::print_line("All definitions are those that were first seen or approved.");
        }
        let more = number_at(&answer, "/more");
        if more > 0 {
            output::print_line(&format!("{} more; name one to see it", output::format_count(more, "tool")));
        }
    });
    Ok(Outcome::Good)
}

fn print_comparison(key: &str, one: &Value) {
    let (tool, mark) = (text_at(one, "/tool"), text_at(one, "/mark"));
    let standing = match (text_at(one, "/standing"), one["heldBecause"].as_str()) {
        ("held", Some(why)) => style_red(&format!("held: {why}")),
        ("held", None) => style_red("held"),
        ("changed", _) => style_yellow("served, and not approved"),
        _ => style_dim("unchanged"),
    };
    let since = match number_at(one, "/sinceMs") {
        0 => String::new(),
        since => style_dim(&format!(" since {}", format_rfc3339(since))),
    };
    output::print_line(&format!("{}  {standing}{since}", style_bold(tool)));
    let flags: Vec<&str> = one["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !flags.is_empty() {
        output::print_line(&style_yellow(&format!("flagged: {}", flags.join(", "))));
    }
    for quote in one["flaggedText"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::print_line(&style_yellow(&format!("    … {quote} …")));
    }
    let (pinned, now) = (text_at(one, "/pinned"), text_at(one, "/now"));
    if pinned == now {
        now.lines().for_each(|line| output::print_line(&format!(" {line}")));
    } else {
        print_diff(pinned, now);
        output::print_line(&style_dim(&format!(
            "approve exactly this: sdlctl upstream approve {} {} --mark {}",
            quote_word(key),
            quote_word(tool),
            quote_word(mark)
        )));
    }
    output::print_line("");
}

fn print_diff(pinned: &str, now: &str) {
    let diff =
        TextDiff::configure().algorithm(Algorithm::Patience).timeout(MOST_TIME).diff_lines(pinned, now);
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        output::print_line(&style_dim(&hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n');
            output::print_line(&match change.tag() {
                ChangeTag::Equal => format!(" {line}"),
                ChangeTag::Delete => style_red(&format!("-{line}")),
                ChangeTag::Insert => style_green(&format!("+{line}")),
            });
        }
    }
}

pub(super) fn approve_definitions(
    key: &str,
    tool: Option<&str>,
    mark: Option<&str>,
    as_json: bool,
) -> Result<Outcome, Failure> {
    let params = json!({ "key": key, "tool": tool, "mark": mark });
    let answer = Session::open()?.call("upstream/approve", &params)?;
    let approved = answer["approved"].as_array().cloned().unwrap_or_default();
    show(as_json, &answer, || {
        for one in &approved {
            let fields: Vec<&str> =
                one["fields"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            output::print_line(&format!(
                "{} approved: {}",
                style_bold(text_at(one, "/name")),
                fields.join(", ")
            ));
        }
        if approved.is_empty() {
            output::print_line("Nothing to approve: all definitions are those that are known.");
        }
    });
    Ok(Outcome::Good)
}
