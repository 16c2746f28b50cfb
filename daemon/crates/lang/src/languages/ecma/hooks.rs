//! Members whose names the code makes up from a prefix: `this['on' + name]`.

use sdl_model::facts::RefForm;

use super::keys::string_content;
use super::kinds::{Context, F, K, Node};
use crate::builder::text::hook_prefix;

/// What all names begin with that `node` makes up, such as `on` of `'on' + name` and of a template that begins with it.
fn made_up(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        K::TemplateString => {
            let hole = node.child_of(K::TemplateSubstitution)?;
            node.src().get(node.start() as usize + 1..hole.start() as usize)
        }
        K::BinaryExpression => {
            let (left, right) = (node.child(F::Left)?, node.child(F::Right)?);
            let operator = node.src().get(left.end() as usize..right.start() as usize)?.trim();
            (left.is(K::String) && operator == "+").then(|| string_content(left))
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

/// `object[index]` with a name that is made up.
pub(super) fn read_made_up<'a>(cx: &mut Context<'a>, object: Node<'a>, index: Node<'a>) {
    let prefix = match made_up(index).and_then(hook_prefix) {
        Some(prefix) => prefix.to_owned(),
        None if index.is(K::Identifier) => {
            let known = cx.state.prefixes.get(&(cx.b.scope(), index.text().to_owned()));
            let Some(known) = known else { return };
            known.clone()
        }
        None => return,
    };
    let object = cx.b.body.value(object);
    if !cx.b.body.is_unknown(object) {
        cx.b.reference(RefForm::Prefix, &prefix, index.start(), Some(object), 0);
    }
}
