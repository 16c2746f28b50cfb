//! With many definitions of one name in one file, the cost grows with their number, not its square, and none is taken
//! for another.

#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use sdl_graph::testing::{Repo, steps_taken};

/// A file's beginning, its repeated part, and its end.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("a.c", "", "void f(void) { f(); }\n", ""),
    ("a.c", "", "extern int x; int g(void) { return x; }\n", ""),
    ("a.cpp", "", "void f() { f(); }\n", ""),
    ("a.cpp", "", "void f(int a) { f(1); }\n", ""),
    ("a.cpp", "struct A { void f(); };\n", "void A::f() { f(); }\n", ""),
    ("a.cpp", "struct A { void f(); };\n", "void A::f() { this->f(); }\n", ""),
    ("a.cpp", "struct A {\n", "A(int x) { A a(1); }\n", "};\n"),
    ("a.cpp", "", "namespace n { void f() { n::f(); } }\n", ""),
    ("A.java", "class A {\n", "void f() { f(); }\n", "}\n"),
    ("A.java", "class A {\n", "void f(int a) { this.f(1); }\n", "}\n"),
    ("A.java", "class A {\n", "A(int x) { new A(1); }\n", "}\n"),
    ("A.java", "", "class A { void f() { new A().f(); } }\n", ""),
    ("A.kt", "", "fun f() { f() }\n", ""),
    ("A.kt", "class A {\n", "fun f() { f() }\n", "}\n"),
    ("A.kt", "", "fun String.f() { \"a\".f() }\n", ""),
    ("A.cs", "class A {\n", "void f() { f(); }\n", "}\n"),
    ("A.cs", "class A {\n", "A(int x) { new A(1); }\n", "}\n"),
    ("a.go", "package a\n", "func f() { f() }\n", ""),
    ("a.go", "package a\ntype A struct{}\n", "func (a A) f() { a.f() }\n", ""),
    ("a.rs", "", "fn f() { f(); }\n", ""),
    ("a.rs", "struct A;\n", "impl A { fn f(&self) { self.f(); } }\n", ""),
    ("a.rs", "struct A; trait T {}\n", "impl T for A { fn f(&self) { self.f(); } }\n", ""),
    ("a.ts", "", "function f() { f(); }\n", ""),
    ("a.ts", "class A {\n", "f() { this.f(); }\n", "}\n"),
    ("a.js", "", "function f() { f(); }\n", ""),
    ("a.py", "", "def f(): f()\n", ""),
    ("a.py", "class A:\n", "  def f(self): self.f()\n", ""),
    ("a.php", "<?php\n", "function f() { f(); }\n", ""),
    ("a.rb", "", "def f() f() end\n", ""),
    ("a.sh", "", "f() { f; }\n", ""),
];

/// The number of definitions that are visited while a file is resolved.
fn steps(path: &str, text: &str) -> u64 {
    let mut repo = Repo::default();
    support::add(&mut repo, path, text);
    let before = steps_taken();
    repo.resolve(|_| true).unwrap();
    steps_taken() - before
}

#[test]
fn work_grows_with_the_number_of_definitions() {
    let mut wrong = Vec::new();
    for (path, begin, unit, end) in SHAPES {
        let of = |count: usize| steps(path, &format!("{begin}{}{end}", unit.repeat(count)));
        let (some, more) = (of(1_000), of(4_000));
        // The square of their number would be sixteen times as much.
        if more > some * 5 + 1_000 {
            wrong.push(format!("{path}: {some} steps for 1,000 and {more} for 4,000 of {unit}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn of_very_many_overloads_none_is_guessed() {
    let edges = |count: usize| {
        let mut repo = Repo::default();
        let overloads: String = (0..count).map(|i| format!("void f(T{i} a) {{ }}\n")).collect();
        support::add(
            &mut repo,
            "A.java",
            &format!("class A {{\n{overloads}void run(T7 a) {{ f(a); }}\n}}\n"),
        );
        let resolved = repo.resolve(|_| true).unwrap();
        support::edges(&repo, &resolved, &["call"])
    };
    assert_eq!(edges(30).len(), 1, "{:?}", edges(30));
    assert!(edges(300).is_empty(), "{:?}", edges(300));
}
