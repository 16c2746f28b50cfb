//! The line between the daemon and `sdl-gate`, the process that holds all connections to upstream MCP servers.
//!
//! [Frames](crate::frame) over the gate's standard input and output, each with one [`ToGate`] or one [`FromGate`]. Both
//! programs are of one build: the first message in each direction carries the build, and a mismatch ends the gate. The end
//! of its input ends the gate too, and with it every child.
//!
//! Variants and fields are only ever appended, as in the session's envelope: bincode writes positions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::codec::{CodecError, decode_message, encode_message};
use crate::message::{Payload, WireError};

/// From the daemon to the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToGate {
    /// The first message.
    Hello {
        /// The daemon's build; see [`crate::BUILD`].
        build: String,
        /// The folder for children's folders, logs and credentials.
        state_dir: String,
        /// The folder for the list of children that run.
        runtime_dir: String,
    },
    /// The settings. They replace the former ones; the gate compares entry by entry.
    Configure {
        /// A number that grows with each reading of the file.
        generation: u64,
        /// The whole text of `mcp.json`, checked already.
        text: String,
    },
    /// A call. Answered by one [`FromGate::Answer`].
    Call(UpstreamCall),
    /// The caller no longer wants the answer to a [`ToGate::Call`]. The call is answered all the same.
    Cancel {
        /// The call.
        id: u64,
    },
    /// Answers a [`FromGate::Ask`].
    Answer {
        /// The question.
        ask: u64,
        /// The text of the protocol's `result`; an error is passed to the upstream as the protocol's error.
        result: Result<Payload, WireError>,
    },
    /// Read the lists of an upstream now, which starts it if need be. Answered by [`FromGate::Done`], after the
    /// [`FromGate::Lists`].
    Read {
        /// Unique among the requests of the daemon that are not answered.
        id: u64,
        /// The upstream.
        key: String,
        /// Whose connection.
        owner: Owner,
        /// What the client can be asked; see [`UpstreamCall::client`].
        client: Option<Payload>,
    },
    /// End all connections of an upstream and start those again that ran. Answered by [`FromGate::Done`].
    Restart {
        /// Unique among the requests of the daemon that are not answered.
        id: u64,
        /// The upstream.
        key: String,
    },
    /// The owner is gone: its connections are closed.
    OwnerGone {
        /// The owner.
        owner: Owner,
    },
    /// Asks for a [`FromGate::Pong`] with the same number.
    Ping {
        /// Any number.
        nonce: u64,
    },
    /// End every child, then the gate.
    Stop,
}

/// Whose a connection is. The `lifecycle` of an entry says which of them its connections have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Owner {
    /// One connection for all.
    Shared,
    /// The root of a repository, absolute.
    Root(String),
    /// A client's session.
    Session(u64),
}

/// A request for an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpstreamCall {
    /// Unique among the requests of the daemon that are not answered.
    pub id: u64,
    /// The upstream.
    pub key: String,
    /// Whose connection. The gate does not check it against the `lifecycle`.
    pub owner: Owner,
    /// The protocol's method, such as `tools/call`.
    pub method: String,
    /// The parameters as the JSON text that is to be sent: an object. The gate adds to its `_meta` alone.
    pub params: Payload,
    /// Whether to send [`FromGate::Progress`].
    pub want_progress: bool,
    /// Whether it may be sent again if the first try may have arrived.
    pub is_repeatable: bool,
    /// What the client can be asked: its `capabilities` as a JSON object. They count where the entry's `ask` allows it,
    /// for a connection that is not shared.
    pub client: Option<Payload>,
}

/// From the gate to the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromGate {
    /// The first message.
    Hello {
        /// The gate's build.
        build: String,
        /// Its process.
        pid: u32,
    },
    /// Answers a [`ToGate::Call`]. Each call gets exactly one.
    Answer {
        /// The call.
        id: u64,
        /// The text of the upstream's `result`, unchanged but for masked credentials.
        ///
        /// In errors the detail is a JSON object with `upstream`, and where they are known `stderr` (the last lines,
        /// masked), `exitCode`, `retryAfterMs`, `nextAttemptMs`, `scope`, and `error`: the error of the protocol with which
        /// the upstream answered (its code is [`crate::code::UPSTREAM_PROTOCOL`]).
        result: Result<Payload, WireError>,
    },
    /// A sign of life of a running call that asked for progress.
    Progress {
        /// The call.
        id: u64,
        /// The `params` of the notification as a JSON object, without its `progressToken`.
        bytes: Payload,
    },
    /// The upstream asks its client something. Answered by [`ToGate::Answer`].
    Ask {
        /// The question.
        ask: u64,
        /// The call during which it came, where there is exactly one.
        call: Option<u64>,
        /// The upstream.
        key: String,
        /// Whose connection.
        owner: Owner,
        /// The protocol's method, such as `elicitation/create`.
        method: String,
        /// The parameters as JSON text, `{}` if there are none.
        params: Payload,
    },
    /// A whole reading of the lists of an upstream.
    Lists {
        /// The upstream.
        key: String,
        /// Whose connection.
        owner: Owner,
        /// The [`ToGate::Configure`] that was in force.
        generation: u64,
        /// JSON text: [`UpstreamLists`].
        lists: Payload,
    },
    /// What became of a connection.
    State(UpstreamState),
    /// Values that must be masked wherever the daemon answers, beside those of former messages of this kind.
    Secrets {
        /// The values.
        values: Vec<String>,
    },
    /// Answers a [`ToGate::Read`] or a [`ToGate::Restart`].
    Done {
        /// The request.
        id: u64,
        /// Whether it was done.
        result: Result<(), WireError>,
    },
    /// Answers a [`ToGate::Ping`].
    Pong {
        /// The number of the ping.
        nonce: u64,
    },
    /// The question needs no answer any more: its call has ended, or the upstream withdrew it.
    AskOver {
        /// The question.
        ask: u64,
        /// The call during which it came.
        call: Option<u64>,
    },
}

/// The state of one connection, sent whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpstreamState {
    /// The upstream.
    pub key: String,
    /// Whose connection.
    pub owner: Owner,
    /// `off`, `new`, `starting`, `ready`, `stopped`, `failing`, `needsLogin` or `misconfigured`. `off` is the last state of
    /// a connection.
    pub state: String,
    /// The child's process.
    pub pid: Option<u32>,
    /// Resident memory of the child's process group, as last read.
    pub rss_kb: Option<u64>,
    /// The revision of the protocol that is spoken, such as `2025-11-25`.
    pub era: Option<String>,
    /// How often it was started after the first time.
    pub restarts: u32,
    /// Calls that were taken.
    pub calls: u64,
    /// Calls that were answered with an error.
    pub failed: u64,
    /// Calls that run now.
    pub in_flight: u32,
    /// Calls that wait for their turn.
    pub waiting: u32,
    /// The last thing that went wrong, masked.
    pub last_error: Option<String>,
    /// When that was, in Unix milliseconds.
    pub last_error_at_ms: Option<u64>,
    /// In how many milliseconds the next attempt may be made, while attempts back off.
    pub next_attempt_ms: Option<u64>,
    /// How often something odd happened, by its name, such as `noise` or `unknownId`.
    pub counts: BTreeMap<String, u64>,
}

/// The lists of one upstream, as JSON in [`FromGate::Lists`]. `D` is a definition: JSON as the upstream wrote it, for
/// example serde_json's `Box<RawValue>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpstreamLists<D> {
    /// The revision of the protocol that is spoken.
    pub era: String,
    /// What the upstream says it is.
    pub server_info: Option<D>,
    /// What it says about its use.
    pub instructions: Option<String>,
    /// Its capabilities.
    pub capabilities: Option<D>,
    /// Its tools.
    pub tools: Vec<D>,
    /// Its prompts.
    pub prompts: Vec<D>,
    /// Its resources.
    pub resources: Vec<D>,
    /// Its templates of resources.
    pub resource_templates: Vec<D>,
    /// Names of tools whose definition is above the limit. Their definition here is a short one, with an open schema.
    pub oversize: Vec<String>,
    /// How many definitions were left out, by reason: `duplicate`, `badName`, `tooMany`, `tooLarge`, `cursor`, `malformed`.
    pub skipped: BTreeMap<String, u64>,
    /// Which lists the upstream announces changes of.
    pub announces: Announces,
    /// Lists that could not be read although the upstream has them, with the reason. Those are empty here.
    pub unread: BTreeMap<String, String>,
    /// Names the connection that they were read from: no two starts have the same name, of whichever gate. Empty if it is not
    /// known.
    #[serde(default)]
    pub run: String,
    /// What the upstream may ask its client, as declared to it: `elicitation`, `roots`, `sampling`, in this order. It may list
    /// other tools to those who can be asked.
    #[serde(default)]
    pub declared: Vec<String>,
}

/// Which lists an upstream announces changes of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announces {
    /// Of tools.
    pub tools: bool,
    /// Of prompts.
    pub prompts: bool,
    /// Of resources and their templates.
    pub resources: bool,
}

/// Appends `message` to `out` as one frame of at most `limit` bytes; `out` is unchanged on an error.
pub fn encode_to_gate(message: &ToGate, limit: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
    encode_message(message, limit, out)
}

/// Appends `message` to `out` as one frame of at most `limit` bytes; `out` is unchanged on an error.
pub fn encode_from_gate(message: &FromGate, limit: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
    encode_message(message, limit, out)
}

/// Reads the daemon's message from a frame's payload.
pub fn decode_to_gate(payload: &[u8]) -> Result<ToGate, CodecError> {
    decode_message(payload)
}

/// Reads the gate's message from a frame's payload.
pub fn decode_from_gate(payload: &[u8]) -> Result<FromGate, CodecError> {
    decode_message(payload)
}
