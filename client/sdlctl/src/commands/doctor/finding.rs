//! What a check found, and the list of all checks.

use serde_json::{Value, json};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// Nothing to do.
    Ok,
    /// It works, with limits or at a risk.
    Warn,
    /// Something does not work. The exit code is 1.
    Bad,
}

impl Severity {
    /// Its name in the output.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

/// What a check looks at. Findings are shown in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Theme {
    Machine,
    Installation,
    Daemon,
    Trees,
    Clients,
    Upstreams,
}

impl Theme {
    /// All of them, in order.
    pub(super) const ALL: [Self; 6] =
        [Self::Machine, Self::Installation, Self::Daemon, Self::Trees, Self::Clients, Self::Upstreams];

    /// Its name in the output.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Installation => "installation",
            Self::Daemon => "daemon",
            Self::Trees => "trees",
            Self::Clients => "clients",
            Self::Upstreams => "upstreams",
        }
    }
}

/// A check. Its id is part of the interface: scripts and `docs/troubleshooting.md` name it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) id: &'static str,
    pub(super) theme: Theme,
}

macro_rules! checks {
    ($($theme:ident: $($name:ident = $id:literal),+;)+) => {
        $($(pub(super) const $name: &Check = &Check { id: $id, theme: Theme::$theme };)+)+
        /// Every check.
        #[cfg(test)]
        pub(super) const ALL_CHECKS: &[&Check] = &[$($($name),+),+];
    };
}

checks! {
    Machine:
        WATCH_LIMIT = "watch-limit",
        WATCH_INSTANCES = "watch-instances",
        EVENT_QUEUE = "event-queue",
        OPEN_FILES = "open-files",
        DISK_SPACE = "disk-space",
        MEMORY_LIMIT = "memory-limit";
    Installation:
        DAEMON_PROGRAM = "daemon-program",
        TWO_INSTALLATIONS = "two-installations",
        STATE_FOLDER = "state-folder",
        STATE_MOUNT = "state-mount",
        RUNTIME_FOLDER = "runtime-folder",
        SOCKET_PATH = "socket-path",
        SERVICE_UNIT = "service-unit";
    Daemon:
        DAEMON_ANSWERS = "daemon",
        STALE_DAEMON = "stale-daemon",
        LEFT_OVER_SOCKET = "left-over-socket",
        DAEMON_WARNING = "daemon-warning",
        LAST_CRASH = "last-crash";
    Trees:
        REPOSITORY = "repository",
        WORKING_FOLDER = "working-folder",
        WIDE_ROOT = "wide-root",
        EMPTY_TREE = "empty-tree",
        POLLED_TREE = "polled-tree",
        NETWORK_TREE = "network-tree",
        WSL_TREE = "wsl-tree",
        CONTAINER_TREE = "container-tree",
        GIT_DATA = "git-data",
        FUTURE_TIMES = "future-times";
    Clients:
        CLIENT_SETUP = "client-setup",
        CLIENT_ENTRY = "client-entry",
        STALE_SHIMS = "stale-shims";
    Upstreams:
        MCP_JSON = "mcp-json",
        UPSTREAM = "upstream";
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) check: &'static Check,
    pub(super) severity: Severity,
    /// What was seen.
    pub(super) note: String,
    /// What to do, in one sentence that names a command. Every problem has one.
    pub(super) fix: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static Check, note: impl Into<String>) -> Self {
        Self { check, severity: Severity::Ok, note: note.into(), fix: None }
    }

    pub(super) fn warn(check: &'static Check, note: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, severity: Severity::Warn, note: note.into(), fix: Some(fix.into()) }
    }

    pub(super) fn bad(check: &'static Check, note: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, severity: Severity::Bad, note: note.into(), fix: Some(fix.into()) }
    }

    /// As `--json` has it.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "id": self.check.id,
            "theme": self.check.theme.name(),
            "severity": self.severity.name(),
            "note": self.note,
            "fix": self.fix,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_in_the_manual() {
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/troubleshooting.md"))
                .unwrap();
        let rows: BTreeSet<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(id, _)| id))
            .collect();
        let ids: BTreeSet<&str> = ALL_CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), ALL_CHECKS.len(), "an id is used twice");
        let missing: Vec<_> = ids.difference(&rows).collect();
        let unknown: Vec<_> = rows.difference(&ids).collect();
        assert!(
            missing.is_empty() && unknown.is_empty(),
            "not in the page {missing:?}, only there {unknown:?}"
        );
        for id in ids {
            assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{id}");
        }
    }
}
