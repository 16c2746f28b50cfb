//! A daemon with a state folder of its own, so that a measurement neither sees nor changes the user's ledgers.

use std::path::Path;
use std::time::Duration;

use sdl_client::{CallOptions, Paths};
use serde_json::json;
use tempfile::TempDir;

use crate::output::{Failure, text_at};
use crate::session::{self, Session};

/// The daemon, until this is dropped.
pub(super) struct Private {
    session: Session,
    _state: TempDir,
}

impl Private {
    /// Starts one.
    pub(super) fn start() -> Result<Self, Failure> {
        let state = tempfile::Builder::new()
            .prefix("sdl-bench-")
            .tempdir()
            .map_err(|error| Failure::io("can't make a folder for the measurement", &error))?;
        let paths = Paths::new(state.path().to_owned(), None);
        let session = Session::start_at(&paths)?;
        std::thread::spawn(move || end_on_interrupt(&paths));
        Ok(Self { session, _state: state })
    }

    /// The connection to it.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Indexes a tree and gives the repository's id.
    pub(super) fn index(&self, tree: &Path) -> Result<String, Failure> {
        let tree = tree.canonicalize().map_err(|error| Failure::io(&tree.display().to_string(), &error))?;
        let registered = self.session.tool("repo.register", &json!({ "rootPath": tree }))?.structured;
        let repo = text_at(&registered, "/repoId").to_owned();
        self.session.tool("index.refresh", &json!({ "repoId": repo, "mode": "incremental" }))?;
        Ok(repo)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // The daemon ends before its folder is removed, because it would otherwise write into a folder that is gone.
        stop_daemon(&self.session);
    }
}

fn stop_daemon(session: &Session) {
    let _ = session.call_with("daemon/stop", &json!({}), CallOptions::mutation(), |_| {});
    session.wait_closed(Duration::from_secs(30));
}

/// Stops the daemon on an interrupt. The daemon is in a session of its own, so Ctrl-C in the terminal does not reach
/// it. It gets a request to stop, and the next call of the measurement fails.
fn end_on_interrupt(paths: &Paths) {
    let Ok(runtime) = session::make_runtime() else { return };
    if runtime.block_on(tokio::signal::ctrl_c()).is_ok()
        && let Ok(session) = Session::existing_at(paths)
    {
        stop_daemon(&session);
    }
}
