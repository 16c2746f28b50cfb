//! Reports the outcome of a start to the client that started the daemon.

use std::fmt::Display;
use std::io::{self, Write};

/// Reports the outcome of the start to the client that waits for it.
///
/// The client connects the daemon's standard output to a pipe and says so in the environment; see
/// `sdl_client::spawn`. The first line on it is the report, and nothing else is ever written there. A daemon that was
/// started in another way, for example by systemd, reports to nobody.
#[derive(Debug)]
pub struct StartupReport {
    wanted: bool,
}

impl StartupReport {
    /// Whether there is somebody to report to, as the environment says.
    pub fn from_env() -> Self {
        let wanted = std::env::var_os(sdl_client::spawn::REPORT_VARIABLE).is_some();
        Self { wanted }
    }

    /// The daemon serves.
    pub fn ready(self) {
        self.send(&sdl_client::spawn::ready_line());
    }

    /// The daemon ends, for this reason.
    pub fn failed(self, reason: &dyn Display) {
        self.send(&sdl_client::spawn::failed_line(&reason.to_string()));
    }

    fn send(&self, line: &str) {
        if !self.wanted {
            return;
        }
        // An error is ignored, because a client that has gone is no reason not to run.
        let mut out = io::stdout();
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        release_standard_output();
    }
}

/// Closes the pipe, because a daemon would otherwise keep it open for weeks and its reader would wait for the end.
#[cfg(unix)]
fn release_standard_output() {
    if let Ok(null) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// On Windows the pipe stays open until the daemon ends; the client reads one line and closes its end.
#[cfg(windows)]
fn release_standard_output() {}
