//! From a method's name to the code that answers it. Knows no tool and no argument: tools answer `tools/…`, and the
//! modules of [`crate::admin`] answer the requests of `sdlctl`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dashmap::DashMap;
use sdl_contract::{Cancel, Names, Surface};
use sdl_proto::{ClientKind, WireError, code};
use sdl_tools::{MethodRequest, Origin, ProtocolError, Shown, ToolRequest, Tools};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::admin::{self, Admin};
use crate::engine::Engine;
use crate::feed::{self, Followed};
use crate::hook::{self, Parents};
use crate::rest::Rest;
use crate::server::{Call, Peer, ProgressFrames, Service};
use crate::turns::{Asker, Limits, Turns};
use crate::upstream::{self, Clients};
use crate::work;

/// Requests that are worked on at once; more wait their turn.
const WORKERS: Limits = Limits { all: 16, each: 12, people: 4 };

/// The events that say that a list changed.
const TOOLS: &str = "tools/list_changed";
const PROMPTS: &str = "prompts/list_changed";
const RESOURCES: &str = "resources/list_changed";

/// Routes requests.
pub struct Router {
    engine: Arc<Engine>,
    tools: Arc<Tools>,
    workers: Turns,
    rest: Rest,
    stop: Arc<Notify>,
    clients: Arc<Clients>,
    /// Which processes started the clients.
    parents: Arc<Parents>,
    /// Tells the lists that each session knows from others, by the event that says that a list changed.
    listed: DashMap<(u64, &'static str), u64>,
    /// The sessions that follow the daemon.
    following: DashMap<u64, Followed>,
}

impl Router {
    /// Routes to `engine`; `stop` is notified when a client asks the daemon to end.
    pub fn new(engine: Arc<Engine>, stop: Arc<Notify>) -> Self {
        let tools = Arc::new(Tools::new(engine.clone()));
        Self {
            engine,
            tools,
            workers: Turns::new(WORKERS),
            rest: Rest::default(),
            stop,
            clients: Arc::default(),
            parents: Arc::default(),
            listed: DashMap::new(),
            following: DashMap::new(),
        }
    }

    /// The sessions that are open.
    pub fn open_sessions(&self) -> Arc<Clients> {
        Arc::clone(&self.clients)
    }

    /// The tools that it routes to.
    pub fn tools(&self) -> &Arc<Tools> {
        &self.tools
    }

    /// Notifies the sessions of which a list is not the one that they last got or were notified of, and no others.
    pub fn announce_lists(&self) {
        for session in self.clients() {
            for event in [TOOLS, PROMPTS, RESOURCES] {
                let place = (session.id(), event);
                let Some(before) = self.listed.get(&place).map(|known| *known) else { continue };
                let now = self.mark_of(&session, event);
                let Some(mut known) = self.listed.get_mut(&place) else { continue };
                // If it is another one by now, the session knows a newer list.
                if now != before && *known == before {
                    *known = now;
                    session.notify(event, b"{}");
                }
            }
        }
    }

    /// Tells the list of a session that this event is about from others.
    fn mark_of(&self, session: &Arc<Peer>, event: &str) -> u64 {
        let offers = || self.tools.offer_marks(session.caller());
        match event {
            PROMPTS => offers().prompts,
            RESOURCES => offers().resources,
            _ => {
                with_origin(session, None, |origin| list_mark(&self.tools.list_for(session.caller(), origin)))
            }
        }
    }

    /// Notes that a session is about to get a list, by the method that it called.
    fn note_listed(&self, session: &Arc<Peer>, method: &str) {
        let event = match method {
            "prompts/list" => PROMPTS,
            "resources/list" | "resources/templates/list" => RESOURCES,
            _ => return,
        };
        self.listed.insert((session.id(), event), self.mark_of(session, event));
    }

    /// Lists the tools, or a page of them. Lists that were never read for such a client are read beside it, and announced.
    fn list_tools(&self, session: &Arc<Peer>, params: &[u8]) -> Result<Vec<u8>, WireError> {
        let Listing { meta } = serde_json::from_slice(params).unwrap_or_default();
        let meta = meta.as_deref().map_or("{}", RawValue::get);
        with_origin(session, Some(meta), |origin| {
            if let Some(upstreams) = self.engine.upstream_manager() {
                self.tools.unread_for(session.caller(), origin, |of| upstreams.read_beside(of));
            }
            self.tools.list_page(session.caller(), origin, params).map_err(wire_error)
        })
    }

    /// Writes the data that the tools keep in memory. To be called when no request runs any more.
    pub fn flush(&self) {
        self.tools.flush();
    }

    /// Runs `work` on a thread that may block. The server fires the call's [`Cancel`] when the caller goes away.
    async fn blocking<T: Send + 'static>(
        &self,
        session: &Peer,
        call: &Call,
        work: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Result<T, WireError> {
        let is_person = session.hello().kind == ClientKind::Ctl;
        let turn = self.workers.take(Asker { session: session.id(), is_person }).await;
        let turn = Arc::new(Mutex::new(Some(turn)));
        let held = Arc::clone(&turn);
        let give_back = move || drop(held.lock().unwrap_or_else(PoisonError::into_inner).take());
        let cancel = call.cancel.clone().with_turn(give_back);
        let (rest, engine) = (self.rest.clone(), Arc::clone(&self.engine));
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let begun = Instant::now();
            let done = work(&cancel);
            rest.note_request(begun.elapsed(), move || engine.give_memory_back());
            done
        })
        .await
        .map_err(|error| WireError {
            code: code::INTERNAL.into(),
            message: format!("the request failed inside the daemon ({error}); see its log"),
            detail: Vec::new(),
        })
    }

    /// Answers what MCP has beside tools.
    async fn answer_protocol(
        &self,
        session: &Arc<Peer>,
        call: &Call,
        progress: ProgressFrames,
    ) -> Result<Result<Vec<u8>, ProtocolError>, WireError> {
        let tools = Arc::clone(&self.tools);
        let (method, params, shown) = (call.method.clone(), call.params.clone(), shown_to(session));
        let client = upstream::Asker { peer: Arc::clone(session), request: Some(call.id) };
        self.blocking(session, call, move |cancel| {
            let request = MethodRequest { method: &method, params: &params, client: &client, shown };
            tools.protocol(client.peer.caller(), &request, &progress, cancel)
        })
        .await
    }

    async fn call_tool(
        &self,
        session: &Arc<Peer>,
        call: &Call,
        progress: ProgressFrames,
    ) -> Result<Vec<u8>, WireError> {
        let params: ToolCall = parse_params(&call.params)?;
        let tools = Arc::clone(&self.tools);
        let shown = shown_to(session);
        let client = upstream::Asker { peer: Arc::clone(session), request: Some(call.id) };
        self.blocking(session, call, move |cancel| {
            let origin = Origin {
                meta: params.meta.as_deref().map(RawValue::get),
                input_responses: params.input_responses.as_deref().map(RawValue::get),
                request_state: params.request_state.as_deref(),
                client: &client,
                shown,
            };
            let request =
                ToolRequest { name: &params.name, arguments: params.arguments().as_bytes(), origin };
            tools.answer_request(client.peer.caller(), &request, &progress, cancel)
        })
        .await?
        .map_err(wire_error)
    }
}

impl Router {
    /// The sessions of MCP clients that are open now.
    fn clients(&self) -> Vec<Arc<Peer>> {
        let open = self.clients.all().into_iter();
        open.filter(|session| session.hello().kind == ClientKind::Shim).collect()
    }
}

/// Changes the surface that a client sees and notifies it; returns whether the surface is new.
fn show_surface(session: &Peer, wanted: Surface) -> bool {
    let (surface, names) = shown_surface(session);
    let changed = surface != wanted;
    let wanted = surface_setting(wanted, names);
    session.set_surface(&wanted);
    if changed {
        session.notify("surface/changed", &params_of_surface(&wanted));
    }
    changed
}

impl Service for Router {
    fn session_opened(&self, session: &Arc<Peer>) -> Result<(), WireError> {
        self.clients.add(session);
        Ok(())
    }

    fn session_closed(&self, session: &Peer) {
        self.clients.remove(session.id());
        self.parents.forget(session.id());
        self.following.remove(&session.id());
        self.listed.retain(|(known, _), _| *known != session.id());
        if let Some(upstreams) = self.engine.upstream_manager() {
            upstreams.session_ended(session.id());
        }
        self.tools.session_ended(session.id());
    }

    async fn call(
        &self,
        session: Arc<Peer>,
        call: Call,
        progress: ProgressFrames,
    ) -> Result<Vec<u8>, WireError> {
        let method = call.method.as_str();
        if session.caller().principal.is_some() && !is_for_principals(method) {
            return Err(unknown_method(method));
        }
        match method {
            "tools/call" => self.call_tool(&session, &call, progress).await,
            "tools/list" => {
                let mark = self.mark_of(&session, TOOLS);
                self.listed.insert((session.id(), TOOLS), mark);
                self.list_tools(&session, &call.params)
            }
            "tools/traits" => {
                let params: ToolCall = parse_params(&call.params)?;
                let reads = self.tools.is_read_call(&params.name, params.arguments().as_bytes());
                Ok(format!("{{\"readOnly\":{reads}}}").into_bytes())
            }
            "surface/set" => {
                let params: ToolName = parse_params(&call.params)?;
                let known = Surface::from_name(&params.name)
                    .ok_or_else(|| bad_params(format!("there is no surface {:?}", params.name)))?;
                show_surface(&session, known);
                Ok(b"{}".to_vec())
            }
            "surface/set-all" => {
                let params: ToolName = parse_params(&call.params)?;
                let known = Surface::from_name(&params.name)
                    .ok_or_else(|| bad_params(format!("there is no surface {:?}", params.name)))?;
                let clients = self.clients();
                let changed = clients.iter().filter(|client| show_surface(client, known)).count();
                Ok(format!("{{\"clients\":{},\"changed\":{changed}}}", clients.len()).into_bytes())
            }
            method if sdl_tools::is_protocol_method(method) => {
                self.note_listed(&session, method);
                self.answer_protocol(&session, &call, progress).await?.map_err(wire_error)
            }
            "work/channel" => {
                let (tools, caller, params) =
                    (Arc::clone(&self.tools), Arc::clone(&session), call.params.clone());
                self.blocking(&session, &call, move |cancel| {
                    work::wait_channel(&tools, caller.caller(), &params, cancel)
                })
                .await?
            }
            hook::REMIND => {
                let (tools, clients) = (Arc::clone(&self.tools), Arc::clone(&self.clients));
                let (parents, params) = (Arc::clone(&self.parents), call.params.clone());
                let caller = Arc::clone(&session);
                self.blocking(&session, &call, move |cancel| {
                    hook::answer_hook(&tools, (&clients, &parents), &caller, &params, cancel)
                })
                .await?
            }
            method if method.starts_with(work::METHODS) => {
                let (tools, clients) = (Arc::clone(&self.tools), Arc::clone(&self.clients));
                let (method, params) = (call.method.clone(), call.params.clone());
                self.blocking(&session, &call, move |_| {
                    work::answer_work(&tools, &clients, (&method, &params))
                })
                .await?
            }
            "feed/follow" => {
                let (followed, answer) = feed::follow_session(&self.engine, &session, &call.params)?;
                self.following.insert(session.id(), followed);
                Ok(answer)
            }
            "feed/unfollow" => {
                self.following.remove(&session.id());
                Ok(b"{}".to_vec())
            }
            "daemon/ping" => Ok(b"{}".to_vec()),
            "daemon/status" => Ok(admin::status::status_answer(&self.engine)),
            "daemon/stop" => {
                self.stop.notify_one();
                Ok(b"{}".to_vec())
            }
            method => {
                let Some(run) = admin::find_method(method) else { return Err(unknown_method(method)) };
                let engine = Arc::clone(&self.engine);
                let params = call.params.clone();
                let caller = Arc::clone(&session);
                self.blocking(&session, &call, move |cancel| {
                    let hello = caller.hello();
                    let admin = Admin {
                        engine: &engine,
                        cancel,
                        progress: &progress,
                        kind: hello.kind,
                        session: caller.id(),
                        client: &hello.name,
                    };
                    run(&admin, &params)
                })
                .await?
            }
        }
    }
}

fn wire_error(error: ProtocolError) -> WireError {
    let ProtocolError { code, message, details } = error;
    let detail =
        if details.is_empty() { Vec::new() } else { Value::Object(details).to_string().into_bytes() };
    WireError { code: code.into(), message, detail }
}

/// Whether a principal may call a method: those of MCP, and none by which a person runs the daemon.
fn is_for_principals(method: &str) -> bool {
    matches!(method, "tools/call" | "tools/list" | "tools/traits" | "daemon/ping")
        || sdl_tools::is_protocol_method(method)
}

fn unknown_method(method: &str) -> WireError {
    let text = format!("this daemon knows no method {method:?}; it may be older than its client");
    WireError::new(code::UNKNOWN_METHOD, text)
}

/// Does something for a request for the list of tools with this `_meta`.
fn with_origin<T>(session: &Arc<Peer>, meta: Option<&str>, work: impl FnOnce(&Origin<'_>) -> T) -> T {
    let client = upstream::Asker { peer: Arc::clone(session), request: None };
    work(&Origin { meta, client: &client, shown: shown_to(session), ..Origin::default() })
}

/// What a session is listed.
pub(crate) fn shown_to(session: &Peer) -> Shown {
    let (surface, names) = shown_surface(session);
    Shown { surface, output_schemas: session.hello().output_schemas, names }
}

/// The parameters of `tools/list` that matter.
#[derive(Default, Deserialize)]
struct Listing {
    #[serde(default, rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

/// Tells one list from another.
fn list_mark(listed: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    listed.hash(&mut hasher);
    hasher.finish()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
    #[serde(default, rename = "_meta")]
    meta: Option<Box<RawValue>>,
    #[serde(default)]
    input_responses: Option<Box<RawValue>>,
    #[serde(default)]
    request_state: Option<String>,
}

impl ToolCall {
    /// The arguments as they came.
    fn arguments(&self) -> &str {
        self.arguments.as_deref().map_or("{}", RawValue::get)
    }
}

#[derive(Deserialize)]
struct ToolName {
    name: String,
}

/// Reads a method's parameters.
pub(crate) fn parse_params<'a, T: Deserialize<'a>>(params: &'a [u8]) -> Result<T, WireError> {
    serde_json::from_slice(params).map_err(|error| bad_params(format!("bad parameters: {error}")))
}

fn bad_params(message: String) -> WireError {
    WireError { code: code::PROTOCOL.into(), message, detail: Vec::new() }
}

fn params_of_surface(surface: &str) -> Vec<u8> {
    format!("{{\"surface\":\"{surface}\"}}").into_bytes()
}

/// Separates a surface's name from the spelling of names, as in `flat+dotted`.
const SPELLED: char = '+';

/// A session's surface, and how names are spelled there. An unknown value means the default.
fn shown_surface(session: &Peer) -> (Surface, Names) {
    let setting = session.surface();
    let (surface, names) = setting.split_once(SPELLED).unwrap_or((&setting, ""));
    (Surface::from_name(surface).unwrap_or_default(), Names::from_name(names).unwrap_or_default())
}

/// The same as a session's setting.
fn surface_setting(surface: Surface, names: Names) -> String {
    match names {
        Names::Underscored => surface.name().to_owned(),
        names @ Names::Dotted => format!("{}{SPELLED}{}", surface.name(), names.name()),
    }
}
