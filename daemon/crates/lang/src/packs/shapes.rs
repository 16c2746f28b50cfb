//! Shapes of types and values, from their text and from the queries' matches.

use sdl_model::facts::{Expr, ExprIx, Lit, RefForm};

use super::context::{Context, Node, arg_count};
use super::query::{Part, Role};
use super::{Pack, Spec};
use crate::builder::Half;

/// The longest text of a type or value that is read.
const MAX_TEXT: usize = 200;
/// How deep values are followed, and types into their arguments.
const MAX_DEPTH: u32 = 12;
/// How many arguments of a generic type are looked at.
const MAX_ARGS: usize = 8;

/// Words before a type that state how it is passed.
const QUALIFIERS: &[&str] =
    &["const", "inout", "any", "some", "final", "var", "stream", "optional", "repeated"];

/// The shape of the type that `text` spells: a dotted name with arguments in brackets, or nothing.
pub(super) fn type_shape(half: &mut Half<'_>, spec: &Spec, text: &str) -> ExprIx {
    type_within(half, spec, text, MAX_DEPTH)
}

fn type_within(half: &mut Half<'_>, spec: &Spec, text: &str, depth: u32) -> ExprIx {
    if spec.own_types.contains(&text.trim()) {
        return half.add(Expr::SelfType);
    }
    let mut text = text.trim().trim_start_matches(['?', '*', '&', '!', '@', ':']).trim();
    if depth == 0 || text.len() > MAX_TEXT {
        return half.unknown();
    }
    while let Some((word, rest)) = text.split_once(' ') {
        if !QUALIFIERS.contains(&word) {
            break;
        }
        text = rest.trim_start();
    }
    if spec.own_types.contains(&text) {
        return half.add(Expr::SelfType);
    }
    let end = text.find(|c: char| !is_name(c) && c != '.').unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    let path = path.trim_matches('.');
    if path.is_empty() || path.starts_with(|c: char| c.is_ascii_digit()) || path.contains("..") {
        return half.unknown();
    }
    let mut ty = half.dotted(path);
    let rest = rest.trim();
    let args = rest.strip_prefix('<').and_then(|rest| rest.rsplit_once('>'));
    let args = args.or_else(|| rest.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')));
    let rest = match args {
        Some((inside, behind)) => {
            let args = split_args(inside).into_iter().take(MAX_ARGS);
            let args: Vec<ExprIx> = args.map(|arg| type_within(half, spec, arg, depth - 1)).collect();
            if !args.is_empty() {
                ty = half.add(Expr::Generic(ty, args));
            }
            behind.trim()
        }
        None => rest,
    };
    if rest.starts_with("=>") || rest.starts_with("->") {
        return half.unknown();
    }
    if rest.starts_with('?') { half.optional(ty) } else { ty }
}

/// The parts of `text` between commas that are in no brackets.
fn split_args(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'[' | b'(' => depth += 1,
            b'>' | b']' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text.get(from..at).unwrap_or(""));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or(""));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether `text` is a name, or several with dots or colons between, such as `a.b` or `a::b`.
fn is_path(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && text.split(['.', ':']).all(|part| {
            let part = part.strip_suffix(['?', '!']).unwrap_or(part);
            !part.is_empty() && part.chars().all(is_name)
        })
}

/// The shape of the value of `node`, of the body.
pub(super) fn value_shape<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>) -> ExprIx {
    value_within(cx, node, MAX_DEPTH)
}

fn value_within<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, depth: u32) -> ExprIx {
    if depth == 0 {
        return cx.b.body.unknown();
    }
    if let Some(shape) = reference_shape(cx, node, depth) {
        return shape;
    }
    let text = node.text();
    if text.len() <= MAX_TEXT
        && let Some(shape) = text_shape(&mut cx.b.body, P::SPEC, text.trim())
    {
        return shape;
    }
    // Parentheses, `await`, `try` and the like.
    let mut children = node.children();
    match (children.next(), children.next()) {
        (Some(only), None) => value_within(cx, only, depth - 1),
        _ => cx.b.body.unknown(),
    }
}

/// The shape of a node that the queries mark as a call or a member.
fn reference_shape<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, depth: u32) -> Option<ExprIx> {
    let marks = cx.state.marks.get(&node.ix())?;
    let (form, mark) = marks.iter().find_map(|mark| match mark.role {
        Role::Reference(form) => Some((form, *mark)),
        _ => None,
    })?;
    let name = node.at(mark.part(Part::Name)?)?;
    let receiver =
        mark.part(Part::Receiver).and_then(|at| node.at(at)).filter(|inner| inner.ix() != node.ix());
    let base = match receiver {
        Some(receiver) => Some(value_within(cx, receiver, depth - 1)),
        // A name alone is read by its text.
        None if name.ix() == node.ix() => return None,
        None => None,
    };
    let half = &mut cx.b.body;
    let callee = match base {
        Some(base) => half.attr(base, name.text()),
        None => half.name(name.text()),
    };
    let args = arg_count(node, mark.part(Part::Arguments).and_then(|at| node.at(at)));
    Some(match form {
        RefForm::Call | RefForm::MethodCall => half.call(callee, args),
        RefForm::Construct => half.add(Expr::New(callee)),
        _ => callee,
    })
}

/// The shape of a short text: the receiver, a name, a literal.
fn text_shape(half: &mut Half<'_>, spec: &Spec, text: &str) -> Option<ExprIx> {
    if spec.own.contains(&text) {
        return Some(half.add(Expr::SelfRef));
    }
    if spec.base.contains(&text) {
        return Some(half.add(Expr::SuperRef));
    }
    match text.bytes().next()? {
        b'"' | b'\'' => return Some(half.lit(Lit::Str)),
        b'0'..=b'9' => return Some(half.lit(Lit::Int)),
        _ => {}
    }
    if matches!(text, "true" | "false") {
        return Some(half.lit(Lit::Bool));
    }
    if matches!(text, "nil" | "null") {
        return Some(half.lit(Lit::Null));
    }
    if !is_path(text) {
        return None;
    }
    let mut parts = text.split(['.', ':']).filter(|part| !part.is_empty());
    let first = parts.next()?;
    let mut shape = if spec.own.contains(&first) {
        half.add(Expr::SelfRef)
    } else if spec.base.contains(&first) {
        half.add(Expr::SuperRef)
    } else {
        half.name(first.trim_end_matches(['?', '!']))
    };
    for part in parts.take(MAX_DEPTH as usize) {
        shape = half.attr(shape, part.trim_end_matches(['?', '!']));
    }
    Some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_types_are_split_outside_of_brackets() {
        assert_eq!(split_args("A, Map<B, C>, (D, E)"), ["A", " Map<B, C>", " (D, E)"]);
        assert!(split_args(" ").is_empty());
    }

    #[test]
    fn paths_are_names_with_dots() {
        assert!(is_path("a.b.C") && is_path("a?.b"));
        assert!(!is_path("a..b") && !is_path("1.5") && !is_path("f(x).y") && !is_path(""));
    }
}
