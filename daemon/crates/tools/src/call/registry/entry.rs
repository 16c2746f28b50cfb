//! An action with its types erased, as the registry holds it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Registry;
use crate::call::action::{
    Action, ActionDef, HostAction, Namespace, OwnedAction, ReadAction, Render, RepoAction,
};
use crate::call::context::{Call, ReadCx, RepoCx};
use crate::call::freshness::{Freshness, FreshnessAcross, FreshnessInPart, Stand, Sync};
use crate::call::leases::HandleKind;
use crate::call::modules::{Module, Modules, module_off};
use crate::call::owned::OwnedCx;
use crate::{Code, Explained, ToolError};
use sdl_contract::schema;
use sdl_contract::{Shape, Union};

/// An answer before the pipeline adds its own fields.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) structured: Map<String, Value>,
    pub(crate) text: String,
}

/// Checked arguments, without those that the pipeline handles.
pub(crate) type Args = Map<String, Value>;

/// How an action runs.
#[derive(Clone, Copy)]
pub(crate) enum Runner {
    Host(fn(&Call<'_>, Args) -> Result<Answer, ToolError>),
    Registry(fn(&Call<'_>, &Registry, Args) -> Result<Answer, ToolError>),
    Repo(RunRepo),
    Read(ReadRunner),
    Owned(OwnedRunner),
}

/// How an [`OwnedAction`] runs.
#[derive(Clone, Copy)]
pub(crate) struct OwnedRunner {
    /// See [`OwnedAction::SCOPED`].
    pub(crate) scoped: bool,
    /// See [`OwnedAction::READS_CODE`].
    pub(crate) reads_code: bool,
    /// Parses the arguments into their type.
    pub(crate) prepare: fn(Args) -> Result<Box<dyn PreparedOwned>, ToolError>,
}

/// A call on what agents own, with parsed arguments.
pub(crate) trait PreparedOwned {
    /// See [`OwnedAction::sync`].
    fn sync(&self) -> Sync;

    /// Runs the action.
    fn run(&self, cx: &OwnedCx<'_>) -> Result<Answer, ToolError>;
}

struct OwnedCall<A: OwnedAction>(A::Request);

impl<A: OwnedAction<Request: Clone>> PreparedOwned for OwnedCall<A> {
    fn sync(&self) -> Sync {
        A::sync(&self.0)
    }

    fn run(&self, cx: &OwnedCx<'_>) -> Result<Answer, ToolError> {
        to_answer(&A::run(cx, self.0.clone())?)
    }
}

/// Runs a [`RepoAction`].
pub(crate) type RunRepo = fn(&RepoCx<'_>, Args) -> Result<(Answer, Stand), ToolError>;

/// How a [`ReadAction`] runs.
#[derive(Clone, Copy)]
pub(crate) struct ReadRunner {
    /// The default of `sync`.
    pub(crate) sync: Sync,
    /// See [`ReadAction::EARLY`].
    pub(crate) early: bool,
    /// See [`ReadAction::FROM_PART`].
    pub(crate) from_part: bool,
    /// See [`ReadAction::ACROSS`].
    pub(crate) across: bool,
    /// Parses the arguments into their type. Once for each call: a call that is answered again starts from the same
    /// request.
    pub(crate) prepare: fn(Args) -> Result<Box<dyn PreparedRead>, ToolError>,
}

/// A read with parsed arguments.
pub(crate) trait PreparedRead {
    /// See [`ReadAction::handle`].
    fn handle(&self) -> Option<(HandleKind, &str)>;

    /// Answers from a snapshot.
    fn run(&self, cx: &ReadCx<'_>) -> Result<Answer, ToolError>;
}

struct Prepared<A: ReadAction>(A::Request);

impl<A: ReadAction<Request: Clone>> PreparedRead for Prepared<A> {
    fn handle(&self) -> Option<(HandleKind, &str)> {
        A::handle(&self.0)
    }

    fn run(&self, cx: &ReadCx<'_>) -> Result<Answer, ToolError> {
        to_answer(&A::run(cx, self.0.clone())?)
    }
}

/// An action that belongs to no repository and is about the actions of the registry.
pub(crate) trait RegistryAction: Action {
    /// Returns whether such arguments only read. For an action that runs other actions.
    const ONLY_READS: Option<OnlyReads> = None;

    /// Runs the action.
    fn run(cx: &Call<'_>, registry: &Registry, request: Self::Request) -> Result<Self::Response, ToolError>;
}

/// Whether checked arguments only read; the flag says whether upstreams have tools too.
pub(crate) type OnlyReads = fn(&Registry, &Args, bool) -> bool;

/// One action. Its schemas are large, so the registries share those that are the same in several sets of modules.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) def: ActionDef,
    /// The gateway that lists it.
    pub(crate) namespace: Namespace,
    /// See [`Action::MODULE`].
    pub(crate) module: Option<Module>,
    /// See [`Action::MOVES`].
    moves: Option<(Module, Namespace)>,
    /// See [`Action::MODULE_FIELDS`].
    module_fields: &'static [(Module, &'static [&'static str])],
    /// The fields that belong to a module that is off.
    off: Vec<(&'static str, Module)>,
    /// See [`Action::UNION`].
    pub(crate) union: Option<Union>,
    /// Most tokens of its answer if the caller names no budget; none if the action takes no budget.
    pub(crate) usual_tokens: Option<usize>,
    /// The full schema of its arguments.
    pub(crate) request: Arc<Value>,
    /// The full schema of its answer.
    pub(crate) response: Arc<Value>,
    pub(crate) shape: Arc<Shape>,
    pub(crate) runner: Runner,
    /// For an action that runs other actions; see [`RegistryAction::ONLY_READS`].
    pub(crate) only_reads: Option<OnlyReads>,
    /// Records which of the checked arguments the types read.
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

/// Arguments of every action that may be asked over a workspace; read as [`ReadArgs`].
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "it is their description")]
struct AcrossArgs {
    /// Default: the cwd's; `*`: all. A repository's id, as `repo.register` gives it, or `workspace:NAME` for a set of
    /// repositories that a person named.
    repo_id: Option<String>,
    /// Wait for writes to be indexed. `require`: wait until every write that has finished is in the answer,
    /// or fail. `prefer`: wait, then answer anyway; `freshness.synced` says which. `none`: don't wait.
    /// Default `prefer`.
    sync: Option<Sync>,
    /// Longest wait in milliseconds, default 2000.
    #[schemars(range(min = 0, max = 600_000))]
    sync_timeout_ms: Option<u64>,
}

/// Arguments of every action on what agents own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnedArgs {
    /// Default: the cwd's. A repository's id, as `repo.register` gives it. Without one, all but the code works.
    pub(crate) repo_id: Option<String>,
    /// Wait for writes to be indexed. `require`: wait until every write that has finished is in the answer,
    /// or fail. `prefer`: wait, then answer anyway; `freshness.synced` says which. `none`: don't wait.
    /// Default `prefer` where the answer depends on the code.
    pub(crate) sync: Option<Sync>,
    /// Longest wait in milliseconds, default 2000.
    #[schemars(range(min = 0, max = 600_000))]
    pub(crate) sync_timeout_ms: Option<u64>,
}

/// Arguments of every action on what agents own that reads no code.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "it is their description")]
struct HomeArgs {
    /// Default: the cwd's. A repository's id, as `repo.register` gives it.
    repo_id: Option<String>,
}

/// The argument of actions whose rows belong to a repository or to the user.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ScopeArgs {
    /// Whose. `repo`: the repository's, the default if there is one; `user`: yours in every repository; `all`, to read:
    /// everyone's. A read without it sees the repository's and yours.
    pub(crate) scope: Option<ScopeChoice>,
}

/// Whose rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ScopeChoice {
    /// The repository's.
    Repo,
    /// The user's.
    User,
    /// Everyone's.
    All,
}

/// The argument of every action that changes what agents own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OnceArgs {
    /// Makes a retry safe. The same key and arguments within 24 hours get the first answer, and nothing is written twice.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) idempotency_key: Option<String>,
}

/// What every answer on what agents own has.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stored {
    /// Number of changes of the store so far. The same number, the same version and the same request give the same answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    store_revision: Option<u64>,
}

/// What every answer of a change has.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Written {
    /// Always true.
    ok: bool,
    /// Number of the change, for `ifRevision` and `restoreRevision`.
    revision: u64,
    /// True if the same request was carried out before, by its idempotencyKey. Nothing was written then.
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<bool>,
    /// Number of secrets in the request. Each was replaced by `***` before anything was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    masked: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct MaybeFresh {
    /// Which version the answer was computed from, and whether it holds every write that had finished before
    /// the call. Missing without a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<Freshness>,
}

/// No arguments beside an action's own.
#[derive(JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

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

#[derive(Serialize, JsonSchema)]
struct FreshAcross {
    /// Which version the answer was computed from, and whether it holds every write that had finished before
    /// the call.
    freshness: FreshnessAcross,
}

#[derive(Serialize, JsonSchema)]
struct FreshInPart<F> {
    /// Which version the answer was computed from, and whether it holds every write that had finished before
    /// the call.
    freshness: FreshnessInPart<F>,
}

/// The schema of the freshness of an action.
fn freshness_schema<A: ReadAction>() -> Value {
    match (A::ACROSS, A::FROM_PART) {
        (false, false) => schema::of_response::<Fresh>(),
        (true, false) => schema::of_response::<FreshAcross>(),
        (false, true) => schema::of_response::<FreshInPart<Freshness>>(),
        (true, true) => schema::of_response::<FreshInPart<FreshnessAcross>>(),
    }
}

impl Entry {
    /// Creates the entry of an action on a snapshot.
    pub(crate) fn read<A: ReadAction<Request: Clone>>() -> Self {
        let prepare = |args: Args| {
            Ok(Box::new(Prepared::<A>(typed_arguments::<A::Request>(args)?)) as Box<dyn PreparedRead>)
        };
        let runner = ReadRunner {
            sync: A::SYNC,
            early: A::EARLY,
            from_part: A::FROM_PART,
            across: A::ACROSS,
            prepare,
        };
        let runner = Runner::Read(runner);
        let fresh = Some(freshness_schema::<A>());
        if A::ACROSS {
            Self::new::<A, AcrossArgs>(fresh, runner)
        } else {
            Self::new::<A, ReadArgs>(fresh, runner)
        }
    }

    /// Creates the entry of an action on a repository.
    pub(crate) fn repo<A: RepoAction>() -> Self {
        let run = |cx: &RepoCx<'_>, args: Args| {
            let (response, stand) = A::run(cx, typed_arguments::<A::Request>(args)?)?;
            Ok((to_answer(&response)?, stand))
        };
        Self::new::<A, RepoArgs>(Some(schema::of_response::<Fresh>()), Runner::Repo(run))
    }

    /// Creates the entry of an action on what agents own.
    pub(crate) fn owned<A: OwnedAction<Request: Clone>>() -> Self {
        let prepare = |args: Args| {
            Ok(Box::new(OwnedCall::<A>(typed_arguments::<A::Request>(args)?)) as Box<dyn PreparedOwned>)
        };
        let runner = Runner::Owned(OwnedRunner { scoped: A::SCOPED, reads_code: A::READS_CODE, prepare });
        let mut beside = if A::READS_CODE {
            schema::of_response::<MaybeFresh>()
        } else {
            schema::of_response::<Nothing>()
        };
        let of_kind =
            if A::DEF.mutating { schema::of_response::<Written>() } else { schema::of_response::<Stored>() };
        schema::extend_schema(&mut beside, &of_kind);
        let mut entry = if A::READS_CODE {
            Self::new::<A, OwnedArgs>(Some(beside), runner)
        } else {
            Self::new::<A, HomeArgs>(Some(beside), runner)
        };
        let mut extend = |more: Value| schema::extend_schema(Arc::make_mut(&mut entry.request), &more);
        if A::SCOPED {
            extend(schema::of_request::<ScopeArgs>());
        }
        if A::DEF.mutating {
            extend(schema::of_request::<OnceArgs>());
        }
        entry.compile_shape();
        #[cfg(test)]
        {
            entry.reads = owned_reads::<A>;
        }
        entry
    }

    /// Returns the entry as it is where these modules are on; none if it does not exist there.
    pub(crate) fn under(&self, modules: Modules) -> Option<Self> {
        if self.module.is_some_and(|module| !modules.has(module)) {
            return None;
        }
        let mut entry = Self { namespace: self.def.namespace, ..self.clone() };
        if let Some((module, namespace)) = self.moves
            && modules.has(module)
        {
            entry.namespace = namespace;
        }
        let off = self.module_fields.iter().filter(|(module, _)| !modules.has(*module));
        entry.off = off.flat_map(|(module, fields)| fields.iter().map(|field| (*field, *module))).collect();
        for (field, _) in &entry.off {
            for schema in [&mut entry.request, &mut entry.response] {
                let schema = Arc::make_mut(schema);
                match field.split_once('=') {
                    Some((field, choice)) => remove_choice(schema, field, choice),
                    None => remove_property(schema, field),
                }
            }
        }
        if !entry.off.is_empty() {
            entry.compile_shape();
        }
        Some(entry)
    }

    /// Whether an argument belongs to a module, so that it does not exist where that is off.
    pub(crate) fn is_of_module(&self, field: &str) -> bool {
        self.module_fields.iter().any(|(_, fields)| fields.contains(&field))
    }

    /// Whether its answer has a field.
    pub(crate) fn has_field(&self, field: &str) -> bool {
        self.response.get("properties").is_some_and(|properties| properties.get(field).is_some())
    }

    /// Returns the error for a field that exists only where a module is on.
    pub(crate) fn field_off(&self, field: &str) -> Option<ToolError> {
        let (field, module) = self.off.iter().find(|(name, _)| *name == field)?;
        Some(module_off(&format!("the field {field:?} of {}", self.def.name), *module).at(*field))
    }

    /// Creates the entry of an action on the host.
    pub(crate) fn host<A: HostAction>() -> Self {
        let run = |cx: &Call<'_>, args: Args| to_answer(&A::run(cx, typed_arguments::<A::Request>(args)?)?);
        Self::new::<A, Nothing>(None, Runner::Host(run))
    }

    /// Creates the entry of an action on the registry.
    pub(crate) fn registry<A: RegistryAction>() -> Self {
        let run = |cx: &Call<'_>, registry: &Registry, args: Args| {
            to_answer(&A::run(cx, registry, typed_arguments::<A::Request>(args)?)?)
        };
        let entry = Self::new::<A, Nothing>(None, Runner::Registry(run));
        Self { only_reads: A::ONLY_READS, ..entry }
    }

    fn new<A: Action, Common: JsonSchema + DeserializeOwned>(fresh: Option<Value>, runner: Runner) -> Self {
        let mut request = schema::of_request::<A::Request>();
        schema::extend_schema(&mut request, &schema::of_request::<Common>());
        let mut response = schema::of_response::<A::Response>();
        if let Some(fresh) = fresh {
            schema::extend_schema(&mut response, &fresh);
        }
        schema::extend_schema(&mut response, &schema::of_response::<Noted>());
        let mut entry = Self {
            def: A::DEF,
            namespace: A::DEF.namespace,
            module: A::MODULE,
            moves: A::MOVES,
            module_fields: A::MODULE_FIELDS,
            off: Vec::new(),
            union: A::UNION.map(|of| of()),
            usual_tokens: A::USUAL_TOKENS,
            request: Arc::new(request),
            response: Arc::new(response),
            shape: Arc::new(Shape::Boolean),
            runner,
            only_reads: None,
            #[cfg(test)]
            reads: all_reads::<A::Request, Common>,
        };
        entry.compile_shape();
        entry
    }

    /// Compiles the schema of the arguments.
    fn compile_shape(&mut self) {
        let known = |field: &str| self.request.pointer(&format!("/properties/{field}")).is_some();
        let aliases: Vec<(&str, &str)> = [("repo", "repoId")]
            .into_iter()
            .chain(self.def.aliases.iter().copied())
            .filter(|(_, field)| known(field) || !self.off.iter().any(|(off, _)| off == field))
            .collect();
        let shape = Shape::compile(&self.request, &aliases).unwrap_or_else(|breach| {
            // A schema outside the subset: found by the lint, which a test runs over the registry. Refuse every call.
            debug_assert!(false, "{}: {breach}", self.def.name);
            Shape::Boolean
        });
        self.shape = Arc::new(shape);
    }
}

/// Removes a value from the choices of a property, or of its items.
fn remove_choice(schema: &mut Value, name: &str, choice: &str) {
    for path in ["enum", "items/enum"] {
        let choices = schema.pointer_mut(&format!("/properties/{name}/{path}")).and_then(Value::as_array_mut);
        if let Some(choices) = choices {
            choices.retain(|known| known != choice);
        }
    }
}

/// Removes a property from a schema.
fn remove_property(schema: &mut Value, name: &str) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove(name);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|required| required != name);
    }
}

fn typed_arguments<T: DeserializeOwned>(args: Map<String, Value>) -> Result<T, ToolError> {
    // The arguments fit the schema already, so this fails only where a type accepts less than its schema allows.
    serde_json::from_value(Value::Object(args))
        .map_err(|e| ToolError::new(Code::InvalidArgument, e.to_string()))
}

/// Takes the fields of `T` out of checked arguments.
pub(crate) fn take_fields<T: DeserializeOwned>(
    args: &mut Map<String, Value>,
    names: &[&str],
) -> Result<T, ToolError> {
    let taken = names.iter().filter_map(|name| args.shift_remove_entry(*name)).collect();
    typed_arguments(taken)
}

/// Records what the types of an action on what agents own read of their own arguments.
#[cfg(test)]
fn owned_reads<A: OwnedAction>(mut args: Args) -> Result<super::Reads, serde_json::Error> {
    let mut scope = Args::new();
    let mut once = Args::new();
    if A::SCOPED {
        scope.extend(args.shift_remove_entry("scope"));
    }
    if A::DEF.mutating {
        once.extend(args.shift_remove_entry("idempotencyKey"));
    }
    let mut all = if A::READS_CODE {
        all_reads::<A::Request, OwnedArgs>(args)?
    } else {
        all_reads::<A::Request, HomeArgs>(args)?
    };
    all.extend(super::recorder::record_reads::<ScopeArgs>(&Value::Object(scope))?);
    all.extend(super::recorder::record_reads::<OnceArgs>(&Value::Object(once))?);
    Ok(all)
}

/// Records what both types read of their own arguments.
#[cfg(test)]
fn all_reads<T: DeserializeOwned, Common: JsonSchema + DeserializeOwned>(
    mut args: Args,
) -> Result<super::Reads, serde_json::Error> {
    let common = schema::of_request::<Common>();
    let names = common.get("properties").and_then(Value::as_object).into_iter().flatten();
    let taken: Args = names.filter_map(|(name, _)| args.shift_remove_entry(name)).collect();
    let mut all = super::recorder::record_reads::<T>(&Value::Object(args))?;
    all.extend(super::recorder::record_reads::<Common>(&Value::Object(taken))?);
    Ok(all)
}

fn to_answer<R: Serialize + Render>(response: &R) -> Result<Answer, ToolError> {
    match serde_json::to_value(response) {
        Ok(Value::Object(structured)) => Ok(Answer { structured, text: response.text() }),
        Ok(_) => Err(ToolError::internal("writing the answer", "it is not an object")),
        Err(e) => Err(ToolError::internal("writing the answer", e)),
    }
}
