//! The conversation during a call: an upstream may ask its client something before it answers.
//!
//! A client can be asked beside the call, by a request of its own; or within it: the call is answered with `input_required`,
//! and goes on when the client sends it again with the answers. Both sides may speak either way, so there are four cases.

use std::collections::BTreeMap;

use sdl_proto::gate::Owner;
use sdl_settings::Lifecycle;
use serde_json::{Map, Value, json};

use super::asking::{ask_beside, input_required, read_responses};
use crate::call::context::Call;
use crate::call::origin::Way;
use crate::call::upstream::{
    CallMark, Forwarded, Listed, Parked, Rest, kind_of, mark_question, mark_requests, mask_likely,
};
use crate::guard::audit::Row;
use crate::host::{Event, Exchange, OpenQuestion, Outgoing, Question, Upstreams};
use crate::{Code, Explained, ToolError};

/// How often an upstream may answer a call with questions.
const MOST_ROUNDS: usize = 10;
/// The first revision of MCP in which a server asks in its answer.
const ASKS_WITHIN: &str = "2026-07-28";

/// Takes the call that this one goes on with. An error if it names one that does not wait.
pub(super) fn resume_call(call: &Call<'_>, mark: &CallMark) -> Result<Option<Parked>, ToolError> {
    let Some(state) = call.origin.request_state else { return Ok(None) };
    let parked = call.upstream.parked.take(state, mark, call.leases.now());
    parked.map(Some).ok_or_else(|| {
        let message = "no call with these arguments waits under this requestState: it may have gone on, or waited for more \
                       than ten minutes; send the call again without requestState and inputResponses";
        ToolError::invalid("requestState", message)
    })
}

/// The thing of an upstream that a client asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// The upstream's key.
    pub(super) key: &'a str,
    /// What it is, as rows of the log name it: `tool`, `prompt`, `resource`.
    pub(super) kind: &'static str,
    /// Its name for the upstream.
    pub(super) name: &'a str,
}

/// A request to an upstream, from the first time that it is sent to its answer.
pub(super) struct Conversation<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) upstream: &'a Listed,
    pub(super) wanted: Wanted<'a>,
    /// The protocol's method, such as `tools/call`.
    pub(super) method: &'static str,
    /// The parameters as JSON text, without the client's answers.
    pub(super) params: String,
    /// Whether it may be sent again if the first try may have arrived.
    pub(super) is_repeatable: bool,
    pub(super) mark: CallMark,
    /// How the client can be asked by this upstream.
    pub(super) way: Way,
    /// Whether the person has allowed the call where a rule wants that.
    pub(super) is_confirmed: bool,
}

impl Conversation<'_> {
    /// Has the conversation. Secrets are masked in its result, which may ask the client to go on with answers.
    pub(super) fn hold(self, resumed: Option<Parked>) -> Result<Forwarded, ToolError> {
        let Some(upstreams) = self.call.host.upstreams() else {
            let message = "no upstream is connected; ask again in a moment";
            return Err(ToolError::new(Code::UpstreamDown, message));
        };
        self.call.cancel.give_turn_back();
        let mut result = self.converse(upstreams, resumed)?;
        result.mask(&upstreams.secrets(), self.upstream.entry.own.redact);
        self.call.upstream.links.note(self.call.session.id, &self.upstream.key, &result.object);
        Ok(result)
    }

    fn converse(&self, upstreams: &dyn Upstreams, resumed: Option<Parked>) -> Result<Forwarded, ToolError> {
        let mut exchange = match resumed.map(|parked| parked.rest) {
            None => self.send(upstreams, self.early_answers().as_ref())?,
            Some(Rest::Confirm) => self.send(upstreams, None)?,
            Some(Rest::Exchange(exchange, questions)) => {
                self.answer_questions(exchange.as_ref(), &questions);
                exchange
            }
            Some(Rest::Repeat(state)) => {
                let responses = read_responses(self.call).unwrap_or_default();
                self.send(upstreams, Some(&Answers { responses, state }))?
            }
        };
        for _ in 0..MOST_ROUNDS {
            let result = match self.listen(exchange)? {
                Heard::Answer(bytes) => Forwarded::read(bytes)?,
                Heard::Parked(asks) => return Ok(asks),
            };
            let Some((mut requests, state)) = self.read_input_required(&result) else { return Ok(result) };
            mark_requests(self.wanted.key, &mut requests);
            for request in requests.values() {
                self.note_question(request.get("method").and_then(Value::as_str).unwrap_or_default());
            }
            match &self.way {
                Way::Within(_) => return self.park(requests, Rest::Repeat(state)),
                Way::Beside(_) => {
                    let responses = self.ask_all(requests)?;
                    exchange = self.send(upstreams, Some(&Answers { responses, state }))?;
                }
                Way::None => {
                    return Err(self.unable("something, and nobody can be asked here"));
                }
            }
        }
        Err(self.unable(&format!("something {MOST_ROUNDS} times and did not answer the call")))
    }

    /// Sends the request; with answers if it is sent again.
    fn send(
        &self,
        upstreams: &dyn Upstreams,
        answers: Option<&Answers>,
    ) -> Result<Box<dyn Exchange>, ToolError> {
        upstreams.begin(&Outgoing {
            key: &self.upstream.key,
            owner: owner_of(self.call, self.upstream.entry.own.lifecycle),
            method: self.method,
            params: answers.map_or_else(|| self.params.clone(), |answers| answers.add_to(&self.params)),
            is_repeatable: self.is_repeatable,
            client: self.way.capabilities().cloned().unwrap_or_default(),
        })
    }

    /// Whether the upstream speaks a revision of the protocol in which it asks in its answer.
    fn can_ask_within(&self) -> bool {
        let lists = self.upstream.reading.lists.as_ref();
        lists.is_some_and(|lists| lists.era.as_str() >= ASKS_WITHIN)
    }

    /// Answers that come with a request which nothing waits for: to questions that the client knows already. Whether they are any
    /// good is for the upstream to say.
    fn early_answers(&self) -> Option<Answers> {
        let asks_within = matches!(self.way, Way::Within(_)) && self.can_ask_within();
        let responses = read_responses(self.call).filter(|_| asks_within)?;
        Some(Answers { responses, state: None })
    }

    /// Waits for the answer. Questions meanwhile go to the client, or end the wait if it can only be asked in an answer.
    fn listen(&self, mut exchange: Box<dyn Exchange>) -> Result<Heard, ToolError> {
        let mut open: BTreeMap<u64, OpenQuestion> = BTreeMap::new();
        loop {
            let question = match exchange.next_event(self.call.progress, self.call.cancel)? {
                Event::Answered(bytes) => return Ok(Heard::Answer(bytes)),
                Event::Withdrawn(number) => {
                    open.remove(&number);
                    continue;
                }
                Event::Asked(question) => question,
            };
            let reply = exchange.reply_to(question.number);
            if !kind_of(&question.method).is_some_and(|kind| self.way.can_ask(kind)) {
                reply(Err(format!("the client can't be asked for {}", question.method)));
                continue;
            }
            self.note_question(&question.method);
            let params = mark_question(self.wanted.key, &question.method, &question.params);
            match &self.way {
                Way::None => reply(Err("nobody can be asked".to_owned())),
                Way::Beside(_) => {
                    open.insert(
                        question.number,
                        self.call.origin.client.ask(&question.method, params, reply),
                    );
                }
                Way::Within(_) => {
                    let Question { number, method, .. } = question;
                    let name = format!("ask_{number}");
                    let params: Value = serde_json::from_slice(&params).unwrap_or_default();
                    let requests = [(name.clone(), json!({"method": method, "params": params}))];
                    let rest = Rest::Exchange(exchange, vec![(name, number)]);
                    return self.park(requests.into_iter().collect(), rest).map(Heard::Parked);
                }
            }
        }
    }

    /// Answers the questions that an upstream waits for with what the client has sent.
    fn answer_questions(&self, exchange: &dyn Exchange, questions: &[(String, u64)]) {
        let mut responses = read_responses(self.call).unwrap_or_default();
        for (name, number) in questions {
            let answer = responses.remove(name).map(|answer| answer.to_string().into_bytes());
            exchange.reply_to(*number)(
                answer.ok_or_else(|| "the client did not answer the question".to_owned()),
            );
        }
    }

    /// The requests and the state of a result that asks for input.
    fn read_input_required(&self, result: &Forwarded) -> Option<(Map<String, Value>, Option<String>)> {
        (self.can_ask_within() && result.asks()).then(|| {
            let requests = result.object.get("inputRequests").and_then(Value::as_object).cloned();
            let state = result.object.get("requestState").and_then(Value::as_str).map(str::to_owned);
            (requests.unwrap_or_default(), state)
        })
    }

    /// Asks the client one thing after the other, beside the call.
    fn ask_all(&self, requests: Map<String, Value>) -> Result<Map<String, Value>, ToolError> {
        let ask_one = |(name, request): (String, Value)| {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let kind = kind_of(method).filter(|kind| self.way.can_ask(kind));
            let params = request.get("params").cloned().unwrap_or_else(|| json!({}));
            let answer = match kind {
                Some(_) => ask_beside(self.call, method, params.to_string().into_bytes()),
                None => Err(format!("the client can't be asked for {method}")),
            };
            let answer = answer.and_then(|bytes| {
                serde_json::from_slice(&bytes)
                    .map_err(|error| format!("the client's answer is no JSON: {error}"))
            });
            match (answer, kind) {
                (Ok(answer), _) => Ok((name, answer)),
                // This question has an answer for that.
                (Err(_), Some("elicitation")) => Ok((name, json!({"action": "cancel"}))),
                (Err(why), _) => Err(self.unable(&format!("something: {why}"))),
            }
        };
        requests.into_iter().map(ask_one).collect()
    }

    fn park(&self, requests: Map<String, Value>, rest: Rest) -> Result<Forwarded, ToolError> {
        let parked = Parked { is_confirmed: self.is_confirmed, rest };
        input_required(self.call, self.mark.clone(), requests, parked)
            .ok_or_else(|| ToolError::internal("keeping a call", "the system has no random numbers"))
    }

    /// Each question is a row of the log.
    fn note_question(&self, method: &str) {
        let Wanted { key, kind, name } = self.wanted;
        let details = json!({"upstream": key, kind: mask_likely(name), "question": method});
        let action = "upstream.ask".to_owned();
        self.call.decide(Row { action, decision: "asked".into(), details, ..Row::default() });
    }

    fn unable(&self, what: &str) -> ToolError {
        ToolError::new(Code::Denied, format!("{} asks the client for {what}", self.wanted.key))
    }
}

/// The answers with which a request is sent again, and the upstream's own state.
struct Answers {
    responses: Map<String, Value>,
    state: Option<String>,
}

impl Answers {
    /// Adds them to parameters. They are text, because converting them to values would write some numbers in another way.
    fn add_to(&self, params: &str) -> String {
        let responses = serde_json::to_string(&self.responses).unwrap_or_else(|_| "{}".to_owned());
        let mut members = vec![format!("\"inputResponses\":{responses}")];
        members.extend(self.state.as_deref().map(|state| format!("\"requestState\":{}", Value::from(state))));
        let before = params.trim_end().strip_suffix('}').unwrap_or("{");
        let comma = if before.trim_end().ends_with('{') { "" } else { "," };
        format!("{before}{comma}{}}}", members.join(","))
    }
}

/// What a wait for an answer has brought.
enum Heard {
    Answer(Vec<u8>),
    /// The answer that asks the client.
    Parked(Forwarded),
}

/// Whose connection a call takes.
pub(super) fn owner_of(call: &Call<'_>, lifecycle: Lifecycle) -> Owner {
    let session = Owner::Session(call.session.id);
    match lifecycle {
        Lifecycle::Shared => Owner::Shared,
        Lifecycle::Session => session,
        Lifecycle::Root => {
            let cwd = call.session.cwd.as_deref();
            let repos = call.host.repos();
            let around = repos.iter().filter(|repo| cwd.is_some_and(|cwd| cwd.starts_with(repo.root())));
            let nearest = around.max_by_key(|repo| repo.root().as_os_str().len());
            nearest.map_or(session, |repo| Owner::Root(repo.root().to_string_lossy().into_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_into_any_parameters() {
        let responses = json!({"a": {"action": "accept"}}).as_object().cloned().unwrap();
        let mut answers = Answers { responses, state: Some("s\"".to_owned()) };
        let added = answers.add_to(r#"{"name":"x","arguments":{"n":1.50}}"#);
        assert_eq!(
            added,
            r#"{"name":"x","arguments":{"n":1.50},"inputResponses":{"a":{"action":"accept"}},"requestState":"s\""}"#
        );
        answers.state = None;
        assert_eq!(answers.add_to("{}"), r#"{"inputResponses":{"a":{"action":"accept"}}}"#);
    }
}
