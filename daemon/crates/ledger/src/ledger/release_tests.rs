//! A store that closes its environment and opens it again is the same to all who use it.

use std::thread;

use sdl_model::{Cause, SymbolId};

use super::check_tests::support::{self, dump, fill, folder, load, no_findings, open, sample, small, soon};
use crate::{FilePostings, Ledger, Posting, Release, View as _};

/// As `Ledger::release_pages`, whatever was written before.
fn release(ledger: &Ledger) -> Release {
    ledger.env.claim_much();
    ledger.release_pages().unwrap()
}

#[test]
fn many_rows_in_one_transaction_are_given_back_once() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(3)).unwrap();
    assert_eq!(ledger.release_pages().unwrap(), Release::Unneeded, "little was written");
    let word = |number: u64| Posting {
        term: format!("word{number}").into(),
        symbol: SymbolId(number),
        impact: 1,
        flags: 0,
    };
    let words: FilePostings = (0..5_000).map(word).collect();
    let none = FilePostings::default();
    for (was, is) in [(&none, &words), (&words, &none)] {
        ledger.write(Cause::Watch, None, 5, |batch| batch.set_postings(was, is)).unwrap();
        let before = dump(&ledger);
        assert_eq!(ledger.release_pages().unwrap(), Release::Done);
        assert_eq!(ledger.release_pages().unwrap(), Release::Unneeded, "there is nothing more");
        assert_eq!(dump(&ledger), before);
    }
    no_findings(&ledger);
}

#[test]
fn a_ledger_goes_on_as_if_nothing_had_happened() {
    let (dir, other) = (folder(), folder());
    let (ledger, plain) = (open(dir.path(), &small()), open(other.path(), &small()));
    let mut before = support::Tree::new();
    for files in [1, 5, 3, 12, 2, 9] {
        let after = sample(files);
        for ledger in [&ledger, &plain] {
            ledger.write(Cause::Watch, None, 5, |batch| fill(batch, &before, &after)).unwrap();
        }
        assert_eq!(release(&ledger), Release::Done);
        assert_eq!(dump(&ledger), dump(&plain));
        no_findings(&ledger);
        before = after;
    }
    // A large change fills the other generation of tables.
    for ledger in [&ledger, &plain] {
        support::leap(ledger, &before, &sample(11), true).unwrap();
    }
    assert_eq!(release(&ledger), Release::Done);
    assert_eq!(dump(&ledger), dump(&plain));
    drop(ledger);
    assert_eq!(dump(&open(dir.path(), &small())), dump(&plain));
}

#[test]
fn readers_are_not_disturbed() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(3)).unwrap();
    ledger
        .read(soon(), |_| {
            assert_eq!(release(&ledger), Release::Postponed, "this thread reads");
            let by_another = thread::scope(|scope| scope.spawn(|| release(&ledger)).join().unwrap());
            assert_eq!(by_another, Release::Postponed, "another reads");
            Ok(())
        })
        .unwrap();
    assert_eq!(ledger.release_pages().unwrap(), Release::Done, "it was only postponed");
    thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..200 {
                        ledger.read(soon(), |view| view.counters().map(drop)).unwrap();
                    }
                })
            })
            .collect();
        while readers.iter().any(|reader| !reader.is_finished()) {
            release(&ledger);
        }
    });
    no_findings(&ledger);
}
