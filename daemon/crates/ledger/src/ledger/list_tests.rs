//! Keys with many values: they must be those of a sorted set, however they came and went.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::Ledger;
use crate::Options;
use crate::codec::{LONG_TEXT, POSTING_ITEM};
use crate::env::Reads;

type Item = [u8; POSTING_ITEM];
type Lists = BTreeMap<Vec<u8>, BTreeSet<Item>>;

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One of 600 values. Some of their ids are equal.
    fn item(&mut self) -> Item {
        let number = self.next() % 600;
        let mut item = [0; POSTING_ITEM];
        item[..8].copy_from_slice(&((number / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes());
        item[8..].copy_from_slice(&(number as u32 % 5).to_be_bytes()[1..]);
        item
    }
}

fn keys() -> Vec<Vec<u8>> {
    let long = "x".repeat(LONG_TEXT);
    let longer = [long.as_bytes(), &[0, 1], &[0; 8]].concat();
    ["a", "ab", "b", &long].iter().map(|key| key.as_bytes().to_vec()).chain([vec![0], longer]).collect()
}

fn open(dir: &std::path::Path) -> Ledger {
    Ledger::open(dir, &Options { map_size: 1 << 20, ..Options::default() }).unwrap().ledger
}

/// Compares every way to read the table with the sets.
fn compare(reads: &impl Reads, ledger: &Ledger, lists: &Lists, dice: &mut Dice) {
    let table = ledger.shared().postings;
    for key in keys() {
        let wanted: Vec<Item> = lists.get(&key).into_iter().flatten().copied().collect();
        let mut read = Vec::new();
        reads
            .items(table, &key, &mut |items| {
                read.extend_from_slice(items.as_chunks().0);
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(read, wanted);
        assert_eq!(reads.count(table, &key).unwrap(), wanted.len() as u64);
        let item = dice.item();
        assert_eq!(reads.has_item(table, &key, &item).unwrap(), wanted.contains(&item));
        compare_by_id(reads, ledger, (&key, &wanted), dice);
    }
    let filled = || lists.iter().filter(|(_, items)| !items.is_empty());
    let mut scanned = Lists::new();
    reads
        .scan(table, &[], &mut |key, item| {
            assert!(scanned.entry(key.to_vec()).or_default().insert(item.try_into().unwrap()));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert!(scanned.iter().eq(filled()));
    let mut seen = Vec::new();
    reads
        .keys(table, b"ab", &mut |key| {
            seen.push(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert!(seen.iter().eq(filled().map(|(key, _)| key).filter(|key| key[..] >= b"ab"[..])));
}

/// Looks up a few ids, or most of those that there are.
fn compare_by_id(reads: &impl Reads, ledger: &Ledger, (key, items): (&[u8], &[Item]), dice: &mut Dice) {
    let looked_up = [1, 20, 400][(dice.next() % 3) as usize];
    let id_of = |item: &Item| item.first_chunk().map_or(0, |id| u64::from_be_bytes(*id));
    let ids: BTreeSet<u64> = (0..looked_up).map(|_| id_of(&dice.item())).collect();
    let ids: Vec<u64> = ids.into_iter().collect();
    let greatest = |id: &u64| items.iter().rfind(|item| id_of(item) == *id).copied();
    let wanted: Vec<Item> = ids.iter().filter_map(greatest).collect();
    let mut read = Vec::new();
    reads
        .items_of(ledger.shared().postings, key, &ids, &mut |item| {
            read.push(Item::try_from(item).unwrap());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(read, wanted);
}

#[test]
fn lists_are_sorted_sets_however_they_came_and_went() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = open(dir.path());
    let table = ledger.shared().postings;
    let (mut dice, mut lists) = (Dice(0x1234_5678_9abc_def1), Lists::new());
    for round in 0..24 {
        // Grows for a time, then shrinks to nothing.
        let adds = [9, 5, 1][round / 8];
        let mut txn = ledger.env.write().unwrap();
        for _ in 0..400 {
            let key = keys().swap_remove(dice.next() as usize % 6);
            let list = lists.entry(key.clone()).or_default();
            if dice.next() % 10 < adds {
                let item = dice.item();
                txn.put(table, &key, &item).unwrap();
                list.insert(item);
            } else {
                let first = list.iter().nth(dice.next() as usize % list.len().max(1)).copied();
                let item = first.unwrap_or_else(|| dice.item());
                assert_eq!(txn.delete_item(table, &key, &item).unwrap(), list.remove(&item));
            }
        }
        compare(&txn, &ledger, &lists, &mut dice);
        txn.commit().unwrap();
        compare(&ledger.env.read(None).unwrap(), &ledger, &lists, &mut dice);
    }
    let mut txn = ledger.env.write().unwrap();
    for key in keys() {
        assert_eq!(txn.delete(table, &key).unwrap(), lists.get(&key).is_some_and(|list| !list.is_empty()));
        while let Some(item) = lists.get_mut(&key).and_then(BTreeSet::pop_first) {
            assert!(!txn.delete_item(table, &key, &item).unwrap());
        }
    }
    assert_eq!(txn.entries(table).unwrap(), 0);
}

#[test]
fn changes_made_together_equal_those_made_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = open(dir.path());
    let table = ledger.shared().postings;
    let (mut dice, mut lists) = (Dice(0x7777_5678_9abc_def1), Lists::new());
    for round in 0..90 {
        let mut txn = ledger.env.write().unwrap();
        let key = keys().swap_remove(dice.next() as usize % 6);
        let list = lists.entry(key.clone()).or_default();
        // Few or many, mostly added or mostly removed.
        let (count, adds) = ([1, 12, 700][round % 3], dice.next() % 11);
        let changes: BTreeMap<Item, bool> =
            (0..count).map(|_| (dice.item(), dice.next() % 10 < adds)).collect();
        let mut is_changed = false;
        for (item, is_kept) in &changes {
            is_changed |= if *is_kept { list.insert(*item) } else { list.remove(item) };
        }
        let changes: Vec<_> = changes.iter().map(|(item, is_kept)| (&item[..], *is_kept)).collect();
        assert_eq!(txn.change_items(table, &key, &changes).unwrap(), is_changed);
        if round % 10 == 9 {
            let all: Vec<_> = list.iter().map(|item| (&item[..], false)).collect();
            assert_eq!(txn.change_items(table, &key, &all).unwrap(), !all.is_empty());
            list.clear();
        }
        compare(&txn, &ledger, &lists, &mut dice);
        txn.commit().unwrap();
    }
    let mut txn = ledger.env.write().unwrap();
    let item = dice.item();
    for wrong in [[(&item[..], true); 2], [(&item[..4], true), (&item[..], true)]] {
        assert!(txn.change_items(table, b"a", &wrong).is_err());
    }
}

#[test]
fn appended_lists_equal_added_ones() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = open(dir.path());
    let table = ledger.shared().postings;
    let mut dice = Dice(0x9999_5678_9abc_def1);
    let mut keys = keys();
    keys.sort();
    let mut lists = Lists::new();
    let mut txn = ledger.env.write().unwrap();
    for (key, count) in keys.into_iter().zip([1, 500, 300, 119, 120, 121]) {
        let items: BTreeSet<Item> = (0..count).map(|_| dice.item()).collect();
        let flat: Vec<u8> = items.iter().flatten().copied().collect();
        txn.append_items(table, &key, &flat).unwrap();
        lists.insert(key, items);
    }
    compare(&txn, &ledger, &lists, &mut dice);
    assert!(txn.append_items(table, b"z", &[1; 13]).is_err());
    txn.commit().unwrap();
    compare(&ledger.env.read(None).unwrap(), &ledger, &lists, &mut dice);
}
