//! C#.

use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, Members, Names, Overloads, Parts, Qualified, Traits, Types,
    Uses,
};

pub(in crate::lang) const CSHARP: Traits = Traits {
    name: "csharp",
    family: Family::Deep("dotnet"),
    measured_as: Some("csharp"),
    files: Files {
        extensions: &["cs", "csx"],
        test_suffixes: &["Test", "Tests", "TestCase"],
        ..Files::PLAIN
    },
    names: Names {
        missing_is_external: true,
        implicit_receiver: true,
        functions_name_types: false,
        namespaces_in_files: true,
        qualified: Qualified::UnknownRoot,
        ..Names::PLAIN
    },
    types: Types { parts: Parts::Partial, functional_interfaces: true, ..Types::PLAIN },
    members: Members {
        open: true,
        static_needs_type: true,
        constructor: Constructor::TypeName,
        iterator: Some("GetEnumerator"),
        ..Members::PLAIN
    },
    calls: Calls { overloads: Overloads::Functions, inherits_overloads: true, ..Calls::PLAIN },
    stdlib: Library::PLAIN,
    uses: Uses { lookups: &["GetMethod", "GetMethods"], ..Uses::PLAIN },
};
