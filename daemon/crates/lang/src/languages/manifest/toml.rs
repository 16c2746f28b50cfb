//! `Cargo.toml`, `pyproject.toml` and `setup.cfg`: the parts of TOML and of the older formats that these need.

use sdl_model::facts::ManifestKind;

use super::requirement::add_requirement;
use crate::builder::Found;

/// How many lines a list may have.
const MAX_LINES: usize = 2_000;

/// How many features are looked at.
const MAX_FEATURES: usize = 200;

/// One assignment: its table, its key, and its value as written.
pub(super) struct Assigned<'t> {
    pub(super) table: &'t str,
    pub(super) key: &'t str,
    pub(super) value: String,
}

pub(super) fn read_toml(text: &str) -> Option<Found> {
    let all = read_assignments(text);
    let has = |wanted: &str| has_table(text, wanted);
    if ["package", "workspace", "lib", "dependencies"].iter().any(|wanted| has(wanted)) {
        Some(read_cargo(&all))
    } else if ["project", "build-system", "tool", "metadata", "options"].iter().any(|wanted| has(wanted)) {
        Some(read_pyproject(&all))
    } else {
        None
    }
}

/// Whether `text` has a table of that name, or one inside it.
pub(super) fn has_table(text: &str, wanted: &str) -> bool {
    text.lines().any(|line| {
        table_name(line).is_some_and(|table| {
            table == wanted || table.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
        })
    })
}

/// The table that a line opens.
fn table_name(line: &str) -> Option<&str> {
    let line = without_comment(line).trim();
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let inner = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner);
    Some(inner.trim()).filter(|name| !name.is_empty() && !name.contains([',', '=']))
}

pub(super) fn read_assignments(text: &str) -> Vec<Assigned<'_>> {
    let mut all = Vec::new();
    let mut current = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = table_name(line) {
            current = name;
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        let line = without_comment(line).trim();
        let Some((key, first)) = split_key(line) else { continue };
        let mut value = first.trim().to_owned();
        if value.starts_with('[') {
            let mut open = unclosed_brackets(&value);
            let mut taken = 0;
            while open > 0
                && taken < MAX_LINES
                && let Some(more) = lines.next()
            {
                let more = without_comment(more).trim();
                open += unclosed_brackets(more);
                taken += 1;
                value.push('\n');
                value.push_str(more);
            }
        } else if value.is_empty() && !indented {
            // A list of the older kind: the indented lines below.
            while let Some(more) =
                lines.next_if(|more| more.starts_with([' ', '\t']) && !more.trim().is_empty())
            {
                value.push('\n');
                value.push_str(more.trim());
            }
        }
        all.push(Assigned { table: current, key, value });
    }
    all
}

/// `key = value`; the key may be in quotes, or empty in a list of the older kind.
fn split_key(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix('"') {
        let (key, rest) = rest.split_once('"')?;
        return Some((key, rest.trim_start().strip_prefix('=')?));
    }
    let (key, value) = line.split_once('=')?;
    Some((key.trim(), value))
}

/// `line` up to a `#` that is not in quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return line.get(..at).unwrap_or(line),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    line
}

/// How many more brackets are opened than closed.
fn unclosed_brackets(value: &str) -> i64 {
    value.bytes().map(|byte| i64::from(byte == b'[') - i64::from(byte == b']')).sum()
}

/// The text of a value: without quotes.
pub(super) fn unquoted_value(value: &str) -> &str {
    let value = value.trim();
    value
        .strip_prefix('"')
        .and_then(|rest| rest.split('"').next())
        .or_else(|| value.strip_prefix('\'').and_then(|rest| rest.split('\'').next()))
        .unwrap_or(value)
}

/// The texts in a list, or the one text.
pub(super) fn list_items(value: &str) -> Vec<&str> {
    match value.trim().strip_prefix('[') {
        Some(inner) => inner
            .trim_end_matches(']')
            .split([',', '\n'])
            .map(unquoted_value)
            .filter(|item| !item.is_empty())
            .collect(),
        None => value.split(['\n', ',']).map(unquoted_value).filter(|item| !item.is_empty()).collect(),
    }
}

/// The value of `key` in an inline table.
fn inline_value<'v>(value: &'v str, key: &str) -> Option<&'v str> {
    let inner = value.trim().strip_prefix('{')?;
    inner.trim_end_matches('}').split(',').find_map(|part| {
        let (found, value) = part.split_once('=')?;
        (found.trim() == key).then(|| unquoted_value(value))
    })
}

/// The features that a package has by default: `default` and the features it asks for.
fn default_features<'t>(all: &'t [Assigned<'_>]) -> Vec<&'t str> {
    let of = |name: &str| {
        let stated = all.iter().find(|one| one.table == "features" && one.key.trim_matches('"') == name);
        stated.map(|one| list_items(&one.value)).unwrap_or_default()
    };
    let mut found = of("default");
    let mut at = 0;
    while let Some(next) = found.get(at).copied() {
        at += 1;
        for more in of(next) {
            // Features of dependencies are named after a slash.
            if found.len() < MAX_FEATURES && !more.contains(['/', ':']) && !found.contains(&more) {
                found.push(more);
            }
        }
    }
    found
}

fn read_cargo(all: &[Assigned<'_>]) -> Found {
    let mut found = Found::new(ManifestKind::Cargo);
    let mut binary = "";
    for feature in default_features(all) {
        found.add("feature", feature);
    }
    for Assigned { table, key, value } in all {
        let dependencies =
            ["dependencies", "dev-dependencies", "build-dependencies"].iter().find_map(|kind| {
                let at = table.rfind(kind)?;
                table.get(at + kind.len()..).map(|rest| rest.trim_start_matches('.'))
            });
        match (*table, *key) {
            ("package", "name") => found.name = Some(unquoted_value(value).to_owned()),
            ("package", "version") => add_version(&mut found, "version", value),
            ("workspace.package", "version") => add_version(&mut found, "workspace.version", value),
            ("lib", "name" | "path") => found.add(format!("lib.{key}"), unquoted_value(value)),
            ("workspace", "members" | "exclude") => {
                for item in list_items(value) {
                    found.add(format!("workspace.{key}"), item);
                }
            }
            ("bin", "name") => binary = unquoted_value(value),
            ("bin", "path") => found.add(format!("bin:{binary}"), unquoted_value(value)),
            _ => {}
        }
        match dependencies {
            Some("") => {
                add_asked(&mut found, key, value);
                for wanted in ["path", "package"] {
                    if let Some(value) = inline_value(value, wanted) {
                        found.add(format!("{wanted}:{key}"), value);
                    }
                }
            }
            Some(name) if matches!(*key, "path" | "package") => {
                found.add(format!("{key}:{name}"), unquoted_value(value));
            }
            Some(name) if *key == "version" => add_asked(&mut found, name, value),
            _ => {}
        }
    }
    found
}

/// The version that a manifest states of its own package, if it is written out.
fn add_version(found: &mut Found, key: &str, value: &str) {
    let version = unquoted_value(value);
    if version.starts_with(|c: char| c.is_ascii_digit()) {
        found.add(key, version);
    }
}

/// The version that a table asks for of a package: `"1.2"`, `{ version = "1.2" }`.
fn add_asked(found: &mut Found, name: &str, value: &str) {
    let value = value.trim();
    let version = if value.starts_with('{') {
        inline_value(value, "version")
    } else {
        value.starts_with(['"', '\'']).then(|| unquoted_value(value))
    };
    if let Some(version) = version {
        found.add(format!("asks:{}", unquoted_value(name)), version);
    }
}

/// The versions that a list of requirements of Python asks for.
fn add_requirements(found: &mut Found, value: &str) {
    let value = value.trim();
    match value.strip_prefix('[') {
        Some(inner) => texts_in(inner).for_each(|item| add_requirement(found, item)),
        None => value.lines().for_each(|item| add_requirement(found, item)),
    }
}

/// The texts in quotes of a list.
fn texts_in(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let quote = rest.find(['"', '\''])?;
        let mark = rest.get(quote..)?.chars().next()?;
        let (text, left) = rest.get(quote + 1..)?.split_once(mark)?;
        rest = left;
        Some(text)
    })
}

fn read_pyproject(all: &[Assigned<'_>]) -> Found {
    let mut found = Found::new(ManifestKind::PyProject);
    for Assigned { table, key, value } in all {
        match (*table, *key) {
            ("project" | "metadata" | "tool.poetry", "name") => {
                found.name = Some(unquoted_value(value).to_owned())
            }
            ("project" | "metadata" | "tool.poetry", "version") => add_version(&mut found, "version", value),
            ("project", "dependencies")
            | ("options", "install_requires")
            | ("project.optional-dependencies" | "dependency-groups" | "options.extras_require", _) => {
                add_requirements(&mut found, value);
            }
            (table, name) if is_poetry_dependencies(table) => add_asked(&mut found, name, value),
            ("tool.setuptools.packages.find" | "options.packages.find", "where") => {
                for item in list_items(value) {
                    found.add("where", item);
                }
            }
            ("tool.setuptools.package-dir", package) => {
                found.add(format!("package-dir:{package}"), unquoted_value(value));
            }
            ("tool.setuptools", "package-dir") => {
                let inner = value.trim().trim_start_matches('{').trim_end_matches('}');
                for part in inner.split(',') {
                    if let Some((package, dir)) = part.split_once('=') {
                        found.add(format!("package-dir:{}", unquoted_value(package)), unquoted_value(dir));
                    }
                }
            }
            ("options", "package_dir" | "package-dir") => {
                for line in value.lines().filter(|line| !line.trim().is_empty()) {
                    if let Some((package, dir)) = line.split_once('=') {
                        found.add(format!("package-dir:{}", package.trim()), dir.trim());
                    }
                }
            }
            (
                "tool.poetry" | "tool.hatch.build.targets.wheel" | "tool.setuptools" | "tool.flit.module",
                key,
            ) => {
                add_poetry_packages(&mut found, key, value);
            }
            _ => {}
        }
    }
    found
}

fn is_poetry_dependencies(table: &str) -> bool {
    table
        .strip_prefix("tool.poetry.")
        .is_some_and(|rest| rest.ends_with("dependencies") && !rest.contains("dependencies."))
}

/// `packages = [{ include = "x", from = "src" }]`, `packages = ["src/x"]`.
fn add_poetry_packages(found: &mut Found, key: &str, value: &str) {
    if key != "packages" {
        return;
    }
    if value.contains('{') {
        for part in value.split('{').skip(1) {
            let table = format!("{{{}", part.split('}').next().unwrap_or(""));
            if let Some(from) = inline_value(&table, "from") {
                found.add("where", from);
            }
            if let Some(include) = inline_value(&table, "include") {
                found.add("packages", include);
            }
        }
        return;
    }
    for item in list_items(value) {
        found.add("packages", item);
    }
}
