//! `info`: reports on the daemon, its schemas and its limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;
use std::sync::Arc;

use sdl_ledger::{Clock as _, SystemClock};

use crate::ToolError;
use crate::call::action::{Action, ActionDef, Namespace, Render};
use crate::call::answers::begin_line;
use crate::call::budget;
use crate::call::context::Call;
use crate::call::origin::Shown;
use crate::call::registry::{Registry, RegistryAction};
use crate::call::upstream::{Listed, Rules, Who};
use crate::host::Upstreams;
use crate::surface::Listing;

/// See [`ActionDef`].
pub(crate) struct Info;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// For bug reports. Leaves out paths of this machine.
    redact_paths: Option<bool>,
    /// True adds `actions`. A hash of each action's schemas.
    actions: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// The daemon's release.
    version: String,
    /// Commit, target and profile of its build.
    build: String,
    /// Version of the local protocol.
    protocol: String,
    /// Number of the storage layout.
    storage_schema: u32,
    /// Number of the rules that turn files into facts.
    extractor_version: u32,
    /// Hash of all tool schemas. If it differs from the one you know, list the tools again.
    schema_version: String,
    /// With `actions`: a hash of the schemas of each action. Where one differs from the one you know, the schema that you hold is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<BTreeMap<String, String>>,
    /// Hash of the list of tools that you are shown. If it differs from the one you know, list the tools again.
    surface_version: String,
    /// Milliseconds since the daemon started.
    uptime_ms: u64,
    /// The registered repositories.
    repos: Vec<RepoLine>,
    /// The upstream servers whose tools you can call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    upstreams: Vec<UpstreamLine>,
    /// The daemon's memory.
    memory: Memory,
    /// Limits in force.
    limits: Limits,
    /// What a person should look at.
    warnings: Vec<String>,
    /// Folder of ledgers and settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_dir: Option<String>,
    /// The log file.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_file: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RepoLine {
    /// Its id.
    repo_id: String,
    /// Its root folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    root_path: Option<String>,
    /// `indexing`, `live`, `scanning` or `failed`.
    state: String,
    /// Its newest version; missing before the first index is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger_version: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpstreamLine {
    /// Its key.
    key: String,
    /// `ready`, `stopped` (the next call starts it), `failing` and so on.
    state: String,
    /// How many of its tools you can call.
    tools: usize,
    /// Milliseconds since its list was read.
    age_ms: u64,
    /// True if that list may be out of date.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Memory {
    /// Resident bytes, mapped files included.
    resident_bytes: u64,
    /// Bytes of the process alone.
    private_bytes: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Limits {
    /// Tokens of an answer unless the call says otherwise.
    default_tokens: usize,
    /// Maximum tokens of any answer.
    max_tokens: usize,
    /// Larger files are skipped.
    max_file_bytes: u64,
    /// Maximum bytes of one message on the local socket.
    max_frame_bytes: u64,
    /// Maximum requests at once on one connection.
    max_in_flight: u32,
}

impl Action for Info {
    type Request = Request;
    type Response = Response;
    const DEF: ActionDef = ActionDef {
        name: "info",
        namespace: Namespace::Universal,
        mutating: false,
        description: "Call this when you need the daemon's version, schemaVersion, repositories or limits",
        needs: "",
        examples: &["{}", r#"{"redactPaths":true}"#],
        aliases: &[],
    };
}

impl RegistryAction for Info {
    fn run(cx: &Call<'_>, registry: &Registry, request: Request) -> Result<Response, ToolError> {
        let redact = request.redact_paths.unwrap_or(false);
        let shown = |path: String| (!redact && !path.is_empty()).then_some(path);
        let info = cx.host.info();
        let repos = cx.host.repos().into_iter().map(|repo| {
            Ok(RepoLine {
                repo_id: repo.id().to_owned(),
                root_path: shown(repo.root().to_string_lossy().into_owned()),
                state: repo.status().state.name().to_owned(),
                ledger_version: repo.ledger().head().map(|version| version.to_string()),
            })
        });
        let roots: Vec<String> =
            cx.host.repos().iter().map(|repo| repo.root().to_string_lossy().into_owned()).collect();
        let hidden = |text: String| {
            if !redact {
                return text;
            }
            let places = roots.iter().chain([&info.state_dir]).chain(&info.log_file);
            places
                .filter(|place| !place.is_empty())
                .fold(text, |text, place| text.replace(place.as_str(), "<path>"))
        };
        Ok(Response {
            repos: repos.collect::<Result<_, ToolError>>()?,
            warnings: info.warnings.iter().cloned().map(hidden).collect(),
            version: info.version.clone(),
            build: info.build.clone(),
            protocol: info.protocol.clone(),
            storage_schema: info.storage_schema,
            extractor_version: info.extractor_version,
            schema_version: registry.schema_version().to_owned(),
            actions: (request.actions == Some(true)).then(|| registry.action_hashes()),
            surface_version: surface_version(cx, registry),
            upstreams: upstream_lines(cx),
            uptime_ms: info.uptime_ms,
            memory: Memory { resident_bytes: info.memory.resident, private_bytes: info.memory.private },
            limits: Limits {
                default_tokens: budget::DEFAULT_TOKENS,
                max_tokens: budget::MOST_TOKENS,
                max_file_bytes: info.limits.max_file_bytes,
                max_frame_bytes: info.limits.max_frame_bytes,
                max_in_flight: info.limits.max_in_flight,
            },
            state_dir: shown(info.state_dir.clone()),
            log_file: info.log_file.clone().and_then(shown),
        })
    }
}

/// The hash of the list of tools that the caller is shown.
fn surface_version(cx: &Call<'_>, registry: &Registry) -> String {
    let view = cx.view();
    let rules = Rules::new(&view.catalog.settings, Who::of(cx.session));
    let Shown { surface, output_schemas, names } = cx.origin.shown;
    let list = registry.list(Listing { surface, output_schemas, names, view: &view, rules });
    blake3::hash(list.to_string().as_bytes()).to_hex().chars().take(16).collect()
}

fn upstream_lines(cx: &Call<'_>) -> Vec<UpstreamLine> {
    let view = cx.view();
    let states = cx.host.upstreams().map(Upstreams::states).unwrap_or_default();
    let now = SystemClock.unix_ms();
    let line = |upstream: &Arc<Listed>| UpstreamLine {
        key: upstream.key.to_string(),
        state: states
            .iter()
            .find(|state| state.key == *upstream.key)
            .map_or_else(|| "stopped".to_owned(), |state| state.state.clone()),
        tools: view.tools.iter().filter(|tool| tool.key == upstream.key).count(),
        age_ms: now.saturating_sub(upstream.confirmed_at_ms()),
        stale: upstream.may_be_stale(),
    };
    view.upstreams.iter().map(line).collect()
}

impl Render for Response {
    fn text(&self) -> String {
        let mut text = format!(
            "sdl {} ({}), schemas {}, protocol {}, up {} s, {} MB private",
            self.version,
            self.build,
            self.schema_version,
            self.protocol,
            self.uptime_ms / 1_000,
            self.memory.private_bytes >> 20
        );
        for repo in &self.repos {
            let root = repo.root_path.as_deref().unwrap_or_default();
            let version = repo.ledger_version.as_deref().unwrap_or("-");
            begin_line(&mut text, format_args!("{} {} {version} {root}", repo.repo_id, repo.state));
        }
        for upstream in &self.upstreams {
            let UpstreamLine { key, state, tools, .. } = upstream;
            begin_line(&mut text, format_args!("upstream {key} {state} {tools} tools"));
        }
        for warning in &self.warnings {
            begin_line(&mut text, format_args!("warning: {warning}"));
        }
        text
    }
}
