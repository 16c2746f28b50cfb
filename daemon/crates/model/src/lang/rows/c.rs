//! C and C++.

use crate::SymbolKind;
use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, Members, Names, Overloads, Qualified, Reach, Traits, Types,
    Uses,
};

// Of files that no other includes.
const USES: Uses = Uses { private: Reach::File, ..Uses::PLAIN };

pub(in crate::lang) const C: Traits = Traits {
    name: "c",
    family: Family::Deep("c"),
    measured_as: Some("c"),
    files: Files { extensions: &["c", "h"], ..Files::PLAIN },
    names: Names {
        functions_name_types: false,
        enumerators_around: true,
        shared_by_include: true,
        ..Names::PLAIN
    },
    types: Types::PLAIN,
    members: Members::PLAIN,
    calls: Calls { inert: &[SymbolKind::Constant, SymbolKind::Variable], types_run: false, ..Calls::PLAIN },
    stdlib: Library::PLAIN,
    uses: USES,
};

pub(in crate::lang) const CPP: Traits = Traits {
    name: "cpp",
    family: Family::Deep("c"),
    measured_as: Some("cpp"),
    files: Files {
        extensions: &[
            "cc", "cp", "cpp", "cppm", "cu", "cuh", "cxx", "h++", "hh", "hpp", "hxx", "inl", "ipp", "ixx",
            "tcc", "tpp",
        ],
        ..Files::PLAIN
    },
    names: Names {
        separator: "::",
        implicit_receiver: true,
        functions_name_types: false,
        block_scopes: true,
        enumerators_around: true,
        shared_by_include: true,
        namespaces_in_files: true,
        qualified: Qualified::Always,
        ..Names::PLAIN
    },
    types: Types::PLAIN,
    members: Members {
        open: true,
        name_their_owner: true,
        constructor: Constructor::TypeName,
        call_operator: Some("operator()"),
        subscript: Some("operator[]"),
        iterator: Some("begin"),
        ..Members::PLAIN
    },
    calls: Calls {
        overloads: Overloads::Functions,
        inert: &[SymbolKind::Constant, SymbolKind::Type, SymbolKind::Enum],
        ..Calls::PLAIN
    },
    stdlib: Library { pointer_iterators: true, ..Library::PLAIN },
    uses: USES,
};
