//! Incremental equals from scratch: after random edits, renames, moves and removals the ledger is identical to that of
//! a fresh index of the same tree.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of a test fail it")]

use std::fs;
use std::path::{Path, PathBuf};

use sdl_tests::TestEnv;
use serde_json::json;

const GROUPS: usize = 6;
const EDITS: usize = 25;

/// A small generator with a fixed seed: the same edits on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn module(random: &mut Random, names: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(4) {
        text +=
            &format!("from pkg{}.m{} import f{}\n", random.below(3), random.below(6), random.below(names));
    }
    for _ in 0..random.below(2) {
        text += &format!("from .m{} import *\n", random.below(6));
    }
    for _ in 0..=random.below(4) {
        let name = random.below(names);
        text += &format!(
            "\ndef f{name}(x):\n    f{}(x)\n    return x.f{}()\n",
            random.below(names),
            random.below(names)
        );
    }
    for _ in 0..random.below(3) {
        let class = random.below(5);
        text += &format!(
            "\nclass C{class}(C{}):\n    def f{}(self):\n        return self.f{}() + C{}().f{}()\n",
            random.below(5),
            random.below(names),
            random.below(names),
            random.below(5),
            random.below(names),
        );
    }
    text
}

fn place(root: &Path, random: &mut Random) -> PathBuf {
    root.join(format!("pkg{}", random.below(3))).join(format!("m{}.py", random.below(6)))
}

fn edit(root: &Path, random: &mut Random) {
    let path = place(root, random);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match random.below(10) {
        0 => {
            let _ = fs::remove_file(&path);
        }
        1 => {
            let _ = fs::rename(&path, place(root, random));
        }
        2 => {
            let (from, to) =
                (root.join(format!("pkg{}", random.below(3))), root.join(format!("pkg{}", random.below(3))));
            if from != to {
                let _ = fs::remove_dir_all(&to);
                let _ = fs::rename(from, to);
            }
        }
        3 => {
            let _ = fs::write(path.parent().unwrap().join("__init__.py"), module(random, 8));
        }
        4 => {
            let text = fs::read_to_string(&path).unwrap_or_default();
            fs::write(path, format!("# moved down\n\n{text}")).unwrap();
        }
        _ => fs::write(path, module(random, 8)).unwrap(),
    }
}

#[test]
fn random_edits_leave_the_ledger_of_a_fresh_index() {
    let env = TestEnv::new();
    let root = env.repo("app", "//- /pkg0/m0.py\ndef f0(x):\n    return x\n");
    let _daemon = env.daemon();
    env.ctl_ok(&["index", root.to_str().unwrap()]);
    let mut client = env.mcp(&root, &[]);
    let mut random = Random(42);
    for group in 0..GROUPS {
        for _ in 0..EDITS {
            edit(&root, &mut random);
            if random.below(3) == 0 {
                client.call("sdl_repo_status", json!({"sync": "require"})).unwrap().ok();
            }
        }
        let answer = env.ctl(&["verify", "--json", "--repo", "app"]);
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(answer.contains("\"identical\": true"), "group {group}: {answer}");
    }
}
