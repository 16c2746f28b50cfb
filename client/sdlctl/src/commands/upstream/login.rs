//! `upstream login` and `upstream logout`. The login itself is made by `sdl-gate`, because this program has no network client;
//! it tells what happens in lines of JSON.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use sdl_settings::{hold_login, remove_login};
use serde_json::{Value, json};

use super::edits::tell_daemon;
use super::show;
use crate::cli::LoginArgs;
use crate::output::{self, Failure, Outcome, format_count, style_bold, style_dim, text_at};
use crate::programs::program_beside;
use crate::session::{Session, daemon_paths};
use crate::time::format_rfc3339;

pub(super) fn log_in(args: &LoginArgs, as_json: bool) -> Result<Outcome, Failure> {
    let paths = daemon_paths()?;
    paths.create().map_err(|error| Failure::Local(error.to_string()))?;
    let done = run_gate(args, paths.state())?;
    tell_daemon()?;
    let answer = match read_lists(&args.key) {
        Ok(Some(tools)) => json!({ "key": args.key, "login": done, "tools": tools }),
        Ok(None) => json!({ "key": args.key, "login": done }),
        Err(why) => json!({ "key": args.key, "login": done, "error": why.to_string() }),
    };
    show(as_json, &answer, || {
        output::print_line(&format!("Logged in to {}{}.", style_bold(&args.key), describe_login(&done)));
        if let Some(tools) = answer["tools"].as_u64() {
            output::print_line(&format!("It has {}.", format_count(tools, "tool")));
        }
        if let Some(error) = answer["error"].as_str() {
            output::print_note(&format!("its tools can't be read: {error}"));
        }
    });
    Ok(if answer.get("error").is_some() { Outcome::Bad } else { Outcome::Good })
}

/// What a login permits, and for how long.
fn describe_login(done: &Value) -> String {
    let scopes: Vec<&str> =
        done["scopes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::new();
    if !scopes.is_empty() {
        text.push_str(&format!(" for {}", scopes.join(", ")));
    }
    match (done["isRenewable"] == true, done["expiresAt"].as_u64()) {
        (true, _) => text.push_str("; it is renewed by itself"),
        (false, Some(end)) => {
            text.push_str(&format!("; it ends at {}", format_rfc3339(end.saturating_mul(1_000))))
        }
        (false, None) => {}
    }
    text
}

/// Runs the login and shows what it tells. Returns its last event.
fn run_gate(args: &LoginArgs, state: &Path) -> Result<Value, Failure> {
    let request = json!({
        "stateDir": state,
        "key": args.key,
        "scopes": args.scope,
        "clientId": args.client_id,
        "clientSecret": args.client_secret,
        "port": args.port,
        "isPrivate": args.private_network,
        "readsInput": args.no_browser,
    });
    let program = program_beside("sdl-gate", "SDL_GATE");
    let started = Command::new(&program)
        .args(["login", &request.to_string()])
        .stdin(if args.no_browser { Stdio::inherit() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .spawn();
    let mut gate =
        started.map_err(|error| Failure::io(&format!("can't run {}", program.display()), &error))?;
    let mut last = Value::Null;
    for line in gate.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(|error| Failure::io("the login broke off", &error))?;
        last = serde_json::from_str(&line).unwrap_or_default();
        match text_at(&last, "/event") {
            "open" => show_address(text_at(&last, "/url"), text_at(&last, "/redirect"), args.no_browser),
            "note" => output::print_note(text_at(&last, "/message")),
            _ => {}
        }
    }
    let status = gate.wait().map_err(|error| Failure::io("the login broke off", &error))?;
    match text_at(&last, "/event") {
        "done" if status.success() => Ok(last),
        "failed" => Err(Failure::Local(text_at(&last, "/message").to_owned())),
        _ => Err(Failure::Local(format!("the login broke off ({status})"))),
    }
}

/// Opens the address in a browser, or asks the person to. Notes go to the standard error, which is the terminal's with `--json`
/// too.
fn show_address(url: &str, redirect: &str, no_browser: bool) {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !no_browser && is_web && open::that_detached(url).is_ok() {
        output::print_note(&format!("the login is in your browser. If it is not, open {url}"));
        return;
    }
    output::print_note(&format!("open this address in a browser: {url}"));
    if no_browser {
        output::print_note(&format!(
            "if that browser is on another machine, it arrives at an address that it can't open, {redirect}?…: paste it here"
        ));
    }
}

/// Has a daemon that runs use the new login. Returns the number of tools, if there is a daemon and the server is enabled.
fn read_lists(key: &str) -> Result<Option<u64>, Failure> {
    let session = match Session::existing() {
        Ok(session) => session,
        Err(Failure::NoDaemon(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let find = |all: Value| {
        let folded = sdl_settings::fold_key(key);
        let mut all = all["upstreams"].as_array().cloned().unwrap_or_default().into_iter();
        all.find(|one| sdl_settings::fold_key(text_at(one, "/key")) == folded)
    };
    let is_enabled = |one: &Value| text_at(one, "/state") != "off";
    if find(session.call("upstream/list", &json!({}))?).is_none_or(|one| !is_enabled(&one)) {
        return Ok(None);
    }
    // A connection belongs to whoever made it.
    session.call("upstream/restart", &json!({ "key": key }))?;
    let read = session.call("upstream/refresh", &json!({ "key": key }))?;
    if let Some(error) = read.pointer("/read/0/error").and_then(Value::as_str) {
        return Err(Failure::Local(error.to_owned()));
    }
    Ok(find(session.call("upstream/list", &json!({}))?).and_then(|one| one["tools"].as_u64()))
}

pub(super) fn log_out(key: &str, as_json: bool) -> Result<Outcome, Failure> {
    if !forget_login(key)? {
        return Err(Failure::Local(format!("there is no login to {key:?}")));
    }
    if let Ok(session) = Session::existing() {
        // Its connection may have been made with the login. Without an entry there is none.
        let _ = session.call("upstream/restart", &json!({ "key": key }));
    }
    show(as_json, &json!({ "key": key }), || {
        output::print_line(&format!("Logged out of {}.", style_bold(key)));
        output::print_line(&style_dim("The server may take the old token until it ends."));
    });
    Ok(Outcome::Good)
}

/// Removes the login to a server. Returns whether there was one.
pub(super) fn forget_login(key: &str) -> Result<bool, Failure> {
    let paths = daemon_paths()?;
    if !sdl_settings::has_login(paths.state(), key) {
        return Ok(false);
    }
    // A renewal that runs would write it again.
    let held = hold_login(paths.state(), key);
    let _held = held.map_err(|error| Failure::io("the login is in use", &error))?;
    remove_login(paths.state(), key).map_err(|error| Failure::io("can't remove the login", &error))
}
