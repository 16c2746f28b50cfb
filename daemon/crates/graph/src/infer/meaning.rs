//! What a bare name can mean.

use sdl_model::facts::{DefIx, ExprIx};

use crate::values::Place;

/// Which rule found what a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// It is defined in the same or an enclosing scope.
    Scope,
    /// An import binds it.
    Import,
    /// A wildcard import brings it in.
    Wildcard,
    /// Another file of the same package defines it.
    Package,
    /// An included file declares it.
    Include,
    /// The enclosing type has it as a member.
    Member,
    /// A base of the enclosing type has it as a member.
    Inherited,
}

/// What a bare name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A local of the file being resolved: its latest binding before the name.
    Local(u32),
    /// A parameter of a definition.
    Param(DefIx, usize),
    /// A generic parameter, with its bound if it has one.
    Generic(Option<ExprIx>),
    /// A generic parameter that stands for this argument.
    Given(usize),
    /// Something else.
    Place(Place, Via),
}

/// What a name stands for: languages keep functions and values apart, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Anything.
    Any,
    /// Something that is called.
    Call,
    /// A type.
    Type,
}
