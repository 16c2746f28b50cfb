//! Parameters.

use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, ExprIx, Param, ParamKind};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::types;
use crate::builder::text::fold_line;
use crate::builder::{Half, NewDef};

/// One parameter as written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) node: Node<'a>,
    pub(super) name: Node<'a>,
    pub(super) ty: Option<Node<'a>>,
    pub(super) dimensions: Option<Node<'a>>,
    pub(super) rest: bool,
}

impl<'a> Written<'a> {
    fn shape(&self, half: &mut Half<'a>) -> Option<ExprIx> {
        let ty = half.ty(types::stated_type(self.ty)?);
        Some(types::array_shape(half, ty, self.dimensions))
    }
}

pub(super) fn written_params(list: Node<'_>) -> impl Iterator<Item = Written<'_>> {
    list.children().filter_map(|node| match node.kind() {
        K::FormalParameter => Some(Written {
            node,
            name: node.child(F::Name)?,
            ty: node.child(F::TypeField),
            dimensions: node.child(F::DimensionsField),
            rest: false,
        }),
        K::SpreadParameter => {
            let declarator = node.child_of(K::VariableDeclarator)?;
            let ty = node.children().find(|part| {
                !matches!(
                    part.kind(),
                    K::Modifiers | K::VariableDeclarator | K::MarkerAnnotation | K::Annotation
                )
            });
            Some(Written { node, name: declarator.child(F::Name)?, ty, dimensions: None, rest: true })
        }
        _ => None,
    })
}

/// Adds the parameters in `list` to `def`, the innermost open definition.
pub(super) fn read_params<'a>(cx: &mut Context<'a>, def: DefIx, list: Node<'a>) {
    for param in written_params(list).take(255) {
        let dimensions = param.dimensions.map_or("", Node::text);
        let ty_text = param.ty.map(|ty| {
            let text = fold_line(ty.text(), 200);
            cx.b.out.str(&if param.rest { format!("{text}...") } else { format!("{text}{dimensions}") })
        });
        let stated = Param {
            name: cx.b.out.str(param.name.text()),
            ty_text,
            ty: param.shape(&mut cx.b.out),
            optional: param.rest,
            kind: if param.rest { ParamKind::Rest } else { ParamKind::Positional },
        };
        cx.b.def_mut(def).params.push(stated);
        let range = (cx.b.def(def).span.start, cx.b.scope_end());
        bind_param(cx, param, range);
    }
}

pub(super) fn bind_param<'a>(cx: &mut Context<'a>, param: Written<'a>, (from, to): (u32, u32)) {
    let mut ty = param.shape(&mut cx.b.body);
    if let (Some(of), true) = (ty, param.rest) {
        ty = Some(cx.b.body.add(Expr::Index(of)));
    }
    cx.b.bind_within(BindingKind::Param, param.name.text(), ty, None, (from, to));
}

/// The components of a record: its fields.
pub(super) fn read_components<'a>(cx: &mut Context<'a>, list: Node<'a>) {
    for component in written_params(list).take(255) {
        let new = NewDef::new(SymbolKind::Field, component.name.text(), component.name, component.node);
        let def = cx.b.leaf(new);
        cx.b.def_mut(def).ty = component.shape(&mut cx.b.out);
        cx.b.def_mut(def).visibility = Visibility::Public;
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}
