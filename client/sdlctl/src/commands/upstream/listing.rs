//! `upstream ls` and `upstream tools`.

use serde_json::{Value, json};

use super::show;
use crate::output::{
    self, Failure, Outcome, number_at, style_bold, style_dim, style_green, style_red, style_yellow, text_at,
};
use crate::session::Session;

pub(super) fn list_upstreams(as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/list", &json!({}))?;
    let all = answer["upstreams"].as_array().cloned().unwrap_or_default();
    show(as_json, &answer, || {
        if let Some(error) = answer["configError"].as_str() {
            output::print_line(&format!("{} {error}", style_red("not in force:")));
        }
        if all.is_empty() {
            output::print_line("No upstream is configured. Add one: sdlctl upstream add KEY -- COMMAND …");
            return;
        }
        let width = all.iter().map(|one| text_at(one, "/key").chars().count()).max().unwrap_or(0);
        for one in &all {
            print_upstream(one, width);
        }
    });
    Ok(if answer.get("configError").is_some() { Outcome::Bad } else { Outcome::Good })
}

/// One line with the figures, and one for each thing that a person should know.
fn print_upstream(one: &Value, width: usize) {
    let key = format!("{:width$}", text_at(one, "/key"));
    let state = text_at(one, "/state");
    let shown = format!("{state:13}");
    let shown = match state {
        "ready" => style_green(&shown),
        "failing" | "misconfigured" | "needsLogin" => style_red(&shown),
        "starting" | "held" => style_yellow(&shown),
        _ => style_dim(&shown),
    };
    let tokens = match (number_at(one, "/tokens"), number_at(one, "/tokensListed")) {
        (all, 0) => format!("{all} tokens, none listed"),
        (all, _) => format!("{all} tokens, all listed"),
    };
    let mut line = format!("{}  {shown} {:3} tools, {tokens}", style_bold(&key), number_at(one, "/tools"));
    if number_at(one, "/calls") > 0 {
        line.push_str(&format!(", {} calls", number_at(one, "/calls")));
        if number_at(one, "/failed") > 0 {
            line.push_str(&format!(" ({} failed)", number_at(one, "/failed")));
        }
        if let (Some(p50), Some(p95)) = (one["p50Ms"].as_f64(), one["p95Ms"].as_f64()) {
            line.push_str(&format!(", {p50} ms / {p95} ms"));
        }
    }
    if number_at(one, "/rssMb") > 0 {
        line.push_str(&format!(", {} MiB", number_at(one, "/rssMb")));
    }
    output::print_line(&line);
    let under = " ".repeat(width + 2);
    if let Some(error) = one["lastError"].as_str().filter(|_| state != "ready") {
        let again = match number_at(one, "/nextAttemptMs") {
            0 => String::new(),
            wait => format!("; next attempt in {} s", wait.div_ceil(1_000)),
        };
        output::print_line(&format!("{under}{}", style_red(&format!("{error}{again}"))));
    }
    print_definitions(one, &under);
    for (reason, count) in one["skipped"].as_object().into_iter().flatten() {
        output::print_line(&format!("{under}{}", style_yellow(&format!("{count} left out: {reason}"))));
    }
}

/// What a person should look at in the definitions of an upstream, with the command for it.
fn print_definitions(one: &Value, under: &str) {
    let key = text_at(one, "/key");
    let print = |text: String| output::print_line(&format!("{under}{}", style_yellow(&text)));
    let (held, changed) = (number_at(one, "/held"), number_at(one, "/changed"));
    if held > 0 {
        let tools = output::format_count(held, "tool");
        print(format!(
            "{tools} held, with changed definitions; look: sdlctl upstream diff {key}, then: sdlctl upstream approve {key}"
        ));
    }
    if changed > 0 {
        let tools = output::format_count(changed, "tool");
        print(format!("{tools} served with changed definitions; look: sdlctl upstream diff {key}"));
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
        print(format!("flagged: {}; look: sdlctl upstream tools {key}", flags.join(", ")));
    }
}

pub(super) fn list_tools(key: &str, as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/tools", &json!({ "key": key }))?;
    let tools = answer["tools"].as_array().cloned().unwrap_or_default();
    show(as_json, &answer, || {
        for tool in &tools {
            let description = text_at(tool, "/description").lines().next().unwrap_or_default();
            let reads = if tool["readOnly"] == true { " reads" } else { "" };
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
            let about = format!("{} tokens{reads}{standing}{flags}", number_at(tool, "/tokens"));
            output::print_line(&format!("{}  {}", style_bold(text_at(tool, "/tool")), style_dim(&about)));
            output::print_line(&format!("    {description}"));
        }
        if tools.is_empty() {
            output::print_line("It has no tools, or was never read: sdlctl upstream refresh");
        }
    });
    Ok(Outcome::Good)
}
