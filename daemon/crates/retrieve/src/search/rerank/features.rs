//! The features of the best candidates.

use std::collections::HashMap;

use sdl_model::{FileId, Resolution, SymbolKind};

use super::history::Behind;
use super::rank_places;
use super::stems::stem_shares;
use crate::index::Flags;
use crate::search::plan::Plan;
use crate::search::postings::Lists;
use crate::search::ranked::Ranked;
use crate::search::scoring::coverage_factor;
use crate::search::spelled::{Bonus, Spelled};
use crate::{Evidence, Result, Source};

/// The features' names, in their order. Shares are of the mass of the query's words.
pub const FEATURES: [&str; 32] = [
    // The logarithm of how well the words fit, without and with the names and paths that the query spells.
    "words",
    "fit",
    // The length class of the definition; the shortest class has no feature.
    "lines.4",
    "lines.16",
    "lines.64",
    // The share of the name's words that the query contains.
    "named",
    // Whether it is such a symbol, unless the query asks for them.
    "test",
    "aside",
    "local",
    // The symbol's name and its file's path, if the query spells them.
    "spelled.name",
    "spelled.path",
    "module",
    "value",
    "property",
    // The shares found in its owners' names, in its path, anywhere in it.
    "owner",
    "path",
    "covered",
    // The best of its file relative to the best of all; the three best of its file relative to those of the best file;
    // the number of symbols of its file before it (logarithm).
    "file.best",
    "file.three",
    "file.rank",
    // The best caller relative to the best of all; callers and callees among the candidates (logarithm of the sum).
    "caller.best",
    "callers",
    "callees",
    // The evidence of commits about its file: see [`Behind`].
    "past.said",
    "past.alike",
    "past.often",
    "past.days",
    // How surely a name that the query spells means it.
    "meant",
    // The share of the words of its file's name that the query contains.
    "stem",
    // The five best of its file, each counting for less, relative to those of the best file.
    "file.five",
    // The masses found in its name and in its owners' names relative to the best of all: in a long query every share of
    // the whole mass is small.
    "named.best",
    "owner.best",
];

/// Keeps logarithms finite.
const LEAST: f32 = 0.01;
/// The highest score of a spelled path.
const SPELLED_PATH: f32 = 4.0;
/// The number of a file's best candidates that count for it.
const SPEAKERS: u32 = 3;
/// The number of a file's best candidates of which each counts by its place.
const MEMBERS: u32 = 5;
/// Most callees of one candidate that are looked at.
const MOST_CALLEES: usize = 200;

/// The features of the best candidates.
pub(super) struct Features {
    /// One row for each candidate.
    pub(super) rows: Vec<[f32; FEATURES.len()]>,
}

impl Features {
    /// The features of candidates in order, best first. The time is proportional to the number of candidates, lists and
    /// the candidates' edges.
    pub(super) fn of(
        source: &Source<'_>,
        plan: &Plan,
        (lists, spelled): (&Lists, &Spelled),
        best: &[Ranked],
        evidence: &mut Evidence,
    ) -> Result<Self> {
        let wants = plan.wants;
        let seen: Vec<Seen> = best.iter().map(|found| Seen::of(lists, spelled, found)).collect();
        let highest = best.first().map_or(1.0, |found| found.score).max(f32::EPSILON);
        let home = |found: &Ranked| source.view().symbol_file(found.symbol);
        let homes: Vec<Option<FileId>> = best.iter().map(home).collect::<std::result::Result<_, _>>()?;
        let files = Files::of(&homes, best, &seen, highest);
        evidence.ran("file", files.count);
        let calls = Calls::of(source, best, &seen, highest)?;
        evidence.ran("calls", calls.callers.iter().filter(|sum| **sum > 0.0).count());
        let behind = Behind::of(source, plan, &homes, evidence);
        let total = lists.total_mass();
        let stems = stem_shares(source, plan, &homes, |at| seen[at].path > 0.0)?;
        let most = |of: fn(&Seen) -> f32| seen.iter().map(of).fold(f32::EPSILON, f32::max);
        let (most_named, most_owner) = (most(|seen| seen.named_mass), most(|seen| seen.owner));
        let row = |at: usize| {
            let Seen { sum, covered, named, owner, path, flags, bonus, named_mass } = &seen[at];
            let words = sum * coverage_factor(*covered, total) / total;
            let (spelled_name, spelled_path) = (bonus.name / total, bonus.path / SPELLED_PATH);
            let is = |holds: bool| f32::from(u8::from(holds));
            let share = |mass: f32| (mass / total).min(1.0);
            let kind = flags.kind();
            [
                (words + LEAST).ln(),
                (words + spelled_name + spelled_path + LEAST).ln(),
                is(flags.length() == 1),
                is(flags.length() == 2),
                is(flags.length() == 3),
                (f32::from(*named) / f32::from(flags.words())).min(1.0),
                is(flags.test() && !wants.tests),
                is(flags.aside() && !wants.aside),
                is(flags.local()),
                spelled_name,
                spelled_path,
                is(is_module(kind)),
                is(is_value(kind)),
                is(kind == SymbolKind::Property),
                share(*owner),
                share(*path),
                share(*covered),
                files.best[at],
                files.three[at],
                files.rank[at].ln_1p(),
                calls.best_caller[at],
                calls.callers[at].ln_1p(),
                calls.callees[at].ln_1p(),
                behind.said[at],
                behind.alike[at],
                behind.often[at],
                behind.days[at],
                bonus.meant,
                stems[at],
                files.five[at],
                named_mass / most_named,
                owner / most_owner,
            ]
        };
        Ok(Self { rows: (0..best.len()).map(row).collect() })
    }
}

fn is_module(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
            | SymbolKind::EnumMember
            | SymbolKind::Type
    )
}

/// Where the query's words occur in a symbol.
#[derive(Default)]
struct Seen {
    /// The sum of the words' impacts.
    sum: f32,
    /// The mass of the words that are found, and of those in the owners' names and in the path.
    covered: f32,
    owner: f32,
    path: f32,
    /// The number of those in the name, and their mass.
    named: u16,
    named_mass: f32,
    flags: Flags,
    bonus: Bonus,
}

impl Seen {
    fn of(lists: &Lists, spelled: &Spelled, found: &Ranked) -> Self {
        let bonus = spelled.get(&found.symbol).copied().unwrap_or_default();
        let mut seen = Self { flags: bonus.flags, bonus, ..Self::default() };
        let mut last_term = None;
        for list in &lists.all {
            let Some(hit) = list.of(found.symbol) else { continue };
            let flags = Flags(hit.flags);
            seen.sum += list.worth(hit);
            seen.flags = flags;
            // Expansions of one word count once.
            if last_term == Some(list.term) {
                continue;
            }
            last_term = Some(list.term);
            let mass = lists.mass(list.term);
            seen.covered += mass;
            seen.named += u16::from(flags.in_name());
            if flags.in_name() {
                seen.named_mass += mass;
            }
            if flags.in_owner() {
                seen.owner += mass;
            }
            if flags.in_path() {
                seen.path += mass;
            }
        }
        seen
    }
}

/// How the candidates of a file support each other: the symbols relevant to a task tend to be close together.
struct Files {
    count: usize,
    best: Vec<f32>,
    three: Vec<f32>,
    five: Vec<f32>,
    rank: Vec<f32>,
}

impl Files {
    fn of(homes: &[Option<FileId>], best: &[Ranked], seen: &[Seen], highest: f32) -> Self {
        #[derive(Clone, Copy, Default)]
        struct File {
            best: f32,
            three: f32,
            five: f32,
            count: u32,
        }
        let mut files: HashMap<FileId, File> = HashMap::new();
        let mut before_each = Vec::with_capacity(best.len());
        for ((found, seen), home) in best.iter().zip(seen).zip(homes) {
            let file = home.map(|home| files.entry(home).or_default());
            let mut before = 0;
            // A module is left out, because it represents its file and would count twice.
            if let Some(file) = file.filter(|_| !is_module(seen.flags.kind())) {
                before = file.count;
                file.count += 1;
                file.best = file.best.max(found.score);
                if before < MEMBERS {
                    file.five += found.score / (before + 1) as f32;
                }
                if before < SPEAKERS {
                    file.three += found.score;
                }
            }
            before_each.push(before);
        }
        let most = files.values().map(|file| file.three).fold(f32::EPSILON, f32::max);
        let mut of = Self {
            count: files.len(),
            best: Vec::new(),
            three: Vec::new(),
            five: Vec::new(),
            rank: Vec::new(),
        };
        let most_five = files.values().map(|file| file.five).fold(f32::EPSILON, f32::max);
        for ((home, before), seen) in homes.iter().zip(before_each).zip(seen) {
            let file = home.and_then(|home| files.get(&home)).copied().unwrap_or_default();
            of.best.push(file.best / highest);
            of.three.push(file.three / most);
            of.five.push(file.five / most_five);
            of.rank.push(if is_module(seen.flags.kind()) { file.count } else { before } as f32);
        }
        of
    }
}

/// Which candidates call which.
struct Calls {
    best_caller: Vec<f32>,
    callers: Vec<f32>,
    callees: Vec<f32>,
}

impl Calls {
    fn of(source: &Source<'_>, best: &[Ranked], seen: &[Seen], highest: f32) -> Result<Self> {
        let places = rank_places(best);
        let none = || vec![0.0_f32; best.len()];
        let mut calls = Self { best_caller: none(), callers: none(), callees: none() };
        for (from, (caller, seen)) in best.iter().zip(seen).enumerate() {
            for edge in source.view().out_edges(caller.symbol)?.iter().take(MOST_CALLEES) {
                let Some(&to) = places.get(&edge.to).filter(|to| **to != from) else { continue };
                let sure = match edge.resolution {
                    Resolution::Exact => 1.0,
                    Resolution::Inferred => 0.8,
                    Resolution::Ambiguous => 0.4,
                } * f32::from(edge.confidence)
                    / 100.0
                    / highest;
                calls.callees[from] += sure * best[to].score;
                // Use by a test does not count, because tests use everything.
                if !seen.flags.test() {
                    calls.callers[to] += sure * caller.score;
                    calls.best_caller[to] = calls.best_caller[to].max(sure * caller.score);
                }
            }
        }
        Ok(calls)
    }
}
