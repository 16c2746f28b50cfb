//! Checks of `mcp.json`: whether each upstream that is enabled could be started or reached.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sdl_settings::{
    Credentials, FILE, Template, Transport, Upstream, exposed_variables, find_login, read_settings,
    resource_of, unset_variables,
};
use serde_json::{Value, json};

use super::finding::{Finding, MCP_JSON, UPSTREAM};
use crate::output::{number_at, quote_word, text_at};
use crate::session::{Session, daemon_paths};

/// What helps after an edit of the file.
const EDIT: &str = "correct it, then run: sdlctl upstream reload";

/// What helps with a variable that is not set.
const SET: &str = "store its value with: sdlctl cred set NAME";

/// What helps if nothing more is known.
const LOOK: &str = "see why in: sdlctl logs";

/// Words in commands of servers that start a browser.
const BROWSERS: [&str; 7] =
    ["playwright", "puppeteer", "chrome", "chromium", "browser", "selenium", "firefox"];

pub(super) fn check_upstreams(status: Option<&Value>, reach: bool) -> Vec<Finding> {
    let Ok(paths) = daemon_paths() else { return Vec::new() };
    let path = paths.state().join(FILE);
    let settings = match read_settings(paths.state()) {
        Ok(None) => return Vec::new(),
        Ok(Some(file)) => file.parsed.settings,
        Err(error) => return vec![Finding::bad(MCP_JSON, format!("{}: {error}", path.display()), EDIT)],
    };
    let enabled: Vec<&Upstream> = settings.upstreams.iter().filter(|upstream| upstream.enabled).collect();
    let note = format!("{}, {} of {} enabled", path.display(), enabled.len(), settings.upstreams.len());
    let mut checks = vec![Finding::ok(MCP_JSON, note)];
    if let Some(error) = status.and_then(|status| status.pointer("/upstreams/configError")?.as_str()) {
        checks.push(Finding::bad(MCP_JSON, format!("the daemon does not use it: {error}"), EDIT));
    }
    let lookup = Credentials::new(paths.state(), settings.credential_helper.clone());
    let is_confined = status.is_some_and(is_confined_service);
    for upstream in &enabled {
        checks.extend(check_entry(upstream, &lookup, paths.state()));
        if is_confined && let Some(word) = browser_word(&upstream.transport) {
            checks.push(browser_hint(&upstream.key, word));
        }
    }
    if reach {
        checks.extend(check_reach(enabled.len()));
    }
    checks
}

/// The faults of one entry, else that there are none.
fn check_entry(upstream: &Upstream, lookup: &Credentials, state: &Path) -> Vec<Finding> {
    let key = &upstream.key;
    let unset = unset_variables(upstream, lookup);
    let mut checks: Vec<Finding> =
        unset.iter().map(|unset| Finding::bad(UPSTREAM, format!("{key}: {unset}"), SET)).collect();
    for name in exposed_variables(upstream, lookup) {
        let note = format!("{key}: ${{{name}}} is an argument, which your other programs can read");
        let fix = "move it to `env` of the entry, then run: sdlctl upstream reload";
        checks.push(Finding::bad(UPSTREAM, note, fix));
    }
    if !unset.is_empty() {
        return checks;
    }
    match &upstream.transport {
        Transport::Stdio { command, env, .. } => checks.push(check_program(key, command, env, lookup)),
        Transport::Http { url, headers } => checks.push(check_server(key, url, headers, lookup, state)),
    }
    checks
}

fn check_program(key: &str, command: &Template, own: &[(String, Template)], lookup: &Credentials) -> Finding {
    let Ok(command) = command.resolve(lookup) else {
        return Finding::bad(UPSTREAM, format!("{key}: no command"), EDIT);
    };
    let own_path =
        own.iter().find(|(name, _)| name == "PATH").and_then(|(_, path)| path.resolve(lookup).ok());
    let path = own_path.map(|path| OsString::from(path.expose())).or_else(|| env::var_os("PATH"));
    match find_program(command.expose(), path.unwrap_or_default()) {
        Some(program) => Finding::ok(UPSTREAM, format!("{key}: {}", program.display())),
        None => {
            let note = format!(
                "{key}: no program {:?}, in the PATH of this terminal at least; the daemon's may differ",
                command.masked()
            );
            Finding::bad(
                UPSTREAM,
                note,
                "install it, or write its full path into mcp.json, then run: sdlctl upstream reload",
            )
        }
    }
}

/// The program of that name or path, as the gate looks for it.
fn find_program(command: &str, path: OsString) -> Option<PathBuf> {
    if command.contains('/') {
        let program = PathBuf::from(command);
        return (program.is_absolute() && is_program(&program)).then_some(program);
    }
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(command)).find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    let Ok(about) = path.metadata() else { return false };
    #[cfg(unix)]
    let is_executable = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let is_executable = true;
    about.is_file() && is_executable
}

fn check_server(
    key: &str,
    url: &Template,
    headers: &[(String, Template)],
    lookup: &Credentials,
    state: &Path,
) -> Finding {
    let Ok(url) = url.resolve(lookup) else { return Finding::bad(UPSTREAM, format!("{key}: no URL"), EDIT) };
    let has_header = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let login = match find_login(state, key) {
        Err(why) => {
            return Finding::bad(
                UPSTREAM,
                why,
                format!("log in again with: sdlctl upstream login {}", quote_word(key)),
            );
        }
        Ok(Some(_)) if has_header => "its login is not used, because the entry has a header Authorization",
        Ok(Some(login)) if login.resource != resource_of(url.expose()) => {
            let note = format!("{key}: the login is for {}", login.resource);
            return Finding::bad(
                UPSTREAM,
                note,
                format!("log in again with: sdlctl upstream login {}", quote_word(key)),
            );
        }
        Ok(Some(_)) => "logged in",
        Ok(None) if has_header => "with a header Authorization",
        Ok(None) => "without a login",
    };
    Finding::ok(UPSTREAM, format!("{key}: {}, {login}", resource_of(url.masked())))
}

/// Whether the daemon runs as a service of systemd, whose limits its children share.
fn is_confined_service(status: &Value) -> bool {
    let path = format!("/proc/{}/cgroup", number_at(status, "/pid"));
    std::fs::read_to_string(path)
        .is_ok_and(|groups| groups.lines().any(|line| line.ends_with("/sdld.service")))
}

/// The word in a command by which it may be a browser's.
fn browser_word(transport: &Transport) -> Option<&'static str> {
    let Transport::Stdio { command, args, .. } = transport else { return None };
    let words = std::iter::once(command).chain(args).map(|part| part.as_str().to_ascii_lowercase());
    let words: Vec<String> = words.collect();
    BROWSERS.into_iter().find(|browser| words.iter().any(|word| word.contains(browser)))
}

fn browser_hint(key: &str, word: &str) -> Finding {
    Finding::warn(
        UPSTREAM,
        format!("{key}: \"{word}\" may start a browser, whose own sandbox the service forbids"),
        "if it fails, write RestrictNamespaces=no and SystemCallFilter= into [Service] with: systemctl --user edit sdld",
    )
}

/// Has the daemon read the lists of all upstreams, which starts those that don't run.
fn check_reach(count: usize) -> Vec<Finding> {
    let read = Session::open().and_then(|session| session.call("upstream/refresh", &json!({})));
    let read = match read {
        Ok(read) => read,
        Err(error) => return vec![Finding::bad(UPSTREAM, error.to_string(), LOOK)],
    };
    let describe = |one: &Value| {
        let key = text_at(one, "/key");
        match one["error"].as_str() {
            Some(error) => Finding::bad(
                UPSTREAM,
                format!("{key}: {error}"),
                format!("see its calls and errors with: sdlctl upstream show {}", quote_word(key)),
            ),
            None => Finding::ok(UPSTREAM, format!("{key}: it answers")),
        }
    };
    let checks: Vec<Finding> = read["read"].as_array().into_iter().flatten().map(describe).collect();
    if checks.len() < count {
        let note = format!("{} of {count} are known to the daemon", checks.len());
        let fix = "have the file read again with: sdlctl upstream reload";
        return checks.into_iter().chain([Finding::bad(UPSTREAM, note, fix)]).collect();
    }
    checks
}

#[cfg(test)]
mod tests {
    use sdl_settings::{Secret, Settings, store_credential};

    use super::super::finding::Severity;
    use super::*;

    fn checks_of(state: &Path, entry: &Value) -> Vec<(bool, String)> {
        let text = json!({ "mcpServers": { "a": entry } }).to_string();
        let settings = Settings::parse(&text).unwrap().settings;
        let lookup = Credentials::new(state, None).with_environment(|_| None);
        let checks = check_entry(&settings.upstreams[0], &lookup, state);
        checks.into_iter().map(|check| (check.severity == Severity::Ok, check.note)).collect()
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_looked_for_in_the_path_of_its_entry() {
        let state = tempfile::tempdir().unwrap();
        let good = checks_of(state.path(), &json!({ "command": "sh", "env": { "PATH": "/usr/bin:/bin" } }));
        assert!(good[0].0 && good[0].1.ends_with("/sh"), "{good:?}");
        let bad = checks_of(state.path(), &json!({ "command": "sh", "env": { "PATH": "/nowhere" } }));
        assert!(!bad[0].0 && bad[0].1.contains("no program \"sh\""), "{bad:?}");
        let bad = checks_of(state.path(), &json!({ "command": "/etc" }));
        assert!(!bad[0].0, "{bad:?}");
    }

    #[cfg(unix)]
    #[test]
    fn variables_are_named_that_are_not_set_or_can_be_read_by_others() {
        let state = tempfile::tempdir().unwrap();
        let entry =
            json!({ "command": "/bin/sh", "args": ["--token=${TOKEN}"], "env": { "X": "${NOT_SET}" } });
        store_credential(state.path(), "TOKEN", &Secret::new("some-token".to_owned())).unwrap();
        let found = checks_of(state.path(), &entry);
        assert!(
            found.iter().any(|(good, note)| !good && note.contains("${NOT_SET} is not set")),
            "{found:?}"
        );
        assert!(
            found.iter().any(|(good, note)| !good && note.contains("${TOKEN} is an argument")),
            "{found:?}"
        );
        assert!(!found.iter().any(|(_, note)| note.contains("some-token")), "{found:?}");
    }

    #[test]
    fn a_server_is_named_without_the_secrets_of_its_url() {
        let state = tempfile::tempdir().unwrap();
        store_credential(state.path(), "TOKEN", &Secret::new("some-token".to_owned())).unwrap();
        let entry = json!({ "url": "https://a.example/mcp?key=${TOKEN}" });
        assert_eq!(
            checks_of(state.path(), &entry),
            [(true, "a: https://a.example/mcp, without a login".to_owned())]
        );
    }

    #[test]
    fn commands_of_browsers_are_known_by_their_words() {
        let word = |entry: Value| {
            let text = json!({ "mcpServers": { "a": entry } }).to_string();
            browser_word(&Settings::parse(&text).unwrap().settings.upstreams[0].transport)
        };
        assert_eq!(word(json!({ "command": "npx", "args": ["@Playwright/mcp"] })), Some("playwright"));
        assert_eq!(word(json!({ "command": "npx", "args": ["server-filesystem"] })), None);
        assert_eq!(word(json!({ "url": "https://browser.example/mcp" })), None);
    }
}
