//! Definitions of one name in one scope, of which a condition, the platform or the arguments choose.

use std::collections::{HashMap, HashSet};

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::lang::Overloads;
use sdl_model::{FileId, Outline, SymbolKind};
use sdl_retrieve::Sym;

/// Pairs of definitions that live and die together, for example the signatures of an overloaded function with its body,
/// or the functions in both branches of `if sys.platform == "win32"`. Each later one is paired with the first.
///
/// Overloads that have bodies of their own, as in Java, are not paired: a call leads to one of them.
pub(super) fn live_together(symbols: &[Sym]) -> Vec<(u32, u32)> {
    let mut first: HashMap<(FileId, Option<DefIx>, &str), u32> = HashMap::new();
    let mut pairs = Vec::new();
    for (node, sym) in symbols.iter().enumerate() {
        let def = sym.def();
        let apart = sym.outline().lang.traits().calls.overloads == Overloads::Functions
            && sym.kind().is_callable()
            && !def.flags.has(DefFlags::ABSTRACT);
        if sym.ix == DefIx::MODULE || sym.kind() == SymbolKind::Impl || apart {
            continue;
        }
        // Members that are written outside of their type may be in several blocks.
        let is_apart = def.owner.is_some() && !def.flags.has(DefFlags::LOCAL);
        let scope = if is_apart { None } else { def.parent };
        let name = sym.outline().str(def.qualified);
        if name.is_empty() {
            continue;
        }
        match first.entry((sym.file(), scope, name)) {
            std::collections::hash_map::Entry::Occupied(known) => pairs.push((*known.get(), node as u32)),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(node as u32);
            }
        }
    }
    pairs
}

/// The names that a file imports and also gets in another way: it defines them too, or imports them twice. For example,
/// `try: from fast import parse` with `except ImportError: from slow import parse`.
pub(super) fn shared_imports(outline: &Outline) -> HashSet<String> {
    let mut taken: HashSet<&str> = HashSet::new();
    if outline.imports.is_empty() {
        return HashSet::new();
    }
    let at_top = outline.iter().filter(|(_, def)| def.parent == Some(DefIx::MODULE));
    taken.extend(at_top.map(|(_, def)| outline.str(def.name)));
    let mut shared = HashSet::new();
    for import in &outline.imports {
        let Some(name) = import.name else { continue };
        let local = outline.str(import.local.unwrap_or(name));
        if !taken.insert(local) {
            shared.insert(local);
        }
    }
    let originals = outline.imports.iter().filter_map(|import| {
        let name = import.name?;
        shared.contains(outline.str(import.local.unwrap_or(name))).then(|| outline.str(name).to_owned())
    });
    originals.collect()
}
