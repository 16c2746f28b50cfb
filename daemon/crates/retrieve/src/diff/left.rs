//! Finds the users of changed symbols that were not edited with them.

use std::collections::{HashMap, HashSet};

use sdl_ledger::Changes;
use sdl_model::{Edge, EdgeKind, FileId, InEdge, Resolution, SymbolId, SymbolKind, Version};

use super::symbols::Change;
use super::types::{Break, ChangeType};
use crate::{History, Result, Source};

/// Most users of one symbol that are looked at.
const MOST_USERS: usize = 2_000;
/// From this confidence on, an inferred edge counts as certain.
const SURE: u8 = 75;

/// A user of a changed symbol that was not edited when the symbol was.
#[derive(Clone, Debug)]
pub struct Left {
    /// The user.
    pub user: SymbolId,
    /// The changed symbol: its current id, or its last one.
    pub target: SymbolId,
    /// How it was used.
    pub kind: EdgeKind,
    /// The state of the use, as a sentence's end: `called pay, which is gone`.
    pub reason: String,
    /// Whether the use no longer leads to the symbol.
    pub lost: bool,
    /// Whether the user is likely broken: the use was certain, and nothing replaced the symbol.
    pub broken: bool,
}

/// The users of `changed` that were not edited themselves. Their use leads nowhere now, or to a header that requires
/// something else.
pub fn left_behind(
    source: &Source<'_>,
    history: &dyn History,
    (from, changes): (Version, &Changes),
    changed: &[Change],
) -> Result<Vec<Left>> {
    let finder = Finder::new(source, history, from, changed);
    let mut found = Vec::new();
    finder.lost(changes, &mut found)?;
    for change in changed {
        finder.narrowed(change, &mut found)?;
    }
    found.sort_by_key(|left| (left.target, left.user, !left.broken));
    found.dedup_by_key(|left| (left.target, left.user));
    Ok(found)
}

struct Finder<'c> {
    source: &'c Source<'c>,
    history: &'c dyn History,
    from: Version,
    /// The symbols whose uses may be lost, by their old id.
    targets: HashMap<SymbolId, &'c Change>,
    /// Ids of symbols that were renamed or moved, by their old ids.
    followed: HashMap<SymbolId, SymbolId>,
    /// Symbols that were edited or are new.
    edited: HashSet<SymbolId>,
}

impl<'c> Finder<'c> {
    fn new(source: &'c Source<'c>, history: &'c dyn History, from: Version, changed: &'c [Change]) -> Self {
        let mut finder = Self {
            source,
            history,
            from,
            targets: HashMap::new(),
            followed: HashMap::new(),
            edited: HashSet::new(),
        };
        for change in changed {
            if change.is_behavior() {
                finder.edited.insert(change.symbol());
            }
            let Some(old) = &change.old else { continue };
            if change.is_elsewhere() {
                finder.followed.insert(old.id, change.symbol());
            }
            if change.is_elsewhere() || change.interface_changed() {
                finder.targets.insert(old.id, change);
            }
        }
        finder
    }

    /// Finds uses that no longer lead to a changed symbol.
    fn lost(&self, changes: &Changes, found: &mut Vec<Left>) -> Result<()> {
        if self.targets.is_empty() {
            return Ok(());
        }
        for &before in &changes.edges {
            let user = self.followed.get(&before).copied().unwrap_or(before);
            if self.edited.contains(&user) {
                continue;
            }
            let then = self.history.out_edges_at(before, self.from)?;
            let uses = then.iter().filter_map(|edge| Some((edge, *self.targets.get(&edge.to)?)));
            let mut uses = uses.peekable();
            if uses.peek().is_none() || self.history.symbol_file(user)?.is_none() {
                continue;
            }
            let now = self.history.out_edges(user)?;
            for (edge, change) in uses {
                let was_sure = is_sure(edge.resolution, edge.confidence);
                // A guessed new target does not replace a certain one, because the guess may be wrong.
                let follows = |now: &Edge| {
                    now.to == change.symbol() && (!was_sure || is_sure(now.resolution, now.confidence))
                };
                if change.new.is_some() && now.iter().any(follows) {
                    continue;
                }
                let instead = self.instead(change, &then, &now)?;
                found.push(Left {
                    user,
                    target: change.symbol(),
                    kind: edge.kind,
                    reason: lost_by(edge.kind, change, instead.as_deref()),
                    lost: true,
                    broken: instead.is_none() && was_sure,
                });
            }
        }
        Ok(())
    }

    /// The place where the user now finds another symbol of that name.
    fn instead(&self, change: &Change, then: &[Edge], now: &[Edge]) -> Result<Option<String>> {
        let Some(old) = &change.old else { return Ok(None) };
        for edge in now.iter().filter(|edge| !then.iter().any(|old| old.to == edge.to)) {
            let Some(other) = self.source.symbol(edge.to)? else { continue };
            if other.name() == old.name() && is_sure(edge.resolution, edge.confidence) {
                return Ok(Some(format!("{} in {}", other.qualified(), other.path())));
            }
        }
        Ok(None)
    }

    /// Finds uses that still lead to a symbol whose header requires something else.
    fn narrowed(&self, change: &Change, found: &mut Vec<Left>) -> Result<()> {
        let (Some(old), Some(new)) = (&change.old, &change.new) else { return Ok(()) };
        let Some(worst) = change.breaks().first() else { return Ok(()) };
        let only_hidden = change.breaks() == [Break::Hidden];
        for edge in self.history.in_edges(new.id, MOST_USERS)? {
            let InEdge { from: user, kind, resolution, confidence, .. } = edge;
            let is_elsewhere = || -> Result<bool> {
                let home: Option<FileId> = self.history.symbol_file(user)?;
                Ok(home.is_some_and(|home| home != new.file()))
            };
            // An import accepts any symbol of the name, and users nearby see symbols that are hidden from others.
            if self.edited.contains(&user)
                || kind == EdgeKind::Import && !only_hidden
                || only_hidden && !is_elsewhere()?
            {
                continue;
            }
            found.push(Left {
                user,
                target: new.id,
                kind,
                reason: format!("{} {}, {}", present_verb(kind), old.qualified(), worst.clause()),
                lost: false,
                broken: is_sure(resolution, confidence),
            });
        }
        Ok(())
    }
}

fn is_sure(resolution: Resolution, confidence: u8) -> bool {
    match resolution {
        Resolution::Exact => true,
        Resolution::Inferred => confidence >= SURE,
        Resolution::Ambiguous => false,
    }
}

/// Why a use no longer leads to a changed symbol.
fn lost_by(kind: EdgeKind, change: &Change, instead: Option<&str>) -> String {
    let name = change.old.as_ref().map_or("", |old| old.qualified());
    let used = past_verb(kind);
    if let Some(other) = instead {
        return format!("{used} {name}, and finds {other} now");
    }
    let Some(new) = &change.new else { return format!("{used} {name}, which is gone") };
    match change.what {
        ChangeType::Moved => format!("{used} {name}, which moved to {}", new.path()),
        ChangeType::Renamed => format!("{used} {name}, which is {} now", new.qualified()),
        _ if new.kind() == SymbolKind::Module => format!("{used} {name}, which changed"),
        _ => match change.breaks().first() {
            Some(worst) => format!("{used} {name}, {}", worst.clause()),
            None => format!("{used} {name}, whose signature changed"),
        },
    }
}

pub(super) fn present_verb(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Call => "calls",
        EdgeKind::Implements => "implements",
        EdgeKind::Config => "configures by",
        EdgeKind::Import => "imports",
        EdgeKind::Ref => "uses",
    }
}

fn past_verb(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Call => "called",
        EdgeKind::Implements => "implemented",
        EdgeKind::Config => "was configured by",
        EdgeKind::Import => "imported",
        EdgeKind::Ref => "used",
    }
}
