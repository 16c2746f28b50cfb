//! Compares two states of a repository, for `delta.get` and `pr.risk.analyze`.

mod ends;
mod fit;

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use sdl_ledger::View;
use sdl_model::{FileState, SymbolId};
use sdl_retrieve::Source;
use sdl_retrieve::diff::{
    BlastItem, BlastQuestion, Change, ChangeType, ChangedSymbol, FanIn, FanInTrend, blast_radius,
    changed_symbols, left_behind,
};
use sdl_retrieve::layer::{Between, LaidOutlines};
use serde::Serialize;

use crate::ToolError;
use crate::call::context::ReadCx;

pub(crate) use ends::{End, find_end, find_ends};
pub(crate) use fit::{Costs, Fitted, MOST_SPILLED, fit_lists};

/// Maximum number of affected symbols that are looked for.
const MOST_AFFECTED: usize = 2_000;
/// Maximum number of symbols with a growing fan-in that are listed.
const MOST_AMPLIFIERS: usize = 10;
/// Maximum number of files that are named one by one.
const MOST_FILES: usize = 20;

/// A symbol on which more and more depends.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Amplifier {
    /// The symbol.
    pub(crate) symbol_id: String,
    /// Its qualified name.
    pub(crate) name: String,
    /// Growth of its fan-in: 0.5 is half as many edges again.
    pub(crate) growth_rate: f64,
    /// Edges that led to it before.
    pub(crate) previous: u64,
    /// Edges that lead to it after.
    pub(crate) current: u64,
}

/// Files that could not be compared in full.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostics {
    /// Changed files.
    changed_files: usize,
    /// Of those, files that a parser gave up on, on either side; their symbols are not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unparsed_files: Vec<String>,
    /// Of those, files with syntax errors in the second state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files_with_errors: Vec<String>,
}

impl Diagnostics {
    /// Returns the files that could not be compared.
    pub(crate) fn unparsed(&self) -> &[String] {
        &self.unparsed_files
    }
}

/// The differences between two states.
pub(crate) struct Compared {
    /// The changed symbols, sorted by path and position.
    pub(crate) changed: Vec<Subject>,
    /// The symbols that they may affect, most important first.
    pub(crate) blast: Vec<BlastItem>,
    /// Symbols whose fan-in grows.
    pub(crate) amplifiers: Vec<Amplifier>,
    /// Files that could not be compared in full.
    pub(crate) diagnostics: Diagnostics,
}

/// A changed symbol with the facts that decide how much it matters.
pub(crate) struct Subject {
    /// The symbol as it is on the wire.
    pub(crate) wire: ChangedSymbol,
    /// How many edges lead to it, in the state that has more.
    pub(crate) fan_in: u64,
    /// Whether other files see it, in either state.
    pub(crate) exported: bool,
    /// Whether it is a test.
    pub(crate) is_test: bool,
    /// Tests that use it, or used it and are still there, at most [`MOST_TESTS`].
    pub(crate) tests: Vec<TestOf>,
    /// Users that were not edited with it and are likely broken.
    pub(crate) broken: Vec<SymbolId>,
    /// The ability that its users lost by a change of its header, as a clause.
    pub(crate) narrowed: Option<&'static str>,
    /// Whether it was edited in more than its documentation, name and place.
    is_behavior: bool,
}

/// A test that uses a symbol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TestOf {
    pub(crate) symbol: SymbolId,
    pub(crate) name: String,
    pub(crate) file: String,
}

/// Maximum number of tests that are looked for, for one symbol.
const MOST_TESTS: usize = 5;
/// Maximum number of users that are checked for being tests.
const MOST_USERS: usize = 100;

impl Subject {
    /// Whether other files see it or anybody uses it.
    pub(crate) fn seen(&self) -> bool {
        self.exported || self.fan_in > 0
    }

    /// Whether its dependents may have to change.
    pub(crate) fn breaks(&self) -> bool {
        !self.broken.is_empty() || self.narrowed.is_some() || self.wire.change_type == ChangeType::Removed
    }

    /// Whether its visible interface changed. A move keeps it.
    pub(crate) fn changes_interface(&self) -> bool {
        match self.wire.change_type {
            ChangeType::Added => false,
            ChangeType::Removed | ChangeType::Renamed => true,
            ChangeType::Moved | ChangeType::Modified => !self.wire.tiers.interface_stable,
        }
    }

    /// Whether one of its tests may have a different result.
    pub(crate) fn does_something_else(&self) -> bool {
        self.is_behavior || !self.broken.is_empty()
    }
}

/// Compares two states.
pub(crate) fn compare_ends(cx: &ReadCx<'_>, from: &End, to: &End) -> Result<Compared, ToolError> {
    let outlines = LaidOutlines::new([&*from.layer, &*to.layer], cx.source.outlines());
    let between = Between::new(cx.snapshot, &from.layer, &to.layer);
    let source = Source::new(&between, &outlines);
    let changes = between.changes()?;
    cx.call.check()?;
    let range = (Between::FROM, Between::TO);
    let mut changed = changed_symbols(&between, &outlines, range, &changes)?;
    // A symbol that nobody edited is affected but not changed, even if its names resolve to something else now.
    changed.retain(Change::is_edit);
    cx.call.check()?;
    let fan_in = FanIn::between(&between, Between::FROM, &changes)?.following(&changed);
    let enrichment = cx.repo.enrichment(cx.snapshot);
    let question = BlastQuestion {
        from: Between::FROM,
        changes: &changes,
        changed: &changed,
        fan_in: &fan_in,
        enrichment: enrichment.as_ref(),
        most: MOST_AFFECTED,
    };
    let blast = blast_radius(&source, &between, &question)?;
    cx.call.check()?;
    let mut amplifiers = Vec::new();
    for (symbol, trend) in fan_in.amplifiers(&between, MOST_AMPLIFIERS)? {
        let FanInTrend { previous, current } = trend;
        let Some(sym) = source.symbol(symbol)? else { continue };
        amplifiers.push(Amplifier {
            symbol_id: symbol.to_string(),
            name: sym.qualified().to_owned(),
            growth_rate: (trend.growth() * 100.0).round() / 100.0,
            previous,
            current,
        });
    }
    let mut diagnostics = Diagnostics {
        changed_files: changes.files.len(),
        unparsed_files: Vec::new(),
        files_with_errors: Vec::new(),
    };
    for change in &changes.files {
        let rows = [&change.old, &change.new];
        let failed = |row: &&Option<sdl_model::FileRow>| {
            row.as_ref().is_some_and(|row| matches!(row.state, FileState::Failed(_)))
        };
        let Some(path) = rows.iter().find_map(|row| row.as_ref()).map(|row| row.path.as_str()) else {
            continue;
        };
        if rows.iter().any(failed) && diagnostics.unparsed_files.len() < MOST_FILES {
            diagnostics.unparsed_files.push(path.to_owned());
        }
        let Some(key) = change.new.as_ref().and_then(|row| row.state.facts()) else { continue };
        let errors = outlines_of(&outlines, key)?;
        if errors > 0 && diagnostics.files_with_errors.len() < MOST_FILES {
            diagnostics.files_with_errors.push(path.to_owned());
        }
    }
    let mut broken: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
    for left in left_behind(&source, &between, (Between::FROM, &changes), &changed)? {
        if left.broken {
            broken.entry(left.target).or_default().push(left.user);
        }
    }
    let mut subjects = Vec::with_capacity(changed.len());
    for (i, change) in changed.iter().enumerate() {
        if i.is_multiple_of(64) {
            cx.call.check()?;
        }
        let broken = broken.remove(&change.symbol()).unwrap_or_default();
        subjects.push(make_subject(&source, between.then(), change, broken)?);
    }
    Ok(Compared { changed: subjects, blast, amplifiers, diagnostics })
}

fn outlines_of(outlines: &LaidOutlines<'_>, key: sdl_model::FactsKey) -> Result<u32, ToolError> {
    use sdl_retrieve::Outlines as _;
    Ok(outlines.outline(key)?.map_or(0, |outline| outline.errors))
}

fn make_subject(
    source: &Source<'_>,
    before: &dyn View,
    change: &Change,
    broken: Vec<SymbolId>,
) -> Result<Subject, ToolError> {
    let view: &dyn View = source.view();
    let id = change.symbol();
    let sides = || [&change.old, &change.new].into_iter().flatten();
    let is_test = sides().any(sdl_retrieve::Sym::is_test);
    let tests = if is_test { Vec::new() } else { tests_of(source, before, change)? };
    let then = match &change.old {
        Some(old) => before.fan_in(old.id)?,
        None => 0,
    };
    Ok(Subject {
        wire: change.to_wire(),
        fan_in: view.fan_in(id)?.max(then),
        exported: sides().any(sdl_retrieve::Sym::exported),
        is_test,
        tests,
        broken,
        narrowed: change.breaks().first().map(|worst| worst.clause()),
        is_behavior: change.is_behavior(),
    })
}

/// Returns the tests that use a symbol, and those that used it and still exist.
fn tests_of(source: &Source<'_>, before: &dyn View, change: &Change) -> Result<Vec<TestOf>, ToolError> {
    let mut users: Vec<SymbolId> = Vec::new();
    if change.new.is_some() {
        users.extend(source.view().in_edges(change.symbol(), MOST_USERS)?.iter().map(|edge| edge.from));
    }
    if let Some(old) = &change.old {
        users.extend(before.in_edges(old.id, MOST_USERS)?.iter().map(|edge| edge.from));
    }
    let (mut tests, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::new();
    for user in users {
        if tests.len() == MOST_TESTS {
            break;
        }
        if !seen.insert(user) {
            continue;
        }
        let Some(user) = source.symbol(user)?.filter(sdl_retrieve::Sym::is_test) else { continue };
        let (name, file) = (user.qualified().to_owned(), user.path().to_owned());
        let found = TestOf { symbol: user.id, name, file };
        let stem = found.file.rsplit('/').next().unwrap_or_default().to_lowercase();
        // Only callable symbols named like tests count, because test files also contain fixtures and settings.
        if user.kind().is_callable() && user.name().to_lowercase().starts_with("test") {
            tests.insert(found);
        } else if user.kind().is_callable() || stem.contains("test") || stem.contains("spec") {
            others.insert(found);
        }
    }
    let found = if tests.is_empty() { others } else { tests };
    Ok(found.into_iter().take(MOST_TESTS).collect())
}
