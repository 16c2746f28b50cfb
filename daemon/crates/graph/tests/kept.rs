//! Outcomes that outlive an edit of their file: which scopes are resolved again, and that the result is that of resolving everything.
#![allow(clippy::unwrap_used, reason = "a test that has no result must fail")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sdl_graph::KeptIndexes;
use sdl_graph::testing::{Repo, steps_taken};
use sdl_ledger::Resolved;
use sdl_model::RelPath;

/// A tree and what a daemon keeps of it.
struct Live {
    repo: Repo,
    kept: KeptIndexes,
}

impl Live {
    fn of(files: &[(&str, &str)]) -> Self {
        let mut live = Self { repo: Repo::default(), kept: KeptIndexes::with_limit(1 << 28) };
        for (path, text) in files {
            support::add(&mut live.repo, path, text);
        }
        live.repo.resolve_with(&mut live.kept, |_| true).unwrap();
        live
    }

    /// Writes a file and resolves it with the kept outcomes. Returns its edges as text, and the steps that it took.
    fn write(&mut self, path: &str, text: &str) -> (Vec<String>, u64) {
        let before = self.repo.answers();
        support::add(&mut self.repo, path, text);
        self.kept.forget_changed(&before.differing(&self.repo.answers()));
        let is_it = |one: &RelPath| one.as_str() == path;
        let steps = steps_taken();
        let found = self.repo.resolve_with(&mut self.kept, is_it).unwrap();
        let steps = steps_taken() - steps;
        assert_eq!(found, self.repo.resolve(is_it).unwrap(), "{path}");
        (self.edges(&found), steps)
    }

    fn edges(&self, found: &BTreeMap<RelPath, Resolved>) -> Vec<String> {
        support::edges(&self.repo, found, &["call"])
    }
}

/// An edit of `path` from the first text to the second one: the calls that it adds and takes away.
fn edit(others: &[(&str, &str)], path: &str, [first, second]: [&str; 2]) -> [Vec<String>; 2] {
    let mut live = Live::of(others);
    let (was, _) = live.write(path, first);
    let (is, _) = live.write(path, second);
    let without = |all: &[String], other: &[String]| -> Vec<String> {
        all.iter().filter(|edge| !other.contains(edge)).cloned().collect()
    };
    [without(&is, &was), without(&was, &is)]
}

/// A driver with forty functions, the last one with this line in it.
fn driver(line: &str) -> String {
    let mut text = String::from("#include \"driver.h\"\nstruct ops ops = { .start = start0 };\n");
    for number in 0..40 {
        let line = if number == 39 { line } else { "" };
        let _ = write!(
            text,
            "static int start{number}(struct device *dev, int flags)\n{{\n{line}\tdev->count = flags;\n\
             \tlog_device(dev->name);\n\treturn reserve(dev->ops->line, flags);\n}}\n"
        );
    }
    text
}

#[test]
fn an_edit_of_one_function_resolves_that_one() {
    let header = "struct lines { int line; };\nstruct device { int count; char *name; struct lines *ops; };\n\
                  void log_device(char *name);\nint reserve(int line, int flags);\nint release(int line);\n";
    let mut live = Live::of(&[("src/driver.h", header)]);
    let (_, first) = live.write("src/driver.c", &driver(""));
    let (found, again) = live.write("src/driver.c", &driver("\trelease(7);\n"));
    assert!(found.iter().any(|edge| edge.contains("start39") && edge.contains("release")), "{found:?}");
    assert!(again * 5 < first, "{again} steps, and {first} for the whole file");
}

#[test]
fn a_function_that_moves_is_not_resolved_again() {
    let mut live = Live::of(&[("src/driver.h", "void log_device(char *name);\n")]);
    let (was, first) = live.write("src/driver.c", &driver(""));
    let moved = driver("").replace("struct ops ops", "/* Two\n   lines. */\nstruct ops ops");
    let (is, again) = live.write("src/driver.c", &moved);
    assert_eq!(was, is);
    assert!(again * 5 < first, "{again} steps, and {first} for the whole file");
}

#[test]
fn a_rest_leaves_what_there_is_room_for() {
    let steps = |bytes| {
        let mut live = Live::of(&[("src/driver.h", "void log_device(char *name);\n")]);
        let (_, first) = live.write("src/driver.c", &driver(""));
        live.kept.shrink_to(bytes);
        let (_, again) = live.write("src/driver.c", &driver("\tlog_device(0);\n"));
        [first, again]
    };
    let [first, again] = steps(1 << 20);
    assert!(again * 5 < first, "{again} steps, and {first} for the whole file");
    let [first, again] = steps(0);
    assert!(again >= first, "{again} steps, and {first} for the whole file");
}

#[test]
fn what_another_function_passes_counts() {
    let text = "def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef run(f):\n    f()\n\n\ndef start():\n    run(a)\n";
    let [new, gone] = edit(&[], "app.py", [text, &text.replace("run(a)", "run(b)")]);
    assert!(new.iter().any(|edge| edge.contains("run") && edge.contains(":b")), "{new:?}");
    assert!(gone.iter().any(|edge| edge.contains("run") && edge.contains(":a")), "{gone:?}");
}

#[test]
fn what_the_function_around_sets_counts() {
    let text = "def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef outer():\n    held = a\n\n    def inner():\n        \
                held()\n\n    return inner\n";
    let [new, gone] = edit(&[], "app.py", [text, &text.replace("held = a", "held = b")]);
    assert!(new.iter().any(|edge| edge.contains("inner") && edge.contains(":b")), "{new:?}");
    assert!(gone.iter().any(|edge| edge.contains("inner") && edge.contains(":a")), "{gone:?}");
}

#[test]
fn the_place_among_the_variables_of_the_module_counts() {
    let text = "def aaa():\n    pass\n\n\ndef bbb():\n    pass\n\n\nheld = aaa\nx = held()\nheld = bbb\n# One line\n";
    let moved = text.replace("x = held()\nheld = bbb\n# One line\n", "# One line\nheld = bbb\nx = held()\n");
    let [new, gone] = edit(&[], "app.py", [text, &moved]);
    assert!(new.iter().any(|edge| edge.contains(":bbb")), "{new:?}");
    assert!(gone.iter().any(|edge| edge.contains(":aaa")), "{gone:?}");
}

#[test]
fn another_definition_in_the_file_counts() {
    let text = "int helper(void);\nint run(void) { return helper(); }\n";
    let helper = [("lib/helper.c", "int helper(void) { return 1; }\n")];
    let own = format!("{text}int helper(void) {{ return 2; }}\n");
    let [new, _] = edit(&helper, "src/app.c", [text, &own]);
    assert!(new.iter().any(|edge| edge.contains("src/app.c:helper")), "{new:?}");
}

#[test]
fn another_file_that_defines_the_name_counts() {
    let mut live = Live::of(&[("src/app.c", "int run(void) { return helper(1); }\n")]);
    live.write("lib/helper.c", "int helper(int x) { return x; }\n");
    let (found, _) = live.write("src/app.c", "/* Calls it. */\nint run(void) { return helper(1); }\n");
    assert!(found.iter().any(|edge| edge.contains("lib/helper.c:helper")), "{found:?}");
}
