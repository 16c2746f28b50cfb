//! One connection's books: which requests wait for an answer, and what the upstream sent that nobody waits for.
//!
//! Every message passes here as text, in both directions, whatever the transport. Forwarded requests bypass
//! rmcp: results go to their [`Track`], progress too, and of notifications rmcp hears only those that it acts on.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientResult, CustomRequest, CustomResult, GetExtensions, GetMeta, JsonRpcMessage,
    NumberOrString, RequestId, ServerJsonRpcMessage, ServerRequest, ServerResult,
};
use rmcp::service::RxJsonRpcMessage;
use sdl_proto::code;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::flag::Flag;
use crate::trouble::Trouble;
use crate::wire::flood::Flood;
use crate::wire::params::{Members, with_meta};
use crate::wire::skipped::find_id;
use crate::wire::track::{Outcome, RawRequest, Track};

/// The member of `_meta` that says what the client can be asked, from 2026-07-28 on.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Answers that nobody waits for. After more the connection is restarted.
const MAX_STRAYS: u64 = 100;

/// Requests of an upstream that have no answer yet. After more the connection is restarted.
const MAX_ASKED: usize = 256;

/// Cancelled requests whose late answers are recognised.
const MAX_CANCELLED: usize = 256;

/// Which lists the upstream says have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

impl Changed {
    pub(crate) fn any(self) -> bool {
        self.tools || self.prompts || self.resources
    }
}

/// What to do with a message of the upstream.
pub(crate) enum Inbound {
    /// To be passed to rmcp.
    Message(Box<RxJsonRpcMessage<RoleClient>>),
    /// Dealt with.
    Nothing,
    /// The connection must end.
    Broken,
}

/// A message as it is sent.
pub(crate) struct Outbound {
    pub(crate) text: String,
    /// The forwarded request that it is.
    pub(crate) track: Option<Arc<Track>>,
}

/// See the module.
pub(crate) struct Link {
    clock: Clock,
    books: Mutex<Books>,
    changed: watch::Sender<Changed>,
    /// Raised when nothing comes any more.
    pub(crate) closed: Flag,
    notes: Notes,
    /// Messages of ours that the upstream has not read.
    unread: AtomicUsize,
}

/// Takes lines for the upstream's log.
pub(crate) type Notes = Box<dyn Fn(&str) + Send + Sync>;

#[derive(Default)]
struct Books {
    pending: HashMap<i64, Pending>,
    /// By progress token.
    tokens: HashMap<i64, Arc<Track>>,
    /// One more than the highest id that was used.
    next_id: i64,
    cancelled: Vec<i64>,
    asked: usize,
    /// The parameters of requests that rmcp has not handed on yet.
    questions: HashMap<RequestId, Arc<str>>,
    flood: Flood,
    strays: u64,
    counts: BTreeMap<&'static str, u64>,
    /// Why the connection was ended by us.
    fault: Option<Trouble>,
}

impl Books {
    /// Notes that the answer to a request does not matter any more.
    fn forget(&mut self, id: i64) {
        let Some(pending) = self.pending.remove(&id) else { return };
        if let Some(token) = pending.token {
            self.tokens.remove(&token);
        }
        if self.cancelled.len() == MAX_CANCELLED {
            self.cancelled.remove(0);
        }
        self.cancelled.push(id);
    }

    /// Forgets the requests that came before `initialize`. A server that took long to start may answer `server/discover` when
    /// rmcp has given it up already, and rmcp would take that for the answer to `initialize`.
    fn give_up_probe(&mut self) {
        let given_up: Vec<i64> = self.pending.keys().copied().collect();
        for id in given_up {
            self.forget(id);
        }
    }
}

struct Pending {
    /// None for what rmcp itself asked.
    track: Option<Arc<Track>>,
    token: Option<i64>,
}

#[derive(Deserialize)]
struct Envelope<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'t, str>>,
    #[serde(borrow)]
    params: Option<&'t RawValue>,
    #[serde(borrow)]
    result: Option<&'t RawValue>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
}

impl Link {
    pub(crate) fn new(clock: Clock, notes: Notes) -> Arc<Self> {
        Arc::new(Self {
            clock,
            books: Mutex::default(),
            changed: watch::Sender::new(Changed::default()),
            closed: Flag::default(),
            notes,
            unread: AtomicUsize::new(0),
        })
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts something odd.
    pub(crate) fn count(&self, what: &'static str) {
        *self.books().counts.entry(what).or_default() += 1;
    }

    /// Takes what was counted since the last time.
    pub(crate) fn take_counts(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.books().counts)
    }

    /// Why we ended the connection, if we did.
    pub(crate) fn fault(&self) -> Option<Trouble> {
        self.books().fault.clone()
    }

    /// Lists that changed. The receiver sets them back with [`Link::take_changed`].
    pub(crate) fn watch_changed(&self) -> watch::Receiver<Changed> {
        self.changed.subscribe()
    }

    pub(crate) fn take_changed(&self) -> Changed {
        self.changed.send_replace(Changed::default())
    }

    /// Notes that any list may have changed, because the upstream does not tell any more.
    pub(crate) fn note_changes(&self) {
        self.changed.send_replace(Changed { tools: true, prompts: true, resources: true });
    }

    /// The tracks of forwarded requests that wait for their answer.
    pub(crate) fn waiting(&self) -> Vec<Arc<Track>> {
        self.books().pending.values().filter_map(|pending| pending.track.clone()).collect()
    }

    /// Notes that the answer to a request does not matter any more.
    pub(crate) fn forget(&self, id: &RequestId) {
        let NumberOrString::Number(id) = id else { return };
        self.books().forget(*id);
    }

    /// The parameters of a request of the upstream, as it wrote them.
    pub(crate) fn take_question(&self, id: &RequestId) -> Option<Arc<str>> {
        self.books().questions.remove(id)
    }

    /// How many messages of ours the upstream has not read.
    pub(crate) fn unread(&self) -> usize {
        self.unread.load(Ordering::SeqCst)
    }

    /// To be called when a message of ours was read, or never will be.
    pub(crate) fn was_read(&self) {
        self.unread.fetch_sub(1, Ordering::SeqCst);
    }

    /// A message of ours as text, and in the books. [`Link::was_read`] has to follow.
    pub(crate) fn outbound(&self, message: &ClientJsonRpcMessage) -> std::io::Result<Outbound> {
        self.unread.fetch_add(1, Ordering::SeqCst);
        self.write_outbound(message)
    }

    fn write_outbound(&self, message: &ClientJsonRpcMessage) -> std::io::Result<Outbound> {
        match message {
            JsonRpcMessage::Request(request) => {
                let raw = request.request.extensions().get::<RawRequest>().cloned();
                let meta = request.request.get_meta();
                let token = meta.get_progress_token().and_then(|token| match token.0 {
                    NumberOrString::Number(token) => Some(token),
                    NumberOrString::String(_) => None,
                });
                let text = match &raw {
                    Some(raw) => {
                        let id = serde_json::to_string(&request.id)?;
                        let method = serde_json::to_string(request.request.method())?;
                        let mut meta = serde_json::to_value(meta)?;
                        if let (Some(client), Some(stated)) = (&raw.client, meta.get_mut(CAPABILITIES)) {
                            *stated = Value::Object(client.clone());
                        }
                        let params = with_meta(&raw.params, &meta.to_string())?;
                        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
                    }
                    None => serde_json::to_string(message)?,
                };
                let track = raw.map(|raw| raw.track);
                if let NumberOrString::Number(id) = request.id {
                    let mut books = self.books();
                    if request.request.method() == "initialize" {
                        books.give_up_probe();
                    }
                    books.next_id = books.next_id.max(id + 1);
                    if let (Some(token), Some(track)) = (token, &track) {
                        books.tokens.insert(token, Arc::clone(track));
                    }
                    books.pending.insert(id, Pending { track: track.clone(), token });
                }
                Ok(Outbound { text, track })
            }
            JsonRpcMessage::Response(response) => {
                let mut books = self.books();
                books.asked = books.asked.saturating_sub(1);
                drop(books);
                let text = match &response.result {
                    // The text of an answer that came from the daemon.
                    ClientResult::CustomResult(CustomResult(Value::String(result))) => {
                        let id = serde_json::to_string(&response.id)?;
                        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
                    }
                    _ => serde_json::to_string(message)?,
                };
                Ok(Outbound { text, track: None })
            }
            JsonRpcMessage::Error(_) => {
                let mut books = self.books();
                books.asked = books.asked.saturating_sub(1);
                drop(books);
                Ok(Outbound { text: serde_json::to_string(message)?, track: None })
            }
            JsonRpcMessage::Notification(_) => {
                Ok(Outbound { text: serde_json::to_string(message)?, track: None })
            }
        }
    }

    /// A message of the upstream.
    pub(crate) fn inbound(&self, bytes: &[u8]) -> Inbound {
        let text = std::str::from_utf8(bytes).ok().map(|text| text.trim_start_matches('\u{feff}').trim());
        let Some(text) = text else { return self.unreadable(bytes, "a line that is not UTF-8") };
        if text.is_empty() {
            return Inbound::Nothing;
        }
        let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
            Ok(envelope) if text.starts_with('{') => envelope,
            _ => return self.unreadable(bytes, "a line that is no JSON-RPC"),
        };
        match (&envelope.method, envelope.id) {
            (Some(method), Some(id)) => self.asked(text, method, id, envelope.params),
            (Some(method), None) => self.notified(text, method, envelope.params),
            (None, Some(id)) => self.answered(text, id.get(), &envelope),
            (None, None) => self.unreadable(bytes, "a message without method and id"),
        }
    }

    /// Something that is no message. If it is the answer to a request all the same, its caller gets an error.
    fn unreadable(&self, bytes: &[u8], what: &str) -> Inbound {
        let shown = String::from_utf8_lossy(bytes.get(..200).unwrap_or(bytes)).into_owned();
        (self.notes)(&format!("{what}: {shown}"));
        self.count("noise");
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Inbound::Nothing;
        }
        let trouble = || Trouble::protocol("the upstream's answer is not JSON-RPC");
        find_id(bytes, bytes).and_then(|id| self.fail_one(id, trouble())).unwrap_or(Inbound::Nothing)
    }

    /// A message that is longer than allowed, of which this is the beginning. False if the connection must end, because it
    /// isn't known whose answer it is.
    pub(crate) fn too_long(&self, head: &[u8]) -> Inbound {
        self.count("tooLong");
        let trouble = || {
            let most = crate::wire::MAX_MESSAGE_BYTES >> 20;
            Trouble::new(code::RESULT_TOO_LARGE, format!("the upstream's answer is above {most} MiB"))
        };
        if let Some(message) = find_id(head, b"").and_then(|id| self.fail_one(id, trouble())) {
            return message;
        }
        self.fail_all(&trouble());
        break_off(&mut self.books(), "flood", trouble())
    }

    /// Gives every forwarded request that waits this outcome.
    pub(crate) fn fail_all(&self, trouble: &Trouble) {
        for track in self.waiting() {
            track.settle(Err(trouble.clone()));
        }
    }

    /// A line that never ended.
    pub(crate) fn endless(&self) -> Inbound {
        let trouble = Trouble::new(code::RESULT_TOO_LARGE, "the upstream sends without an end of line");
        self.fail_all(&trouble);
        break_off(&mut self.books(), "flood", trouble)
    }

    /// The answer to a request that waits, from here. None if no request of that id waits.
    pub(crate) fn fail_one(&self, id: i64, trouble: Trouble) -> Option<Inbound> {
        let pending = self.end_pending(id)?;
        Some(match pending.track {
            Some(track) => settled(id, &track, Err(trouble)),
            None => Inbound::Nothing,
        })
    }

    /// Notes that a request could not be made. Without an id it was one that nobody waits for.
    #[cfg(feature = "http")]
    pub(crate) fn fail_request(&self, id: Option<i64>, trouble: Trouble) {
        let Some(pending) = id.and_then(|id| self.end_pending(id)) else { return };
        match pending.track {
            Some(track) => track.settle(Err(trouble)),
            // One of rmcp's own, so the start has failed.
            None => {
                self.books().fault.get_or_insert(trouble);
            }
        }
    }

    fn end_pending(&self, id: i64) -> Option<Pending> {
        let mut books = self.books();
        let pending = books.pending.remove(&id)?;
        if let Some(token) = pending.token {
            books.tokens.remove(&token);
        }
        Some(pending)
    }

    fn answered(&self, text: &str, id: &str, envelope: &Envelope<'_>) -> Inbound {
        // A number may be sent back as text.
        let number: Option<i64> = id.trim_matches('"').parse().ok();
        let Some((id, pending)) = number.and_then(|id| Some((id, self.end_pending(id)?))) else {
            return self.stray(number);
        };
        let Some(track) = pending.track else {
            return match serde_json::from_str::<ServerJsonRpcMessage>(text) {
                Ok(message) => Inbound::Message(Box::new(message)),
                Err(error) => {
                    let fault =
                        Trouble::down(format!("the upstream's answer is not of the protocol: {error}"));
                    break_off(&mut self.books(), "badAnswer", fault)
                }
            };
        };
        let outcome = match (envelope.result, envelope.error) {
            (Some(result), None) if result.get().starts_with('{') => Ok(result.get().to_owned()),
            (None, Some(error)) => Err(protocol_error(error.get())),
            _ => {
                self.count("badAnswer");
                Err(Trouble::protocol("the upstream's result is not an object"))
            }
        };
        settled(id, &track, outcome)
    }

    /// An answer that nobody waits for.
    fn stray(&self, id: Option<i64>) -> Inbound {
        let mut books = self.books();
        if let Some(at) = books.cancelled.iter().position(|cancelled| Some(*cancelled) == id) {
            books.cancelled.remove(at);
            *books.counts.entry("lateAnswer").or_default() += 1;
            return Inbound::Nothing;
        }
        let was_used = id.is_some_and(|id| (0..books.next_id).contains(&id));
        *books.counts.entry(if was_used { "duplicateAnswer" } else { "unknownId" }).or_default() += 1;
        books.strays += 1;
        if books.strays < MAX_STRAYS {
            return Inbound::Nothing;
        }
        let fault = Trouble::down(format!("the upstream sent {MAX_STRAYS} answers that nobody waited for"));
        break_off(&mut books, "strays", fault)
    }

    /// True if there are too many messages.
    fn is_flood(&self, books: &mut Books) -> bool {
        books.flood.count_one(self.clock.now())
    }

    /// A request of the upstream.
    fn asked(&self, text: &str, method: &str, id: &RawValue, params: Option<&RawValue>) -> Inbound {
        let mut books = self.books();
        if self.is_flood(&mut books) || books.asked >= MAX_ASKED {
            let fault = Trouble::down("the upstream floods its client with requests");
            return break_off(&mut books, "flood", fault);
        }
        let Ok(id) = serde_json::from_str::<RequestId>(id.get()) else {
            *books.counts.entry("noise").or_default() += 1;
            return Inbound::Nothing;
        };
        books.asked += 1;
        drop(books);
        if method == "ping" {
            return match serde_json::from_str::<ServerJsonRpcMessage>(text) {
                Ok(message) => Inbound::Message(Box::new(message)),
                Err(_) => Inbound::Nothing,
            };
        }
        let request = CustomRequest::new(method, None);
        let mut books = self.books();
        if books.questions.len() >= MAX_ASKED {
            books.questions.clear();
        }
        books.questions.insert(id.clone(), Arc::from(params.map_or("{}", RawValue::get)));
        drop(books);
        Inbound::Message(Box::new(JsonRpcMessage::request(ServerRequest::CustomRequest(request), id)))
    }

    fn notified(&self, text: &str, method: &str, params: Option<&RawValue>) -> Inbound {
        let mut books = self.books();
        if self.is_flood(&mut books) {
            let fault = Trouble::down("the upstream floods its client with notifications");
            return break_off(&mut books, "flood", fault);
        }
        let changed = match method {
            "notifications/progress" => {
                let params = params.map_or("{}", RawValue::get);
                if let Some((track, params)) = progress_of(&books, params) {
                    track.report_progress(Arc::from(params));
                } else {
                    *books.counts.entry("lateProgress").or_default() += 1;
                }
                return Inbound::Nothing;
            }
            "notifications/tools/list_changed" => Changed { tools: true, ..Changed::default() },
            "notifications/prompts/list_changed" => Changed { prompts: true, ..Changed::default() },
            "notifications/resources/list_changed" => Changed { resources: true, ..Changed::default() },
            "notifications/cancelled" | "notifications/subscriptions/acknowledged" => {
                if method == "notifications/cancelled" {
                    // rmcp drops the answer to a request that is withdrawn.
                    books.asked = books.asked.saturating_sub(1);
                }
                return match serde_json::from_str::<ServerJsonRpcMessage>(text) {
                    Ok(message) => Inbound::Message(Box::new(message)),
                    Err(_) => Inbound::Nothing,
                };
            }
            _ => {
                *books.counts.entry("otherNotification").or_default() += 1;
                drop(books);
                if method == "notifications/message" {
                    let params = params.map_or("{}", RawValue::get);
                    (self.notes)(&format!("log: {}", params.chars().take(2_000).collect::<String>()));
                }
                return Inbound::Nothing;
            }
        };
        drop(books);
        self.changed.send_modify(|all| {
            all.tools |= changed.tools;
            all.prompts |= changed.prompts;
            all.resources |= changed.resources;
        });
        Inbound::Nothing
    }
}

/// Ends the connection for a reason that its calls report.
fn break_off(books: &mut Books, count: &'static str, fault: Trouble) -> Inbound {
    *books.counts.entry(count).or_default() += 1;
    books.fault.get_or_insert(fault);
    Inbound::Broken
}

/// Settles a forwarded request. rmcp hears only that there is an answer.
fn settled(id: i64, track: &Track, outcome: Outcome) -> Inbound {
    track.settle(outcome);
    let result = ServerResult::CustomResult(CustomResult(Value::Null));
    Inbound::Message(Box::new(JsonRpcMessage::response(result, RequestId::Number(id))))
}

/// The track that a progress notification is for, and its parameters without their token.
fn progress_of(books: &Books, params: &str) -> Option<(Arc<Track>, String)> {
    let members = Members::read(params).ok()?;
    let token: i64 = members.get("progressToken")?.trim_matches('"').parse().ok()?;
    let track = books.tokens.get(&token)?;
    Some((Arc::clone(track), members.without("progressToken")))
}

/// An error with which the upstream answered.
fn protocol_error(error: &str) -> Trouble {
    let value = serde_json::from_str::<Value>(error).unwrap_or(Value::Null);
    let message = value.get("message").and_then(Value::as_str).unwrap_or("an error without a message");
    let shown: String = message.chars().take(2_000).collect();
    Trouble::protocol(format!("the upstream answered with an error: {shown}")).with("error", value)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        ClientRequest, DiscoverRequest, DiscoverRequestParams, InitializeRequest, InitializeRequestParams,
    };
    use serde_json::json;

    use super::*;

    fn send_request(link: &Link, id: i64, request: ClientRequest) {
        link.write_outbound(&JsonRpcMessage::request(request, RequestId::Number(id))).unwrap();
    }

    #[test]
    fn an_answer_to_a_probe_that_was_given_up_is_not_the_answer_to_initialize() {
        let link = Link::new(Clock::real(), Box::new(|_| {}));
        send_request(
            &link,
            0,
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams::default())),
        );
        send_request(
            &link,
            1,
            ClientRequest::InitializeRequest(InitializeRequest::new(InitializeRequestParams::default())),
        );
        let late = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no such method"}});
        assert!(matches!(link.inbound(late.to_string().as_bytes()), Inbound::Nothing));
        assert_eq!(link.take_counts(), BTreeMap::from([("lateAnswer", 1)]));
        let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}});
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        assert!(matches!(link.inbound(answer.to_string().as_bytes()), Inbound::Message(_)));
    }
}
