//! `chain`: runs several calls as one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::action::{Action, ActionDef, Namespace, Render};
use crate::call::answers::{Object, append_block, begin_line, serialize_object};
use crate::call::budget;
use crate::call::chain::{self, Done, Step};
use crate::call::context::Call;
use crate::call::freshness::Freshness;
use crate::call::registry::{Answer, OnlyReads, Registry, RegistryAction};
use crate::{Code, Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct Chain;

/// The tokens that one step takes of an answer at least, and those of the fields around the steps.
const STEP_TOKENS: usize = 150;
const FRAME_TOKENS: usize = 150;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Calls, in order. In `args`, a string `$0.results[0].symbolId` or `$name.path` is replaced by a value that an
    /// earlier step gave: the step's number from 0 or its `as`, then a path. `$0.card?.summary` is null where `card`
    /// or `summary` is missing; without `?` that is an error. Inside a longer text write `${0.path}`. `$$` at the
    /// start of a text writes one dollar sign. Beside actions, `action` can be a transform: `pick` `{from,
    /// fields[]}`, `map` `{from[], path}`, `filter` `{from[], path?, op, value?}`, `sort` `{from[], path?,
    /// descending?}`, `limit` `{from[], count, offset?}`, `template` `{from, text, join?}`; its result is `value`.
    #[schemars(length(min = 1, max = 50))]
    steps: Vec<StepIn>,
    /// Size of the answer.
    budget: Option<Budget>,
    /// Default stop. What to do when a step fails.
    on_error: Option<OnError>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepIn {
    /// Action or transform.
    #[schemars(length(min = 1, max = 60))]
    action: String,
    /// Its arguments. They may refer to results of earlier steps.
    args: Option<Object>,
    /// Name. Later steps can refer to it: with `hit`, as `$hit.results`.
    #[serde(rename = "as")]
    #[schemars(length(min = 1, max = 40))]
    name: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Budget {
    /// Default 8000. Tokens of the whole answer. A step without a budget of its own gets an even share of the
    /// remaining tokens. Results that still don't fit are left out, the first steps' first.
    #[schemars(range(min = 300, max = 20_000))]
    max_tokens: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum OnError {
    Stop,
    Continue,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Whether every step ran and succeeded.
    ok: bool,
    /// The steps that ran, in order.
    steps: Vec<StepOut>,
    /// The versions that the steps answered from.
    versions: Vec<VersionOut>,
    /// Freshness of the step that is least fresh. Only if all steps answered from one version of one
    /// repository; else see `freshness` in each result.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<Freshness>,
    /// Tokens of the results.
    tokens: Tokens,
    /// Number of the step that failed; no later step ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<usize>,
    /// How to get what was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    how_to_resume: Option<String>,
    #[serde(skip)]
    texts: Vec<Option<Arc<Answer>>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StepOut {
    /// Its number, from 0.
    step: usize,
    /// Its name, if it has one.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The action or transform.
    action: String,
    /// Whether it succeeded.
    ok: bool,
    /// Tokens of its result or error.
    tokens: usize,
    /// The action's answer, as a call of its own would give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Object>,
    /// The action's error, as a call of its own would give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Object>,
    /// True if the result is left out to stay within the budget; later steps could still use it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    omitted: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VersionOut {
    /// The repository.
    repo_id: String,
    /// The version.
    version: String,
    /// The first step that answered from it.
    from_step: usize,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    /// Tokens of all results.
    made: usize,
    /// Tokens of the results in this answer.
    given: usize,
    /// Tokens that the answer may have.
    budget: usize,
}

impl Action for Chain {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: chain::NAME,
        namespace: Namespace::Universal,
        mutating: true,
        description: "Call this when one call's result feeds the next: $0.results[0].symbolId in args is step 0's",
        needs: "steps",
        examples: &[
            r#"{"steps":[{"action":"symbol.search","args":{"repoId":"my-repo","query":"validateToken"},"as":"found"},{"action":"symbol.getCard","args":{"repoId":"my-repo","symbolId":"$found.results[0].symbolId"}}],"budget":{"maxTokens":4000}}"#,
        ],
        aliases: &[],
    };
}

impl RegistryAction for Chain {
    const ONLY_READS: Option<OnlyReads> = Some(chain::only_reads);

    fn run(cx: &Call<'_>, registry: &Registry, request: Request) -> Result<Response, ToolError> {
        if cx.pins.is_some() {
            return Err(ToolError::new(Code::InvalidArgument, "a chain cannot be a step of a chain"));
        }
        let steps = check_names(request.steps)?;
        let least = FRAME_TOKENS + STEP_TOKENS * steps.len();
        let given = request.budget.and_then(|budget| budget.max_tokens);
        let budget = match given {
            Some(given) if given < least => {
                let message =
                    format!("a chain of {} steps needs a budget of at least {least} tokens", steps.len());
                return Err(ToolError::invalid("budget.maxTokens", message));
            }
            Some(given) => given,
            None => budget::DEFAULT_TOKENS.max(least),
        };
        let stop = request.on_error != Some(OnError::Continue);
        let shared = chain::Budget { tokens: budget, given: given.is_some() };
        let (done, pinned) = chain::run_chain(cx, registry, &steps, stop, shared)?;
        let freshness = chain::chain_freshness(&done, &pinned);
        let versions = pinned
            .into_iter()
            .map(|pin| VersionOut { repo_id: pin.repo, version: pin.version, from_step: pin.from })
            .collect();
        let failed = done.iter().position(|done| done.outcome.is_err());
        let mut response = Response {
            ok: failed.is_none(),
            steps: Vec::new(),
            versions,
            freshness,
            tokens: Tokens { budget, ..Tokens::default() },
            stopped_at: failed.filter(|_| stop),
            how_to_resume: None,
            texts: done.iter().map(|_| None).collect(),
        };
        for (at, (step, done)) in steps.iter().zip(&done).enumerate() {
            response.steps.push(step_outline(at, step, done)?);
        }
        response.fill(&done, budget)?;
        Ok(response)
    }
}

/// Checks every name, and returns the steps.
fn check_names(steps: Vec<StepIn>) -> Result<Vec<Step>, ToolError> {
    let mut out: Vec<Step> = Vec::new();
    for (at, StepIn { action, args, name }) in steps.into_iter().enumerate() {
        if let Some(name) = &name {
            let field = format!("steps[{at}].as");
            if !chain::is_name(name) {
                let message =
                    format!("{name:?} is not a name: use ASCII letters, digits and _, and no digit first");
                return Err(ToolError::invalid(field, message));
            }
            if out.iter().any(|step| step.name.as_ref() == Some(name)) {
                return Err(ToolError::invalid(field, format!("two steps are called {name:?}")));
            }
        }
        out.push(Step { action, args: args.unwrap_or_default(), name });
    }
    Ok(out)
}

/// Returns the parts of a step's result that are always in the answer.
fn step_outline(at: usize, step: &Step, done: &Done) -> Result<StepOut, ToolError> {
    let tokens = match &done.outcome {
        Ok(answer) => budget::json_tokens(&answer.structured)?,
        Err(error) => budget::json_tokens(&error.to_value())?,
    };
    let shown = |c: char| if c.is_ascii_graphic() { c } else { '?' };
    let code = |error: &ToolError| {
        let code = error.to_value().get("code").cloned().unwrap_or_default();
        Object::from_iter([("code".to_owned(), code)])
    };
    Ok(StepOut {
        step: at,
        name: step.name.clone(),
        action: step.action.chars().map(shown).collect(),
        ok: done.outcome.is_ok(),
        tokens,
        result: None,
        error: done.outcome.as_ref().err().map(code),
        omitted: true,
    })
}

impl Response {
    /// Adds as much as the budget has room for: errors first, then results, the last steps' first.
    fn fill(&mut self, done: &[Done], budget: usize) -> Result<(), ToolError> {
        self.tokens.made = self.steps.iter().map(|step| step.tokens).sum();
        let order: Vec<usize> = (0..done.len())
            .filter(|at| done.get(*at).is_some_and(|done| done.outcome.is_err()))
            .chain((0..done.len()).rev().filter(|at| done.get(*at).is_some_and(|done| done.outcome.is_ok())))
            .collect();
        self.settle();
        let mut room = budget.saturating_sub(budget::json_tokens(self)? + FRAME_TOKENS / 2);
        let mut given: Vec<usize> = Vec::new();
        for at in order {
            let (Some(step), Some(done)) = (self.steps.get_mut(at), done.get(at)) else { continue };
            // Joined to its neighbours, a result may take a few more tokens than alone.
            let takes = step.tokens + 8;
            if takes > room {
                continue;
            }
            room -= takes;
            match &done.outcome {
                Ok(answer) => step.result = Some(answer.structured.clone()),
                Err(error) => step.error = Some(serialize_object(&error.to_value())?),
            }
            step.omitted = false;
            given.push(at);
        }
        self.settle();
        while budget::json_tokens(self)? > budget {
            let Some(last) = given.pop() else {
                // Each step's own answer has the reason too.
                if self.freshness.as_mut().is_some_and(|freshness| freshness.reason.take().is_some()) {
                    continue;
                }
                return Err(ToolError::internal("keeping a chain to its budget", "its frame is too large"));
            };
            if let (Some(step), Some(done)) = (self.steps.get_mut(last), done.get(last)) {
                let (at, name, action) = (step.step, step.name.clone(), step.action.clone());
                *step = step_outline(at, &Step { action, args: Object::new(), name }, done)?;
            }
            self.settle();
        }
        for at in given {
            if let (Some(text), Some(done)) = (self.texts.get_mut(at), done.get(at)) {
                *text = done.outcome.as_ref().ok().cloned();
            }
        }
        Ok(())
    }

    /// Computes the sums from the steps again.
    fn settle(&mut self) {
        self.tokens.given = self.steps.iter().filter(|step| !step.omitted).map(|step| step.tokens).sum();
        let omitted = self.steps.iter().any(|step| step.omitted);
        self.how_to_resume = omitted.then(|| {
            "for an omitted result, send its step again alone, or with a larger budget.maxTokens".to_owned()
        });
    }
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = String::new();
        for (step, answer) in self.steps.iter().zip(&self.texts) {
            let state = if step.ok { "ok" } else { "failed" };
            begin_line(
                &mut text,
                format_args!("{}. {} {state}, {} tokens", step.step, step.action, step.tokens),
            );
            match (answer, &step.error) {
                (Some(answer), _) => append_block(&mut text, &answer.text),
                (None, Some(error)) => {
                    begin_line(&mut text, format_args!("{}", Value::Object(error.clone())))
                }
                (None, None) => text.push_str(" (omitted)"),
            }
        }
        match &self.freshness {
            Some(freshness) => text.push_str(&freshness.line()),
            None => {
                for VersionOut { repo_id, version, from_step } in &self.versions {
                    begin_line(&mut text, format_args!("[{repo_id} {version} from step {from_step}]"));
                }
            }
        }
        if let Some(how) = &self.how_to_resume {
            begin_line(&mut text, format_args!("{how}"));
        }
        text
    }
}
