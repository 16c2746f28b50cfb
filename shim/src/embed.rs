//! The shim without standard input and output, for programs that bring another transport. The meaning of a message and the
//! reply are decided by the same code.

use std::ffi::OsString;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ClientRequest, Extensions, GetExtensions, JsonRpcMessage, ServerResult};
use rmcp::service::{Peer, RequestContext, RoleServer, Service};
use sdl_client::{Launch, Paths, ReconnectOptions, ReconnectingClient};
use sdl_proto::{Principal, SessionHello};

use crate::args::{Parsed, parse_args};
use crate::closing::Closing;
use crate::events::{self, Listeners};
use crate::forward::Shim;
use crate::{compose, make_hello, transport};

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

/// The text of a result that came from the daemon, as it is to be sent. `None` for a result that the shim made by itself.
pub fn result_text(result: &ServerResult) -> Option<&str> {
    compose::prepared_text(result)
}

/// The session that flags of `sdl-mcp` ask for, such as `--surface`, without a working directory. The error is for people.
pub fn hello_of_flags(flags: impl IntoIterator<Item = OsString>) -> Result<SessionHello, String> {
    match parse_args(flags) {
        Parsed::Run(args) => Ok(make_hello(args)),
        Parsed::Print(text) | Parsed::Wrong(text) => Err(text),
    }
}

/// One client's shim.
pub struct Session {
    shim: Shim,
    daemon: ReconnectingClient,
    listeners: Listeners,
}

impl Session {
    /// A shim for the calls of a principal, connected to the daemon of `paths`.
    pub fn new(paths: Paths, hello: SessionHello, principal: Principal) -> Self {
        let options = ReconnectOptions { paths, hello, launch: Launch::Find };
        let daemon = ReconnectingClient::for_principal(options, principal);
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

    /// Connects to the daemon, so that its notifications come. Should that fail, the next call tries again.
    pub async fn connect(&self) {
        let _ = self.daemon.connected().await;
    }

    /// Passes the daemon's notifications on to the client and its subscriptions, or to the latter only. Never returns.
    pub fn pass_on(&self, client: Option<Peer<RoleServer>>) -> impl Future<Output = ()> + Send + 'static {
        events::pass_on(self.daemon.events(), self.daemon.clone(), client, self.listeners.clone())
    }
}
