//! How symbols are in each commit, from git's files and tree-sitter's definitions alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::definitions::{Definition, Place, definitions_of};
use crate::Outcome;
use crate::runs::deltas::git::{git_text, read_blob};

/// From this share of common tokens on, a new definition can be an old one under another name.
const ALIKE: f64 = 0.5;

/// The definitions of a commit.
#[derive(Default)]
pub(super) struct Tree {
    by_file: BTreeMap<String, Vec<Definition>>,
}

impl Tree {
    /// All of a commit.
    pub(super) fn of(root: &Path, commit: &str) -> Outcome<Self> {
        let mut tree = Self::default();
        for path in git_text(root, &["ls-tree", "-r", "--name-only", commit])?.lines() {
            tree.read_file(root, commit, path)?;
        }
        Ok(tree)
    }

    /// Goes on to a commit. Returns the former definitions of the files that differ.
    fn step(&mut self, root: &Path, (from, to): (&str, &str)) -> Outcome<BTreeMap<String, Vec<Definition>>> {
        let mut former = BTreeMap::new();
        for path in git_text(root, &["diff", "--name-only", "--no-renames", from, to])?.lines() {
            former.insert(path.to_owned(), self.by_file.remove(path).unwrap_or_default());
            self.read_file(root, to, path)?;
        }
        Ok(former)
    }

    fn read_file(&mut self, root: &Path, commit: &str, path: &str) -> Outcome {
        if crate::grammars::file_grammar(Path::new(path)).is_some()
            && let Some(bytes) = read_blob(root, commit, path)
        {
            self.by_file.insert(path.to_owned(), definitions_of(path, &bytes)?);
        }
        Ok(())
    }

    fn find(&self, place: &Place) -> Option<&Definition> {
        self.by_file.get(&place.file)?.iter().find(|definition| definition.place == *place)
    }

    /// The definition of that name which has the most of these lines.
    pub(super) fn at_lines(&self, file: &str, name: &str, lines: (u64, u64)) -> Option<&Definition> {
        let common = |definition: &&Definition| {
            (lines.1.min(definition.lines.1) + 1).saturating_sub(lines.0.max(definition.lines.0))
        };
        let named = self.by_file.get(file)?.iter().filter(|definition| definition.place.name() == name);
        let distance = |definition: &&Definition| {
            definition.lines.0.abs_diff(lines.0) + definition.lines.1.abs_diff(lines.1)
        };
        named.filter(|definition| common(definition) > 0).min_by_key(distance)
    }

    /// How many definitions have the same names.
    pub(super) fn count_twins(&self, place: &Place) -> usize {
        let same = |definition: &&Definition| definition.place.chain == place.chain;
        self.by_file.get(&place.file).map_or(0, |all| all.iter().filter(same).count())
    }
}

/// The state of a symbol's code since its rows were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum State {
    Same,
    Changed,
    Renamed,
    Gone,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Gone => "gone",
        }
    }

    pub(super) fn is_stale(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }
}

/// A symbol on its way through the commits.
pub(super) struct Traced {
    first: Place,
    now: Place,
    /// The tokens that it should have.
    code: String,
    pub(super) state: State,
    /// The first commit of its present stale time, by its number.
    pub(super) stale_from: Option<usize>,
    /// Whether it became stale in the last commit.
    pub(super) flipped: bool,
    /// Whether only comments, documentation or layout of it differ from the commit before.
    pub(super) is_trivial: bool,
    /// Whether it was renamed or moved in the last commit.
    pub(super) moved: bool,
    /// Whether several definitions could be it, so that nothing is known.
    pub(super) is_unclear: bool,
    twins: usize,
}

impl Traced {
    pub(super) fn new(tree: &Tree, definition: &Definition) -> Self {
        Self {
            first: definition.place.clone(),
            now: definition.place.clone(),
            code: definition.code.clone(),
            state: State::Same,
            stale_from: None,
            flipped: false,
            is_trivial: false,
            moved: false,
            is_unclear: false,
            twins: tree.count_twins(&definition.place),
        }
    }

    pub(super) fn place(&self) -> &Place {
        &self.now
    }

    /// Sets the state by the tree as it is after commit `number`.
    fn compare(&mut self, tree: &Tree, number: usize) {
        let was_stale = self.state.is_stale();
        self.is_unclear |= tree.find(&self.now).is_some() && tree.count_twins(&self.now) != self.twins;
        self.state = match tree.find(&self.now) {
            None => State::Gone,
            Some(found) if found.code != self.code => State::Changed,
            Some(_) if self.now != self.first => State::Renamed,
            Some(_) => State::Same,
        };
        self.flipped = self.state.is_stale() && !was_stale;
        if !self.state.is_stale() {
            self.stale_from = None;
        } else if self.flipped {
            self.stale_from = Some(number);
        }
    }

    /// Follows it to a definition that says the same under another name: a new name alone makes no row stale.
    fn follow(&mut self, former: &Definition, to: &Definition, tree: &Tree) {
        if self.code == former.code {
            self.code.clone_from(&to.code);
        }
        self.place_at(to, tree);
    }

    fn place_at(&mut self, to: &Definition, tree: &Tree) {
        self.now = to.place.clone();
        self.twins = tree.count_twins(&self.now);
        self.moved = true;
    }
}

/// Goes on to the next commit: reads the files that differ, follows what was renamed or moved, and compares.
pub(super) fn step_symbols(
    tree: &mut Tree,
    symbols: &mut [Traced],
    root: &Path,
    (from, to, number): (&str, &str, usize),
) -> Outcome<NewDefinitions> {
    let former = tree.step(root, (from, to))?;
    let before: HashMap<&Place, &Definition> =
        former.values().flatten().map(|definition| (&definition.place, definition)).collect();
    let now = former.keys().filter_map(|path| tree.by_file.get(path)).flatten();
    let new: Vec<&Definition> = now.filter(|definition| !before.contains_key(&definition.place)).collect();
    for symbol in symbols.iter_mut() {
        symbol.moved = false;
        let both = before.get(&symbol.now).zip(tree.find(&symbol.now));
        symbol.is_trivial = both.is_some_and(|(before, now)| before.code == now.code);
        if let Some(former) = before.get(&symbol.now).filter(|_| tree.find(&symbol.now).is_none()) {
            let mut alike: Vec<&&Definition> = new.iter().filter(|new| says_same(former, new)).collect();
            // Of several the one with the same name, or in the same file, if it is alone.
            for closer in [Place::is_namesake, Place::is_neighbour] {
                if alike.iter().any(|new| closer(&new.place, &symbol.now)) {
                    alike.retain(|new| closer(&new.place, &symbol.now));
                }
            }
            match alike.as_slice() {
                [] => {}
                [only] => symbol.follow(former, only, tree),
                _ => symbol.is_unclear = true,
            }
        }
        symbol.compare(tree, number);
    }
    let former = former.into_values().flatten().map(|one| (one.place.clone(), one)).collect();
    let new = new.into_iter().cloned().collect();
    Ok(NewDefinitions { former, new })
}

impl Place {
    fn is_namesake(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    fn is_neighbour(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// Whether a definition says the same but for its name.
fn says_same(old: &Definition, new: &Definition) -> bool {
    old.is_function == new.is_function && old.code == new.code
}

/// What a commit took away or changed, and what it brought.
pub(super) struct NewDefinitions {
    former: HashMap<Place, Definition>,
    new: Vec<Definition>,
}

impl NewDefinitions {
    /// Follows a symbol that is gone to where the daemon says that it is, if that is a new definition with at least half of the same
    /// tokens. Returns whether it is one.
    pub(super) fn follow_claim(&self, tree: &Tree, symbol: &mut Traced, (file, name): (&str, &str)) -> bool {
        let Some(former) = self.former.get(&symbol.now) else { return false };
        let is_claimed = |new: &&Definition| {
            new.place.file == file
                && new.place.name() == name
                && common_share(&former.code, &new.code) >= ALIKE
        };
        let Some(claimed) = self.new.iter().find(is_claimed) else { return false };
        symbol.place_at(claimed, tree);
        symbol.state = State::Changed;
        true
    }
}

/// The share of different tokens that two texts have in common.
fn common_share(one: &str, other: &str) -> f64 {
    let (one, other): (HashSet<&str>, HashSet<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    2.0 * one.intersection(&other).count() as f64 / (one.len() + other.len()).max(1) as f64
}
