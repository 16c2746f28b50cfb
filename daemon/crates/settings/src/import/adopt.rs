//! A client's entry in our form.

use serde_json::{Map, Value, json};

use crate::edit::enable_entry;
use crate::plain::looks_secret;
use crate::types::Settings;

/// An entry in our form.
pub(super) struct Adopted {
    pub(super) entry: Value,
    pub(super) command_line: String,
    pub(super) remarks: Vec<String>,
}

/// Variables of editors that have another name here.
const RENAMED: &[(&str, &str)] = &[("${userHome}", "${HOME}"), ("${env:HOME}", "${HOME}")];
/// Variables of editors that mean an open folder.
const FOLDERS: &[&str] = &["${workspaceFolder}", "${workspaceRoot}", "${fileDirname}", "${cwd}"];

/// Changes what clients write differently. The error says why the entry can't be taken over.
pub(super) fn adopt_entry(key: &str, entry: Value, enables: bool) -> Result<Adopted, String> {
    let Value::Object(mut entry) = entry else { return Err("it is no object".to_owned()) };
    let mut remarks = Vec::new();
    for other in ["serverUrl", "httpUrl"] {
        if !entry.contains_key("url")
            && let Some(url) = entry.shift_remove(other)
        {
            entry.insert("url".to_owned(), url);
        }
    }
    adopt_folder(&mut entry, &mut remarks);
    write_texts(entry.get_mut("env"));
    let mut entry = Value::Object(entry);
    rename_variables(&mut entry, &mut remarks);
    if !enables && let Some(entry) = entry.as_object_mut() {
        enable_entry(entry, false);
    }
    let text = json!({"mcpServers": {key: &entry}}).to_string();
    let parsed = Settings::parse(&text).map_err(|error| {
        let place = error.path.strip_prefix(&format!("mcpServers.{key}.")).map(|place| format!("{place}: "));
        place.unwrap_or_default() + &error.message
    })?;
    let unused = parsed.unused.iter().filter_map(|path| path.rsplit('.').next());
    let unused: Vec<&str> = unused.collect();
    if !unused.is_empty() {
        remarks.push(format!("not used here: {}", unused.join(", ")));
    }
    remarks.extend(parsed.remarks.into_iter().map(|remark| remark.message));
    Ok(Adopted { command_line: show_command(&entry), entry, remarks })
}

/// Moves the folder that a child runs in to where we read it.
fn adopt_folder(entry: &mut Map<String, Value>, remarks: &mut Vec<String>) {
    let Some(cwd) = entry.get("cwd").and_then(Value::as_str).map(str::to_owned) else { return };
    let is_of_workspace = FOLDERS.iter().any(|folder| cwd.contains(folder));
    if is_of_workspace || !cwd.starts_with(['/', '$']) {
        remarks.push(format!(
            "its folder {cwd:?} is not taken over; write \"sdl\": {{\"cwd\": …}} if it needs one"
        ));
        return;
    }
    entry.shift_remove("cwd");
    let own = entry.entry("sdl").or_insert_with(|| Value::Object(Map::new()));
    if let Some(own) = own.as_object_mut() {
        own.entry("cwd").or_insert(Value::from(cwd));
    }
}

/// Writes numbers and booleans as texts, which some clients do themselves.
fn write_texts(env: Option<&mut Value>) {
    for (_, value) in env.and_then(Value::as_object_mut).into_iter().flatten() {
        if value.is_number() || value.is_boolean() {
            *value = Value::String(value.to_string());
        }
    }
}

fn rename_variables(value: &mut Value, remarks: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            for (old, new) in RENAMED {
                if text.contains(old) {
                    *text = text.replace(old, new);
                }
            }
            if let Some(folder) = FOLDERS.iter().find(|folder| text.contains(*folder)) {
                remarks.push(format!(
                    "{folder} means an open folder, which is not known here; write the path instead"
                ));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_variables(item, remarks)),
        Value::Object(members) => members.values_mut().for_each(|member| rename_variables(member, remarks)),
        _ => {}
    }
}

/// The command line or address, for a person to read. Words that look like secrets are masked.
fn show_command(entry: &Value) -> String {
    if let Some(url) = entry.get("url").and_then(Value::as_str).filter(|_| entry.get("command").is_none()) {
        return if looks_secret("url", url) {
            "(an address with a password)".to_owned()
        } else {
            url.to_owned()
        };
    }
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = entry.get("command").into_iter().chain(args).filter_map(Value::as_str);
    let mut before = "";
    let mut shown = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((before, word));
        let is_option = word.starts_with('-') && !word.contains('=');
        shown.push(if !is_option && looks_secret(name, value) {
            "***".to_owned()
        } else if word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"\\$`|&;<>".contains(c))
        {
            format!("'{}'", word.replace('\'', "'\\''"))
        } else {
            word.to_owned()
        });
        before = if is_option { word } else { "" };
    }
    shown.join(" ")
}
