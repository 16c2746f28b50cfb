//! What was said in each conversation, because nothing is said twice. In memory alone, and bounded.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sdl_model::Version;
use sdl_model::ids::stable_hash;

use crate::call::memos::Recent;

/// Conversations that are remembered.
const MOST_CONVERSATIONS: usize = 128;
/// Things that are remembered of one; the oldest may be said again.
const MOST_THINGS: usize = 1_000;

/// All conversations.
#[derive(Default)]
pub(crate) struct Said(Recent<String, Arc<Conversation>, MOST_CONVERSATIONS>);

/// One conversation.
#[derive(Default)]
pub(crate) struct Conversation(Mutex<Known>);

#[derive(Default)]
struct Known {
    things: HashSet<u64>,
    order: VecDeque<u64>,
    /// The version after the last edit, and its repository's ledger.
    edited: Option<(String, Version)>,
}

impl Said {
    /// The conversation of this name.
    pub(super) fn conversation(&self, name: &str) -> Arc<Conversation> {
        let name = name.to_owned();
        let one = self.0.get(&name).unwrap_or_default();
        self.0.put(name, Arc::clone(&one));
        one
    }
}

impl Conversation {
    /// Forgets what was said, because the model has.
    pub(super) fn forget(&self) {
        *self.lock() = Known::default();
    }

    /// Whether this was said.
    pub(super) fn has(&self, thing: &[&str]) -> bool {
        self.lock().things.contains(&thing_hash(thing))
    }

    /// Notes that this is said now.
    pub(super) fn note(&self, thing: &[&str]) {
        let mut known = self.lock();
        let hash = thing_hash(thing);
        if known.things.insert(hash) {
            known.order.push_back(hash);
        }
        if known.order.len() > MOST_THINGS
            && let Some(oldest) = known.order.pop_front()
        {
            known.things.remove(&oldest);
        }
    }

    /// The version after the last edit of this ledger.
    pub(super) fn last_edit(&self, ledger: &str) -> Option<Version> {
        let known = self.lock();
        known.edited.as_ref().filter(|(of, _)| of == ledger).map(|(_, version)| *version)
    }

    /// Notes the version after an edit.
    pub(super) fn note_edit(&self, ledger: &str, version: Version) {
        self.lock().edited = Some((ledger.to_owned(), version));
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn thing_hash(thing: &[&str]) -> u64 {
    let parts: Vec<&[u8]> = thing.iter().map(|part| part.as_bytes()).collect();
    stable_hash(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conversation_has_its_own() {
        let said = Said::default();
        let (one, other) = (said.conversation("one"), said.conversation("other"));
        one.note(&["grep", "parse"]);
        assert!(said.conversation("one").has(&["grep", "parse"]));
        assert!(!other.has(&["grep", "parse"]) && !one.has(&["gre", "pparse"]));
        one.note_edit("a", Version(7));
        assert_eq!((one.last_edit("a"), one.last_edit("b")), (Some(Version(7)), None));
        one.forget();
        assert!(!one.has(&["grep", "parse"]) && one.last_edit("a").is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let said = Said::default();
        let one = said.conversation("one");
        for thing in 0..=MOST_THINGS {
            one.note(&[&thing.to_string()]);
            one.note(&[&thing.to_string()]);
        }
        assert!(!one.has(&["0"]) && one.has(&["1"]) && one.has(&[&MOST_THINGS.to_string()]));
        for other in 0..MOST_CONVERSATIONS {
            said.conversation(&format!("other {other}"));
        }
        assert!(!said.conversation("one").has(&["1"]), "the one that was silent longest goes");
    }
}
