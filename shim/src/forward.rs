//! From an MCP request to the daemon and back.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use rmcp::ErrorData;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, Service};
use sdl_client::{CallOptions, ClientError, Question, ReconnectingClient, Repeat};
use sdl_proto::{WireError, code};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::asking::{self, ask_client};
use crate::closing::Closing;
use crate::compose;
use crate::events::Listeners;
use crate::lifecycle::Lifecycle;
use crate::transport::RawParams;

/// Progress of one call that waits to be passed on. More is dropped: only the latest matters.
const PROGRESS: usize = 16;

/// How long a tool may take, and whatever else may wait for an upstream or a person: longer than a refresh of the largest tree
/// does, which sets its own limit of an hour.
const CALL_LIMIT: Duration = Duration::from_secs(65 * 60);

/// How long everything else may take.
const LIMIT: Duration = Duration::from_secs(120);

/// The MCP service: its lifecycle is answered here, everything else by the daemon.
pub(crate) struct Shim {
    lifecycle: Lifecycle,
    daemon: ReconnectingClient,
    introduced: AtomicBool,
}

/// One request on its way.
struct Forward {
    method: &'static str,
    params: RawParams,
    peer: Peer<RoleServer>,
    progress: Option<ProgressToken>,
    /// Whether the client's revision is the stateless one or later.
    stateless: bool,
}

/// The daemon's answer about a call's traits, asked with the call's own parameters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Traits {
    read_only: bool,
}

/// A sign of life, as the daemon sends it.
#[derive(Deserialize)]
struct Step {
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Shim {
    pub(crate) fn new(daemon: ReconnectingClient, listeners: Listeners, closing: Closing) -> Self {
        let lifecycle = Lifecycle { listeners, closing, has_channel: false };
        Self { lifecycle, daemon, introduced: AtomicBool::new(false) }
    }

    /// The same for a client that takes messages unasked.
    pub(crate) fn with_channel(mut self, has_channel: bool) -> Self {
        self.lifecycle.has_channel = has_channel;
        self
    }

    /// The part that answers by itself.
    #[cfg(feature = "embed")]
    pub(crate) fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// Tells the daemon's side who the client is, and begins to connect; once, with the first request.
    async fn introduce(&self, request: &ClientRequest, context: &RequestContext<RoleServer>) {
        if self.introduced.swap(true, Ordering::Relaxed) {
            return;
        }
        let client = match request {
            ClientRequest::InitializeRequest(request) => {
                let params = context.extensions.get::<RawParams>();
                if let Some(identity) = params.and_then(|params| asking::read_identity(&params.json)) {
                    self.daemon.introduce(identity).await;
                }
                Some(request.params.client_info.clone())
            }
            _ => context.client_info(),
        };
        if let Some(client) = client {
            self.daemon.update_hello(|hello| hello.name = format!("{} {}", client.name, client.version));
        }
        let daemon = self.daemon.clone();
        tokio::spawn(async move {
            // Should it fail: the first call tries again, and has somebody to tell.
            let _ = daemon.connected().await;
        });
    }

    async fn forward(&self, forward: Forward, template: ServerResult) -> Result<ServerResult, ErrorData> {
        let is_call = forward.method == "tools/call";
        let outcome = match &forward.params.ambiguous {
            Some(what) => Err(WireError::new(
                code::MALFORMED_JSON,
                format!(
                    "the call is ambiguous and was not made: {what}. Send each key once, and whole characters"
                ),
            )),
            None => self.call(&forward).await.map_err(ClientError::into_wire),
        };
        match outcome {
            Ok(json) => compose::compose_result(json, &template, forward.stateless).map_err(|what| {
                ErrorData::internal_error(format!("the daemon's result can't be passed on: {what}"), None)
            }),
            Err(error) if is_call && !(forward.stateless && is_of_protocol(&error)) => {
                Ok(compose::tool_error(&error, &template))
            }
            // A daemon without resources, say, has an empty list of them.
            Err(error) if error.code == code::UNKNOWN_METHOD && forward.method.ends_with("/list") => {
                Ok(template)
            }
            Err(error) => Err(protocol_error(error, forward.stateless)),
        }
    }

    /// One call, with its progress and its questions passed on meanwhile.
    async fn call(&self, forward: &Forward) -> Result<Vec<u8>, ClientError> {
        let params = forward.params.json.as_bytes();
        let mut options = if forward.method == "tools/call" {
            // Only a tool can change anything, and which ones only read is the daemon's knowledge.
            let asked = Question { method: "tools/traits", deadline: LIMIT, is_yes: only_reads };
            CallOptions { repeat: Repeat::Ask(asked), ..CallOptions::mutation().deadline(CALL_LIMIT) }
        } else {
            let may_wait = matches!(forward.method, "prompts/get" | "resources/read");
            CallOptions::read().deadline(if may_wait { CALL_LIMIT } else { LIMIT })
        };
        let (sender, mut steps) = mpsc::channel(PROGRESS);
        options.progress = forward.progress.is_some().then_some(sender);
        let (to, mut questions) = mpsc::channel(asking::QUEUE);
        options.questions = Some(to);
        // Within this task, so that a client that reads each request's messages apart gets them with this one's.
        let mut asking = FuturesUnordered::new();
        let mut call = std::pin::pin!(self.daemon.call(forward.method, params, options));
        let result = loop {
            tokio::select! {
                biased;
                Some(step) = steps.recv() => pass_on(&step, forward).await,
                Some(asked) = questions.recv() => asking.push(ask_client(asked, &forward.peer)),
                Some(()) = asking.next() => {}
                result = &mut call => break result,
            }
        };
        // After the answer there must be no progress any more, so what came before it goes out now.
        while let Ok(step) = steps.try_recv() {
            pass_on(&step, forward).await;
        }
        result
    }
}

impl Service<RoleServer> for Shim {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.introduce(&request, &context).await;
        let (Some(method), Some(params)) =
            (daemons_method(&request), context.extensions.get::<RawParams>().cloned())
        else {
            return self.lifecycle.handle_request(request, context).await;
        };
        let cancelled = context.ct.clone();
        let forward = Forward {
            method,
            params,
            peer: context.peer.clone(),
            progress: context.meta.get_progress_token(),
            stateless: context
                .protocol_version()
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28),
        };
        // This checks the request against the protocol revision, and returns the fields that the revision adds to a
        // result.
        let template = self.lifecycle.handle_request(request, context).await?;
        tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
            result = self.forward(forward, template) => result,
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.lifecycle.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.lifecycle)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.lifecycle)
    }
}

/// The daemon's name for a request that is the daemon's to answer.
fn daemons_method(request: &ClientRequest) -> Option<&'static str> {
    Some(match request {
        ClientRequest::CallToolRequest(_) => "tools/call",
        ClientRequest::ListToolsRequest(_) => "tools/list",
        ClientRequest::ListResourcesRequest(_) => "resources/list",
        ClientRequest::ListResourceTemplatesRequest(_) => "resources/templates/list",
        ClientRequest::ReadResourceRequest(_) => "resources/read",
        ClientRequest::ListPromptsRequest(_) => "prompts/list",
        ClientRequest::GetPromptRequest(_) => "prompts/get",
        ClientRequest::CompleteRequest(_) => "completion/complete",
        _ => return None,
    })
}

/// Whether the daemon marks a call as read-only.
fn only_reads(traits: &[u8]) -> bool {
    serde_json::from_slice::<Traits>(traits).is_ok_and(|is| is.read_only)
}

async fn pass_on(step: &[u8], call: &Forward) {
    let Ok(step) = serde_json::from_slice::<Step>(step) else { return };
    let Some(token) = &call.progress else { return };
    let mut notification = ProgressNotificationParam::new(token.clone(), step.progress);
    notification.total = step.total;
    notification.message = step.message;
    // A client that does not get this will not get the answer either.
    let _ = call.peer.notify_progress(notification).await;
}

/// Whether a call that failed so has no result in the newest revision: it was not one that the tool could answer.
fn is_of_protocol(error: &WireError) -> bool {
    matches!(error.code.as_str(), code::INVALID_PARAMS | code::MISSING_CAPABILITY)
}

fn protocol_error(error: WireError, stateless: bool) -> ErrorData {
    let number = match error.code.as_str() {
        code::UNKNOWN_METHOD => ErrorCode::METHOD_NOT_FOUND,
        code::MALFORMED_JSON | code::INVALID_PARAMS | code::PROMPT_NOT_FOUND => ErrorCode::INVALID_PARAMS,
        code::RESOURCE_NOT_FOUND if stateless => ErrorCode::INVALID_PARAMS,
        code::RESOURCE_NOT_FOUND => ErrorCode::RESOURCE_NOT_FOUND,
        code::MISSING_CAPABILITY if stateless => ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let data = Value::Object(compose::error_fields(&error, &[("code", &error.code)]));
    ErrorData::new(number, error.message, Some(data))
}
