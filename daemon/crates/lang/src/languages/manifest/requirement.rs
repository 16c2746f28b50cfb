//! Requirements of Python: `werkzeug[watchdog] >= 3.1, < 4 ; python_version > "3"`, alone and as the lines of
//! `requirements.txt`.

use sdl_model::facts::ManifestKind;

use crate::builder::Found;

/// The version that a requirement asks for, if it states one. An address in place of a version is none.
pub(crate) fn add_requirement(found: &mut Found, item: &str) {
    let item = item.split(';').next().unwrap_or(item);
    let item = item.split(" #").next().unwrap_or(item).trim();
    let (name, version) = parts_of(item);
    let version = version.trim_start_matches('(').trim_end_matches(')').trim();
    if !name.is_empty() && version.starts_with(['<', '>', '=', '!', '~']) {
        found.add(format!("asks:{name}"), version);
    }
}

/// The name of a requirement, and what follows it and its extras.
fn parts_of(item: &str) -> (&str, &str) {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = item.find(|c| !is_of_name(c)).unwrap_or(item.len());
    let (name, rest) = item.split_at(end);
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
    (name, rest.trim())
}

/// `requirements.txt`, if each line is a requirement or an option and one of them asks for a version.
pub(super) fn read_requirements(text: &str) -> Option<Found> {
    let mut found = Found::new(ManifestKind::Requirements);
    for line in text.lines().map(bare_line).filter(|line| !line.is_empty()) {
        if line.starts_with('-') || is_place(line) {
            continue;
        }
        let (name, rest) = parts_of(line);
        if name.is_empty() || !(rest.is_empty() || rest.starts_with(['<', '>', '=', '!', '~', '(', ';', '@']))
        {
            return None;
        }
        add_requirement(&mut found, line);
    }
    (!found.entries.is_empty()).then_some(found)
}

/// Whether a line names an address or a path in place of a package.
fn is_place(line: &str) -> bool {
    line.contains("://") || line.starts_with(['.', '/'])
}

/// A line without its comment, the mark that it goes on, and the options after the requirement.
fn bare_line(line: &str) -> &str {
    let line = if line.trim_start().starts_with('#') { "" } else { line };
    let line = line.split(" #").next().unwrap_or(line);
    let line = line.split(" --").next().unwrap_or(line);
    line.trim().trim_end_matches('\\').trim_end()
}
