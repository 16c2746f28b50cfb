//! `watch`: versions as they are made, and calls, until Ctrl-C.

use std::collections::BTreeMap;

use sdl_client::{Feed, News};
use serde_json::{Value, json};

use crate::cli::WatchArgs;
use crate::output::{
    self, Failure, Outcome, format_count, number_at, style_bold, style_cyan, style_dim, style_green,
    style_red, style_yellow, text_at,
};
use crate::screen::terminal_columns;
use crate::session::{Session, asked_to_end, daemon_paths, make_runtime, own_hello, start_daemon};
use crate::time::format_clock;

/// Paths that are shown below a version at most.
const MOST_PATHS: usize = 50;

pub(crate) fn run_watch(args: &WatchArgs, as_json: bool) -> Result<Outcome, Failure> {
    let paths = daemon_paths()?;
    let repo = match &args.repo {
        Some(named) => Some(Session::open()?.repo(Some(named))?),
        None => None,
    };
    let runtime = make_runtime()?;
    start_daemon(&runtime, &paths)?;
    let mut params = json!({ "calls": args.calls });
    if let Some(repo) = &repo {
        params["repos"] = json!([repo]);
    }
    let mut feed = Feed::new(paths.socket(), own_hello(), params.to_string());
    let mut shown =
        Shown { as_json, verbose: args.verbose, names: repo.is_none(), versions: BTreeMap::new() };
    runtime.block_on(async {
        let mut ended = std::pin::pin!(asked_to_end());
        loop {
            let told = tokio::select! {
                told = feed.next() => told,
                () = &mut ended => return Ok(Outcome::Good),
            };
            let told = told.map_err(|error| crate::session::refused(&error))?;
            if !shown.show(told) {
                return Ok(Outcome::Good);
            }
        }
    })
}

/// How events are shown, and the versions that were shown.
struct Shown {
    as_json: bool,
    verbose: bool,
    /// Lines begin with the repository.
    names: bool,
    /// The newest version of each repository.
    versions: BTreeMap<String, String>,
}

impl Shown {
    /// Shows what came. False if nobody reads it any more.
    fn show(&mut self, told: News) -> bool {
        match told {
            News::Began(answer) => self.show_beginning(&parse(&answer)),
            News::Away(reason) if self.as_json => {
                output::print_live_json(&json!({ "event": "away", "reason": reason }))
            }
            News::Away(reason) => {
                output::print_note(&format!("{reason}; waiting for the daemon"));
                true
            }
            News::Lost(count) => self.show_lost(count),
            News::Event { method, params } => {
                let mut event = parse(&params);
                let kind = method.trim_start_matches("feed/");
                if kind == "version" {
                    self.versions
                        .insert(text_at(&event, "/repo").to_owned(), text_at(&event, "/version").to_owned());
                }
                if self.as_json {
                    event["event"] = kind.into();
                    return output::print_live_json(&event);
                }
                match kind {
                    "version" => self.show_version(&event),
                    "call" => self.line(&event, &call_line(&event)),
                    "status" => self.line(&event, &state_line(&event)),
                    "lost" => self.show_lost(number_at(&event, "/count")),
                    _ => true,
                }
            }
        }
    }

    /// Says from which versions on it follows; after a break, which were made meanwhile.
    fn show_beginning(&mut self, answer: &Value) -> bool {
        let first = self.versions.is_empty();
        let mut missed = Vec::new();
        for repo in answer["repos"].as_array().into_iter().flatten() {
            let (id, version) = (text_at(repo, "/repo").to_owned(), text_at(repo, "/version").to_owned());
            if let Some(before) =
                self.versions.insert(id.clone(), version.clone()).filter(|known| *known != version)
            {
                missed.push(json!({ "repo": id, "from": before, "to": version }));
            }
        }
        if self.as_json {
            let mut event = json!({ "event": "following", "repos": answer["repos"] });
            if !missed.is_empty() {
                event["missed"] = missed.into();
            }
            return output::print_live_json(&event);
        }
        if !first {
            output::print_note("the daemon is followed again");
        }
        for one in &missed {
            let (from, to) = (text_at(one, "/from"), text_at(one, "/to"));
            output::print_note(&format!("{} went from {from} to {to} meanwhile", text_at(one, "/repo")));
        }
        if answer["repos"].as_array().is_none_or(Vec::is_empty) {
            output::print_note("no repository is registered; add one with: sdlctl index PATH");
        }
        true
    }

    fn show_lost(&self, count: u64) -> bool {
        if self.as_json {
            return output::print_live_json(&json!({ "event": "lost", "count": count }));
        }
        output::print_note(&format!("{} came too fast to be shown", format_count(count, "event")));
        true
    }

    fn show_version(&self, event: &Value) -> bool {
        if !self.line(event, &version_line(event)) {
            return false;
        }
        let files = event["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !self.verbose {
            return true;
        }
        for file in files.iter().take(MOST_PATHS) {
            let mark = match text_at(file, "/change") {
                "added" => style_green("+"),
                "removed" => style_red("-"),
                _ => style_yellow("~"),
            };
            if !output::print_live(&format!("  {mark} {}", text_at(file, "/path")), terminal_columns()) {
                return false;
            }
        }
        let more = number_at(event, "/fileCount").saturating_sub(files.len() as u64);
        more == 0
            || output::print_live(
                &style_dim(&format!("  … and {}", format_count(more, "file"))),
                terminal_columns(),
            )
    }

    fn line(&self, event: &Value, text: &str) -> bool {
        let line = match event["repo"].as_str().filter(|_| self.names) {
            Some(repo) => format!("{}  {text}", style_bold(repo)),
            None => text.to_owned(),
        };
        output::print_live(&line, terminal_columns())
    }
}

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_default()
}

fn version_line(event: &Value) -> String {
    let files =
        event["fileCount"].as_u64().map_or_else(|| "? files".to_owned(), |count| format_count(count, "file"));
    let symbols = if event["symbols"].is_object() {
        let count = |name: &str| number_at(&event["symbols"], name);
        format!("+{} ~{} -{} symbols", count("/added"), count("/changed"), count("/removed"))
    } else {
        "symbols not counted".to_owned()
    };
    let cause = match text_at(event, "/cause") {
        "firstIndex" => "  first index",
        "rebuild" => "  all again",
        "head" => "  git moved",
        _ => "",
    };
    format!(
        "{}  {}  {files}  {symbols}  {}{cause}",
        style_cyan(text_at(event, "/version")),
        style_dim(&format_clock(number_at(event, "/at"))),
        style_dim(&format!("{} ms", number_at(event, "/ms"))),
    )
}

fn call_line(event: &Value) -> String {
    let mut line = format!(
        "{}  {}  {} ms  {}",
        style_dim(&format_clock(number_at(event, "/at"))),
        text_at(event, "/action"),
        number_at(event, "/ms"),
        format_count(number_at(event, "/tokens"), "token"),
    );
    if let Some(instead) = event["instead"].as_u64() {
        line.push_str(&format!(" instead of {instead}"));
    }
    if let Some(code) = event["code"].as_str() {
        line.push_str(&format!("  {}", style_red(code)));
    }
    line.push_str(&format!("  {}", style_dim(text_at(event, "/client"))));
    line
}

fn state_line(event: &Value) -> String {
    let state = text_at(event, "/state");
    let mut line = format!("{}  ", style_dim(&format_clock(number_at(event, "/at"))));
    match state {
        "live" => line.push_str(&style_green(state)),
        "indexing" => {
            let total =
                event["progress"]["total"].as_u64().map_or_else(|| "?".to_owned(), |total| total.to_string());
            line.push_str(&format!("{} {}/{total}", style_cyan(state), number_at(event, "/progress/done")));
        }
        "scanning" | "removed" => line.push_str(&style_yellow(state)),
        other => line.push_str(&style_red(other)),
    }
    if let Some(reason) = event["reason"].as_str() {
        line.push_str(&format!("  {reason}"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::render_styles;

    #[test]
    fn lines_say_what_happened() {
        let plain = |line: &str| render_styles(line, false);
        let mut event = json!({"repo": "app", "version": "v7", "at": 0, "ms": 9, "cause": "watch", "fileCount": 3,
            "files": [], "symbols": {"added": 2, "changed": 1, "removed": 0}});
        let clock = format_clock(0);
        assert_eq!(plain(&version_line(&event)), format!("v7  {clock}  3 files  +2 ~1 -0 symbols  9 ms"));
        event["symbols"] = Value::Null;
        event["cause"] = "rebuild".into();
        assert_eq!(
            plain(&version_line(&event)),
            format!("v7  {clock}  3 files  symbols not counted  9 ms  all again")
        );
        let call = json!({"at": 0, "action": "slice.build", "ms": 12, "tokens": 1, "instead": 900, "code": "indexing",
            "client": "a"});
        assert_eq!(
            plain(&call_line(&call)),
            format!("{clock}  slice.build  12 ms  1 token instead of 900  indexing  a")
        );
        let state = json!({"at": 0, "state": "indexing", "progress": {"done": 1, "total": null}});
        assert_eq!(plain(&state_line(&state)), format!("{clock}  indexing 1/?"));
    }
}
