//! Shapes that a function has yet to hand on, and arguments of calls that may count.

use sdl_model::facts::{DefIx, ExprIx, StrIx};

/// A shape of the body that has yet to be added to a definition of the outline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) to: DefIx,
    pub(super) slot: Slot,
    pub(super) expr: ExprIx,
    pub(super) at: u32,
}

/// The part of the definition that the shape is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Return,
    Value,
}

/// A call with arguments that may be functions.
#[derive(Debug)]
pub(super) struct Passing {
    /// The byte offset of its reference.
    pub(super) at: u32,
    /// The definition around it.
    pub(super) scope: DefIx,
    /// The last name of the callee.
    pub(super) callee: StrIx,
    /// The arguments, of the body, with the names of those that are passed by name.
    pub(super) args: Vec<(Option<StrIx>, ExprIx)>,
}
