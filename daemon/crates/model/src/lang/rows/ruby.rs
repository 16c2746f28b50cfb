//! Ruby.

use crate::lang::traits::{
    Calls, Constructor, Family, Files, Library, MapEntries, Members, Names, Parts, Traits, Types, Uses,
};

pub(in crate::lang) const RUBY: Traits = Traits {
    name: "ruby",
    family: Family::Deep("ruby"),
    measured_as: Some("ruby"),
    files: Files {
        extensions: &["gemspec", "rake", "rb", "rbi", "ru"],
        names: &[
            "Brewfile",
            "Dangerfile",
            "Fastfile",
            "Gemfile",
            "Guardfile",
            "Podfile",
            "Rakefile",
            "Vagrantfile",
        ],
        interpreters: &["ruby"],
        ..Files::PLAIN
    },
    names: Names { separator: "::", implicit_receiver: true, shared_by_include: true, ..Names::PLAIN },
    types: Types { parts: Parts::Reopened, map_entries: MapEntries::KeyValue, ..Types::PLAIN },
    members: Members {
        open: true,
        two_sided: true,
        constructor: Constructor::Named("initialize"),
        ..Members::PLAIN
    },
    calls: Calls { stars_mark_rest: true, ..Calls::PLAIN },
    stdlib: Library { keeps_value: &["dup", "clone", "tap", "freeze", "itself"], ..Library::PLAIN },
    uses: Uses {
        by_name_alone: true,
        lookups: &["const_get", "instance_eval", "public_send"],
        lookup_functions: &["method", "send"],
        ..Uses::PLAIN
    },
};
