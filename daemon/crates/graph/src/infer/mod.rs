//! The type of an expression, as far as the text states it.
//!
//! Pure: a type is a function of the expression, the outlines that it leads to and, for expressions of the file being
//! resolved, that file's bindings. Bounded: chains of questions by the world's tracker, each expression by its depth.

mod applied;
mod arguments;
mod constructors;
mod containers;
mod context;
mod defs;
mod expr;
mod generics;
mod given;
mod linkage;
mod meaning;
mod members;
mod names;
mod objects;
mod origins;
mod outside;
mod passed;
mod rules;
mod types;

use std::rc::Rc;

use crate::hash::NumberMap;
use crate::own::Own;
pub(crate) use crate::values::{Bases, How, Member, Shape, ShapeKind, Ty, Typed, Written};
use crate::world::{DefRef, FileIndex, FileIx, Sym, World};

pub(crate) use arguments::{is_same_plain, plain_type, takes_all, type_name};
pub(crate) use context::{Ctx, Env, Given, Sought};
pub(crate) use defs::accepts_args;
pub(crate) use generics::parameter_names;
pub(crate) use meaning::{Meaning, Part, Via, Want};
pub(crate) use origins::Origin;
pub(crate) use rules::{Infer, MemberRules, NameRules, RulesOf, TypeRules};

/// Nesting of one expression that is followed.
pub(crate) const EXPR_DEPTH: u8 = 40;

impl<'r, 'w> Infer<'r, 'w> {
    pub(crate) fn new(w: &'r World<'w>, own: &'r Own<'r>, rules: RulesOf) -> Self {
        Self {
            w,
            own,
            own_types: std::cell::RefCell::new(NumberMap::default()),
            rules,
            taken_over: std::cell::RefCell::default(),
        }
    }

    pub(crate) fn file(&self, ix: FileIx) -> Rc<FileIndex> {
        self.w.file(ix)
    }

    /// The rules of a file's language.
    pub(crate) fn rules(&self, file: FileIx) -> &'static dyn TypeRules {
        self.rules_of(&self.file(file))
    }

    /// The same, for a file at hand.
    pub(crate) fn rules_of(&self, file: &FileIndex) -> &'static dyn TypeRules {
        (self.rules)(file.lang())
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
            owner: false,
            subject,
            env: None,
            given: None,
        }
    }

    pub(crate) fn sym(&self, text: &str) -> Sym {
        self.w.sym(text)
    }
}
