//! Symbols that nothing reaches.
//!
//! Law: a symbol is alive if it is a root, if an edge leads to it from an alive symbol, if it holds an alive symbol, or if
//! it overrides an alive member in an alive type (see [`alive`]). Roots are the statements of each file, tests, starts of
//! programs, symbols with marks that others may read, and those that the language's conventions or a public interface name.
//! A symbol that is not alive even if every exported symbol is a root has no user that edges show; one that only its
//! export keeps alive may have users outside.

pub mod alive;
mod census;
mod namesakes;
mod seen;
mod uses;
mod weigh;

use std::collections::BTreeMap;

use sdl_model::facts::DefFlags;
use sdl_model::{FileId, SymbolKind};
use sdl_retrieve::{Result, Source, Sym};

use crate::Filter;
use alive::{alive_nodes, circles};
use census::Census;

pub use seen::Spelled;

/// A symbol that nothing reaches.
#[derive(Clone, Debug)]
pub struct UnusedSymbol {
    /// The symbol.
    pub sym: Sym,
    /// How often such a symbol is unused, in percent.
    pub confidence: u8,
    /// Whether only its export keeps it alive.
    pub by_export: bool,
    /// Unused symbols that use it.
    pub users: Vec<String>,
    /// The number of its circle: unused symbols that use each other.
    pub circle: Option<u32>,
    /// A place outside of unused code that spells its name: the path and the line.
    pub spelled_at: Option<(String, u32)>,
    /// The part of its name from which code may make it up, such as `visit_`.
    pub made_from: Option<String>,
    /// The file or folder outside of which code can't name it, by the rules of its language. None if it can.
    pub region: Option<String>,
    /// Code outside may call it on a value that it is given, because its language calls members by their names alone.
    pub is_open: bool,
    /// It is in a block that lets others use it, such as the braces of a macro.
    pub is_in_open_block: bool,
    /// Its file belongs to tests, has none, and is not used by others: tests may read it as data.
    pub is_test_data: bool,
    /// A word of its file by which code looks names up while it runs, such as `getattr`.
    pub looked_up_by: Option<String>,
    /// An unused symbol that uses it and of which that is less sure.
    pub less_by: Option<String>,
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The kinds of symbols; without any, what can be called, and types.
    pub kinds: Vec<SymbolKind>,
    /// Whether tests keep alive what they use.
    pub tests_count: bool,
}

/// Unused symbols, before their names are looked for in the text.
pub struct Candidates {
    found: Vec<UnusedSymbol>,
    /// For each of them, those that it uses.
    uses: Vec<Vec<u32>>,
    /// Which of them are asked for.
    asked: Vec<bool>,
    /// The bytes of each file that are in symbols that nothing reaches.
    dead: BTreeMap<FileId, Vec<DeadSpan>>,
    /// How many symbols there are of the wanted kinds.
    pub looked_at: usize,
}

/// The bytes of a symbol that nothing reaches.
struct DeadSpan {
    start: u32,
    end: u32,
    /// Whether only an export keeps it.
    by_export: bool,
    /// The candidate that it is part of.
    part_of: Option<u32>,
}

impl DeadSpan {
    fn of(sym: &Sym, by_export: bool, part_of: Option<u32>) -> Self {
        let span = sym.def().span;
        Self { start: span.start, end: span.end, by_export, part_of }
    }
}

/// Most users that are named.
const USERS: usize = 3;

/// Finds the symbols that nothing reaches.
pub fn find_candidates(source: &Source<'_>, wanted: &Wanted, filter: &Filter) -> Result<Candidates> {
    let census = Census::take(source)?;
    let certain = alive_nodes(&census.links, census.roots(wanted.tests_count, true));
    let likely = alive_nodes(&census.links, census.roots(wanted.tests_count, false));
    let is_dead = |node: u32| !likely.get(node as usize).copied().unwrap_or(true);
    let is_certain = |node: u32| !certain.get(node as usize).copied().unwrap_or(true);
    let mut shown: Vec<Option<u32>> = vec![None; census.symbols.len()];
    let mut looked_at = 0;
    for (node, sym) in census.symbols.iter().enumerate() {
        let number = node as u32;
        let is_wanted = is_wanted_kind(sym, &wanted.kinds);
        looked_at += usize::from(is_wanted);
        if !is_dead(number) {
            continue;
        }
        // What holds it is shown in its place.
        let holder = census.holder(number).and_then(|holder| shown.get(holder as usize).copied().flatten());
        let same = holder.filter(|holder| is_certain(*holder) == is_certain(number));
        let is_own = is_wanted && (wanted.tests_count || !sym.is_test());
        if let Some(slot) = shown.get_mut(node) {
            *slot = same.or(is_own.then_some(number));
        }
    }
    let uses = census.uses_between(&shown);
    let circle = circles(&uses, |node| shown.get(node as usize).copied().flatten() == Some(node));
    let mut users = named_users(&census.symbols, &uses.out);
    let mut candidates = Candidates {
        found: Vec::new(),
        uses: Vec::new(),
        asked: Vec::new(),
        dead: BTreeMap::new(),
        looked_at,
    };
    // The place of each shown symbol among the candidates.
    let mut places: Vec<Option<u32>> = vec![None; census.symbols.len()];
    for (node, sym) in census.symbols.iter().enumerate() {
        if shown.get(node).copied().flatten() != Some(node as u32) {
            continue;
        }
        if let Some(place) = places.get_mut(node) {
            *place = Some(candidates.found.len() as u32);
        }
        candidates.asked.push(filter.keeps_file(sym.path()));
        candidates.found.push(UnusedSymbol {
            sym: sym.clone(),
            confidence: 0,
            by_export: !is_certain(node as u32),
            users: users.get_mut(node).map(std::mem::take).unwrap_or_default(),
            circle: circle.get(node).copied().flatten(),
            spelled_at: None,
            made_from: None,
            is_open: census.is_open(node as u32),
            region: census.region_of(node as u32),
            is_test_data: census.is_test_data(node as u32),
            is_in_open_block: false,
            looked_up_by: None,
            less_by: None,
        });
        let used = uses.out.get(node).into_iter().flatten();
        candidates.uses.push(used.copied().collect());
    }
    let place_of = |node: u32| places.get(node as usize).copied().flatten();
    for used in &mut candidates.uses {
        *used = used.iter().filter_map(|node| place_of(*node)).collect();
    }
    for (node, sym) in census.symbols.iter().enumerate().filter(|(node, _)| is_dead(*node as u32)) {
        let part_of = shown.get(node).copied().flatten().and_then(place_of);
        let span = DeadSpan::of(sym, !is_certain(node as u32), part_of);
        candidates.dead.entry(sym.file()).or_default().push(span);
    }
    Ok(candidates)
}

/// The names of those that use each symbol, at most a few.
fn named_users(symbols: &[Sym], uses: &[Vec<u32>]) -> Vec<Vec<String>> {
    let mut users: Vec<Vec<String>> = vec![Vec::new(); symbols.len()];
    for (from, out) in uses.iter().enumerate() {
        for to in out.iter().filter(|to| **to as usize != from) {
            let (Some(list), Some(user)) = (users.get_mut(*to as usize), symbols.get(from)) else { continue };
            if list.len() < USERS && !list.iter().any(|known| known == user.qualified()) {
                list.push(user.qualified().to_owned());
            }
        }
    }
    users
}

fn is_wanted_kind(sym: &Sym, kinds: &[SymbolKind]) -> bool {
    let kind = sym.kind();
    let by_default = (kind.is_callable() && kind != SymbolKind::Constructor) || kind.is_type();
    let is_named = !sym.outline().str(sym.def().name).is_empty();
    let is_built = !sym.def().flags.has(DefFlags::GENERATED);
    is_named && is_built && if kinds.is_empty() { by_default } else { kinds.contains(&kind) }
}
