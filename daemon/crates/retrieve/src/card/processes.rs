//! Processes: the chains of calls, from an entry point, that a symbol takes part in.
//!
//! Found by a bounded walk backwards over the callers. They are a pure function of the version, so no stored data must
//! be kept up to date.

use std::collections::{BTreeMap, HashMap, VecDeque};

use sdl_ledger::View;
use sdl_model::{EdgeKind, FileId, Resolution, SymbolId, SymbolKind};

use crate::index::is_test_path;
use crate::{Result, Source, Sym};

/// Most callers of one symbol that are followed.
const MOST_CALLERS: usize = 32;
/// Most symbols that are looked at.
const MOST_SEEN: usize = 128;
/// Most steps that callers are followed backwards.
const FAR: usize = 8;
/// Most starts that are opened to see their kind.
const MOST_OPENED: usize = 16;
/// Most processes listed for one symbol.
const MOST_TOLD: usize = 3;
/// Most steps listed for one chain.
const MOST_STEPS: usize = 4;
/// Calls of a lower confidence than this, in percent, do not form a chain.
const SURE: u8 = 50;

/// Why a chain starts at a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// A `main` function.
    Main,
    /// A file that does something when it is run, and that nothing imports, for example `scripts/migrate.py`.
    Script,
    /// A function that nothing in the repository calls, and that calls others.
    Uncalled,
}

impl Start {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Script => "script",
            Self::Uncalled => "uncalled",
        }
    }
}

/// One chain of calls that reaches a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Why the chain starts there.
    pub start: Start,
    /// From the start to the symbol, both included.
    pub chain: Vec<SymbolId>,
}

/// The processes that a symbol takes part in, in the form of cards: `main > serve > … > answer`.
pub fn process_chains(source: &Source<'_>, symbol: SymbolId) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for process in find_chains(source, symbol)? {
        let count = process.chain.len();
        let mut steps = Vec::new();
        for (i, step) in process.chain.iter().enumerate() {
            // The start, the steps next to it, and the symbol itself.
            let shown = count <= MOST_STEPS || i + 2 < MOST_STEPS || i + 1 == count;
            if !shown {
                if i + 2 == count {
                    steps.push("…".to_owned());
                }
                continue;
            }
            let Some(sym) = source.symbol(*step)? else { continue };
            let script = sym.kind() == SymbolKind::Module;
            steps.push(if script { sym.path().to_owned() } else { sym.name().to_owned() });
        }
        told.push(steps.join(" > "));
    }
    told.dedup();
    Ok(told)
}

/// The chains that reach a symbol, the likeliest starts and the shortest chains first.
pub fn find_chains(source: &Source<'_>, symbol: SymbolId) -> Result<Vec<Process>> {
    let view = source.view();
    let mut tests = Tests::default();
    // Each symbol's next step towards `symbol`.
    let mut next: BTreeMap<SymbolId, Option<SymbolId>> = BTreeMap::from([(symbol, None)]);
    let mut todo = VecDeque::from([(symbol, 0)]);
    let mut starts = Vec::new();
    while let Some((at, distance)) = todo.pop_front() {
        let mut called = false;
        for edge in view.in_edges(at, MOST_CALLERS)? {
            let runs = edge.kind == EdgeKind::Call
                && edge.confidence >= SURE
                && edge.resolution != Resolution::Ambiguous;
            if !runs || edge.from == at || tests.holds(view, edge.from)? {
                continue;
            }
            called = true;
            if distance < FAR && next.len() < MOST_SEEN && !next.contains_key(&edge.from) {
                next.insert(edge.from, Some(at));
                todo.push_back((edge.from, distance + 1));
            }
        }
        if !called {
            starts.push((distance, at));
        }
    }
    let mut found = Vec::new();
    for (distance, at) in starts.into_iter().take(MOST_OPENED) {
        let Some(sym) = source.symbol(at)? else { continue };
        if let Some(start) = start_of(source, &sym)? {
            found.push((start, distance, sym.path().to_owned(), sym.line(), at));
        }
    }
    found.sort_unstable();
    let chain = |from: SymbolId| {
        let mut chain = vec![from];
        while let Some(Some(step)) = chain.last().and_then(|last| next.get(last)) {
            chain.push(*step);
        }
        chain
    };
    Ok(found.into_iter().take(MOST_TOLD).map(|(start, .., at)| Process { start, chain: chain(at) }).collect())
}

/// Why a chain may start at a symbol that nothing calls, if it may.
fn start_of(source: &Source<'_>, sym: &Sym) -> Result<Option<Start>> {
    if sym.is_test() {
        return Ok(None);
    }
    let calls = || -> Result<bool> {
        Ok(source.view().out_edges(sym.id)?.iter().any(|edge| edge.kind == EdgeKind::Call))
    };
    Ok(match sym.kind() {
        SymbolKind::Module => (source.view().fan_in(sym.id)? == 0 && calls()?).then_some(Start::Script),
        kind if !kind.is_callable() => None,
        _ if is_main(sym.name()) => Some(Start::Main),
        _ => calls()?.then_some(Start::Uncalled),
    })
}

/// Whether `name` is usual for a function where a program starts, such as `main`.
pub fn is_main(name: &str) -> bool {
    matches!(name, "main" | "Main" | "__main__")
}

/// Which files are tests', looked up once each.
#[derive(Default)]
struct Tests(HashMap<FileId, bool>);

impl Tests {
    fn holds(&mut self, view: &dyn View, symbol: SymbolId) -> Result<bool> {
        let Some(file) = view.symbol_file(symbol)? else { return Ok(false) };
        if let Some(known) = self.0.get(&file) {
            return Ok(*known);
        }
        let test = view.file(file)?.is_some_and(|row| is_test_path(row.path.as_str()));
        self.0.insert(file, test);
        Ok(test)
    }
}
