//! Python.

use crate::SymbolKind;
use crate::lang::traits::{
    Calls, Constructor, Family, Files, Guesses, Library, Members, Names, TestRunner, Traits, Types, Uses,
};

pub(in crate::lang) const PYTHON: Traits = Traits {
    name: "python",
    family: Family::Deep("python"),
    measured_as: Some("python"),
    files: Files {
        extensions: &["py", "pyi", "pyw"],
        names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python"],
        runner: TestRunner::Pytest,
        ..Files::PLAIN
    },
    names: Names { is_closed: true, missing_is_external: true, hoists: true, ..Names::PLAIN },
    types: Types { generic_bases: &["Generic", "Protocol"], maps_iterate_keys: true, ..Types::PLAIN },
    members: Members {
        constructor: Constructor::Named("__init__"),
        call_operator: Some("__call__"),
        subscript: Some("__getitem__"),
        iterator: Some("__iter__"),
        next: Some("__next__"),
        ..Members::PLAIN
    },
    calls: Calls {
        stars_mark_rest: true,
        guesses: Guesses::Only,
        inert: &[SymbolKind::Variable, SymbolKind::Constant],
        variables_hold: true,
        ..Calls::PLAIN
    },
    stdlib: Library { keeps_value: &["__enter__", "__aenter__"], ..Library::PLAIN },
    uses: Uses {
        by_name_alone: true,
        declarations: &[".pyi"],
        lookups: &[
            "__dict__",
            "__getattr__",
            "__getattribute__",
            "__subclasses__",
            "attrgetter",
            "getmembers",
            "methodcaller",
        ],
        lookup_functions: &["dir", "eval", "exec", "getattr", "globals", "locals", "vars"],
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
        ..Uses::PLAIN
    },
};
