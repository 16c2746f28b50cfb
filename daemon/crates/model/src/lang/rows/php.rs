//! PHP.

use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, Members, Names, Qualified, Traits, Types, Uses,
};

pub(in crate::lang) const PHP: Traits = Traits {
    name: "php",
    family: Family::Deep("php"),
    measured_as: Some("php"),
    files: Files {
        extensions: &["php", "php5", "phtml"],
        interpreters: &["php"],
        test_suffixes: &["Test", "Tests", "TestCase"],
        ..Files::PLAIN
    },
    names: Names {
        separator: "::",
        functions_name_types: false,
        namespaces_in_files: true,
        qualified: Qualified::First,
        ..Names::PLAIN
    },
    types: Types::PLAIN,
    members: Members {
        constructor: Constructor::Named("__construct"),
        call_operator: Some("__invoke"),
        iterator: Some("getIterator"),
        next: Some("current"),
        ..Members::PLAIN
    },
    calls: Calls::PLAIN,
    stdlib: Library::PLAIN,
    uses: Uses {
        by_name_alone: true,
        lookups: &["call_user_func", "call_user_func_array", "get_class_methods", "method_exists"],
        ..Uses::PLAIN
    },
};
