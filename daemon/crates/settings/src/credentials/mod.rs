//! Where values of variables are looked up, each time again: files of credentials, a helper, the environment.

#[cfg(unix)]
mod helper;
mod login;
mod store;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::plain::MIN_SECRET_CHARS;
use crate::secret::Secret;
use crate::template::{Found, Lookup, Origin, is_name};
use crate::trust;

pub use login::{Login, find_login, has_login, hold_login, remove_login, resource_of, store_login};
pub use store::{list_credentials, remove_credential, store_credential};

/// The largest credential.
const MAX_CREDENTIAL_BYTES: u64 = 64 << 10;
/// The folder of credentials in the state folder.
const FOLDER: &str = "credentials";
/// The variable with the folder of a service's credentials, set by systemd.
const SERVICE_FOLDER: &str = "CREDENTIALS_DIRECTORY";
/// How long a helper may take.
const HELPER_TIMEOUT: Duration = Duration::from_secs(10);

type Environment = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// Looks a variable up in `$CREDENTIALS_DIRECTORY`, in the `credentials` folder of the state, by the helper, and in the
/// environment, in this order. Nothing is kept, so a changed credential counts from the next look on.
pub struct Credentials {
    state: PathBuf,
    helper: Option<Vec<String>>,
    environment: Box<Environment>,
    helper_timeout: Duration,
}

impl Credentials {
    /// The credentials of a state folder, with the helper that the settings name.
    pub fn new(state: &Path, helper: Option<Vec<String>>) -> Self {
        Self {
            state: state.to_owned(),
            helper,
            environment: Box::new(|name| std::env::var_os(name)),
            helper_timeout: HELPER_TIMEOUT,
        }
    }

    /// The same with another environment, such as that of a test.
    pub fn with_environment(
        mut self,
        environment: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Box::new(environment);
        self
    }

    /// The same with another time that the helper may take.
    pub fn with_helper_timeout(mut self, timeout: Duration) -> Self {
        self.helper_timeout = timeout;
        self
    }

    fn find_in_files(&self, name: &str) -> Result<Option<Secret>, String> {
        if let Some(folder) = (self.environment)(SERVICE_FOLDER).filter(|folder| !folder.is_empty()) {
            let path = Path::new(&folder).join(name);
            let found = trust::read_private(&path, MAX_CREDENTIAL_BYTES);
            if let Some(bytes) = found.map_err(|why| format!("is in {}, which {why}", path.display()))? {
                return take_credential(bytes).map(Some);
            }
        }
        let path = self.state.join(FOLDER).join(name);
        let found = trust::read_secret(&path, MAX_CREDENTIAL_BYTES);
        match found.map_err(|why| format!("is in {}, which {why}", path.display()))? {
            Some(bytes) => {
                let folder = self.state.join(FOLDER);
                trust::check_folder(&folder)
                    .map_err(|why| format!("is in {}, which {why}", folder.display()))?;
                take_credential(bytes).map(Some)
            }
            None => Ok(None),
        }
    }

    #[cfg(unix)]
    fn find_by_helper(&self, name: &str) -> Result<Option<Secret>, String> {
        let Some(words) = &self.helper else { return Ok(None) };
        match helper::ask_helper(words, name, self.helper_timeout, MAX_CREDENTIAL_BYTES)? {
            Some(bytes) => take_credential(bytes).map(Some),
            None => Ok(None),
        }
    }

    #[cfg(not(unix))]
    fn find_by_helper(&self, _name: &str) -> Result<Option<Secret>, String> {
        match &self.helper {
            Some(_) => Err("can't be asked for, because helpers are not run on this system".to_owned()),
            None => Ok(None),
        }
    }
}

impl Lookup for Credentials {
    fn find_value(&self, name: &str) -> Result<Option<Found>, String> {
        // Such a name could lead out of the folder.
        if !is_name(name) {
            return Err("is no name of a variable".to_owned());
        }
        if let Some(value) = self.find_in_files(name)? {
            return Ok(Some(Found { value, origin: Origin::File }));
        }
        if let Some(value) = self.find_by_helper(name)? {
            return Ok(Some(Found { value, origin: Origin::Helper }));
        }
        let Some(value) = (self.environment)(name) else { return Ok(None) };
        match value.into_string() {
            Ok(value) => Ok(Some(Found { value: Secret::new(value), origin: Origin::Environment })),
            Err(_) => Err("is in the environment and is not UTF-8".to_owned()),
        }
    }
}

/// A lookup that also knows the folders of a session, for `cwd`.
pub struct SessionLookup<'l> {
    /// Knows all other variables.
    pub inner: &'l dyn Lookup,
    /// The root of the session's repository.
    pub root: Option<&'l str>,
    /// The working directory of the session's client.
    pub cwd: Option<&'l str>,
}

impl Lookup for SessionLookup<'_> {
    fn find_value(&self, name: &str) -> Result<Option<Found>, String> {
        let value = match name {
            crate::SESSION_ROOT => self.root.ok_or("is not known, because the session has no repository")?,
            crate::SESSION_CWD => {
                self.cwd.ok_or("is not known, because the client did not state its folder")?
            }
            name => return self.inner.find_value(name),
        };
        Ok(Some(Found { value: Secret::new(value.to_owned()), origin: Origin::Session }))
    }
}

/// Takes a credential over: text, without the line break at its end, long enough to be masked.
fn take_credential(bytes: Vec<u8>) -> Result<Secret, String> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        drop(zeroize::Zeroizing::new(error.into_bytes()));
        "is stored and is not UTF-8".to_owned()
    })?;
    let kept =
        text.strip_suffix('\n').map_or(text.len(), |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
    text.truncate(kept);
    let secret = Secret::new(text);
    check_credential(&secret).map(|()| secret)
}

/// Says why a value can't be a credential.
fn check_credential(secret: &Secret) -> Result<(), String> {
    if secret.expose().chars().count() < MIN_SECRET_CHARS {
        return Err(format!(
            "has a value of under {MIN_SECRET_CHARS} characters, which can't be masked without hiding other text"
        ));
    }
    if secret.expose().contains('\0') {
        return Err("has a NUL character in its value".to_owned());
    }
    Ok(())
}
