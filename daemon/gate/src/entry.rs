//! One entry of the settings.

use sdl_settings::{Transport, Upstream};

/// An entry, with the hash of its transport.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) upstream: Upstream,
    /// Of the transport as it is written: variables are not looked up for it.
    pub(crate) hash: String,
}

impl Entry {
    pub(crate) fn new(upstream: Upstream) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        match &upstream.transport {
            Transport::Stdio { command, args, env } => {
                add("stdio");
                add(command.as_str());
                args.iter().for_each(|arg| add(arg.as_str()));
                for (name, value) in env {
                    add(name);
                    add(value.as_str());
                }
            }
            Transport::Http { url, headers } => {
                add("http");
                add(url.as_str());
                for (name, value) in headers {
                    add(name);
                    add(value.as_str());
                }
            }
        }
        add(upstream.own.protocol.as_str());
        let hash = hasher.finalize().to_hex();
        Self { upstream, hash: hash.as_str().chars().take(32).collect() }
    }
}
