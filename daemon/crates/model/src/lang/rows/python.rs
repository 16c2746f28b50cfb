//! Python.

use crate::SymbolKind;
use crate::lang::traits::{
    CalledLocals, Calls, Constructor, Family, Files, Library, Members, NameHolders, Names, Traits, Types,
};

pub(in crate::lang) const PYTHON: Traits = Traits {
    name: "python",
    family: Family::Python,
    measured_as: Some("python"),
    files: Files {
        extensions: &["py", "pyi", "pyw"],
        names: &["SConscript", "SConstruct", "wscript"],
        interpreters: &["pypy", "python"],
        ..Files::PLAIN
    },
    names: Names {
        is_closed: true,
        missing_is_external: true,
        hoists: true,
        rebindable: true,
        import_replaces_left_out: true,
        ..Names::PLAIN
    },
    types: Types {
        generic_bases: &["Generic", "Protocol"],
        descriptors: true,
        protocols: true,
        inherited_parameters: true,
        maps_iterate_keys: true,
        ..Types::PLAIN
    },
    members: Members {
        constructor: Constructor::Named("__init__"),
        call_operator: Some("__call__"),
        subscript: Some("__getitem__"),
        iterator: Some("__iter__"),
        next: Some("__next__"),
        ..Members::PLAIN
    },
    calls: Calls {
        decorating_class_is_named: true,
        stars_mark_rest: true,
        same_name_is_call: false,
        inert: &[SymbolKind::Variable, SymbolKind::Constant],
        holders: NameHolders::Variables,
        locals: CalledLocals::ByText,
        functions_hold_functions: true,
        ..Calls::PLAIN
    },
    stdlib: Library { keeps_value: &["__enter__", "__aenter__"], ..Library::PLAIN },
};
