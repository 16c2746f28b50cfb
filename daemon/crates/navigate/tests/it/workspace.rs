//! Several repositories as one graph.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sdl_ledger::View;
use sdl_model::facts::Body;
use sdl_model::{EdgeKind, FactsKey, Incarnation, RelPath, SymbolId};
use sdl_navigate::mentions::Bodies;
use sdl_navigate::workspace::{CrossingMemo, Member, MemberState, Workspace, split_place};
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
        self.ask_with(&CrossingMemo::default(), ask)
    }

    fn ask_with<T>(&self, memo: &CrossingMemo, ask: impl FnOnce(&Workspace<'_>, &Source<'_>) -> T) -> T {
        let heads: Vec<At<'_>> = self.repos.iter().map(|(_, ledger)| ledger.head()).collect();
        let members = self.repos.iter().zip(&heads);
        let members = members.map(|((repo, _), at)| {
            let state = MemberState { incarnation: Incarnation(1), version: at.version(), overlay: None };
            Member { repo, view: at, state: Some(state) }
        });
        let store = Store(&self.repos);
        let workspace = Workspace::new(members.collect(), &store, &store).with_memo(memo);
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

/// Everything that a workspace finds between its repositories: edges both ways, mentions, and notes.
fn found_in_all(workspace: &Workspace<'_>, source: &Source<'_>) -> String {
    let mut text = String::new();
    let ids = all_ids(workspace, source);
    let files: BTreeSet<_> = ids.iter().map(|id| workspace.symbol_file(*id).unwrap().unwrap()).collect();
    for id in &ids {
        let (into, out) = (workspace.in_edges(*id, usize::MAX).unwrap(), workspace.out_edges(*id).unwrap());
        writeln!(text, "{} {into:?} {out:?}", place(source, *id)).unwrap();
        for file in &files {
            writeln!(text, "{:?}", workspace.mentions_in(*file, &[*id]).unwrap()).unwrap();
        }
    }
    writeln!(text, "{:?}", workspace.notes()).unwrap();
    text
}

/// Texts that the files of a history may have. An edit takes another text of its file, or removes it.
const EDITS: &[(usize, &str, &[&str])] = &[
    (0, "pyproject.toml", &["[project]\nname = 'wire'\n"]),
    (0, "src/wire/__init__.py", &["from .api import get\n", "", "from .other import get\n"]),
    (
        0,
        "src/wire/api.py",
        &["def get(url):\n    return url\n", "\n\ndef get(url):\n    return 1\n", "def got():\n    pass\n"],
    ),
    (0, "src/wire/other.py", &["def get():\n    return 2\n"]),
    (1, "pyproject.toml", &["[project]\nname = 'app'\n"]),
    (
        1,
        "app.py",
        &[
            "import wire\n\n\ndef run():\n    return wire.get('a')\n",
            "import wire\nfrom more import extra\n\n\ndef run():\n    extra()\n    return wire.api.get('a')\n",
            "from wire.api import get\n\n\ndef run():\n    return get('a')\n",
            "def run():\n    pass\n",
        ],
    ),
    (1, "wire.py", &["def get(url):\n    return url\n"]),
    (2, "pyproject.toml", &["[project]\nname = 'more'\n"]),
    (
        2,
        "more.py",
        &["from app import run\n\n\ndef extra():\n    return run()\n", "def extra():\n    pass\n"],
    ),
    (2, "wire/__init__.py", &["def get(url):\n    return 3\n"]),
];

#[test]
fn what_earlier_questions_found_changes_no_answer() {
    let mut seed = 1_u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut crossed = 0;
    for history in 0..12 {
        let empty = |name: &str| (name.to_owned(), MemoryLedger::new("//- /README.md\nNothing.\n"));
        let mut several =
            Several { repos: ["wire", "app", "more"].map(empty).into(), expected: BTreeSet::new() };
        for (repo, path, texts) in EDITS.iter().take(6) {
            several.repos[*repo].1.write(&[(path, Some(texts[0].as_bytes()))]);
        }
        // One that has room for everything, and one that drops what it kept.
        let memos = [CrossingMemo::default(), CrossingMemo::with_room(2_000)];
        for step in 0..25 {
            let (repo, path, texts) = EDITS[below(EDITS.len())];
            let text = texts.get(below(texts.len() + 1)).map(|text| text.as_bytes());
            several.repos[repo].1.write(&[(path, text)]);
            let fresh = several.ask(found_in_all);
            crossed += usize::from(!several.ask(found_between).is_empty());
            for memo in &memos {
                let kept = several.ask_with(memo, found_in_all);
                assert_eq!(kept, fresh, "history {history}, step {step}: {path} is {text:?}");
                assert_eq!(several.ask_with(memo, found_in_all), fresh, "asked again");
            }
            assert!(memos[1].bytes() <= 2_000);
        }
    }
    assert!(crossed > 100, "only {crossed} states had edges between repositories");
}

#[test]
fn an_edit_leaves_what_others_found() {
    let mut several = Several::of(FIXTURES[0].1);
    let memo = CrossingMemo::default();
    let all = |several: &Several| several.ask_with(&memo, found_in_all);
    all(&several);
    let (before, entries) = (memo.bytes(), several.repos.len());
    all(&several);
    assert_eq!(memo.bytes(), before, "nothing is found twice");
    // A file of a repository that no other imports: what the files see is found again, the mentions are not.
    several.repos[entries - 1].1.write(&[("README.md", Some(b"Nothing.\n"))]);
    let seen = several.ask_with(&memo, |workspace, source| {
        all_ids(workspace, source).iter().for_each(|id| drop(workspace.out_edges(*id).unwrap()));
        memo.bytes() - before
    });
    let mut fresh = 0;
    let other = CrossingMemo::default();
    several.ask_with(&other, |workspace, source| {
        all_ids(workspace, source).iter().for_each(|id| drop(workspace.out_edges(*id).unwrap()));
        fresh = other.bytes();
    });
    assert!(seen < fresh, "{seen} bytes were found again of {fresh}");
}

#[test]
fn versions_asked_for_and_declared_are_those_of_manifests() {
    let several = Several::of(include_str!("../workspaces/versions.txt"));
    let versions = |workspace: &Workspace<'_>| -> BTreeSet<String> {
        let or_none = |version: Option<String>| version.unwrap_or_else(|| "-".to_owned());
        let shown = workspace.package_versions().unwrap().into_iter().map(|one| {
            let (asked, declared) = (or_none(one.asked), or_none(one.declared));
            format!("{} {} {asked} | {} {declared}", one.importer, one.package, one.owner)
        });
        shown.collect()
    };
    let memo = CrossingMemo::default();
    for _ in 0..2 {
        let (before, out) = several.ask_with(&memo, |workspace, source| {
            let before = versions(workspace);
            all_ids(workspace, source).iter().for_each(|id| drop(workspace.out_edges(*id).unwrap()));
            (before, versions(workspace))
        });
        assert!(before.is_empty(), "no edge was asked for: {before:#?}");
        assert_eq!(out, several.expected, "{out:#?}");
    }
    let into = several.ask(|workspace, source| {
        all_ids(workspace, source).iter().for_each(|id| drop(workspace.in_edges(*id, 100).unwrap()));
        versions(workspace)
    });
    assert_eq!(into, several.expected, "{into:#?}");
}
