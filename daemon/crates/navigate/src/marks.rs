//! Marks and bases that say nothing about who uses a definition.

/// Decorators and annotations that neither use the name of a definition nor have others run it.
const PLAIN_MARKS: &[&str] = &[
    "Deprecated",
    "FunctionalInterface",
    "NonNull",
    "Nullable",
    "Override",
    "SafeVarargs",
    "SuppressWarnings",
    "abstractmethod",
    "allow",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "cfg",
    "cfg_attr",
    "classmethod",
    "cold",
    "contextmanager",
    "dataclass",
    "deleter",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "final",
    "getter",
    "inline",
    "lru_cache",
    "must_use",
    "no_type_check",
    "non_exhaustive",
    "overload",
    "override",
    "property",
    "repr",
    "runtime_checkable",
    "setter",
    "singledispatch",
    "staticmethod",
    "test",
    "total_ordering",
    "track_caller",
    "wraps",
];

/// Bases from outside that give a type no member of its own kind of name.
const PLAIN_BASES: &[&str] = &["ABC", "Generic", "NamedTuple", "Object", "Protocol", "TypedDict", "object"];

/// Whether a decorator or an annotation neither uses the name of a definition nor has others run it.
pub(crate) fn is_plain_mark(name: &str) -> bool {
    PLAIN_MARKS.binary_search(&name).is_ok()
}

/// Whether a base from outside gives a type no member that code outside calls by its name.
pub(crate) fn is_plain_base(name: &str) -> bool {
    PLAIN_BASES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_for_their_search() {
        assert!(PLAIN_BASES.is_sorted() && PLAIN_MARKS.is_sorted());
    }
}
