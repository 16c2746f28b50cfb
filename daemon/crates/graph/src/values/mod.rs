//! The answers to questions: plain values that any module may hold.

mod ids;
mod line;
mod place;
mod ty;

pub(crate) use ids::{DefRef, FileIx, Sym};
pub(crate) use line::{Bases, Line, Member};
pub(crate) use place::{ModRef, Place};
pub(crate) use ty::{How, Shape, ShapeKind, Ty, Typed, Written};
