//! The conversation during a call: an upstream may ask its client something before it answers, and a rule may leave a call to
//! the person.
//!
//! A client can be asked beside the call, by a request of its own; or within it: the call is answered with `input_required`,
//! and goes on when the client sends it again with the answers. Both sides may speak either way, so there are four cases.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::call::context::Call;
use crate::call::origin::Way;
use crate::call::upstream::{
    CallMark, Definition, Forwarded, Parked, Rest, confirm_question, is_confirmed, kind_of, mark_question,
    mark_requests,
};
use crate::guard::audit::Row;
use crate::host::{Event, Exchange, OpenQuestion, Question, Upstreams};
use crate::{Code, Explained, ToolError};

/// How long the person may take with a question that we wait for.
const ANSWER_TIME: Duration = Duration::from_secs(300);
/// How often an upstream may answer a call with questions.
const MOST_ROUNDS: usize = 10;
/// The name of our own question among the requests of an `input_required`.
const CONFIRM: &str = "sdl_confirm";
/// The first revision of MCP in which a server asks in its answer.
const ASKS_WITHIN: &str = "2026-07-28";

/// Whether a call may be made that a rule leaves to the person.
pub(super) enum Consent {
    /// The person allows it.
    Given,
    /// The answer that asks the person.
    Asked(Forwarded),
}

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

/// Asks the person whether a call may be made. `refused` is the error if that is not possible, or the answer is no.
pub(super) fn ask_consent(
    call: &Call<'_>,
    (name, mark): (&str, CallMark),
    args: &Map<String, Value>,
    why: Option<&str>,
    resumed: Option<&Parked>,
) -> Result<Consent, &'static str> {
    const NO: &str = "the person did not allow it";
    if let Some(Parked { rest: Rest::Confirm, .. }) = resumed {
        let answer = read_responses(call).and_then(|mut all| all.remove(CONFIRM));
        return if answer.is_some_and(|answer| is_confirmed(&answer)) { Ok(Consent::Given) } else { Err(NO) };
    }
    let question = confirm_question(name, args, why);
    match call.origin.way() {
        way if !can_fill_forms(&way) => Err("the person can't be asked here"),
        Way::None => Err("the person can't be asked here"),
        Way::Beside(_) => {
            let answer = ask_beside(call, "elicitation/create", question.to_string().into_bytes());
            let answer: Option<Value> = answer.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if answer.is_some_and(|answer| is_confirmed(&answer)) { Ok(Consent::Given) } else { Err(NO) }
        }
        Way::Within(_) => {
            let requests = json!({ CONFIRM: {"method": "elicitation/create", "params": question} });
            let parked = Parked { is_confirmed: false, rest: Rest::Confirm };
            let Value::Object(requests) = requests else { return Err(NO) };
            input_required(call, mark, requests, parked).map(Consent::Asked).ok_or("the call can't be kept")
        }
    }
}

/// Whether the client shows forms. One that says nothing about how it asks does.
fn can_fill_forms(way: &Way) -> bool {
    let elicitation = way.capabilities().and_then(|all| all.get("elicitation")).and_then(Value::as_object);
    elicitation.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

/// Sends a call; with answers if it is sent again.
type Begin<'b> = dyn Fn(&dyn Upstreams, Option<&Answers>) -> Result<Box<dyn Exchange>, ToolError> + 'b;

/// A call of an upstream's tool, from its first request to its answer.
pub(super) struct Conversation<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) upstreams: &'a dyn Upstreams,
    pub(super) tool: &'a Definition,
    pub(super) mark: CallMark,
    /// How the client can be asked by this upstream.
    pub(super) way: Way,
    /// The revision of MCP that the upstream speaks.
    pub(super) era: &'a str,
    /// Whether the person has allowed the call where a rule wants that.
    pub(super) is_confirmed: bool,
}

impl Conversation<'_> {
    /// Has the conversation. `begin` sends the call; with answers and a state if it is sent again.
    pub(super) fn hold(&self, resumed: Option<Parked>, begin: &Begin<'_>) -> Result<Forwarded, ToolError> {
        let mut exchange = match resumed.map(|parked| parked.rest) {
            None => begin(self.upstreams, self.early_answers().as_ref())?,
            Some(Rest::Confirm) => begin(self.upstreams, None)?,
            Some(Rest::Exchange(exchange, questions)) => {
                self.answer_questions(exchange.as_ref(), &questions);
                exchange
            }
            Some(Rest::Repeat(state)) => {
                let responses = read_responses(self.call).unwrap_or_default();
                begin(self.upstreams, Some(&Answers { responses, state }))?
            }
        };
        for _ in 0..MOST_ROUNDS {
            let result = match self.listen(exchange)? {
                Heard::Answer(bytes) => Forwarded::read(bytes)?,
                Heard::Parked(asks) => return Ok(asks),
            };
            let Some((mut requests, state)) = self.read_input_required(&result) else { return Ok(result) };
            mark_requests(&self.tool.key, &mut requests);
            for request in requests.values() {
                self.note_question(request.get("method").and_then(Value::as_str).unwrap_or_default());
            }
            match &self.way {
                Way::Within(_) => return self.park(requests, Rest::Repeat(state)),
                Way::Beside(_) => {
                    let responses = self.ask_all(requests)?;
                    exchange = begin(self.upstreams, Some(&Answers { responses, state }))?;
                }
                Way::None => {
                    return Err(self.unable("something, and nobody can be asked here"));
                }
            }
        }
        Err(self.unable(&format!("something {MOST_ROUNDS} times and did not answer the call")))
    }

    /// Answers that come with a call which nothing waits for: to questions that the client knows already. Whether they are any
    /// good is for the upstream to say.
    fn early_answers(&self) -> Option<Answers> {
        let asks_within = matches!(self.way, Way::Within(_)) && self.era >= ASKS_WITHIN;
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
            let params = mark_question(&self.tool.key, &question.method, &question.params);
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
        (self.era >= ASKS_WITHIN && result.asks()).then(|| {
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
        let details = json!({"upstream": &*self.tool.key, "tool": self.tool.name, "question": method});
        let action = "upstream.ask".to_owned();
        self.call.decide(Row { action, decision: "asked".into(), details, ..Row::default() });
    }

    fn unable(&self, what: &str) -> ToolError {
        ToolError::new(Code::Denied, format!("{} asks the client for {what}", self.tool.key))
    }
}

/// The answers with which a call is sent again, and the upstream's own state.
pub(super) struct Answers {
    pub(super) responses: Map<String, Value>,
    pub(super) state: Option<String>,
}

/// What a wait for an answer has brought.
enum Heard {
    Answer(Vec<u8>),
    /// The answer that asks the client.
    Parked(Forwarded),
}

/// Keeps a call, and returns the answer that asks its client.
fn input_required(
    call: &Call<'_>,
    mark: CallMark,
    requests: Map<String, Value>,
    parked: Parked,
) -> Option<Forwarded> {
    let state = call.upstream.parked.park(mark, parked, call.leases.now())?;
    let object = json!({"resultType": "input_required", "inputRequests": requests, "requestState": state});
    Forwarded::read(object.to_string().into_bytes()).ok()
}

/// The answers that the client has sent, by the names of the requests.
fn read_responses(call: &Call<'_>) -> Option<Map<String, Value>> {
    serde_json::from_str(call.origin.input_responses?).ok()
}

/// Asks the client beside the call, and waits for the answer.
fn ask_beside(call: &Call<'_>, method: &str, params: Vec<u8>) -> Result<Vec<u8>, String> {
    call.cancel.give_turn_back();
    let (sender, receiver) = channel();
    let cancelled = sender.clone();
    let _guard = call.cancel.on_cancel(move || {
        let _ = cancelled.send(Err("the call was cancelled".to_owned()));
    });
    let reply = Box::new(move |answer| {
        // Whoever has given up hears nothing any more.
        let _ = sender.send(answer);
    });
    let _open = call.origin.client.ask(method, params, reply);
    let until = Instant::now() + call.cancel.at_most(ANSWER_TIME);
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            Err("the client did not answer in time".to_owned())
        }
    }
}
