//! Edits of `mcp.json`.

use std::path::PathBuf;

use sdl_settings::Mode;
use sdl_settings::edit::{Document, EditError, update_settings};
use sdl_settings::import::{ImportedEntry, Source, import_text};
use serde_json::{Map, Value, json};

use super::show;
use crate::cli::{AddArgs, ImportArgs, UpstreamCommand};
use crate::output::{self, Failure, Outcome, style_bold, style_dim, style_yellow};
use crate::session::{Session, daemon_paths};

pub(super) fn edit_settings(command: UpstreamCommand, as_json: bool) -> Result<Outcome, Failure> {
    let said = match command {
        UpstreamCommand::Add(args) => {
            let entry = new_entry(&args)?;
            change(|document| document.add(&args.key, entry))?;
            format!("{} added", style_bold(&args.key))
        }
        UpstreamCommand::Rm { key } => {
            change(|document| document.remove(&key).map(drop))?;
            let and_login = if super::login::forget_login(&key)? { ", with its login" } else { "" };
            format!("{} removed{and_login}", style_bold(&key))
        }
        UpstreamCommand::Enable { key } => {
            change(|document| document.set_enabled(&key, true).map(drop))?;
            format!("{} enabled", style_bold(&key))
        }
        UpstreamCommand::Disable { key } => {
            change(|document| document.set_enabled(&key, false).map(drop))?;
            format!("{} disabled", style_bold(&key))
        }
        UpstreamCommand::Mode { key, mode } => {
            let known = Mode::WORDS.iter().find(|(word, _)| *word == mode);
            let words: Vec<&str> = Mode::WORDS.iter().map(|(word, _)| *word).collect();
            let unknown =
                || Failure::Usage(format!("no mode is called {mode:?}; there are {}", words.join(", ")));
            let (_, chosen) = known.ok_or_else(unknown)?;
            change(|document| document.set_mode(&key, *chosen).map(drop))?;
            format!("{} is in mode {mode}", style_bold(&key))
        }
        UpstreamCommand::Import(args) => return import_servers(&args, as_json),
        _ => return Err(Failure::Usage("this is no edit".to_owned())),
    };
    tell_daemon()?;
    show(as_json, &json!({ "done": true }), || output::print_line(&said));
    Ok(Outcome::Good)
}

fn change<T>(edit: impl FnOnce(&mut Document) -> Result<T, EditError>) -> Result<T, Failure> {
    update_settings(daemon_paths()?.state(), edit).map_err(|error| Failure::Local(error.to_string()))
}

/// A daemon that runs puts the file in force at once; another one does when it starts.
pub(super) fn tell_daemon() -> Result<(), Failure> {
    match Session::existing() {
        Ok(session) => session.call("upstream/reload", &json!({})).map(drop),
        Err(Failure::NoDaemon(_)) => Ok(()),
        Err(other) => Err(other),
    }
}

fn new_entry(args: &AddArgs) -> Result<Value, Failure> {
    let mut entry = Map::new();
    let pairs = |given: &[String], separator: char, what: &str| {
        given
            .iter()
            .map(|pair| {
                let (name, value) = pair.split_once(separator).ok_or_else(|| {
                    Failure::Usage(format!("{pair:?} is no {what}; write NAME{separator}VALUE"))
                })?;
                Ok((name.trim().to_owned(), Value::from(value.trim())))
            })
            .collect::<Result<Map<String, Value>, Failure>>()
    };
    if let Some(url) = &args.url {
        entry.insert("type".into(), "http".into());
        entry.insert("url".into(), url.as_str().into());
        let headers = pairs(&args.header, ':', "header")?;
        if !headers.is_empty() {
            entry.insert("headers".into(), headers.into());
        }
    } else if let Some((command, rest)) = args.command.split_first() {
        entry.insert("command".into(), command.as_str().into());
        entry.insert("args".into(), rest.to_vec().into());
        let env = pairs(&args.env, '=', "variable")?;
        if !env.is_empty() {
            entry.insert("env".into(), env.into());
        }
    }
    if let Some(about) = &args.about {
        entry.insert("sdl".into(), json!({ "about": about }));
    }
    Ok(entry.into())
}

fn import_servers(args: &ImportArgs, as_json: bool) -> Result<Outcome, Failure> {
    let word = args.from.to_string_lossy();
    let source = Source::WORDS.iter().find(|(name, _)| *name == word).map(|(_, source)| *source);
    let path = match source {
        Some(source) => source.file(&home_folder()?, &configuration_folder()?),
        None => args.from.clone(),
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::io(&format!("can't read {}", path.display()), &error))?;
    let found = import_text(source, &text, args.enable)
        .map_err(|error| Failure::Local(format!("{}: {error}", path.display())))?;
    let written = if args.dry_run {
        Vec::new()
    } else {
        let entries = found.entries.iter().map(|one| (one.key.clone(), one.entry.clone()));
        let entries: Vec<(String, Value)> = entries.collect();
        let merged = change(|document| document.merge(entries, args.replace))?;
        tell_daemon()?;
        merged.added.into_iter().chain(merged.replaced).collect()
    };
    let answer = json!({
        "written": written,
        "found": found.entries.iter().map(|one| json!({"key": one.key, "runs": one.command_line})).collect::<Vec<_>>(),
        "skipped": found.skipped.iter().map(|one| json!({"name": one.name, "why": one.why})).collect::<Vec<_>>(),
    });
    show(as_json, &answer, || {
        for one in &found.entries {
            print_imported(one, args, &written);
        }
        for one in &found.skipped {
            output::print_line(&format!("{} {}: {}", style_yellow("left out:"), one.name, one.why));
        }
        if !args.enable && !written.is_empty() {
            output::print_line("Look at the commands, then: sdlctl upstream enable KEY");
        }
    });
    Ok(Outcome::Good)
}

fn print_imported(one: &ImportedEntry, args: &ImportArgs, written: &[String]) {
    let state = match (args.dry_run, written.contains(&one.key)) {
        (true, _) => "found",
        (false, true) if args.enable => "enabled",
        (false, true) => "added, disabled",
        (false, false) => "there already, kept",
    };
    output::print_line(&format!("{}  {state}", style_bold(&one.key)));
    output::print_line(&format!("    {}", style_dim(&one.command_line)));
    for secret in &one.secrets {
        let place = secret.place.as_str();
        let line = format!(
            "{} of {place} looks like a secret; write ${{NAME}} for it and store it as a credential",
            secret.name
        );
        output::print_line(&format!("    {} {line}", style_yellow("note:")));
    }
    for remark in &one.remarks {
        output::print_line(&format!("    {} {remark}", style_yellow("note:")));
    }
}

fn home_folder() -> Result<PathBuf, Failure> {
    let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    home.map(PathBuf::from).ok_or_else(|| Failure::Local("no home folder is known: set HOME".to_owned()))
}

/// Where programs of the system keep a user's configuration.
fn configuration_folder() -> Result<PathBuf, Failure> {
    if cfg!(windows) {
        let appdata = std::env::var_os("APPDATA").map(PathBuf::from);
        return appdata.ok_or_else(|| Failure::Local("APPDATA is not set".to_owned()));
    }
    if cfg!(target_os = "macos") {
        return Ok(home_folder()?.join("Library/Application Support"));
    }
    let given = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    given.map_or_else(|| Ok(home_folder()?.join(".config")), Ok)
}
