//! Gemspecs and `Gemfile`: the literals that state a gem's name, its version, and the versions asked for of others.

use sdl_model::facts::ManifestKind;

use super::exprs;
use super::kinds::{Context, F, K, Node};
use crate::builder::Found;

/// Most requirements that are read of one dependency.
const MAX_REQUIREMENTS: usize = 8;

/// The calls of a specification that state a dependency.
const DEPENDENCIES: [&str; 3] = ["add_dependency", "add_runtime_dependency", "add_development_dependency"];

/// `Gem::Specification.new do |spec| … end`. A file with two of them states nothing.
pub(super) fn read_specification<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    cx.state.specifications += 1;
    if cx.state.specifications > 1 {
        cx.b.manifest = None;
        return;
    }
    let Some(block) = node.children().find(|child| matches!(child.kind(), K::DoBlock | K::Block)) else {
        return;
    };
    let parameters = block.child_of(K::BlockParameters);
    let Some(spec) = parameters.and_then(Node::first).map(Node::text) else { return };
    let mut found = Found::new(ManifestKind::GemSpec);
    let given: Vec<Node<'_>> = arguments_of(node).take(2).collect();
    let (mut names, mut versions) = (Vec::new(), Vec::new());
    names.extend(given.first());
    versions.extend(given.get(1));
    for inner in block.descendants() {
        match inner.kind() {
            K::Assignment => {
                let (Some(left), Some(right)) = (inner.child(F::Left), inner.child(F::Right)) else {
                    continue;
                };
                match attribute_of(left, spec) {
                    Some("name") => names.push(right),
                    Some("version") => versions.push(right),
                    _ => {}
                }
            }
            K::Call if attribute_of(inner, spec).is_some_and(|name| DEPENDENCIES.contains(&name)) => {
                add_dependency(&mut found, inner);
            }
            _ => {}
        }
    }
    found.name = only_literal(&names).map(str::to_owned);
    if let Some(version) =
        only_literal(&versions).filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))
    {
        found.add("version", version);
    }
    cx.b.manifest = Some(found);
}

/// `gem "x", "~> 1.0"`, `source "…"` and `gemspec`, which make a `Gemfile` together.
pub(super) fn read_bundle<'a>(cx: &mut Context<'a>, name: &str, node: Node<'a>) {
    match name {
        "source" | "gemspec" => cx.state.is_bundle = true,
        "gem" => {
            let bundle = cx.state.bundle.get_or_insert_with(|| Found::new(ManifestKind::Gemfile));
            add_dependency(bundle, node);
        }
        _ => {}
    }
}

/// Keeps what a `Gemfile` states, at the end of the file.
pub(super) fn keep_bundle(cx: &mut Context<'_>) {
    let bundle = cx.state.bundle.take().filter(|bundle| !bundle.entries.is_empty());
    if cx.state.is_bundle && cx.b.manifest.is_none() {
        cx.b.manifest = bundle;
    }
}

/// The dependency that a call states: its name, then its requirements.
fn add_dependency(found: &mut Found, call: Node<'_>) {
    let mut arguments = arguments_of(call);
    let Some(name) = arguments.next().and_then(literal_of) else { return };
    let lists = arguments.take_while(|argument| !matches!(argument.kind(), K::Pair | K::Hash));
    let stated = lists.flat_map(|argument| {
        let items = argument.is(K::Array).then(|| argument.children());
        let alone = items.is_none().then_some(argument);
        items.into_iter().flatten().chain(alone)
    });
    // One that is computed makes the others half of the truth.
    let stated: Option<Vec<&str>> = stated.take(MAX_REQUIREMENTS).map(literal_of).collect();
    if let Some(stated) = stated.filter(|stated| !stated.is_empty()) {
        found.add(format!("asks:{name}"), &stated.join(", "));
    }
}

fn arguments_of(call: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    call.child(F::Arguments).into_iter().flat_map(Node::children)
}

/// The name of an attribute or a method of `spec`.
fn attribute_of<'a>(node: Node<'a>, spec: &str) -> Option<&'a str> {
    let receiver =
        node.child(F::Receiver).filter(|receiver| node.is(K::Call) && receiver.is(K::Identifier))?;
    (receiver.text() == spec).then(|| node.child(F::MethodField).map(Node::text))?
}

/// The literal that the only one of some values is.
fn only_literal<'a>(values: &[Node<'a>]) -> Option<&'a str> {
    match values {
        [one] => literal_of(*one),
        _ => None,
    }
}

/// The text of a plain string, frozen or not.
fn literal_of(node: Node<'_>) -> Option<&str> {
    let is_frozen =
        node.is(K::Call) && node.child(F::MethodField).is_some_and(|name| name.text() == "freeze");
    let text = if is_frozen { node.child(F::Receiver)? } else { node };
    exprs::string_content(text).filter(|inner| text.text().starts_with(['"', '\'']) && !inner.contains('\\'))
}
