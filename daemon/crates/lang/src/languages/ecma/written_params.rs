//! The parameters of a function as they are written.

use sdl_model::facts::ParamKind;

use super::kinds::{F, K, Node};

/// How many parameters are looked at.
const MAX_PARAMS: usize = 64;

/// One parameter as written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    /// Its name, or the pattern that takes it apart.
    pub(super) pattern: Node<'a>,
    pub(super) ty: Option<Node<'a>>,
    pub(super) default: Option<Node<'a>>,
    pub(super) optional: bool,
    pub(super) kind: ParamKind,
}

/// The parameters of a function, or of a signature.
pub(super) fn written_params(function: Node<'_>) -> impl Iterator<Item = Written<'_>> {
    let list = function.child(F::Parameters).map(Node::children).into_iter().flatten();
    let single = function.child(F::Parameter);
    single.into_iter().chain(list).take(MAX_PARAMS).filter_map(written_param)
}

fn written_param(node: Node<'_>) -> Option<Written<'_>> {
    let mut param = match node.kind() {
        K::RequiredParameter | K::OptionalParameter => Written {
            pattern: node.child(F::Pattern)?,
            ty: node.child(F::TypeField),
            default: node.child(F::Value),
            optional: node.is(K::OptionalParameter),
            kind: ParamKind::Positional,
        },
        K::AssignmentPattern => Written {
            pattern: node.child(F::Left)?,
            ty: None,
            default: node.child(F::Right),
            optional: true,
            kind: ParamKind::Positional,
        },
        K::Identifier | K::ObjectPattern | K::ArrayPattern | K::RestPattern => {
            Written { pattern: node, ty: None, default: None, optional: false, kind: ParamKind::Positional }
        }
        _ => return None,
    };
    param.optional |= param.default.is_some();
    match param.pattern.kind() {
        K::RestPattern => {
            param.kind = ParamKind::Rest;
            param.optional = true;
            param.pattern = param.pattern.first()?;
        }
        K::This => param.kind = ParamKind::Receiver,
        _ => {}
    }
    Some(param)
}
