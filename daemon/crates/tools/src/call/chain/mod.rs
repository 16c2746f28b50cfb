//! Runs several calls as one: each step may use the results of earlier ones, and all answer from one version.

mod path;
mod share;
mod steps;
mod transform;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::call::context::Call;
use crate::call::freshness::Freshness;
use crate::call::pins::Pins;
use crate::call::pipeline;
use crate::call::registry::{Answer, Registry};
use crate::{Candidate, Code, Explained, NoProgress, ToolError};
use path::{Head, Piece, Text, unknown_reference};
pub(crate) use share::Budget;
pub(crate) use steps::{Done, Step};

/// The action's name.
pub(crate) const NAME: &str = "chain";
/// How often steps are run again because the repository moved on between them.
const ATTEMPTS: usize = 8;
/// Maximum number of bytes that references may add to the arguments of one step.
const MOST_ARGUMENTS: usize = 1 << 20;

/// A version that steps answered from.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) repo: String,
    pub(crate) version: String,
    /// The first of the steps that answered from it.
    pub(crate) from: usize,
}

/// Whether a step may have this name.
pub(crate) fn is_name(name: &str) -> bool {
    path::is_name(name)
}

/// Runs the steps in order; with `stop`, only up to the first that fails. All steps between two that change something
/// answer from one version of each repository: if one moves on meanwhile, they are run again.
pub(crate) fn run_chain(
    call: &Call<'_>,
    registry: &Registry,
    steps: &[Step],
    stop: bool,
    budget: share::Budget,
) -> Result<(Vec<Done>, Vec<Pinned>), ToolError> {
    let pins = Pins::default();
    let inner = Call { pins: Some(&pins), progress: &NoProgress, ..*call };
    let (mut done, mut pinned) = (Vec::<Done>::new(), Vec::new());
    // The first step since the last change: steps are run again from there.
    let (mut from, mut attempts) = (0, 0);
    let mut decided = call.decisions.mark();
    while let Some(step) = steps.get(done.len()) {
        call.check()?;
        call.progress.report(done.len() as u64, Some(steps.len() as u64), &step.action);
        pins.at_step(done.len());
        let outcome = Taking { call: &inner, registry, steps, budget }.take(&done, step);
        if pins.start_again() {
            attempts += 1;
            if attempts == ATTEMPTS {
                let message = "the repository kept changing between the steps; send the same chain again";
                return Err(ToolError::new(Code::Conflict, message));
            }
            done.truncate(from);
            call.decisions.back_to(decided);
            continue;
        }
        let ends = outcome.is_err() && stop;
        let stood = pins.latest_freshness().filter(|_| outcome.is_ok());
        done.push(Done { outcome: outcome.map(Arc::new), stood });
        // A tool of an upstream may change anything.
        if may_change(registry, &step.action, !call.view().is_empty()) {
            pinned.extend(release_pins(&pins));
            (from, attempts) = (done.len(), 0);
            decided = call.decisions.mark();
        }
        if ends {
            break;
        }
    }
    pinned.extend(release_pins(&pins));
    Ok((done, pinned))
}

/// Returns the freshness of the whole answer: that of the step that is least fresh. None if the steps answered from
/// several versions or repositories, or from none.
pub(crate) fn chain_freshness(done: &[Done], pinned: &[Pinned]) -> Option<Freshness> {
    let stood = done.iter().filter_map(|done| done.stood.as_ref());
    let first = stood.clone().next()?;
    let one = |repo: &str, version: &str| repo == first.repo && version == first.freshness.version;
    if !stood.clone().all(|step| one(&step.repo, &step.freshness.version))
        || !pinned.iter().all(|pin| one(&pin.repo, &pin.version))
    {
        return None;
    }
    let worst = stood.clone().find(|step| step.freshness.synced == Some(false)).unwrap_or(first);
    let overlay = stood.clone().find_map(|step| step.freshness.overlay.clone());
    let lag_ms = stood.map(|step| step.freshness.lag_ms).max().unwrap_or(0);
    Some(Freshness { lag_ms, overlay, ..worst.freshness.clone() })
}

/// Whether a step may change anything. One that is no action changes nothing, unless it is a tool of an upstream.
fn may_change(registry: &Registry, step: &str, has_upstreams: bool) -> bool {
    let other = has_upstreams && !transform::NAMES.contains(&step);
    registry.action(step).map_or(other, |entry| entry.def.mutating)
}

/// Whether none of the steps can change anything. `has_upstreams` says whether a step may be a tool of an upstream.
pub(crate) fn only_reads(registry: &Registry, args: &Map<String, Value>, has_upstreams: bool) -> bool {
    let steps = args.get("steps").and_then(Value::as_array);
    let reads = |step: &Value| {
        let action = step.get("action").and_then(Value::as_str);
        action.is_some_and(|name| !may_change(registry, name, has_upstreams))
    };
    steps.is_some_and(|steps| steps.iter().all(reads))
}

fn release_pins(pins: &Pins) -> impl Iterator<Item = Pinned> {
    let pinned = |(repo, version, from): (String, sdl_model::Version, usize)| Pinned {
        repo,
        version: version.to_string(),
        from,
    };
    pins.release().into_iter().map(pinned)
}

/// The context of every step of a chain.
struct Taking<'a> {
    call: &'a Call<'a>,
    registry: &'a Registry,
    steps: &'a [Step],
    budget: share::Budget,
}

impl Taking<'_> {
    /// Runs one step.
    fn take(&self, done: &[Done], step: &Step) -> Result<Answer, ToolError> {
        let Self { call, registry, steps, budget } = *self;
        let place = format!("steps[{}].args", done.len());
        let mut resolver = Resolver { steps, done, room: MOST_ARGUMENTS, notes: Vec::new() };
        let Value::Object(mut args) = resolver.resolve(&Value::Object(step.args.clone()), &place)? else {
            return Err(ToolError::internal("reading a step", "its arguments are no object"));
        };
        if transform::NAMES.contains(&step.action.as_str()) {
            let structured = transform::run_transform(&step.action, args, &place)?;
            let text = Value::Object(structured.clone()).to_string();
            return Ok(Answer { structured, text });
        }
        if registry.action(&step.action).is_some_and(|entry| entry.only_reads.is_some()) {
            let message = "a chain cannot be a step of a chain; write its steps here";
            return Err(ToolError::invalid(format!("steps[{}].action", done.len()), message));
        }
        if let Some(entry) = registry.action(&step.action) {
            budget.share(steps.get(done.len()..).unwrap_or_default(), done)?.hand_to(entry, &mut args);
        }
        pipeline::answer_step(call, registry, &step.action, args, &resolver.notes)
    }
}

/// Replaces references with the results of earlier steps.
struct Resolver<'a> {
    steps: &'a [Step],
    done: &'a [Done],
    room: usize,
    /// Notes on the arguments for the caller.
    notes: Vec<String>,
}

impl Resolver<'_> {
    fn resolve(&mut self, value: &Value, place: &str) -> Result<Value, ToolError> {
        match value {
            Value::String(text) => {
                let read = path::read_text(text).map_err(|why| unknown_reference(text, place, &why))?;
                match read {
                    Text::Plain(text) => Ok(text.into()),
                    Text::Long(text) => self.fill(text, place).map(Value::from),
                    Text::Reference(head, path) => self.find(&head, &path, text, place),
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(i, item)| self.resolve(item, &format!("{place}[{i}]"))).collect()
            }
            Value::Object(map) => {
                let fields = map.iter();
                let fields = fields
                    .map(|(key, value)| Ok((key.clone(), self.resolve(value, &format!("{place}.{key}"))?)));
                fields.collect::<Result<Map<_, _>, ToolError>>().map(Value::Object)
            }
            value => Ok(value.clone()),
        }
    }

    /// Returns the value of a reference; null if it is missing and optional.
    fn find(&mut self, head: &Head, path: &path::Path, text: &str, place: &str) -> Result<Value, ToolError> {
        let at = self.step(head, text, place)?;
        let result = match self.done.get(at).map(|done| &done.outcome) {
            Some(Ok(answer)) => Value::Object(answer.structured.clone()),
            Some(Err(_)) => return Err(unknown_reference(text, place, &format!("step {at} failed"))),
            None => return Err(unknown_reference(text, place, &format!("step {at} comes later"))),
        };
        let found = path.find(&result).map_err(|why| unknown_reference(text, place, &why))?;
        let found = found.cloned().unwrap_or(Value::Null);
        self.room = self.room.checked_sub(found.to_string().len()).ok_or_else(|| {
            unknown_reference(
                text,
                place,
                "the values that it refers to exceed 1 MB; use pick or limit first",
            )
        })?;
        Ok(found)
    }

    /// Returns a longer text with its references replaced.
    fn fill(&mut self, text: &str, place: &str) -> Result<String, ToolError> {
        if !text.contains('$') {
            return Ok(text.to_owned());
        }
        let is_step = |head: &Head| match head {
            Head::Step(at) => *at < self.steps.len(),
            Head::Name(name) => self.steps.iter().any(|step| step.name.as_ref() == Some(name)),
        };
        let pieces =
            path::split_pieces(text, &is_step).map_err(|why| unknown_reference(text, place, &why))?;
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Plain(text) => out.push_str(text),
                Piece::Reference(head, path, text) => match self.find(&head, &path, text, place)? {
                    Value::Null => {}
                    Value::String(text) => out.push_str(&text),
                    value => out.push_str(&value.to_string()),
                },
                Piece::Bare(reference) => {
                    let shown: String = reference.chars().skip(1).take(80).collect();
                    self.notes.push(format!(
                        "${shown} in {place} stays as it is: inside a longer text write ${{{shown}}} for what a step gave"
                    ));
                }
            }
        }
        Ok(out)
    }

    /// Returns the index of the step that a reference means.
    fn step(&self, head: &Head, text: &str, place: &str) -> Result<usize, ToolError> {
        let found = match head {
            Head::Step(at) => Some(*at).filter(|at| *at < self.steps.len()),
            Head::Name(name) => self.steps.iter().position(|step| step.name.as_ref() == Some(name)),
        };
        found.ok_or_else(|| {
            let names = self.steps.iter().filter_map(|step| step.name.as_deref());
            let candidates = names.map(|name| Candidate::of("reference", format!("${name}")));
            unknown_reference(text, place, "no step is called that; write $$ for a dollar sign")
                .or_one_of(candidates)
        })
    }
}
