//! Rust.

use crate::SymbolKind;
use crate::lang::traits::{
    Calls, Family, Files, Library, MapEntries, Members, Names, OpenBlocks, Reach, TestRunner, Traits, Types,
    Uses,
};

pub(in crate::lang) const RUST: Traits = Traits {
    name: "rust",
    family: Family::Deep("rust"),
    measured_as: Some("rust"),
    files: Files { extensions: &["rs"], inline_tests: true, runner: TestRunner::Cargo, ..Files::PLAIN },
    names: Names {
        separator: "::",
        is_closed: true,
        missing_is_external: true,
        functions_name_types: false,
        block_scopes: true,
        types_are_scopes: false,
        ..Names::PLAIN
    },
    types: Types {
        impl_blocks: true,
        results_hold_errors: true,
        map_entries: MapEntries::KeyValueBy(&["retain", "retain2", "extract_if"]),
        ..Types::PLAIN
    },
    members: Members { open: true, name_their_owner: true, ..Members::PLAIN },
    calls: Calls {
        unstated_result_is_none: true,
        inert: &[SymbolKind::EnumMember],
        types_run: false,
        ..Calls::PLAIN
    },
    stdlib: Library {
        keeps_value: &[
            "clone",
            "to_owned",
            "as_ref",
            "as_mut",
            "borrow",
            "borrow_mut",
            "by_ref",
            "deref",
            "deref_mut",
            "into",
            "into_inner",
            "as_deref",
            "iter",
            "into_iter",
            "project",
            "project_ref",
            "unwrap",
            "expect",
            "unwrap_or_else",
            "unwrap_or_default",
            "unwrap_unchecked",
        ],
        optional_lookups: true,
        maps_are_of_lists: true,
        ..Library::PLAIN
    },
    uses: Uses {
        // Because modules below a file may use its private items.
        private: Reach::Folder,
        members_keep: true,
        open_blocks: OpenBlocks::Macros,
        ..Uses::PLAIN
    },
};
