//! A request for a prompt or a resource of an upstream, or for completions of one: checked against the rules, written to the log,
//! sent, and passed back.

use std::time::Duration;

use sdl_ledger::{Clock as _, SystemClock};
use sdl_redact::Level;
use sdl_settings::{Asks, Effect};
use serde_json::{Map, Value, json};

use super::converse::{Conversation, Wanted, resume_call};
use super::permit::{Logged, Permit, Subjected, carry_out, permit_call, refusal};
use crate::call::context::Call;
use crate::call::origin::Way;
use crate::call::upstream::{
    CallMark, Forwarded, Listed, OfferKind, Offers, Parked, Prompt, Rules, Verdict, Who, allowed_way,
    decide_prompt, decide_resource, mask_likely,
};
use crate::guard::audit::Row;
use crate::host::{ListsOf, read_lists_of};
use crate::{Explained, ToolError};

/// How long a list waits for lists that may be out of date, and for those that were never read.
const PATIENCE: Duration = Duration::from_millis(500);
const FIRST_PATIENCE: Duration = Duration::from_secs(2);
/// Maximum number of upstreams that one list has read.
const MOST_READ: usize = 32;

/// A request that goes to an upstream.
pub(crate) struct Asked<'a> {
    pub(crate) key: &'a str,
    pub(crate) method: &'static str,
    /// The prompt or resource that it is about.
    pub(crate) subject: Subject<'a>,
    /// The arguments that rules look at.
    pub(crate) args: Map<String, Value>,
    /// The parameters that are sent.
    pub(crate) params: Map<String, Value>,
}

impl Asked<'_> {
    /// Its kind, as rows of the log name it.
    fn kind(&self) -> &'static str {
        match self.subject {
            Subject::Prompt(_) => "prompt",
            Subject::Resource(_) => "resource",
        }
    }

    /// The name that the upstream knows.
    fn own_name(&self) -> &str {
        match self.subject {
            Subject::Prompt(prompt) => &prompt.name,
            Subject::Resource(uri) => uri,
        }
    }

    fn is_completion(&self) -> bool {
        self.method == "completion/complete"
    }

    /// A name that no other upstream has for something else.
    fn name(&self) -> String {
        format!("{}/{}", self.key, self.own_name())
    }
}

/// What a request is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    /// A prompt.
    Prompt(&'a Prompt),
    /// The URI that the upstream knows.
    Resource(&'a str),
}

/// Sends a request for something that the caller may see.
pub(crate) fn forward_request(
    call: &Call<'_>,
    offers: &Offers,
    asked: &Asked<'_>,
) -> Result<Forwarded, ToolError> {
    let Some(upstream) = offers.upstream(asked.key) else {
        return Err(ToolError::internal("asking an upstream", "what it offers is seen without it"));
    };
    let settings = &offers.catalog.settings;
    let rules = Rules::new(settings, Who::of(call.session));
    let verdict = match asked.subject {
        Subject::Prompt(prompt) => decide_prompt(&rules, asked.key, &prompt.name, &asked.args),
        Subject::Resource(uri) => decide_resource(&rules, asked.key, uri, &asked.args),
    };
    let mark = CallMark::new(call.session.id, &format!("{} {}", asked.method, asked.name()), &asked.args);
    let resumed = resume_call(call, &mark).map_err(|error| about(error, asked))?;
    call.decisions.begin(logged_as(asked.method));
    let row = begin_row(asked, &verdict, settings.audit.args);
    let permit = permit_request(call, asked, &verdict, (&mark, resumed.as_ref()));
    let logs_calls = settings.audit.permitted_calls;
    let answer = carry_out(call, permit, Logged { row, verdict, logs_calls }, |is_confirmed| {
        let own = &upstream.entry.own;
        let conversation = Conversation {
            call,
            upstream,
            wanted: Wanted { key: asked.key, kind: asked.kind(), name: asked.own_name() },
            method: asked.method,
            params: serde_json::to_string(&asked.params).unwrap_or_else(|_| "{}".to_owned()),
            is_repeatable: own.retry_reads,
            way: way_of(call, asked, own.ask, &rules),
            mark,
            is_confirmed,
        };
        conversation.hold(resumed)
    });
    answer.map_err(|error| about(error, asked))
}

/// How the client can be asked meanwhile. Completions have no answer in which that is possible, and come with each key.
fn way_of(call: &Call<'_>, asked: &Asked<'_>, allowed: Asks, rules: &Rules<'_>) -> Way {
    if asked.is_completion() { Way::None } else { allowed_way(call.origin.way(), allowed, rules, asked.key) }
}

/// Applies a verdict to a request. The person is not asked about completions.
fn permit_request(
    call: &Call<'_>,
    asked: &Asked<'_>,
    verdict: &Verdict,
    (mark, resumed): (&CallMark, Option<&Parked>),
) -> Result<Permit, ToolError> {
    if verdict.effect == Effect::Ask && asked.is_completion() {
        return Err(refusal(verdict, Some("nobody is asked about completions")));
    }
    let name = match asked.subject {
        Subject::Prompt(prompt) => format!("the prompt {}", prompt.advertised),
        Subject::Resource(uri) => format!("reading {} of {}", mask_likely(uri), asked.key),
    };
    permit_call(call, verdict, &Subjected { name: &name, args: &asked.args, mark, resumed })
}

/// Has lists of this kind that may be out of date read again, as long as that takes little time. Upstreams that were stopped stay
/// so, because a list must start nothing, unless they were never read.
pub(crate) fn refresh_offers(call: &Call<'_>, kind: OfferKind) {
    let offers = call.upstream.offers(call.session);
    let Some(upstreams) = call.host.upstreams().filter(|_| !offers.is_empty()) else { return };
    let rules = Rules::new(&offers.catalog.settings, Who::of(call.session));
    let (states, now) = (upstreams.states(), SystemClock.unix_ms());
    let runs = |key: &str| states.iter().any(|state| state.key == key && state.state == "ready");
    let is_old = |one: &Listed| {
        let age = now.saturating_sub(one.confirmed_at_ms());
        one.is_known() && runs(&one.key) && age > one.entry.own.refresh_seconds * 1_000
    };
    let seen = offers.catalog.upstreams.iter().filter(|one| rules.sees_upstream(&one.key));
    let wanted = seen.filter(|one| one.offer_may_be_stale(kind) && (is_old(one) || !one.is_known()));
    let wanted: Vec<&Listed> = wanted.take(MOST_READ).map(|one| &**one).collect();
    if wanted.is_empty() {
        return;
    }
    let patience = if wanted.iter().all(|one| one.is_known()) { PATIENCE } else { FIRST_PATIENCE };
    let lists: Vec<ListsOf<'_>> = wanted.iter().map(|one| ListsOf::shared(&one.key)).collect();
    call.cancel.give_turn_back();
    read_lists_of(upstreams, &lists, patience, call.cancel);
}

/// Has the lists of an upstream read again, because a name points to it that nothing has: it may have got it a moment ago.
/// Returns whether they were read.
pub(crate) fn read_unknown(call: &Call<'_>, key: &str) -> bool {
    let Some(upstreams) = call.host.upstreams() else { return false };
    call.cancel.give_turn_back();
    upstreams.read_lists(&ListsOf::shared(key), FIRST_PATIENCE, call.cancel).is_ok()
}

/// The name under which a method is in the log.
fn logged_as(method: &str) -> &'static str {
    match method {
        "prompts/get" => "upstream.prompt",
        "resources/read" => "upstream.read",
        _ => "upstream.complete",
    }
}

/// The parts of a log row that are known before a request is sent. Values of arguments are in it only where a person asked for
/// them, and masked.
fn begin_row(asked: &Asked<'_>, verdict: &Verdict, with_values: bool) -> Row {
    let mut details = json!({
        "upstream": asked.key,
        "arguments": asked.args.keys().collect::<Vec<_>>(),
        "bytesIn": Value::Object(asked.params.clone()).to_string().len(),
    });
    details[asked.kind()] = mask_likely(asked.own_name()).into();
    if let Some(rule) = verdict.rule {
        details["rule"] = rule.into();
    }
    if with_values {
        let mut values = Value::Object(asked.args.clone());
        sdl_redact::mask_value(&mut values, Level::Likely);
        details["values"] = values;
    }
    Row { action: logged_as(asked.method).to_owned(), details, ..Row::default() }
}

/// The same error, with what it is about.
fn about(error: ToolError, asked: &Asked<'_>) -> ToolError {
    let error = error.with("upstream", asked.key);
    match asked.subject {
        Subject::Prompt(prompt) => error.with("prompt", prompt.advertised.as_str()),
        Subject::Resource(uri) => error.with("uri", uri),
    }
}
