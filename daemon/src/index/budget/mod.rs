//! How much memory indexing may take, and the share of each part of the work.
//!
//! The shares are rounded figures from measurements: a byte of source takes up to 12 bytes while it is parsed and encoded, a
//! file's row about 300 bytes until the end. Memory that does not grow with the tree, for example the daemon's own, is
//! in none of them.

mod usable;

use std::path::Path;

use serde::Deserialize;

pub use usable::usable_memory;

/// The settings, written by a person in the state folder.
const FILE: &str = "index.json";
/// Longer settings are not read.
const MOST_BYTES: u64 = 1 << 16;
/// The budget by default, where the process may use much more.
const USUAL: u64 = 2 << 30;
/// The least budget, in which every tree can be indexed.
const LEAST: u64 = 128 << 20;

/// A thread that resolves with less room than this looks at the same files again and again, for example at common headers.
const LEAST_ROOM: usize = 8 << 20;
/// More room than this saves a thread little.
const MOST_ROOM: usize = 192 << 20;

/// The memory that indexing may take, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: USUAL }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Settings {
    memory_mib: Option<u64>,
}

impl Budget {
    /// A budget of so much; at least 128 MiB.
    pub fn of_bytes(bytes: u64) -> Self {
        Self { bytes: bytes.max(LEAST) }
    }

    /// A quarter of the memory that the process may use, at most 2 GiB. Also where the system does not say.
    pub fn of_usable(usable: Option<u64>) -> Self {
        Self::of_bytes(usable.map_or(USUAL, |usable| (usable / 4).min(USUAL)))
    }

    /// The budget that the settings in the state folder name, else [`Self::of_usable`]; with a warning where the settings
    /// can't be used.
    pub fn of_settings(state: &Path, usable: Option<u64>) -> (Self, Option<String>) {
        match read_settings(state) {
            Ok(Settings { memory_mib: Some(mib) }) => (Self::of_bytes(mib << 20), None),
            Ok(Settings { memory_mib: None }) => (Self::of_usable(usable), None),
            Err(why) => {
                let warning = format!(
                    "{FILE} in the state folder can't be used: {why}; it may say, for example: {{\"memoryMib\": 1024}}"
                );
                (Self::of_usable(usable), Some(warning))
            }
        }
    }

    /// All of it.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Source text that is read, parsed and encoded at a time, while another portion of it is stored and two wait for that.
    pub fn portion_bytes(self) -> u64 {
        (self.bytes / 512).clamp(1 << 19, 4 << 20)
    }

    /// Source text whose facts stay in memory between reading and resolving.
    pub fn held_bytes(self) -> u64 {
        (self.bytes / 64).min(24 << 20)
    }

    /// Threads that resolve at a time, of `threads` that there are.
    pub fn resolvers(self, threads: usize) -> usize {
        threads.clamp(1, (self.room_of_all() / LEAST_ROOM).max(1))
    }

    /// Bytes of files that each of `resolvers` threads may look at before it lets go of them.
    pub fn room(self, resolvers: usize) -> usize {
        (self.room_of_all() / resolvers.max(1)).clamp(LEAST_ROOM, MOST_ROOM)
    }

    /// Bytes of decoded outlines that threads share as long as they resolve. When a thread lets go of its files, it finds common
    /// headers here.
    pub fn outline_bytes(self) -> usize {
        self.resolving() / 2
    }

    /// Bytes of decoded outlines that are kept from one edit to the next, and as many of indexes of them for each tree. An edit of a
    /// driver of Linux looks at a hundred headers, for example.
    pub fn kept_bytes(self) -> usize {
        self.outline_bytes() / 2
    }

    fn room_of_all(self) -> usize {
        self.resolving() - self.outline_bytes()
    }

    fn resolving(self) -> usize {
        usize::try_from(self.bytes / 2).unwrap_or(usize::MAX)
    }

    /// Files that one transaction may change: it keeps the pages that it changes in memory. From a peak, about
    /// 120 KB were estimated for a file of Linux.
    pub fn files_at_once(self) -> u64 {
        self.bytes / (192 << 10)
    }

    /// Rows that are gathered before they are written in order.
    pub fn gather_bytes(self) -> usize {
        (self.bytes / 32).min(48 << 20) as usize
    }
}

fn read_settings(state: &Path) -> Result<Settings, String> {
    let path = state.join(FILE);
    let text = match std::fs::metadata(&path) {
        Err(_) => return Ok(Settings::default()),
        Ok(meta) if meta.len() > MOST_BYTES => return Err("it is too large".to_owned()),
        Ok(_) => std::fs::read_to_string(&path).map_err(|error| error.to_string())?,
    };
    let settings: Settings = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match settings.memory_mib {
        Some(mib) if !(LEAST >> 20..=1 << 24).contains(&mib) => {
            Err(format!("memoryMib is {mib}, and must be from {} to {}", LEAST >> 20, 1 << 24))
        }
        _ => Ok(settings),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_a_quarter_of_the_usable_memory_within_bounds() {
        let budgets =
            [(None, USUAL), (Some(64 << 30), USUAL), (Some(4 << 30), 1 << 30), (Some(1 << 20), LEAST)];
        for (usable, bytes) in budgets {
            assert_eq!(Budget::of_usable(usable).bytes(), bytes, "{usable:?}");
        }
    }

    #[test]
    fn settings_name_a_budget_or_say_why_not() {
        let state = tempfile::tempdir().unwrap();
        let usable = Some(8 << 30);
        assert_eq!(Budget::of_settings(state.path(), usable), (Budget::of_bytes(2 << 30), None));
        let file = state.path().join(FILE);
        std::fs::write(&file, r#"{"memoryMib": 300}"#).unwrap();
        assert_eq!(Budget::of_settings(state.path(), usable), (Budget::of_bytes(300 << 20), None));
        for (text, part) in [
            (r#"{"memoryMib": 100}"#, "must be from 128"),
            (r#"{"memory": 1}"#, "unknown field"),
            ("{", "EOF"),
            (r#"{"memoryMib": -1}"#, "invalid value"),
        ] {
            std::fs::write(&file, text).unwrap();
            let (budget, warning) = Budget::of_settings(state.path(), usable);
            assert_eq!(budget, Budget::of_usable(usable));
            let warning = warning.unwrap();
            assert!(warning.contains(part) && warning.contains("index.json"), "{warning}");
        }
    }

    #[test]
    fn the_shares_fit_into_the_budget() {
        for budget in [LEAST, 512 << 20, USUAL, 64 << 30].map(Budget::of_bytes) {
            // Two portions, the facts that are held, and the rows of files and of resolutions.
            let most =
                4 * 12 * budget.portion_bytes() + 12 * budget.held_bytes() + 2 * budget.gather_bytes() as u64;
            assert!(most <= budget.bytes(), "{budget:?}: {most}");
            for threads in [1, 2, 16, 256] {
                let resolvers = budget.resolvers(threads);
                let resolving = resolvers * budget.room(resolvers) + budget.outline_bytes();
                assert!(resolving <= budget.bytes() as usize / 2, "{budget:?}, {threads}");
            }
        }
    }
}
