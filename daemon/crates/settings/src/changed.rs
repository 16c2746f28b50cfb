//! Compares two settings upstream by upstream.

use crate::types::{Own, Settings, Upstream};

/// A difference between two settings, for one upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its key, as the newer settings write it, or the older ones where it is gone.
    pub key: String,
    /// The kind of difference.
    pub kind: ChangeKind,
}

/// The kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It is new, or enabled now.
    Added,
    /// It is gone, or disabled now.
    Removed,
    /// It needs a new connection.
    Transport,
    /// Nothing that runs changes.
    Own,
}

/// Returns the differences between two settings: first changes of `new`'s entries in their order, then those that are
/// gone. A disabled entry counts as none.
pub fn changed(old: &Settings, new: &Settings) -> Vec<Change> {
    fn find<'s>(settings: &'s Settings, key: &str) -> Option<&'s Upstream> {
        settings.upstreams.iter().find(|upstream| upstream.enabled && upstream.key == key)
    }
    let change = |upstream: &Upstream, kind| Change { key: upstream.key.clone(), kind };
    let mut changes = Vec::new();
    for upstream in new.upstreams.iter().filter(|upstream| upstream.enabled) {
        match find(old, &upstream.key) {
            None => changes.push(change(upstream, ChangeKind::Added)),
            Some(before) if needs_connection(before, upstream) => {
                changes.push(change(upstream, ChangeKind::Transport));
            }
            Some(before) if before.own != upstream.own => changes.push(change(upstream, ChangeKind::Own)),
            Some(_) => {}
        }
    }
    for upstream in old.upstreams.iter().filter(|upstream| upstream.enabled) {
        if find(new, &upstream.key).is_none() {
            changes.push(change(upstream, ChangeKind::Removed));
        }
    }
    changes
}

fn needs_connection(old: &Upstream, new: &Upstream) -> bool {
    let of_connection = |own: &Own| (own.cwd.clone(), own.lifecycle, own.ask, own.protocol, own.memory_mb);
    old.transport != new.transport || of_connection(&old.own) != of_connection(&new.own)
}
