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

const RUST: &[&str] = &[
    "use A::B;",
    "use A::*;",
    "pub use super::A::B as C;",
    "pub mod A { pub use super::B::*; pub fn C() { B() } }",
    "pub struct A { B: B, C: Vec<C> }",
    "pub type A = B<C>;",
    "pub trait A: B { type C: A; fn B(&self) -> Self::C; }",
    "impl A for B { type C = Self::C; fn B(&self) -> Self::C { self.B() } }",
    "impl<T: A> B for T { fn C(self) -> T { self.C().C() } }",
    "impl A { fn B(self) -> B { self.C.B().C } fn C() -> Self { Self::C() } }",
    "pub fn A(B: C) -> impl Fn(B) -> C { move |B| C(B).A() }",
    "pub const A: B = B(C);",
    "macro_rules! A { () => { B!(); C!() } }",
    "fn A() { let B = C; let B = |C| B(C); for A in B { A(B) } B.A(); }",
    "impl std::ops::Deref for A { type Target = B; fn deref(&self) -> &B { self } }",
];

const JAVA: &[&str] = &[
    "class A extends B { C C; B A() { return C.A().B; } }",
    "class A<B extends A<B>> { B C(B B) { return B.C(B); } }",
    "interface A extends B, C { default B A() { return this::A; } }",
    "enum A { B, C { A A() { return B.A(); } }; A A() { return C; } }",
    "record A(B B, C C) { A { B = C.B(); } A(B B) { this(B, B.A()); } }",
    "class A { class B extends A.B { C C = new C() { B A() { return this.B(); } }; } }",
    "class A { static B C = A.C; B C() { var B = C; return (A) -> B.C(A); } }",
    "import static A.*;",
];

const GO: &[&str] = &[
    "type A B",
    "type A = B",
    "type A struct { B; *C; A []A }",
    "type A interface { B; C() A }",
    "type A func(B) A",
    "func (A A) B() C { return A.B().C() }",
    "func (B *A) C(C B) B { return B.C(C.A) }",
    "func A[B A[B]](C B) B { return A(A(C)) }",
    "var A = B",
    "var A = func(B C) B { return A(B) }",
    "var A, B = B()",
    "const A = B + A",
    "func A() { for B, C := range A { B(C); C, B := B, C; C(B) } }",
];

const RUBY: &[&str] = &[
    "A = B",
    "module A; include B; extend A; def C; B.C { |A| A.C } end; end",
    "class A < B; C = A::C; def A; @B ||= C.A; @B.A; end; end",
    "class A; alias B C; alias C B; define_method(:A) { B }; end",
    "A = ->(B) { B.(A) }",
    "def A(B = A) = B.C(&A)",
];

const PHP: &[&str] = &[
    "<?php class A extends B { use C; public $B; function C() { return $this->B->C(); } }",
    "<?php trait A { use A, B { B::C as A; } function C(): static { return $this->C(); } }",
    "<?php interface A extends B, C { const B = self::B; }",
    "<?php function A($B = A) { return fn($C) => A($B)($C)->A; }",
    "<?php use A\\B as C;",
];

const CPP: &[&str] = &[
    "template <class A> struct B : A { using C = typename B<A>::C; C A(); };",
    "struct A : B { A *B; C operator->(); };",
    "using A = B<C>;",
    "typedef A B;",
    "namespace A { using namespace B; namespace C = A; }",
    "auto A = [](auto B) { return A(B).C; };",
    "#define A B(A)",
    "A B(C A) { return A->B(B)->C; }",
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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn python_ends(first in lines_of(PYTHON), second in lines_of(PYTHON)) {
        resolve_on_small_stack(vec![
            ("p/__init__.py".to_owned(), String::new()),
            ("p/a.py".to_owned(), first),
            ("p/b.py".to_owned(), second),
        ]);
    }

    #[test]
    fn compiled_languages_end(
        (rust, java, go) in (lines_of(RUST), lines_of(JAVA), lines_of(GO)),
        cpp in lines_of(CPP),
    ) {
        resolve_on_small_stack(vec![
            ("Cargo.toml".to_owned(), "[package]\nname = \"a\"\n".to_owned()),
            ("src/lib.rs".to_owned(), rust),
            ("A.java".to_owned(), java),
            ("go.mod".to_owned(), "module a\n".to_owned()),
            ("a.go".to_owned(), format!("package a\n{go}")),
            ("a.cpp".to_owned(), cpp),
        ]);
    }

    #[test]
    fn other_scripts_end(ruby in lines_of(RUBY), php in lines_of(PHP)) {
        let php = format!("<?php\n{}", php.replace("<?php ", ""));
        resolve_on_small_stack(vec![("a.rb".to_owned(), ruby), ("a.php".to_owned(), php)]);
    }

    #[test]
    fn scripts_end(first in lines_of(SCRIPT), second in lines_of(SCRIPT), typed in any::<bool>()) {
        let ending = if typed { "ts" } else { "js" };
        resolve_on_small_stack(vec![(format!("a.{ending}"), first), (format!("b.{ending}"), second)]);
    }
}
