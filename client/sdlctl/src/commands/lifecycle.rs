//! `start`, `stop`, `restart`.

use std::time::{Duration, Instant};

use sdl_client::CallOptions;
use serde_json::json;

use crate::output::{self, Failure, Outcome};
use crate::session::{self, Session};

/// How long the daemon may take to end: it lets requests finish first.
const STOP_LIMIT: Duration = Duration::from_secs(30);

pub(crate) fn start(as_json: bool) -> Result<Outcome, Failure> {
    let running = Session::existing().is_ok();
    if !running {
        session::start_daemon(&session::runtime()?, &session::paths()?)?;
    }
    say(as_json, !running, if running { "sdld runs already" } else { "sdld started" });
    Ok(Outcome::Good)
}

pub(crate) fn stop(as_json: bool) -> Result<Outcome, Failure> {
    let stopped = end()?;
    say(as_json, stopped, if stopped { "sdld stopped" } else { "sdld was not running" });
    Ok(Outcome::Good)
}

pub(crate) fn restart(as_json: bool) -> Result<Outcome, Failure> {
    end()?;
    session::start_daemon(&session::runtime()?, &session::paths()?)?;
    say(as_json, true, "sdld restarted");
    Ok(Outcome::Good)
}

fn say(as_json: bool, changed: bool, message: &str) {
    if as_json {
        output::json(&json!({ "ok": true, "changed": changed, "message": message }));
    } else {
        output::line(message);
    }
}

/// Asks the daemon to stop and waits until it has closed its end; false if none runs.
pub(super) fn end() -> Result<bool, Failure> {
    let session = match Session::existing() {
        Ok(session) => session,
        Err(Failure::NoDaemon(_)) => return Ok(false),
        Err(other) => return Err(other),
    };
    let options = CallOptions::mutation().deadline(STOP_LIMIT);
    session.call_with("daemon/stop", &json!({}), options, |_| {})?;
    let asked = Instant::now();
    if session.wait_closed(STOP_LIMIT) {
        return Ok(true);
    }
    Err(Failure::Local(format!("sdld is still busy after {} s; see: sdlctl logs", asked.elapsed().as_secs())))
}
