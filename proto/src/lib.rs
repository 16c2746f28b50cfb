//! The local IPC between the daemon and its clients: bytes in, values out.
//!
//! This crate does no I/O. A connection is made of
//!
//! 1. one [`Handshake`] in each direction, sent at once and whose byte layout never changes, so that two builds that
//!    share nothing else can still tell each other which versions they speak;
//! 2. [frames](frame): a length and that many bytes;
//! 3. in each frame one [`ClientMessage`] or one [`ServerMessage`].
//!
//! The daemon and its gate to upstream MCP servers talk in frames too, with [other messages](gate).
//!
//! This crate does not know the meaning of a request: methods are strings, parameters and results are opaque bytes.

#![forbid(unsafe_code)]

mod build;
mod bytes;
pub mod code;
mod codec;
pub mod frame;
pub mod gate;
mod handshake;
mod message;

pub use build::compare_builds;
pub use codec::{CodecError, decode_client, decode_server, encode_client, encode_server};
pub use frame::{FrameDecoder, FrameError, MAX_FRAME};
pub use handshake::{Handshake, HandshakeError, MAX_HANDSHAKE, Offer};
pub use message::{
    ClientIdentity, ClientKind, ClientMessage, Payload, Principal, PrincipalKind, Progress, Request,
    ServerMessage, SessionHello, Welcome, WireError,
};

/// The newest protocol version that this build speaks.
pub const PROTOCOL_MAX: u16 = 1;

/// The oldest protocol version that this build speaks.
pub const PROTOCOL_MIN: u16 = 1;

/// The protocol's major number. It is part of the socket's name, so that daemons which could never understand each
/// other's clients run side by side instead of fighting over one socket.
pub const PROTOCOL_MAJOR: u16 = 1;

/// This build, as shown to the other side: `0.1.0` or `0.1.0+<commit>`.
pub const BUILD: &str = match option_env!("SDL_BUILD") {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};

/// The capabilities of this build beyond the protocol version's minimum.
pub const CAPABILITIES: &[&str] = &[
    capability::ASK,
    capability::CANCEL,
    capability::DEADLINE,
    capability::NOTIFY,
    capability::PRINCIPAL,
    capability::PROGRESS,
    capability::RUN,
    capability::TOKEN,
];

/// Names of capabilities. A name, once released, keeps its meaning; unknown names are ignored.
pub mod capability {
    /// The daemon can ask the program that a client serves.
    pub const ASK: &str = "ask";
    /// Running requests can be cancelled.
    pub const CANCEL: &str = "cancel";
    /// Requests may carry a deadline.
    pub const DEADLINE: &str = "deadline";
    /// The server sends notifications.
    pub const NOTIFY: &str = "notify";
    /// A hello may name a principal.
    pub const PRINCIPAL: &str = "principal";
    /// Requests may ask for progress.
    pub const PROGRESS: &str = "progress";
    /// A client may name its run, which outlives its connections.
    pub const RUN: &str = "run";
    /// The bearer token of a session can be replaced while it lives.
    pub const TOKEN: &str = "token";
}
