//! `start`, `stop`, `restart`.

use std::time::Duration;

use sdl_client::holder::{End, Holder};
use sdl_client::{CallOptions, ClientError, Paths, Probe};
use serde_json::json;

use crate::output::{self, Failure, Outcome};
use crate::session::{self, Session};

/// How long the daemon may take to end. It is long because the daemon lets requests finish first.
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// How long it may take to give a first sign of life.
const LOOK: Duration = Duration::from_secs(5);

/// How long a daemon may take to end after a signal.
const SIGNAL_LIMIT: Duration = Duration::from_secs(15);

/// How the daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// None ran.
    NoneRan,
    /// It was asked to.
    Asked,
    /// It did not answer, or stayed, and got a signal.
    Forced { pid: u32, how: End },
}

pub(crate) fn run_start(as_json: bool) -> Result<Outcome, Failure> {
    let running = Session::existing().is_ok();
    if !running {
        session::start_daemon(&session::make_runtime()?, &session::daemon_paths()?)?;
    }
    print_change(as_json, !running, if running { "sdld runs already" } else { "sdld started" });
    Ok(Outcome::Good)
}

pub(crate) fn run_stop(as_json: bool) -> Result<Outcome, Failure> {
    let ended = end_daemon()?;
    match ended {
        Ended::NoneRan => print_change(as_json, false, "sdld was not running"),
        Ended::Asked => print_change(as_json, true, "sdld stopped"),
        Ended::Forced { pid, how } => {
            let signal = if how == End::Kill { "SIGKILL" } else { "SIGTERM" };
            print_change(
                as_json,
                true,
                &format!("sdld (process {pid}) did not end by itself; {signal} ended it"),
            );
            return Ok(Outcome::Bad);
        }
    }
    Ok(Outcome::Good)
}

pub(crate) fn run_restart(as_json: bool) -> Result<Outcome, Failure> {
    end_daemon()?;
    session::start_daemon(&session::make_runtime()?, &session::daemon_paths()?)?;
    print_change(as_json, true, "sdld restarted");
    Ok(Outcome::Good)
}

fn print_change(as_json: bool, changed: bool, message: &str) {
    if as_json {
        output::print_json(&json!({ "ok": true, "changed": changed, "message": message }));
    } else {
        output::print_line(message);
    }
}

/// Ends the daemon: asks it to stop and waits until its process is gone. One that does not answer, or stays, gets signals.
pub(super) fn end_daemon() -> Result<Ended, Failure> {
    let paths = session::daemon_paths()?;
    let said = ask_stop(&paths)?;
    let Some(holder) = lock_holder(&paths)? else {
        return Ok(if said == Said::Yes { Ended::Asked } else { Ended::NoneRan });
    };
    // A daemon that nobody can connect to is starting or ending at this moment.
    if said != Said::Nothing && is_gone(&holder, STOP_LIMIT)? {
        return Ok(Ended::Asked);
    }
    let process =
        holder.pid().map_or_else(|| "its number is not known".into(), |pid| format!("process {pid}"));
    let what = match said {
        Said::Nothing => "does not answer".to_owned(),
        Said::Yes | Said::Unreachable => format!("is still there after {} s", STOP_LIMIT.as_secs()),
    };
    output::print_note(&format!("sdld ({process}) {what}; it is ended by a signal"));
    for how in [End::Terminate, End::Kill] {
        if let Err(error) = holder.end(how) {
            // It may have gone at this moment.
            if is_gone(&holder, Duration::ZERO)? {
                return Ok(Ended::Asked);
            }
            return Err(Failure::NoDaemon(format!("sdld ({process}) {what} and can't be ended: {error}")));
        }
        if is_gone(&holder, SIGNAL_LIMIT)? {
            return Ok(Ended::Forced { pid: holder.pid().unwrap_or_default(), how });
        }
    }
    Err(Failure::NoDaemon(format!("sdld ({process}) {what}, and no signal ends it")))
}

/// A daemon's reaction to the request to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    /// It listens and does not answer.
    Nothing,
    /// Nobody listens, or the connection broke.
    Unreachable,
}

fn ask_stop(paths: &Paths) -> Result<Said, Failure> {
    match session::make_runtime()?.block_on(sdl_client::probe_daemon(paths.socket(), LOOK)) {
        Probe::Unreachable(ClientError::Silent { .. }) => return Ok(Said::Nothing),
        Probe::Unreachable(error @ (ClientError::Paths(_) | ClientError::Untrusted { .. })) => {
            return Err(Failure::NoDaemon(error.to_string()));
        }
        Probe::Unreachable(_) => return Ok(Said::Unreachable),
        Probe::Ready { .. } | Probe::NeedsRestart { .. } | Probe::TooNew(_) => {}
    }
    let options = CallOptions::mutation().deadline(STOP_LIMIT);
    let stopped = Session::existing_at(paths)
        .and_then(|session| session.call_with("daemon/stop", &json!({}), options, |_| {}));
    match stopped {
        Ok(_) => Ok(Said::Yes),
        Err(Failure::NoDaemon(_)) => Ok(Said::Unreachable),
        Err(other) => Err(other),
    }
}

fn lock_holder(paths: &Paths) -> Result<Option<Holder>, Failure> {
    Holder::of(paths).map_err(|error| Failure::io("the daemon's lock", &error))
}

fn is_gone(holder: &Holder, limit: Duration) -> Result<bool, Failure> {
    holder.wait_gone(limit).map_err(|error| Failure::io("the daemon's lock", &error))
}
