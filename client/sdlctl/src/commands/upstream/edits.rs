//! Edits of `mcp.json`.

use sdl_settings::Mode;
use sdl_settings::edit::{Document, EditError, update_settings};
use serde_json::{Map, Value, json};

use super::show;
use crate::cli::{AddArgs, UpstreamCommand};
use crate::output::{self, Failure, Outcome, style_bold};
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
        UpstreamCommand::Import(args) => return super::importing::import_servers(&args, as_json),
        _ => return Err(Failure::Usage("this is no edit".to_owned())),
    };
    tell_daemon()?;
    show(as_json, &json!({ "done": true }), || output::print_line(&said));
    Ok(Outcome::Good)
}

pub(super) fn change<T>(edit: impl FnOnce(&mut Document) -> Result<T, EditError>) -> Result<T, Failure> {
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
