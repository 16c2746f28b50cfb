//! Rows that travel: a ledger and facts made of them equal their source, and no bytes from outside do harm.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::path::Path;

use proptest::prelude::*;
use sdl_ledger::{DumpOptions, FactsStore, FilePostings, Intake, Ledger, Options, TermHit, View as _};
use sdl_model::{Cause, Facts, FactsKey, SymbolId};
use support::{
    Node, Spec, Tree, dump, facts, facts_key, folder, load, no_findings, open, sample, small, soon, step,
};

fn export(ledger: &Ledger) -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    let mut sink = |chunk: &[u8]| {
        chunks.push(chunk.to_vec());
        Ok(())
    };
    ledger.read(soon(), |view| view.export_rows(&mut sink)).unwrap();
    chunks
}

fn import(dir: &Path, chunks: &[Vec<u8>]) -> sdl_ledger::Result<Ledger> {
    let mut intake = Intake::begin(dir, &small())?;
    chunks.iter().try_for_each(|chunk| intake.add_chunk(chunk))?;
    intake.finish()
}

fn inherited(dir: &Path, source: &Ledger) -> Ledger {
    Ledger::open(dir, &small()).unwrap().inherit(source, &small()).unwrap().ledger
}

fn hidden_dump(ledger: &Ledger) -> String {
    let mut out = Vec::new();
    ledger.read_inherited(|view| view.dump(&mut out, DumpOptions::ALL)).unwrap();
    String::from_utf8(out).unwrap()
}

/// Facts of a tree, stored and exported.
fn exported_facts(dir: &Path, tree: &Tree) -> (FactsStore, Vec<FactsKey>, Vec<u8>) {
    let store = FactsStore::open(dir, &Options::default()).unwrap().0;
    let specs: Vec<&Spec> = tree
        .values()
        .filter_map(|node| match node {
            Node::Code(spec) => Some(spec),
            _ => None,
        })
        .collect();
    let made: Vec<(FactsKey, Facts)> = specs.iter().map(|spec| (facts_key(spec), facts(spec))).collect();
    store.put_many(&made.iter().map(|(key, facts)| (*key, facts)).collect::<Vec<_>>()).unwrap();
    let mut keys: Vec<FactsKey> = made.iter().map(|(key, _)| *key).collect();
    keys.sort_by_key(|key| key.to_bytes());
    keys.dedup();
    let mut bytes = Vec::new();
    let mut sink = |chunk: &[u8]| {
        bytes.extend_from_slice(chunk);
        Ok(())
    };
    assert_eq!(store.export_facts(&keys, &mut sink).unwrap(), keys.len() as u64);
    (store, keys, bytes)
}

#[test]
fn a_ledger_of_rows_equals_its_source_and_is_one_to_inherit_from() {
    let (one, other, third) = (folder(), folder(), folder());
    let source = open(one.path(), &small());
    let (first, mut last) = (sample(5), sample(9));
    last.insert(13, Node::Skipped);
    last.insert(14, Node::Failed(3));
    load(&source, &first).unwrap();
    step(&source, &first, &last).unwrap();
    let made = import(other.path(), &export(&source)).unwrap();
    assert_eq!(dump(&made), dump(&source));
    let counters = |ledger: &Ledger| ledger.read(soon(), |view| view.counters()).unwrap();
    assert_eq!(counters(&made), counters(&source), "totals are counted again");

    let heir = inherited(third.path(), &made);
    assert!(heir.is_inherited() && heir.head().is_none());
    assert_eq!(hidden_dump(&heir), dump(&source));
    step(&heir, &last, &sample(7)).unwrap().unwrap();
    no_findings(&heir);
    let from_scratch = folder();
    let fresh = open(from_scratch.path(), &small());
    load(&fresh, &sample(7)).unwrap();
    assert_eq!(dump(&heir), dump(&fresh));
}

#[test]
fn the_same_content_gives_the_same_chunks_whatever_its_history() {
    let (one, other) = (folder(), folder());
    let (grown, loaded) = (open(one.path(), &small()), open(other.path(), &small()));
    load(&grown, &sample(3)).unwrap();
    step(&grown, &sample(3), &sample(9)).unwrap();
    load(&loaded, &sample(9)).unwrap();
    assert_eq!(export(&grown), export(&loaded));
    assert_eq!(
        export(&open(folder().path(), &small())),
        Vec::<Vec<u8>>::new(),
        "without a version there is nothing"
    );
}

#[test]
fn a_key_with_very_many_items_travels_in_several_rows() {
    let (one, other) = (folder(), folder());
    let source = open(one.path(), &small());
    let many =
        Spec { package: None, defs: (0..300).map(|_| (7, vec![])).collect(), imports: vec![], padding: 0 };
    let tree: Tree = (0..20).map(|number| (number, Node::Code(many.clone()))).collect();
    load(&source, &tree).unwrap();
    let items = source.read(soon(), |view| view.term_count("every")).unwrap();
    assert!(items * 12 > 64 << 10, "{items} items are in one row");
    assert_eq!(dump(&import(other.path(), &export(&source)).unwrap()), dump(&source));
}

#[test]
fn rows_out_of_order_and_of_other_tables_are_refused() {
    let one = folder();
    let source = open(one.path(), &small());
    load(&source, &sample(9)).unwrap();
    let chunks = export(&source);
    let chunk = chunks.concat();
    let twice = [chunk.clone(), chunk.clone()];
    assert!(import(folder().path(), &twice).err().unwrap().to_string().contains("not in order"));
    let mut other = chunk.clone();
    other[0] = 63;
    assert!(import(folder().path(), &[other]).err().unwrap().to_string().contains("table 63"));
    let large = vec![0; sdl_ledger::MAX_CHUNK_BYTES + 1];
    assert!(import(folder().path(), &[large]).err().unwrap().to_string().contains("too large"));
}

#[test]
fn facts_arrive_once_and_never_replace_those_that_are_there() {
    let (one, other) = (folder(), folder());
    let (_, keys, bytes) = exported_facts(one.path(), &sample(9));
    let store = FactsStore::open(other.path(), &Options::default()).unwrap().0;
    // Other facts for the same content, as if they had been extracted here.
    let own = facts(&Spec { package: None, defs: vec![], imports: vec![], padding: 1 });
    store.put_many(&[(keys[0], &own)]).unwrap();
    assert_eq!(store.import_facts(&bytes).unwrap(), keys);
    assert_eq!(store.facts(&keys[0]).unwrap().unwrap(), own);
    for key in &keys[1..] {
        assert!(store.is_sound(key).unwrap());
    }
    assert_eq!(store.import_facts(&bytes).unwrap(), keys);
    assert_eq!(store.stats().unwrap().facts, keys.len() as u64);
}

#[test]
fn a_list_longer_than_a_row_arrives_whole() {
    let (one, other) = (folder(), folder());
    let source = open(one.path(), &Options::default());
    let mut bulk = source.bulk().unwrap();
    bulk.files_done().unwrap();
    // The last term is longest, so nothing comes after it.
    let terms = ["few", "many", "most"].map(Box::from).to_vec();
    let hit = |n: u64| {
        let symbol = SymbolId(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        ((n % 16).min(2) as u32, TermHit { symbol, impact: (n % 3) as u8, flags: 0 })
    };
    bulk.add_postings(&FilePostings { terms, hits: (0..250_000).map(hit).collect() }).unwrap();
    bulk.finish(Cause::FirstIndex, None, 5).unwrap();
    let chunks = export(&source);
    assert!(chunks.len() > 1, "a list goes on in another chunk");
    let made = import(other.path(), &chunks).unwrap();
    assert_eq!(dump(&made), dump(&source));
}

#[test]
fn facts_travel_in_chunks_of_which_an_edit_changes_few() {
    let dir = folder();
    let store = FactsStore::open(dir.path(), &Options::default()).unwrap().0;
    let made: Vec<(FactsKey, Facts)> = (0..3_000_u32)
        .map(|n| {
            let number = |i: u32| (n.wrapping_mul(2_654_435_761).rotate_left(i) % 251) as u8;
            let defs = (0..12).map(|i| (number(i), vec![number(i + 12)])).collect();
            let spec = Spec { package: None, defs, imports: vec![number(30)], padding: n as u8 };
            (facts_key(&spec), facts(&spec))
        })
        .collect();
    store.put_many(&made.iter().map(|(key, facts)| (*key, facts)).collect::<Vec<_>>()).unwrap();
    let mut keys: Vec<FactsKey> = made.iter().map(|(key, _)| *key).collect();
    keys.sort_by_key(|key| key.to_bytes());
    keys.dedup();
    let chunks_of = |keys: &[FactsKey]| {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        let given = store.export_facts(keys, &mut |chunk| {
            chunks.push(chunk.to_vec());
            Ok(())
        });
        assert_eq!(given.unwrap(), keys.len() as u64);
        chunks
    };
    let before = chunks_of(&keys);
    assert!(before.len() > 3, "{}", before.len());
    keys.remove(keys.len() / 2);
    let new = chunks_of(&keys).into_iter().filter(|chunk| !before.contains(chunk)).count();
    assert!(new <= 2, "{new} of {}", before.len());
}

/// A change of bytes: cut there, flip a bit there, or overwrite from there.
#[derive(Clone, Debug)]
enum Harm {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Write(prop::sample::Index, Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Harm::Cut),
        (at(), 0_u8..8).prop_map(|(at, bit)| Harm::Flip(at, bit)),
        (at(), proptest::collection::vec(any::<u8>(), 1..40)).prop_map(|(at, bytes)| Harm::Write(at, bytes)),
    ]
}

fn harmed(bytes: &[u8], harm: &Harm) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // An earlier cut may have left no place to harm.
    if bytes.is_empty() {
        return bytes;
    }
    match harm {
        Harm::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Harm::Flip(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        Harm::Write(at, new) => {
            let at = at.index(bytes.len());
            for (old, new) in bytes[at..].iter_mut().zip(new) {
                *old = *new;
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Hashes keep such chunks out. This is about those who can write to a store.
    #[test]
    fn harmed_rows_are_an_error_or_a_ledger_that_can_be_read(harms in proptest::collection::vec(harm(), 1..4)) {
        let (one, other) = (folder(), folder());
        let source = open(one.path(), &small());
        load(&source, &sample(4)).unwrap();
        let bytes = harms.iter().fold(export(&source).concat(), |bytes, harm| harmed(&bytes, harm));
        if let Ok(made) = import(other.path(), &[bytes]) {
            let _ = made.check();
            let _ = made.dump(&mut Vec::new(), DumpOptions::ALL);
        }
    }

    #[test]
    fn harmed_facts_are_an_error_or_sound(harms in proptest::collection::vec(harm(), 1..4)) {
        let (one, other) = (folder(), folder());
        let (_, _, bytes) = exported_facts(one.path(), &sample(4));
        let bytes = harms.iter().fold(bytes, |bytes, harm| harmed(&bytes, harm));
        let store = FactsStore::open(other.path(), &Options::default()).unwrap().0;
        if let Ok(keys) = store.import_facts(&bytes) {
            for key in keys {
                prop_assert!(store.is_sound(&key).unwrap());
            }
        }
    }

    #[test]
    fn any_bytes_are_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (one, other) = (folder(), folder());
        let _ = import(one.path(), std::slice::from_ref(&bytes));
        let _ = FactsStore::open(other.path(), &Options::default()).unwrap().0.import_facts(&bytes);
    }
}
