//! The envelope: the content of a frame.
//!
//! Variants and fields are only ever appended within one protocol version, never reordered: bincode writes positions,
//! not names. A new variant needs a capability, so that it is sent only to a side that knows it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// From a client to the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClientMessage {
    /// The first message after the handshake; anything else before it is refused.
    Hello(SessionHello),
    /// A call.
    Request(Request),
    /// The caller no longer wants the answer to this request. It is answered all the same, with the error
    /// [`crate::code::CANCELLED`] unless it was finished already.
    Cancel {
        /// The request.
        id: u64,
    },
    /// From now on this bearer token holds for the session.
    Token {
        /// The token; `None` withdraws it.
        token: Option<String>,
    },
    /// Asks for a [`ServerMessage::Pong`] with the same number.
    Ping {
        /// Any number.
        nonce: u64,
    },
    /// Answers a [`ServerMessage::Ping`].
    Pong {
        /// The number of the ping.
        nonce: u64,
    },
    /// In place of [`ClientMessage::Hello`], for a client that passes on calls of somebody else. Sent only to a daemon that
    /// has [`crate::capability::PRINCIPAL`], because an older one would take the session for the user's own.
    HelloAs(SessionHello, Principal),
    /// What the program that this client serves can be asked. Replaces what was said before. Needs
    /// [`crate::capability::ASK`].
    Identity(ClientIdentity),
    /// Answers a [`ServerMessage::Ask`]. Late answers are ignored. Needs [`crate::capability::ASK`].
    Answer {
        /// The question.
        ask: u64,
        /// The text of the protocol's `result`, or why there is none.
        result: Result<Payload, WireError>,
    },
    /// Names the run of the program that the client serves. The same for all its connections, one after the other. Sent before the
    /// first request. Needs [`crate::capability::RUN`].
    Run {
        /// A number drawn by chance when the program started.
        run: u64,
    },
}

/// From the daemon to a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerMessage {
    /// The session is open.
    Welcome(Welcome),
    /// The answer to a request. Each request gets exactly one, in any order.
    Response {
        /// The request.
        id: u64,
        /// Opaque result, or the error.
        result: Result<Payload, WireError>,
    },
    /// A sign of life of a request that asked for progress.
    Progress(Progress),
    /// Something happened that no request asked for.
    Notify {
        /// The kind of event.
        method: String,
        /// Details.
        #[serde(with = "crate::bytes")]
        params: Vec<u8>,
    },
    /// Asks for a [`ClientMessage::Pong`] with the same number.
    Ping {
        /// Any number.
        nonce: u64,
    },
    /// Answers a [`ClientMessage::Ping`].
    Pong {
        /// The number of the ping.
        nonce: u64,
    },
    /// The daemon closes this connection, and why. The last message.
    ///
    /// With [`crate::code::STOPPING`] it comes after the answers to all requests that were begun; requests without an
    /// answer were never begun.
    Closing(WireError),
    /// Asks the program that the client serves something. Answered by [`ClientMessage::Answer`]. Sent only to a client that named
    /// [`crate::capability::ASK`] and said in its [`ClientIdentity`] that it can be asked.
    Ask {
        /// Unique on this connection.
        ask: u64,
        /// The request during which it came up, if it was one.
        request: Option<u64>,
        /// MCP's method, such as `elicitation/create`.
        method: String,
        /// Its parameters as JSON text.
        params: Payload,
    },
    /// A question needs no answer any more.
    AskOver {
        /// The question.
        ask: u64,
    },
}

/// What the program that a client serves can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClientIdentity {
    /// The revision of MCP that it speaks, such as `2025-11-25`.
    pub era: String,
    /// Its MCP capabilities as a JSON object.
    pub capabilities: Payload,
}

/// Opaque bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(#[serde(with = "crate::bytes")] pub Vec<u8>);

/// The kind of program that a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClientKind {
    /// `sdl-mcp`, on behalf of an agent.
    Shim,
    /// `sdlctl`, on behalf of a person.
    Ctl,
    /// Anything else.
    Other,
}

/// Who opens a session, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHello {
    /// Kind of program.
    pub kind: ClientKind,
    /// Name and version of the program that the session serves, such as the MCP client's. Empty while unknown.
    pub name: String,
    /// The client's working directory, absolute, in UTF-8 (lossy).
    pub cwd: Option<String>,
    /// Repository that the user named on the command line, if any: a path or an id.
    pub repo: Option<String>,
    /// Tool surface that the session starts with. Empty means the daemon's default.
    pub surface: String,
    /// Whether tool lists should carry output schemas.
    pub output_schemas: bool,
    /// Bearer token.
    pub token: Option<String>,
    /// Process id of the client, for `status`; never trusted.
    pub pid: u32,
}

impl SessionHello {
    /// This process, which asks for nothing special. For example, `sdl-ui` adds nothing to it.
    pub fn of_this(kind: ClientKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            cwd: None,
            repo: None,
            surface: String::new(),
            output_schemas: false,
            token: None,
            pid: std::process::id(),
        }
    }
}

/// Whose calls a session makes, if not those of the user at the socket. The program that says so has checked it: who reaches the
/// socket is the user, and a principal is one of the user's own clients.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Principal {
    /// How it has shown who it is.
    pub kind: PrincipalKind,
    /// The name of its token, or its subject.
    pub name: String,
    /// What its token was issued for, sorted, each once.
    pub scopes: Vec<String>,
}

/// How a principal has shown who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PrincipalKind {
    /// By one of the tokens that the user made.
    Token,
    /// By a token of an identity provider.
    OAuth,
}

impl Principal {
    /// The name of the user's own token, if it came with one.
    pub fn token(&self) -> Option<&str> {
        (self.kind == PrincipalKind::Token).then_some(self.name.as_str())
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PrincipalKind::Token => "token",
            PrincipalKind::OAuth => "oauth",
        };
        write!(formatter, "{kind}:{}", self.name)
    }
}

/// The daemon's answer to a [`SessionHello`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// Number of the session.
    pub session: u64,
    /// Process id of the daemon.
    pub pid: u32,
    /// The largest frame that the daemon takes.
    pub max_frame: u32,
    /// Differs for each start of the daemon, so that a client that reconnects can tell a restart.
    pub instance: u64,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Unique among the requests of this connection that are not answered yet.
    pub id: u64,
    /// The method to call.
    pub method: String,
    /// Its parameters, opaque to the envelope.
    #[serde(with = "crate::bytes")]
    pub params: Vec<u8>,
    /// How long the caller waits, counted from when the daemon reads the request.
    pub deadline_ms: Option<u64>,
    /// Whether to send [`Progress`].
    pub want_progress: bool,
}

/// A sign of life of a running request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The request.
    pub id: u64,
    /// Opaque details.
    #[serde(with = "crate::bytes")]
    pub bytes: Vec<u8>,
}

/// Why a request was not answered with a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct WireError {
    /// Stable name, for programs; see [`crate::code`].
    pub code: String,
    /// The fault, the place and the next step, for people.
    pub message: String,
    /// More fields as one opaque JSON object, or empty.
    #[serde(with = "crate::bytes")]
    pub detail: Vec<u8>,
}

impl WireError {
    /// An error without further fields.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), detail: Vec::new() }
    }

    /// The same with further fields: one JSON object.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<Vec<u8>>) -> Self {
        self.detail = detail.into();
        self
    }
}
