//! The possible meanings of a bare name, and the ways to take a part of a value.

use sdl_model::facts::{DefIx, ExprIx};

use crate::values::Place;

/// The rule that found the meaning of a name.
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

/// The meaning of a bare name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A local of the file being resolved: its latest binding before the name.
    Local(u32),
    /// A parameter of a definition.
    Param(DefIx, usize),
    /// A generic parameter, with its bound if it has one.
    Generic(Option<ExprIx>),
    /// A generic parameter with this argument.
    Given(usize),
    /// Something else.
    Place(Place, Via),
}

/// The kind of definition that a name should mean. Some languages keep functions and values apart, for example Java:
/// a field and a method may share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Anything.
    Any,
    /// Something that is called.
    Call,
    /// A type.
    Type,
}

/// How a part of a container is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// By subscript.
    Index,
    /// By iteration.
    Iter,
    /// By destructuring.
    Item(usize),
}
