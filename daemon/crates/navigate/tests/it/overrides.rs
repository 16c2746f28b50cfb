//! Which members override which, on random trees.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sdl_model::SymbolId;
use sdl_navigate::Graph;

use crate::ledger::MemoryLedger;
use crate::trees::all_symbols;

/// Classes of one tree: more than the definitions of a name that are looked at one by one.
const CLASSES: usize = 90;
/// Names of members, the first of which most classes have.
const NAMES: [&str; 4] = ["often", "now_and_then", "seldom", "hardly"];

/// A tree of classes in files of a few each, some of them in functions. Each class derives from earlier ones.
fn random_tree(below: &mut impl FnMut(usize) -> usize) -> String {
    let mut text = String::new();
    for class in 0..CLASSES {
        if class % 7 == 0 {
            let _ = writeln!(text, "//- /part{}.py", class / 7);
            for part in 0..class / 7 {
                let _ = writeln!(text, "from part{part} import *");
            }
        }
        let bases: BTreeSet<usize> = (0..below(3)).filter(|_| class > 0).map(|_| below(class)).collect();
        let bases: Vec<String> = bases.iter().rev().map(|base| format!("C{base}")).collect();
        let indent = if below(8) == 0 { "    " } else { "" };
        if !indent.is_empty() {
            let _ = writeln!(text, "def made{class}():");
        }
        let _ = writeln!(text, "{indent}class C{class}({}):", bases.join(", "));
        for (rarity, name) in NAMES.iter().enumerate() {
            if below(10) < [9, 4, 1, 1][rarity] {
                let _ = writeln!(text, "{indent}    def {name}(self):\n{indent}        return {class}");
            }
        }
        let _ = writeln!(text, "{indent}    number = {class}");
    }
    text
}

#[test]
fn a_member_overrides_exactly_those_that_it_is_an_override_of() {
    let mut seed = 7_u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut pairs = [0; NAMES.len()];
    for tree in 0..10 {
        let ledger = MemoryLedger::new(&random_tree(&mut below));
        let at = ledger.head();
        let source = at.source();
        let graph = Graph::new(&source);
        let symbols = all_symbols(&at, &source);
        for base in &symbols {
            // Found from below: each member of the tree tells what it overrides.
            let over = |id: SymbolId| graph.overridden(id).unwrap().contains(&base.id);
            let mut expected: Vec<SymbolId> =
                symbols.iter().map(|sym| sym.id).filter(|id| over(*id)).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(*graph.overriding(base.id).unwrap(), *expected, "tree {tree}: {}", base.qualified());
            if let Some(name) = NAMES.iter().position(|name| *name == base.name()) {
                pairs[name] += expected.len();
            }
        }
    }
    assert!(pairs.iter().all(|count| *count > 5), "{pairs:?}");
}
