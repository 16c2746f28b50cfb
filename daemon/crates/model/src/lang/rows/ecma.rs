//! JavaScript and TypeScript.

use crate::lang::traits::{
    Calls, Constructor, Family, Files, Guesses, Library, MapEntries, Members, Names, OpenBlocks, Overloads,
    Reach, TestRunner, Traits, Types, Uses,
};

const NAMES: Names = Names { is_closed: true, missing_is_external: true, hoists: true, ..Names::PLAIN };

const TYPES: Types = Types { map_entries: MapEntries::ValueKey, ..Types::PLAIN };

const MEMBERS: Members = Members {
    two_sided: true,
    constructor: Constructor::Named("constructor"),
    iterator: Some("[Symbol.iterator]"),
    next: Some("next"),
    ..Members::PLAIN
};

const CALLS: Calls = Calls { guesses: Guesses::Only, ..Calls::PLAIN };

const LIBRARY: Library = Library { maps_are_of_lists: true, promises: true, ..Library::PLAIN };

const USES: Uses = Uses {
    by_name_alone: true,
    lookups: &["Reflect", "getOwnPropertyNames", "ownKeys"],
    lookup_functions: &["eval"],
    private: Reach::Module,
    open_blocks: OpenBlocks::Ambient,
    declarations: &[".d.ts", ".d.mts", ".d.cts"],
    ..Uses::PLAIN
};

pub(in crate::lang) const JAVASCRIPT: Traits = Traits {
    name: "javascript",
    family: Family::Deep("ecma"),
    measured_as: Some("ecma"),
    files: Files {
        extensions: &["cjs", "js", "jsx", "mjs"],
        interpreters: &["node", "nodejs"],
        runner: TestRunner::Jest,
        ..Files::PLAIN
    },
    names: NAMES,
    types: TYPES,
    members: MEMBERS,
    calls: CALLS,
    stdlib: LIBRARY,
    uses: USES,
};

pub(in crate::lang) const TYPESCRIPT: Traits = Traits {
    name: "typescript",
    family: Family::Deep("ecma"),
    measured_as: Some("ecma"),
    files: Files {
        extensions: &["cts", "mts", "ts"],
        interpreters: &["bun", "deno", "ts-node", "tsx"],
        runner: TestRunner::Jest,
        ..Files::PLAIN
    },
    names: NAMES,
    types: Types { merges_declarations: true, ..TYPES },
    members: MEMBERS,
    calls: Calls { overloads: Overloads::Declarations, guesses: Guesses::None, ..CALLS },
    stdlib: LIBRARY,
    uses: USES,
};

pub(in crate::lang) const TSX: Traits = Traits {
    name: "tsx",
    files: Files { extensions: &["tsx"], runner: TestRunner::Jest, ..Files::PLAIN },
    ..TYPESCRIPT
};
