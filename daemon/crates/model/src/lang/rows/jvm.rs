//! Java and Kotlin.

use crate::lang::traits::{
    Calls, Constructor, ExtensionForm, Family, Files, Library, MapEntries, Members, Names, Overloads,
    Qualified, Traits, Types,
};

pub(in crate::lang) const JAVA: Traits = Traits {
    name: "java",
    family: Family::Jvm,
    measured_as: Some("java"),
    files: Files { extensions: &["java"], test_suffixes: &["Test", "Tests", "TestCase"], ..Files::PLAIN },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        implicit_receiver: true,
        kept_apart: true,
        qualified: Qualified::UnknownRoot,
        ..Names::PLAIN
    },
    types: Types {
        functional_interfaces: true,
        enum_bodies: true,
        map_entries: MapEntries::KeyValue,
        ..Types::PLAIN
    },
    members: Members {
        static_needs_type: true,
        constructor: Constructor::TypeName,
        iterator: Some("iterator"),
        next: Some("next"),
        outside_implements: true,
        ..Members::PLAIN
    },
    calls: Calls {
        overloads: Overloads::Functions,
        inherits_overloads: true,
        overloads_delegate: true,
        decorators_run: false,
        ..Calls::PLAIN
    },
    stdlib: Library { keeps_value: &["clone"], ..Library::PLAIN },
};

pub(in crate::lang) const KOTLIN: Traits = Traits {
    name: "kotlin",
    family: Family::Jvm,
    measured_as: Some("kotlin"),
    files: Files {
        extensions: &["kt", "kts"],
        test_suffixes: &["Test", "Tests", "TestCase"],
        ..Files::PLAIN
    },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        implicit_receiver: true,
        functions_name_types: false,
        block_scopes: true,
        imports_first: true,
        qualified: Qualified::UnknownRoot,
        ..Names::PLAIN
    },
    types: Types { functional_interfaces: true, map_entries: MapEntries::KeyValue, ..Types::PLAIN },
    members: Members {
        open: true,
        name_their_owner: true,
        static_needs_type: true,
        extensions: ExtensionForm::Receivers,
        private_to_file: true,
        constructor: Constructor::TypeName,
        call_operator: Some("invoke"),
        iterator: Some("iterator"),
        next: Some("next"),
        ..Members::PLAIN
    },
    calls: Calls {
        overloads: Overloads::Functions,
        inherits_overloads: true,
        overloads_across_scopes: true,
        decorators_run: false,
        lambda_receivers: true,
        aliases_of_outside: true,
        ..Calls::PLAIN
    },
    stdlib: Library { keeps_value: &["apply", "also", "copy"], ..Library::PLAIN },
};
