//! Programs of few names, in which most values lead to themselves: each is resolved on a small stack and in bounded time.
//!
//! An endless lookup ends the whole process, so a failure is an abort and not an assertion.

#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use proptest::prelude::*;
use sdl_graph::testing::Repo;

/// The stack that a repository's worker has.
const STACK: usize = 2 << 20;

/// What a line says, with the names `A`, `B` and `C` to be filled in.
const PYTHON: &[&str] = &[
    "A = B",
    "A = {**B, 'k': C}",
    "A = [B, *C]",
    "A = lambda B=C: B()",
    "A = B or C",
    "A = B.C",
    "A = B['k']",
    "A = {C: B for B in A.items()}",
    "A.B = C",
    "A.B = lambda C=C: C(B)",
    "A['k'] = B",
    "for A in B: A(C)",
    "for A, B in C.items(): B()",
    "with A as B: B.C()",
    "def A(B, C=B): return C(B)",
    "def A(B=A): return [lambda C=B: C() for B in B]",
    "@A\ndef B(C): return B(A)",
    "class A(B): C = B",
    "class A:\n    B = {**A.B}\n    def C(self, A=B): self.B = A; return self.C(self.B)()",
    "A(B, C=A)",
    "A(lambda B=B: B.C())",
    "A.B(C)()",
    "from .b import A as B",
    "from .a import *",
    "import a.b as A",
];

const SCRIPT: &[&str] = &[
    "const A = B;",
    "const A = { ...B, k: C };",
    "const { A, B } = C;",
    "const [A, ...B] = C;",
    "const A = (B = C) => B(A);",
    "const A = B?.C ?? A;",
    "const A = new B(C).A;",
    "const A = { B, C() { return this.B(A); }, get A() { return this.A; } };",
    "A.B = C;",
    "A.B = function (C = B) { return this.C(B); };",
    "A.prototype.B = C.prototype;",
    "function A(B, C = B) { return C(B); }",
    "class A extends B { C = this.C; A(B = this) { return super.A(B.C); } }",
    "for (const A of B) A(C);",
    "A(B, () => C.A());",
    "A[B]().C();",
    "export { A as B } from './b';",
    "export * from './a';",
    "import * as A from './b';",
    "module.exports = { ...require('./b'), A };",
    "Object.assign(A, B, C);",
];

fn lines_of(templates: &'static [&'static str]) -> impl Strategy<Value = String> {
    let name = || prop::sample::select(&["a", "b", "c"][..]);
    let line = (prop::sample::select(templates), name(), name(), name());
    let filled = line.prop_map(|(template, a, b, c)| {
        let whole_names = template.char_indices().map(|(at, letter)| {
            let is_part = |other: Option<char>| other.is_some_and(|other| other.is_ascii_alphanumeric());
            let alone =
                !is_part(template[..at].chars().next_back()) && !is_part(template[at + 1..].chars().next());
            match letter {
                'A' if alone => a.to_owned(),
                'B' if alone => b.to_owned(),
                'C' if alone => c.to_owned(),
                other => other.to_string(),
            }
        });
        whole_names.collect::<String>()
    });
    prop::collection::vec(filled, 1..14).prop_map(|lines| lines.join("\n") + "\n")
}

fn resolve_on_small_stack(files: Vec<(String, String)>) {
    let work = move || {
        let mut repo = Repo::default();
        for (path, text) in &files {
            support::add(&mut repo, path, text);
        }
        let _ = repo.resolve(|_| true).unwrap();
    };
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn python_ends(first in lines_of(PYTHON), second in lines_of(PYTHON)) {
        resolve_on_small_stack(vec![
            ("p/__init__.py".to_owned(), String::new()),
            ("p/a.py".to_owned(), first),
            ("p/b.py".to_owned(), second),
        ]);
    }

    #[test]
    fn scripts_end(first in lines_of(SCRIPT), second in lines_of(SCRIPT), typed in any::<bool>()) {
        let ending = if typed { "ts" } else { "js" };
        resolve_on_small_stack(vec![(format!("a.{ending}"), first), (format!("b.{ending}"), second)]);
    }
}
