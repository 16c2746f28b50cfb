//! `upstream …`: upstream MCP servers. Edits go to `mcp.json`, which the daemon follows by itself; it is asked to read it at
//! once all the same, so that a fault is reported here.

mod calls;
mod definitions;
mod edits;
mod importing;
pub(crate) mod listing;
mod login;
mod page;
mod table;

use sdl_settings::{Credentials, exposed_variables, read_settings, unset_variables};
use serde_json::{Value, json};

use crate::cli::UpstreamCommand;
use crate::output::{self, Failure, Outcome, style_bold, style_dim, style_red, style_yellow, text_at};
use crate::session::{Session, daemon_paths};

pub(crate) fn run_upstream(command: UpstreamCommand, as_json: bool) -> Result<Outcome, Failure> {
    match command {
        UpstreamCommand::Ls => listing::list_upstreams(as_json),
        UpstreamCommand::Tools { key } => listing::list_tools(&key, as_json),
        UpstreamCommand::Show { key, tool } => page::show_upstream(&key, tool.as_deref(), as_json),
        UpstreamCommand::Call { key, tool, args } => calls::call_tool(&key, &tool, &args, as_json),
        UpstreamCommand::Log { key, lines } => calls::show_log(&key, lines, as_json),
        UpstreamCommand::Tokens => listing::list_tokens(as_json),
        UpstreamCommand::Login(args) => login::log_in(&args, as_json),
        UpstreamCommand::Logout { key } => login::log_out(&key, as_json),
        UpstreamCommand::Check => check_settings(as_json),
        UpstreamCommand::Reload => reload_settings(as_json),
        UpstreamCommand::Refresh { key } => refresh_lists(key, as_json),
        UpstreamCommand::Restart { key } => {
            let answer = Session::open()?.call("upstream/restart", &json!({ "key": key }))?;
            show(as_json, &answer, || output::print_line(&format!("{} restarted", style_bold(&key))));
            Ok(Outcome::Good)
        }
        UpstreamCommand::Diff { key, tool } => {
            definitions::compare_definitions(&key, tool.as_deref(), as_json)
        }
        UpstreamCommand::Approve { key, tool, mark } => {
            definitions::approve_definitions(&key, tool.as_deref(), mark.as_deref(), as_json)
        }
        other => edits::edit_settings(other, as_json),
    }
}

fn show(as_json: bool, value: &Value, human: impl FnOnce()) {
    if as_json { output::print_json(value) } else { human() }
}

/// Reads the file as the daemon does, and says all that is odd in it.
fn check_settings(as_json: bool) -> Result<Outcome, Failure> {
    let paths = daemon_paths()?;
    let path = paths.state().join(sdl_settings::FILE);
    let file = match read_settings(paths.state()) {
        Ok(Some(file)) => file,
        Ok(None) => {
            show(as_json, &json!({ "exists": false }), || {
                output::print_line(&format!("There is no {}; no upstream is configured.", path.display()));
            });
            return Ok(Outcome::Good);
        }
        Err(error) => {
            show(as_json, &json!({ "error": error.to_string() }), || {
                output::print_line(&format!("{} {error}", style_red("error:")));
            });
            return Ok(Outcome::Bad);
        }
    };
    let settings = &file.parsed.settings;
    let lookup = Credentials::new(paths.state(), settings.credential_helper.clone());
    let unset: Vec<Value> = settings
        .upstreams
        .iter()
        .filter(|upstream| upstream.enabled)
        .flat_map(|upstream| {
            let missing = unset_variables(upstream, &lookup).into_iter();
            missing.map(|unset| json!({ "key": upstream.key, "why": unset.to_string() }))
        })
        .collect();
    let exposed: Vec<Value> = settings
        .upstreams
        .iter()
        .flat_map(|upstream| {
            let names = exposed_variables(upstream, &lookup).into_iter();
            names.map(|name| json!({ "key": upstream.key, "name": name }))
        })
        .collect();
    let remarks: Vec<String> = file
        .parsed
        .remarks
        .iter()
        .map(|remark| format!("line {}: {}", remark.line, remark.message))
        .collect();
    let answer = json!({
        "upstreams": settings.upstreams.len(), "unused": file.parsed.unused, "remarks": remarks, "unset": unset,
        "exposed": exposed,
    });
    show(as_json, &answer, || {
        let enabled = settings.upstreams.iter().filter(|upstream| upstream.enabled).count();
        output::print_line(&format!("{}: {enabled} of {} enabled", path.display(), settings.upstreams.len()));
        for unused in &file.parsed.unused {
            output::print_line(&style_dim(&format!("not used here: {unused}")));
        }
        for remark in &remarks {
            output::print_line(&format!("{} {remark}", style_yellow("note:")));
        }
        for one in &exposed {
            let line = format!("{}: ${{{}}} is an argument", text_at(one, "/key"), text_at(one, "/name"));
            output::print_line(&format!(
                "{} {line}, which your other programs can read; `env` is for credentials",
                style_yellow("note:")
            ));
        }
        for missing in &unset {
            let (key, why) = (text_at(missing, "/key"), text_at(missing, "/why"));
            output::print_line(&format!("{} {key}: {why}", style_red("error:")));
        }
    });
    Ok(if unset.is_empty() { Outcome::Good } else { Outcome::Bad })
}

fn reload_settings(as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/reload", &json!({}))?;
    show(as_json, &answer, || {
        let count = answer["upstreams"].as_array().map_or(0, Vec::len) as u64;
        output::print_line(&format!("{} in force", output::format_count(count, "upstream")));
    });
    Ok(Outcome::Good)
}

fn refresh_lists(key: Option<String>, as_json: bool) -> Result<Outcome, Failure> {
    let answer = Session::open()?.call("upstream/refresh", &json!({ "key": key }))?;
    let read = answer["read"].as_array().cloned().unwrap_or_default();
    show(as_json, &answer, || {
        for one in &read {
            let key = style_bold(text_at(one, "/key"));
            match one["error"].as_str() {
                Some(error) => output::print_line(&format!("{key}  {} {error}", style_red("failed:"))),
                None => output::print_line(&format!("{key}  read")),
            }
        }
    });
    let failed = read.iter().any(|one| one.get("error").is_some());
    Ok(if failed { Outcome::Bad } else { Outcome::Good })
}
