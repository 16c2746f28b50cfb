//! The extractor's state between nodes.

use std::collections::{HashMap, HashSet};

use sdl_model::Visibility;
use sdl_model::facts::{DefIx, StrIx};

use crate::builder::Found;

/// The facts known about the text so far.
#[derive(Debug, Default)]
pub struct State {
    /// The visibility that a bare `private` or the like sets for the methods that follow in a class.
    pub(super) visibility: HashMap<DefIx, Visibility>,
    /// The locals so far; any other bare name is a call.
    pub(super) locals: HashSet<(DefIx, StrIx)>,
    /// How many specifications of gems there have been.
    pub(super) specifications: u32,
    /// The gems that the file names for a bundle.
    pub(super) bundle: Option<Found>,
    /// Whether the file says where gems come from, as a `Gemfile` does.
    pub(super) is_bundle: bool,
}
