//! `memory.update`: changes a memory or a lesson, says that it is still true, or undoes a change.

use schemars::JsonSchema;
use sdl_contract::{Branch, Union};
use sdl_memory::notes::{self, Bugfix, Decision, Kind, Lesson, Note, Patch, Pattern, TaskContext};
use sdl_memory::store::Change;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::action::{Action, ActionDef, Namespace, OwnedAction, Render};
use crate::call::modules::Module;
use crate::call::owned::OwnedCx;
use crate::kept::{anchors, memory};
use crate::parts::times;
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct MemoryUpdate;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Common {
    /// `m_…`. The memory or lesson.
    #[schemars(length(min = 1, max = 100))]
    memory_id: String,
    /// One line.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// What to remember.
    #[schemars(length(min = 1, max = 8_000))]
    content: Option<String>,
    /// Words to find it by, in place of those it has.
    #[schemars(length(max = memory::MOST_TAGS))]
    tags: Option<Vec<String>>,
    /// 0 to 1. How sure you are.
    #[schemars(range(min = 0, max = 1))]
    confidence: Option<f64>,
    /// Symbols it is about, in place of those it has.
    #[schemars(length(max = memory::MOST_LINKS))]
    symbol_ids: Option<Vec<String>>,
    /// Paths it is about, in place of those it has.
    #[schemars(length(max = memory::MOST_LINKS))]
    files: Option<Vec<String>>,
    /// When it ends, or `never`. RFC 3339 with an offset, a date, or Unix milliseconds.
    #[schemars(length(min = 1, max = 40))]
    expires_at: Option<String>,
    /// `m_…`. An older memory that it replaces.
    #[schemars(length(min = 1, max = 100))]
    supersedes: Option<String>,
    /// True: it is still true of the code as it is now, so it is stale no more.
    confirm: Option<bool>,
    /// Fails if the memory changed since this revision.
    #[schemars(range(min = 0))]
    if_revision: Option<u64>,
    /// Brings back its state of that revision, also if it was removed in the last 30 days. Goes with no other change.
    #[schemars(range(min = 0))]
    restore_revision: Option<u64>,
}

/// The fields of each kind.
fn branches() -> Union {
    fn of<T: JsonSchema>(kind: Kind) -> Branch {
        Branch { name: kind.name(), schema: sdl_contract::schema::of_request::<T>() }
    }
    Union::new(
        "type",
        vec![
            of::<Decision>(Kind::Decision),
            of::<Bugfix>(Kind::Bugfix),
            of::<TaskContext>(Kind::TaskContext),
            of::<Pattern>(Kind::Pattern),
            of::<Note>(Kind::Note),
            of::<Lesson>(Kind::Lesson),
        ],
    )
}

/// The arguments: the common fields, and those of any kind. Which the memory's own kind has is known once it is read.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    common: Common,
    fields: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Request {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut common = Map::deserialize(from)?;
        let mut fields = Map::new();
        let union = branches();
        for name in union.names().flat_map(|kind| union.fields_of(kind)) {
            fields.extend(common.shift_remove_entry(name));
        }
        let common = serde_json::from_value(Value::Object(common)).map_err(D::Error::custom)?;
        Ok(Self { common, fields })
    }
}

impl JsonSchema for Request {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MemoryUpdateRequest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = sdl_contract::schema::of_request::<Common>();
        let schema = match branches().extend_properties(&mut schema) {
            Ok(()) => schema,
            // The lint of schemas finds it.
            Err(breach) => serde_json::json!({ "not": breach }),
        };
        schemars::Schema::try_from(schema).unwrap_or_default()
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The memory's id.
    memory_id: String,
    /// The fields that are different now. Empty if it was so already; nothing was written then.
    changed: Vec<String>,
}

impl Action for MemoryUpdate {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "memory.update",
        namespace: Namespace::Memory,
        mutating: true,
        description: "Call this when a memory or lesson has to change, is stale but still true, or a change was wrong",
        needs: "memoryId",
        examples: &[
            r#"{"repoId":"my-repo","memoryId":"m_0123456789abc","confirm":true}"#,
            r#"{"repoId":"my-repo","memoryId":"m_0123456789abc","content":"The gateway checks once.","ifRevision":7}"#,
        ],
        aliases: &[],
    };
    const MODULE: Option<Module> = Some(Module::Memory);
}

impl OwnedAction for MemoryUpdate {
    fn run(cx: &OwnedCx<'_>, request: Request) -> Result<Response, ToolError> {
        let id = request.common.memory_id.clone();
        let changed = match request.common.restore_revision {
            Some(revision) => {
                check_alone(&request)?;
                let scopes = cx.scopes.read.as_deref();
                let known = request.common.if_revision;
                cx.change(|change| notes::restore_memory(change, scopes, &id, revision, known))
            }
            None => update(cx, &request),
        };
        let changed = changed.map_err(|error| memory::lead_on(error, &cx.scopes.own))?;
        Ok(Response { memory_id: id, changed })
    }
}

fn update(cx: &OwnedCx<'_>, request: &Request) -> Result<Vec<String>, ToolError> {
    let Request { common, fields } = request;
    let id = &common.memory_id;
    let scopes = cx.scopes.read.as_deref();
    let mut patch = Patch {
        title: common.title.as_deref().map(|text| memory::check_text("title", text)).transpose()?,
        content: common.content.as_deref().map(|text| memory::check_text("content", text)).transpose()?,
        tags: common.tags.as_deref().map(memory::check_tags).transpose()?,
        confidence: common.confidence,
        expires_ms: match common.expires_at.as_deref() {
            Some("never") => Some(None),
            given => times::end_of("expiresAt", given, cx.now_ms())?.map(Some),
        },
        supersedes: common.supersedes.clone(),
        fields: fields.clone(),
        ..Patch::default()
    };
    let found = |memory: Option<_>| memory.ok_or_else(|| notes::unknown_memory(&cx.scopes.own, id));
    if common.confirm == Some(true) {
        let memory = cx.look(|reader| Ok(found(notes::find_memory(reader, scopes, id)?)?))?;
        cx.need_code("confirm")?;
        patch.confirmed = memory::confirmed_anchors(cx, memory)?;
    }
    (patch.symbols, patch.files) =
        anchors::link_anchors(cx, common.symbol_ids.as_deref(), common.files.as_deref())?;
    cx.change(|change| {
        let memory = found(notes::find_memory(change.tables(), scopes, id)?)?;
        notes::check_revision(&memory, common.if_revision)?;
        // The tag of the union is the kind that the memory has.
        let names = fields.keys().map(String::as_str);
        if let Err(refusal) = branches().check_fields(memory.kind().name(), names) {
            return Change::refuse(refusal);
        }
        notes::update_memory(change, &memory, &patch)
    })
}

/// Checks that nothing else is to change.
fn check_alone(request: &Request) -> Result<(), ToolError> {
    let Request { common, fields } = request;
    let given = [
        ("title", common.title.is_some()),
        ("content", common.content.is_some()),
        ("tags", common.tags.is_some()),
        ("confidence", common.confidence.is_some()),
        ("symbolIds", common.symbol_ids.is_some()),
        ("files", common.files.is_some()),
        ("expiresAt", common.expires_at.is_some()),
        ("supersedes", common.supersedes.is_some()),
        ("confirm", common.confirm.is_some()),
    ];
    let given = given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name);
    let Some(other) = given.chain(fields.keys().map(String::as_str)).next() else { return Ok(()) };
    let message = format!(
        "restoreRevision brings back a whole state; leave out {other:?}, or change it in a call of its own"
    );
    Err(ToolError::invalid(other, message))
}

impl Render for Response {
    fn text(&self) -> String {
        if self.changed.is_empty() {
            return format!("{} as it was", self.memory_id);
        }
        format!("{} changed: {}", self.memory_id, self.changed.join(", "))
    }
}
