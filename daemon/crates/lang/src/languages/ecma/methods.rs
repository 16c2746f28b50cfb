//! Methods of classes, interfaces and objects.

use sdl_model::facts::DefFlags;

use super::functions::{MAX_OVERLOADS, describe_function, enter_function, merge_overloads};
use super::headers::{method_kind, with_header};
use super::keys::property_name;
use super::kinds::{Context, F, K, Node};
use super::state::Holder;
use super::{names, objects};
use crate::builder::NewDef;
use crate::driver::Visit;

/// A method of a class, an interface or an object.
pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(held) = cx.state.take_holder(node) {
        return enter_function(cx, node, held.def);
    }
    let Some(parent) = node.parent() else { return Visit::Into };
    if matches!(parent.kind(), K::Object) {
        return objects::read_method(cx, node);
    }
    if parent.is(K::ObjectType) && cx.state.object(node.ix()).is_none_or(|open| open.holder.is_none()) {
        return Visit::Into;
    }
    if cx.state.is_folded(parent, node) {
        return Visit::Into;
    }
    open_method(cx, node, node)
}

/// Opens a method from the first of the decorators that are before it.
pub(super) fn open_decorated<'a>(cx: &mut Context<'a>, node: Node<'a>, decorators: &[Node<'a>]) {
    let (Some(first), Some(name)) = (decorators.first(), node.child(F::Name)) else { return };
    let text = property_name(name);
    let new = NewDef::new(method_kind(node, text), text, name, *first).until(node);
    let def = cx.b.open(with_header(new, node).header_from(names::header_start(node)));
    names::mark_member(cx, def, node, text);
    for decorator in decorators {
        names::add_decorator(cx, def, *decorator);
    }
    cx.state.hold(node, Holder::of(def));
    if let (Some(body), Some(end)) = (node.parent(), decorators.last()) {
        cx.state.fold(body, end.next_ix());
    }
}

/// Opens a method and the overloads around it.
fn open_method<'a>(cx: &mut Context<'a>, node: Node<'a>, whole: Node<'a>) -> Visit {
    let (Some(name), Some(parent)) = (node.child(F::Name), node.parent()) else { return Visit::Into };
    let text = property_name(name);
    let mut last = node;
    let mut overloads = Vec::new();
    let mut implementation = Some(node).filter(|node| node.is(K::MethodDefinition));
    if implementation.is_none() {
        overloads.push(node);
        while let Some(next) = last.next_sibling() {
            let same = next.child(F::Name).is_some_and(|other| property_name(other) == text)
                && matches!(
                    next.kind(),
                    K::MethodSignature | K::MethodDefinition | K::AbstractMethodSignature
                );
            if !same {
                break;
            }
            last = next;
            if next.is(K::MethodDefinition) {
                implementation = Some(next);
                break;
            }
            if overloads.len() < MAX_OVERLOADS {
                overloads.push(next);
            }
        }
    }
    let function = implementation.unwrap_or(node);
    let at = function.child(F::Name).unwrap_or(name);
    let mut new = NewDef::new(method_kind(function, text), text, at, whole);
    if last != whole {
        new = new.until(last);
    }
    if last != node {
        cx.state.fold(parent, last.next_ix());
    }
    let new = with_header(new, function).header_from(names::header_start(function));
    let def = cx.b.open(new);
    names::mark_member(cx, def, function, text);
    if implementation.is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    if function == node && node.is(K::MethodDefinition) {
        return enter_function(cx, node, def);
    }
    if implementation.is_some() {
        merge_overloads(cx, def, function, &overloads);
        cx.state.hold(function, Holder::of(def));
    } else {
        describe_function(cx, node, def);
    }
    Visit::Into
}
