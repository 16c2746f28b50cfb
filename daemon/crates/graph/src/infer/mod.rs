//! The type of an expression, as far as the text states it.
//!
//! Pure: a type is a function of the expression, the outlines that it leads to and, for expressions of the file being
//! resolved, that file's bindings. Bounded: chains of questions by the world's tracker, each expression by its depth.

mod applied;
mod arguments;
mod constructors;
mod containers;
mod defs;
mod expr;
mod extensions;
mod generics;
mod given;
mod linkage;
mod meaning;
mod members;
mod names;
mod objects;
mod outside;
mod passed;
mod predicates;
mod receivers;
mod types;

use std::rc::Rc;

use sdl_model::facts::{Arena, DefIx, StrIx};

use crate::hash::NumberMap;
use crate::own::Own;
pub(crate) use crate::values::{How, Member, Shape, ShapeKind, Ty, Typed, Written};
use crate::world::{DefRef, FileIndex, FileIx, Memo, Rules, Sym, World};

pub(crate) use defs::accepts_args;
pub(crate) use extensions::{Extensions, is_extension};
pub(crate) use meaning::{Meaning, Via, Want};

/// Nesting of one expression that is followed.
pub(crate) const EXPR_DEPTH: u8 = 40;
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
    /// The type of `self`, where more is known than the enclosing type.
    pub(crate) subject: Option<DefRef>,
    /// The arguments of a definition's generic parameters.
    pub(crate) env: Option<&'e Env>,
    /// The types of the parameters of a function inside the expression.
    pub(crate) given: Option<&'e Given<'e>>,
}

/// A parameter of a function that is an argument, and the value passed for it; then those before it.
pub(crate) struct Given<'g> {
    name: StrIx,
    value: Typed,
    before: Option<&'g Given<'g>>,
}

impl Ctx<'_> {
    /// The value passed for the parameter `name`, if it is one.
    fn given(&self, name: StrIx) -> Option<Typed> {
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
    of: DefIx,
    names: Vec<Box<str>>,
    args: Vec<Ty>,
    /// The type of `Self`.
    this: Option<Ty>,
}

/// Works out types for one file.
pub(crate) struct Infer<'r, 'w> {
    pub(crate) w: &'r World<'w>,
    pub(crate) own: &'r Own<'r>,
    pub(crate) own_types: Memo<Typed>,
}

impl<'r, 'w> Infer<'r, 'w> {
    pub(crate) fn new(w: &'r World<'w>, own: &'r Own<'r>) -> Self {
        Self { w, own, own_types: std::cell::RefCell::new(NumberMap::default()) }
    }

    pub(crate) fn file(&self, ix: FileIx) -> Rc<FileIndex> {
        self.w.file(ix)
    }

    /// The rules of a file's language.
    pub(crate) fn rules(&self, file: FileIx) -> &'static dyn Rules {
        self.w.rules(self.file(file).lang())
    }

    /// The context of the outline expressions of `def`, whose names are looked up in `scope`.
    pub(crate) fn outline_ctx(file: &FileIndex, at: DefRef, subject: Option<DefRef>) -> Ctx<'_> {
        Ctx {
            file: at.file,
            scope: at.def,
            at: u32::MAX,
            arena: &file.outline.arena,
            body: false,
            members: true,
            subject,
            env: None,
            given: None,
        }
    }

    pub(crate) fn sym(&self, text: &str) -> Sym {
        self.w.sym(text)
    }
}
