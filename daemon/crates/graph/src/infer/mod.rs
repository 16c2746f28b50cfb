//! What type an expression has, as far as the text says.
//!
//! Pure: a type is a function of the expression, the outlines that it leads to and, for expressions of the file being
//! resolved, that file's bindings. Bounded: chains of questions by the world's tracker, each expression by its depth.

mod applied;
mod arguments;
mod builtins;
mod constructors;
mod containers;
mod defs;
mod expr;
mod extensions;
mod generics;
mod given;
mod linkage;
mod members;
mod names;
mod objects;
mod outside;
mod passed;
mod predicates;
mod receivers;
mod types;

use std::rc::Rc;

use sdl_model::facts::{Arena, DefIx, ExprIx, StrIx};

use crate::hash::NumberMap;
use crate::modules::{ModRef, Place};
use crate::own::Own;
use crate::world::{DefRef, FileIndex, FileIx, Memo, Question, Sym, World};

pub(crate) use applied::Applied;
pub(crate) use builtins::is_builtin_member;
pub(crate) use containers::{Shape, ShapeKind};
pub(crate) use defs::{call_operator, fits, has_overloads};
pub(crate) use extensions::{Extensions, is_extension};
pub(crate) use members::{Line, Member};
pub(crate) use names::{Meaning, Via, Want};

/// Nesting of one expression that is followed.
pub(crate) const EXPR_DEPTH: u8 = 40;
/// Most members of a union.
const UNION: usize = 6;

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Ty {
    /// The text does not say.
    Unknown,
    /// Nothing: null, none, undefined, void.
    Null,
    /// Something from outside the repository, with what is known of its arguments.
    External(Option<Rc<Shape>>),
    /// A module.
    Module(ModRef),
    /// A type itself.
    Class(DefRef),
    /// A value of a type; an object literal is a value of the variable that holds it.
    Instance(DefRef),
    /// The same, with what its generic parameters stand for.
    Of(Rc<Applied>),
    /// `super` of a type.
    Super(DefRef),
    /// A function, with the type through which it was reached.
    Func(DefRef, Option<DefRef>),
    /// A function known by its type alone.
    Callable(Rc<Signature>),
    /// An object, or a value of an object type, known as it is written.
    Object(Written),
    /// One of several, no two alike; the order means nothing.
    Union(Rc<[Self]>),
}

/// Where an object or an object type ([`sdl_model::facts::Expr::Record`]) is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    file: FileIx,
    scope: DefIx,
    at: u32,
    body: bool,
    is_type: bool,
    expr: ExprIx,
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) params: Box<[Ty]>,
    pub(crate) result: Ty,
}

/// How a type came to be known; later ones are less sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// A name that stands for it.
    Named,
    /// The text states it.
    Stated,
    /// A constructor call made it.
    Built,
    /// The stated result of a function.
    Returned,
    /// An element of a container whose element type is stated.
    Element,
    /// What a function's body returns, one of several values, and the like.
    Guessed,
}

/// A type and how it came to be known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Typed {
    pub(crate) ty: Ty,
    pub(crate) how: How,
}

impl Typed {
    pub(crate) const UNKNOWN: Self = Self { ty: Ty::Unknown, how: How::Named };
    pub(crate) const EXTERNAL: Self = Self { ty: Ty::External(None), how: How::Named };

    pub(crate) fn new(ty: Ty, how: How) -> Self {
        Self { ty, how }
    }

    /// The same type, known no better than `how`.
    pub(crate) fn at_least(mut self, how: How) -> Self {
        self.how = self.how.max(how);
        self
    }
}

impl PartialEq for Ty {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, Self::Unknown) | (Self::Null, Self::Null) => true,
            (Self::External(Some(a)), Self::External(Some(b))) => Rc::ptr_eq(a, b) || a == b,
            (Self::External(a), Self::External(b)) => a.is_none() && b.is_none(),
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Class(a), Self::Class(b))
            | (Self::Instance(a), Self::Instance(b))
            | (Self::Super(a), Self::Super(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Of(a), Self::Of(b)) => Rc::ptr_eq(a, b) || a == b,
            (Self::Func(a, of_a), Self::Func(b, of_b)) => a == b && of_a == of_b,
            (Self::Callable(a), Self::Callable(b)) => Rc::ptr_eq(a, b) || a == b,
            (Self::Union(a), Self::Union(b)) => a.len() == b.len() && a.iter().all(|ty| b.contains(ty)),
            _ => false,
        }
    }
}

impl Ty {
    /// One of `types`: null and what the text does not say are left out where something is known.
    pub(crate) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        let mut null = false;
        let mut unknown = false;
        let mut add = |ty: Self| {
            if !all.contains(&ty) {
                all.push(ty);
            }
        };
        for ty in types {
            match ty {
                Self::Null => null = true,
                Self::Unknown => unknown = true,
                Self::Union(list) => list.iter().for_each(|ty| add(ty.clone())),
                other => add(other),
            }
        }
        // Where a type's arguments are known, the bare type says nothing more.
        let applied: Vec<DefRef> = all.iter().filter_map(|ty| Some(ty.applied()?.class)).collect();
        all.retain(|ty| !matches!(ty, Self::Instance(class) if applied.contains(class)));
        match all.len() {
            0 if null && !unknown => Self::Null,
            0 => Self::Unknown,
            1 => all.swap_remove(0),
            n if n > UNION => Self::Unknown,
            _ => Self::Union(all.into()),
        }
    }

    /// Each of its alternatives.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Union(list) => list,
            one => std::slice::from_ref(one),
        }
    }
}

/// Kept answers of inference, by batch and by file.
#[derive(Default)]
pub(crate) struct Memos {
    pub(crate) places: Memo<Place>,
    pub(crate) files: Memo<Rc<[FileIx]>>,
    pub(crate) names: Memo<Rc<[Sym]>>,
    types: Memo<Typed>,
    lines: Memo<Rc<Line>>,
    members: Memo<Option<Member>>,
}

/// Tags of derived questions.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Tag {
    Import = 1,
    Member,
    Module,
    Implicit,
    Line,
    TypeMember,
    DefType,
    Result,
    Alias,
    Binding,
    Package,
    Impl,
    Seen,
    Spelled,
    Tagged,
    Behind,
    Constructed,
}

/// Packs a question: a tag, a definition and up to two more numbers.
pub(crate) fn question(tag: Tag, at: DefRef, more: u64) -> Question {
    u128::from(tag as u8) << 120
        | u128::from(at.file.0 & 0xff_ffff) << 96
        | u128::from(at.def.0) << 64
        | u128::from(more)
}

/// [`question`] about two definitions.
pub(crate) fn question2(tag: Tag, at: DefRef, other: Option<DefRef>) -> Question {
    question(tag, at, other.map_or(u64::MAX, |other| u64::from(other.file.0) << 32 | u64::from(other.def.0)))
}

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
