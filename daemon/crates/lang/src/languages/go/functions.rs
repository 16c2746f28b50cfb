//! Functions: declared, of an interface, and literals.

use sdl_model::facts::{DefFlags, DefIx, ParamKind};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::{params, types};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// How many targets of one assignment are looked at.
const MAX_TARGETS: usize = 32;

/// A definition whose header is that of `function`.
pub(super) fn with_header<'a>(new: NewDef<'a>, function: Node<'a>) -> NewDef<'a> {
    let list = function.child(F::Parameters);
    let new = new.body(function.child(F::Body)).without_comments_in(list);
    match function.child(F::Result).or(list) {
        Some(end) => new.header_to(end.end()),
        None => new,
    }
}

/// `func f()`, `func (r T) m()`.
pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let text = name.text();
    let receiver = node.child(F::Receiver);
    let kind = if receiver.is_some() { SymbolKind::Method } else { SymbolKind::Function };
    let def = cx.b.open(with_header(NewDef::new(kind, text, name, node), node));
    set_visibility(cx, def, text);
    if let Some(receiver) = receiver {
        set_owner(cx, def, receiver, text);
    }
    read_generics(cx, def, node);
    read_signature(cx, def, node);
    if node.child(F::Body).is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    if receiver.is_none() && is_test(text, node) {
        cx.b.flag(def, DefFlags::TEST);
    }
    cx.state.functions.push((node.next_ix(), Some(def)));
    mark_deprecated(cx, def);
}

/// States the type that a method belongs to.
fn set_owner<'a>(cx: &mut Context<'a>, def: DefIx, receiver: Node<'a>, name: &str) {
    let Some(first) = receiver.first() else { return };
    if let Some(own) = first.child(F::Name).filter(|own| own.text() != "_") {
        cx.b.set_receiver(own.text(), def, false);
    }
    params::read_params(cx, def, receiver, Some(ParamKind::Receiver));
    let Some(stated) = first.child(F::TypeField) else { return };
    if let Some(owner) = types::last_name(stated) {
        let qualified = cx.b.out.str(&format!("{}.{name}", owner.text()));
        let shape = cx.b.out.type_name(owner.text());
        let def = cx.b.def_mut(def);
        def.qualified = qualified;
        def.owner = Some(shape);
    }
    // Each method names the type's parameters again: `func (b *Box[T]) Get() T`.
    let arguments = first.descendants().take(8).find(|node| node.is(K::TypeArguments));
    if let Some(arguments) = arguments {
        cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(arguments.text(), 200)));
    }
}

/// A method that an interface asks for.
pub(super) fn method_spec<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    if !cx.b.scope_kind().is_type() {
        return;
    }
    let def = cx.b.open(with_header(NewDef::new(SymbolKind::Method, name.text(), name, node), node));
    set_visibility(cx, def, name.text());
    cx.b.flag(def, DefFlags::ABSTRACT);
    read_signature(cx, def, node);
}

/// A function literal: a definition where it is bound to a name, otherwise part of the definition around it.
pub(super) fn read_function_literal<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let scope = cx.b.scope();
    let held = cx.b.def(scope).kind.is_callable()
        && cx.b.def(scope).body_start.is_some()
        && cx.b.def(scope).body_start == node.child(F::Body).map(Node::start);
    if held {
        read_signature(cx, scope, node);
        cx.state.functions.push((node.next_ix(), Some(scope)));
        return;
    }
    let Some((name, whole)) = bound_name(node) else {
        let range = (node.start(), node.end());
        for list in [F::Parameters, F::Result].into_iter().filter_map(|field| node.child(field)) {
            if list.is(K::ParameterList) {
                params::bind_all(cx, list, range);
            }
        }
        cx.state.functions.push((node.next_ix(), None));
        return;
    };
    let new = NewDef::new(SymbolKind::Function, name.text(), name, whole);
    let def = cx.b.open(with_header(new, node));
    cx.b.def_mut(def).visibility = Visibility::Private;
    if is_value_of_field(name) {
        cx.b.flag(def, DefFlags::NAMELESS);
    }
    read_signature(cx, def, node);
    cx.state.functions.push((node.next_ix(), Some(def)));
}

/// Whether a literal of this name is the value of a field: others call the field.
fn is_value_of_field(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| matches!(parent.kind(), K::LiteralElement | K::SelectorExpression))
}

/// The name that the literal `node` is bound to, and the whole binding: `f := func…`, `x.f = func…`, `T{f: func…}`.
fn bound_name(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let parent = node.parent()?;
    let whole = parent.parent()?;
    match (parent.kind(), whole.kind()) {
        (K::ExpressionList, K::ShortVarDeclaration | K::AssignmentStatement)
            if parent.field() == F::Right =>
        {
            let at = parent.children().take(MAX_TARGETS).position(|item| item == node)?;
            let many = parent.children().nth(1).is_some();
            let name = target_name(whole.child(F::Left)?.children().nth(at)?)?;
            // Of several in one statement each is just its own text.
            Some((name, if many { node } else { whole }))
        }
        (K::ExpressionList, K::VarSpec) => {
            let at = parent.children().take(MAX_TARGETS).position(|item| item == node)?;
            let many = parent.children().nth(1).is_some();
            let name = target_name(whole.children_in(F::Name).nth(at)?)?;
            Some((name, if many { node } else { whole }))
        }
        (K::LiteralElement, K::KeyedElement) if parent.field() == F::Value => {
            Some((target_name(whole.child(F::Key)?.first()?)?, whole))
        }
        _ => None,
    }
}

fn target_name(target: Node<'_>) -> Option<Node<'_>> {
    match target.kind() {
        K::Identifier => Some(target).filter(|name| name.text() != "_"),
        K::SelectorExpression => target.child(F::Field),
        _ => None,
    }
}

/// Parameters and result.
fn read_signature<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    if let Some(list) = node.child(F::Parameters) {
        params::read_params(cx, def, list, None);
    }
    if let Some(result) = node.child(F::Result) {
        params::read_result(cx, def, result);
    }
}

/// Type parameters and their bounds.
pub(super) fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child(F::TypeParameters) else { return };
    cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
    for declaration in list.children().take(16) {
        let Some(bound) = declaration.child(F::TypeField) else { continue };
        let bound = cx.b.out.ty(bound);
        for name in declaration.children_in(F::Name).take(16) {
            let name = cx.b.out.str(name.text());
            cx.b.def_mut(def).bounds.push((name, bound));
        }
    }
}

/// Sets who may use `def`, called `name`. A capital letter exports, as in `Close`.
pub(super) fn set_visibility(cx: &mut Context<'_>, def: DefIx, name: &str) {
    let public = name.starts_with(char::is_uppercase);
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    cx.b.def_mut(def).visibility = match (local, public) {
        (true, _) => Visibility::Private,
        (false, true) => Visibility::Public,
        (false, false) => Visibility::Internal,
    };
    if public && !local {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// `// Deprecated: …`.
pub(super) fn mark_deprecated(cx: &mut Context<'_>, def: DefIx) {
    let doc = cx.b.def(def).doc.map(|doc| cx.b.out.text(doc));
    if doc.is_some_and(|doc| doc.lines().any(|line| line.starts_with("Deprecated:"))) {
        cx.b.flag(def, DefFlags::DEPRECATED);
    }
}

/// Whether a function of that name is run by `go test`.
fn is_test(name: &str, node: Node<'_>) -> bool {
    let params = node.child(F::Parameters);
    let takes = |ty: &str| params.is_some_and(|list| list.text().contains(ty));
    let rest_of =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(char::is_lowercase));
    (rest_of("Test") && (takes("*testing.T") || takes("*testing.M")))
        || (rest_of("Benchmark") && takes("*testing.B"))
        || (rest_of("Fuzz") && takes("*testing.F"))
        || (rest_of("Example") && params.is_none_or(|list| list.first().is_none()))
}
