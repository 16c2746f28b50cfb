//! A call of an upstream's tool: checked against the rules, written to the log, sent, and passed back.

use sdl_proto::gate::Owner;
use sdl_settings::{Effect, Lifecycle};
use serde_json::{Map, Value, json};

use crate::call::context::Call;
use crate::call::registry::Entry;
use crate::call::upstream::{
    Definition, Forwarded, Listed, Rules, Target, Verdict, View, Who, call_tool_name, mask_string,
    rewrite_strings, unwrap_texts,
};
use crate::guard::audit::Row;
use crate::host::Outgoing;
use crate::{Code, Explained, ToolError};
use sdl_redact::Level;

/// The name under which calls of upstreams' tools are in the log.
const LOGGED_AS: &str = "upstream.call";

/// Calls a tool of an upstream.
pub(crate) fn forward_call(
    call: &Call<'_>,
    view: &View,
    tool: &Definition,
    args: Value,
) -> Result<Forwarded, ToolError> {
    let Some(upstream) = view.upstream_of(tool) else {
        return Err(ToolError::internal("calling an upstream", "its tool is seen without it"));
    };
    let Value::Object(mut args) = args else {
        let error = ToolError::new(Code::WrongType, "the arguments of a tool must be an object");
        return Err(about(error, tool));
    };
    unwrap_texts(&mut args, tool.input_schema());
    let rules = Rules::new(&view.catalog.settings, Who::of(call.session));
    let verdict = rules.decide(Target::tool(tool), &args);
    call.decisions.begin(LOGGED_AS);
    let mut row = begin_row(tool, &args, &verdict, view);
    if verdict.effect != Effect::Allow {
        row.details["outcome"] = "refused".into();
        call.decide(Row { decision: "denied".into(), why: verdict.why.clone().into_iter().collect(), ..row });
        return Err(about(refusal(&verdict), tool));
    }
    let sent = send_call(call, upstream, tool, &args);
    let (outcome, bytes) = match &sent {
        Ok(result) if result.is_error() => ("toolError", result.text.len()),
        Ok(result) => ("ok", result.text.len()),
        Err(error) => (error.refusal.code.name(), 0),
    };
    if view.catalog.settings.audit.permitted_calls {
        row.details["outcome"] = outcome.into();
        row.details["bytesOut"] = bytes.into();
        call.decide(Row { decision: "called".into(), ..row });
    }
    sent
}

/// Applies a person's rules to a call of one of our actions.
pub(super) fn check_rules(
    call: &Call<'_>,
    entry: &Entry,
    args: &Map<String, Value>,
) -> Result<(), ToolError> {
    let catalog = call.upstream.gateway.catalog();
    let settings = &catalog.settings;
    if settings.policy.is_empty() && settings.default == Effect::Allow {
        return Ok(());
    }
    let rules = Rules::new(settings, Who::of(call.session));
    let verdict = rules.decide(Target::action(entry.def.name, entry.def.mutating), args);
    if verdict.effect == Effect::Allow {
        return Ok(());
    }
    call.decisions.begin(entry.def.name);
    let details =
        json!({"tool": entry.def.name, "arguments": args.keys().collect::<Vec<_>>(), "rule": verdict.rule});
    let why = verdict.why.clone().into_iter().collect();
    call.decide(Row { decision: "denied".into(), why, details, ..Row::default() });
    Err(refusal(&verdict))
}

/// Sends a call and reads the answer.
fn send_call(
    call: &Call<'_>,
    upstream: &Listed,
    tool: &Definition,
    args: &Map<String, Value>,
) -> Result<Forwarded, ToolError> {
    let Some(upstreams) = call.host.upstreams() else {
        let error = ToolError::new(Code::UpstreamDown, "no upstream is connected; ask again in a moment");
        return Err(about(error, tool));
    };
    let own = &upstream.entry.own;
    let request = Outgoing {
        key: &upstream.key,
        owner: owner_of(call, own.lifecycle),
        method: "tools/call",
        params: call_params(&tool.name, args),
        is_repeatable: own.retry_reads && tool.hints.read_only == Some(true),
    };
    call.cancel.give_turn_back();
    let bytes = upstreams.send(&request, call.progress, call.cancel).map_err(|error| about(error, tool))?;
    let mut result = Forwarded::read(bytes).map_err(|error| about(error, tool))?;
    result.mask(&upstreams.secrets(), own.redact);
    Ok(result)
}

/// The parameters of `tools/call`. Written out, because converting a value would write some numbers in another way.
fn call_params(name: &str, args: &Map<String, Value>) -> String {
    let arguments = serde_json::to_string(args).unwrap_or_else(|_| "{}".to_owned());
    format!("{{\"name\":{},\"arguments\":{arguments}}}", Value::from(name))
}

/// Whose connection a call takes.
fn owner_of(call: &Call<'_>, lifecycle: Lifecycle) -> Owner {
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

/// The parts of a log row that are known before a call is sent. Values of arguments are in it only where a person asked for
/// them, and masked.
fn begin_row(tool: &Definition, args: &Map<String, Value>, verdict: &Verdict, view: &View) -> Row {
    let mut details = json!({
        "upstream": &*tool.key,
        "tool": tool.name,
        "arguments": args.keys().collect::<Vec<_>>(),
        "bytesIn": Value::Object(args.clone()).to_string().len(),
    });
    if let Some(rule) = verdict.rule {
        details["rule"] = rule.into();
    }
    if view.catalog.settings.audit.args {
        let text = Value::Object(args.clone()).to_string();
        let masked = rewrite_strings(&text, &mut |text| mask_string(text, &[], Some(Level::Likely)));
        details["values"] = serde_json::from_str(masked.as_deref().unwrap_or(&text)).unwrap_or_default();
    }
    Row { action: LOGGED_AS.to_owned(), details, ..Row::default() }
}

fn refusal(verdict: &Verdict) -> ToolError {
    let by = match verdict.rule {
        Some(rule) => format!("rule {rule} of a person's policy"),
        None => "a person's policy".to_owned(),
    };
    let message = match verdict.effect {
        Effect::Ask => format!("{by} wants a person to be asked, which is not possible here"),
        Effect::Allow | Effect::Deny => format!("{by} does not allow this call"),
    };
    let why = verdict.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    let mut error = ToolError::new(Code::Denied, format!("{message}{why}"));
    if let Some(why) = &verdict.why {
        error = error.with("whyDenied", why.clone());
    }
    error
}

/// The same error, with the tool that it is about and a next step.
pub(crate) fn about(error: ToolError, tool: &Definition) -> ToolError {
    let code = error.refusal.code;
    let error = error.with("upstream", &*tool.key).with("tool", tool.advertised.clone());
    if error.next_best_action.is_some() {
        return error;
    }
    let again = json!({"tool": tool.advertised, "args": {}});
    match code {
        Code::UpstreamDown | Code::UpstreamTimeout | Code::Busy => {
            error.next(call_tool_name(), again, "try the same call again later; others work meanwhile")
        }
        Code::OutcomeUnknown => error.next(
            "sdl_action_search",
            json!({"query": format!("read the state that {} changes", tool.advertised)}),
            "look whether it took effect before you send it again",
        ),
        _ => error.next(
            "sdl_action_search",
            json!({"query": tool.advertised, "limit": 1}),
            "shows its arguments",
        ),
    }
}
