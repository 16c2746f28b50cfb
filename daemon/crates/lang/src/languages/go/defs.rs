//! Constants and variables.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefIx, Expr, Lit};

use super::kinds::{Context, F, K, Node};
use super::{binds, functions, types};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// How long a variable's statement may be to serve as its signature.
const SHORT_VALUE: u32 = 60;

/// Maximum number of names of one declaration that each represent all of it.
pub(super) const MAX_SHARED: usize = 16;

/// The declaration of `spec` and whether it is part of a group. If `spec` is the only one, this is its parent; else it
/// is `spec` itself.
pub(super) fn whole_declaration(spec: Node<'_>) -> (Node<'_>, bool) {
    match spec.parent() {
        Some(parent)
            if matches!(parent.kind(), K::TypeDeclaration | K::ConstDeclaration | K::VarDeclaration) =>
        {
            let bracket = parent.src().get(parent.start() as usize..spec.start() as usize);
            let grouped = bracket.is_some_and(|text| text.contains('('));
            if grouped { (spec, true) } else { (parent, false) }
        }
        _ => (spec, true),
    }
}

/// `a, b T = 1, 2` of a `const` or a `var`.
pub(super) fn read_spec<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let constant = node.is(K::ConstSpec);
    let stated = node.child(F::TypeField);
    let values: Vec<Node<'a>> = node.child(F::Value).map_or_else(Vec::new, |list| list.children().collect());
    if cx.b.scope() != DefIx::MODULE {
        bind_locals(cx, node, stated, &values);
        return;
    }
    let names: Vec<Node<'a>> = node.children_in(F::Name).filter(|name| name.is(K::Identifier)).collect();
    let inherited = constant && values.is_empty();
    let ty = match stated {
        Some(stated) => Some(cx.b.out.ty(stated)),
        None if inherited => cx.state.const_type.filter(|(_, end)| node.ix() < *end).map(|(ty, _)| ty),
        None => None,
    };
    if constant && !inherited {
        cx.state.const_type = ty.zip(node.parent().map(Node::next_ix));
    }
    if let (Some(ty), Some(value), [name]) = (ty, values.first(), names.as_slice())
        && name.text() == "_"
        && let Some(class) = asserted_type(*value)
    {
        cx.state.assertions.push((class.to_owned(), ty, name.start()));
    }
    let (whole, grouped) = whole_declaration(node);
    let many = names.len() > 1;
    let word = if constant { "const" } else { "var" };
    for (at, name) in names.iter().enumerate().filter(|(_, name)| name.text() != "_") {
        let function = values.first().filter(|value| value.is(K::FuncLiteral) && !many && !constant);
        let kind = match function {
            Some(_) => SymbolKind::Function,
            None if constant => SymbolKind::Constant,
            None => SymbolKind::Variable,
        };
        // If the list of names is long, a name's definition does not cover the whole text.
        let whole = if names.len() > MAX_SHARED { *name } else { whole };
        let mut new = NewDef::new(kind, name.text(), *name, whole);
        let shown = shown_to(node, &values);
        if many {
            let ty = stated.map_or_else(String::new, |ty| format!(" {}", fold_line(ty.text(), 300)));
            new = new.signature(format!("{word} {}{ty}", name.text()));
        } else if let Some(function) = function {
            new = functions::with_header(new, *function);
        } else if grouped {
            let text = fold_line(cx.b.slice(node.start(), shown), 500);
            new = new.signature(format!("{word} {}", text.trim_end_matches([' ', '='])));
        } else {
            new = new.header_to(shown);
        }
        let def = if many { cx.b.leaf(new) } else { cx.b.open(new) };
        functions::set_visibility(cx, def, name.text());
        functions::mark_deprecated(cx, def);
        if function.is_some() {
            continue;
        }
        cx.b.def_mut(def).ty = ty;
        if ty.is_none() {
            if inherited {
                cx.b.def_mut(def).value = Some(cx.b.out.lit(Lit::Int));
            } else if let Some(value) = value_at(cx, &values, at, names.len()) {
                cx.b.def_mut(def).value = Some(value);
            }
        }
    }
}

/// The value of the name at place `at` of `count`, in the outline.
fn value_at<'a>(
    cx: &mut Context<'a>,
    values: &[Node<'a>],
    at: usize,
    count: usize,
) -> Option<sdl_model::facts::ExprIx> {
    if values.len() == count {
        return values.get(at).map(|value| cx.b.out.value(*value));
    }
    let whole = cx.b.out.value(*values.first()?);
    Some(cx.b.out.add(Expr::Item(whole, at.min(255) as u8)))
}

/// Where the shown part of `spec` ends. Text stays out of signatures, because it may be long, or secret.
fn shown_to(spec: Node<'_>, values: &[Node<'_>]) -> u32 {
    let simple = |value: &Node<'_>| {
        matches!(
            value.kind(),
            K::IntLiteral | K::FloatLiteral | K::True | K::False | K::Nil | K::Iota | K::Identifier
        ) || value.is(K::SelectorExpression)
            || value.is(K::BinaryExpression) && value.text().contains("iota")
    };
    match values {
        [value] if simple(value) && spec.end() - spec.start() <= SHORT_VALUE => spec.end(),
        [value, ..] => value.start(),
        [] => spec.end(),
    }
}

fn bind_locals<'a>(cx: &mut Context<'a>, node: Node<'a>, stated: Option<Node<'a>>, values: &[Node<'a>]) {
    let names: Vec<Node<'a>> = node.children_in(F::Name).filter(|name| name.is(K::Identifier)).collect();
    let to = binds::scope_end(cx, node);
    let ty = stated.map(|stated| cx.b.body.ty(stated));
    for (at, name) in names.iter().enumerate().filter(|(_, name)| name.text() != "_") {
        let alone = values.len() == names.len();
        // A function that is bound to a name is a definition.
        if alone && values.get(at).is_some_and(|value| value.is(K::FuncLiteral)) {
            continue;
        }
        let value = if ty.is_some() { None } else { binds::value_at(cx, values, at, names.len()) };
        cx.b.bind_within(BindingKind::Local, name.text(), ty, value, (node.end(), to));
    }
}

/// T of `(*T)(nil)`, `T{}`, `&T{}`, `new(T)`, by which `var _ I = …` states that T implements I.
fn asserted_type(value: Node<'_>) -> Option<&str> {
    let mut at = value;
    for _ in 0..6 {
        at = match at.kind() {
            K::CompositeLiteral | K::TypeConversion => {
                return types::type_name_node(at.child(F::TypeField)?)
                    .filter(|named| named.is(K::TypeIdentifier))
                    .map(Node::text);
            }
            K::UnaryExpression => at.child(F::Operand)?,
            K::ParenthesizedExpression => at.first()?,
            K::CallExpression => {
                let callee = at.child(F::Function)?;
                if callee.is(K::Identifier) && callee.text() == "new" {
                    at.child(F::Arguments)?.first()?
                } else {
                    callee
                }
            }
            K::Identifier | K::TypeIdentifier => return Some(at.text()),
            _ => return None,
        };
    }
    None
}
