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
    /// Adds `text` without searching for an equal one; the extractor's builder interns.
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

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// An expression's place in its [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprIx(pub u32);

/// Literals, by type only.
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

/// A small expression: receivers, types, initial values, returned values. It holds just enough to work out its type.
/// Types use the same shapes as values: `a.B[c]` is `Generic(Attr(Name(a), B), [Name(c)])` in either role.
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
    /// The result of calling it with this number of arguments.
    Call(ExprIx, u8),
    /// A new instance of a type.
    New(ExprIx),
    /// An element of it, by subscript.
    Index(ExprIx),
    /// The element of it with this key or place, which the text spells out: `table["run"]`, `list[0]`.
    Key(ExprIx, StrIx),
    /// An element of it, by iteration.
    Iter(ExprIx),
    /// The result of awaiting it.
    Await(ExprIx),
    /// The value within: `*x`, `&x`, `x?`, `x!`, `x as T` without a T.
    Unwrap(ExprIx),
    /// A generic type applied to arguments.
    Generic(ExprIx, Vec<ExprIx>),
    /// One of several types; an optional type is a union with null.
    Union(Vec<ExprIx>),
    /// One of several values: `a if c else b`, `a || b`. In place of a type, it has one element: the type is that of
    /// this value.
    Either(Vec<ExprIx>),
    /// A tuple's or list's elements.
    Tuple(Vec<ExprIx>),
    /// Element `n` of a tuple, by destructuring.
    Item(ExprIx, u8),
    /// The type of a function with these parameters and this return type.
    Callable(Vec<ExprIx>, Option<ExprIx>),
    /// A literal.
    Lit(Lit),
    /// An expression without a shape here.
    Unknown,
    /// The value passed for a parameter (the second number) of the function that is an argument (the first) of a call
    /// of this, or of a [`Self::New`]: the `x` of `list.each(|x| …)` is `Passed(list.each, 0, 0)`. With 255 for the
    /// argument, it is a parameter of this itself. With 255 for the parameter, it is the argument as the callee expects
    /// it. With [`PASSED_RECEIVER`], it is the receiver that the function is run on.
    Passed(ExprIx, u8, u8),
    /// An object, an object type or a table, as it is written: its properties with their values or types. Properties
    /// copied from another object (`...x`) have an empty name. Where the key is computed, the name is the key's text in
    /// brackets.
    Record(Vec<(StrIx, ExprIx)>),
    /// A definition inside the enclosing function, by its name. With true, a member of an object literal.
    Inner(StrIx, bool),
}

/// In place of a type's name: `Generic(PREDICATE, [T, value])` is the type `value is T`.
pub const PREDICATE: &str = " is";

/// In place of a parameter in [`Expr::Passed`]: the receiver that the function is run on, which calls in it need not
/// name. The type of a function that is run on a T has `Unwrap(T)` as its first parameter.
pub const PASSED_RECEIVER: u8 = 254;

/// The receiver that calls in an anonymous function may leave out, as the name of a local. No program has a local of
/// this name.
pub const RECEIVER: &str = "this@";

/// Maximum number of parts of a name that is spelled out.
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
        // From the last part to the first, without recursion, because a text may nest as deep as it is long.
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
