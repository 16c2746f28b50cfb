//! `upstream ls`, `upstream tools` and `upstream tokens`.

use serde_json::{Value, json};

use super::show;
use super::table::{Column, print_table};
use crate::output::{
    self, Failure, Outcome, format_count, number_at, style_bold, style_dim, style_green, style_red,
    style_yellow, text_at,
};
use crate::session::Session;

pub(super) fn list_upstreams(as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/list", &json!({}))?;
    show(as_json, &answer, || print_upstreams(&answer));
    Ok(if answer.get("configError").is_some() { Outcome::Bad } else { Outcome::Good })
}

fn print_upstreams(answer: &Value) {
    if let Some(error) = answer["configError"].as_str() {
        output::print_line(&format!("{} {error}", style_red("not in force:")));
    }
    let all: Vec<&Value> = answer["upstreams"].as_array().into_iter().flatten().collect();
    if all.is_empty() {
        output::print_line("No upstream is configured. Add one: sdlctl upstream add KEY -- COMMAND …");
        return;
    }
    let columns = [
        Column::left("", |one| style_bold(text_at(one, "/key"))),
        Column::left("state", |one| style_state(text_at(one, "/state"))),
        Column::right("tools", |one| known_number(one, "/tools")),
        Column::right("tokens", |one| known_number(one, "/tokens")),
        Column::right("listed", |one| known_number(one, "/tokensListed")),
        Column::right("calls", |one| format_number(number_at(one, "/calls"))),
        Column::right("failed", |one| match number_at(one, "/failed") {
            0 => "0".to_owned(),
            failed => style_red(&format_number(failed)),
        }),
        Column::right("p50 ms", |one| format_time(&one["p50Ms"])),
        Column::right("p95 ms", |one| format_time(&one["p95Ms"])),
        Column::right("MiB", |one| match number_at(one, "/rssMb") {
            0 => "-".to_owned(),
            size => size.to_string(),
        }),
    ];
    print_table(&columns, &all, &mut |one| {
        for line in remarks(one) {
            output::print_line(&format!("  {line}"));
        }
    });
    let sum = |at: &str| all.iter().map(|one| number_at(one, at)).sum::<u64>();
    let listed = match sum("/tokensListed") {
        0 => "none of them listed".to_owned(),
        listed => format!("{} of them listed", format_number(listed)),
    };
    output::print_line(&style_dim(&format!(
        "{}, {}, {} tokens, {listed}",
        format_count(all.len() as u64, "upstream"),
        format_count(sum("/tools"), "tool"),
        format_number(sum("/tokens")),
    )));
}

/// What a person should know about an upstream beside its figures.
pub(crate) fn remarks(one: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let state = text_at(one, "/state");
    if let Some(error) = one["lastError"].as_str() {
        let again = match number_at(one, "/nextAttemptMs") {
            0 => String::new(),
            wait => format!("; next attempt in {} s", wait.div_ceil(1_000)),
        };
        let (is_over, since) = (matches!(state, "ready" | "starting"), error_age(one));
        lines.push(if is_over {
            style_dim(&format!("last error{since}: {error}"))
        } else {
            style_red(&format!("{error}{since}{again}"))
        });
    }
    if one["stale"] == true {
        lines.push(style_yellow("its lists are old, because they could not be read lately"));
    }
    lines.extend(definition_remarks(one));
    for (reason, count) in one["skipped"].as_object().into_iter().flatten() {
        lines.push(style_yellow(&format!("{count} left out: {reason}")));
    }
    lines
}

/// How long ago the last error of an upstream was, as ` (3 min ago)`. Empty if that is not known.
pub(crate) fn error_age(one: &Value) -> String {
    let Some(age) = one["lastErrorAgeMs"].as_u64() else { return String::new() };
    let seconds = age / 1_000;
    let (number, unit) = match seconds {
        0..120 => (seconds, "s"),
        120..7_200 => (seconds / 60, "min"),
        7_200..172_800 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!(" ({number} {unit} ago)")
}

/// A state in its color.
pub(crate) fn style_state(state: &str) -> String {
    match state {
        "ready" => style_green(state),
        "failing" | "misconfigured" | "needsLogin" => style_red(state),
        "starting" | "held" => style_yellow(state),
        _ => style_dim(state),
    }
}

/// A figure of the lists. A dash where they were never read.
fn known_number(one: &Value, at: &str) -> String {
    match number_at(one, "/readAtMs") {
        0 => "-".to_owned(),
        _ => format_number(number_at(one, at)),
    }
}

fn format_time(ms: &Value) -> String {
    ms.as_f64().map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"))
}

/// A number with a comma before each three digits.
pub(super) fn format_number(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// What a person should look at in the definitions of an upstream, with the command for it.
fn definition_remarks(one: &Value) -> Vec<String> {
    let key = text_at(one, "/key");
    let mut lines = Vec::new();
    let (held, changed) = (number_at(one, "/held"), number_at(one, "/changed"));
    if held > 0 {
        let tools = output::format_count(held, "tool");
        lines.push(format!(
            "{tools} held, with changed definitions; look: sdlctl upstream diff {key}, then: sdlctl upstream approve {key}"
        ));
    }
    if changed > 0 {
        let tools = output::format_count(changed, "tool");
        lines.push(format!("{tools} served with changed definitions; look: sdlctl upstream diff {key}"));
    }
    let flags: Vec<String> = one["flags"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(flag, count)| {
            format!("{flag} in {}", output::format_count(count.as_u64().unwrap_or(0), "definition"))
        })
        .collect();
    if !flags.is_empty() {
        lines.push(format!("flagged: {}; look: sdlctl upstream tools {key}", flags.join(", ")));
    }
    lines.iter().map(|line| style_yellow(line)).collect()
}

pub(super) fn list_tools(key: &str, as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/tools", &json!({ "key": key }))?;
    show(as_json, &answer, || print_tools(&answer["tools"]));
    Ok(Outcome::Good)
}

pub(super) fn print_tools(tools: &Value) {
    let tools: Vec<&Value> = tools.as_array().into_iter().flatten().collect();
    for tool in &tools {
        let description = text_at(tool, "/description").lines().next().unwrap_or_default();
        let reads = if tool["readOnly"] == true { ", reads" } else { "" };
        let standing = match text_at(tool, "/standing") {
            "" | "pinned" => String::new(),
            standing => format!(", {}", style_yellow(standing)),
        };
        let flags: Vec<&str> =
            tool["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let flags = match flags.as_slice() {
            [] => String::new(),
            flags => format!(", {}", style_yellow(&format!("flagged: {}", flags.join(", ")))),
        };
        let tokens = format_count(number_at(tool, "/tokens"), "token");
        let about = format!("{tokens}{reads}{standing}{flags}");
        output::print_line(&format!("{}  {}", style_bold(text_at(tool, "/tool")), style_dim(&about)));
        output::print_line(&format!("    {description}"));
    }
    if tools.is_empty() {
        output::print_line("It has no tools, or was never read: sdlctl upstream refresh");
    }
}

/// What the definitions cost: where a client has the servers for itself, and here.
pub(super) fn list_tokens(as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/list", &json!({}))?;
    let all: Vec<&Value> = answer["upstreams"].as_array().into_iter().flatten().collect();
    let row = |one: &Value| {
        let part = |name: &str| number_at(one, name);
        json!({
            "key": one["key"], "mode": one["mode"], "tools": part("/tools"), "alone": part("/tokensWhole"),
            "brief": part("/tokens"), "here": part("/tokensListed"),
        })
    };
    let rows: Vec<Value> = all.iter().map(|one| row(one)).collect();
    let sum = |name: &str| rows.iter().map(|row| number_at(row, name)).sum::<u64>();
    let total = json!({
        "key": "all", "mode": "", "tools": sum("/tools"), "alone": sum("/alone"), "brief": sum("/brief"),
        "here": sum("/here"),
    });
    show(as_json, &json!({ "upstreams": rows, "all": total }), || {
        let columns = [
            Column::left("", |row| style_bold(text_at(row, "/key"))),
            Column::left("mode", |row| text_at(row, "/mode").to_owned()),
            Column::right("tools", |row| format_number(number_at(row, "/tools"))),
            Column::right("listed by itself", |row| format_number(number_at(row, "/alone"))),
            Column::right("without extras", |row| format_number(number_at(row, "/brief"))),
            Column::right("listed here", |row| format_number(number_at(row, "/here"))),
        ];
        let shown: Vec<&Value> = rows.iter().chain([&total]).collect();
        print_table(&columns, &shown, &mut |_| {});
        output::print_line(&style_dim(
            "Tokens of each client's list of tools. Extras are output schemas, titles, annotations and icons.",
        ));
    });
    Ok(Outcome::Good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_groups_of_three() {
        let shown = [0, 12, 999, 1_000, 12_345, 1_234_567].map(format_number);
        assert_eq!(shown, ["0", "12", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn an_error_is_loud_until_it_is_over() {
        let failing = json!({ "state": "failing", "lastError": "it broke", "nextAttemptMs": 1_500 });
        assert!(remarks(&failing)[0].contains("it broke; next attempt in 2 s"));
        let ready = json!({ "state": "ready", "lastError": "it broke", "skipped": { "duplicate": 2 } });
        assert!(remarks(&ready)[0].contains("last error: it broke"));
        assert!(remarks(&ready)[1].contains("2 left out: duplicate"));
        assert!(remarks(&json!({ "state": "ready" })).is_empty());
    }

    #[test]
    fn an_error_has_its_age() {
        let failing = json!({ "state": "failing", "lastError": "it broke", "lastErrorAgeMs": 5_400 });
        assert!(remarks(&failing)[0].contains("it broke (5 s ago)"));
        let ages = [0, 119_000, 120_000, 7_199_000, 7_200_000, 86_400_000, 200_000_000];
        let shown = ages.map(|age| error_age(&json!({ "lastErrorAgeMs": age })));
        let expected = ["0 s", "119 s", "2 min", "119 min", "2 h", "24 h", "2 d"];
        assert_eq!(shown, expected.map(|age| format!(" ({age} ago)")));
    }
}
