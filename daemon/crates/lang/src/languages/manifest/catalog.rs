//! `libs.versions.toml`, the catalog of a build of Gradle: the coordinates and versions that `libs.cart.core` means.

use std::collections::HashMap;

use sdl_model::facts::ManifestKind;

use super::toml::{Assigned, has_table, list_items, read_assignments, unquoted_value};
use crate::builder::Found;

/// The fields in which a version with conditions states what it asks for, the strictest first.
const RICH: [&str; 3] = ["strictly", "require", "prefer"];

/// Whether `text` looks like a catalog: it has libraries, and nothing that another manifest in this format has.
pub(super) fn is_catalog(text: &str) -> bool {
    has_table(text, "libraries") && !["package", "project", "tool"].iter().any(|other| has_table(text, other))
}

/// `library:alias = group:artifact`, `asks:@alias`, `bundle:name`, with aliases as build scripts write them.
pub(super) fn read_catalog(text: &str) -> Found {
    let all = read_assignments(text);
    let versions: HashMap<&str, String> = all
        .iter()
        .filter(|one| one.table == "versions")
        .filter_map(|one| Some((one.key, stated_version(&one.value)?)))
        .collect();
    let mut found = Found::new(ManifestKind::GradleCatalog);
    for Assigned { table, key, value } in &all {
        match *table {
            "libraries" => add_library(&mut found, &versions, key, value),
            "bundles" => {
                for alias in list_items(value) {
                    found.add(format!("bundle:{}", accessor_of(key)), &accessor_of(alias));
                }
            }
            _ => {}
        }
    }
    found
}

/// `cart = "g:a:1"`, `cart = { module = "g:a", version.ref = "cart" }`, `cart = { group = "g", name = "a", version = "1" }`.
fn add_library(found: &mut Found, versions: &HashMap<&str, String>, alias: &str, value: &str) {
    let value = value.trim();
    let (coordinate, version) = if value.starts_with('{') {
        let fields = fields_of(value);
        let field = |wanted: &str| fields.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let coordinate = match (field("module"), field("group"), field("name")) {
            (Some(module), ..) => unquoted_value(module).to_owned(),
            (None, Some(group), Some(name)) => format!("{}:{}", unquoted_value(group), unquoted_value(name)),
            _ => return,
        };
        let named = field("version.ref").map(unquoted_value).or_else(|| {
            let nested = field("version").filter(|version| version.starts_with('{')).map(fields_of)?;
            nested.iter().find(|(key, _)| *key == "ref").map(|(_, value)| unquoted_value(value))
        });
        let version = match named {
            Some(name) => versions.get(name).cloned(),
            None => field("version").and_then(stated_version),
        };
        (coordinate, version)
    } else {
        let mut parts = unquoted_value(value).splitn(3, ':');
        let (Some(group), Some(name)) = (parts.next(), parts.next()) else { return };
        (format!("{group}:{name}"), parts.next().map(str::to_owned))
    };
    let alias = accessor_of(alias);
    found.add(format!("library:{alias}"), &coordinate);
    if let Some(version) = version.filter(|version| !version.is_empty()) {
        found.add(format!("asks:@{alias}"), &version);
    }
}

/// `"1.2"`, `{ strictly = "[1, 2[", prefer = "1.2" }`.
fn stated_version(value: &str) -> Option<String> {
    let value = value.trim();
    if !value.starts_with('{') {
        return value.starts_with(['"', '\'']).then(|| unquoted_value(value).to_owned());
    }
    let fields = fields_of(value);
    let stated = RICH.iter().find_map(|wanted| fields.iter().find(|(key, _)| key == wanted));
    stated.map(|(_, version)| unquoted_value(version).to_owned())
}

/// An alias as build scripts write it: `cart-core` and `cart_core` are `cart.core`.
fn accessor_of(alias: &str) -> String {
    unquoted_value(alias).replace(['-', '_'], ".")
}

/// The fields of an inline table, with the tables and texts inside it whole.
fn fields_of(table: &str) -> Vec<(&str, &str)> {
    let inner = table.trim().strip_prefix('{').unwrap_or(table);
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut fields, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth -= 1,
            (None, ',') if depth == 0 => {
                let field = inner.get(start..at).unwrap_or("").split_once('=');
                fields.extend(field.map(|(key, value)| (key.trim(), value.trim())));
                start = at + 1;
            }
            _ => {}
        }
    }
    fields
}
