//! Takes over servers from another client.

use std::path::{Path, PathBuf};

use sdl_settings::edit::Document;
use sdl_settings::import::{ImportedEntry, Source, import_text, move_secrets};
use sdl_settings::{FILE, Secret, list_credentials, store_credential};
use serde_json::{Value, json};

use super::edits::{change, tell_daemon};
use super::show;
use crate::cli::ImportArgs;
use crate::output::{self, Failure, Outcome, style_bold, style_dim, style_yellow};
use crate::session::daemon_paths;

pub(super) fn import_servers(args: &ImportArgs, as_json: bool) -> Result<Outcome, Failure> {
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
    let (mut written, mut stored) = (Vec::new(), Vec::new());
    if !args.dry_run {
        let mut entries: Vec<(String, Value)> =
            found.entries.iter().map(|one| (one.key.clone(), one.entry.clone())).collect();
        if args.move_secrets {
            let state = daemon_paths()?.state().to_owned();
            let moved = moved_secrets(&state, args, &found.entries, &mut entries)?;
            // Before the file that names them. If that can't be written, they are there all the same.
            for (name, secret) in moved {
                let failed = |error: std::io::Error| Failure::Local(error.to_string());
                store_credential(&state, &name, &secret).map_err(failed)?;
                stored.push(name);
            }
        }
        let merged = change(|document| document.merge(entries, args.replace))?;
        tell_daemon()?;
        written.extend(merged.added.into_iter().chain(merged.replaced));
    }
    let answer = json!({
        "written": written,
        "stored": stored,
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

/// Replaces secrets of the entries that will be written by variables. Returns their values, with the names to store them under.
fn moved_secrets(
    state: &Path,
    args: &ImportArgs,
    found: &[ImportedEntry],
    entries: &mut [(String, Value)],
) -> Result<Vec<(String, Secret)>, Failure> {
    let known = list_credentials(state).map_err(|error| Failure::Local(error.to_string()))?;
    let text = std::fs::read_to_string(state.join(FILE)).unwrap_or_else(|_| "{}".to_owned());
    let document = Document::parse(&text).map_err(|error| Failure::Local(error.to_string()))?;
    let is_written = |key: &str| args.replace || document.entry(key).is_none();
    let mut moved = Vec::new();
    for (one, (_, entry)) in found.iter().zip(entries).filter(|(one, _)| is_written(&one.key)) {
        if let Some(taken) = one.secrets.iter().find(|secret| known.contains(&secret.credential)) {
            let name = &taken.credential;
            return Err(Failure::Local(format!(
                "a credential {name} is stored already, and {} has a value of its own for it; nothing was imported. Remove \
                 the credential (sdlctl cred rm {name}), or import without --move-secrets",
                one.key
            )));
        }
        moved.extend(move_secrets(entry, &one.secrets));
    }
    Ok(moved)
}

fn print_imported(one: &ImportedEntry, args: &ImportArgs, written: &[String]) {
    let is_written = written.contains(&one.key);
    let state = match (args.dry_run, is_written) {
        (true, _) => "found",
        (false, true) if args.enable => "enabled",
        (false, true) => "added, disabled",
        (false, false) => "there already, kept",
    };
    output::print_line(&format!("{}  {state}", style_bold(&one.key)));
    output::print_line(&format!("    {}", style_dim(&one.command_line)));
    for secret in &one.secrets {
        let (name, place, credential) = (&secret.name, secret.place.as_str(), &secret.credential);
        let line = if args.move_secrets && is_written {
            format!("{name} of {place} is stored as the credential {credential}")
        } else {
            format!(
                "{name} of {place} looks like a secret; with --move-secrets it becomes the credential {credential}"
            )
        };
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
