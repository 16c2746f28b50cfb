//! From a template to its value.

use super::parts::Part;
use crate::plain::{MIN_SECRET_CHARS, names_secret};
use crate::secret::Secret;

/// The longest value of a template.
const MAX_VALUE_BYTES: usize = 256 << 10;
/// What a secret is replaced with where a value is shown.
const MASK: &str = "***";

/// Knows the values of variables.
pub trait Lookup {
    /// The value of a variable as it is now; none if it has none. An error says why a value that exists can't be used.
    fn find_value(&self, name: &str) -> Result<Option<Found>, String>;
}

/// The value of a variable.
pub struct Found {
    /// The value.
    pub value: Secret,
    /// Where it was found.
    pub origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of credentials.
    File,
    /// The command that knows credentials.
    Helper,
    /// The environment.
    Environment,
    /// The session that a child is started for.
    Session,
}

impl Origin {
    /// Whether what comes from there is a credential.
    pub fn is_credential(self) -> bool {
        matches!(self, Self::File | Self::Helper)
    }
}

/// A variable without a value that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("${{{name}}} {why}")]
pub struct Unset {
    /// The variable.
    pub name: String,
    /// Why, and what to do.
    pub why: String,
}

/// The value of a template. It has no `Debug` or `Display`, because parts of it may be secret.
#[derive(Clone)]
pub struct Resolved {
    whole: Secret,
    masked: String,
    secrets: Vec<(String, Secret)>,
}

impl Resolved {
    /// The value, for the process or request that needs it.
    pub fn expose(&self) -> &str {
        self.whole.expose()
    }

    /// The value with `***` for each secret part.
    pub fn masked(&self) -> &str {
        &self.masked
    }

    /// The parts to mask everywhere, each with the variable that it came from: credentials, and variables of the
    /// environment that are named like a secret.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &Secret)> {
        self.secrets.iter().map(|(name, secret)| (name.as_str(), secret))
    }

    /// Whether no part is secret.
    pub fn is_public(&self) -> bool {
        self.secrets.is_empty()
    }
}

pub(super) fn resolve_parts(parts: &[Part], lookup: &dyn Lookup) -> Result<Resolved, Unset> {
    let mut values: Vec<(&str, Option<Secret>, bool)> = Vec::with_capacity(parts.len());
    let mut secrets = Vec::new();
    let mut length = 0usize;
    for part in parts {
        let value = match part {
            Part::Text(text) => (text.as_str(), None, false),
            Part::Variable { name, default } => {
                let unset = |why: String| Unset { name: name.clone(), why };
                let found = lookup.find_value(name).map_err(unset)?;
                match (found, default) {
                    (Some(found), default) if default.is_none() || !found.value.expose().is_empty() => {
                        // A short value is no secret, because a mask for it would hide other text.
                        let is_secret = found.value.expose().chars().count() >= MIN_SECRET_CHARS
                            && (found.origin.is_credential()
                                || (found.origin == Origin::Environment && names_secret(name)));
                        if is_secret {
                            secrets.push((name.clone(), found.value.clone()));
                        }
                        ("", Some(found.value), is_secret)
                    }
                    (_, Some(default)) => (default.as_str(), None, false),
                    _ => {
                        return Err(unset(format!(
                            "is not set: store it with `sdlctl cred set {name}`, set it in the environment of the \
                             daemon, or give a default as in ${{{name}:-value}}"
                        )));
                    }
                }
            }
        };
        length += value.1.as_ref().map_or(value.0, |secret| secret.expose()).len();
        if length > MAX_VALUE_BYTES
            && let Part::Variable { name, .. } = part
        {
            return Err(Unset {
                name: name.clone(),
                why: format!("makes the value longer than {MAX_VALUE_BYTES} bytes"),
            });
        }
        values.push(value);
    }
    // Of the right size at once, because a text that grows leaves copies in memory that nobody overwrites.
    let mut whole = String::with_capacity(length);
    let mut masked = String::new();
    for (text, secret, is_secret) in &values {
        let text = secret.as_ref().map_or(*text, |secret| secret.expose());
        whole.push_str(text);
        masked.push_str(if *is_secret { MASK } else { text });
    }
    Ok(Resolved { whole: Secret::new(whole), masked, secrets })
}
