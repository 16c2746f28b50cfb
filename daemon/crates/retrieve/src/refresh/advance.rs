//! A lease, brought up to the head.

use std::collections::HashSet;

use sdl_model::{EdgeKind, SymbolId, SymbolKind, Version};

use super::held_changes;
use super::lease::{Lease, Member};
use crate::{History, Outlines, Result, Source, Sym};

/// Members that one refresh adds.
const MOST_ADDED: usize = 24;

/// Ends the members that are gone, follows those that were renamed or moved, and adds what edited members newly call.
pub(super) fn advance(history: &dyn History, outlines: &dyn Outlines, lease: &mut Lease) -> Result<()> {
    let (from, head) = (lease.current, history.version());
    let changes = history.changes_between(from, head)?;
    let held: HashSet<SymbolId> = lease.held_at(from).collect();
    let changed = held_changes(history, outlines, from, &changes, &held)?;
    let mut now = held.clone();
    let mut ended = HashSet::new();
    let mut began: Vec<SymbolId> = Vec::new();
    for change in &changed {
        let (old, new) = (change.old.as_ref().map(|sym| sym.id), change.new.as_ref().map(|sym| sym.id));
        if old == new {
            continue;
        }
        if let (Some(old), Some(new)) = (&change.old, &change.new) {
            follow(lease, old, new);
        }
        if let Some(old) = old.filter(|old| now.remove(old)) {
            ended.insert(old);
        }
        if let Some(new) = new.filter(|new| now.insert(*new)) {
            began.push(new);
        }
    }
    let source = Source::new(history, outlines);
    for change in &changed {
        let (Some(old), Some(new)) = (&change.old, &change.new) else { continue };
        let before: HashSet<SymbolId> =
            history.out_edges_at(old.id, from)?.iter().map(|edge| edge.to).collect();
        for edge in history.out_edges(new.id)? {
            let follows = matches!(edge.kind, EdgeKind::Call | EdgeKind::Implements)
                && edge.confidence >= lease.request.min_confidence
                && (edge.kind != EdgeKind::Call || edge.confidence >= lease.request.min_call_confidence);
            if !follows || before.contains(&edge.to) || now.contains(&edge.to) || began.len() >= MOST_ADDED {
                continue;
            }
            if source.symbol(edge.to)?.is_some_and(|sym| sym.kind() != SymbolKind::Impl) {
                now.insert(edge.to);
                began.push(edge.to);
            }
        }
    }
    update(lease, head, &ended, began);
    forget(lease, history.floor());
    Ok(())
}

/// A fresh slice starts where the old one did, under whatever name that goes by now.
fn follow(lease: &mut Lease, old: &Sym, new: &Sym) {
    for entry in lease.request.entry_symbols.iter_mut().filter(|entry| **entry == old.id) {
        *entry = new.id;
    }
    for path in lease.request.edited_files.iter_mut().filter(|path| *path == old.path()) {
        new.path().clone_into(path);
    }
}

fn update(lease: &mut Lease, head: Version, ended: &HashSet<SymbolId>, began: Vec<SymbolId>) {
    for member in &mut lease.members {
        if member.until.is_none() && ended.contains(&member.symbol) {
            member.until = Some(head);
        }
    }
    lease.members.extend(began.into_iter().map(|symbol| Member { symbol, since: head, until: None }));
    lease.current = head;
}

/// Drops members that ended before any version that can still be asked from.
pub(super) fn forget(lease: &mut Lease, floor: Option<Version>) {
    let Some(floor) = floor else { return };
    lease.members.retain(|member| member.until.is_none_or(|until| until > floor));
}
