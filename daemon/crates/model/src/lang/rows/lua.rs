//! Lua.

use crate::SymbolKind;
use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, Members, Names, Reach, Traits, Types, Uses,
};

pub(in crate::lang) const LUA: Traits = Traits {
    name: "lua",
    family: Family::Deep("lua"),
    measured_as: None,
    files: Files { interpreters: &["lua", "luajit"], ..Files::of(&["lua", "rockspec"]) },
    names: Names {
        functions_name_types: false,
        block_scopes: true,
        types_are_scopes: false,
        // Globals of the files that `require` loads.
        shared_by_include: true,
        ..Names::PLAIN
    },
    types: Types::PLAIN,
    members: Members {
        // `function M.f()` is outside of `M`.
        open: true,
        name_their_owner: true,
        constructor: Constructor::Named("__call"),
        call_operator: Some("__call"),
        ..Members::PLAIN
    },
    // `local map = tablex.map`.
    calls: Calls {
        inert: &[SymbolKind::Variable, SymbolKind::Constant],
        variables_hold: true,
        ..Calls::PLAIN
    },
    // Strings and files.
    stdlib: Library {
        builtin_members: &[
            "byte", "char", "close", "find", "flush", "format", "gmatch", "gsub", "len", "lines", "lower",
            "match", "read", "rep", "reverse", "seek", "setvbuf", "sub", "upper", "write",
        ],
        ..Library::PLAIN
    },
    uses: Uses {
        by_name_alone: true,
        lookups: &["_ENV", "_G", "rawget"],
        lookup_functions: &["load"],
        private: Reach::File,
        ..Uses::PLAIN
    },
};
