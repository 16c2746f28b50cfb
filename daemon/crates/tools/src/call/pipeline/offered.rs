//! A request for a prompt or a resource of an upstream, or for completions of one: checked against the rules, written to the log,
//! sent, and passed back.

use std::time::Duration;

use sdl_ledger::{Clock as _, SystemClock};
use sdl_redact::Level;
use sdl_settings::Effect;
use serde_json::{Map, Value, json};

use super::forward::{owner_of, refusal};
use crate::call::context::Call;
use crate::call::upstream::{
    Forwarded, Listed, OfferKind, Offers, Prompt, Rules, Verdict, Who, decide_prompt, decide_resource,
    mask_string,
};
use crate::guard::audit::Row;
use crate::host::{ListsOf, Outgoing, read_lists_of};
use crate::{Code, Explained, ToolError};

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
    call.decisions.begin(logged_as(asked.method));
    let mut row = begin_row(asked, &verdict, settings.audit.args);
    if verdict.effect != Effect::Allow {
        row.details["outcome"] = "refused".into();
        call.decide(Row { decision: "denied".into(), why: verdict.why.clone().into_iter().collect(), ..row });
        return Err(about(refusal(&verdict, not_asked(&verdict)), asked));
    }
    let sent = send_request(call, upstream, asked).map_err(|error| about(error, asked));
    let (outcome, bytes) = match &sent {
        Ok(result) => ("ok", result.text.len()),
        Err(error) => (error.refusal.code.name(), 0),
    };
    if settings.audit.permitted_calls {
        row.details["outcome"] = outcome.into();
        row.details["bytesOut"] = bytes.into();
        call.decide(Row { decision: "called".into(), ..row });
    }
    sent
}

/// Why the person is not asked, where a rule wants that. Such requests have no answer in which that would be possible.
fn not_asked(verdict: &Verdict) -> Option<&'static str> {
    (verdict.effect == Effect::Ask).then_some("only calls of tools are asked about")
}

fn send_request(call: &Call<'_>, upstream: &Listed, asked: &Asked<'_>) -> Result<Forwarded, ToolError> {
    let Some(upstreams) = call.host.upstreams() else {
        return Err(ToolError::new(Code::UpstreamDown, "no upstream is connected; ask again in a moment"));
    };
    let own = &upstream.entry.own;
    let request = Outgoing {
        key: &upstream.key,
        owner: owner_of(call, own.lifecycle),
        method: asked.method,
        params: serde_json::to_string(&asked.params).unwrap_or_else(|_| "{}".to_owned()),
        is_repeatable: own.retry_reads,
        client: Map::new(),
    };
    call.cancel.give_turn_back();
    let mut result = Forwarded::read(upstreams.send(&request, call.progress, call.cancel)?)?;
    result.mask(&upstreams.secrets(), own.redact);
    call.upstream.links.note(call.session.id, &upstream.key, &result.object);
    Ok(result)
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
    let masked = |text: &str| mask_string(text, &[], Some(Level::Likely)).unwrap_or_else(|| text.to_owned());
    let mut details = json!({
        "upstream": asked.key,
        "arguments": asked.args.keys().collect::<Vec<_>>(),
        "bytesIn": Value::Object(asked.params.clone()).to_string().len(),
    });
    match asked.subject {
        Subject::Prompt(prompt) => details["prompt"] = prompt.name.as_str().into(),
        Subject::Resource(uri) => details["resource"] = masked(uri).into(),
    }
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
