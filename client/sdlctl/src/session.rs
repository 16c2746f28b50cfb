//! One connection to the daemon, with blocking calls.

use std::fmt::Display;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sdl_client::spawn::Launch;
use sdl_client::{CallOptions, Client, ClientError, Paths};
use sdl_proto::{ClientKind, SessionHello, WireError};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::output::{Failure, text_at};

/// A connection.
pub(crate) struct Session {
    runtime: Runtime,
    client: Client,
}

/// A tool's answer.
pub(crate) struct Answer {
    /// The machine's form.
    pub(crate) structured: Value,
    /// The compact text.
    pub(crate) text: String,
}

/// A runtime for one command.
pub(crate) fn make_runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::io("can't start", &error))
}

/// Where daemon and clients meet.
pub(crate) fn daemon_paths() -> Result<Paths, Failure> {
    Paths::from_env().map_err(|error| Failure::Local(error.to_string()))
}

/// Starts a daemon unless one runs.
pub(crate) fn start_daemon(runtime: &Runtime, paths: &Paths) -> Result<(), Failure> {
    runtime
        .block_on(sdl_client::ensure_daemon(paths, &Launch::default()))
        .map_err(|error| Failure::NoDaemon(error.to_string()))
}

/// How this program introduces itself.
pub(crate) fn own_hello() -> SessionHello {
    SessionHello {
        cwd: std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned()),
        ..SessionHello::of_this(ClientKind::Ctl, format!("sdlctl {}", sdl_proto::BUILD))
    }
}

impl Session {
    /// Connects, starting a daemon if none runs.
    pub(crate) fn open() -> Result<Self, Failure> {
        Self::start_at(&daemon_paths()?)
    }

    /// Connects to a daemon whose folders are these, starting it if it does not run.
    pub(crate) fn start_at(paths: &Paths) -> Result<Self, Failure> {
        let runtime = make_runtime()?;
        start_daemon(&runtime, paths)?;
        Self::connect(runtime, paths)
    }

    /// Connects to a daemon that runs.
    pub(crate) fn existing() -> Result<Self, Failure> {
        Self::existing_at(&daemon_paths()?)
    }

    /// Connects to a daemon that runs and whose folders are these.
    pub(crate) fn existing_at(paths: &Paths) -> Result<Self, Failure> {
        Self::connect(make_runtime()?, paths)
    }

    fn connect(runtime: Runtime, paths: &Paths) -> Result<Self, Failure> {
        let hello = own_hello();
        let connecting = async {
            tokio::time::timeout(Duration::from_secs(5), Client::connect(paths.socket(), hello)).await
        };
        match runtime.block_on(connecting) {
            Ok(Ok(client)) => Ok(Self { runtime, client }),
            Ok(Err(error)) => Err(Failure::NoDaemon(format!("{error}; start it with: sdlctl start"))),
            Err(_) => Err(Failure::NoDaemon("the daemon does not answer; see: sdlctl logs".into())),
        }
    }

    /// Calls a method of the daemon.
    pub(crate) fn call(&self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.call_with(method, params, CallOptions::read(), |_| {})
    }

    /// Calls a method and shows its progress meanwhile.
    pub(crate) fn call_with(
        &self,
        method: &str,
        params: &impl Display,
        options: CallOptions,
        mut on_progress: impl FnMut(&Value),
    ) -> Result<Value, Failure> {
        let (sender, mut progress) = mpsc::channel(64);
        let call = self.client.call(method, params.to_string(), options.progress(sender));
        let bytes = self.block_on(async {
            tokio::pin!(call);
            loop {
                tokio::select! {
                    answer = &mut call => return answer,
                    Some(line) = progress.recv() => {
                        if let Ok(line) = serde_json::from_slice(&line) {
                            on_progress(&line);
                        }
                    }
                }
            }
        })?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Failure::Local(format!("the daemon's answer is not JSON: {error}")))
    }

    /// Returns the id of the given repository, which may be an id such as `shop` or a path inside it. Default: the
    /// repository that contains the working directory, or the only one.
    pub(crate) fn repo(&self, given: Option<&str>) -> Result<String, Failure> {
        // The daemon knows workspaces.
        if let Some(given) = given.filter(|given| *given == "*" || given.starts_with("workspace:")) {
            return Ok(given.to_owned());
        }
        let status = self.call("daemon/status", &json!({}))?;
        let repos: Vec<(&str, &Path)> = status["repos"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|repo| (text_at(repo, "/repoId"), Path::new(text_at(repo, "/rootPath"))))
            .collect();
        let cwd = std::env::current_dir().unwrap_or_default();
        if let Some(folder) = worktree_place(&repos, given, &cwd)
            && let Ok(entered) = self.call("repo/enter", &json!({ "folder": folder }))
            && let Some(id) = entered["repoId"].as_str()
        {
            return Ok(id.to_owned());
        }
        choose_repo(&repos, given, &cwd).map_err(|message| {
            let detail = json!({ "code": "unknownRepo", "message": message });
            Failure::Refused { message, detail }
        })
    }

    /// Has the repository at `root` started again if it was set aside: a person asks for it.
    pub(crate) fn revive(&self, root: &Path) -> Result<(), Failure> {
        self.call_with("repo/revive", &json!({ "root": root }), CallOptions::mutation(), |_| {}).map(|_| ())
    }

    /// Calls a tool by its action's name.
    pub(crate) fn tool(&self, action: &str, arguments: &Value) -> Result<Answer, Failure> {
        self.tool_with(action, arguments, |_| {})
    }

    /// Calls a tool and shows its progress meanwhile.
    pub(crate) fn tool_with(
        &self,
        action: &str,
        arguments: &Value,
        on_progress: impl FnMut(&Value),
    ) -> Result<Answer, Failure> {
        self.tool_as_written(action, &arguments.to_string(), on_progress)
    }

    /// The same with arguments as they were written, which must be JSON. They are not parsed here, because the daemon
    /// must see a field that occurs twice.
    pub(crate) fn tool_as_written(
        &self,
        action: &str,
        arguments: &str,
        on_progress: impl FnMut(&Value),
    ) -> Result<Answer, Failure> {
        let result = self.tool_result(action, arguments, on_progress)?;
        let structured = result.get("structuredContent").cloned().unwrap_or(Value::Null);
        let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned();
        if result.get("isError").and_then(Value::as_bool).unwrap_or(false) {
            let message = structured.get("message").and_then(Value::as_str).unwrap_or(&text).to_owned();
            return Err(Failure::Refused { message, detail: structured });
        }
        Ok(Answer { structured, text })
    }

    /// The whole result of a tool, as MCP defines it, whether it is an error or not.
    pub(crate) fn tool_result(
        &self,
        tool: &str,
        arguments: &str,
        on_progress: impl FnMut(&Value),
    ) -> Result<Value, Failure> {
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, json!(tool));
        self.call_with("tools/call", &params, CallOptions::mutation(), on_progress)
    }

    /// Waits until the daemon has closed its end; false if it has not after `limit`.
    pub(crate) fn wait_closed(&self, limit: Duration) -> bool {
        let mut events = self.client.events();
        self.runtime.block_on(async {
            let closed = async {
                while self.client.is_open() {
                    if events.recv().await.is_err() {
                        break;
                    }
                }
            };
            tokio::time::timeout(limit, closed).await.is_ok()
        })
    }

    fn block_on(&self, call: impl Future<Output = Result<Vec<u8>, ClientError>>) -> Result<Vec<u8>, Failure> {
        self.runtime.block_on(call).map_err(|error| match error {
            ClientError::Answer(error) => refused(&error),
            other => Failure::NoDaemon(other.to_string()),
        })
    }
}

/// Waits for a signal that asks for the end.
#[cfg(unix)]
pub(crate) async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};

    let signals =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// Waits for a signal that asks for the end.
#[cfg(not(unix))]
pub(crate) async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// The place that is meant, if it is in a tree that git marks by a file: a worktree, which the daemon may not know yet.
fn worktree_place(repos: &[(&str, &Path)], given: Option<&str>, cwd: &Path) -> Option<PathBuf> {
    if repos.iter().any(|(id, _)| Some(*id) == given) {
        return None;
    }
    let place = cwd.join(given.unwrap_or_default()).canonicalize().ok()?;
    let marked = place.ancestors().any(|at| at.join(".git").is_file());
    marked.then_some(place)
}

fn choose_repo(repos: &[(&str, &Path)], given: Option<&str>, cwd: &Path) -> Result<String, String> {
    if let Some((id, _)) = repos.iter().find(|(id, _)| Some(*id) == given) {
        return Ok((*id).to_owned());
    }
    // Roots have no links in them. An argument that doesn't exist is not a path but a mistaken id.
    let place = cwd.join(given.unwrap_or_default()).canonicalize().ok();
    let around = repos
        .iter()
        .filter(|(_, root)| place.as_ref().is_some_and(|place| place.starts_with(root)))
        .max_by_key(|(_, root)| root.as_os_str().len());
    let known: Vec<&str> = repos.iter().map(|(id, _)| *id).collect();
    match (around, given, known.as_slice()) {
        (Some((id, _)), ..) | (None, None, [id]) => Ok((*id).to_owned()),
        (None, _, []) => Err("no repository is registered; add one with: sdlctl index PATH".to_owned()),
        (None, Some(given), known) => Err(format!(
            "no repository has the id or contains the path {given:?}; registered: {}",
            known.join(", ")
        )),
        (None, None, known) => Err(format!("say which repository with --repo: {}", known.join(", "))),
    }
}

/// The failure of a request that the daemon refused.
pub(crate) fn refused(error: &WireError) -> Failure {
    let detail = json!({ "code": error.code, "message": error.message });
    Failure::Refused { message: error.message.clone(), detail }
}

/// Leaves out fields that were not given, because no argument is sent that the user did not write.
pub(crate) fn json_object<'a>(fields: impl IntoIterator<Item = (&'a str, Option<Value>)>) -> Value {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_that_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (app, inner) = (top.join("app"), top.join("app/inner"));
        std::fs::create_dir_all(inner.join("src")).unwrap();
        std::fs::create_dir(app.join("x")).unwrap();
        let repos = [("app", app.as_path()), ("inner", inner.as_path())];
        let choose_in = |given, cwd: &Path| choose_repo(&repos, given, cwd);
        assert_eq!(choose_in(Some("inner"), &top), Ok("inner".into()));
        assert_eq!(choose_in(None, &app.join("x")), Ok("app".into()));
        assert_eq!(choose_in(None, &inner.join("src")), Ok("inner".into()));
        let inside = app.join("x");
        assert_eq!(choose_in(inside.to_str(), &top), Ok("app".into()));
        assert_eq!(choose_in(Some("app/x"), &top), Ok("app".into()));
        assert_eq!(choose_repo(&repos[..1], None, &top), Ok("app".into()));
        assert!(choose_in(None, &top).unwrap_err().ends_with("--repo: app, inner"));
        assert!(choose_in(Some("nowhere"), &app).unwrap_err().contains("\"nowhere\""));
        assert!(choose_repo(&[], None, &app).unwrap_err().contains("sdlctl index"));
    }
}
