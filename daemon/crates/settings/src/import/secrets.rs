//! Secrets that are written out in `env` and `headers`, and their move into credentials.

use std::collections::HashMap;

use serde_json::Value;

use super::ImportedEntry;
use crate::plain::{looks_secret, split_scheme};
use crate::secret::Secret;

/// A value that looks like a secret. The value itself is not part of it, so it can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainSecret {
    /// Where it is.
    pub place: SecretPlace,
    /// The name of the variable or header.
    pub name: String,
    /// A name for the credential.
    pub credential: String,
}

/// Where a value is in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPlace {
    /// In `env`.
    Env,
    /// In `headers`.
    Headers,
}

impl SecretPlace {
    /// The key in the entry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Env => "env",
            Self::Headers => "headers",
        }
    }
}

/// The values of an entry that look like secrets. Each gets the name of a credential: its variable's, or one made of the
/// key and the header's name.
pub fn find_plain_secrets(key: &str, entry: &Value) -> Vec<PlainSecret> {
    let mut found = Vec::new();
    for place in [SecretPlace::Env, SecretPlace::Headers] {
        for (name, value) in entry.get(place.as_str()).and_then(Value::as_object).into_iter().flatten() {
            if !value.as_str().is_some_and(|value| looks_secret(name, value)) {
                continue;
            }
            let is_usable = place == SecretPlace::Env && crate::is_name(name);
            let credential = if is_usable { name.clone() } else { longer_name(key, name) };
            found.push(PlainSecret { place, name: name.clone(), credential });
        }
    }
    found
}

fn longer_name(key: &str, name: &str) -> String {
    let joined = format!("{key}_{name}");
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = joined.chars().map(upper).take(120).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Finds the secrets of all entries. Two different values get different names.
pub(super) fn name_credentials(entries: &mut [ImportedEntry]) {
    let mut values: HashMap<String, String> = HashMap::new();
    for entry in entries {
        entry.secrets = find_plain_secrets(&entry.key, &entry.entry);
        for secret in &mut entry.secrets {
            let value = secret_text(&entry.entry, secret).unwrap_or_default().to_owned();
            if values.get(&secret.credential).is_some_and(|other| *other != value) {
                secret.credential = longer_name(&entry.key, &secret.name);
            }
            values.insert(secret.credential.clone(), value);
        }
    }
}

/// The secret part of a value: without the scheme before it, as in `Bearer abc`.
fn secret_text<'e>(entry: &'e Value, secret: &PlainSecret) -> Option<&'e str> {
    let value = entry.get(secret.place.as_str())?.get(&secret.name)?.as_str()?;
    Some(split_scheme(secret.place == SecretPlace::Headers, value).1)
}

/// Replaces secrets of an entry by variables. Returns the values with the names to store them under.
pub fn move_secrets(entry: &mut Value, secrets: &[PlainSecret]) -> Vec<(String, Secret)> {
    let mut moved = Vec::new();
    for secret in secrets {
        let place = entry.get_mut(secret.place.as_str()).and_then(|place| place.get_mut(&secret.name));
        let Some(Value::String(text)) = place else { continue };
        let (scheme, value) = split_scheme(secret.place == SecretPlace::Headers, text);
        // In the file `$${` is a literal `${`; a stored credential is literal anyway.
        let value = Secret::new(value.replace("$${", "${"));
        let written = format!("{scheme}${{{}}}", secret.credential);
        *text = written;
        moved.push((secret.credential.clone(), value));
    }
    moved
}
