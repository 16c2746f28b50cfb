//! Java and Kotlin.

use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, MapEntries, Members, Names, Overloads, Qualified, Reach,
    TestRunner, Traits, Types, Uses,
};

const USES: Uses = Uses {
    lookups: &["forName", "getDeclaredMethod", "getDeclaredMethods", "getMethod", "getMethods"],
    run_by_library: &["readObject", "readObjectNoData", "readResolve", "writeObject", "writeReplace"],
    private: Reach::File,
    members_keep: true,
    ..Uses::PLAIN
};

pub(in crate::lang) const JAVA: Traits = Traits {
    name: "java",
    family: Family::Deep("jvm"),
    measured_as: Some("java"),
    files: Files {
        extensions: &["java"],
        test_suffixes: &["Test", "Tests", "TestCase"],
        runner: TestRunner::JUnit,
        ..Files::PLAIN
    },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        implicit_receiver: true,
        qualified: Qualified::UnknownRoot,
        ..Names::PLAIN
    },
    types: Types { functional_interfaces: true, map_entries: MapEntries::KeyValue, ..Types::PLAIN },
    members: Members {
        static_needs_type: true,
        constructor: Constructor::TypeName,
        iterator: Some("iterator"),
        next: Some("next"),
        ..Members::PLAIN
    },
    calls: Calls { overloads: Overloads::Functions, inherits_overloads: true, ..Calls::PLAIN },
    stdlib: Library { keeps_value: &["clone"], ..Library::PLAIN },
    uses: USES,
};

pub(in crate::lang) const KOTLIN: Traits = Traits {
    name: "kotlin",
    family: Family::Deep("jvm"),
    measured_as: Some("kotlin"),
    files: Files {
        extensions: &["kt", "kts"],
        test_suffixes: &["Test", "Tests", "TestCase"],
        runner: TestRunner::JUnit,
        ..Files::PLAIN
    },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        implicit_receiver: true,
        functions_name_types: false,
        block_scopes: true,
        qualified: Qualified::UnknownRoot,
        ..Names::PLAIN
    },
    types: Types { functional_interfaces: true, map_entries: MapEntries::KeyValue, ..Types::PLAIN },
    members: Members {
        open: true,
        name_their_owner: true,
        static_needs_type: true,
        constructor: Constructor::TypeName,
        call_operator: Some("invoke"),
        iterator: Some("iterator"),
        next: Some("next"),
        ..Members::PLAIN
    },
    calls: Calls { overloads: Overloads::Functions, inherits_overloads: true, ..Calls::PLAIN },
    stdlib: Library { keeps_value: &["apply", "also", "copy"], ..Library::PLAIN },
    uses: USES,
};
