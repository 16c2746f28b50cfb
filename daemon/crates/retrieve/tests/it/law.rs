//! The law of held slices: the slice that a client holds at a version depends only on the build and that version.
//!
//! Clients of one handle refresh at random times while the tree goes through random edits. After each answer, the state
//! that the client assembled from deltas is compared with the law, which is computed here again, in the plainest way.
//! `SDL_LAW_CASES` sets the number of histories.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sdl_ledger::View;
use sdl_model::{EdgeKind, SymbolId, SymbolKind, Version};
use sdl_retrieve::History;
use sdl_retrieve::card::{self, Detail, Plain};
use sdl_retrieve::diff::changed_symbols;
use sdl_retrieve::refresh::{Lease, Outcome, refresh_slice};
use sdl_retrieve::slice::{self, BuiltSlice};

use crate::law_trees::{Tree, WAYS};
use crate::ledger::MemoryLedger;

/// The state of a client: for each symbol the content part of its etag, and its first and last line.
type Held = BTreeMap<SymbolId, (String, u32, u32)>;

/// Number of clients of one handle.
const CLIENTS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    /// Applies an edit; several edits may be in force together.
    Edit(usize),
    /// Reverts an edit.
    Undo(usize),
    /// Deletes a file, or restores it.
    Delete(usize, bool),
    /// Saves a part of a file, in eighths, or all of it.
    Half(usize, usize),
    /// Moves a file to another folder, or back.
    Move(usize, bool),
    /// Inserts lines of comment at the top of a file.
    Comment(usize, usize),
    /// Switches to the other branch, which starts as a copy of the first tree.
    Switch,
    /// A client asks; it may lose the answer.
    Refresh { client: usize, lost: bool },
    /// A client that lost its state asks with a version that can't be compared with.
    Lost { client: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let any_number = any::<usize>();
    prop_oneof![
        5 => any_number.prop_map(Step::Edit),
        2 => any_number.prop_map(Step::Undo),
        2 => (any_number, any::<bool>()).prop_map(|(file, gone)| Step::Delete(file, gone)),
        2 => (any_number, 0_usize..12).prop_map(|(file, part)| Step::Half(file, part)),
        1 => (any_number, any::<bool>()).prop_map(|(file, away)| Step::Move(file, away)),
        1 => (any_number, 0_usize..4).prop_map(|(file, lines)| Step::Comment(file, lines)),
        1 => Just(Step::Switch),
        6 => (any_number, any::<bool>()).prop_map(|(client, lost)| Step::Refresh { client, lost }),
        1 => any_number.prop_map(|client| Step::Lost { client }),
    ]
}

/// The changes made to a file.
#[derive(Clone, Default)]
struct FileState {
    gone: bool,
    moved: bool,
    /// Eighths that are cut off.
    cut: usize,
    comments: usize,
}

/// A branch: the changes made to the tree.
#[derive(Clone)]
struct Branch {
    edits: Vec<bool>,
    files: Vec<FileState>,
}

struct World {
    tree: Tree,
    ledger: MemoryLedger,
    now: Branch,
    other: Branch,
    written: BTreeMap<String, String>,
}

impl World {
    fn new(tree: Tree) -> Self {
        let branch = Branch {
            edits: vec![false; tree.edits.len()],
            files: vec![FileState::default(); tree.files.len()],
        };
        let fixture: String = tree.files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
        let ledger = MemoryLedger::new(&fixture);
        let written = tree.files.iter().cloned().collect();
        Self { tree, ledger, now: branch.clone(), other: branch, written }
    }

    /// The tree as it should be.
    fn wanted(&self) -> BTreeMap<String, String> {
        let mut wanted = BTreeMap::new();
        for ((path, text), state) in self.tree.files.iter().zip(&self.now.files) {
            if state.gone {
                continue;
            }
            let mut text = text.clone();
            let edits = self.tree.edits.iter().zip(&self.now.edits);
            for ((_, from, to), _) in edits.filter(|((of, _, _), on)| of == path && **on) {
                text = text.replace(from, to);
            }
            text.truncate(text.len() * (8 - state.cut) / 8);
            text.insert_str(0, &self.tree.comment.repeat(state.comments));
            let path = match path.split_once('/') {
                Some((folder, rest)) if state.moved => format!("{folder}/inner/{rest}"),
                _ => path.clone(),
            };
            wanted.insert(path, text);
        }
        wanted
    }

    /// Commits the differences as a version.
    fn write(&mut self) {
        let wanted = self.wanted();
        let mut changes: Vec<(&str, Option<&[u8]>)> = Vec::new();
        for path in self.written.keys().filter(|path| !wanted.contains_key(*path)) {
            changes.push((path, None));
        }
        for (path, text) in wanted.iter().filter(|(path, text)| self.written.get(*path) != Some(*text)) {
            changes.push((path, Some(text.as_bytes())));
        }
        if !changes.is_empty() {
            self.ledger.write(&changes);
        }
        self.written = wanted;
    }

    fn edit(&mut self, step: &Step) {
        let file = |world: &Self, number: usize| number % world.tree.files.len();
        match *step {
            Step::Edit(number) => {
                let number = number % self.tree.edits.len();
                self.now.edits[number] = true;
            }
            Step::Undo(number) => {
                let number = number % self.tree.edits.len();
                self.now.edits[number] = false;
            }
            Step::Delete(number, gone) => {
                let number = file(self, number);
                self.now.files[number].gone = gone;
            }
            Step::Half(number, part) => {
                let number = file(self, number);
                self.now.files[number].cut = 8_usize.saturating_sub(part);
            }
            Step::Move(number, away) => {
                let number = file(self, number);
                self.now.files[number].moved = away;
            }
            Step::Comment(number, lines) => {
                let number = file(self, number);
                self.now.files[number].comments = lines;
            }
            Step::Switch => std::mem::swap(&mut self.now, &mut self.other),
            Step::Refresh { .. } | Step::Lost { .. } => return,
        }
        self.write();
    }
}

/// The symbols that a slice follows, computed from the first version on exactly as the law states.
struct Law {
    followed: Vec<SymbolId>,
    called: BTreeSet<SymbolId>,
    at: Version,
}

impl Law {
    fn of_build(ledger: &MemoryLedger, built: &BuiltSlice) -> Self {
        let followed: Vec<SymbolId> = built.members().collect();
        let at = ledger.at(built.version);
        let called = followed.iter().flat_map(|symbol| at.out_edges(*symbol).unwrap()).map(|edge| edge.to);
        Self { called: called.collect(), followed, at: built.version }
    }

    fn advance(&mut self, ledger: &MemoryLedger, version: Version) {
        while self.at < version {
            let (before, after) = (ledger.at(self.at), ledger.at(self.at.next()));
            let changes = after.changes_between(self.at, self.at.next()).unwrap();
            let versions = (self.at, self.at.next());
            for change in changed_symbols(&after, ledger.outlines(), versions, &changes).unwrap() {
                if let (Some(old), Some(new)) = (&change.old, &change.new)
                    && old.id != new.id
                    && self.followed.contains(&old.id)
                    && before.source().symbol(old.id).unwrap().is_some()
                    && !self.followed.contains(&new.id)
                {
                    self.followed.push(new.id);
                }
            }
            let mut new = Vec::new();
            for caller in &self.followed {
                for edge in after.out_edges(*caller).unwrap() {
                    let counts = matches!(edge.kind, EdgeKind::Call | EdgeKind::Implements)
                        && edge.confidence >= 50
                        && !self.called.contains(&edge.to)
                        && !self.followed.contains(&edge.to)
                        && !new.contains(&edge.to);
                    let source = after.source();
                    if counts && source.symbol(edge.to).unwrap().is_some_and(|s| s.kind() != SymbolKind::Impl)
                    {
                        new.push(edge.to);
                    }
                }
            }
            assert!(new.len() < 24, "these trees are too small to reach the bound");
            for symbol in new {
                self.called.extend(after.out_edges(symbol).unwrap().iter().map(|edge| edge.to));
                self.followed.push(symbol);
            }
            self.at = self.at.next();
        }
    }

    /// The state at the version for which the law was computed.
    fn held(&self, ledger: &MemoryLedger) -> Held {
        let at = ledger.at(self.at);
        let source = at.source();
        let mut held = Held::new();
        for symbol in &self.followed {
            let Some(sym) = source.symbol(*symbol).unwrap() else { continue };
            let etag = content(&card::etag_of(&source, &sym, Detail::Full).unwrap());
            held.insert(*symbol, (etag, sym.def().span.start_line, sym.def().span.end_line));
        }
        held
    }
}

fn content(etag: &str) -> String {
    etag.split_once('-').unwrap().1.to_owned()
}

fn of_slice(slice: &BuiltSlice) -> Held {
    let cards = slice.doc.cards.iter();
    cards
        .map(|card| (card.symbol_id, (content(&card.etag), card.range.start_line, card.range.end_line)))
        .collect()
}

/// Applies an answer as a client does.
fn apply(held: &mut Held, outcome: &Outcome) {
    match outcome {
        Outcome::NotModified => {}
        Outcome::Fresh(slice) => *held = of_slice(slice),
        Outcome::Delta(delta) => {
            for change in &delta.delta.changed_symbols {
                if let Some(old) = change.renamed_from {
                    held.remove(&old);
                }
                let etag = change.card.as_ref().map(|card| &card.etag).or(change.etag.as_ref());
                match etag.zip(change.range) {
                    Some((etag, range)) => {
                        drop(held.insert(change.symbol_id, (content(etag), range.start_line, range.end_line)))
                    }
                    None => drop(held.remove(&change.symbol_id)),
                }
            }
            for card in delta.moved_cards.iter().flat_map(|moved| &moved.ranges) {
                if let Some(known) = held.get_mut(&card.symbol) {
                    (known.1, known.2) = (card.range.start_line, card.range.end_line);
                }
            }
        }
    }
}

/// Names the differences, because ids mean nothing to a reader.
fn differences(ledger: &MemoryLedger, told: &Held, law: &Held) -> Vec<String> {
    let name = |symbol: &SymbolId| {
        let versions = (1..=ledger.head().version().0).rev().map(Version);
        let names = versions.map(|version| ledger.at(version).name(*symbol));
        names.into_iter().find(|name| name != "gone").unwrap_or_default()
    };
    let mut all = Vec::new();
    for symbol in told.keys().chain(law.keys()).collect::<BTreeSet<_>>() {
        if told.get(symbol) != law.get(symbol) {
            all.push(format!("{}: client {:?}, law {:?}", name(symbol), told.get(symbol), law.get(symbol)));
        }
    }
    all
}

fn cases() -> u32 {
    std::env::var("SDL_LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_client_holds_what_the_law_says(
        steps in prop::collection::vec(step(), 1..40),
        tree in 0_usize..3,
        way in 0..WAYS,
    ) {
        let mut world = World::new(Tree::of(tree));
        let head = world.ledger.head();
        let request = world.tree.request(&head, way);
        let built = slice::build_slice(&head.source(), &request, &Plain).unwrap();
        let first = Lease::begin(&head, head.incarnation(), &built, request).unwrap();
        let mut law = Law::of_build(&world.ledger, &built);
        let mut lease = first.clone();
        let mut clients = vec![(of_slice(&built), built.version); CLIENTS];
        let last = (0..CLIENTS).map(|client| Step::Refresh { client, lost: false });
        for step in steps.into_iter().chain(last) {
            world.edit(&step);
            let (client, lost, known) = match step {
                Step::Refresh { client, lost } => {
                    (client % CLIENTS, lost, clients[client % CLIENTS].1)
                }
                Step::Lost { client } => (client % CLIENTS, false, Version(1_000_000)),
                _ => continue,
            };
            let head = world.ledger.head();
            let refreshed = refresh_slice(&head, world.ledger.outlines(), &lease, known, &Plain).unwrap();
            prop_assert_eq!(refreshed.current, head.version());
            lease = Lease::from_bytes(&refreshed.lease.to_bytes()).unwrap();
            if lost {
                continue;
            }
            let (held, version) = &mut clients[client];
            apply(held, &refreshed.outcome);
            *version = refreshed.current;
            law.advance(&world.ledger, refreshed.current);
            let wrong = differences(&world.ledger, held, &law.held(&world.ledger));
            prop_assert!(wrong.is_empty(), "at {version} after {:?}: {wrong:#?}", refreshed.outcome);
        }
        // A handle that nobody refreshed in between has the same state now.
        let head = world.ledger.head();
        let late = refresh_slice(&head, world.ledger.outlines(), &first, first.built, &Plain).unwrap();
        prop_assert_eq!(&late.lease, &lease);
        let mut held = of_slice(&built);
        apply(&mut held, &late.outcome);
        let wrong = differences(&world.ledger, &held, &law.held(&world.ledger));
        prop_assert!(wrong.is_empty(), "a late client: {wrong:#?}");
    }
}
