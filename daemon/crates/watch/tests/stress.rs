//! Random operations on a real tree under the system's own watcher, with the worker busy all the while. After each
//! barrier the worker's state must equal that of a fresh look.
//!
//! `SDL_STRESS_ROUNDS` makes it longer, `SDL_STRESS_SEED` repeats one run.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Bench, Content, Ledger, Worker};
use sdl_model::StatHint;
use sdl_watch::{Hub, RootOptions, Settle};

/// A small generator of random numbers (xorshift64*), so that a seed means the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// A path of few names, so that the same ones come up as file, folder and link.
    fn path(&mut self) -> PathBuf {
        let depth = 1 + self.below(4);
        (0..depth).map(|_| self.pick(&["a", "b", "c", "target", "x.log", "node_modules"])).collect()
    }
}

/// One operation. It may fail, but not for lack of permission: everything that it may reach is ours.
///
/// Links lead to a name beside them, or by an absolute path to the temporary folder that holds the tree, so a walk
/// through them stays in that folder however they are moved and chained. A relative `..` would climb one folder further
/// each time that it is created inside another one.
fn operate(random: &mut Random, root: &Path, aside: &Path, counter: &mut usize) {
    *counter += 1;
    let path = root.join(random.path());
    let other = root.join(random.path());
    let text = format!("{counter}");
    let above = root.parent().unwrap();
    let done = match random.below(24) {
        0..=5 => fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(&path, text)),
        6..=8 => fs::write(&path, text),
        9 => fs::create_dir_all(&path),
        10..=13 => fs::rename(&path, &other),
        14 => fs::remove_file(&path),
        15 => fs::remove_dir_all(&path),
        16 => fs::rename(&path, aside.join(random.pick(&["p", "q"]))),
        17 => fs::rename(aside.join(random.pick(&["p", "q"])), &path),
        18 => match random.below(4) {
            0 => symlink(above, &path),
            1 => symlink(aside, &path),
            _ => symlink(random.pick(&["a", "nowhere"]), &path),
        },
        19 => {
            let rules = random.pick(&["*.log\n", "/a/\n", "b\n!b\n", "c/\n", "", "*\n!*/\n!x.log\n"]);
            fs::write(path.join(random.pick(&[".gitignore", ".gitignore", ".sdlignore"])), rules)
        }
        20 => fs::remove_file(path.join(".gitignore")),
        21 => fs::write(path.join("Cargo.toml"), ""),
        22 => fs::remove_file(path.join("Cargo.toml")),
        // An editor's save.
        _ => fs::write(path.with_extension("tmp"), text)
            .and_then(|()| fs::rename(path.with_extension("tmp"), &path)),
    };
    // Under `cargo xtask test`, a write outside of the tests' folders ends with this error.
    if let Err(error) = done {
        assert_ne!(error.kind(), ErrorKind::PermissionDenied, "{} or {}", path.display(), other.display());
    }
}

/// So short that the worker takes batches in the middle of everything.
fn settle_at_once() -> Settle {
    Settle { quiet: Duration::from_micros(200), most: Duration::from_millis(2), ..Settle::default() }
}

#[test]
fn nothing_is_missed() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seed = number("SDL_STRESS_SEED", 0x5d1);
    let rounds = number("SDL_STRESS_ROUNDS", 300);
    let bench = Bench::with(|mut config| {
        config.settle = settle_at_once();
        Hub::start(config)
    });
    let aside = bench.outside().join("aside");
    fs::create_dir(&aside).unwrap();
    let worker = bench.worker();
    let mut random = Random(seed | 1);
    let mut counter = 0;
    for round in 0..rounds {
        for _ in 0..=random.below(60) {
            operate(&mut random, &bench.root, &aside, &mut counter);
        }
        worker.check(&format!("seed {seed}, round {round}"));
    }
    check_watches(&bench, &worker);
    let ledger = worker.ledger.lock().unwrap();
    assert!(ledger.batches > 1 && ledger.files.len() < 10_000);
}

#[test]
fn nothing_is_missed_of_what_git_tracks() {
    let bench = Bench::with(|mut config| {
        config.settle = settle_at_once();
        Hub::start(config)
    });
    common::git(&bench.root, &["init", "-q"]);
    let aside = bench.outside().join("aside");
    fs::create_dir(&aside).unwrap();
    let worker = bench.worker();
    let mut random = Random(0x91f);
    let mut counter = 0;
    for round in 0..60 {
        for _ in 0..=random.below(40) {
            operate(&mut random, &bench.root, &aside, &mut counter);
        }
        let path = random.path();
        let path = path.to_str().unwrap();
        let arguments: &[&str] = match random.below(4) {
            0 | 1 => &["add", "-f", path],
            2 => &["rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", path],
            _ => &["add", "."],
        };
        // The path may not be there, or lead through a link.
        let _ = common::git_outcome(&bench.root, arguments);
        if random.below(3) == 0 {
            operate(&mut random, &bench.root, &aside, &mut counter);
        }
        worker.check(&format!("round {round}"));
    }
    check_watches(&bench, &worker);
}

/// As many watches as folders that are kept, and none besides.
fn check_watches(bench: &Bench, worker: &Worker) {
    let folders = sdl_watch::Crawl::new(&common::canonical(&bench.root), &RootOptions::default())
        .unwrap()
        .run()
        .folders;
    assert_eq!(worker.handle.status().watches, folders);
}

#[test]
fn two_threads_edit_while_others_ask() {
    let bench = Bench::with(|mut config| {
        config.settle = settle_at_once();
        Hub::start(config)
    });
    let aside = bench.outside().join("aside");
    fs::create_dir(&aside).unwrap();
    let worker = bench.worker();
    for round in 0..40 {
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (bench, aside, worker) = (&bench, &aside, &worker);
                scope.spawn(move || {
                    let mut random = Random(round * 2 + thread + 1);
                    let mut counter = usize::try_from(round * 1000).unwrap();
                    for _ in 0..60 {
                        operate(&mut random, &bench.root, aside, &mut counter);
                        if random.below(12) == 0 {
                            assert_eq!(worker.handle.sync(common::soon()), sdl_watch::Synced::Confirmed);
                        }
                    }
                });
            }
        });
        worker.check(&format!("round {round}"));
    }
    check_watches(&bench, &worker);
}

/// A write that finished before the barrier was requested is in, whatever else goes on; and nothing is in that was not
/// written.
#[test]
fn each_write_is_committed_when_its_barrier_is_released() {
    let bench = Bench::new();
    let worker = bench.worker();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (bench, worker) = (&bench, &worker);
            scope.spawn(move || {
                let mut random = Random(thread + 77);
                for round in 0..150 {
                    let path = format!("{thread}/{}/f.rs", random.pick(&["a", "a/b", "a/b/c", "d/e/f/g"]));
                    if random.below(5) == 0 {
                        let _ = fs::remove_dir_all(bench.path(&format!("{thread}/a")));
                    }
                    bench.write(&path, &format!("{round}"));
                    assert_eq!(worker.handle.sync(common::soon()), sdl_watch::Synced::Confirmed);
                    let files: BTreeMap<String, (StatHint, Content)> =
                        worker.ledger.lock().unwrap().files.clone();
                    let content = files.get(&path).map(|(_, content)| content);
                    assert_eq!(content, Some(&Content::Bytes(format!("{round}").into_bytes())), "{path}");
                }
            });
        }
    });
    let ledger: Ledger = worker.ledger.lock().unwrap().clone();
    assert_eq!(ledger.rescans, 1, "no event was lost");
}
