//! The place of an expression, and the facts known there.

use sdl_model::facts::{Arena, DefIx, StrIx};

use super::meaning::{Meaning, Via, Want};
use crate::values::{DefRef, FileIx, Place, Sym, Ty, Typed};
use crate::world::FileIndex;

/// The place of an expression.
#[derive(Clone, Copy)]
pub(crate) struct Ctx<'e> {
    pub(crate) file: FileIx,
    /// The definition whose names it sees.
    pub(crate) scope: DefIx,
    /// Its byte, for expressions of the body.
    pub(crate) at: u32,
    pub(crate) arena: &'e Arena,
    /// Whether `arena` is that of the body of the file being resolved.
    pub(crate) body: bool,
    /// Whether the names of the enclosing type count: they do in what its members state, not in what they run.
    pub(crate) members: bool,
    /// Whether it states the owner of `scope`. That type's members are not visible yet.
    pub(crate) owner: bool,
    /// The type of `self`, where more is known than the enclosing type.
    pub(crate) subject: Option<DefRef>,
    /// The arguments of a definition's generic parameters.
    pub(crate) env: Option<&'e Env>,
    /// The types of the parameters of a function inside the expression.
    pub(crate) given: Option<&'e Given<'e>>,
}

/// A parameter of a function that is an argument, and the value passed for it; then those before it.
pub(crate) struct Given<'g> {
    pub(super) name: StrIx,
    pub(super) value: Typed,
    pub(super) before: Option<&'g Given<'g>>,
}

impl Ctx<'_> {
    /// The value passed for the parameter `name`, if it is one.
    pub(super) fn given(&self, name: StrIx) -> Option<Typed> {
        let mut at = self.given;
        while let Some(one) = at {
            if one.name == name {
                return Some(one.value.clone());
            }
            at = one.before;
        }
        None
    }
}

/// The arguments of a definition's generic parameters.
#[derive(Debug)]
pub(crate) struct Env {
    pub(super) of: DefIx,
    pub(super) names: Vec<Box<str>>,
    pub(super) args: Vec<Ty>,
    /// The type of `Self`.
    pub(super) this: Option<Ty>,
}

/// A name that is looked up.
#[derive(Clone, Copy)]
pub(crate) struct Sought<'s, 'e> {
    pub(crate) ctx: &'s Ctx<'e>,
    /// Its index among the texts of the body, if it can be the name of a local.
    pub(crate) name: Option<StrIx>,
    pub(crate) sym: Sym,
    pub(crate) text: &'s str,
    pub(crate) want: Want,
    pub(crate) file: &'s FileIndex,
    /// Whether names local to functions are visible.
    pub(crate) inside: bool,
}

impl Sought<'_, '_> {
    /// Returns the definition `def` of the file as the meaning of the name.
    pub(super) fn defined(&self, def: DefIx) -> Meaning {
        Meaning::Place(Place::Def(DefRef { file: self.ctx.file, def }), Via::Scope)
    }
}
