//! What type an expression has, as far as the text says.
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
/// Where an expression stands.
#[derive(Clone, Copy)]
pub(crate) struct Ctx<'e> {
    pub(crate) file: FileIx,
    /// The definition whose names it sees.
    pub(crate) scope: DefIx,
    /// The byte at which it stands, for expressions of the body.
    pub(crate) at: u32,
    pub(crate) arena: &'e Arena,
    /// Whether `arena` is that of the body of the file being resolved.
    pub(crate) body: bool,
    /// Whether the names of the enclosing type count: they do in what its members state, not in what they run.
    pub(crate) members: bool,
    /// What `self` is, where that is known better than by the enclosing type.
    pub(crate) subject: Option<DefRef>,
    /// What the generic parameters of a definition stand for.
    pub(crate) env: Option<&'e Env>,
    /// What the parameters of a function are that is in the expression.
    pub(crate) given: Option<&'e Given<'e>>,
}

/// A parameter of a function that is an argument, and what it is given; then those before it.
pub(crate) struct Given<'g> {
    name: StrIx,
    value: Typed,
    before: Option<&'g Given<'g>>,
}

impl Ctx<'_> {
    /// What the parameter `name` is given, if it is one.
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

/// What the generic parameters of a definition stand for.
#[derive(Debug)]
pub(crate) struct Env {
    of: DefIx,
    names: Vec<Box<str>>,
    args: Vec<Ty>,
    /// What `Self` is.
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

    /// What is special about the language of a file.
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
