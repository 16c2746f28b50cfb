//! The shim without standard input and output, for tests that bring another transport. The meaning of a message and the
//! reply are decided by the same code that the program runs.

use std::path::PathBuf;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ClientRequest, Extensions, GetExtensions, JsonRpcMessage, ServerResult};
use rmcp::service::{Peer, RequestContext, RoleServer, Service};
use sdl_client::{Launch, Paths, ReconnectOptions, ReconnectingClient};
use sdl_proto::{ClientKind, SessionHello};
use serde_json::Value;

use crate::closing::Closing;
use crate::events::{self, Listeners};
use crate::forward::Shim;
use crate::{compose, transport};

/// A message from a client, read as a line of standard input is.
pub enum Read {
    /// A request that is answered by [`Session::handle`].
    Request(Box<ClientRequest>),
    /// A message that wants no answer.
    Other,
    /// A JSON-RPC error that the shim answers without looking further, as JSON.
    Refused(Vec<u8>),
}

/// Reads one message.
pub fn read_message(message: &[u8]) -> Read {
    match transport::read_line(message, &mut true) {
        transport::Incoming::Message(message) => match *message {
            JsonRpcMessage::Request(request) => Read::Request(Box::new(request.request)),
            _ => Read::Other,
        },
        transport::Incoming::Reply(reply) => Read::Refused(reply),
        transport::Incoming::Nothing => Read::Other,
    }
}

/// The result as the value that the client reads.
pub fn result_value(result: &ServerResult) -> serde_json::Result<Value> {
    compose::prepared_text(result).map_or_else(|| serde_json::to_value(result), serde_json::from_str)
}

/// The surface that a client sees, as chosen with the shim's flags.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// `--surface`; empty means the daemon's default.
    pub surface: String,
    /// `--output-schemas`.
    pub output_schemas: bool,
}

/// One client's shim.
pub struct Session {
    shim: Shim,
    daemon: ReconnectingClient,
    listeners: Listeners,
}

impl Session {
    /// A shim that was started in `cwd`, connected to the daemon of `paths`.
    pub fn new(paths: Paths, cwd: PathBuf, shown: Shown) -> Self {
        let hello = SessionHello {
            kind: ClientKind::Shim,
            name: String::new(),
            cwd: Some(cwd.to_string_lossy().into_owned()),
            repo: None,
            surface: shown.surface,
            output_schemas: shown.output_schemas,
            token: None,
            pid: std::process::id(),
        };
        let daemon = ReconnectingClient::new(ReconnectOptions { paths, hello, launch: Launch::Find });
        let listeners = Listeners::default();
        let shim = Shim::new(daemon.clone(), listeners.clone(), Closing::new());
        Self { shim, daemon, listeners }
    }

    /// The shim's answer. `request` has to come from [`read_message`].
    pub async fn handle(
        &self,
        mut request: ClientRequest,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        // The same steps as rmcp's own loop takes with a request that came through the shim's transport.
        context.extensions.extend(std::mem::replace(request.extensions_mut(), Extensions::new()));
        self.shim.handle_request(request, context).await
    }

    /// Who the shim is and which subscriptions it takes.
    pub fn handler(&self) -> &(impl ServerHandler + use<>) {
        self.shim.lifecycle()
    }

    /// Passes the daemon's notifications on to the client and its subscriptions, or to the latter only. Never returns.
    pub fn pass_on(&self, client: Option<Peer<RoleServer>>) -> impl Future<Output = ()> + Send + 'static {
        events::pass_on(self.daemon.events(), self.daemon.clone(), client, self.listeners.clone())
    }
}
