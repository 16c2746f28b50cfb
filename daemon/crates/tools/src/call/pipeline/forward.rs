//! A call of an upstream's tool: checked against the rules, written to the log, sent, and passed back.

use std::sync::Arc;

use sdl_settings::{Effect, Settings};
use serde_json::{Map, Value, json};

use super::converse::{Conversation, Wanted, resume_call};
use super::permit::{Logged, Permit, Subjected, carry_out, permit_call, refusal};
use crate::call::context::Call;
use crate::call::registry::Entry;
use crate::call::upstream::{
    CallMark, Definition, Forwarded, Limit, Listed, MOST_TOKENS, Rules, Standing, Target, Verdict, View, Who,
    allowed_way, call_tool_name, mask_string, rewrite_strings, unwrap_texts,
};
use crate::guard::audit::Row;
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
    let verdict = rules.decide(Target::tool(tool), &args).or_stricter(call.relayed);
    let mark = CallMark::new(call.session.id, &tool.prefixed, &args);
    let resumed = resume_call(call, &mark).map_err(|error| about(error, tool))?;
    call.decisions.begin(LOGGED_AS);
    call.serves(|served| served.upstream = Some((upstream.key.to_string(), 0)));
    let mut row = begin_row(tool, &args, &verdict, view);
    if verdict.effect != Effect::Deny && tool.standing == Standing::Held {
        row.details["outcome"] = Code::DefinitionChanged.name().into();
        call.decide(Row { decision: "denied".into(), ..row });
        return Err(about(held_refusal(upstream, tool), tool));
    }
    let subjected = Subjected { name: &tool.advertised, args: &args, mark: &mark, resumed: resumed.as_ref() };
    let permit = permit_call(call, &verdict, &subjected);
    let logs_calls = view.catalog.settings.audit.permitted_calls;
    let answer = carry_out(call, permit, Logged { row, verdict, logs_calls }, |is_confirmed| {
        let conversation = Conversation {
            call,
            upstream,
            wanted: Wanted { key: &upstream.key, kind: "tool", name: &tool.name },
            method: "tools/call",
            params: call_params(call, &tool.name, &args),
            is_repeatable: upstream.entry.own.retry_reads && tool.hints.read_only == Some(true),
            way: allowed_way(call.origin.way(), upstream.entry.own.ask, &rules, &upstream.key),
            mark,
            is_confirmed,
        };
        let mut result = conversation.hold(resumed)?;
        if !result.asks() {
            result.limit = Some(result_limit(call, upstream, tool));
        }
        Ok(result)
    });
    answer.map_err(|error| about(error, tool))
}

/// What becomes of a call of one of our actions.
fn decide_action(call: &Call<'_>, settings: &Settings, entry: &Entry, args: &Map<String, Value>) -> Verdict {
    let rules = Rules::new(settings, Who::of(call.session));
    let target = Target::action(entry.def.name, entry.def.mutating);
    rules.decide(target, args).or_stricter(call.relayed)
}

/// Returns what a person's rules say of a call of `tool.call` that they don't deny. The tool that is
/// called asks the question, so that the person is asked once, about that tool.
pub(super) fn relay_verdict(
    call: &Call<'_>,
    entry: &Entry,
    args: &Map<String, Value>,
) -> Result<Verdict, ToolError> {
    let catalog = call.upstream.gateway.catalog();
    let verdict = decide_action(call, &catalog.settings, entry, args);
    if verdict.effect == Effect::Deny {
        note_decision(call, entry, args, ("denied", &verdict));
        return Err(refusal(&verdict, None));
    }
    Ok(verdict)
}

/// Writes what the rules decided on a call of one of our actions.
fn note_decision(
    call: &Call<'_>,
    entry: &Entry,
    args: &Map<String, Value>,
    (decision, verdict): (&str, &Verdict),
) {
    call.decisions.begin(entry.def.name);
    let details =
        json!({"tool": entry.def.name, "arguments": args.keys().collect::<Vec<_>>(), "rule": verdict.rule});
    let why = verdict.why.clone().into_iter().collect();
    call.decide(Row { decision: decision.into(), why, details, ..Row::default() });
}

/// Applies a person's rules to a call of one of our actions. Returns the answer that asks the person, if one does.
pub(super) fn check_rules(
    call: &Call<'_>,
    entry: &Entry,
    args: &Map<String, Value>,
) -> Result<Option<Forwarded>, ToolError> {
    let catalog = call.upstream.gateway.catalog();
    let settings = &catalog.settings;
    if settings.policy.is_empty() && settings.default == Effect::Allow {
        return Ok(None);
    }
    let verdict = decide_action(call, settings, entry, args);
    if verdict.effect == Effect::Allow {
        return Ok(None);
    }
    let mark = CallMark::new(call.session.id, entry.def.name, args);
    let resumed = resume_call(call, &mark)?;
    let subjected = Subjected { name: entry.def.name, args, mark: &mark, resumed: resumed.as_ref() };
    let permit = permit_call(call, &verdict, &subjected);
    let decision = match &permit {
        Ok(Permit::Given { .. }) => "allowed",
        Ok(Permit::Asked(_)) => "asked",
        Err(_) => "denied",
    };
    note_decision(call, entry, args, (decision, &verdict));
    match permit? {
        Permit::Given { .. } => Ok(None),
        Permit::Asked(asks) => Ok(Some(asks)),
    }
}

/// How long a result may be: as the entry says, or the most for a caller who wants it whole.
fn result_limit(call: &Call<'_>, upstream: &Listed, tool: &Definition) -> Limit {
    let wants_whole = call.origin.own_meta("spill") == Some(Value::Bool(false));
    let tokens =
        if wants_whole { MOST_TOKENS } else { (upstream.entry.own.result_tokens as usize).min(MOST_TOKENS) };
    let settings = &call.upstream.gateway.catalog().settings;
    let rules = Rules::new(settings, Who::of(call.session));
    let keeps_structure = call.origin.shown.output_schemas
        && tool.has_output_schema()
        && upstream.is_passed_through(rules.mode(upstream.entry.own.mode));
    Limit { key: Arc::clone(&upstream.key), tokens, keeps_structure }
}

/// The parameters of `tools/call`. Written out, because converting a value would write some numbers in another way.
fn call_params(call: &Call<'_>, name: &str, args: &Map<String, Value>) -> String {
    let text = |map: &Map<String, Value>| serde_json::to_string(map).unwrap_or_else(|_| "{}".to_owned());
    let mut params = format!("{{\"name\":{},\"arguments\":{}", Value::from(name), text(args));
    let meta = call.origin.meta_for_upstream();
    if !meta.is_empty() {
        params += &format!(",\"_meta\":{}", text(&meta));
    }
    params + "}"
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

/// The refusal of a tool whose definition a person has to approve first.
fn held_refusal(upstream: &Listed, tool: &Definition) -> ToolError {
    let fields = tool.change.as_ref().map(|change| change.fields.clone()).unwrap_or_default();
    let why = upstream.held_because(&tool.name).map(|why| format!(": {why}")).unwrap_or_default();
    let message = format!(
        "the definition of {} differs from the known one ({}) and is held{why}; a person can compare them with `sdlctl \
         upstream diff {key} {name}`, and approve it with `sdlctl upstream approve {key} {name}`",
        tool.advertised,
        fields.join(", "),
        key = tool.key,
        name = tool.advertised,
    );
    let words = tool.name.replace(['_', '-', '.'], " ");
    ToolError::new(Code::DefinitionChanged, message).with("fields", fields).next(
        "sdl_action_search",
        json!({"query": words}),
        "another tool may do it until a person has approved this one",
    )
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
        Code::NeedsLogin => {
            let command = format!("sdlctl upstream login {}", tool.key);
            error.next(call_tool_name(), again, format!("after a person has run `{command}`; you can't"))
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
