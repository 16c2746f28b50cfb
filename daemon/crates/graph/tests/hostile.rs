//! Input made to be slow or endless is resolved all the same, in bounded time.

#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use std::fmt::Write;

use sdl_graph::testing::Repo;

fn resolve(files: &[(String, String)]) -> Vec<String> {
    let mut repo = Repo::default();
    for (path, text) in files {
        support::add(&mut repo, path, text);
    }
    let resolved = repo.resolve(|_| true).unwrap();
    support::edges(&repo, &resolved, &["call", "implements"])
}

#[test]
fn import_cycles_end() {
    let files: Vec<_> = (0..40)
        .map(|i| {
            let next = (i + 1) % 40;
            let text =
                format!("from .m{next} import *\nfrom .m{next} import thing\n\ndef use{i}():\n    thing()\n");
            (format!("p/m{i}.py"), text)
        })
        .chain([("p/__init__.py".to_owned(), "from . import m0\nfrom . import *\n".to_owned())])
        .collect();
    assert!(resolve(&files).is_empty());
}

#[test]
fn long_chains_are_followed_only_so_far() {
    let files: Vec<_> = (0..200)
        .map(|i| {
            let text = match i {
                199 => "def thing():\n    pass\n".to_owned(),
                _ => format!("from m{} import thing\n\ndef use{i}():\n    thing()\n", i + 1),
            };
            (format!("m{i}.py"), text)
        })
        .collect();
    let edges = resolve(&files);
    assert!(edges.iter().any(|edge| edge.starts_with("m198.py:use198 ")));
    assert!(!edges.iter().any(|edge| edge.starts_with("m0.py:use0 ")));
}

#[test]
fn a_small_stack_is_enough() {
    let mut text = String::new();
    for i in 0..60 {
        let nested = format!("{}f{}(){}", format!("f{}(", i + 1).repeat(30), i + 1, ")".repeat(30));
        writeln!(text, "function f{i}(a) {{ const x = {{ m: {nested} }}; return x.m; }}").unwrap();
    }
    let files = vec![("a.js".to_owned(), text + "function last() { f0().go().on(); }\n")];
    // As much as the resolver wants to have left before each step, and a little to begin with.
    let small = std::thread::Builder::new().stack_size(512 << 10);
    assert!(!small.spawn(move || resolve(&files)).unwrap().join().unwrap().is_empty());
}

#[test]
fn names_that_lead_to_themselves_end() {
    // On a thread as small as a repository's worker has: an endless chain ends the whole process.
    let on_small_stack = |files: Vec<(String, String)>| {
        let small = std::thread::Builder::new().stack_size(2 << 20);
        small.spawn(move || resolve(&files)).unwrap().join().unwrap()
    };
    let rust = "use quick::quick;\npub fn quick() {}\npub fn run() { quick::go(); quick(); }\n";
    let manifest = "[package]\nname = \"a\"\n";
    let edges = on_small_stack(vec![
        ("Cargo.toml".to_owned(), manifest.to_owned()),
        ("src/lib.rs".to_owned(), rust.to_owned()),
    ]);
    assert!(edges.iter().any(|edge| edge.contains("run")), "{edges:?}");
    let script = "export const make: make.Kind = function () { return 1; };\n\
                  export function run() { const one = new make(); one.go(); return make.other(); }\n";
    let _ = on_small_stack(vec![("a.ts".to_owned(), script.to_owned())]);
    // A table that takes over itself, directly or through another.
    let tables = "class Parser:\n    ONE = {**Parser.ONE}\n    TWO = {**Parser.THREE}\n    THREE = {**Parser.TWO}\n\n\
                  def run(key):\n    Parser.ONE['a']()\n    Parser.TWO[key]()\n    Parser.ONE.get(key)()\n    \
                  for one in Parser.ONE.values():\n        one()\n    LATER['b']()\n    LATER[key]()\n\n\
                  LATER = {**LATER}\n";
    let _ = on_small_stack(vec![("a.py".to_owned(), tables.to_owned())]);
    // A default of the same name as its parameter.
    let loops = "def run(jobs):\n    return [lambda job=job: job() for job in jobs]\n\n\
                 def keep(job):\n    return lambda job=job: job()\n\n\
                 def pass_on(job):\n    return lambda given=given.next: given()\n";
    let _ = on_small_stack(vec![("a.py".to_owned(), loops.to_owned())]);
    let objects = "const one = { ...one, a: 1 };\nconst two = { ...three };\nconst three = { ...two };\n\
                   export function run(key) { one.b(); one[key](); two.c(); two[key](); }\n";
    for name in ["a.js", "a.ts"] {
        let _ = on_small_stack(vec![(name.to_owned(), objects.to_owned())]);
    }
}

#[test]
fn inheritance_cycles_end() {
    let text = "class A(B):\n    pass\n\nclass B(C):\n    pass\n\nclass C(A):\n    def f(self):\n        self.g()\n        super().h()\n";
    let edges = resolve(&[("a.py".to_owned(), text.to_owned())]);
    assert_eq!(edges.len(), 3, "three bases and nothing else: {edges:?}");
}

#[test]
fn a_diamond_of_diamonds_is_linear() {
    let mut text = "class L0:\n    def f(self):\n        pass\n\nclass R0:\n    pass\n".to_owned();
    for i in 1..60 {
        let before = i - 1;
        for side in ["L", "R"] {
            let _ = write!(text, "\nclass {side}{i}(L{before}, R{before}):\n    pass\n");
        }
    }
    text.push_str("\ndef use(x: L59):\n    x.f()\n");
    let _ = resolve(&[("a.py".to_owned(), text)]);
}

#[test]
fn values_that_double_are_cut() {
    let mut text = "class A:\n    def f(self):\n        return self\n\nx0 = A()\n".to_owned();
    for i in 1..200 {
        let before = i - 1;
        let _ = writeln!(text, "x{i} = (x{before}, x{before}) if x{before} else [x{before}, x{before}]");
    }
    text.push_str("\ndef use():\n    x199[0][1].f()\n    x3.f()\n");
    let _ = resolve(&[("a.py".to_owned(), text)]);
}

#[test]
fn functions_that_return_each_other_end() {
    let mut text = String::new();
    for i in 0..60 {
        let (a, b) = ((i * 7 + 1) % 60, (i * 11 + 3) % 60);
        let _ =
            writeln!(text, "def f{i}(x):\n    if x:\n        return f{a}(x)\n    return f{b}(x).f{a}()\n");
    }
    let edges = resolve(&[("a.py".to_owned(), text)]);
    assert!(edges.len() >= 60);
}

#[test]
fn types_that_hold_themselves_end() {
    let mut java = "class A<T> extends A<B<T>> { T a; B<A<T>> b; }\nclass B<T> extends C<B<B<T>>> { T get() { return null; } }\n\
                    class C<T extends C<T>> extends B<A<T>> { C<T> next; }\n"
        .to_owned();
    let chain = ".next.b.get()".repeat(60);
    let _ = writeln!(java, "class Use {{ void f(C<C<C<C<C<C<C<A<B<C>>>>>>>>> c) {{ c{chain}.get(); }} }}");
    // A wide and deep lattice of generic bases.
    for level in 0..6 {
        for i in 0..12 {
            let bases: Vec<_> = (0..12).map(|j| format!("I{}x{j}<T>", level + 1)).collect();
            let _ = writeln!(java, "interface I{level}x{i}<T> extends {} {{}}", bases.join(", "));
        }
    }
    for i in 0..12 {
        let _ = writeln!(java, "interface I6x{i}<T> {{ T get{i}(); }}");
    }
    java.push_str("class Last { void f(I0x0<Last> i) { i.get11().f(null); } }\n");
    let rust = "pub struct W<T>(T);\nimpl<T> std::ops::Deref for W<T> { type Target = W<W<T>>; fn deref(&self) -> &W<W<T>> { panic!() } }\n\
                impl<T> Iterator for W<T> { type Item = W<Self>; fn next(&mut self) -> Option<W<Self>> { None } }\n\
                pub fn f(w: W<W<u8>>) { for a in w { for b in a { b.missing(); b.next().unwrap().next(); } } }\n";
    let edges = resolve(&[("A.java".to_owned(), java), ("src/lib.rs".to_owned(), rust.to_owned())]);
    assert!(edges.iter().any(|edge| edge.contains("Last.f -call-> A.java:I6x11.get11")), "{edges:?}");
}
