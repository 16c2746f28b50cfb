//! Shapes that a function has yet to hand on.

use sdl_model::facts::{DefIx, ExprIx};

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
