//! The types that a type inherits from, and its members.

use super::DefRef;

/// A type and all that it inherits from, nearest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) types: Vec<DefRef>,
    /// Whether it inherits from something outside the repository.
    pub(crate) outside: bool,
}

/// A member of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) def: DefRef,
    /// Whether a base has it and not the type itself.
    pub(crate) inherited: bool,
}

/// The bases of one type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bases {
    pub(crate) types: Vec<DefRef>,
    /// Whether some are outside the repository.
    pub(crate) outside: bool,
}
