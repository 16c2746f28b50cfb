//! The parts of an expression, and its shape as text, for keys and for the interface.

use std::fmt::Write;

use super::{Arena, Expr, ExprIx};

/// Appends the shape at `ix` in a form that differs for different shapes.
pub fn write_shape(arena: &Arena, ix: ExprIx, out: &mut String) {
    // A shape refers to a bounded number of others; this guards against shared ones that unfold without end.
    if out.len() > 1 << 16 {
        return;
    }
    let list = |items: &[ExprIx], out: &mut String| {
        for item in items {
            write_shape(arena, *item, out);
            out.push(',');
        }
    };
    match arena.expr(ix) {
        Expr::Name(name) => out.push_str(arena.str(*name)),
        Expr::SelfRef => out.push_str("$self"),
        Expr::SuperRef => out.push_str("$super"),
        Expr::SelfType => out.push_str("$Self"),
        Expr::Attr(base, name) => {
            write_shape(arena, *base, out);
            out.push('.');
            out.push_str(arena.str(*name));
        }
        Expr::Path(base, name) => {
            write_shape(arena, *base, out);
            out.push_str("::");
            out.push_str(arena.str(*name));
        }
        Expr::Generic(base, args) => {
            write_shape(arena, *base, out);
            out.push('<');
            list(args, out);
            out.push('>');
        }
        Expr::Union(items) => {
            out.push_str("|(");
            list(items, out);
            out.push(')');
        }
        Expr::Either(items) => {
            out.push_str("?(");
            list(items, out);
            out.push(')');
        }
        Expr::Tuple(items) => {
            out.push_str("#(");
            list(items, out);
            out.push(')');
        }
        Expr::Callable(params, ret) => {
            out.push_str("fn(");
            list(params, out);
            out.push(')');
            if let Some(ret) = ret {
                write_shape(arena, *ret, out);
            }
        }
        Expr::Lit(lit) => {
            let _ = write!(out, "${lit:?}");
        }
        Expr::Unknown => out.push('_'),
        Expr::Record(fields) => {
            out.push('{');
            for (name, value) in fields {
                out.push_str(arena.str(*name));
                out.push(':');
                write_shape(arena, *value, out);
                out.push(',');
            }
            out.push('}');
        }
        Expr::Inner(name, member) => {
            out.push_str(if *member { "$." } else { "$:" });
            out.push_str(arena.str(*name));
        }
        wrapper => wrapped_shape(arena, wrapper, out),
    }
}

/// The same for an expression that wraps another one.
fn wrapped_shape(arena: &Arena, wrapper: &Expr, out: &mut String) {
    let mut wrap = |mark: char, inner: ExprIx, more: std::fmt::Arguments<'_>| {
        out.push(mark);
        out.push('(');
        write_shape(arena, inner, out);
        out.push(')');
        let _ = out.write_fmt(more);
    };
    match wrapper {
        Expr::Call(inner, args) => wrap('$', *inner, format_args!("{args}")),
        Expr::New(inner) => wrap('n', *inner, format_args!("")),
        Expr::Index(inner) => wrap('i', *inner, format_args!("")),
        Expr::Key(inner, key) => wrap('k', *inner, format_args!("{}", arena.str(*key))),
        Expr::Iter(inner) => wrap('e', *inner, format_args!("")),
        Expr::Await(inner) => wrap('a', *inner, format_args!("")),
        Expr::Unwrap(inner) => wrap('u', *inner, format_args!("")),
        Expr::Item(inner, at) => wrap('t', *inner, format_args!("{at}")),
        Expr::Passed(inner, arg, param) => wrap('p', *inner, format_args!("{arg},{param}")),
        _ => {}
    }
}

/// The same, with a mark after it.
pub(super) fn shape_hash(arena: &Arena, ix: ExprIx, text: &mut String) {
    write_shape(arena, ix, text);
    text.push('\u{1}');
}

impl Expr {
    /// Hands each expression that it refers to directly to `each`.
    pub fn visit_parts(&self, mut each: impl FnMut(ExprIx)) {
        _ = self.map_parts(|part| {
            each(part);
            part
        });
    }

    /// The same with each expression that it refers to directly replaced.
    #[must_use]
    pub fn map_parts(&self, mut part: impl FnMut(ExprIx) -> ExprIx) -> Self {
        let mut all = |list: &[ExprIx]| list.iter().map(|ix| part(*ix)).collect::<Vec<_>>();
        match self {
            Self::Generic(base, args) => {
                let args = all(args);
                Self::Generic(part(*base), args)
            }
            Self::Union(list) => Self::Union(all(list)),
            Self::Either(list) => Self::Either(all(list)),
            Self::Tuple(list) => Self::Tuple(all(list)),
            Self::Callable(params, ret) => {
                let params = all(params);
                Self::Callable(params, ret.map(part))
            }
            Self::Attr(base, name) => Self::Attr(part(*base), *name),
            Self::Path(base, name) => Self::Path(part(*base), *name),
            Self::Call(base, args) => Self::Call(part(*base), *args),
            Self::New(base) => Self::New(part(*base)),
            Self::Index(base) => Self::Index(part(*base)),
            Self::Key(base, key) => Self::Key(part(*base), *key),
            Self::Iter(base) => Self::Iter(part(*base)),
            Self::Await(base) => Self::Await(part(*base)),
            Self::Unwrap(base) => Self::Unwrap(part(*base)),
            Self::Item(base, at) => Self::Item(part(*base), *at),
            Self::Passed(base, arg, param) => Self::Passed(part(*base), *arg, *param),
            Self::Record(fields) => {
                Self::Record(fields.iter().map(|(name, value)| (*name, part(*value))).collect())
            }
            Self::Name(_)
            | Self::SelfRef
            | Self::SuperRef
            | Self::SelfType
            | Self::Lit(_)
            | Self::Inner(..)
            | Self::Unknown => self.clone(),
        }
    }
}
