//! Shapes of stated types, written as expressions or as text.

use sdl_model::facts::{Expr, ExprIx, Lit, RefForm};

use super::kinds::{Context, F, K, Node};
use crate::builder::{Half, MAX_ELEMENTS, Written};
use crate::driver::Visit;

pub(super) fn type_shape<'a>(half: &mut Half<'a>, node: Node<'a>) -> ExprIx {
    match node.kind() {
        K::Type | K::ParenthesizedExpression | K::ConstrainedType => half.ty_or_unknown(node.first()),
        K::Identifier => name_shape(half, node.text()),
        K::Attribute => {
            let base = half.ty_or_unknown(node.child(F::Object));
            dotted_shape(half, base, node.child(F::AttributeName).map_or("", Node::text))
        }
        K::MemberType => {
            let mut parts = node.children();
            let base = half.ty_or_unknown(parts.next());
            dotted_shape(half, base, parts.next().map_or("", Node::text))
        }
        K::GenericType => {
            let mut parts = node.children();
            let Some(base) = parts.next() else { return half.unknown() };
            let args = parts.next().map(Node::children).into_iter().flatten();
            generic_node(half, base, args)
        }
        K::Subscript => match node.child(F::Value) {
            Some(base) => generic_node(half, base, node.children_in(F::SubscriptIndex)),
            None => half.unknown(),
        },
        K::BinaryOperator if node.child_of(K::Bar).is_some() => {
            let left = half.ty_or_unknown(node.child(F::Left));
            let right = half.ty_or_unknown(node.child(F::Right));
            union_shape(half, left, right)
        }
        K::UnionType => {
            let all = half.types(node.children().filter(|child| !child.is(K::Bar)));
            half.union(all)
        }
        K::NoneLiteral => half.lit(Lit::Null),
        K::List | K::Tuple => {
            let items = half.types(node.children());
            half.add(Expr::Tuple(items))
        }
        K::String => parse_type(half, string_content(node)).unwrap_or_else(|| half.unknown()),
        _ => half.unknown(),
    }
}

fn name_shape(half: &mut Half<'_>, text: &str) -> ExprIx {
    match text {
        "Self" => half.add(Expr::SelfType),
        "None" => half.lit(Lit::Null),
        _ => half.type_name(text),
    }
}

/// `base.name`. `Self` of a module, such as `typing.Self`, is the same as `Self`.
fn dotted_shape(half: &mut Half<'_>, base: ExprIx, name: &str) -> ExprIx {
    match (half.expr(base), name) {
        (Expr::Name(_), "Self") => half.add(Expr::SelfType),
        _ => half.attr(base, name),
    }
}

/// `left | right`, flat.
fn union_shape(half: &mut Half<'_>, left: ExprIx, right: ExprIx) -> ExprIx {
    let mut all = Vec::new();
    for side in [left, right] {
        match half.expr(side) {
            Expr::Union(items) => all.extend_from_slice(items),
            _ => all.push(side),
        }
    }
    all.truncate(MAX_ELEMENTS);
    half.union(all)
}

fn generic_node<'a>(half: &mut Half<'a>, base: Node<'a>, args: impl Iterator<Item = Node<'a>>) -> ExprIx {
    let last = base.text().rsplit('.').next().unwrap_or("").trim();
    if last == "Literal" {
        let first = args.map(|arg| if arg.is(K::Type) { arg.first().unwrap_or(arg) } else { arg }).next();
        return half.value_or_unknown(first);
    }
    let mut open_ended = false;
    let args: Vec<ExprIx> = args
        .take(MAX_ELEMENTS)
        .map(|arg| {
            let inner = if arg.is(K::Type) { arg.first().unwrap_or(arg) } else { arg };
            open_ended |= inner.is(K::Ellipsis);
            half.ty(arg)
        })
        .collect();
    let base = half.ty(base);
    generic_shape(half, last, base, args, open_ended)
}

/// A generic type, with the forms of `typing` that are other shapes resolved. `last` is the last part of its name.
fn generic_shape(
    half: &mut Half<'_>,
    last: &str,
    base: ExprIx,
    mut args: Vec<ExprIx>,
    open_ended: bool,
) -> ExprIx {
    let first = args.first().copied();
    match (last, first) {
        ("Optional", Some(first)) => half.optional(first),
        ("Union", Some(first)) => {
            args.into_iter().skip(1).fold(first, |left, right| union_shape(half, left, right))
        }
        (
            "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
            | "TypeGuard",
            Some(first),
        ) => first,
        ("Tuple" | "tuple", Some(_)) if !open_ended => half.add(Expr::Tuple(args)),
        ("Callable", Some(first)) => {
            let ret = args.get(1).copied();
            let params = match half.expr(first) {
                Expr::Tuple(params) => params.clone(),
                _ => Vec::new(),
            };
            half.add(Expr::Callable(params, ret))
        }
        _ => {
            args.retain(|arg| !half.is_unknown(*arg));
            if args.is_empty() { base } else { half.add(Expr::Generic(base, args)) }
        }
    }
}

/// The text between a string's quotes.
pub(super) fn string_content(node: Node<'_>) -> &str {
    let start = node.child_of(K::StringStart).map_or(node.start(), Node::end);
    let end = node.child_of(K::StringEnd).map_or(node.end(), Node::start);
    node.src().get(start as usize..end as usize).unwrap_or("")
}

/// A string: inside an annotation, its text is a type.
pub(super) fn read_string_type<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if node.ix() >= cx.state.type_until {
        return Visit::Into;
    }
    let text = string_content(node);
    let literal = node.ancestors().take(6).any(|around| {
        matches!(around.kind(), K::GenericType | K::Subscript)
            && around.first().is_some_and(|base| base.text().rsplit('.').next() == Some("Literal"))
    });
    if literal || parse_type(&mut cx.b.body, text).is_none() {
        return Visit::Skip;
    }
    let start = node.child_of(K::StringStart).map_or(node.start(), Node::end);
    let mut at = 0;
    while let Some(from) = text.get(at..).and_then(|rest| rest.find(is_name_start)) {
        let from = at + from;
        let word = text.get(from..).unwrap_or("");
        let word =
            word.get(..word.find(|c| !is_name_part(c) && c != '.').unwrap_or(word.len())).unwrap_or("");
        at = from + word.len().max(1);
        let (base, last) = match word.rsplit_once('.') {
            Some((base, last)) => (Some(cx.b.body.dotted(base)), last),
            None => (None, word),
        };
        if last != "None" {
            let offset = start + (from + word.len() - last.len()) as u32;
            cx.b.reference(RefForm::Type, last, offset, base, 0);
        }
    }
    Visit::Skip
}

fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_name_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The type that `text` states; none unless all of it is one.
fn parse_type(half: &mut Half<'_>, text: &str) -> Option<ExprIx> {
    if text.len() > 1_000 {
        return None;
    }
    let mut reader = Written::new(half, text, char::is_whitespace);
    let ty = parse_union(&mut reader)?;
    reader.is_done().then_some(ty)
}

type Reader<'h, 'a, 't> = Written<'h, 'a, 't>;

fn parse_union(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    reader.deeper(|reader| {
        let mut ty = parse_single(reader)?;
        while reader.eat("|") {
            let right = parse_single(reader)?;
            ty = union_shape(reader.half, ty, right);
        }
        Some(ty)
    })
}

fn parse_single(reader: &mut Reader<'_, '_, '_>) -> Option<ExprIx> {
    if reader.eat("[") {
        let (items, _) = parse_type_list(reader)?;
        return Some(reader.half.add(Expr::Tuple(items)));
    }
    let mut ty = None;
    let mut last;
    loop {
        let rest = reader.ahead();
        let end = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| word.starts_with(is_name_start))?;
        reader.rest = rest.get(end..)?;
        last = word;
        ty = Some(match ty {
            None => name_shape(reader.half, word),
            Some(base) => dotted_shape(reader.half, base, word),
        });
        if !reader.eat(".") {
            break;
        }
    }
    let base = ty?;
    if !reader.eat("[") {
        return Some(base);
    }
    let (args, open_ended) = parse_type_list(reader)?;
    Some(generic_shape(reader.half, last, base, args, open_ended))
}

/// The types before the closing bracket, and whether there is an ellipsis.
fn parse_type_list(reader: &mut Reader<'_, '_, '_>) -> Option<(Vec<ExprIx>, bool)> {
    let mut open_ended = false;
    let items = reader.list("]", |reader| {
        if reader.eat("...") {
            open_ended = true;
            return Some(reader.half.unknown());
        }
        parse_union(reader)
    })?;
    Some((items, open_ended))
}
