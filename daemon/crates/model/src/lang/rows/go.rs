//! Go.

use crate::lang::traits::{
    Calls, Family, Files, Library, Members, Names, ParameterNames, Reach, TestRunner, Traits, Types, Uses,
};

pub(in crate::lang) const GO: Traits = Traits {
    name: "go",
    family: Family::Deep("go"),
    measured_as: Some("go"),
    files: Files { extensions: &["go"], runner: TestRunner::Go, ..Files::PLAIN },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        block_scopes: true,
        types_are_scopes: false,
        ..Names::PLAIN
    },
    types: Types { satisfied_by_methods: true, parameter_names: ParameterNames::First, ..Types::PLAIN },
    members: Members { open: true, across_package: true, ..Members::PLAIN },
    calls: Calls { unstated_result_is_none: true, types_run: false, ..Calls::PLAIN },
    stdlib: Library::PLAIN,
    uses: Uses {
        by_name_alone: true,
        lookups: &["MethodByName"],
        private: Reach::Folder,
        internal: Reach::Folder,
        members_keep: true,
        ..Uses::PLAIN
    },
};
