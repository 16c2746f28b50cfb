//! Logins to upstreams over HTTP, with OAuth.
//!
//! A person logs in, with [`run_login`] in a process of its own; the connections use the stored tokens and renew them. Nothing here
//! begins a login because of a call.

mod landing;
mod login;
mod metadata;
mod tokens;

pub use login::run_login;
pub(crate) use tokens::{Logins, Token};
