//! The steps around every handler: read the arguments, check them, find the repository, wait for the tree, take a
//! snapshot, run, add the fields that every answer has. The only way to an action; a surface only decides how to get
//! here.

mod arguments;
mod asking;
mod beside;
mod checked;
mod converse;
mod fields;
mod first_index;
mod forward;
mod ignored;
mod offered;
mod owned;
mod permit;
mod read;
mod relay;
mod repo;
mod scope;
mod wait;
mod workspace;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};

pub(crate) use arguments::is_mutating;
#[cfg(test)]
pub(crate) use arguments::{check_action, check_call, parse_arguments, unwrap_payload};
pub(crate) use offered::{Asked, Subject, forward_request, read_unknown, refresh_offers};
pub(crate) use read::{TreeWait, read_tree};
pub(crate) use relay::NAME as RELAY;
pub(crate) use repo::resolve_repo as find_repo;

use crate::call::context::{Call, RepoCx};
use crate::call::freshness::Freshness;
use crate::call::modules::module_off;
use crate::call::names;
use crate::call::origin::Origin;
use crate::call::registry::{Answer, Registry, RepoArgs, Runner, take_fields};
use crate::call::services::Services;
use crate::call::upstream::{Forwarded, View, spill_result};
use crate::call::usage::Served;
use crate::guard::audit::Decisions;
use crate::guard::leaving;
use crate::host::policies;
use crate::{Cancel, Candidate, Code, Explained, Progress, Session, ToolError};
use checked::Checked;
use fields::{add_notes, stamp_freshness};
use sdl_contract::nearest_names;
use sdl_redact::Level;

/// The caller, and how its call is followed.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) session: &'a Session,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) cancel: &'a Cancel,
    pub(crate) origin: Origin<'a>,
}

/// The answer to a call of a tool.
#[derive(Debug)]
pub(crate) enum Answered {
    /// Of an action of ours.
    Own(Answer),
    /// Of a tool of an upstream: bytes that are passed on.
    Forwarded(Forwarded),
}

/// Answers one call. Never panics, unless the allocator does.
pub(crate) fn answer_call(
    services: &Services,
    caller: Caller<'_>,
    name: &str,
    args: &[u8],
    served: &RefCell<Served>,
) -> Result<Answered, ToolError> {
    let registry = services.registry_of(caller.session);
    run_call(services, caller, name, served, |call| answer_tool(call, registry, name, args))
}

/// Runs something as one call: its panics are errors, and its decisions are logged. `name` is for the message of a defect.
pub(crate) fn run_call<T>(
    services: &Services,
    caller: Caller<'_>,
    name: &str,
    served: &RefCell<Served>,
    work: impl FnOnce(&Call<'_>) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    let decisions = Decisions::default();
    let notes = RefCell::default();
    let limited = services.limited_host(caller.session);
    let call = Call {
        host: limited.as_ref().map_or(services.host.as_ref(), |limited| limited),
        session: caller.session,
        progress: caller.progress,
        cancel: caller.cancel,
        leases: &services.leases,
        usage: services.usage.as_ref(),
        served,
        notes: &notes,
        decisions: &decisions,
        pins: None,
        memos: &services.memos,
        buffers: &services.buffers,
        upstream: &services.upstream,
        work: &services.work,
        room: "",
        origin: caller.origin,
        relayed: None,
    };
    // No code below holds a lock while a handler runs, and the state that handlers share is valid between any two of
    // its steps.
    let caught = catch_unwind(AssertUnwindSafe(|| work(&call)));
    let answered = caught.unwrap_or_else(|panic| {
        let why = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let error =
            ToolError::internal(&format!("answering {name}"), format!("a defect of the daemon ({why})"));
        Err(leaving::error(error, || Level::Likely))
    });
    // Decisions are logged before the answer is sent.
    decisions.settle(services.host.audit(), services.host.agent())?;
    answered
}

fn answer_tool(
    call: &Call<'_>,
    registry: &Registry,
    name: &str,
    bytes: &[u8],
) -> Result<Answered, ToolError> {
    let value = arguments::parse_arguments(bytes).map_err(masked)?;
    let beside = beside::reserve_room(call, &value);
    let call = &Call { room: &beside.room, ..*call };
    match answer_named(call, registry, name, value)? {
        Answered::Forwarded(result) => shorten_result(call, result).map(Answered::Forwarded),
        Answered::Own(mut answer) => {
            beside::attach_messages(call, &beside, &mut answer);
            Ok(Answered::Own(answer))
        }
    }
}

/// Keeps a result of an upstream that is too long for a context, and shows its ends. The results of a chain's steps stay whole,
/// because the next step may need all of it.
fn shorten_result(call: &Call<'_>, mut result: Forwarded) -> Result<Forwarded, ToolError> {
    let Some(limit) = result.limit.take() else { return Ok(result) };
    let (result, lost) = spill_result(result, &limit, call.host.agent(), call.leases.now())?;
    call.serves(|served| served.upstream = Some((limit.key.to_string(), lost)));
    Ok(result)
}

/// Answers a call by any name of a tool: ours first, so that no upstream can take one over.
fn answer_named(
    call: &Call<'_>,
    registry: &Registry,
    name: &str,
    value: Value,
) -> Result<Answered, ToolError> {
    let Some(tool) = registry.tool(name) else { return answer_upstream(call, registry, name, value) };
    let read = || {
        let value = if tool.raw { arguments::unwrap_payload(value)? } else { value };
        arguments::check_call(registry, tool, value)
    };
    answer_checked(call, registry, read().map_err(masked)?)
}

fn answer_checked(call: &Call<'_>, registry: &Registry, checked: Checked<'_>) -> Result<Answered, ToolError> {
    if checked.entry.def.name == RELAY {
        let verdict = forward::relay_verdict(call, checked.entry, &checked.args).map_err(masked)?;
        let (name, args) = relay::read_target(checked.args).map_err(masked)?;
        return answer_named(&Call { relayed: Some(&verdict), ..*call }, registry, &name, args);
    }
    if let Some(asks) = forward::check_rules(call, checked.entry, &checked.args).map_err(masked)? {
        return Ok(Answered::Forwarded(asks));
    }
    execute_action(call, registry, checked).map(Answered::Own)
}

/// Answers a call of a tool that is none of ours.
fn answer_upstream(
    call: &Call<'_>,
    registry: &Registry,
    name: &str,
    value: Value,
) -> Result<Answered, ToolError> {
    if let Some(module) = registry.module_of_name(name) {
        let name = names::underscored_name(&names::fold_name(name));
        return Err(masked(module_off(&name, module)));
    }
    let Some((view, named)) = relay::find_tool(call, name).map_err(masked)? else {
        return Err(masked(unknown_tool(registry, &call.view(), name)));
    };
    let value = if named.raw { arguments::unwrap_payload(value).map_err(masked)? } else { value };
    forward::forward_call(call, &view, &named.tool, value).map(Answered::Forwarded).map_err(masked)
}

fn masked(error: ToolError) -> ToolError {
    leaving::error(error, || Level::Likely)
}

/// Answers a call that is made within another call.
pub(crate) fn answer_step(
    call: &Call<'_>,
    registry: &Registry,
    action: &str,
    args: Map<String, Value>,
    notes: &[String],
) -> Result<Answer, ToolError> {
    // A step has no answer of its own in which it could ask.
    let origin = Origin { shown: call.origin.shown, ..Origin::default() };
    let call = &Call { origin, relayed: None, room: "", ..*call };
    let answered = if registry.action(action).is_none() && !call.view().is_empty() {
        match relay::find_tool(call, action).map_err(masked)? {
            Some(_) => answer_named(call, registry, action, Value::Object(args))?,
            None => return Err(masked(unknown_tool(registry, &call.view(), action))),
        }
    } else {
        let checked = arguments::check_action(registry, action, Value::Object(args));
        let mut checked = checked.map_err(masked)?;
        checked.notes.extend_from_slice(notes);
        relay::refuse_chain(&checked).map_err(masked)?;
        answer_checked(call, registry, checked)?
    };
    match answered {
        Answered::Own(answer) => Ok(answer),
        Answered::Forwarded(result) => relay::to_answer(result, action),
    }
}

/// Runs an action. Every answer of a handler passes through here, and secrets are masked here.
fn execute_action(call: &Call<'_>, registry: &Registry, checked: Checked<'_>) -> Result<Answer, ToolError> {
    let entry = checked.entry;
    call.decisions.begin(entry.def.name);
    // The repository of this action: the policy of another step's repository does not apply to it.
    let mut before = None;
    call.serves(|served| before = served.repo.take());
    let answered = run_checked(call, registry, checked);
    let mut about = None;
    call.serves(|served| {
        about.clone_from(&served.repo);
        served.repo = served.repo.take().or(before);
    });
    let level = || match about {
        // The results of its steps were masked already, by the policies of their repositories.
        _ if entry.only_reads.is_some() => Level::Known,
        Some(repo) => policies::of_id(call.host, &repo).map_or(Level::Likely, |policy| policy.level()),
        None => Level::Likely,
    };
    match answered {
        Ok(mut answer) => {
            leaving::answer(&mut answer.structured, &mut answer.text, level);
            Ok(answer)
        }
        Err(error) => Err(leaving::error(error, level)),
    }
}

fn run_checked(call: &Call<'_>, registry: &Registry, checked: Checked<'_>) -> Result<Answer, ToolError> {
    call.check()?;
    let Checked { entry, mut args, mut notes } = checked;
    // Notes of a step that failed.
    call.notes.take();
    call.serves(|served| served.action = served.action.or(Some(entry.def.name)));
    let mut answer = match &entry.runner {
        Runner::Host(run) => run(call, args)?,
        Runner::Registry(run) => run(call, registry, args)?,
        Runner::Repo(run) => {
            let common: RepoArgs = take_fields(&mut args, &["repoId"])?;
            let repo = repo::find_repo(call, common.repo_id.as_deref(), None)?;
            let (mut answer, stand) = run(&RepoCx { call, repo: repo.as_ref() }, args)?;
            let apart = stand.is_apart();
            let freshness = Freshness::from(stand);
            stamp_freshness(&mut answer, &freshness)?;
            if let Some(pins) = call.pins.filter(|_| !apart) {
                pins.set_freshness(repo.id(), &freshness);
            }
            answer
        }
        Runner::Read(runner) => {
            // Reserves room for it on every way to the action: a budget must not cut the answer differently depending
            // on the way.
            let room = arguments::other_gateway_hint(entry) + call.room;
            read::run_read(call, *runner, args, &room)?
        }
        Runner::Owned(runner) => {
            let room = arguments::other_gateway_hint(entry) + call.room;
            owned::run_owned(call, (entry, *runner), args, &room)?
        }
    };
    call.serves(|served| served.add(&answer.structured));
    notes.extend(call.notes.take());
    add_notes(&mut answer, &notes)?;
    Ok(answer)
}

fn unknown_tool(registry: &Registry, view: &View, name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let known: Vec<&str> = registry.tool_names().collect();
    let ours = nearest_names(&names::fold_name(name), known.iter().copied(), 3);
    let ours = ours.into_iter().map(names::underscored_name);
    let mut near: Vec<String> =
        ours.chain(nearest_names(name, view.names(), 3).into_iter().map(str::to_owned)).collect();
    if near.is_empty() {
        near = arguments::likely_actions(registry, name).into_iter().map(names::underscored_name).collect();
    }
    let hint = match near.first() {
        Some(near) => format!("; did you mean {near}?"),
        None => "; list the tools again, or call sdl_info".to_owned(),
    };
    ToolError::new(Code::UnknownTool, format!("no tool is called {shown:?}{hint}"))
        .or_one_of(near.into_iter().map(|near| Candidate::of("tool", near)))
}
