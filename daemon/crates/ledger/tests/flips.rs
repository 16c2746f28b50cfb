//! Flipped bits in stored files: a read returns the written data, or an error that says damage.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use sdl_ledger::{DumpOptions, FactsStore, How, Ledger, Result, Snapshot, View, encode_facts};
use sdl_model::{FactsKey, FileId, SymbolId};
use support::{Node, Spec, Tree, facts, facts_key, folder, load, open, sample, small, soon, step};

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn tree_after(n: u64) -> Tree {
    let mut tree = sample(8);
    for i in 0..n {
        let number = (i % 5) as u8;
        let defs = vec![(number, vec![(i % 7) as u8, 1]), ((i % 9) as u8, vec![2; 9])];
        let spec =
            Spec { package: Some((i % 3) as u8), defs, imports: vec![(i % 4) as u8], padding: i as u8 };
        tree.insert(number, Node::Code(spec));
    }
    tree
}

/// Flips bits of `data.mdb`, anywhere after the pages that name the others.
fn flip(data: &Path, bits: u64, dice: &mut Dice) {
    let mut bytes = fs::read(data).unwrap();
    for _ in 0..bits {
        let at = 8_192 + dice.below(bytes.len() as u64 - 8_192) as usize;
        bytes[at] ^= 1 << dice.below(8);
    }
    fs::write(data, bytes).unwrap();
}

/// Every answer that a reader can ask for, each by itself.
fn answers(view: &Snapshot<'_>, ids: &[(FileId, Vec<SymbolId>)], terms: &[String]) -> Vec<Result<String>> {
    let mut told = Vec::new();
    let mut tell = |answer: Result<String>| told.push(answer);
    for (file, symbols) in ids {
        tell(view.file(*file).map(|row| format!("{row:?}")));
        tell(view.symbols_of(*file).map(|symbols| format!("{symbols:?}")));
        tell(view.resolution_of(*file).map(|counts| format!("{counts:?}")));
        for symbol in symbols {
            tell(view.symbol_home(*symbol).map(|home| format!("{home:?}")));
            tell(view.out_edges(*symbol).map(|edges| format!("{edges:?}")));
            tell(view.in_edges(*symbol, usize::MAX).map(|edges| format!("{edges:?}")));
            tell(view.fan_in(*symbol).map(|count| count.to_string()));
        }
    }
    let mut some_symbols: Vec<SymbolId> =
        ids.iter().flat_map(|(_, symbols)| symbols).step_by(3).copied().collect();
    some_symbols.sort_unstable();
    for term in terms {
        let mut hits = Vec::new();
        let read = view.postings(term, &mut |some| {
            hits.extend_from_slice(some);
            ControlFlow::Continue(())
        });
        tell(read.map(|()| format!("{hits:?}")));
        let mut among = Vec::new();
        let read = view.postings_among(term, &some_symbols, &mut |hit| among.push(hit));
        tell(read.map(|()| format!("{among:?}")));
        tell(view.term_count(term).map(|count| count.to_string()));
    }
    for n in 0..12 {
        tell(view.named(&support::name(n)).map(|named| format!("{named:?}")));
    }
    let mut paths = Vec::new();
    let listed = view.files_under("", &mut |_, path| {
        paths.push(path.to_owned());
        ControlFlow::Continue(())
    });
    tell(listed.map(|()| format!("{paths:?}")));
    tell(view.counters().map(|counters| format!("{counters:?}")));
    tell(
        view.floor().map_or(Ok(String::new()), |floor| {
            view.changes_since(floor).map(|changes| format!("{changes:?}"))
        }),
    );
    told
}

fn everything(
    ledger: &Ledger,
    ids: &[(FileId, Vec<SymbolId>)],
    terms: &[String],
) -> Result<Vec<Result<String>>> {
    ledger.read(soon(), |view| Ok(answers(view, ids, terms)))
}

#[test]
fn a_ledger_with_flipped_bits_answers_right_or_not_at_all() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &tree_after(0)).unwrap();
    for n in 0..12 {
        step(&ledger, &tree_after(n), &tree_after(n + 1)).unwrap();
    }
    let mut ids = Vec::new();
    let mut terms = Vec::new();
    ledger
        .read(soon(), |view| {
            let mut files = Vec::new();
            view.files_under("", &mut |file, _| {
                files.push(file);
                ControlFlow::Continue(())
            })?;
            for file in files {
                ids.push((file, view.symbols_of(file)?));
            }
            view.terms("", &mut |term| {
                terms.push(term.to_owned());
                ControlFlow::Continue(())
            })
        })
        .unwrap();
    let head = ledger.head();
    let right: Vec<String> =
        everything(&ledger, &ids, &terms).unwrap().into_iter().map(Result::unwrap).collect();
    drop(ledger);

    let sound = fs::read(dir.path().join("data.mdb")).unwrap();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut rebuilt, mut refused) = (0, 0);
    for round in 0..300 {
        let copy = folder();
        let data = copy.path().join("data.mdb");
        fs::write(&data, &sound).unwrap();
        flip(&data, [1, 4, 20][round % 3], &mut dice);
        let opened = Ledger::open(copy.path(), &small()).unwrap();
        if matches!(opened.how, How::Rebuilt { .. }) {
            rebuilt += 1;
            continue;
        }
        assert_eq!(opened.ledger.head(), head, "round {round}");
        let answers = match everything(&opened.ledger, &ids, &terms) {
            Ok(answers) => answers,
            Err(error) => vec![Err(error)],
        };
        let mut damage = 0;
        for (answer, right) in answers.iter().zip(&right) {
            match answer {
                Ok(answer) => assert_eq!(answer, right, "round {round}"),
                Err(error) => {
                    assert!(error.is_damage(), "round {round}: {error}");
                    damage += 1;
                }
            }
        }
        refused += u32::from(damage > 0);
        // A reader of all rows gets an error too.
        let dumped = opened.ledger.dump(&mut std::io::sink(), DumpOptions::ALL);
        assert!(damage == 0 || dumped.is_err() || opened.ledger.check().is_err(), "round {round}");
    }
    assert!(rebuilt > 20 && refused > 20, "{rebuilt} rebuilt, {refused} refused: the test flips nothing");
}

#[test]
fn facts_with_flipped_bits_are_right_or_missing_and_can_be_stored_again() {
    let dir = folder();
    let specs: Vec<Spec> = (0..120)
        .map(|n| Spec {
            package: Some(n),
            defs: vec![(n % 9, vec![1; usize::from(n)])],
            imports: vec![],
            padding: n,
        })
        .collect();
    let rows: Vec<(FactsKey, _)> = specs.iter().map(|spec| (facts_key(spec), facts(spec))).collect();
    let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
    store.put_many(&rows.iter().map(|(key, facts)| (*key, facts)).collect::<Vec<_>>()).unwrap();
    drop(store);
    let sound = fs::read(dir.path().join("data.mdb")).unwrap();
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let (mut rebuilt, mut damaged) = (0, 0);
    for round in 0..120 {
        let copy = folder();
        let data = copy.path().join("data.mdb");
        fs::write(&data, &sound).unwrap();
        flip(&data, [1, 4, 20][round % 3], &mut dice);
        let (store, how) = FactsStore::open(copy.path(), &small()).unwrap();
        rebuilt += u32::from(matches!(how, How::Rebuilt { .. }));
        for (key, facts) in &rows {
            assert!(
                store.agrees(key, &encode_facts(facts).unwrap()).unwrap(),
                "round {round}: nothing sound is wrong"
            );
            let read = store.sound_facts(key).unwrap();
            assert_eq!(read.is_some(), store.is_sound(key).unwrap(), "round {round}");
            match read {
                Some(read) => assert_eq!(read, *facts, "round {round}"),
                None => {
                    damaged += 1;
                    assert_eq!(store.put_many(&[(*key, facts)]).unwrap(), 1, "round {round}");
                    assert_eq!(store.facts(key).unwrap().as_ref(), Some(facts), "round {round}");
                }
            }
        }
    }
    assert!(rebuilt < 100 && damaged > 100, "{rebuilt} rebuilt, {damaged} damaged");
}

#[test]
fn a_flipped_name_in_facts_is_damage_to_a_reader() {
    let dir = folder();
    let spec = Spec { package: None, defs: vec![(3, vec![1])], imports: vec![], padding: 0 };
    let (key, facts) = (facts_key(&spec), facts(&spec));
    let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
    store.put_many(&[(key, &facts)]).unwrap();
    drop(store);
    let data = dir.path().join("data.mdb");
    let mut bytes = fs::read(&data).unwrap();
    let name = support::name(3).into_bytes();
    let places: Vec<usize> =
        bytes.windows(name.len()).enumerate().filter(|(_, at)| *at == name).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 1;
    }
    fs::write(&data, bytes).unwrap();
    let (store, how) = FactsStore::open(dir.path(), &small()).unwrap();
    assert_eq!(how, How::Existing);
    assert!(store.outline(&key).is_err_and(|error| error.is_damage()));
    assert!(store.briefs(&key).is_err_and(|error| error.is_damage()));
    assert!(!store.has(&key).unwrap() && !store.is_sound(&key).unwrap());
    assert_eq!(store.put_many(&[(key, &facts)]).unwrap(), 1, "it is replaced");
    assert_eq!(store.facts(&key).unwrap(), Some(facts));
}
