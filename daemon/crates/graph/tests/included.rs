//! A header that many files include: a change of it concerns those that use it, not those that include it.
#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use std::collections::BTreeSet;

use sdl_graph::testing::{Repo, is_touched};
use sdl_ledger::{LookupKey, View};
use sdl_model::{FileId, RelPath};

const HEADER: &str = "#include \"types.h\"
int used(int x);
enum mode { ON };
struct other { int state; };
struct task { int state; struct task *owner; };
";

/// Fifty files that include the header and call a function that no other has, and one that uses the header's.
fn tree() -> Repo {
    let mut repo = Repo::default();
    support::add(&mut repo, "include/types.h", "typedef unsigned int u32;\n");
    support::add(&mut repo, "include/common.h", HEADER);
    for number in 0..50 {
        let text = format!(
            "#include \"common.h\"\nstatic int own{number}(void) {{ return 1; }}\n\
             int run{number}(void) {{ return own{number}(); }}\n"
        );
        support::add(&mut repo, &format!("src/f{number}.c"), &text);
    }
    support::add(
        &mut repo,
        "src/user.c",
        "#include \"common.h\"\nint user(void) { return used(fresh()); }\n",
    );
    support::add(
        &mut repo,
        "src/member.c",
        "#include \"common.h\"\nint member(struct task *t) { return t->owner->state + t->flags; }\n",
    );
    repo
}

/// The files that an edit of the header makes the resolver look at again, without the header. The result is that of resolving
/// everything.
fn touched_by(path: &str, text: &str) -> BTreeSet<String> {
    let mut repo = tree();
    let mut known = repo.resolve(|_| true).unwrap();
    let before = repo.answers();
    support::add(&mut repo, path, text);
    let changed = before.differing(&repo.answers());
    let touched: BTreeSet<String> = known
        .iter()
        .filter(|(_, one)| is_touched(&one.asked, &changed))
        .map(|(path, _)| path.to_string())
        .collect();
    known.extend(repo.resolve(|one| one.as_str() == path || touched.contains(one.as_str())).unwrap());
    assert_eq!(known, repo.resolve(|_| true).unwrap());
    touched.into_iter().filter(|one| one != path).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

#[test]
fn a_function_that_nobody_mentions_wakes_nobody() {
    let touched = touched_by("include/common.h", &format!("{HEADER}int nobody_calls(void);\n"));
    assert_eq!(touched, names([]));
}

#[test]
fn another_type_wakes_only_those_that_look_for_its_name() {
    let touched = touched_by("include/common.h", &format!("{HEADER}typedef struct task task_t;\n"));
    assert_eq!(touched, names([]));
    let touched = touched_by("include/common.h", &HEADER.replace("struct task {", "union task {"));
    assert_eq!(touched, names(["src/member.c"]));
}

/// In C++, members of a type may be anywhere.
#[test]
fn another_class_wakes_only_users_of_the_header() {
    let header = "class A { int a; };\nint used(int x);\n";
    let mut repo = Repo::default();
    support::add(&mut repo, "a.hpp", header);
    support::add(&mut repo, "user.cpp", "#include \"a.hpp\"\nint run() { return used(1); }\n");
    support::add(&mut repo, "other.cpp", "#include \"a.hpp\"\nint go() { return 1; }\n");
    let before = (repo.answers(), repo.resolve(|_| true).unwrap());
    support::add(&mut repo, "a.hpp", &header.replace("int a;", "int a, b;"));
    let changed = before.0.differing(&repo.answers());
    let touched = |path: &str| is_touched(&before.1[&RelPath::new(path).unwrap()].asked, &changed);
    assert!(touched("user.cpp") && !touched("other.cpp"));
}

#[test]
fn another_member_wakes_only_those_that_look_for_one_of_its_name() {
    let touched =
        touched_by("include/common.h", &HEADER.replace("int state; struct", "int state, flags; struct"));
    assert_eq!(touched, names(["src/member.c"]));
    let touched =
        touched_by("include/common.h", &HEADER.replace("int state; struct", "int state, nobody; struct"));
    assert_eq!(touched, names([]));
    let touched =
        touched_by("include/common.h", &HEADER.replace("struct task *owner", "struct other *owner"));
    assert_eq!(touched, names(["src/member.c"]));
    let touched = touched_by("include/common.h", &HEADER.replace("int state; }", "struct task *state; }"));
    assert_eq!(touched, names([]), "the member is of another type");
    let touched = touched_by("include/common.h", &HEADER.replace("ON }", "ON, nobody }"));
    assert_eq!(touched, names([]));
}

#[test]
fn another_prototype_wakes_those_that_mention_its_name() {
    let touched =
        touched_by("include/common.h", &HEADER.replace("int used(int x)", "struct task *used(int x)"));
    assert_eq!(touched, names(["src/user.c"]));
}

#[test]
fn a_name_that_a_file_mentions_wakes_it() {
    let touched = touched_by("include/types.h", "typedef unsigned int u32;\nint fresh(void);\n");
    assert_eq!(touched, names(["src/user.c"]));
    let touched = touched_by("include/types.h", "typedef unsigned int u32;\nint own7(int, int);\n");
    assert!(touched.is_subset(&names(["src/f7.c"])), "{touched:?}");
}

/// The type of a variable may depend on a function that its users do not mention.
#[test]
fn another_function_wakes_those_that_reach_it_through_a_variable() {
    let header = "struct R { void go(); };\nstruct Q { void go(); };\ninline R make() { return {}; }\nstatic auto made = make();\n";
    let mut repo = Repo::default();
    support::add(&mut repo, "made.hpp", header);
    support::add(&mut repo, "user.cpp", "#include \"made.hpp\"\nvoid run() { made.go(); }\n");
    let user = RelPath::new("user.cpp").unwrap();
    let before = (repo.answers(), repo.resolve(|path| *path == user).unwrap());
    support::add(&mut repo, "made.hpp", &header.replace("R make", "Q make"));
    let after = (repo.answers(), repo.resolve(|path| *path == user).unwrap());
    assert_ne!(before.1[&user].edges, after.1[&user].edges, "the call is of another type's function");
    assert!(is_touched(&before.1[&user].asked, &before.0.differing(&after.0)));
}

/// Of the files that define the name of a prototype, only that of its function is looked into.
#[test]
fn what_a_linker_does_not_take_is_left_closed() {
    let mut repo = Repo::default();
    for (path, text) in [
        ("api/run.h", "int run(int x);\n"),
        ("api/old.h", "int run(int x);\n"),
        ("api/hook.h", "struct hook { int run; };\n"),
        ("api/caller.c", "#include \"run.h\"\n#include \"hook.h\"\nint go(void) { return run(1); }\n"),
        ("api/run.c", "#include \"run.h\"\nint run(int x) { return x; }\n"),
        ("api/own.c", "static int run(int x) { return x + 1; }\nint own(void) { return run(2); }\n"),
        ("tools/far/run.c", "int run(int x) { return x + 2; }\n"),
    ] {
        support::add(&mut repo, path, text);
    }
    let caller = RelPath::new("api/caller.c").unwrap();
    let resolved = &repo.resolve(|path| *path == caller).unwrap()[&caller];
    let body = RelPath::new("api/run.c").unwrap();
    assert!(
        resolved
            .edges
            .iter()
            .flat_map(|(_, edges)| edges)
            .any(|edge| { repo.symbol_file(edge.to).unwrap() == Some(FileId::of(&body)) })
    );
    let is_asked = |path: &str| {
        let key = LookupKey::Interface(FileId::of(&RelPath::new(path).unwrap()));
        resolved.asked.contains(&key.hash())
    };
    assert!(is_asked("api/run.h") && is_asked("api/run.c"));
    for closed in ["api/old.h", "api/hook.h", "api/own.c", "tools/far/run.c"] {
        assert!(!is_asked(closed), "{closed}");
    }
}

#[test]
fn another_inclusion_wakes_those_that_look_names_up_in_headers() {
    let touched = touched_by("include/common.h", &format!("#include \"more.h\"\n{HEADER}"));
    assert_eq!(touched, names(["src/member.c", "src/user.c"]));
}

/// Two hundred headers that each include the next sixty are 12,000 inclusions. To look them up is no work of the reference that
/// happens to need them.
#[test]
fn a_name_is_found_through_thousands_of_inclusions() {
    let mut repo = Repo::default();
    for number in 0..200 {
        let inclusions: String =
            (number + 1..200).take(60).map(|next| format!("#include \"h{next}.h\"\n")).collect();
        let own = if number == 150 { "inline int deep() { return 1; }\n" } else { "" };
        support::add(&mut repo, &format!("api/h{number}.h"), &format!("{inclusions}{own}"));
    }
    support::add(&mut repo, "api/main.cpp", "#include \"h0.h\"\nint go() { return deep(); }\n");
    let resolved = repo.resolve(|path| path.as_str() == "api/main.cpp").unwrap();
    let edges = resolved.values().flat_map(|one| &one.edges).flat_map(|(_, edges)| edges);
    let targets: BTreeSet<FileId> = edges.filter_map(|edge| repo.symbol_file(edge.to).unwrap()).collect();
    assert!(targets.contains(&FileId::of(&RelPath::new("api/h150.h").unwrap())), "{targets:?}");
}
