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
    (
        "web/index.ts",
        &[
            "export * from './a';\n",
            "export { A as B, f } from './a';\nexport * from './b';\n",
            "export * from '.';\n",
        ],
    ),
    (
        "web/a.ts",
        &[
            "export class A { go() { this.stop(); } stop() {} }\nexport function f(): A { return new A(); }\n",
            "import { B } from './b';\nexport class A extends B {}\nexport const f = () => new A();\n",
            "export type Visit = (b: B) => void;\nexport function f(v: Visit) {}\nexport class B { go() {} }\n",
        ],
    ),
    (
        "web/b.ts",
        &[
            "import { A, f } from '.';\nexport class B { go() { f().go(); } }\nexport function g(a: A) { a.stop(); }\n",
            "import { f } from './index';\nexport function g() { f((b) => b.go()); }\n",
            "export { A } from './a';\nexport class B { stop() {} }\n",
        ],
    ),
    ("web/a/index.ts", &["export function f() {}\n"]),
    (
        "src/lib.rs",
        &[
            "pub mod a;\nmod b;\npub use a::*;\npub fn top() { make().go(); }\n",
            "mod a;\nmod b;\nuse b::{make, Thing};\npub fn top(t: Thing) { make().go(); t.stop(); }\n",
        ],
    ),
    (
        "src/a.rs",
        &[
            "use crate::b::Thing;\npub fn make() -> Thing { Thing::new() }\n",
            "pub use crate::b::*;\nimpl Thing { pub fn stop(&self) { self.go() } }\n",
            "pub trait Go { fn go(&self) { self.stop() } fn stop(&self); }\n",
        ],
    ),
    (
        "src/b.rs",
        &[
            "pub struct Thing;\nimpl Thing { pub fn new() -> Self { Self } pub fn go(&self) {} }\npub fn make() -> Thing { Thing }\n",
            "use crate::a::Go;\npub struct Thing;\nimpl Go for Thing { fn stop(&self) {} }\npub use crate::a::make;\n",
        ],
    ),
    ("src/b/mod.rs", &["pub struct Thing;\n"]),
    (
        "go/a.go",
        &[
            "package p\n\ntype T struct{}\n\nfunc Make() *T { return &T{} }\n\nfunc use() { Make().Go() }\n",
            "package p\n\ntype T []*U\n\nfunc use(t T) { for _, u := range t { u.Go() } }\n",
        ],
    ),
    (
        "go/b.go",
        &[
            "package p\n\nfunc (t *T) Go() { use() }\n",
            "package p\n\ntype U struct{ *T }\n\nfunc (u *U) Go() { u.Stop() }\n\nfunc (t T) Stop() {}\n",
        ],
    ),
    (
        "c/a.c",
        &[
            "#include \"a.h\"\nvoid f(void) { g(); h(); }\n",
            "static void g(void) {}\nvoid f(void) { g(); h(); }\n",
        ],
    ),
    ("c/a.h", &["void g(void);\n#include \"b.h\"\n", "#define g() 1\n"]),
    ("c/b.h", &["static void g(void) {}\n", "#include \"a.h\"\n"]),
    ("c/b.c", &["void g(void) {}\nvoid h(void) {}\n", "static void h(void) {}\n"]),
    (
        "cpp/a.h",
        &[
            "namespace n { class A { public: void f(); void g() { f(); } }; void h(); }\n",
            "#include \"b.h\"\nnamespace n { class A : public B { public: void f(); }; }\n",
        ],
    ),
    (
        "cpp/b.h",
        &[
            "#include \"a.h\"\nnamespace n { class B { public: void k(); }; }\n",
            "namespace n { void h(); }\n",
        ],
    ),
    (
        "cpp/a.cpp",
        &[
            "#include \"a.h\"\nnamespace n { void A::f() { g(); k(); h(); } void h() {} }\n",
            "#include \"b.h\"\nusing namespace n;\nvoid use(A* a) { a->f(); a->k(); h(); }\n",
        ],
    ),
    ("cpp/b.cpp", &["#include \"b.h\"\nvoid n::B::k() { f(); }\n", "namespace n { void h() {} }\n"]),
    (
        "java/p/A.java",
        &[
            "package p;\npublic class A extends B { void f() { g(1); h(); } void g(int i) {} void g(String s) {} }\n",
            "package p;\nimport q.*;\npublic class A { C c; void f() { c.g(); new B().h(); } }\n",
        ],
    ),
    (
        "java/p/B.java",
        &[
            "package p;\npublic class B { B h() { return this; } }\n",
            "package q;\npublic class B { void h() {} }\n",
        ],
    ),
    (
        "java/q/C.java",
        &[
            "package q;\npublic class C extends p.A { void g() { f(); super.f(); } }\n",
            "package p;\npublic class C { void g() {} }\n",
        ],
    ),
];

/// Files that have to do with each other, so that edits meet.
const GROUPS: &[&str] = &["", "web/", "src/", "go/", "c/", "cpp/", "java/"];

fn in_group(group: usize, name: &str) -> bool {
    match GROUPS[group] {
        "" => GROUPS[1..].iter().all(|other| !name.starts_with(other)),
        prefix => name.starts_with(prefix),
    }
}

#[derive(Clone, Debug)]
struct Edit {
    file: usize,
    /// None removes the file.
    text: Option<usize>,
}

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    (0..GROUPS.len()).prop_flat_map(|group| {
        let files: Vec<usize> = (0..POOL.len()).filter(|file| in_group(group, POOL[*file].0)).collect();
        let edit = (prop::sample::select(files), prop::option::weighted(0.85, 0..4usize))
            .prop_map(|(file, text)| Edit { file, text: text.map(|text| text % POOL[file].1.len()) });
        prop::collection::vec(prop::collection::vec(edit, 1..4), 1..8)
    })
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
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

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
