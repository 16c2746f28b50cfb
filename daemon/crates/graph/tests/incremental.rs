//! Resolving what a change can touch gives what resolving everything gives.

#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use sdl_graph::testing::Repo;
use sdl_ledger::Resolved;
use sdl_model::RelPath;

/// Paths, each with a few versions of its text. They import, re-export, inherit, shadow and name each other.
const POOL: &[(&str, &[&str])] = &[
    (
        "pkg/__init__.py",
        &[
            "",
            "from .a import A, f\n",
            "from .b import *\nfrom .a import *\n",
            "from . import a, b\nfrom .c import A\n",
        ],
    ),
    (
        "pkg/a.py",
        &[
            "class A:\n    def m(self):\n        return self\n\ndef f():\n    return A()\n",
            "from .b import B\nclass A(B):\n    pass\n\ndef f() -> B:\n    return A()\n",
            "from .b import A, f\n",
            "def f():\n    pass\n\nclass A:\n    x = 1\n    def n(self):\n        f()\n",
        ],
    ),
    (
        "pkg/b.py",
        &[
            "class B:\n    def m(self):\n        self.n()\n    def n(self):\n        pass\n",
            "from .a import A, f\nclass B(A):\n    def only(self):\n        f()\n",
            "__all__ = ['B']\nfrom .c import f\nclass B:\n    def m(self):\n        f()\n",
            "from .c import *\n",
        ],
    ),
    (
        "pkg/c.py",
        &[
            "from pkg import A\ndef f():\n    return A().m()\n",
            "from pkg.b import *\nclass A(B):\n    def special(self):\n        self.m()\n",
            "def f():\n    return f()\n",
        ],
    ),
    (
        "main.py",
        &[
            "import pkg\nfrom pkg import f, A\n\ndef main():\n    f().m()\n    A().n()\n    pkg.a.f()\n",
            "from pkg.b import B\n\ndef main(x, b: B):\n    b.m()\n    x.only()\n    x.special()\n",
            "from pkg.c import A\n\ndef main():\n    a = A()\n    a.special()\n    a.m().n()\n",
        ],
    ),
    ("pkg.py", &["def f():\n    pass\n"]),
    ("pkg/a/__init__.py", &["def f():\n    pass\n"]),
    (
        "other.py",
        &[
            "class Z:\n    def only(self):\n        pass\n",
            "class Z:\n    def special(self):\n        pass\n",
        ],
    ),
];

#[derive(Clone, Debug)]
struct Edit {
    file: usize,
    /// None removes the file.
    text: Option<usize>,
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let edit = (0..POOL.len(), prop::option::weighted(0.85, 0..4usize))
        .prop_map(|(file, text)| Edit { file, text: text.map(|text| text % POOL[file].1.len()) });
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..8)
}

fn apply(repo: &mut Repo, batch: &[Edit]) -> BTreeSet<RelPath> {
    let mut changed = BTreeSet::new();
    for edit in batch {
        let (name, texts) = POOL[edit.file];
        let path = RelPath::new(name).unwrap();
        match edit.text {
            Some(text) => support::add(repo, name, texts[text]),
            None => repo.remove(&path),
        }
        changed.insert(path);
    }
    changed
}

fn differing(old: &HashMap<u64, u64>, new: &HashMap<u64, u64>) -> BTreeSet<u64> {
    let keys = old.keys().chain(new.keys());
    keys.filter(|key| old.get(key) != new.get(key)).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_fresh(history in edits()) {
        let mut repo = Repo::default();
        let mut known: BTreeMap<RelPath, Resolved> = BTreeMap::new();
        for batch in history {
            let before = repo.answers();
            let changed = apply(&mut repo, &batch);
            let differing = differing(&before, &repo.answers());
            known.retain(|path, _| repo.facts(path).is_some());
            let dirty: BTreeSet<RelPath> = repo
                .files()
                .map(|(path, _)| path.clone())
                .filter(|path| {
                    changed.contains(path)
                        || known.get(path).is_none_or(|one| one.asked.iter().any(|key| differing.contains(key)))
                })
                .collect();
            let again = repo.resolve(|path| dirty.contains(path)).unwrap();
            known.extend(again);
            let fresh = repo.resolve(|_| true).unwrap();
            prop_assert_eq!(&known, &fresh);
            // One file at a time, without what a batch remembers.
            for (path, one) in &fresh {
                let alone = repo.resolve(|other| other == path).unwrap();
                prop_assert_eq!(&alone[path], one, "{}", path);
            }
        }
    }
}
