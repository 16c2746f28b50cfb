//! The connections to upstream MCP servers, as the tools see them.

use std::time::Duration;

use sdl_contract::{Cancel, Progress};
use sdl_proto::gate::{Owner, UpstreamState};
use serde_json::{Map, Value};

use super::client::Reply;
use crate::ToolError;

/// The connections to upstream MCP servers. The daemon implements this trait over the process that holds them.
pub trait Upstreams: Send + Sync {
    /// Sends a request. Dropping the exchange before its answer cancels it.
    fn begin(&self, request: &Outgoing<'_>) -> Result<Box<dyn Exchange>, ToolError>;

    /// Sends a request and waits for its answer: the text of the protocol's `result`, as the upstream wrote it. Questions of the
    /// upstream are declined.
    fn send(
        &self,
        request: &Outgoing<'_>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, ToolError> {
        let mut exchange = self.begin(request)?;
        loop {
            match exchange.next_event(progress, cancel)? {
                Event::Answered(bytes) => return Ok(bytes),
                Event::Asked(asked) => exchange.reply_to(asked.number)(Err("nobody can be asked".to_owned())),
                Event::Withdrawn(_) => {}
            }
        }
    }

    /// Has the lists of an upstream read again, which starts it if need be. Waits at most `patience`; the lists arrive at
    /// [`crate::Tools::take_lists`], before this returns or later.
    fn read_lists(&self, of: &ListsOf<'_>, patience: Duration, cancel: &Cancel) -> Result<(), ToolError>;

    /// Returns the last state of each connection, in order of key and owner. Asks nobody.
    fn states(&self) -> Vec<UpstreamState>;

    /// Returns the values that must not be in any answer: credentials that were resolved for an upstream.
    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A request that was sent.
pub trait Exchange: Send {
    /// Waits for the next thing that happens, and forwards progress meanwhile. Nothing happens after the answer.
    fn next_event(&mut self, progress: &dyn Progress, cancel: &Cancel) -> Result<Event, ToolError>;

    /// Returns what takes the answer to a question.
    fn reply_to(&self, question: u64) -> Reply;
}

/// What happens to a request that was sent.
#[derive(Debug)]
pub enum Event {
    /// It is answered: the text of the protocol's `result`.
    Answered(Vec<u8>),
    /// The upstream asks something.
    Asked(Question),
    /// A question needs no answer any more.
    Withdrawn(u64),
}

/// A question of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its number.
    pub number: u64,
    /// MCP's method, such as `elicitation/create`.
    pub method: String,
    /// Its parameters as JSON text.
    pub params: Vec<u8>,
}

/// A request to an upstream.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing<'a> {
    /// The upstream's key.
    pub key: &'a str,
    /// Whose connection.
    pub owner: Owner,
    /// The protocol's method, such as `tools/call`.
    pub method: &'a str,
    /// The parameters as JSON text.
    pub params: String,
    /// Whether it may be sent again if the first try may have arrived.
    pub is_repeatable: bool,
    /// The MCP capabilities of the client that may be asked.
    pub client: Map<String, Value>,
}

/// Whose lists are to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ListsOf<'a> {
    /// The upstream's key.
    pub key: &'a str,
    /// Over whose connection.
    pub owner: Owner,
    /// What the client of that connection can be asked.
    pub client: Map<String, Value>,
}

impl<'a> ListsOf<'a> {
    /// The lists for clients that can't be asked.
    pub fn shared(key: &'a str) -> Self {
        Self { key, owner: Owner::Shared, client: Map::new() }
    }
}

/// Has the lists of several upstreams read again, all at once. Whether it worked shows in their states and in the age of
/// their lists.
pub(crate) fn read_lists_of(
    upstreams: &dyn Upstreams,
    all: &[ListsOf<'_>],
    patience: Duration,
    cancel: &Cancel,
) {
    std::thread::scope(|scope| {
        for of in all {
            scope.spawn(move || drop(upstreams.read_lists(of, patience, cancel)));
        }
    });
}
