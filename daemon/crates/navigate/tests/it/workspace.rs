//! Several repositories as one graph.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sdl_ledger::View;
use sdl_model::facts::Body;
use sdl_model::{EdgeKind, FactsKey, RelPath, SymbolId};
use sdl_navigate::mentions::Bodies;
use sdl_navigate::workspace::{Member, Workspace, split_place};
use sdl_retrieve::{Outlines, Source};

use crate::ledger::{At, MemoryLedger};

const FIXTURES: [(&str, &str); 10] = [
    ("python", include_str!("../workspaces/python.txt")),
    ("typescript", include_str!("../workspaces/typescript.txt")),
    ("rust", include_str!("../workspaces/rust.txt")),
    ("go", include_str!("../workspaces/go.txt")),
    ("java", include_str!("../workspaces/java.txt")),
    ("maven", include_str!("../workspaces/maven.txt")),
    ("gradle", include_str!("../workspaces/gradle.txt")),
    ("dotnet", include_str!("../workspaces/dotnet.txt")),
    ("others", include_str!("../workspaces/others.txt")),
    ("ambiguous", include_str!("../workspaces/ambiguous.txt")),
];

/// The repositories of a fixture, and what it expects.
pub(crate) struct Several {
    repos: Vec<(String, MemoryLedger)>,
    expected: BTreeSet<String>,
}

impl Several {
    pub(crate) fn of(fixture: &str) -> Self {
        let mut parts: Vec<(String, String)> = Vec::new();
        for line in fixture.lines() {
            match (line.strip_prefix("//= "), parts.last_mut()) {
                (Some(repo), _) => parts.push((repo.to_owned(), String::new())),
                (None, Some((_, text))) => writeln!(text, "{line}").unwrap(),
                (None, None) => panic!("no repository before {line}"),
            }
        }
        let expected = parts.pop().filter(|(name, _)| name == "expect").unwrap().1;
        Self {
            repos: parts.iter().map(|(repo, text)| (repo.clone(), MemoryLedger::new(text))).collect(),
            expected: expected.lines().map(str::to_owned).collect(),
        }
    }

    fn ask<T>(&self, ask: impl FnOnce(&Workspace<'_>, &Source<'_>) -> T) -> T {
        let heads: Vec<At<'_>> = self.repos.iter().map(|(_, ledger)| ledger.head()).collect();
        let members = self.repos.iter().zip(&heads);
        let members = members.map(|((repo, _), at)| Member { repo, view: at }).collect();
        let store = Store(&self.repos);
        let workspace = Workspace::new(members, &store, &store);
        let source = Source::new(&workspace, &store);
        ask(&workspace, &source)
    }
}

struct Store<'l>(&'l [(String, MemoryLedger)]);

impl Outlines for Store<'_> {
    fn outline(&self, key: FactsKey) -> sdl_ledger::Result<Option<std::sync::Arc<sdl_model::Outline>>> {
        Ok(self.0.iter().find_map(|(_, ledger)| ledger.outlines().get(&key).cloned()))
    }
}

impl Bodies for Store<'_> {
    fn body(&self, key: FactsKey) -> sdl_ledger::Result<Option<Body>> {
        Ok(self.0.iter().find_map(|(_, ledger)| ledger.body(key)))
    }
}

fn all_ids(view: &dyn View, source: &Source<'_>) -> Vec<SymbolId> {
    let mut files = Vec::new();
    view.files_under("", &mut |file, _| {
        files.push(file);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    files.iter().flat_map(|file| source.symbols_of(*file).unwrap()).map(|sym| sym.id).collect()
}

fn place(source: &Source<'_>, id: SymbolId) -> String {
    let listed = source.listed(id).unwrap().unwrap();
    format!("{} {}", listed.path(), listed.qualified())
}

fn repo_of(source: &Source<'_>, id: SymbolId) -> String {
    let listed = source.listed(id).unwrap().unwrap();
    split_place(listed.path()).unwrap().0.to_owned()
}

/// Calls (`->`) and derivations (`=>`) between repositories, and the notes.
fn found_between(workspace: &Workspace<'_>, source: &Source<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for from in all_ids(workspace, source) {
        for edge in workspace.out_edges(from).unwrap() {
            let arrow = match edge.kind {
                EdgeKind::Call => "->",
                EdgeKind::Implements => "=>",
                _ => continue,
            };
            if repo_of(source, from) != repo_of(source, edge.to) {
                found.insert(format!("{} {arrow} {}", place(source, from), place(source, edge.to)));
            }
        }
    }
    found.extend(workspace.notes().iter().map(|note| format!("note {note}")));
    found
}

#[test]
fn calls_lead_into_the_repository_that_declares_the_imported_package() {
    for (name, fixture) in FIXTURES {
        let several = Several::of(fixture);
        let found = several.ask(found_between);
        assert_eq!(found, several.expected, "{name}: {found:#?}");
    }
}

#[test]
fn edges_lead_both_ways_and_the_members_own_are_theirs() {
    for (name, fixture) in FIXTURES {
        let several = Several::of(fixture);
        let (forward, own) = several.ask(|workspace, source| {
            let ids = all_ids(workspace, source);
            let all = ids.iter().flat_map(|from| {
                workspace.out_edges(*from).unwrap().into_iter().map(|edge| (*from, edge.to, edge.kind))
            });
            let all: BTreeSet<_> = all.collect();
            let own = all.iter().filter(|(from, to, _)| repo_of(source, *from) == repo_of(source, *to));
            (all.clone(), own.count())
        });
        // A workspace of its own, which has resolved nothing on the way forward.
        let backward: BTreeSet<_> = several.ask(|workspace, source| {
            let ids = all_ids(workspace, source);
            ids.iter()
                .flat_map(|to| {
                    let into = workspace.in_edges(*to, usize::MAX).unwrap();
                    into.into_iter().map(|edge| (edge.from, *to, edge.kind))
                })
                .collect()
        });
        assert_eq!(forward, backward, "{name}");
        let members: usize = several
            .repos
            .iter()
            .map(|(_, ledger)| {
                let at = ledger.head();
                let ids = all_ids(&at, &at.source());
                let edges = ids
                    .iter()
                    .flat_map(|id| at.out_edges(*id).unwrap().into_iter().map(|e| (*id, e.to, e.kind)));
                edges.collect::<BTreeSet<_>>().len()
            })
            .sum();
        assert_eq!(own, members, "{name}");
    }
}

#[test]
fn an_edit_of_a_library_is_seen_by_the_next_question() {
    let mut several = Several::of(FIXTURES[0].1);
    assert!(several.ask(found_between).contains("@app/app/main.py fetch -> @wire/src/wire/api.py get"));
    let before = several.ask(|workspace, _| workspace.version());
    several.repos[0].1.write(&[("src/wire/api.py", Some(b"def fetch(url):\n    return url\n"))]);
    let found = several.ask(found_between);
    assert!(!found.contains("@app/app/main.py fetch -> @wire/src/wire/api.py get"));
    assert_ne!(several.ask(|workspace, _| workspace.version()), before);
    // Without the library the application's own edges stay, and nothing leads out of it.
    several.repos.remove(0);
    assert_eq!(several.ask(found_between), BTreeSet::new());
}

#[test]
fn paths_of_a_workspace_name_its_repositories() {
    let several = Several::of(FIXTURES[0].1);
    several.ask(|workspace, source| {
        for id in all_ids(workspace, source) {
            let path = source.listed(id).unwrap().unwrap().path().to_owned();
            let file = workspace.file_id(&RelPath::new(&path).unwrap());
            assert_eq!(workspace.symbol_file(id).unwrap(), Some(file));
            assert_eq!(workspace.file(file).unwrap().unwrap().path.as_str(), path);
        }
    });
}
