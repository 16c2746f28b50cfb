//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Param, ParamKind};

use super::declarators::{Declared, declared_shape, is_deduced, is_void};
use super::kinds::{Context, F, K, Node, is_cpp};
use crate::builder::text::fold_line;

/// One parameter as written.
struct Written<'a> {
    declared: Option<Declared<'a>>,
    ty: Option<Node<'a>>,
    /// Its type's text: the parameter's without its name and default.
    text: String,
    default: Option<Node<'a>>,
    kind: ParamKind,
}

fn written_params<'a>(list: Node<'a>, old_style: &[Node<'a>]) -> Vec<Written<'a>> {
    let mut all = Vec::new();
    for node in list.children() {
        if is_void(node) {
            continue;
        }
        match node.kind() {
            K::ParameterDeclaration | K::OptionalParameter | K::VariadicParameterDeclaration => {
                let declared = node.child(F::Declarator).and_then(Declared::of);
                let default = node.child(F::DefaultValue);
                let rest = node.is(K::VariadicParameterDeclaration);
                all.push(Written {
                    declared,
                    ty: node.child(F::Type),
                    text: type_text(node, declared.map(|declared| declared.name), default),
                    default,
                    kind: if rest { ParamKind::Rest } else { ParamKind::Positional },
                });
            }
            K::VariadicParameter | K::Ellipsis => {
                all.push(Written {
                    declared: None,
                    ty: None,
                    text: "...".to_owned(),
                    default: None,
                    kind: ParamKind::Rest,
                });
            }
            K::Identifier => all.push(old_parameter(node, old_style)),
            _ => {}
        }
    }
    all
}

/// A parameter of a function in the old style, whose type is stated between the list and the body.
fn old_parameter<'a>(name: Node<'a>, declarations: &[Node<'a>]) -> Written<'a> {
    for declaration in declarations {
        for declarator in declaration.children_in(F::Declarator) {
            let Some(declared) = Declared::of(declarator) else { continue };
            if declared.name.text() == name.text() {
                let base = declaration.child(F::Type).map_or("", Node::text);
                let stars = declarator.text().replace(name.text(), "");
                let text = fold_line(&format!("{base} {}", stars.trim()), 200);
                return Written {
                    declared: Some(declared),
                    ty: declaration.child(F::Type),
                    text,
                    default: None,
                    kind: ParamKind::Positional,
                };
            }
        }
    }
    let declared = Declared { name, function: None, callable: None, dimensions: 0, pointer: false };
    Written {
        declared: Some(declared),
        ty: None,
        text: String::new(),
        default: None,
        kind: ParamKind::Positional,
    }
}

fn type_text(node: Node<'_>, name: Option<Node<'_>>, default: Option<Node<'_>>) -> String {
    let src = node.src();
    let slice = |from: u32, to: u32| src.get(from as usize..to as usize).unwrap_or("");
    let end = default.map_or(node.end(), |default| default.start());
    let text = match name {
        Some(name) => format!("{}{}", slice(node.start(), name.start()), slice(name.end(), end)),
        None => slice(node.start(), end).to_owned(),
    };
    fold_line(text.trim().trim_end_matches('=').trim_end(), 200)
}

/// Adds the parameters in `list` to `def`, the innermost open definition.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>, old_style: &[Node<'a>]) {
    let cpp = is_cpp(cx);
    let from = cx.b.def(def).span.start;
    for param in written_params(list, old_style) {
        let name = param.declared.map_or("", |declared| declared.name.text());
        let ty = match (param.ty, param.declared) {
            (Some(ty), Some(declared)) => Some(declared_shape(&mut cx.b.out, ty, &declared, cpp)),
            (Some(ty), None) => Some(cx.b.out.ty(ty)),
            (None, _) => None,
        };
        let stated = Param {
            name: cx.b.out.str(name),
            ty_text: (!param.text.is_empty()).then(|| cx.b.out.str(&param.text)),
            ty,
            optional: param.default.is_some() || param.kind == ParamKind::Rest,
            kind: param.kind,
        };
        cx.b.def_mut(def).params.push(stated);
        bind_param(cx, &param, from, None);
    }
}

fn bind_param<'a>(cx: &mut Context<'a>, param: &Written<'a>, from: u32, to: Option<u32>) {
    let Some(declared) = param.declared else { return };
    let cpp = is_cpp(cx);
    let ty =
        param.ty.filter(|ty| !is_deduced(*ty)).map(|ty| declared_shape(&mut cx.b.body, ty, &declared, cpp));
    let to = to.unwrap_or_else(|| cx.b.scope_end());
    cx.b.bind_within(BindingKind::Param, declared.name.text(), ty, None, (from, to));
}

/// The parameters of an anonymous function are known only in it. A function that is bound to a name is a definition,
/// which has its own parameters.
pub(super) fn bind_lambda_params<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if cx.state.lambda.take_if(|opened| *opened == node.ix()).is_some() {
        return;
    }
    if let Some(list) = node.child(F::Declarator).and_then(|declarator| declarator.child(F::Parameters)) {
        for param in written_params(list, &[]) {
            bind_param(cx, &param, node.start(), Some(node.end()));
        }
    }
}

/// `catch (const E& e)`.
pub(super) fn bind_catch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(list) = node.child(F::Parameters) {
        for param in written_params(list, &[]) {
            bind_param(cx, &param, list.start(), Some(node.end()));
        }
    }
}
