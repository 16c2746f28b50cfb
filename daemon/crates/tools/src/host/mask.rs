//! The mask of secrets for what leaves the daemon by another way than an action.

use std::borrow::Cow;

use crate::Host;
use crate::host::policies;
use sdl_redact::{self as redact, Level};

/// Masks the secrets of one repository, as its policy says.
#[derive(Clone, Copy, Debug)]
pub struct Mask {
    level: Level,
}

impl Mask {
    /// Returns the mask of a repository, by id. If its policy can't be read, everything that looks like a secret is
    /// masked.
    pub fn of(host: &dyn Host, repo: &str) -> Self {
        Self { level: policies::of_id(host, repo).map_or(Level::Likely, |policy| policy.level()) }
    }

    /// A name, a path or a line without its secrets.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        redact::mask_text(text, self.level).map_or(Cow::Borrowed(text), Cow::Owned)
    }
}
