//! Logins to upstreams, each in a file of the credentials' folder.
//!
//! Their names begin with `@`, which no variable does, so no text of the settings can name one.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::FOLDER;
use crate::keys::{fold_key, refuse_key};
use crate::secret::Secret;
use crate::trust;

/// The largest file of a login. Tokens of some servers have several KiB.
const MAX_LOGIN_BYTES: u64 = 256 << 10;
/// The form of the file. Another one is refused.
const FORM: u64 = 1;

/// What a person got by logging in to an upstream. It has no `Debug`, because it is made of secrets.
#[derive(Clone)]
pub struct Login {
    /// The server that it is for, as [`resource_of`] writes it. It is sent to no other one.
    pub resource: String,
    /// Who gave it.
    pub issuer: Option<String>,
    /// The client that it was given to.
    pub client_id: String,
    /// The client's own secret, if it has one.
    pub client_secret: Option<Secret>,
    /// The token that requests carry.
    pub access: Secret,
    /// The token that gets the next one.
    pub refresh: Option<Secret>,
    /// When `access` ends, in seconds since 1970; none if the server did not say.
    pub expires_at: Option<u64>,
    /// What it permits.
    pub scopes: Vec<String>,
    /// Whether the issuer may have a private address.
    pub is_private: bool,
}

impl Login {
    /// All that has to be masked.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        [Some(&self.access), self.refresh.as_ref(), self.client_secret.as_ref()].into_iter().flatten()
    }

    fn write(&self) -> Zeroizing<String> {
        let secret = |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.expose().to_owned());
        let value = json!({
            "form": FORM,
            "resource": self.resource,
            "issuer": self.issuer,
            "clientId": self.client_id,
            "clientSecret": secret(&self.client_secret),
            "access": self.access.expose(),
            "refresh": secret(&self.refresh),
            "expiresAt": self.expires_at,
            "scopes": self.scopes,
            "private": self.is_private,
        });
        Zeroizing::new(value.to_string())
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let all: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| all.get(name).and_then(Value::as_str).map(str::to_owned);
        if all.get("form").and_then(Value::as_u64) != Some(FORM) {
            return None;
        }
        let scopes = all.get("scopes").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            resource: text("resource")?,
            issuer: text("issuer"),
            client_id: text("clientId")?,
            client_secret: text("clientSecret").map(Secret::new),
            access: Secret::new(text("access")?),
            refresh: text("refresh").map(Secret::new),
            expires_at: all.get("expiresAt").and_then(Value::as_u64),
            scopes: scopes.filter_map(Value::as_str).map(str::to_owned).collect(),
            is_private: all.get("private") == Some(&Value::Bool(true)),
        })
    }
}

/// The server that a URL leads to: without query and fragment, which may have secrets and name no server.
pub fn resource_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// The path of a file about a key. Another text than a key could lead out of the folder.
fn login_path(state: &Path, key: &str, ending: &str) -> Result<PathBuf> {
    match refuse_key(key) {
        Some(why) => Err(Error::new(ErrorKind::InvalidInput, why)),
        None => Ok(state.join(FOLDER).join(format!("@{}.{ending}", fold_key(key)))),
    }
}

/// Waits until no other program holds the login of this key. It is free again when the file is dropped.
pub fn hold_login(state: &Path, key: &str) -> Result<File> {
    make_folder(state)?;
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(login_path(state, key, "lock")?)?;
    file.lock()?;
    Ok(file)
}

/// Stores a login, in place of one that is there.
pub fn store_login(state: &Path, key: &str, login: &Login) -> Result<()> {
    make_folder(state)?;
    let text = login.write();
    if text.len() as u64 > MAX_LOGIN_BYTES {
        let message = format!("the login of {key} has more than {MAX_LOGIN_BYTES} bytes");
        return Err(Error::new(ErrorKind::InvalidInput, message));
    }
    trust::write_private(&login_path(state, key, "login")?, text.as_bytes())?;
    trust::sync_folder(&state.join(FOLDER))
}

fn make_folder(state: &Path) -> Result<()> {
    let folder = state.join(FOLDER);
    trust::make_folder(&folder)?;
    trust::check_folder(&folder)
        .map_err(|why| Error::new(ErrorKind::PermissionDenied, format!("{} {why}", folder.display())))
}

/// The login of a key; none if there is none. An error says why one that exists can't be used.
pub fn find_login(state: &Path, key: &str) -> std::result::Result<Option<Login>, String> {
    let path = login_path(state, key, "login").map_err(|error| error.to_string())?;
    let refused = |why: &str| format!("the login of {key} is in {}, which {why}", path.display());
    let found = trust::read_secret(&path, MAX_LOGIN_BYTES).map_err(|why| refused(&why))?;
    let Some(bytes) = found.map(Zeroizing::new) else { return Ok(None) };
    let folder = state.join(FOLDER);
    trust::check_folder(&folder)
        .map_err(|why| format!("the login of {key} is in {}, which {why}", folder.display()))?;
    let login = Login::read(&bytes).ok_or_else(|| refused("is not of the form that is written here"))?;
    Ok(Some(login))
}

/// Whether there is a login of a key, be it usable or not.
pub fn has_login(state: &Path, key: &str) -> bool {
    login_path(state, key, "login").is_ok_and(|path| path.exists())
}

/// Removes the login of a key. Returns whether there was one.
pub fn remove_login(state: &Path, key: &str) -> Result<bool> {
    match fs::remove_file(login_path(state, key, "login")?) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
