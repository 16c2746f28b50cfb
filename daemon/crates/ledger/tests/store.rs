//! The guarantees of the stores when nothing goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod support;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use sdl_ledger::{
    Briefs, Error, FactsStore, FilePostings, FileUpdate, How, Lease, Ledger, Named, Options, Posting,
    Retention, TermHit, View, encode_facts,
};
use sdl_model::{Cause, FactsKey, FileId, RelPath, StatHint, SymbolId, Version};
use support::{Node, Spec, Tree, dump, folder, load, no_findings, open, sample, small, soon, step};

fn spec(n: u8) -> Spec {
    Spec { package: Some(n), defs: vec![(n, vec![1; 30])], imports: vec![], padding: 0 }
}

fn fill(store: &FactsStore, numbers: impl IntoIterator<Item = u8>) -> Vec<FactsKey> {
    let facts: Vec<_> =
        numbers.into_iter().map(spec).map(|s| (support::facts_key(&s), support::facts(&s))).collect();
    store.put_many(&facts.iter().map(|(key, facts)| (*key, facts)).collect::<Vec<_>>()).unwrap();
    facts.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn facts_are_stored_once_and_read_in_halves() {
    let dir = folder();
    let (store, how) = FactsStore::open(dir.path(), &small()).unwrap();
    assert_eq!(how, How::Created);
    let facts = support::facts(&spec(1));
    let key = support::facts_key(&spec(1));
    assert!(!store.has(&key).unwrap() && store.outline(&key).unwrap().is_none());
    let encoded = encode_facts(&facts).unwrap();
    assert_eq!(store.put_encoded(&[(key, encoded.clone())]).unwrap(), 1);
    assert_eq!(store.put_encoded(&[(key, encoded)]).unwrap(), 0, "content-addressed");
    assert!(store.has(&key).unwrap());
    assert_eq!(*store.outline(&key).unwrap().unwrap(), facts.outline);
    assert_eq!(store.body(&key).unwrap().unwrap(), facts.body);
    let briefs = store.briefs(&key).unwrap().unwrap();
    for def in &facts.outline.defs {
        let brief = briefs.find(|of| of == def.key).unwrap().unwrap();
        let told = (brief.name.as_str(), brief.qualified.as_str(), brief.kind, brief.flags, brief.line);
        let (name, qualified) = (facts.outline.str(def.name), facts.outline.str(def.qualified));
        assert_eq!(told, (name, qualified, def.kind, def.flags, def.line));
    }
    assert_eq!(briefs.find(|_| false).unwrap(), None);
    let other = support::facts_key(&spec(2));
    store.mark_failed(&other, "ran out of time").unwrap();
    assert_eq!(store.failed(&other).unwrap().as_deref(), Some("ran out of time"));
    assert_eq!(store.failed(&key).unwrap(), None);
    drop(store);
    let (store, how) = FactsStore::open(dir.path(), &small()).unwrap();
    assert_eq!(how, How::Existing);
    assert_eq!(*store.outline(&key).unwrap().unwrap(), facts.outline);
    let stats = store.stats().unwrap();
    assert_eq!((stats.facts, stats.failed), (1, 1));
}

#[test]
fn decoded_outlines_stay_within_their_bytes() {
    let dir = folder();
    let options = Options { cache_bytes: 40_000, ..small() };
    let (store, _) = FactsStore::open(dir.path(), &options).unwrap();
    let keys = fill(&store, 0..200);
    for key in keys.iter().chain(&keys) {
        store.outline(key).unwrap().unwrap();
        assert!(store.stats().unwrap().cached_bytes <= 40_000);
    }
    let stats = store.stats().unwrap();
    assert!(stats.cached > 10, "{stats:?}");
    let held = store.outline(&keys[199]).unwrap().unwrap();
    assert!(Arc::ptr_eq(&held, &store.outline(&keys[199]).unwrap().unwrap()), "kept decoded");
    let cached = || {
        keys.iter().for_each(|key| drop(store.outline(key).unwrap()));
        store.stats().unwrap().cached
    };
    let wide = store.widen_cache(40_000_000);
    assert_eq!(cached(), keys.len());
    let wider = store.widen_cache(80_000_000);
    drop(wide);
    assert_eq!(cached(), keys.len(), "somebody else still needs them");
    drop(wider);
    assert!(store.stats().unwrap().cached_bytes <= 40_000);
    store.set_cache_bytes(0);
    assert_eq!(cached(), 0);
}

#[test]
fn a_cache_that_two_threads_empty_at_once_takes_facts_as_before() {
    let dir = folder();
    let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
    let keys = fill(&store, 0..=1);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..5_000).for_each(|_| store.forget_decoded()));
        }
    });
    for key in &keys {
        store.outline(key).unwrap().unwrap();
    }
    assert_eq!(store.stats().unwrap().cached, keys.len());
}

#[test]
fn facts_that_are_stored_in_place_of_others_are_the_ones_that_are_read() {
    let dir = folder();
    let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
    let key = support::facts_key(&spec(1));
    for n in [1, 2] {
        let facts = support::facts(&spec(n));
        assert_eq!(store.put_many(&[(key, &facts)]).unwrap(), 1);
        for _ in 0..2 {
            assert_eq!(*store.outline(&key).unwrap().unwrap(), facts.outline);
            assert_eq!(store.briefs(&key).unwrap().unwrap(), Briefs::of(&facts.outline));
        }
    }
    store.forget_decoded();
    assert_eq!(store.briefs(&key).unwrap().unwrap(), Briefs::of(&support::facts(&spec(2)).outline));
    assert_eq!(store.sweep(|| Ok(HashSet::new())).unwrap().removed, 1);
    assert!(store.briefs(&key).unwrap().is_none() && store.outline(&key).unwrap().is_none());
}

#[test]
fn a_sweep_spares_facts_that_are_named_pinned_or_new() {
    let dir = folder();
    let (store, _) = FactsStore::open(dir.path(), &small()).unwrap();
    // More than one transaction's worth.
    let keys = fill(&store, 0..=255);
    let more: Vec<_> = (0..=255_u8)
        .flat_map(|n| (1..4).map(move |padding| Spec { padding, ..spec(n) }))
        .map(|spec| (support::facts_key(&spec), support::facts(&spec)))
        .collect();
    store.put_many(&more.iter().map(|(key, facts)| (*key, facts)).collect::<Vec<_>>()).unwrap();
    store.mark_failed(&keys[9], "no").unwrap();
    let long = store.pin(&keys[..2]);
    let short = store.pin(&keys[2..4]);
    let before = store.pin(&keys[4..6]);
    drop(before);
    let swept = store
        .sweep(|| {
            drop(short);
            fill(&store, [7]);
            Ok(HashSet::from([keys[8]]))
        })
        .unwrap();
    let left: Vec<usize> = (0..keys.len()).filter(|n| store.has(&keys[*n]).unwrap()).collect();
    assert_eq!(left, [0, 1, 2, 3, 7, 8]);
    assert_eq!(store.failed(&keys[9]).unwrap(), None);
    assert_eq!((swept.kept, swept.removed), (6, 1024 - 6 + 1));
    assert!(store.outline(&keys[10]).unwrap().is_none(), "nor is it in memory");
    drop(long);
    assert_eq!(store.sweep(|| Ok(HashSet::new())).unwrap().removed, 6);
}

#[test]
fn a_ledger_is_open_once() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    assert!(matches!(Ledger::open(dir.path(), &small()), Err(Error::InUse { .. })));
    drop(ledger);
    // Another process.
    let lock = std::fs::File::options().write(true).open(dir.path().join("owner.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(Ledger::open(dir.path(), &small()), Err(Error::InUse { .. })));
    drop(lock);
    open(dir.path(), &small());
}

#[test]
fn versions_begin_at_the_creation_and_only_grow() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    assert_eq!(ledger.head(), None);
    assert_eq!(ledger.read(soon(), |view| Ok((view.head(), view.floor()))).unwrap(), (None, None));
    let first = load(&ledger, &sample(3)).unwrap();
    assert_eq!(first, Version(support::CREATED + 1));
    let second = step(&ledger, &sample(3), &sample(4)).unwrap().unwrap();
    assert_eq!(second, first.next());
    let incarnation = ledger.incarnation();
    drop(ledger);
    let ledger = open(dir.path(), &small());
    assert_eq!((ledger.head(), ledger.incarnation()), (Some(second), incarnation));
    ledger
        .read(soon(), |view| {
            let mut rows = Vec::new();
            view.versions(.., &mut |row| {
                rows.push((row.version, row.parent, row.changes.len()));
                ControlFlow::Continue(())
            })?;
            assert_eq!(rows[0], (first, None, 0), "everything is new");
            assert_eq!((rows[1].0, rows[1].1), (second, Some(first)));
            assert!(rows[1].2 > 0);
            Ok(())
        })
        .unwrap();
    // A load over it begins again, with a greater number.
    let third = load(&ledger, &sample(4)).unwrap();
    assert_eq!(third, second.next());
    ledger
        .read(soon(), |view| {
            assert_eq!((view.floor(), view.reaches(second)), (Some(third), false));
            assert!(matches!(view.changes_since(first), Err(Error::NoSuchVersion { .. })));
            Ok(())
        })
        .unwrap();
    let other = folder();
    assert_ne!(open(other.path(), &small()).incarnation(), incarnation);
}

#[test]
fn hints_alone_make_no_version() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(3)).unwrap();
    let head = ledger.head();
    let stat = StatHint { size: 1, mtime_ns: 2, ctime_ns: 3, inode: 4, read_ns: 5 };
    let mut batch = ledger.batch().unwrap();
    batch.set_stat_only(&support::path(1), &stat).unwrap();
    assert_eq!(batch.commit(Cause::Watch, None, 0).unwrap(), None);
    assert_eq!(ledger.head(), head);
    let file = FileId::of(&support::path(1));
    assert_eq!(ledger.read(soon(), |view| view.stat(file)).unwrap(), Some(stat));
}

#[test]
fn a_snapshot_stays_what_it_was_and_nobody_waits() {
    let dir = folder();
    let ledger = open(dir.path(), &Options { map_size: 16 << 20, ..small() });
    load(&ledger, &sample(3)).unwrap();
    let before = dump(&ledger);
    let (started, start) = mpsc::channel();
    let (committed, commit) = mpsc::channel();
    std::thread::scope(|scope| {
        let ledger = &ledger;
        let reader = scope.spawn(move || {
            ledger
                .read(soon(), |view| {
                    started.send(()).unwrap();
                    commit.recv().unwrap();
                    let mut out = Vec::new();
                    view.dump(&mut out, sdl_ledger::DumpOptions::ALL)?;
                    Ok(String::from_utf8(out).unwrap())
                })
                .unwrap()
        });
        start.recv().unwrap();
        step(ledger, &sample(3), &sample(8)).unwrap().unwrap();
        committed.send(()).unwrap();
        assert_eq!(reader.join().unwrap(), before);
    });
    assert_ne!(dump(&ledger), before);
}

#[test]
fn the_map_grows_under_readers() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    let small_map = ledger.stats().unwrap().map_bytes;
    load(&ledger, &sample(10)).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let files = ledger.read(soon(), |view| {
                        let nested = ledger.read(soon(), |view| view.files_named("x.py"))?;
                        Ok((view.files_named("x.py")?, nested))
                    });
                    assert!(!files.unwrap().0.is_empty());
                }
            });
        }
        let mut tree = sample(10);
        for n in 0..60_u8 {
            let mut after = tree.clone();
            let defs = (0..40).map(|d| (d % 9, vec![d % 10, n % 10])).collect();
            after.insert(n % 10, Node::Code(Spec { package: None, defs, imports: vec![], padding: n }));
            step(&ledger, &tree, &after).unwrap();
            tree = after;
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(ledger.stats().unwrap().map_bytes > small_map);
    no_findings(&ledger);
}

#[test]
fn readers_beyond_the_limit_wait_and_late_ones_fail() {
    let dir = folder();
    let ledger = open(dir.path(), &Options { max_readers: 1, ..small() });
    load(&ledger, &sample(2)).unwrap();
    ledger
        .read(soon(), |_| {
            std::thread::scope(|scope| {
                let late = scope.spawn(|| {
                    ledger.read(Instant::now() + Duration::from_millis(5), |view| view.files_named("x.py"))
                });
                assert!(matches!(late.join().unwrap(), Err(Error::Deadline)));
            });
            Ok(())
        })
        .unwrap();
    let past = Instant::now();
    assert!(matches!(ledger.read(past, |view| view.files_named("x.py")), Err(Error::Deadline)));
    ledger.read(soon(), |view| view.files_named("x.py")).unwrap();
}

#[test]
fn leases_hold_versions_and_make_none() {
    let dir = folder();
    let retention = Retention { versions: 2, ..Retention::default() };
    let ledger = open(dir.path(), &Options { retention, ..small() });
    let first = load(&ledger, &sample(3)).unwrap();
    let mut lease =
        Lease { handle: "h_1".into(), holds_from: first.next(), expires_ms: 100, data: vec![1, 2, 3] };
    ledger.put_lease(&lease).unwrap();
    assert_eq!(ledger.head(), Some(first));
    for n in 4..9 {
        step(&ledger, &sample(n - 1), &sample(n)).unwrap().unwrap();
    }
    assert!(ledger.renew_lease("h_1", 200).unwrap() && !ledger.renew_lease("h_2", 200).unwrap());
    lease.expires_ms = 200;
    assert_eq!(ledger.lease("h_1").unwrap(), Some(lease));
    let aged = ledger.age_out(150).unwrap();
    assert_eq!((aged.versions, aged.floor), (1, Some(first.next())), "never below a live lease");
    no_findings(&ledger);
    ledger
        .read(soon(), |view| {
            assert!(!view.changes_since(first.next())?.files.is_empty());
            assert!(view.version_row(first)?.is_none());
            assert!(view.version_row(first.next())?.unwrap().changes.is_empty());
            Ok(())
        })
        .unwrap();
    let aged = ledger.age_out(201).unwrap();
    assert_eq!((aged.versions, ledger.stats().unwrap().versions), (3, 2), "its time is over");
    no_findings(&ledger);
    assert_eq!(ledger.expire_leases(201).unwrap(), 1);
    assert_eq!(ledger.lease("h_1").unwrap(), None);
    assert!(!ledger.delete_lease("h_1").unwrap());
}

#[test]
fn the_past_ages_out_by_time_and_size() {
    let dir = folder();
    let by_age = Retention { age_ms: 1_000, ..Retention::default() };
    let ledger = open(dir.path(), &Options { retention: by_age, ..small() });
    load(&ledger, &sample(3)).unwrap();
    for n in 4..8 {
        step(&ledger, &sample(n - 1), &sample(n)).unwrap().unwrap();
    }
    assert_eq!(ledger.age_out(1_000).unwrap().versions, 0);
    let aged = ledger.age_out(5_000).unwrap();
    assert_eq!((aged.versions, aged.floor), (4, ledger.head()), "the newest stays");
    drop(ledger);
    let by_size = Retention { bytes: 0, ..Retention::default() };
    let ledger = open(dir.path(), &Options { retention: by_size, ..small() });
    for n in 8..12 {
        step(&ledger, &sample(n - 1), &sample(n)).unwrap().unwrap();
    }
    assert_eq!(ledger.age_out(0).unwrap().versions, 4);
    no_findings(&ledger);
}

#[test]
fn every_facts_key_of_a_kept_version_is_told() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    let (one, two) = (Node::Code(spec(1)), Node::Code(spec(2)));
    load(&ledger, &Tree::from([(0, one.clone())])).unwrap();
    step(&ledger, &Tree::from([(0, one.clone())]), &Tree::from([(0, two.clone())])).unwrap();
    step(&ledger, &Tree::from([(0, two)]), &Tree::from([(1, Node::Failed(3))])).unwrap();
    let mut keys = HashSet::new();
    ledger.read(soon(), |view| view.facts_keys(&mut |key, _| keys.extend([key]))).unwrap();
    assert!(keys.contains(&support::facts_key(&spec(1))) && keys.contains(&support::facts_key(&spec(2))));
    assert_eq!(keys.len(), 3);
}

#[test]
fn paths_come_in_order_however_long_they_are() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    let long = "d".repeat(479);
    let mut paths: Vec<String> = ["a", "a.b", "a/b", "z", "ü/x"].map(String::from).to_vec();
    for tail in ["", "/z/1", "/z/2", "/a", "x", "xx", "/b/c/d"] {
        paths.push(format!("{long}{tail}"));
        paths.push(format!("{long}e{tail}"));
        paths.push(format!("{long}/{}{tail}", "q".repeat(200)));
    }
    let mut batch = ledger.batch().unwrap();
    let updates: Vec<_> = paths
        .iter()
        .map(|path| {
            let path = RelPath::new(path).unwrap();
            let row = sdl_model::FileRow { path: path.clone(), ..support::row(0, &Node::Skipped) };
            FileUpdate { path, row: Some(row), stat: None, facts: None }
        })
        .collect();
    batch.apply_files(&updates).unwrap();
    batch.commit(Cause::FirstIndex, None, 0).unwrap().unwrap();
    paths.sort();
    no_findings(&ledger);
    let under = |prefix: &str, most: usize| {
        let mut seen = Vec::new();
        ledger
            .read(soon(), |view| {
                view.files_under(prefix, &mut |file, path| {
                    assert_eq!(file, FileId::of(&RelPath::new(path).unwrap()));
                    seen.push(path.to_owned());
                    if seen.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            })
            .unwrap();
        seen
    };
    assert_eq!(under("", 1000), paths);
    for prefix in ["a", &long, &format!("{long}/"), &format!("{long}/qqqq"), "nope", "ü"] {
        let expected: Vec<_> = paths.iter().filter(|path| path.starts_with(prefix)).cloned().collect();
        assert_eq!(under(prefix, 1000), expected, "{prefix}");
        assert_eq!(under(prefix, 3), expected[..expected.len().min(3)], "{prefix}");
    }
}

#[test]
fn names_terms_and_reverse_edges() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(12)).unwrap();
    ledger
        .read(soon(), |view| {
            assert!(matches!(view.named("name3")?, Named::All(hits) if hits.len() == 2));
            assert_eq!(view.named_up_to("name3", 1)?.len(), 1);
            assert_eq!(view.named("nowhere")?, Named::All(Vec::new()));
            let Named::All(hits) = view.named("name1")? else { panic!() };
            let target = hits[0].symbol;
            let incoming = view.in_edges(target, usize::MAX)?;
            assert_eq!(incoming.len() as u64, view.fan_in(target)?);
            assert!(incoming.len() >= 12 && incoming.is_sorted());
            assert_eq!(view.in_edges(target, 5)?, incoming[..5]);
            let mut terms = Vec::new();
            view.terms("calls name1", &mut |term| {
                terms.push(term.to_owned());
                ControlFlow::Continue(())
            })?;
            assert_eq!(terms, ["calls name1", "calls name10", "calls name11"]);
            let mut hits: Vec<SymbolId> = Vec::new();
            view.postings("every", &mut |some| {
                hits.extend(some.iter().map(|hit| hit.symbol));
                ControlFlow::Continue(())
            })?;
            assert_eq!(hits.len() as u64, view.term_count("every")?);
            assert!(hits.len() == 36 && hits.is_sorted());
            assert_eq!(view.counters()?.symbols, 36);
            Ok(())
        })
        .unwrap();
}

#[test]
fn misuse_is_refused_by_name() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    let mut batch = ledger.batch().unwrap();
    assert!(matches!(ledger.batch(), Err(Error::Misuse(_))), "a thread can't wait for itself");
    let bare = FileUpdate { facts: None, ..support::update(0, Some(&Node::Code(spec(1)))) };
    assert!(matches!(batch.apply_files(&[bare]), Err(Error::Misuse(_))));
    let empty = Posting { term: "".into(), symbol: SymbolId(1), impact: 0, flags: 0 };
    assert!(matches!(
        batch.set_postings(&FilePostings::default(), &[empty].into_iter().collect()),
        Err(Error::Misuse(_))
    ));
    drop(batch);
    let mut bulk = ledger.bulk().unwrap();
    bulk.add_file(&support::update(0, Some(&Node::Skipped))).unwrap();
    assert!(matches!(bulk.add_file(&support::update(0, Some(&Node::Skipped))), Err(Error::Misuse(_))));
}

#[test]
fn orphan_postings_can_be_dropped() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(3)).unwrap();
    let mut batch = ledger.batch().unwrap();
    let stray = Posting { term: "stray".into(), symbol: SymbolId(42), impact: 1, flags: 0 };
    batch.set_postings(&FilePostings::default(), &[stray].into_iter().collect()).unwrap();
    batch.commit(Cause::Watch, None, 0).unwrap().unwrap();
    assert_eq!(ledger.check().unwrap().len(), 1);
    let mut batch = ledger.batch().unwrap();
    assert_eq!(batch.drop_orphan_postings().unwrap(), 1);
    batch.commit(Cause::Rebuild, None, 0).unwrap().unwrap();
    no_findings(&ledger);
}

#[test]
fn long_lists_of_postings_shrink_and_grow() {
    let dir = folder();
    let ledger = open(dir.path(), &small());
    load(&ledger, &sample(1)).unwrap();
    let mut model: std::collections::BTreeSet<Posting> = std::collections::BTreeSet::new();
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for round in 0..24 {
        // Lists of ten to several thousand; some rounds mostly add, others mostly remove.
        let old: Vec<Posting> =
            model.iter().filter(|_| next(10) < if round % 4 == 3 { 8 } else { 2 }).cloned().collect();
        let mut new = Vec::new();
        for _ in 0..2_000 {
            let (term, symbol) = (1 << next(9), next(1 << 40));
            let term = format!("term{}", next(term)).into();
            new.push(Posting { term, symbol: SymbolId(symbol), impact: next(3) as u8, flags: 0 });
        }
        let mut batch = ledger.batch().unwrap();
        let set = batch.set_postings(&old.iter().cloned().collect(), &new.iter().cloned().collect());
        match set.and_then(|()| batch.commit(Cause::Watch, None, 0)) {
            Err(Error::MapFull { .. }) => continue,
            other => drop(other.unwrap().unwrap()),
        }
        for posting in old {
            model.remove(&posting);
        }
        model.extend(new);
        let mut stored = std::collections::BTreeSet::new();
        ledger
            .read(soon(), |view| {
                let mut terms = Vec::new();
                view.terms("term", &mut |term| {
                    terms.push(term.to_owned());
                    ControlFlow::Continue(())
                })?;
                for term in terms {
                    let before = stored.len() as u64;
                    view.postings(&term, &mut |some| {
                        stored.extend(some.iter().map(|hit| {
                            let TermHit { symbol, impact, flags } = *hit;
                            Posting { term: term.as_str().into(), symbol, impact, flags }
                        }));
                        ControlFlow::Continue(())
                    })?;
                    assert_eq!(view.term_count(&term)?, stored.len() as u64 - before);
                }
                Ok(())
            })
            .unwrap();
        assert!(stored == model, "{round}: {} stored, {} expected", stored.len(), model.len());
    }
    assert!(model.len() > 2_000);
}
