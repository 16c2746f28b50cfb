//! `share/begin`, `share/export`, `share/import` and `share/end`: snapshots as files in a folder of the daemon's, which
//! `sdl-share` moves to a team's store and from there.

use std::path::PathBuf;

use sdl_proto::{WireError, code};
use sdl_tools::Repo as _;
use serde::Deserialize;
use serde_json::json;

use super::{Admin, json_bytes, wire_error};
use crate::share::export::export_snapshot;
use crate::share::folder::{make_folder, take_folder};
use crate::share::import::{Wanted, import_snapshot};
use crate::share::{MOST_ANCESTORS, rules_kind};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    root: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    repo: Option<String>,
    folder: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Import {
    root: PathBuf,
    folder: PathBuf,
    manifest: String,
    commit: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Folder {
    folder: PathBuf,
}

impl Admin<'_> {
    /// Refuses all but `sdlctl` and the programs that it starts, because a snapshot has the whole content of a ledger.
    fn only_for_people(&self) -> Result<(), WireError> {
        if self.kind == sdl_proto::ClientKind::Ctl {
            return Ok(());
        }
        Err(wire_error(code::DENIED, "only a person can do that, with sdlctl share"))
    }
}

/// Runs `share/begin`: makes a folder, and says which snapshots a tree could start from.
pub fn begin_share(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Tree = crate::router::parse_params(params)?;
    admin.only_for_people()?;
    let unavailable = |message: String| wire_error(code::UNAVAILABLE, message);
    let root = std::fs::canonicalize(&params.root)
        .map_err(|error| unavailable(format!("{}: {error}", params.root.display())))?;
    let opened = crate::git::open_repository(&root).map_err(|error| unavailable(error.to_string()))?;
    let opened = opened.ok_or_else(|| {
        let message = format!("{} is no git work tree, and a snapshot is of a commit", root.display());
        wire_error(code::CONFLICT, message)
    })?;
    let ancestors = opened.ancestors(MOST_ANCESTORS).map_err(|error| unavailable(error.to_string()))?;
    let all = admin.engine.all_repos();
    let known = all.iter().find(|repo| repo.root() == root).map(|repo| repo.id().to_owned());
    Ok(json_bytes(&json!({
        "folder": make_folder(&admin.engine.scratch_dir())?,
        "kind": rules_kind(),
        "place": opened.below,
        "ancestors": ancestors,
        "repoId": known,
    })))
}

/// Runs `share/export`: a snapshot of a repository into a folder that `share/begin` made. Answers with the name of the
/// manifest, which is in the folder.
pub fn export_share(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Export = crate::router::parse_params(params)?;
    admin.only_for_people()?;
    let repo = admin.repo(params.repo.as_deref())?;
    let folder = take_folder(&admin.engine.scratch_dir(), &params.folder)?;
    let (name, manifest) = export_snapshot(&repo, folder.path(), (admin.progress, admin.cancel))?;
    folder.keep();
    Ok(json_bytes(&json!({ "repoId": repo.id(), "manifest": name, "commit": manifest.commit })))
}

/// Runs `share/import`: registers a tree that starts from the snapshot in a folder. The folder is removed.
pub fn import_share(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Import = crate::router::parse_params(params)?;
    admin.only_for_people()?;
    let folder = take_folder(&admin.engine.scratch_dir(), &params.folder)?;
    let wanted = Wanted {
        folder: folder.path(),
        manifest: &params.manifest,
        commit: &params.commit,
        root: &params.root,
    };
    let started = import_snapshot(admin.engine, &wanted, (admin.progress, admin.cancel))?;
    let repo = &started.repo;
    Ok(json_bytes(&json!({
        "repoId": repo.id(),
        "ledgerVersion": repo.head_version().map(|version| version.to_string()),
        "files": started.manifest.files,
        "parsed": repo.parsed_files(),
    })))
}

/// Runs `share/end`: removes a folder.
pub fn end_share(admin: &Admin<'_>, params: &[u8]) -> Result<Vec<u8>, WireError> {
    let params: Folder = crate::router::parse_params(params)?;
    admin.only_for_people()?;
    drop(take_folder(&admin.engine.scratch_dir(), &params.folder)?);
    Ok(b"{}".to_vec())
}
