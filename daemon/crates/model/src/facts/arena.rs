//! Interned text and small expressions, by index.

use serde::{Deserialize, Serialize};

/// A text's place in its [`Strings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrIx(pub u32);

/// Interned texts, stored end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    /// Adds `text` without looking for an equal one; the extractor's builder interns.
    pub fn push(&mut self, text: &str) -> StrIx {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        StrIx(self.ends.len() as u32 - 1)
    }

    /// The text at `ix`; empty for an index from elsewhere.
    pub fn get(&self, ix: StrIx) -> &str {
        let at = ix.0 as usize;
        let Some(&end) = self.ends.get(at) else { return "" };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// How many texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// An expression's place in its [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprIx(pub u32);

/// Literals, as far as their type goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Lit {
    Str,
    Bytes,
    Int,
    Float,
    Bool,
    Null,
    List,
    Dict,
    Set,
    Tuple,
    Regex,
    Lambda,
    Object,
}

/// A small expression: receivers, types, initial values, returned values. Enough to ask what type it has, no more.
/// Types use the same shapes as values: `a.B[c]` is `Generic(Attr(Name(a), B), [Name(c)])` wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// A bare name.
    Name(StrIx),
    /// `self`, `this`.
    SelfRef,
    /// `super`, `base`, `parent`.
    SuperRef,
    /// `Self`, `static`: the enclosing type itself.
    SelfType,
    /// Member access on a value or a module: `a.b`, `a->b`, `a?.b`.
    Attr(ExprIx, StrIx),
    /// Scoped access: `a::b`, `a\b`.
    Path(ExprIx, StrIx),
    /// What calling it gives, with how many arguments.
    Call(ExprIx, u8),
    /// A new instance of a type.
    New(ExprIx),
    /// An element of it, by subscript.
    Index(ExprIx),
    /// An element of it, by iteration.
    Iter(ExprIx),
    /// What awaiting it gives.
    Await(ExprIx),
    /// The value within: `*x`, `&x`, `x?`, `x!`, `x as T` without a T.
    Unwrap(ExprIx),
    /// A generic type applied to arguments.
    Generic(ExprIx, Vec<ExprIx>),
    /// One of several types; an optional type is a union with null.
    Union(Vec<ExprIx>),
    /// One of several values: `a if c else b`, `a || b`. Where a type stands, just one: the type of that value.
    Either(Vec<ExprIx>),
    /// A tuple's or list's elements.
    Tuple(Vec<ExprIx>),
    /// Element `n` of a tuple, by destructuring.
    Item(ExprIx, u8),
    /// The callable type of these parameters and result.
    Callable(Vec<ExprIx>, Option<ExprIx>),
    /// A literal.
    Lit(Lit),
    /// Something that this vocabulary has no word for.
    Unknown,
    /// What is passed for a parameter (the second number) of the function that is an argument (the first) of a call of
    /// this, or of a [`Self::New`]: the `x` of `list.each(|x| …)` is `Passed(list.each, 0, 0)`. With 255 for the argument
    /// it is a parameter of this itself; with 255 for the parameter, it is the argument as the callee expects it; with
    /// [`PASSED_RECEIVER`], the receiver that the function is run on.
    Passed(ExprIx, u8, u8),
    /// An object, or an object type, as it is written: its properties with their values or types. What it takes over from
    /// another (`...x`) has an empty name.
    Record(Vec<(StrIx, ExprIx)>),
    /// A definition inside the function around, by its name; with true, one that an object as written has as a member.
    Inner(StrIx, bool),
}

/// In place of a type's name: `Generic(PREDICATE, [T, value])` is the type `value is T`.
pub const PREDICATE: &str = " is";

/// In place of a parameter in [`Expr::Passed`]: what the function is run on, which calls in it need not name. The type of a
/// function that is run on a T has `Unwrap(T)` as its first parameter.
pub const PASSED_RECEIVER: u8 = 254;

/// What calls without a receiver in an anonymous function may be meant for, as a local name: no program has one of that name.
pub const RECEIVER: &str = "this@";

/// Names of more parts than this are not spelled out.
pub const LONGEST_DOTTED: usize = 64;

/// Texts and expressions of one half of a file's facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arena {
    /// The texts.
    pub strings: Strings,
    /// The expressions; each refers only to those before it.
    pub exprs: Vec<Expr>,
}

impl Arena {
    /// The text at `ix`.
    pub fn str(&self, ix: StrIx) -> &str {
        self.strings.get(ix)
    }

    /// The expression at `ix`; [`Expr::Unknown`] for an index from elsewhere.
    pub fn expr(&self, ix: ExprIx) -> &Expr {
        self.exprs.get(ix.0 as usize).unwrap_or(&Expr::Unknown)
    }

    /// The plain dotted or scoped name that `ix` spells (`a.b`, `a::b`), if it is one of at most
    /// [`LONGEST_DOTTED`] parts.
    pub fn dotted(&self, mut ix: ExprIx) -> Option<String> {
        // From the last part to the first; not by recursion, since a text may nest as deep as it is long.
        let mut parts = Vec::new();
        while parts.len() < 2 * LONGEST_DOTTED {
            match self.expr(ix) {
                Expr::Name(name) => {
                    parts.push(self.str(*name));
                    return Some(parts.into_iter().rev().collect());
                }
                Expr::Attr(base, name) => {
                    parts.extend([self.str(*name), "."]);
                    ix = *base;
                }
                Expr::Path(base, name) => {
                    parts.extend([self.str(*name), "::"]);
                    ix = *base;
                }
                _ => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_names() {
        let mut arena = Arena::default();
        let [a, b, c] = ["a", "b", "c"].map(|text| arena.strings.push(text));
        arena.exprs.push(Expr::Name(a));
        arena.exprs.push(Expr::Attr(ExprIx(0), b));
        arena.exprs.push(Expr::Path(ExprIx(1), c));
        arena.exprs.push(Expr::New(ExprIx(2)));
        assert_eq!(arena.dotted(ExprIx(2)).as_deref(), Some("a.b::c"));
        assert_eq!(arena.dotted(ExprIx(3)), None);
    }

    #[test]
    fn a_name_as_deep_as_a_file_is_long_is_not_spelled_out() {
        let mut arena = Arena::default();
        let name = arena.strings.push("a");
        arena.exprs.push(Expr::Name(name));
        for base in 0..1_000_000 {
            arena.exprs.push(Expr::Attr(ExprIx(base), name));
        }
        assert_eq!(arena.dotted(ExprIx(1_000_000)), None);
        assert!(arena.dotted(ExprIx(10)).is_some());
    }
}
