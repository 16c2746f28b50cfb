//! Requests of `sdlctl` beyond the tools: one file per method. Parameters and results are JSON objects.

pub mod audit;
pub mod check;
pub mod dump;
pub mod enter;
pub mod export;
pub mod graph;
pub mod kg;
pub mod memory;
pub mod policy;
pub mod remove;
pub mod revive;
pub mod share;
pub mod status;
pub mod upstream;
pub mod verify;
pub mod workspace;

use std::sync::Arc;

use sdl_proto::{ClientKind, WireError, code};
use sdl_tools::{Cancel, Damage, Progress, Repo as _};
use serde_json::Value;

use crate::engine::Engine;
use crate::repo::Repo;

/// The surroundings of a method.
pub struct Admin<'a> {
    /// The daemon.
    pub engine: &'a Arc<Engine>,
    /// Set when the caller has gone.
    pub cancel: &'a Cancel,
    /// Reports progress.
    pub progress: &'a dyn Progress,
    /// The caller's kind.
    pub kind: ClientKind,
    /// Its connection, for the log.
    pub session: u64,
    /// How it introduced itself, for the log.
    pub client: &'a str,
}

type Run = fn(&Admin<'_>, &[u8]) -> Result<Vec<u8>, WireError>;

/// The methods by name.
const METHODS: &[(&str, Run)] = &[
    ("repo/remove", remove::run_remove),
    ("repo/enter", enter::run_enter),
    ("repo/revive", revive::run_revive),
    ("export/calls", export::export_calls),
    ("export/edges", export::export_edges),
    ("export/graph", graph::export_graph),
    ("export/symbols", export::export_symbols),
    ("memory/export", memory::export_memory),
    ("memory/import", memory::import_memory),
    ("memory/verify", memory::verify_memory),
    ("ledger/verify", verify::run_verify),
    ("ledger/check", check::run_check),
    ("ledger/dump", dump::run_dump),
    ("kg/export", kg::export_graph),
    ("audit/show", audit::show_audit),
    ("audit/verify", audit::verify_audit),
    ("audit/acknowledge", audit::acknowledge_audit),
    ("policy/show", policy::show_policy),
    ("policy/ceiling", policy::set_ceiling),
    ("upstream/list", upstream::list_upstreams),
    ("upstream/tools", upstream::list_tools),
    ("upstream/show", upstream::show_upstream),
    ("upstream/reload", upstream::reload_settings),
    ("upstream/refresh", upstream::refresh_lists),
    ("upstream/restart", upstream::restart_upstream),
    ("upstream/diff", upstream::compare_definitions),
    ("upstream/approve", upstream::approve_definitions),
    ("share/begin", share::begin_share),
    ("share/export", share::export_share),
    ("share/import", share::import_share),
    ("share/end", share::end_share),
    ("workspace/list", workspace::list_workspaces),
    ("workspace/set", workspace::set_workspace),
    ("workspace/remove", workspace::remove_workspace),
];

/// The method of that name.
pub fn find_method(method: &str) -> Option<Run> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, run)| *run)
}

impl Admin<'_> {
    /// The repository that the request names: by id, by a path inside it, or the only one there is.
    fn repo(&self, named: Option<&str>) -> Result<Arc<Repo>, WireError> {
        self.engine.find_repo(named).map_err(|message| wire_error(code::UNKNOWN_REPO, message))
    }
}

fn wire_error(code: &str, message: impl Into<String>) -> WireError {
    WireError { code: code.into(), message: message.into(), detail: Vec::new() }
}

fn ledger_error(source: sdl_ledger::Error) -> WireError {
    wire_error(code::INTERNAL, source.to_string())
}

/// An error of a repository's stores, which is handled if it is damage.
fn store_error(repo: &Repo, source: sdl_ledger::Error) -> WireError {
    if let Some(damage) = Damage::of(&source) {
        repo.damaged(&damage);
    }
    ledger_error(source)
}

fn json_bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
