//! An action with its types erased: what the registry holds.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::action::{
    ActionDef, Call, HostAction, ReadAction, ReadCx, Render, RepoAction, RepoCx, Stand, Sync,
};
use crate::answers::add;
use crate::input::Shape;
use crate::leases::HandleKind;
use crate::{Code, ToolError, schema};

/// An answer before the pipeline adds its own fields.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) structured: Map<String, Value>,
    pub(crate) text: String,
}

/// Checked arguments, without those that the pipeline took.
pub(crate) type Args = Map<String, Value>;

/// How an action runs.
pub(crate) enum Runner {
    Host(fn(&Call<'_>, Args) -> Result<Answer, ToolError>),
    Repo(RunRepo),
    /// `early`: see [`ReadAction::EARLY`].
    Read {
        sync: Sync,
        handle: ReadHandle,
        run: RunRead,
        early: bool,
    },
}

/// Takes the handle out of arguments.
pub(crate) type ReadHandle = fn(&Args) -> Option<(HandleKind, String)>;
/// Runs a [`RepoAction`].
pub(crate) type RunRepo = fn(&RepoCx<'_>, Args) -> Result<(Answer, Stand), ToolError>;
/// Runs a [`ReadAction`].
pub(crate) type RunRead = fn(&ReadCx<'_>, Args) -> Result<Answer, ToolError>;

/// One action.
pub(crate) struct Entry {
    pub(crate) def: ActionDef,
    /// Tokens of its answer at most unless the caller names a budget; none if it takes no budget.
    pub(crate) usual_tokens: Option<usize>,
    /// What a call may hold, in full.
    pub(crate) request: Value,
    /// What an answer holds, in full.
    pub(crate) response: Value,
    pub(crate) shape: Shape,
    pub(crate) runner: Runner,
    /// What the types read of checked arguments.
    #[cfg(test)]
    pub(crate) reads: fn(Args) -> Result<super::Reads, serde_json::Error>,
}

/// Arguments of every action on a repository.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RepoArgs {
    /// Default: the cwd's. A repository's id, as `repo.register` gives it. Not needed where a handle names
    /// the repository.
    pub(crate) repo_id: Option<String>,
}

/// Arguments of every action that reads the tree.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadArgs {
    /// Default: the cwd's. A repository's id, as `repo.register` gives it. Not needed where a handle names
    /// the repository.
    pub(crate) repo_id: Option<String>,
    /// Wait for writes to be indexed. `require`: wait until every write that has finished is in the answer,
    /// or fail. `prefer`: wait, then answer anyway; `freshness.synced` says which. `none`: don't wait.
    /// Default `prefer`; `require` for `slice.refresh` and `delta.get`.
    pub(crate) sync: Option<Sync>,
    /// Longest wait in milliseconds, default 2000.
    #[schemars(range(min = 0, max = 600_000))]
    pub(crate) sync_timeout_ms: Option<u64>,
}

/// What the pipeline adds to every answer on a repository.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Freshness {
    /// The version that the answer was computed from, such as `v1770600000000`.
    pub(crate) version: String,
    /// True if every write that had finished before the call is in the answer. False if that is not confirmed; `reason`
    /// says why. Left out where the answer does not depend on the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) synced: Option<bool>,
    /// Milliseconds that the oldest change not in the answer has waited; 0 if none is known.
    pub(crate) lag_ms: u64,
    /// The unsaved editor buffers that the answer takes into account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlay: Option<OverlayOut>,
    /// Why the answer is not synced, or how watching is degraded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl From<Stand> for Freshness {
    fn from(stand: Stand) -> Self {
        Self {
            version: stand.version.to_string(),
            synced: stand.synced,
            lag_ms: 0,
            overlay: None,
            reason: stand.reason,
        }
    }
}

impl Freshness {
    /// The same as a line of text: the version alone if all is well, else what is not.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("\n[{}", self.version);
        if self.synced.is_none() {
            line.push(']');
            return line;
        }
        if self.synced == Some(false) {
            line.push_str(", not synced");
        }
        if self.lag_ms > 0 {
            add(&mut line, format_args!(", lags {} ms", self.lag_ms));
        }
        if let Some(reason) = &self.reason {
            add(&mut line, format_args!(": {reason}"));
        }
        if let Some(overlay) = &self.overlay {
            let s = if overlay.files == 1 { "" } else { "s" };
            add(&mut line, format_args!(", with {} unsaved buffer{s}", overlay.files));
        }
        line.push(']');
        line
    }
}

/// Unsaved buffers over the tree.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OverlayOut {
    /// The state of the buffers: the number after `+` in versions.
    pub(crate) seq: u64,
    /// Files with an unsaved buffer.
    pub(crate) files: u64,
}

#[derive(Serialize, JsonSchema)]
struct Noted {
    /// Remarks on how the call was understood: fields without effect, limits that applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Fresh {
    /// Which version the answer was computed from, and whether it holds every write that had finished before
    /// the call.
    freshness: Freshness,
}

impl Entry {
    /// An action on a snapshot.
    pub(crate) fn read<A: ReadAction>() -> Self {
        let run = |cx: &ReadCx<'_>, args: Args| answer(&A::run(cx, typed::<A::Request>(args)?)?);
        let handle = |args: &Args| {
            let request = typed::<A::Request>(args.clone()).ok()?;
            A::handle(&request).map(|(kind, handle)| (kind, handle.to_owned()))
        };
        Self::new::<A, ReadArgs>(true, Runner::Read { sync: A::SYNC, handle, run, early: A::EARLY })
    }

    /// An action on a repository.
    pub(crate) fn repo<A: RepoAction>() -> Self {
        let run = |cx: &RepoCx<'_>, args: Args| {
            let (response, stand) = A::run(cx, typed::<A::Request>(args)?)?;
            Ok((answer(&response)?, stand))
        };
        Self::new::<A, RepoArgs>(true, Runner::Repo(run))
    }

    /// An action on the host.
    pub(crate) fn host<A: HostAction>() -> Self {
        #[derive(JsonSchema, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        let run = |cx: &Call<'_>, args: Args| answer(&A::run(cx, typed::<A::Request>(args)?)?);
        Self::new::<A, Nothing>(false, Runner::Host(run))
    }

    fn new<A: crate::action::Action, Common: JsonSchema + DeserializeOwned>(
        fresh: bool,
        runner: Runner,
    ) -> Self {
        let mut request = schema::of_request::<A::Request>();
        schema::extend(&mut request, &schema::of_request::<Common>());
        let mut response = schema::of_response::<A::Response>();
        if fresh {
            schema::extend(&mut response, &schema::of_response::<Fresh>());
        }
        schema::extend(&mut response, &schema::of_response::<Noted>());
        let aliases: Vec<(&str, &str)> =
            [("repo", "repoId")].into_iter().chain(A::DEF.aliases.iter().copied()).collect();
        let shape = Shape::compile(&request, &aliases).unwrap_or_else(|breach| {
            // A schema outside the subset: found by the lint, which a test runs over the registry. Refuse every call.
            debug_assert!(false, "{}: {breach}", A::DEF.name);
            Shape::Boolean
        });
        Self {
            def: A::DEF,
            usual_tokens: A::USUAL_TOKENS,
            request,
            response,
            shape,
            runner,
            #[cfg(test)]
            reads: all_reads::<A::Request, Common>,
        }
    }
}

fn typed<T: DeserializeOwned>(args: Map<String, Value>) -> Result<T, ToolError> {
    // Checked against the schema before, so this fails only where a type accepts less than its schema says.
    serde_json::from_value(Value::Object(args))
        .map_err(|e| ToolError::new(Code::InvalidArgument, e.to_string()))
}

/// Takes the fields of `T` out of checked arguments.
pub(crate) fn take<T: DeserializeOwned>(
    args: &mut Map<String, Value>,
    names: &[&str],
) -> Result<T, ToolError> {
    let taken = names.iter().filter_map(|name| args.shift_remove_entry(*name)).collect();
    typed(taken)
}

/// What both types read of the arguments that are theirs.
#[cfg(test)]
fn all_reads<T: DeserializeOwned, Common: JsonSchema + DeserializeOwned>(
    mut args: Args,
) -> Result<super::Reads, serde_json::Error> {
    let common = schema::of_request::<Common>();
    let names = common.get("properties").and_then(Value::as_object).into_iter().flatten();
    let taken: Args = names.filter_map(|(name, _)| args.shift_remove_entry(name)).collect();
    let mut all = super::recorder::reads::<T>(&Value::Object(args))?;
    all.extend(super::recorder::reads::<Common>(&Value::Object(taken))?);
    Ok(all)
}

fn answer<R: Serialize + Render>(response: &R) -> Result<Answer, ToolError> {
    match serde_json::to_value(response) {
        Ok(Value::Object(structured)) => Ok(Answer { structured, text: response.text() }),
        Ok(_) => Err(ToolError::internal("writing the answer", "it is not an object")),
        Err(e) => Err(ToolError::internal("writing the answer", e)),
    }
}
