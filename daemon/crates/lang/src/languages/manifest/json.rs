//! `package.json`, `tsconfig.json`, `composer.json`.

use sdl_model::facts::ManifestKind;
use serde_json::{Map, Value};

use crate::builder::Found;

/// How deep conditions of an export may nest.
const MAX_DEPTH: u32 = 8;

/// Whether `text` begins with an object, comments aside.
pub(super) fn is_json(text: &str) -> bool {
    without_comments(text).trim_start().starts_with('{')
}

pub(super) fn read_json(text: &str) -> Option<Found> {
    let object: Map<String, Value> =
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&without_comments(text))).ok()?;
    match manifest_kind(&object) {
        ManifestKind::TsConfig => Some(read_tsconfig(&object)),
        ManifestKind::Composer => Some(read_composer(&object)),
        _ => Some(read_package_json(&object)),
    }
}

fn manifest_kind(object: &Map<String, Value>) -> ManifestKind {
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    if has(&["compilerOptions", "extends", "references", "files", "include"])
        && !has(&["name", "version", "dependencies", "devDependencies", "scripts", "private"])
    {
        ManifestKind::TsConfig
    } else if has(&["autoload", "autoload-dev", "require", "require-dev", "minimum-stability"])
        && !has(&["dependencies", "devDependencies"])
    {
        ManifestKind::Composer
    } else {
        ManifestKind::PackageJson
    }
}

fn stated_name(object: &Map<String, Value>) -> Option<String> {
    object.get("name").and_then(Value::as_str).map(str::to_owned)
}

fn read_package_json(object: &Map<String, Value>) -> Found {
    let mut found = Found::new(ManifestKind::PackageJson);
    found.name = stated_name(object);
    for (key, value) in object {
        match key.as_str() {
            "main" | "module" | "types" | "typings" | "source" | "browser" | "type" | "es2015"
            | "jsnext:main" => {
                if let Some(value) = value.as_str() {
                    found.add(key.as_str(), value);
                }
            }
            "exports" => {
                // An object without paths has the conditions of the one export.
                let paths = value.as_object().filter(|map| map.keys().any(|key| key.starts_with('.')));
                match paths {
                    Some(paths) => add_targets(&mut found, "exports:", paths),
                    None => add_conditional_targets(&mut found, "exports:.", value, 0),
                }
            }
            "imports" => {
                if let Some(map) = value.as_object() {
                    add_targets(&mut found, "imports:", map);
                }
            }
            "version" => add_strings(&mut found, "version", value),
            "dependencies" | "devDependencies" | "peerDependencies" | "optionalDependencies" => {
                add_asked(&mut found, value);
            }
            "workspaces" => {
                let list = value.get("packages").unwrap_or(value);
                add_strings(&mut found, "workspaces", list);
            }
            _ => {}
        }
    }
    found
}

/// The versions that a table of dependencies asks for.
fn add_asked(found: &mut Found, dependencies: &Value) {
    for (name, version) in dependencies.as_object().into_iter().flatten() {
        if let Some(version) = version.as_str() {
            found.add(format!("asks:{name}"), version);
        }
    }
}

fn add_targets(found: &mut Found, prefix: &str, map: &Map<String, Value>) {
    for (key, value) in map {
        add_conditional_targets(found, &format!("{prefix}{key}"), value, 0);
    }
}

/// Adds every target in `value`, whatever the condition.
fn add_conditional_targets(found: &mut Found, key: &str, value: &Value, depth: u32) {
    match value {
        Value::String(target) => found.add(key, target),
        Value::Array(list) if depth < MAX_DEPTH => {
            list.iter().for_each(|value| add_conditional_targets(found, key, value, depth + 1));
        }
        Value::Object(map) if depth < MAX_DEPTH => {
            // Conditions for environments other than the default one come last.
            let is_other =
                |name: &str| matches!(name, "browser" | "deno" | "worker" | "workerd" | "react-native");
            for others in [false, true] {
                let part = map.iter().filter(|(name, _)| is_other(name) == others);
                part.for_each(|(_, value)| add_conditional_targets(found, key, value, depth + 1));
            }
        }
        _ => {}
    }
}

/// Adds `value`, a text or several.
fn add_strings(found: &mut Found, key: &str, value: &Value) {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for value in list.iter().filter_map(Value::as_str) {
        found.add(key, value);
    }
}

fn read_tsconfig(object: &Map<String, Value>) -> Found {
    let mut found = Found::new(ManifestKind::TsConfig);
    if let Some(extends) = object.get("extends") {
        add_strings(&mut found, "extends", extends);
    }
    let options = object.get("compilerOptions").and_then(Value::as_object);
    for (key, value) in options.into_iter().flatten() {
        match (key.as_str(), value) {
            ("baseUrl" | "rootDir" | "outDir" | "rootDirs" | "jsxImportSource", value) => {
                add_strings(&mut found, key, value);
            }
            ("paths", Value::Object(map)) => {
                for (pattern, list) in map {
                    add_strings(&mut found, &format!("paths:{pattern}"), list);
                }
            }
            _ => {}
        }
    }
    let references = object.get("references").and_then(Value::as_array);
    for reference in references.into_iter().flatten() {
        if let Some(path) = reference.get("path").and_then(Value::as_str) {
            found.add("references", path);
        }
    }
    found
}

fn read_composer(object: &Map<String, Value>) -> Found {
    let mut found = Found::new(ManifestKind::Composer);
    found.name = stated_name(object);
    for section in ["autoload", "autoload-dev"] {
        let autoload = object.get(section).and_then(Value::as_object);
        for (standard, value) in autoload.into_iter().flatten() {
            match value {
                Value::Object(map) => {
                    for (prefix, dirs) in map {
                        add_strings(&mut found, &format!("{standard}:{prefix}"), dirs);
                    }
                }
                list => add_strings(&mut found, standard, list),
            }
        }
    }
    if let Some(version) = object.get("version") {
        add_strings(&mut found, "version", version);
    }
    for section in ["require", "require-dev"] {
        object.get(section).into_iter().for_each(|required| add_asked(&mut found, required));
    }
    found
}

/// `text` without comments and without commas before a closing bracket, both of which people write in configurations.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // The position of the latest comma with only white space after it.
    let mut comma: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |at| rest.get(at..).unwrap_or(""));
            continue;
        }
        if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |at| rest.get(at + 2..).unwrap_or(""));
            continue;
        }
        let length = if c == '"' { string_length(rest) } else { c.len_utf8() };
        match c {
            ',' => comma = Some(out.len()),
            ']' | '}' => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
            }
            c if !c.is_whitespace() => comma = None,
            _ => {}
        }
        let (taken, after) = rest.split_at(length.min(rest.len()));
        out.push_str(taken);
        rest = after;
    }
    out
}

/// The length of the text in quotes that `text` begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
