//! Since when each key means the server that it means now.

use std::collections::BTreeMap;

use sdl_settings::{ChangeKind, Settings, changed};

/// The first settings, by their generation, with the server that a key means now.
#[derive(Debug, Default)]
pub(super) struct Since(BTreeMap<String, u64>);

impl Since {
    /// Follows a change of the settings. The gate replaces connections by the same comparison.
    pub(super) fn follow(&mut self, old: &Settings, new: &Settings, generation: u64) {
        for change in changed(old, new) {
            match change.kind {
                ChangeKind::Added | ChangeKind::Transport => {
                    self.0.insert(change.key, generation);
                }
                ChangeKind::Removed => {
                    self.0.remove(&change.key);
                }
                ChangeKind::Own => {}
            }
        }
    }

    /// Whether lists that were read under the settings of `generation` are of the server that the key means now. A connection
    /// that is being replaced may send some after its key got another command, and pins of one server must not be kept for
    /// another.
    pub(super) fn is_current(&self, key: &str, generation: u64) -> bool {
        self.0.get(key).is_some_and(|since| generation >= *since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(entries: &str) -> Settings {
        Settings::parse(&format!(r#"{{"mcpServers": {{{entries}}}}}"#)).unwrap().settings
    }

    #[test]
    fn lists_count_from_the_settings_on_that_gave_the_key_its_server() {
        let one = settings(r#""a": {"command": "x"}, "b": {"command": "y"}"#);
        let other =
            settings(r#""a": {"command": "z"}, "b": {"command": "y", "sdl": {"mode": "passthrough"}}"#);
        let off = settings(r#""a": {"command": "z", "disabled": true}, "b": {"command": "y"}"#);
        let mut since = Since::default();
        assert!(!since.is_current("a", 1), "nothing is known of it");
        since.follow(&Settings::default(), &one, 1);
        assert!(since.is_current("a", 1) && since.is_current("b", 1) && !since.is_current("c", 1));
        since.follow(&one, &other, 2);
        assert!(!since.is_current("a", 1), "it was another command");
        assert!(since.is_current("a", 2) && since.is_current("b", 1), "options of ours change no server");
        since.follow(&other, &off, 3);
        assert!(!since.is_current("a", 2) && !since.is_current("a", 3) && since.is_current("b", 2));
        since.follow(&off, &other, 4);
        assert!(!since.is_current("a", 2) && since.is_current("a", 4), "it was gone in between");
    }
}
