//! Questions of upstreams to their client: passed to the daemon, and its answers back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, CustomResult, ErrorCode, ErrorData, Implementation,
    ProtocolVersion, ServerNotification, ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use sdl_proto::gate::{FromGate, Owner};
use sdl_proto::{Payload, WireError};
use sdl_settings::Asks as Allowed;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::flag::Flag;
use crate::shared::World;
use crate::slot::running::Running;
use crate::wire::link::Link;

/// How long the daemon may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(300);

/// Questions of one connection that wait at once.
const MAX_ASKS: u64 = 16;

type Reply = Result<Payload, WireError>;

/// Questions that wait for the daemon.
#[derive(Default)]
pub(crate) struct Asks {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Reply>>>,
}

impl Asks {
    fn begin(&self) -> (u64, oneshot::Receiver<Reply>) {
        let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, sender);
        (id, receiver)
    }

    /// The daemon's answer. One that comes too late is dropped.
    pub(crate) fn answer(&self, id: u64, reply: Reply) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(sender) = waiting {
            let _ = sender.send(reply);
        }
    }

    /// True if the question was not answered.
    fn end(&self, id: u64) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id).is_some()
    }
}

/// Which kinds of questions a connection declares: those that the entry allows and the client can answer.
pub(crate) fn declared_capabilities(allowed: Allowed, client: Option<&Payload>) -> Map<String, Value> {
    let client: Map<String, Value> =
        client.and_then(|Payload(bytes)| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let kinds =
        [("elicitation", allowed.elicitation), ("sampling", allowed.sampling), ("roots", allowed.roots)];
    let mut declared = Map::new();
    for (kind, is_allowed) in kinds {
        if let Some(value) = client.get(kind).filter(|value| is_allowed && value.is_object()) {
            // Changes of roots are not forwarded, so they are not announced.
            let value = if kind == "roots" { Value::Object(Map::new()) } else { value.clone() };
            declared.insert(kind.to_owned(), value);
        }
    }
    declared
}

/// A request of an upstream.
struct Question {
    method: String,
    params: Arc<str>,
}

/// Our side of a connection, as rmcp sees it: it answers what the upstream asks.
pub(crate) struct Asker {
    pub(crate) world: World,
    pub(crate) key: String,
    pub(crate) owner: Owner,
    pub(crate) link: Arc<Link>,
    pub(crate) running: Arc<Running>,
    pub(crate) declared: Map<String, Value>,
    pub(crate) version: ProtocolVersion,
}

impl Asker {
    async fn answer_request(&self, request: Question, gone: Flag) -> Result<ClientResult, ErrorData> {
        let kind = match request.method.as_str() {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => "",
        };
        if !self.declared.contains_key(kind) {
            self.link.count("askRefused");
            let message = format!("{} is not a method of this client", request.method);
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        if !self.running.begin_question(MAX_ASKS) {
            self.link.count("askRefused");
            return Err(ErrorData::internal_error("too many questions wait for an answer", None));
        }
        let reply = self.ask_daemon(&request, gone).await;
        self.running.end_question();
        match reply {
            Some(Ok(Payload(bytes))) => {
                let text = String::from_utf8(bytes).ok();
                let text = text.filter(|text| serde_json::from_str::<&RawValue>(text).is_ok());
                let Some(text) = text else {
                    return Err(ErrorData::internal_error("the answer is not JSON", None));
                };
                Ok(ClientResult::CustomResult(CustomResult(Value::String(text))))
            }
            Some(Err(error)) => Err(ErrorData::internal_error(error.message, None)),
            None => Err(ErrorData::internal_error("the question was not answered", None)),
        }
    }

    /// Waits for the daemon's answer, at most until the call ends during which the question came.
    async fn ask_daemon(&self, request: &Question, gone: Flag) -> Option<Reply> {
        let (call, call_over) = self.running.only_one().unzip();
        let call_over = call_over.unwrap_or_default();
        let (ask, reply) = self.world.asks.begin();
        let params = Payload(self.world.masks.mask(&request.params).into_owned().into_bytes());
        let (key, owner, method) = (self.key.clone(), self.owner.clone(), request.method.clone());
        self.world.outbox.send(FromGate::Ask { ask, call, key, owner, method, params }).await;
        let answered = tokio::select! {
            reply = reply => reply.ok(),
            () = self.world.clock.sleep(ANSWER_TIME) => None,
            () = gone.raised() => None,
            () = self.link.closed.raised() => None,
            () = call_over.raised() => None,
        };
        if self.world.asks.end(ask) {
            self.world.outbox.send(FromGate::AskOver { ask, call }).await;
        }
        answered
    }
}

impl Service<RoleClient> for Asker {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            ServerRequest::CustomRequest(request) => {
                let params = self.link.take_question(&context.id).unwrap_or_else(|| Arc::from("{}"));
                let request = Question { method: request.method, params };
                let gone = Flag::default();
                let mut answer = std::pin::pin!(self.answer_request(request, gone.clone()));
                tokio::select! {
                    answer = &mut answer => answer,
                    () = context.ct.cancelled() => {
                        gone.raise();
                        answer.await
                    }
                }
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "not a method of this client", None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let declared = Value::Object(self.declared.clone());
        let capabilities = serde_json::from_value::<ClientCapabilities>(declared).unwrap_or_default();
        let own = Implementation::new("sdl", sdl_proto::BUILD);
        ClientConfig::new(capabilities, own).with_protocol_version(self.version.clone())
    }
}
