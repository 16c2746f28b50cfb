//! What happens around every handler: read the arguments, check them, find the repository, wait for the tree, take a
//! snapshot, run, add what every answer carries. The one way to an action; a surface only decides how to get here.

mod arguments;
mod first_index;
mod pins;
mod read;
#[cfg(test)]
mod reads;
mod repo;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value};

pub(crate) use arguments::changes;
pub(crate) use pins::{Pins, Stood};
pub(crate) use repo::of as find_repo;

use crate::action::{Call, RepoCx};
use crate::answers::line;
use crate::audit::Decisions;
use crate::input::nearest::nearest;
use crate::redact::{self, Level};
use crate::registry::{Answer, Entry, Freshness, RepoArgs, Runner, names, take};
use crate::usage::Served;
use crate::{Cancel, Candidate, Code, Progress, Session, ToolError, Tools, policy};

/// A call whose arguments are known to fit the action's schema.
struct Checked<'a> {
    entry: &'a Entry,
    args: Map<String, Value>,
    notes: Vec<String>,
}

/// Answers one call. Never panics, unless the allocator does.
pub(crate) fn call(
    tools: &Tools,
    session: &Session,
    name: &str,
    args: &[u8],
    progress: &dyn Progress,
    cancel: &Cancel,
    served: &RefCell<Served>,
) -> Result<Answer, ToolError> {
    let decisions = Decisions::default();
    let notes = RefCell::default();
    let call = Call {
        host: tools.host.as_ref(),
        session,
        progress,
        cancel,
        registry: &tools.registry,
        leases: &tools.leases,
        usage: tools.usage.as_ref(),
        served,
        notes: &notes,
        decisions: &decisions,
        pins: None,
        briefings: &tools.briefings,
        structures: &tools.structures,
        names: &tools.names,
        overviews: &tools.overviews,
        buffers: &tools.buffers,
    };
    // Nothing below keeps a lock over a handler, and what handlers share is valid between any two of its steps.
    let caught = catch_unwind(AssertUnwindSafe(|| answer(&call, name, args)));
    let answered = caught.unwrap_or_else(|panic| {
        let why = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let error =
            ToolError::internal(&format!("answering {name}"), format!("a defect of the daemon ({why})"));
        Err(redact::error(error, || Level::Likely))
    });
    // In the log before it is out of the house.
    decisions.settle(tools.host.audit(), tools.host.agent())?;
    answered
}

fn answer(call: &Call<'_>, name: &str, bytes: &[u8]) -> Result<Answer, ToolError> {
    let read = || {
        let tool = call.registry.tool(name).ok_or_else(|| unknown_tool(call, name))?;
        let value = arguments::parse(bytes)?;
        let value = if tool.raw { arguments::payload(value)? } else { value };
        arguments::check(call.registry, tool, value)
    };
    execute(call, read().map_err(|error| redact::error(error, || Level::Likely))?)
}

/// Answers a call of an action from within another call.
pub(crate) fn step(
    call: &Call<'_>,
    action: &str,
    args: Map<String, Value>,
    notes: &[String],
) -> Result<Answer, ToolError> {
    let checked = arguments::check_action(call.registry, action, Value::Object(args));
    let mut checked = checked.map_err(|error| redact::error(error, || Level::Likely))?;
    checked.notes.extend_from_slice(notes);
    execute(call, checked)
}

/// Runs an action. Everything that leaves a handler comes through here, and no secret goes further.
fn execute(call: &Call<'_>, checked: Checked<'_>) -> Result<Answer, ToolError> {
    let name = checked.entry.def.name;
    call.decisions.begin(name);
    // Which repository this action was about: another step's policy is not its own.
    let mut before = None;
    call.serves(|served| before = served.repo.take());
    let answered = run(call, checked);
    let mut about = None;
    call.serves(|served| {
        about.clone_from(&served.repo);
        served.repo = served.repo.take().or(before);
    });
    let level = || match about {
        // What its steps gave was masked by the policies of their repositories.
        _ if name == "chain" => Level::Known,
        Some(repo) => policy::of_id(call.host, &repo).map_or(Level::Likely, |policy| policy.level()),
        None => Level::Likely,
    };
    match answered {
        Ok(mut answer) => {
            redact::answer(&mut answer.structured, &mut answer.text, level);
            Ok(answer)
        }
        Err(error) => Err(redact::error(error, level)),
    }
}

fn run(call: &Call<'_>, checked: Checked<'_>) -> Result<Answer, ToolError> {
    call.check()?;
    let Checked { entry, mut args, mut notes } = checked;
    // Of a step that failed.
    call.notes.take();
    call.serves(|served| served.action = served.action.or(Some(entry.def.name)));
    let mut answer = match &entry.runner {
        Runner::Host(run) => run(call, args)?,
        Runner::Repo(run) => {
            let common: RepoArgs = take(&mut args, &["repoId"])?;
            let repo = repo::find(call, common.repo_id.as_deref(), None)?;
            let (mut answer, stand) = run(&RepoCx { call, repo: repo.as_ref() }, args)?;
            let apart = stand.is_apart();
            let freshness = Freshness::from(stand);
            stamp(&mut answer, &freshness)?;
            if let Some(pins) = call.pins.filter(|_| !apart) {
                pins.stands(repo.id(), &freshness);
            }
            answer
        }
        Runner::Read { sync, handle, run, early } => {
            // Room for it on every way to the action: a budget must not cut the answer of one and not of another.
            let room = arguments::elsewhere(entry);
            read::run(call, *sync, (*handle, *run, *early), args, &room)?
        }
    };
    call.serves(|served| served.add(&answer.structured));
    notes.extend(call.notes.take());
    note(&mut answer, &notes)?;
    Ok(answer)
}

/// Says how the answer stands to the tree, in both forms: a reader of the text alone must not take stale for fresh.
fn stamp(answer: &mut Answer, freshness: &Freshness) -> Result<(), ToolError> {
    add(answer, "freshness", freshness)?;
    answer.text.push_str(&freshness.line());
    Ok(())
}

/// Adds notes, in both forms.
fn note(answer: &mut Answer, notes: &[String]) -> Result<(), ToolError> {
    for note in notes {
        line(&mut answer.text, format_args!("note: {note}"));
    }
    if notes.is_empty() { Ok(()) } else { add(answer, "notes", &notes) }
}

fn add(answer: &mut Answer, key: &str, value: &impl serde::Serialize) -> Result<(), ToolError> {
    let value = serde_json::to_value(value).map_err(|e| ToolError::internal("writing the answer", e))?;
    match (answer.structured.get_mut(key), value) {
        // A handler's own notes come first.
        (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
        (_, value) => {
            answer.structured.insert(key.to_owned(), value);
        }
    }
    Ok(())
}

fn unknown_tool(call: &Call<'_>, name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let known: Vec<&str> = call.registry.tool_names().collect();
    let mut near = nearest(&names::folded(name), known.iter().copied(), 3);
    if near.is_empty() {
        near = arguments::meant(call.registry, name);
    }
    let hint = match near.first() {
        Some(near) => format!("; did you mean {}?", names::underscored(near)),
        None => "; list the tools again, or call sdl_info".to_owned(),
    };
    ToolError::new(Code::UnknownTool, format!("no tool is called {shown:?}{hint}"))
        .or_one_of(near.into_iter().map(|near| Candidate::of("tool", names::underscored(near))))
}
