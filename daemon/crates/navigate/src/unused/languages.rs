//! How languages run code that no text names.

use sdl_model::lang::Family;
use sdl_model::{Outline, Visibility};
use sdl_retrieve::Sym;

/// What a group of languages lets code do.
struct Habits {
    family: Family,
    /// Members are called by their names alone, on values of any type. So code outside of the repository may call those of
    /// a value that it is given, such as `seekable` of an object that is passed as a file.
    by_name_alone: bool,
    /// Words by which code looks names up while it runs, wherever they are.
    lookups: &'static [&'static str],
    /// Functions of the language that do so, where they are called without a receiver.
    functions: &'static [&'static str],
    /// Members that a runner of tests calls around tests, in files of tests.
    around_tests: &'static [&'static str],
}

impl Habits {
    const fn of(name: &'static str) -> Self {
        Self {
            family: Family::Deep(name),
            by_name_alone: true,
            lookups: &[],
            functions: &[],
            around_tests: &[],
        }
    }
}

const HABITS: &[Habits] = &[
    Habits {
        lookups: &[
            "__dict__",
            "__getattr__",
            "__getattribute__",
            "__subclasses__",
            "attrgetter",
            "getmembers",
            "methodcaller",
        ],
        functions: &["dir", "eval", "exec", "getattr", "globals", "locals", "vars"],
        around_tests: &[
            "setUp",
            "setUpClass",
            "setUpModule",
            "setup",
            "setup_class",
            "setup_function",
            "setup_method",
            "setup_module",
            "tearDown",
            "tearDownClass",
            "tearDownModule",
            "teardown",
            "teardown_class",
            "teardown_function",
            "teardown_method",
            "teardown_module",
        ],
        ..Habits::of("python")
    },
    Habits {
        lookups: &["Reflect", "getOwnPropertyNames", "ownKeys"],
        functions: &["eval"],
        ..Habits::of("ecma")
    },
    Habits { lookups: &["MethodByName"], ..Habits::of("go") },
    Habits {
        lookups: &["const_get", "instance_eval", "public_send"],
        functions: &["method", "send"],
        ..Habits::of("ruby")
    },
    Habits {
        lookups: &["call_user_func", "call_user_func_array", "get_class_methods", "method_exists"],
        ..Habits::of("php")
    },
    Habits { lookups: &["_ENV", "_G", "rawget"], functions: &["load"], ..Habits::of("lua") },
    Habits {
        by_name_alone: false,
        lookups: &["forName", "getDeclaredMethod", "getDeclaredMethods", "getMethod", "getMethods"],
        ..Habits::of("jvm")
    },
    Habits { by_name_alone: false, lookups: &["GetMethod", "GetMethods"], ..Habits::of("dotnet") },
];

fn habits_of(outline: &Outline) -> Option<&'static Habits> {
    let family = outline.lang.traits().family;
    HABITS.iter().find(|habits| habits.family == family)
}

/// Whether code outside may call a member on a value that it is given, although no type from outside states it.
pub(super) fn may_be_called_outside(sym: &Sym) -> bool {
    sym.def().visibility == Visibility::Public
        && habits_of(sym.outline()).is_some_and(|habits| habits.by_name_alone)
}

/// Whether code with this word, followed by `next` and after `before`, looks names up while it runs.
pub(super) fn looks_names_up(outline: &Outline, word: &str, before: Option<u8>, next: Option<u8>) -> bool {
    let Some(habits) = habits_of(outline) else { return false };
    let is_bare_call = before != Some(b'.') && next == Some(b'(');
    habits.lookups.binary_search(&word).is_ok()
        || (is_bare_call && habits.functions.binary_search(&word).is_ok())
}

/// Whether a runner of tests calls a definition of this name in a file of tests.
pub(super) fn is_run_around_tests(sym: &Sym) -> bool {
    sym.is_test()
        && habits_of(sym.outline())
            .is_some_and(|habits| habits.around_tests.binary_search(&sym.name()).is_ok())
}

/// Whether the exports of a symbol's file are used in the repository alone, because the file belongs to tests. A file
/// `test.py` or a folder `testing` may be a part of a package that helps others with their tests.
pub(super) fn is_for_own_tests(sym: &Sym) -> bool {
    sym.is_test()
        && !matches!(sym.row().path.stem(), "test" | "tests")
        && !sym.path().split('/').any(|folder| folder == "testing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_for_their_search() {
        for habits in HABITS {
            assert!(
                habits.lookups.is_sorted() && habits.functions.is_sorted() && habits.around_tests.is_sorted()
            );
        }
    }
}
