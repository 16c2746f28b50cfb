//! `upstream show`: one upstream, or one of its tools.

use sdl_settings::{Login, find_login};
use serde_json::{Value, json};

use super::listing::{format_number, print_tools, remarks, style_state};
use super::show;
use crate::output::{
    self, Failure, Outcome, format_count, number_at, style_bold, style_dim, style_red, text_at,
};
use crate::session::{Session, daemon_paths};
use crate::time::format_rfc3339;

pub(super) fn show_upstream(key: &str, tool: Option<&str>, as_json: bool) -> Result<Outcome, Failure> {
    let session = Session::open()?;
    if let Some(tool) = tool {
        let answer = session.call("upstream/show", &json!({ "key": key, "tool": tool }))?;
        show(as_json, &answer, || print_tool(&answer));
        return Ok(Outcome::Good);
    }
    let mut answer = session.call("upstream/show", &json!({ "key": key }))?;
    let login = find_login(daemon_paths()?.state(), key);
    if let Some(about) = describe_login(&login) {
        answer["login"] = about.into();
    }
    show(as_json, &answer, || print_page(&answer, login.is_err()));
    Ok(Outcome::Good)
}

fn describe_login(login: &Result<Option<Login>, String>) -> Option<String> {
    let login = match login {
        Ok(login) => login.as_ref()?,
        Err(why) => return Some(why.clone()),
    };
    let at = login.issuer.as_deref().unwrap_or(&login.resource);
    let scopes =
        if login.scopes.is_empty() { String::new() } else { format!(" for {}", login.scopes.join(", ")) };
    let end = match (&login.refresh, login.expires_at) {
        (Some(_), _) => ", renewed by itself".to_owned(),
        (None, Some(end)) => format!(", ends at {}", format_rfc3339(end.saturating_mul(1_000))),
        (None, None) => String::new(),
    };
    Some(format!("at {at}{scopes}{end}"))
}

fn print_tool(answer: &Value) {
    let names = format!("{} ({})", style_bold(text_at(answer, "/tool")), text_at(answer, "/name"));
    let tokens = format_count(number_at(answer, "/tokens"), "token");
    output::print_line(&format!("{names}  {}", style_dim(&tokens)));
    output::print_json(&answer["definition"]);
}

fn print_page(answer: &Value, is_bad_login: bool) {
    let one = &answer["upstream"];
    output::print_line(&format!(
        "{}  {}",
        style_bold(text_at(one, "/key")),
        style_state(text_at(one, "/state"))
    ));
    for (name, text) in facts(answer) {
        output::print_line(&format!("  {name:10}  {text}"));
    }
    if let Some(login) = answer["login"].as_str() {
        let login = if is_bad_login { style_red(login) } else { login.to_owned() };
        output::print_line(&format!("  {:10}  {login}", "login"));
    }
    for line in remarks(one) {
        output::print_line(&format!("  {line}"));
    }
    print_tools(&answer["tools"]);
    for (list, name, title) in [
        ("prompts", "/name", "prompt"),
        ("resources", "/uri", "resource"),
        ("resourceTemplates", "/uriTemplate", "template"),
    ] {
        for one in answer[list].as_array().into_iter().flatten() {
            output::print_line(&format!("{title} {}", style_bold(text_at(one, name))));
        }
    }
}

/// The figures of an upstream, each with its name.
fn facts(answer: &Value) -> Vec<(&'static str, String)> {
    let one = &answer["upstream"];
    let mut facts = Vec::new();
    let mut put = |name: &'static str, text: Option<String>| facts.extend(text.map(|text| (name, text)));
    let number = |at: &str| Some(number_at(one, at)).filter(|number| *number > 0);
    let process = number("/pid").map(|pid| format!(", process {pid}")).unwrap_or_default();
    let memory = number("/rssMb").map(|size| format!(", {size} MiB")).unwrap_or_default();
    put("transport", Some(format!("{}{process}{memory}", text_at(one, "/transport"))));
    let info = |at: &str| answer.pointer(&format!("/serverInfo{at}")).and_then(Value::as_str);
    let version = info("/version").map(|version| format!(" {version}")).unwrap_or_default();
    put("server", info("/name").map(|name| format!("{name}{version}")));
    put("protocol", one["era"].as_str().map(str::to_owned));
    put("mode", Some(text_at(one, "/mode").to_owned()));
    put("about", one["about"].as_str().map(str::to_owned));
    put("read at", number("/readAtMs").map(format_rfc3339));
    put(
        "tools",
        number("/tools").map(|tools| {
            let (all, listed) = (number_at(one, "/tokens"), number_at(one, "/tokensListed"));
            let listed = if listed == 0 { "none listed" } else { "all listed" };
            format!("{tools}, {} tokens, {listed}", format_number(all))
        }),
    );
    put(
        "calls",
        number("/calls").map(|calls| {
            let times = one["p50Ms"].as_f64().zip(one["p95Ms"].as_f64());
            let times =
                times.map(|(half, most)| format!("; half within {half:.1} ms, 95 % within {most:.1} ms"));
            format!("{calls}, {} failed{}", number_at(one, "/failed"), times.unwrap_or_default())
        }),
    );
    put("restarts", number("/restarts").map(|restarts| restarts.to_string()));
    let odd = one["counts"].as_object().filter(|counts| !counts.is_empty());
    put(
        "odd",
        odd.map(|counts| {
            counts.iter().map(|(what, count)| format!("{what} {count}")).collect::<Vec<_>>().join(", ")
        }),
    );
    put("advice", answer["instructions"].as_str().map(first_words));
    facts
}

/// The beginning of a text, on one line.
fn first_words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(200).collect();
    if shown.len() < line.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_are_not_known_are_left_out() {
        let answer = json!({ "upstream": { "key": "a", "transport": "http", "mode": "auto", "tools": 0, "calls": 0 } });
        let facts: Vec<&str> = facts(&answer).into_iter().map(|(name, _)| name).collect();
        assert_eq!(facts, ["transport", "mode"]);
    }

    #[test]
    fn long_advice_is_cut_on_one_line() {
        assert_eq!(first_words("a\n b"), "a b");
        assert_eq!(first_words(&"ä".repeat(300)).chars().count(), 201);
    }
}
