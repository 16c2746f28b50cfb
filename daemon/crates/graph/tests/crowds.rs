//! With many definitions of one name in one file, the cost grows with their number, not its square, and none is taken
//! for another.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that has no result must fail")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sdl_graph::testing::{Repo, steps_taken};
use sdl_model::Lang;

/// A file with a part that can be repeated.
struct Shape {
    path: String,
    begin: String,
    repeated: String,
    end: String,
}

/// The shapes in `crowds/`, where each language has a file: a path with the file's beginning, its repeated part, its end.
fn shapes() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for (name, text) in texts("crowds") {
        for (part, text) in support::parts(&text) {
            let text = if text.is_empty() { String::new() } else { format!("{text}\n") };
            match (part.strip_prefix('/'), part, shapes.last_mut()) {
                (Some(path), ..) => {
                    let (repeated, end) = (String::new(), String::new());
                    shapes.push(Shape { path: path.to_owned(), begin: text, repeated, end });
                }
                (None, "repeated", Some(last)) => last.repeated = text,
                (None, "end", Some(last)) => last.end = text,
                _ => panic!("{name}: a part called {part}"),
            }
        }
    }
    shapes
}

/// The texts in a folder of the tests, each with its language's name.
fn texts(folder: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    texts.map(read).collect()
}

#[test]
fn each_deep_language_has_a_crowd_and_a_workspace() {
    // These are resolved as TypeScript.
    let other = |lang: &Lang| matches!(lang, Lang::Tsx | Lang::Vue | Lang::Svelte);
    let deep = Lang::ALL.into_iter().filter(|lang| lang.has_code() && !lang.is_shallow() && !other(lang));
    let wanted: BTreeSet<String> = deep.map(|lang| lang.name().to_owned()).collect();
    for folder in ["crowds", "workspaces"] {
        assert_eq!(texts(folder).into_keys().collect::<BTreeSet<_>>(), wanted, "{folder}");
    }
}

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
    for Shape { path, begin, repeated: unit, end } in shapes() {
        let of = |count: usize| steps(&path, &format!("{begin}{}{end}", unit.repeat(count)));
        let (some, more) = (of(1_000), of(4_000));
        // The square of their number would be sixteen times as much.
        if more > some * 5 + 1_000 {
            wrong.push(format!("{path}: {some} steps for 1,000 and {more} for 4,000 of {unit}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn the_owner_of_a_member_outside_its_type_is_worked_out_once() {
    // The type of `b` is worked out once only if nothing that it takes was cut.
    let lines = format!("\tauto b = make(){};\n{}", ".next()".repeat(10), "\tb.next();\n".repeat(200));
    let types = "struct B { B next(); };\nB make();\n";
    let inside = format!("{types}struct A {{\nint count;\nvoid go() {{\n{lines}}}\n}};\n");
    let outside = format!("{types}struct A {{\nint count;\nvoid go();\n}};\nvoid A::go() {{\n{lines}}}\n");
    let [inside, outside] = [inside, outside].map(|text| steps("a.cpp", &text));
    assert!(outside < inside * 2, "{outside} steps, and {inside} for one inside its type");
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
