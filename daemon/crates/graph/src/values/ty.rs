//! Types, as far as the text states them.

use std::rc::Rc;

use sdl_model::facts::{DefIx, ExprIx};

use super::{DefRef, FileIx, ModRef};

/// Most members of a union.
const UNION: usize = 6;

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Ty {
    /// The text does not state it.
    Unknown,
    /// Nothing: null, none, undefined, void.
    Null,
    /// A value from outside the repository, with the arguments of its type as far as they are known.
    External(Option<Rc<Shape>>),
    /// A module.
    Module(ModRef),
    /// A type itself.
    Class(DefRef),
    /// A value of a type; an object literal is a value of the variable that holds it.
    Instance(DefRef),
    /// The same, with the arguments of its generic parameters.
    Of(Rc<Applied>),
    /// `super` of a type.
    Super(DefRef),
    /// A function, with the type through which it was reached.
    Func(DefRef, Option<DefRef>),
    /// A function known by its type alone.
    Callable(Rc<Signature>),
    /// An object, or a value of an object type, known only by its literal.
    Object(Written),
    /// One of several different types, in no particular order.
    Union(Rc<[Self]>),
}

/// Where an object or an object type ([`sdl_model::facts::Expr::Record`]) is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) file: FileIx,
    pub(crate) scope: DefIx,
    pub(crate) at: u32,
    pub(crate) body: bool,
    pub(crate) is_type: bool,
    pub(crate) expr: ExprIx,
}

/// The parameter types and the return type of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) params: Box<[Ty]>,
    pub(crate) result: Ty,
}

/// How a type became known. Later variants are less certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// By a name that denotes it.
    Named,
    /// The text states it.
    Stated,
    /// A constructor call made it.
    Built,
    /// The stated result of a function.
    Returned,
    /// An element of a container whose element type is stated.
    Element,
    /// By a guess, for example from a function's body, or one of several values.
    Guessed,
}

/// A type and how it became known.
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

    /// The same type, no more certain than `how`.
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
    /// One of `types`. Null and unknown types are dropped if any other is known.
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
        // The bare type adds nothing to the same type with known arguments.
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

/// A type of the repository with its arguments.
#[derive(Debug, PartialEq)]
pub(crate) struct Applied {
    pub(crate) class: DefRef,
    args: Box<[Ty]>,
    depth: u8,
}

impl Applied {
    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }
}

impl Ty {
    /// A value of `class` with these arguments.
    pub(crate) fn of(class: DefRef, args: Vec<Self>) -> Self {
        let depth = args.iter().map(Self::depth).max().unwrap_or(0) + 1;
        let says_nothing =
            args.iter().all(|arg| matches!(arg, Self::Unknown | Self::External(None) | Self::Null));
        if says_nothing || depth > NESTING || args.len() > ARGS {
            return Self::Instance(class);
        }
        Self::Of(Rc::new(Applied { class, args: args.into(), depth }))
    }

    pub(crate) fn applied(&self) -> Option<&Applied> {
        match self {
            Self::Of(applied) => Some(applied),
            _ => None,
        }
    }

    /// The type whose value this is.
    pub(crate) fn instance_of(&self) -> Option<DefRef> {
        match self {
            Self::Instance(class) => Some(*class),
            Self::Of(applied) => Some(applied.class),
            _ => None,
        }
    }

    /// The arguments of a type of the repository.
    pub(crate) fn args(&self) -> &[Self] {
        self.applied().map_or(&[], |applied| &applied.args)
    }
}

/// Families of types from outside that hold other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    /// Elements of one type: lists, sets, iterators, channels.
    Sequence,
    /// Keys and values.
    Map,
    /// Holds one value that must be taken out: option, result, promise, lock.
    Wrapper,
    /// A fixed number of values.
    Tuple,
    /// An entry of a map of Rust: its key and its value.
    Entry,
    /// A generic type whose arguments determine nothing about its members.
    Other,
}

/// A type from outside with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) kind: ShapeKind,
    pub(crate) args: Box<[Ty]>,
    /// How deep it nests.
    depth: u8,
}

/// Deepest nesting of containers that are distinguished. It limits the cost of comparing two types.
pub(crate) const NESTING: u8 = 4;
/// Most arguments.
pub(crate) const ARGS: usize = 8;

impl Ty {
    pub(crate) fn depth(&self) -> u8 {
        match self {
            Self::External(Some(shape)) => shape.depth,
            Self::Of(applied) => applied.depth(),
            Self::Callable(signature) => {
                signature.params.iter().chain([&signature.result]).map(Self::depth).max().unwrap_or(0) + 1
            }
            Self::Union(list) => list.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// A function with the parameters `params` and the return type `result`.
    pub(crate) fn callable(params: Vec<Self>, result: Self) -> Self {
        let depth = params.iter().chain([&result]).map(Self::depth).max().unwrap_or(0);
        if depth >= NESTING || params.len() > ARGS {
            return Self::External(None);
        }
        Self::Callable(Rc::new(Signature { params: params.into(), result }))
    }
}

impl Shape {
    /// A type from outside of this family.
    pub(crate) fn ty(kind: ShapeKind, args: impl Into<Box<[Ty]>>) -> Ty {
        let args = args.into();
        let depth = args.iter().map(Ty::depth).max().unwrap_or(0) + 1;
        let says_nothing = args.iter().all(|arg| matches!(arg, Ty::Unknown | Ty::External(None) | Ty::Null));
        if says_nothing || depth > NESTING || args.len() > ARGS {
            return Ty::External(None);
        }
        Ty::External(Some(Rc::new(Self { kind, args, depth })))
    }
}
