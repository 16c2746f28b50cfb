//! The changes, and the ways in which a person makes them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use sdl_tests::{Daemon, Program, TestEnv};
use serde_json::Value;

use super::State;
use crate::Outcome;
use crate::upstream::settings::write_settings;

/// How settings are changed.
pub(super) enum Way {
    /// The file is replaced; the daemon watches it.
    File,
    /// The file is replaced and the daemon gets SIGHUP.
    Signal,
    /// `sdlctl` edits the file, with these words.
    Ctl(&'static [&'static str]),
    /// The file is replaced, and `sdlctl upstream reload` reads it.
    Reload,
}

impl Way {
    pub(super) fn shown(&self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Signal => "SIGHUP",
            Self::Ctl(_) => "sdlctl",
            Self::Reload => "file, reload",
        }
    }
}

pub(super) struct Change {
    pub(super) shown: &'static str,
    pub(super) way: Way,
    pub(super) apply: fn(&mut State),
}

const fn change(shown: &'static str, way: Way, apply: fn(&mut State)) -> Change {
    Change { shown, way, apply }
}

/// After all of them the state is the first again.
pub(super) const CHANGES: [Change; 14] = [
    change("mode", Way::File, |state| state.mode = "synthesize"),
    change("mode", Way::Signal, |state| state.mode = "passthrough"),
    change("mode", Way::Ctl(&["upstream", "mode", "moving", "synthesize"]), |state| {
        state.mode = "synthesize"
    }),
    change("mode", Way::Ctl(&["upstream", "mode", "moving", "passthrough"]), |state| {
        state.mode = "passthrough"
    }),
    change("rule", Way::File, |state| state.denies = true),
    change("rule", Way::Signal, |state| state.denies = false),
    change("profile", Way::File, |state| state.narrow_sees = true),
    change("profile", Way::Reload, |state| state.narrow_sees = false),
    change("entry off", Way::Ctl(&["upstream", "disable", "moving"]), |state| state.is_enabled = false),
    change("entry on", Way::Ctl(&["upstream", "enable", "moving"]), |state| state.is_enabled = true),
    change("new entry", Way::File, |state| state.has_extra = true),
    change("entry gone", Way::Signal, |state| state.has_extra = false),
    change("another command", Way::File, |state| state.tools = 30),
    change("another command", Way::Reload, |state| state.tools = 20),
];

pub(super) fn make_change(env: &TestEnv, daemon: &Daemon, way: &Way, settings: &Value) -> Outcome {
    match way {
        Way::Ctl(words) => run_ctl(env, words),
        Way::File => write_settings(env, settings),
        Way::Signal => {
            write_settings(env, settings)?;
            let sent = Command::new("kill").args(["-HUP", &daemon.pid().to_string()]).status()?;
            if sent.success() { Ok(()) } else { Err("the daemon is gone".into()) }
        }
        Way::Reload => {
            write_settings(env, settings)?;
            run_ctl(env, &["upstream", "reload"])
        }
    }
}

fn run_ctl(env: &TestEnv, words: &[&str]) -> Outcome {
    let output = env.ctl(words);
    if output.status.success() {
        return Ok(());
    }
    Err(format!("sdlctl {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr)).into())
}

pub(super) fn set_credential(env: &TestEnv, name: &str, value: &str) -> Outcome {
    let mut command = env.command(Program::Ctl);
    let mut child =
        command.args(["cred", "set", name]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(value.as_bytes())?;
    }
    if child.wait()?.success() { Ok(()) } else { Err("sdlctl cred set failed".into()) }
}
