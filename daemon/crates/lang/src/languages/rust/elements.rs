//! The tokens in a macro's brackets as a list of elements.

use sdl_model::facts::{Expr, ExprIx};

use super::kinds::{K, Node};
use super::names::{is_pointer, plain_name};
use crate::builder::Half;

/// Maximum number of tokens of an element that is read as an expression.
const MAX_PATH: usize = 12;
/// Maximum number of pointers to pointers in one value.
const MAX_POINTERS: u8 = 4;

/// The text between two tokens.
pub(super) fn text_between<'a>(a: Node<'a>, b: Node<'a>) -> &'a str {
    a.src().get(a.end() as usize..b.start() as usize).unwrap_or("")
}

/// The number of arguments in the brackets `tree`.
pub(super) fn arg_count(tree: Node<'_>) -> usize {
    let src = tree.src();
    let mut at = tree.start() as usize + 1;
    let mut args = 0;
    let mut open = false;
    let mut count = |text: &str| {
        for byte in text.bytes() {
            match byte {
                b',' => {
                    args += usize::from(open);
                    open = false;
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => open = true,
            }
        }
    };
    let mut last = 0;
    for token in tree.children() {
        count(src.get(at..token.start() as usize).unwrap_or(""));
        count("x");
        at = token.end() as usize;
        last = at;
    }
    let end = (tree.end() as usize).saturating_sub(1);
    count(src.get(last.max(at)..end).unwrap_or(""));
    args + usize::from(open)
}

/// The shape of the first element of the list in `tree`, if it is a chain of names and calls or a struct.
pub(super) fn first_element_shape<'a>(half: &mut Half<'a>, tree: Node<'a>) -> Option<ExprIx> {
    first_at(half, tree, 0)
}

fn first_at<'a>(half: &mut Half<'a>, tree: Node<'a>, depth: u8) -> Option<ExprIx> {
    let mut tokens = tree.children().filter(|token| !token.is(K::MutableSpecifier)).take(MAX_PATH);
    let mut last = tokens.next()?;
    let mut shape = match (last.kind(), last.text()) {
        (K::SelfName, _) => half.add(Expr::SelfRef),
        (K::Identifier, "Self") => half.add(Expr::SelfType),
        (K::Identifier, name) => half.name(plain_name(name)),
        _ => return None,
    };
    for token in tokens {
        let mut between = text_between(last, token).trim();
        last = token;
        loop {
            if let Some(rest) = between.strip_prefix('?') {
                shape = half.add(Expr::Unwrap(shape));
                between = rest.trim_start();
            } else if let Some(rest) =
                between.strip_prefix('.').and_then(|rest| rest.trim_start().strip_prefix("await"))
            {
                shape = half.add(Expr::Await(shape));
                between = rest.trim_start();
            } else {
                break;
            }
        }
        let opens = token.text().get(..1).unwrap_or("");
        shape = match (between, token.kind(), opens) {
            ("::", K::Identifier, _) => half.path(shape, plain_name(token.text())),
            (".", K::Identifier | K::IntegerLiteral, _) => half.attr(shape, plain_name(token.text())),
            ("", K::TokenTree, "(") => match pointee_shape(half, shape, token, depth) {
                Some(pointed) => pointed,
                None => half.call(shape, arg_count(token)),
            },
            ("", K::TokenTree, "{") => half.add(Expr::New(shape)),
            ("," | ";", ..) => return Some(shape),
            _ => return None,
        };
    }
    Some(shape)
}

/// The value that a new pointer points to, if calling `callee` with `tree` makes one: `Pin::new(&mut self.inner)`.
fn pointee_shape<'a>(half: &mut Half<'a>, callee: ExprIx, tree: Node<'a>, depth: u8) -> Option<ExprIx> {
    let Expr::Path(of, name) = *half.expr(callee) else { return None };
    let Expr::Name(of) = *half.expr(of) else { return None };
    let points = depth < MAX_POINTERS && is_pointer(half.text(of), half.text(name));
    points.then(|| first_at(half, tree, depth + 1)).flatten()
}
