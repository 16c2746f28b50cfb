//! Functions and methods, in all the forms that they take.

use sdl_model::facts::{DefFlags, DefIx, Expr, ExprIx};
use sdl_model::{Lang, SymbolKind, Visibility};

use super::headers::with_header;
use super::keys::string_content;
use super::kinds::{Context, F, K, Node};
use super::state::{self, Holder, This};
use super::{jsdoc, names, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;
use crate::driver::Visit;

/// How many overloads of one function are looked at.
pub(super) const MAX_OVERLOADS: usize = 256;

/// `function f(…) {…}`, or the signature of one.
pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(held) = cx.state.take_holder(node) {
        return enter_function(cx, node, held.def);
    }
    let whole = names::declaring_statement(node);
    let (Some(name), Some(parent)) = (node.child(F::Name), whole.parent()) else { return Visit::Into };
    if cx.state.is_folded(parent, node) {
        return Visit::Into;
    }
    let mut new = NewDef::new(SymbolKind::Function, name.text(), name, whole);
    let mut overloads = Vec::new();
    let mut implementation = Some(node).filter(|node| !node.is(K::FunctionSignature));
    if implementation.is_none() {
        let mut last = whole;
        overloads.push(node);
        while let Some(next) = last.next_sibling() {
            let Some(function) = names::declared_node(next) else { break };
            let is_function = function.is(K::FunctionSignature) || function.kind().is_function();
            if !is_function || function.child(F::Name).is_none_or(|other| other.text() != name.text()) {
                break;
            }
            last = next;
            if !function.is(K::FunctionSignature) {
                implementation = Some(function);
                break;
            }
            if overloads.len() < MAX_OVERLOADS {
                overloads.push(function);
            }
        }
        if last != whole {
            let at = implementation.and_then(|function| function.child(F::Name)).unwrap_or(name);
            new = NewDef::new(SymbolKind::Function, name.text(), at, whole).until(last);
            cx.state.fold(parent, last.next_ix());
        }
    }
    let function = implementation.unwrap_or(node);
    let def = cx.b.open(with_header(new, function).header_from(function.start()));
    names::mark_exported(cx, def, whole);
    if implementation.is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
        describe_function(cx, node, def);
    } else if function != node {
        merge_overloads(cx, def, function, &overloads);
        cx.state.hold(function, Holder::of(def));
    } else {
        return enter_function(cx, node, def);
    }
    Visit::Into
}

/// Fills gaps in the implementation's signature from the overloads.
pub(super) fn merge_overloads<'a>(
    cx: &mut Context<'a>,
    def: DefIx,
    implementation: Node<'a>,
    overloads: &[Node<'a>],
) {
    let stated = implementation.child(F::ReturnType).map(|ret| cx.b.out.ty(ret));
    if stated.is_some_and(|ret| !cx.b.out.is_unknown(ret)) {
        return;
    }
    let results: Vec<Node<'a>> =
        overloads.iter().filter_map(|node| node.child(F::ReturnType)).take(4).collect();
    let all = cx.b.out.types(results.iter().copied());
    let Some(first) = results.first().filter(|_| !all.is_empty()) else { return };
    cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&result_text(*first)));
    let ret = cx.b.out.union(all);
    cx.b.def_mut(def).ret = Some(ret);
}

/// A function in the place of a value: a definition's value, or anonymous.
pub(super) fn read_function_expression<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(held) = cx.state.take_holder(node) {
        return enter_function(cx, node, held.def);
    }
    // A function that only its own body can name.
    if let Some(name) = node.child(F::Name) {
        let new = NewDef::new(SymbolKind::Function, name.text(), name, node);
        let def = cx.b.open(with_header(new, node));
        cx.b.flag(def, DefFlags::LOCAL.with(DefFlags::NAMELESS));
        cx.b.def_mut(def).visibility = Visibility::Private;
        return enter_function(cx, node, def);
    }
    let this = if node.is(K::ArrowFunction) { None } else { Some(own_this(cx, node, None)) };
    params::bind_anonymous_params(cx, node);
    state::enter_body(cx, node, None, true, this);
    Visit::IntoThenLeave
}

/// Completes `def`, whose function is `node`, and enters it.
pub(super) fn enter_function<'a>(cx: &mut Context<'a>, node: Node<'a>, def: DefIx) -> Visit {
    let this = if node.is(K::ArrowFunction) { None } else { Some(own_this(cx, node, Some(def))) };
    state::enter_body(cx, node, Some(def), true, this);
    describe_function(cx, node, def);
    params::bind_params(cx, def, node);
    if let Some(body) = node.child(F::Body).filter(|body| !body.is(K::StatementBlock)) {
        let shape = returned_shape(cx, body);
        cx.b.returns(def, shape, body.start());
    }
    Visit::IntoThenLeave
}

/// `this` in a function that is no arrow.
fn own_this(cx: &Context<'_>, node: Node<'_>, def: Option<DefIx>) -> This {
    let typed = node.child(F::Parameters).and_then(Node::first).is_some_and(|first| {
        first.is(K::RequiredParameter) && first.child(F::Pattern).is_some_and(|pattern| pattern.is(K::This))
    });
    if typed {
        return This::typed();
    }
    let Some(def) = def else { return This::unknown() };
    let found = cx.b.def(def);
    let is_static = found.flags.has(DefFlags::STATIC);
    match (found.parent, found.kind) {
        // A member that is written outside of its type.
        (_, SymbolKind::Method | SymbolKind::Property) if found.owner.is_some() => This::of(def, is_static),
        (Some(parent), SymbolKind::Method | SymbolKind::Property | SymbolKind::Constructor) => {
            let kind = cx.b.def(parent).kind;
            let holds = kind.is_type()
                || matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
            if holds {
                This::of(parent, is_static)
            } else if parent == DefIx::MODULE && found.flags.has(DefFlags::EXPORTED) {
                This::exported()
            } else {
                This::unknown()
            }
        }
        // A function that `new` may be applied to.
        (Some(DefIx::MODULE), SymbolKind::Function) if cx.lang == Lang::JavaScript => This::of(def, false),
        (Some(_), SymbolKind::Function) if cx.lang == Lang::JavaScript && names_class(cx.b.name_of(def)) => {
            This::of(def, false)
        }
        _ => This::unknown(),
    }
}

/// Whether a function called `name` is, by custom, used with `new`.
pub(super) fn names_class(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}

/// Parameters, result, generics and modifiers of `def` as `node` states them.
pub(super) fn describe_function<'a>(cx: &mut Context<'a>, node: Node<'a>, def: DefIx) {
    let mut flags = DefFlags::default();
    for part in node.children() {
        flags = match part.kind() {
            K::Async => flags.with(DefFlags::ASYNC),
            K::Star => flags.with(DefFlags::GENERATOR),
            _ => flags,
        };
    }
    cx.b.flag(def, flags);
    params::add_params(cx, def, node);
    if let Some(ret) = node.child(F::ReturnType) {
        let ty = cx.b.out.ty(ret);
        if cx.b.def(def).ret.is_none() || !cx.b.out.is_unknown(ty) {
            cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&result_text(ret)));
            cx.b.def_mut(def).ret = Some(ty);
        }
    }
    read_generics(cx, def, node);
    if cx.lang == Lang::JavaScript {
        jsdoc::apply_function_doc(cx, def);
    }
}

/// A result type's text without the colon.
fn result_text(node: Node<'_>) -> String {
    fold_line(node.text().trim_start_matches(':').trim_start(), 200)
}

/// The type parameters of `def`, their bounds and defaults.
pub(super) fn read_generics<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let Some(list) = node.child(F::TypeParametersField) else { return };
    cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(list.text(), 200)));
    for parameter in list.children().filter(|child| child.is(K::TypeParameter)).take(16) {
        let (Some(name), Some(bound)) = (parameter.child(F::Name), parameter.child(F::Constraints)) else {
            continue;
        };
        let bound = (cx.b.out.str(name.text()), cx.b.out.ty(bound));
        cx.b.def_mut(def).bounds.push(bound);
    }
}

/// `return …`.
pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(def), Some(value)) = (cx.state.own_function(), node.first()) {
        let shape = returned_shape(cx, value);
        cx.b.returns(def, shape, node.start());
    }
}

/// The value that a function returns. A function with a name of its own is one that it declares.
fn returned_shape<'a>(cx: &mut Context<'a>, value: Node<'a>) -> ExprIx {
    let name = value.child(F::Name).filter(|_| value.is(K::FunctionExpression));
    match name {
        Some(name) => {
            let name = cx.b.body.str(name.text());
            cx.b.body.add(Expr::Inner(name, false))
        }
        None => cx.b.body.object_value(value),
    }
}

/// `yield …`.
pub(super) fn read_yield<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(def) = cx.state.own_function() else { return };
    let Some(value) = node.children().find(|child| !child.is(K::Star)) else { return };
    let mut shape: ExprIx = cx.b.body.value(value);
    if node.child_of(K::Star).is_some() {
        shape = cx.b.body.add(Expr::Iter(shape));
    }
    cx.b.returns(def, shape, node.start());
}

/// Opens a test: `it('…', () => {…})`, `describe('…', function () {…})`.
pub(super) fn open_test<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(callee), Some(args)) = (node.child(F::Function), node.child(F::Arguments)) else { return };
    let mut base = callee;
    for _ in 0..4 {
        base = match base.kind() {
            K::MemberExpression => base.child(F::ObjectField).unwrap_or(base),
            K::CallExpression => base.child(F::Function).unwrap_or(base),
            _ => break,
        };
    }
    let known = matches!(
        base.text(),
        "describe"
            | "it"
            | "test"
            | "suite"
            | "specify"
            | "context"
            | "fdescribe"
            | "fit"
            | "xdescribe"
            | "xit"
    );
    let title = args.first().filter(|title| known && matches!(title.kind(), K::String | K::TemplateString));
    let function = args.children().take(4).find(|arg| arg.kind().is_function_value());
    let (Some(title), Some(function)) = (title, function) else { return };
    let text = string_content(title);
    if text.is_empty() || text.len() > 200 {
        return;
    }
    let whole = node.parent().filter(|parent| parent.is(K::ExpressionStatement)).unwrap_or(node);
    let new = NewDef::new(SymbolKind::Function, text, title, whole).body(function.child(F::Body));
    let def = cx.b.open(new.header_to(title.end()));
    cx.b.flag(def, DefFlags::TEST.with(DefFlags::LOCAL));
    cx.b.def_mut(def).visibility = Visibility::Private;
    cx.state.has_tests = true;
    cx.state.hold(function, Holder::of(def));
}
