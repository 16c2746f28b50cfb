//! The arguments of calls, by the function that they are passed to.

use std::collections::HashMap;

use sdl_model::facts::{DefIx, ExprIx, Ref};

/// An argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument<'r> {
    /// A value in the call.
    Value(&'r Ref, ExprIx),
    /// The definition that a decorator is applied to.
    Decorated(DefIx),
}

/// The arguments that the file's calls pass, by the function and its parameter's place.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'r> {
    pub(super) by_param: HashMap<(DefIx, usize), Vec<Argument<'r>>>,
    /// How many calls of a function pass nothing for a parameter.
    pub(super) left_out: HashMap<(DefIx, usize), usize>,
}
