//! The caller of the tools, and the tools that it is shown.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use sdl_proto::Principal;

/// The caller. One per connection of the shim or of `sdlctl`.
#[derive(Clone, Debug)]
pub struct Session {
    /// The connection's number.
    pub id: u64,
    /// The client's working directory, from which a missing `repoId` is inferred.
    pub cwd: Option<PathBuf>,
    /// The client's name, as it introduced itself, for example `claude-code`; for logs.
    pub client: String,
    /// Whose calls it makes, if not those of the user at the socket.
    pub principal: Option<Principal>,
    /// The run of the client.
    pub run: ClientRun,
}

/// The run of a client, which outlives its connections. Not known at first; clones learn it together.
#[derive(Clone, Debug, Default)]
pub struct ClientRun(Arc<OnceLock<u64>>);

impl ClientRun {
    /// A known run.
    pub fn of(run: u64) -> Self {
        let known = Self::default();
        known.set(run);
        known
    }

    /// Sets the number, unless it is known already.
    pub fn set(&self, run: u64) {
        let _ = self.0.set(run);
    }

    /// The number, if it is known.
    pub fn get(&self) -> Option<u64> {
        self.0.get().copied()
    }
}

/// Which tools a client is shown. Every tool can be called by name on every surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surface {
    /// One tool per namespace.
    #[default]
    Gateway,
    /// One tool per action.
    Flat,
    /// One tool that finds all others.
    Search,
    /// The same, and one that calls them, for clients that refuse names that are not in their list.
    Pair,
}

impl Surface {
    /// Every surface.
    pub const ALL: [Self; 4] = [Self::Gateway, Self::Flat, Self::Search, Self::Pair];

    /// The name in settings and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Flat => "flat",
            Self::Search => "search",
            Self::Pair => "pair",
        }
    }

    /// Returns the surface with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|surface| surface.name() == name)
    }
}

/// How advertised names are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// `sdl_slice_refresh`: accepted by every client.
    #[default]
    Underscored,
    /// `sdl.slice.refresh`, for clients that accept dots.
    Dotted,
}

impl Names {
    /// The name in settings and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Underscored => "underscored",
            Self::Dotted => "dotted",
        }
    }

    /// Returns the spelling with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Underscored, Self::Dotted].into_iter().find(|names| names.name() == name)
    }
}
