//! Members whose names the code makes up from a prefix: `getattr(self, "visit_" + kind)`.

use sdl_model::facts::RefForm;

use super::kinds::{Context, F, K, Node};
use super::types::string_content;
use crate::builder::text::hook_prefix;

/// What all names begin with that `node` makes up, such as `visit_` of `f"visit_{kind}"`, `"visit_" + kind`,
/// `"visit_%s" % kind` and `"visit_{}".format(kind)`.
fn made_up(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        K::String => {
            let hole = node.child_of(K::Interpolation)?;
            let text = string_content(node);
            let from = node.child_of(K::StringStart).map_or(node.start(), Node::end);
            text.get(..hole.start().checked_sub(from)? as usize)
        }
        K::BinaryOperator => {
            let (left, right) = (node.child(F::Left)?, node.child(F::Right)?);
            if !left.is(K::String) {
                return None;
            }
            let operator = node.src().get(left.end() as usize..right.start() as usize)?.trim();
            let text = string_content(left);
            match operator {
                "+" => Some(text),
                "%" => text.split_once('%').map(|(before, _)| before),
                _ => None,
            }
        }
        K::Call => {
            let callee = node.child(F::Function).filter(|callee| callee.is(K::Attribute))?;
            let text = callee.child(F::Object).filter(|text| text.is(K::String))?;
            let is_format = callee.child(F::AttributeName)?.text() == "format";
            string_content(text).split_once('{').filter(|_| is_format).map(|(before, _)| before)
        }
        _ => None,
    }
}

/// Notes that the local `name` is a name made up from a prefix.
pub(super) fn note_name(cx: &mut Context<'_>, name: &str, value: Node<'_>) {
    if let Some(prefix) = made_up(value).and_then(hook_prefix) {
        cx.state.prefixes.insert((cx.b.scope(), name.to_owned()), prefix.to_owned());
    }
}

/// `getattr(object, name)` with a name that is made up.
pub(super) fn read_getattr<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let mut args = node.child(F::Arguments).into_iter().flat_map(Node::children);
    let (Some(object), Some(name)) = (args.next(), args.next()) else { return };
    let prefix = match made_up(name).and_then(hook_prefix) {
        Some(prefix) => prefix.to_owned(),
        None if name.is(K::Identifier) => {
            let known = cx.state.prefixes.get(&(cx.b.scope(), name.text().to_owned()));
            let Some(known) = known else { return };
            known.clone()
        }
        None => return,
    };
    let object = cx.b.body.value(object);
    if !cx.b.body.is_unknown(object) {
        cx.b.reference(RefForm::Prefix, &prefix, name.start(), Some(object), 0);
    }
}
