//! JavaScript and TypeScript.

use crate::lang::traits::{
    CalledLocals, Calls, Constructor, Family, Files, Library, MapEntries, Members, NameHolders, Names,
    Overloads, Traits, Types,
};

const NAMES: Names = Names {
    is_closed: true,
    missing_is_external: true,
    hoists: true,
    anonymous_objects: true,
    ..Names::PLAIN
};

const TYPES: Types =
    Types { prototypes: true, contextual: true, map_entries: MapEntries::ValueKey, ..Types::PLAIN };

const MEMBERS: Members = Members {
    two_sided: true,
    constructor: Constructor::Named("constructor"),
    constructor_property: true,
    ..Members::PLAIN
};

const CALLS: Calls = Calls {
    same_name_is_call: false,
    holders: NameHolders::Properties,
    locals: CalledLocals::Unsure,
    ..Calls::PLAIN
};

const LIBRARY: Library = Library { maps_are_of_lists: true, promises: true, ..Library::PLAIN };

pub(in crate::lang) const JAVASCRIPT: Traits = Traits {
    name: "javascript",
    family: Family::Ecma,
    measured_as: Some("ecma"),
    files: Files {
        extensions: &["cjs", "js", "jsx", "mjs"],
        interpreters: &["node", "nodejs"],
        ..Files::PLAIN
    },
    names: Names { commonjs: true, ..NAMES },
    types: Types { constructor_functions: true, ..TYPES },
    members: MEMBERS,
    calls: Calls { checks_arity: false, ..CALLS },
    stdlib: LIBRARY,
};

pub(in crate::lang) const TYPESCRIPT: Traits = Traits {
    name: "typescript",
    family: Family::Ecma,
    measured_as: Some("ecma"),
    files: Files {
        extensions: &["cts", "mts", "ts"],
        interpreters: &["bun", "deno", "ts-node", "tsx"],
        ..Files::PLAIN
    },
    names: Names { types_beside_values: true, ..NAMES },
    types: Types { merges_declarations: true, ..TYPES },
    members: MEMBERS,
    calls: Calls { overloads: Overloads::Declarations, only_name_is_call: false, ..CALLS },
    stdlib: LIBRARY,
};

pub(in crate::lang) const TSX: Traits =
    Traits { name: "tsx", files: Files { extensions: &["tsx"], ..Files::PLAIN }, ..TYPESCRIPT };
