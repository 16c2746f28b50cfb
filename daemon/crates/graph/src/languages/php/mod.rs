//! PHP.

pub(super) mod composer;

use sdl_model::facts::{DefIx, Import};

use super::namespaces::{self, namespace_rules};
use crate::modules::{self, Place, split_last};
use crate::world::{DefRef, FileIx, Rules, Sym, World};

/// PHP.
pub(super) struct Php;

impl Rules for Php {
    namespace_rules!();
}
