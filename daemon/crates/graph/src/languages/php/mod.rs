//! PHP.

pub(super) mod composer;

use sdl_model::facts::{DefIx, Import};

use super::namespaces::{self, namespace_rules};
use crate::infer::{MemberRules, NameRules, TypeRules};
use crate::modules::{self, Place, split_last};
use crate::resolve::CallRules;
use crate::world::{DefRef, FileIx, ModuleRules, Sym, World};

/// PHP.
pub(super) struct Php;

impl ModuleRules for Php {
    namespace_rules!();
}

impl NameRules for Php {}

impl MemberRules for Php {}

impl TypeRules for Php {}

impl CallRules for Php {}
