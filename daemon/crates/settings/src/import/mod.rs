//! Entries from the files of other clients. They are read when a person asks for it, and come in disabled.

mod adopt;
mod codex;
mod secrets;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::edit::{read_block, without_comments};
use crate::error::SettingsError;
use crate::keys::{MAX_KEY_CHARS, fold_key};
use crate::located::read_located;
use crate::types::words;

pub use secrets::{PlainSecret, SecretPlace, find_plain_secrets, move_secrets};

words! {
    /// A client whose file can be read.
    Source {
        /// Claude Code: `~/.claude.json`, for the user and for projects.
        ClaudeCode = "claude-code",
        /// Claude Desktop.
        ClaudeDesktop = "claude-desktop",
        /// Cursor: `~/.cursor/mcp.json`.
        Cursor = "cursor",
        /// Visual Studio Code: `mcp.json` of the user.
        VsCode = "vscode",
        /// Codex: `~/.codex/config.toml`.
        Codex = "codex",
    }
}

impl Source {
    /// Where the client keeps its file, in a home folder and in the folder of the user's configuration
    /// (`~/.config`, `~/Library/Application Support`, `%APPDATA%`).
    pub fn file(self, home: &Path, config: &Path) -> PathBuf {
        match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::VsCode => config.join("Code/User/mcp.json"),
            Self::Codex => home.join(".codex/config.toml"),
        }
    }
}

/// The servers of a file that are read.
const MAX_SERVERS: usize = 1_000;

/// What a file of another client has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The entries, ready to be merged.
    pub entries: Vec<ImportedEntry>,
    /// Servers that can't be taken over.
    pub skipped: Vec<Skipped>,
    /// Values that the client would ask a person for.
    pub inputs: Vec<Input>,
}

/// One entry that can be taken over.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedEntry {
    /// The key that it gets.
    pub key: String,
    /// The name that the client has for it.
    pub name: String,
    /// The project that it is for; none if it is for all.
    pub project: Option<String>,
    /// The entry.
    pub entry: Value,
    /// What it runs or calls, for a person to read.
    pub command_line: String,
    /// Values that look like secrets and are written out.
    pub secrets: Vec<PlainSecret>,
    /// Differences from the client's own way.
    pub remarks: Vec<String>,
}

/// A server that can't be taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The name that the client has for it.
    pub name: String,
    /// Why, and what to do.
    pub why: String,
}

/// A value that a client asks a person for, as `${input:NAME}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The variable.
    pub name: String,
    /// What the file says about it.
    pub about: Option<String>,
    /// Whether it is a secret.
    pub is_password: bool,
}

/// An entry as the client has it.
struct Raw {
    name: String,
    project: Option<String>,
    entry: Value,
}

/// Reads the text of a client's file: JSON, or TOML for Codex. `source` is none for any other file, whose form is
/// recognized. Entries come in disabled unless `enables`.
pub fn import_text(source: Option<Source>, text: &str, enables: bool) -> Result<Imported, SettingsError> {
    let is_toml = source.is_none() && !text.trim_start().starts_with(['{', '"', '/']);
    let mut inputs = Vec::new();
    let raw: Vec<Raw> = if source == Some(Source::Codex) || is_toml {
        codex::read_servers(text)?
    } else {
        let root = read_root(text);
        inputs = root.as_ref().map(read_inputs).unwrap_or_default();
        let projects = match (source, root) {
            (Some(Source::ClaudeCode) | None, Some(root)) => read_projects(&root),
            _ => Vec::new(),
        };
        // A file of Claude Code may have servers for projects only.
        let shared = match read_block(text) {
            Ok(entries) => entries,
            Err(_) if !projects.is_empty() => Vec::new(),
            Err(error) => return Err(error),
        };
        let shared = shared.into_iter().map(|(name, entry)| Raw { name, project: None, entry });
        shared.chain(projects).collect()
    };
    let mut imported = Imported { inputs, ..Imported::default() };
    let mut keys = HashSet::new();
    let mut seen: Vec<(String, Value)> = Vec::new();
    for (number, raw) in raw.into_iter().enumerate() {
        if number >= MAX_SERVERS {
            let why = format!("the file has more than {MAX_SERVERS} servers; the rest is not read");
            imported.skipped.push(Skipped { name: raw.name, why });
            break;
        }
        // The same server in several projects.
        let twin = (raw.name.clone(), raw.entry.clone());
        if seen.contains(&twin) {
            continue;
        }
        seen.push(twin);
        let key = free_key(&raw.name, &keys);
        match adopt::adopt_entry(&key, raw.entry, enables) {
            Ok(adopted) => {
                keys.insert(fold_key(&key));
                imported.entries.push(ImportedEntry {
                    key,
                    name: raw.name,
                    project: raw.project,
                    command_line: adopted.command_line,
                    secrets: Vec::new(),
                    remarks: adopted.remarks,
                    entry: adopted.entry,
                });
            }
            Err(why) => imported.skipped.push(Skipped { name: raw.name, why }),
        }
    }
    secrets::name_credentials(&mut imported.entries);
    Ok(imported)
}

fn read_root(text: &str) -> Option<Map<String, Value>> {
    match read_located(&without_comments(text)).ok()?.to_value() {
        Value::Object(root) => Some(root),
        _ => None,
    }
}

/// The servers of single projects in the file of Claude Code.
fn read_projects(root: &Map<String, Value>) -> Vec<Raw> {
    let projects = root.get("projects").and_then(Value::as_object);
    let mut found = Vec::new();
    for (folder, project) in projects.into_iter().flatten() {
        for (name, entry) in project.get("mcpServers").and_then(Value::as_object).into_iter().flatten() {
            found.push(Raw { name: name.clone(), project: Some(folder.clone()), entry: entry.clone() });
        }
    }
    found
}

fn read_inputs(root: &Map<String, Value>) -> Vec<Input> {
    let inputs = root.get("inputs").and_then(Value::as_array);
    let read = |input: &Value| {
        Some(Input {
            name: input.get("id")?.as_str()?.to_owned(),
            about: input.get("description").and_then(Value::as_str).map(str::to_owned),
            is_password: input.get("password").and_then(Value::as_bool).unwrap_or(false),
        })
    };
    inputs.into_iter().flatten().filter_map(read).collect()
}

/// A key for a client's name, in characters that keys may have, different from all that are taken.
fn free_key(name: &str, taken: &HashSet<String>) -> String {
    let mut key = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => key.push(c),
            _ if key.ends_with('-') || key.is_empty() => {}
            _ => key.push('-'),
        }
    }
    let start = key.trim_start_matches(['-', '_']);
    let mut key: String = start.chars().take(MAX_KEY_CHARS).collect();
    key.truncate(key.trim_end_matches('-').len());
    if key.is_empty() {
        key.push_str("server");
    }
    if fold_key(&key) == "sdl" {
        key.push_str("-server");
    }
    let mut candidate = key.clone();
    let mut number = 2;
    while taken.contains(&fold_key(&candidate)) {
        let end = format!("-{number}");
        candidate = key.chars().take(MAX_KEY_CHARS - end.len()).collect::<String>() + &end;
        number += 1;
    }
    candidate
}
