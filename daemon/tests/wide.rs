//! Changes of many files in a larger tree, and changes that many files asked about: each equals an index from scratch, and
//! the versions before it are answered as they were.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::Daemon;
use sdl_ledger::{Snapshot, View as _};
use sdl_model::{Edge, SymbolId, Version};
use sdl_tools::{Cancel, Host as _, NoProgress};
use sdld::admin::{Admin, find_method};
use sdld::index::memory::{Work, times_given};
use serde_json::{Value, json};

const FILES: usize = 180;

/// A library in three languages, whose branches differ in names and in files.
fn write_library(daemon: &Daemon, repo: &str, number: usize) {
    let mut modules = String::new();
    for at in 0..FILES {
        // Every third function has another name on every branch, and every fifth file is on one of two branches only.
        if at % 5 == 4 && number % 2 == 1 {
            continue;
        }
        let name = function_name(at, number);
        let (path, text) = match at % 3 {
            0 => (format!("m{at}.py"), format!("def {name}():\n    return {number}\n")),
            1 => {
                modules.push_str(&format!("pub mod m{at};\n"));
                (format!("m{at}.rs"), format!("pub fn {name}() -> usize {{\n    {number}\n}}\n"))
            }
            _ => (format!("m{at}.ts"), format!("export function {name}() {{\n  return {number};\n}}\n")),
        };
        daemon.write(repo, &path, &text);
    }
    daemon.write(repo, "mod.rs", &modules);
}

fn function_name(at: usize, number: usize) -> String {
    if at.is_multiple_of(9) || at % 9 == 1 || at % 9 == 2 {
        format!("step_{at}_{number}")
    } else {
        format!("step_{at}")
    }
}

/// Files that call the library, each a function of two branches.
fn write_callers(daemon: &Daemon) {
    let mut modules = "pub mod libraries;\n".to_owned();
    for at in 0..FILES {
        let [one, other] = [0, 1].map(|number| function_name(at, number));
        let (path, text) = match at % 3 {
            0 => (
                format!("app/u{at}.py"),
                format!(
                    "from src.libraries.m{at} import *\n\n\ndef use_{at}():\n    return {one}() or {other}()\n"
                ),
            ),
            1 => (
                format!("src/u{at}.rs"),
                format!(
                    "use crate::libraries::m{at};\n\npub fn use_{at}() -> usize {{\n    m{at}::{one}() + m{at}::{other}()\n}}\n"
                ),
            ),
            _ => (
                format!("app/u{at}.ts"),
                format!(
                    "import * as m from '../src/libraries/m{at}';\n\nexport function use_{at}() {{\n  return m.{one}() || m.{other}();\n}}\n"
                ),
            ),
        };
        if at % 3 == 1 {
            modules.push_str(&format!("pub mod u{at};\n"));
        }
        daemon.write("app", &path, &text);
    }
    daemon.write("app", "src/lib.rs", &modules);
    daemon.write("app", "Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
}

/// Files that nobody uses, so that the others are not most of the tree.
fn write_others(daemon: &Daemon, count: usize) {
    for at in 0..count {
        daemon.write("app", &format!("py/m{at}.py"), &format!("def of_{at}():\n    return {at}\n"));
    }
}

/// The edges of every symbol that has any.
type Edges = BTreeMap<SymbolId, Vec<Edge>>;

struct World {
    daemon: Daemon,
    pasts: BTreeMap<Version, Edges>,
}

impl World {
    fn new(fill: impl FnOnce(&Daemon)) -> Self {
        let mut daemon = Daemon::new();
        daemon.session.cwd = Some(daemon.root("app"));
        fill(&daemon);
        daemon.add_repo("app", &[]);
        let mut world = Self { daemon, pasts: BTreeMap::new() };
        world.refresh();
        world
    }

    /// Moves a branch of the library into place as a whole, so that no batch has a part of it, and the one before it
    /// out.
    fn switch(&mut self, from: usize, to: usize) {
        let place = self.daemon.root("app").join("src/libraries");
        fs::rename(&place, self.daemon.root(&format!("lib{from}"))).unwrap();
        fs::rename(self.daemon.root(&format!("lib{to}")), &place).unwrap();
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
        let (head, edges) = self.read(|view| Ok((view.head().unwrap(), edges_now(view)?)));
        assert!(self.pasts.insert(head, edges).is_none(), "each step is one version");
        for (version, past) in &self.pasts {
            self.read(|view| {
                for (symbol, edges) in past {
                    assert_eq!(view.out_edges_at(*symbol, *version)?, *edges, "{version}");
                }
                Ok(())
            });
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Snapshot<'_>) -> sdl_ledger::Result<T>) -> T {
        let repo = self.daemon.engine.repo("app").unwrap();
        repo.ledger().read(Instant::now() + Duration::from_mins(1), read).unwrap()
    }

    /// The files with callers of a function.
    fn callers(&self, name: &str) -> String {
        let found = self.daemon.call("symbol.related", &json!({ "symbol": name }));
        found.map(|found| found.to_string()).unwrap_or_default()
    }
}

fn edges_now(view: &Snapshot<'_>) -> sdl_ledger::Result<Edges> {
    let mut files = Vec::new();
    view.files_under("", &mut |file, _| {
        files.push(file);
        ControlFlow::Continue(())
    })?;
    let mut all = Edges::new();
    for file in files {
        for symbol in view.symbols_of(file)? {
            let edges = view.out_edges(symbol)?;
            if !edges.is_empty() {
                all.insert(symbol, edges);
            }
        }
    }
    Ok(all)
}

#[test]
fn a_switch_of_a_part_of_the_tree_equals_an_index_from_scratch() {
    let mut world = World::new(|daemon| {
        write_callers(daemon);
        write_others(daemon, FILES);
        write_library(daemon, "app/src/libraries", 0);
        for number in 1..3 {
            write_library(daemon, &format!("lib{number}"), number);
        }
    });
    let wide = times_given(Work::ManyFiles);
    for (at, path) in [(18, "app/u18.py"), (10, "src/u10.rs"), (11, "app/u11.ts")] {
        let (old, new) = (function_name(at, 0), function_name(at, 1));
        assert!(world.callers(&old).contains(path), "{path}");
        assert!(!world.callers(&new).contains(path), "{path}");
    }
    world.switch(0, 1);
    for (at, path) in [(18, "app/u18.py"), (10, "src/u10.rs"), (11, "app/u11.ts")] {
        let (old, new) = (function_name(at, 0), function_name(at, 1));
        assert!(!world.callers(&old).contains(path), "{path}");
        assert!(world.callers(&new).contains(path), "{path}");
    }
    world.switch(1, 2);
    world.switch(2, 0);
    assert_eq!(times_given(Work::ManyFiles), wide + 3);
    assert_eq!(times_given(Work::LargeChange), 0);
}

#[test]
fn an_edit_that_most_files_asked_about_equals_an_index_from_scratch() {
    const INCLUDING: usize = 450;
    let header = |name: &str| {
        format!("struct s {{ int n; }};\nstatic inline int {name}(int x)\n{{\n\treturn x;\n}}\n")
    };
    let mut world = World::new(|daemon| {
        daemon.write("app", "common.h", &header("shared"));
        for at in 0..INCLUDING {
            let text = format!(
                "#include \"common.h\"\n\nint use_{at}(void)\n{{\n\treturn shared({at}) + other({at});\n}}\n"
            );
            daemon.write("app", &format!("d{}/u{at}.c", at % 7), &text);
        }
        write_others(daemon, INCLUDING + 10);
    });
    let wide = times_given(Work::ManyFiles);
    assert!(world.callers("shared").contains("u0.c"));
    world.daemon.write("app", "common.h", &header("other"));
    world.refresh();
    assert!(world.callers("other").contains("u0.c") && !world.callers("shared").contains("u0.c"));
    assert_eq!((times_given(Work::ManyFiles), times_given(Work::LargeChange)), (wide + 1, 0));
    // All of them opened the header, and none of them looks for this name.
    world.daemon.write("app", "common.h", &format!("{}int more(struct s *p);\n", header("other")));
    world.refresh();
    assert_eq!(times_given(Work::ManyFiles), wide + 1);
    // An edit that nobody asked about goes on as before.
    world.daemon.write("app", "d0/u0.c", "int alone(void)\n{\n\treturn 1;\n}\n");
    world.refresh();
    assert_eq!(times_given(Work::ManyFiles), wide + 1);
}
