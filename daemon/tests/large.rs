//! Changes of a large part of the tree, such as branch switches: each equals an index from scratch, and the versions
//! before it are answered as they were.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::Daemon;
use sdl_ledger::Snapshot;
use sdl_model::{Edge, FileId, FileRow, RelPath, SymbolId, Version};
use sdl_tools::{Cancel, Host as _, NoProgress};
use sdld::admin::{Admin, find_method};
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

const FILES: usize = 270;

/// A branch of a tree in three languages, each file of which calls the next one.
fn write_branch(folder: &Path, number: usize) {
    let write = |path: String, text: String| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mut modules = String::new();
    for at in 0..FILES {
        let next = (at + 1) % FILES;
        // Every third function has another name on every branch, and every fifth file is on one of two branches only.
        let name = |at: usize| {
            if at.is_multiple_of(3) { format!("step_{at}_{number}") } else { format!("step_{at}") }
        };
        let (this, other) = (name(at), name(next));
        if at % 5 == 4 && number % 2 == 1 {
            continue;
        }
        match at % 3 {
            0 => write(
                format!("py/m{at}.py"),
                format!("from py.m{} import *\n\n\ndef {this}():\n    return {other}() + {number}\n", at + 3),
            ),
            1 => {
                modules.push_str(&format!("pub mod m{at};\n"));
                write(
                    format!("src/m{at}.rs"),
                    format!(
                        "use crate::m{}::*;\n\npub fn {this}() -> usize {{\n    {other}() + {number}\n}}\n",
                        at + 3
                    ),
                );
            }
            _ => write(
                format!("ts/m{at}.ts"),
                format!(
                    "import {{ {} }} from './m{}';\n\nexport function {this}() {{\n  return {other}() + {number};\n}}\n",
                    name(at + 3),
                    at + 3
                ),
            ),
        }
    }
    write("src/lib.rs".into(), modules);
    write("Cargo.toml".into(), "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n".into());
}

struct World {
    daemon: Daemon,
    pasts: BTreeMap<Version, Past>,
    /// Every symbol that any version had.
    symbols: BTreeSet<SymbolId>,
}

/// The contents of a version, as far as they are compared.
#[derive(Debug, PartialEq)]
struct Past {
    rows: Vec<Option<FileRow>>,
    /// Of the symbols that had any.
    edges: BTreeMap<SymbolId, Vec<Edge>>,
}

impl World {
    fn new() -> Self {
        let mut daemon = Daemon::new();
        daemon.session.cwd = Some(daemon.root("app"));
        daemon.add_repo(
            "app",
            &[
                ("note.py", "def kept():\n    return 1\n"),
                ("user.py", "from note import kept\n\n\ndef uses():\n    return kept()\n"),
            ],
        );
        for number in 0..4 {
            write_branch(&daemon.root(&format!("branch{number}")), number);
        }
        let mut world = Self { daemon, pasts: BTreeMap::new(), symbols: BTreeSet::new() };
        world.refresh();
        world
    }

    /// Moves a branch into place as a whole, so that no batch has a part of it, and the one before it out.
    fn switch(&mut self, from: Option<usize>, to: usize) {
        let place = self.daemon.root("app").join("tree");
        if let Some(from) = from {
            fs::rename(&place, self.daemon.root(&format!("branch{from}"))).unwrap();
        }
        fs::rename(self.daemon.root(&format!("branch{to}")), &place).unwrap();
        self.refresh();
    }

    /// Brings the ledger up to date; checks the law and every version so far.
    fn refresh(&mut self) {
        self.daemon.ok("index.refresh", json!({ "mode": "incremental" }));
        let admin = Admin {
            engine: &self.daemon.engine,
            progress: &NoProgress,
            cancel: &Cancel::new(),
            kind: sdl_proto::ClientKind::Ctl,
            session: 1,
            client: "test",
        };
        let verified = find_method("ledger/verify").unwrap()(&admin, b"{}").unwrap();
        let verified: Value = serde_json::from_slice(&verified).unwrap();
        assert_eq!(verified["identical"], true, "{verified:#}");
        self.symbols.extend(self.symbols_now());
        let head = self.read(|view| Ok(view.head().unwrap()));
        let now = self.read_past(head);
        assert!(self.pasts.insert(head, now).is_none(), "each step is one version");
        for (version, past) in &self.pasts {
            assert_eq!(self.read_past(*version), *past, "{version}");
        }
    }

    fn files() -> Vec<FileId> {
        let paths = (0..FILES).map(|at| match at % 3 {
            0 => format!("tree/py/m{at}.py"),
            1 => format!("tree/src/m{at}.rs"),
            _ => format!("tree/ts/m{at}.ts"),
        });
        paths.map(|path| FileId::of(&RelPath::new(&path).unwrap())).collect()
    }

    fn read<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> sdl_ledger::Result<T>) -> T {
        let repo = self.daemon.engine.repo("app").unwrap();
        repo.ledger().read(Instant::now() + Duration::from_mins(1), read).unwrap()
    }

    fn symbols_now(&self) -> Vec<SymbolId> {
        self.read(|view| {
            let each = Self::files().into_iter().map(|file| view.symbols_of(file));
            Ok(each.collect::<sdl_ledger::Result<Vec<_>>>()?.concat())
        })
    }

    fn read_past(&self, version: Version) -> Past {
        self.read(|view| {
            let mut past = Past { rows: Vec::new(), edges: BTreeMap::new() };
            for file in Self::files() {
                past.rows.push(view.file_at(file, version)?);
            }
            for symbol in &self.symbols {
                let edges = view.out_edges_at(*symbol, version)?;
                if !edges.is_empty() {
                    past.edges.insert(*symbol, edges);
                }
            }
            Ok(past)
        })
    }
}

#[test]
fn switches_between_branches_equal_indexes_from_scratch_and_keep_the_past() {
    let mut world = World::new();
    world.switch(None, 0);
    let large = times_given(Work::LargeChange);
    let slice =
        world.daemon.ok("slice.build", json!({ "taskText": "what step_1 returns", "sync": "require" }));
    let card = |world: &World, name: &str| {
        world.daemon.call("symbol.getCard", &json!({ "symbolRef": { "name": name } }))
    };
    assert!(card(&world, "step_3_0").is_ok());

    world.switch(Some(0), 1);
    assert_eq!(times_given(Work::LargeChange), large + 1, "it was one large change");
    assert!(card(&world, "step_3_1").is_ok() && card(&world, "step_3_0").is_err());
    assert!(card(&world, "kept").is_ok(), "a file that did not change is still there");
    let refreshed = world.daemon.ok(
        "slice.refresh",
        json!({ "sliceHandle": slice["sliceHandle"], "knownVersion": slice["ledgerVersion"] }),
    );
    assert!(refreshed["delta"]["changedSymbols"].to_string().contains("step_1"), "{refreshed:#}");

    // Edits between switches change what the switch left, for example one function of a note.
    world.daemon.write("app", "note.py", "def kept(more):\n    return more\n");
    world.refresh();
    world.switch(Some(1), 2);
    world.switch(Some(2), 3);
    fs::remove_file(world.daemon.root("app").join("tree/py/m3.py")).unwrap();
    world.refresh();
    world.switch(Some(3), 0);
    assert_eq!(times_given(Work::LargeChange), large + 4);
    assert!(card(&world, "step_3_0").is_ok() && card(&world, "step_3_1").is_err());
}

/// A branch of a tree in C: its files include two headers, each of which has another function on every branch. Less than a third
/// of the files differ between branches.
fn write_c_branch(folder: &Path, number: usize) {
    fs::create_dir_all(folder).unwrap();
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    write("asked.h", format!("static inline int asked_{number}(int x)\n{{\n\treturn x;\n}}\n"));
    let inner = ["a", "b"][number];
    let structs = "struct a { int n; };\nstruct b { int n; };\n";
    let added =
        format!("{structs}struct s {{ int n; struct {inner} *inner; }};\nint nobody_asked_{number}(void);\n");
    write("added.h", added);
    for at in 0..400 {
        let more = if at < 120 { number } else { 0 };
        let asks = if at % 2 == 0 { "asked_0(p->n) + asked_1(p->n)" } else { "p->inner->n" };
        let text = format!(
            "#include \"asked.h\"\n#include \"added.h\"\n\nint use_{at}(struct s *p)\n{{\n\treturn {asks} + {more};\n}}\n"
        );
        write(&format!("u{at}.c"), text);
    }
}

#[test]
fn a_switch_about_which_most_of_a_tree_in_c_asked_equals_an_index_from_scratch() {
    let mut world = World::new();
    let place = world.daemon.root("app").join("c");
    let kept = |number| world.daemon.root(&format!("c{number}"));
    let branches = [kept(0), kept(1)];
    for (number, branch) in branches.iter().enumerate() {
        write_c_branch(branch, number);
    }
    fs::rename(&branches[0], &place).unwrap();
    world.refresh();
    let large = times_given(Work::LargeChange);
    for (from, to) in [(0, 1), (1, 0)] {
        fs::rename(&place, &branches[from]).unwrap();
        fs::rename(&branches[to], &place).unwrap();
        world.refresh();
        let names = ["asked", "nobody_asked"].map(|name| [format!("{name}_{to}"), format!("{name}_{from}")]);
        for [there, gone] in names {
            let card = |name: &str| {
                world.daemon.call("symbol.getCard", &json!({ "symbolRef": { "name": name } })).is_ok()
            };
            assert!(card(&there) && !card(&gone), "{there} {gone}");
        }
    }
    assert_eq!(times_given(Work::LargeChange), large + 2, "most files asked, so each was a large change");
}
