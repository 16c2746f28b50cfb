//! The configuration of upstream servers: `mcp.json` in the daemon's state folder, which only a person writes.
//!
//! * [`Settings::parse`] reads the text, whole or not at all. A [`SettingsError`] names line, column and path.
//! * [`Template`] is a text with variables, such as `Bearer ${TOKEN}`. It is resolved when it is needed, and what a
//!   credential contributed stays a [`Secret`].
//! * [`Rule`] and [`Profile`] are policies as types; [`Conditions::evaluate`] judges the arguments of a call.
//! * [`changed`] compares two settings upstream by upstream.
//!
//! Independent of the protocol, of tools and of processes.

#![forbid(unsafe_code)]

mod changed;
mod check;
mod credentials;
pub mod edit;
mod error;
mod file;
mod globs;
pub mod import;
mod keys;
mod located;
mod node;
mod parse;
mod plain;
mod policy;
mod secret;
mod template;
pub mod trust;
mod types;

pub use changed::{Change, ChangeKind, changed};
pub use check::{exposed_variables, unset_variables, written_secrets};
pub use credentials::{
    Credentials, Login, SessionLookup, find_login, has_login, hold_login, list_credentials,
    remove_credential, remove_login, resource_of, store_credential, store_login,
};
pub use error::{ErrorKind, Remark, SettingsError};
pub use file::{FILE, ReadError, SettingsFile, read_settings};
pub use globs::{Globs, KeyPattern, Pattern, ToolPattern};
pub use keys::{fold_key, refuse_key};
pub use parse::{MAX_BYTES, MAX_UPSTREAMS, MODULES, Parsed, refuse_command};
pub use plain::{looks_secret, names_secret};
pub use policy::{
    ArgPath, AuditSettings, Condition, Conditions, Effect, Hints, Profile, ProfileMatch, Rule, Test,
    ToolGlobs,
};
pub use secret::Secret;
pub use template::{Found, Lookup, Origin, Resolved, Template, TemplateError, Unset, is_name};
pub use types::{
    Asks, Lifecycle, Mode, Own, Pin, Protocol, Redact, SESSION_CWD, SESSION_ROOT, Settings, Transport,
    Upstream,
};
