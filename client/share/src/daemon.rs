//! The daemon of this machine: what it is asked.

use std::path::{Path, PathBuf};

use sdl_client::spawn::Launch;
use sdl_client::{CallOptions, Client, ClientError, Paths};
use sdl_proto::{ClientKind, SessionHello};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::trouble::Trouble;

/// A connection.
pub(crate) struct Daemon {
    client: Client,
}

/// The answer of `share/begin`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Begun {
    /// Where files are handed over.
    pub(crate) folder: PathBuf,
    /// The rules by which this build makes ledgers and facts.
    pub(crate) kind: String,
    /// Which folder of its repository the tree is; empty for the top.
    pub(crate) place: String,
    /// The commit of HEAD and those before it, newest first.
    pub(crate) ancestors: Vec<String>,
    /// The repository, if the tree is registered.
    pub(crate) repo_id: Option<String>,
}

/// The answer of `share/export`.
#[derive(Deserialize)]
pub(crate) struct Exported {
    /// The name of the manifest.
    pub(crate) manifest: String,
    pub(crate) commit: String,
}

/// The answer of `share/import`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Imported {
    pub(crate) repo_id: String,
    pub(crate) ledger_version: Option<String>,
    pub(crate) files: u64,
    /// Files of which the snapshot had no facts, or which differ.
    pub(crate) parsed: u64,
}

impl Daemon {
    /// Connects, starting a daemon if none runs.
    pub(crate) async fn open() -> Result<Self, Trouble> {
        let paths = Paths::from_env().map_err(|error| Trouble::Usage(error.to_string()))?;
        sdl_client::ensure_daemon(&paths, &Launch::default())
            .await
            .map_err(|error| Trouble::NoDaemon(error.to_string()))?;
        let hello = SessionHello::of_this(ClientKind::Ctl, format!("sdl-share {}", sdl_proto::BUILD));
        let client = Client::connect(paths.socket(), hello)
            .await
            .map_err(|error| Trouble::NoDaemon(format!("{error}; start it with: sdlctl start")))?;
        Ok(Self { client })
    }

    async fn call<T: DeserializeOwned>(&self, method: &str, params: &Value) -> Result<T, Trouble> {
        let called = self.client.call(method, params.to_string(), CallOptions::mutation()).await;
        let bytes = called.map_err(|error| match error {
            ClientError::Answer(error) => Trouble::Refused(error.message),
            other => Trouble::NoDaemon(other.to_string()),
        })?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Trouble::NoDaemon(format!(
                "the daemon's answer to {method} can't be read ({error}); run: sdlctl restart"
            ))
        })
    }

    async fn tool(&self, name: &str, arguments: &Value) -> Result<Value, Trouble> {
        let mut result: Value =
            self.call("tools/call", &json!({ "name": name, "arguments": arguments })).await?;
        let content = result["structuredContent"].take();
        if result["isError"] == true {
            let message = content["message"].as_str().unwrap_or("the daemon refused").to_owned();
            return Err(Trouble::Refused(message));
        }
        Ok(content)
    }

    /// Makes a folder, and asks about the tree.
    pub(crate) async fn begin(&self, root: &Path) -> Result<Begun, Trouble> {
        self.call("share/begin", &json!({ "root": root })).await
    }

    /// Writes a snapshot of a repository into the folder.
    pub(crate) async fn export(&self, repo: &str, folder: &Path) -> Result<Exported, Trouble> {
        self.call("share/export", &json!({ "repo": repo, "folder": folder })).await
    }

    /// Registers the tree, which starts from the snapshot in the folder. The folder is gone afterwards.
    pub(crate) async fn import(
        &self,
        root: &Path,
        folder: &Path,
        found: (&str, &str),
    ) -> Result<Imported, Trouble> {
        let (commit, manifest) = found;
        let params = json!({ "root": root, "folder": folder, "commit": commit, "manifest": manifest });
        self.call("share/import", &params).await
    }

    /// Removes the folder. If it can't be removed, the next start of the daemon does that.
    pub(crate) async fn end(&self, folder: &Path) {
        let _: Result<Value, Trouble> = self.call("share/end", &json!({ "folder": folder })).await;
    }

    /// Registers a tree if necessary and waits until its index is up to date. Returns its id.
    pub(crate) async fn index(&self, root: &Path) -> Result<String, Trouble> {
        let registered = self.tool("repo.register", &json!({ "rootPath": root })).await?;
        let repo = registered["repoId"].as_str().unwrap_or_default().to_owned();
        self.tool("index.refresh", &json!({ "repoId": repo, "mode": "incremental" })).await?;
        Ok(repo)
    }
}

/// A tree's root, from the command line.
pub(crate) fn root_of(path: Option<&Path>) -> Result<PathBuf, Trouble> {
    let path = path.unwrap_or(Path::new("."));
    path.canonicalize().map_err(|error| Trouble::Usage(format!("{}: {error}", path.display())))
}
