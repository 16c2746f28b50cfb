//! Whether a call may be made: the rules of a person, and the person where a rule leaves a call to them.

use sdl_settings::Effect;
use serde_json::{Map, Value, json};

use super::asking::{ask_beside, input_required, read_responses};
use crate::call::context::Call;
use crate::call::origin::Way;
use crate::call::upstream::{CallMark, Forwarded, Parked, Rest, Verdict, confirm_question, is_confirmed};
use crate::guard::audit::Row;
use crate::{Code, Explained, ToolError};

/// The name of our own question among the requests of an `input_required`.
const CONFIRM: &str = "sdl_confirm";

/// Whether a call may be made.
pub(super) enum Permit {
    /// It may.
    Given {
        /// Whether the person was asked.
        is_confirmed: bool,
    },
    /// The answer that asks the person.
    Asked(Forwarded),
}

/// A call that rules are applied to.
pub(super) struct Subjected<'a> {
    /// Its name for the person, such as `fs_write_file`.
    pub(super) name: &'a str,
    pub(super) args: &'a Map<String, Value>,
    pub(super) mark: &'a CallMark,
    /// The call that this one goes on with.
    pub(super) resumed: Option<&'a Parked>,
}

/// Applies a verdict: asks the person where it says so.
pub(super) fn permit_call(
    call: &Call<'_>,
    verdict: &Verdict,
    subjected: &Subjected<'_>,
) -> Result<Permit, ToolError> {
    match verdict.effect {
        Effect::Allow => Ok(Permit::Given { is_confirmed: false }),
        Effect::Deny => Err(refusal(verdict, None)),
        Effect::Ask if subjected.resumed.is_some_and(|parked| parked.is_confirmed) => {
            Ok(Permit::Given { is_confirmed: true })
        }
        Effect::Ask => ask_consent(call, subjected, verdict.why.as_deref())
            .map_err(|why_not| refusal(verdict, Some(why_not))),
    }
}

/// Asks the person whether a call may be made. The error says why that is not possible, or that the answer is no.
fn ask_consent(
    call: &Call<'_>,
    subjected: &Subjected<'_>,
    why: Option<&str>,
) -> Result<Permit, &'static str> {
    const NO: &str = "the person did not allow it";
    let judge = |answer: Option<Value>| match answer {
        Some(answer) if is_confirmed(&answer) => Ok(Permit::Given { is_confirmed: true }),
        _ => Err(NO),
    };
    if let Some(Parked { rest: Rest::Confirm, .. }) = subjected.resumed {
        return judge(read_responses(call).and_then(|mut all| all.remove(CONFIRM)));
    }
    let question = confirm_question(subjected.name, subjected.args, why);
    match call.origin.way() {
        way if !can_fill_forms(&way) => Err("the person can't be asked here"),
        Way::None => Err("the person can't be asked here"),
        Way::Beside(_) => {
            let answer = ask_beside(call, "elicitation/create", question.to_string().into_bytes());
            judge(answer.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()))
        }
        Way::Within(_) => {
            let requests = json!({ CONFIRM: {"method": "elicitation/create", "params": question} });
            let parked = Parked { is_confirmed: false, rest: Rest::Confirm };
            let Value::Object(requests) = requests else { return Err(NO) };
            let asks = input_required(call, subjected.mark.clone(), requests, parked);
            asks.map(Permit::Asked).ok_or("the call can't be kept")
        }
    }
}

/// Whether the client shows forms. One that says nothing about how it asks does.
fn can_fill_forms(way: &Way) -> bool {
    let elicitation = way.capabilities().and_then(|all| all.get("elicitation")).and_then(Value::as_object);
    elicitation.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

/// The row of a request to an upstream, and the rules that complete it.
pub(super) struct Logged {
    /// The parts that are known before the request is sent.
    pub(super) row: Row,
    pub(super) verdict: Verdict,
    /// Whether a request that was sent gets a row too.
    pub(super) logs_calls: bool,
}

/// Sends a request if it may be sent, and decides its row. `send` hears whether the person has allowed it.
pub(super) fn carry_out(
    call: &Call<'_>,
    permit: Result<Permit, ToolError>,
    logged: Logged,
    send: impl FnOnce(bool) -> Result<Forwarded, ToolError>,
) -> Result<Forwarded, ToolError> {
    let Logged { mut row, verdict, logs_calls } = logged;
    let (outcome, decision, answer) = match permit {
        Ok(Permit::Given { is_confirmed }) => {
            let sent = send(is_confirmed);
            if logs_calls {
                (row.details["outcome"], row.details["bytesOut"]) = outcome_of(&sent);
                call.decide(Row { decision: "called".into(), ..row });
            }
            return sent;
        }
        Ok(Permit::Asked(asks)) => ("asked", "asked", Ok(asks)),
        Err(refusal) => ("refused", "denied", Err(refusal)),
    };
    row.details["outcome"] = outcome.into();
    call.decide(Row { decision: decision.into(), why: verdict.why.into_iter().collect(), ..row });
    answer
}

/// How a call went, for its row: the outcome, and the bytes of the result.
fn outcome_of(sent: &Result<Forwarded, ToolError>) -> (Value, Value) {
    let (outcome, bytes) = match sent {
        Ok(result) if result.is_error() => ("toolError", result.text.len()),
        Ok(result) if result.asks() => ("asked", result.text.len()),
        Ok(result) => ("ok", result.text.len()),
        Err(error) => (error.refusal.code.name(), 0),
    };
    (outcome.into(), bytes.into())
}

/// The refusal of a call by a rule; `why_not` says why the person was not asked, or did not allow it.
pub(super) fn refusal(verdict: &Verdict, why_not: Option<&str>) -> ToolError {
    let by = match verdict.rule {
        Some(rule) => format!("rule {rule} of a person's policy"),
        None => "a person's policy".to_owned(),
    };
    let message = match why_not {
        Some(why_not) => format!("{by} leaves this call to the person, and {why_not}"),
        None => format!("{by} does not allow this call"),
    };
    let why = verdict.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    let mut error = ToolError::new(Code::Denied, format!("{message}{why}"));
    if let Some(why) = &verdict.why {
        error = error.with("whyDenied", why.clone());
    }
    error
}
