//! Classes, modules, methods, attributes.

use sdl_model::facts::{BaseKind, BindingKind, DefFlags, DefIx, Param, ParamKind};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use crate::builder::NewDef;

/// A class or a module. A module counts as a trait, because it can be mixed in: `include Comparable`.
pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(written) = node.child(F::NameField) else { return };
    let name = if written.is(K::ScopeResolution) { written.child(F::NameField) } else { Some(written) };
    let Some(name) = name else { return };
    let kind = if node.is(K::Class) { SymbolKind::Class } else { SymbolKind::Trait };
    let superclass = node.child(F::SuperclassField);
    let new = NewDef::new(kind, name.text(), name, node)
        .body(node.child(F::Body))
        .header_to(superclass.unwrap_or(written).end());
    let def = cx.b.open(new);
    if let Some(scope) = written.child(F::Scope) {
        cx.b.def_mut(def).owner = Some(cx.b.out.value(scope));
    }
    if let Some(base) = superclass.and_then(Node::first) {
        let shape = cx.b.out.value(base);
        cx.b.base(def, BaseKind::Extends, shape, base.start());
        if base.text().ends_with("Test") || base.text().ends_with("TestCase") {
            cx.b.flag(def, DefFlags::TEST);
        }
    }
    cx.b.flag(def, DefFlags::EXPORTED);
    cx.b.set_receiver("self", def, true);
}

pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let holder = cx.b.scope();
    let in_type = cx.b.def(holder).kind.is_type();
    let singleton = node.is(K::SingletonMethod)
        || node
            .ancestors()
            .take(3)
            .take_while(|around| !around.is(K::Class))
            .any(|around| around.is(K::SingletonClass));
    let kind = match name.text() {
        "initialize" if in_type && !singleton => SymbolKind::Constructor,
        _ if in_type || node.is(K::SingletonMethod) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let body = node.child(F::Body);
    let list = node.child(F::Parameters);
    let mut new = NewDef::new(kind, name.text(), name, node);
    // `private def x`: its documentation is above the whole expression.
    let wrapper = node.parent().filter(|list| list.is(K::ArgumentList)).and_then(Node::parent);
    let word = wrapper.filter(|call| call.is(K::Call)).and_then(|call| call.child(F::MethodField));
    if let (Some(wrapper), Some(_)) = (wrapper, word.and_then(|word| parse_visibility(word.text()))) {
        new = new.starting_with(wrapper);
    }
    let def = cx.b.open(new.body(body).header_to(list.unwrap_or(name).end()).without_comments_in(list));
    let stated = word.and_then(|word| parse_visibility(word.text()));
    let running = cx.state.visibility.get(&holder).copied().filter(|_| !singleton);
    let visibility = stated.or(running).unwrap_or(Visibility::Public);
    cx.b.def_mut(def).visibility = visibility;
    if visibility != Visibility::Private && !cx.b.def(def).flags.has(DefFlags::LOCAL) {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
    if singleton {
        cx.b.flag(def, DefFlags::STATIC);
        if let Some(object) = node.child(F::ObjectField).filter(|object| object.is(K::Constant))
            && cx.b.name_of(holder) != object.text()
        {
            cx.b.def_mut(def).owner = Some(cx.b.out.value(object));
        }
    }
    if name.text().starts_with("test_") {
        cx.b.flag(def, DefFlags::TEST);
    }
    if in_type {
        cx.b.set_receiver("self", holder, singleton);
    }
    for param in list.into_iter().flat_map(Node::children).take(255) {
        self::read_param(cx, def, param);
    }
    // The last statement's value is the method's.
    let last =
        body.and_then(|body| if body.is(K::BodyStatement) { body.children().last() } else { Some(body) });
    if let Some(last) = last.filter(|last| !last.is(K::Return)) {
        let shape = cx.b.body.value(last);
        cx.b.returns(def, shape, last.start());
    }
}

fn read_param<'a>(cx: &mut Context<'a>, def: DefIx, param: Node<'a>) {
    let name = if param.is(K::Identifier) { Some(param) } else { param.child(F::NameField) };
    let Some(name) = name else { return };
    let kind = match param.kind() {
        K::SplatParameter => ParamKind::Rest,
        K::HashSplatParameter => ParamKind::KeywordRest,
        K::KeywordParameter => ParamKind::Keyword,
        _ => ParamKind::Positional,
    };
    let default = param.child(F::Value);
    let optional = !matches!(kind, ParamKind::Positional | ParamKind::Keyword) || default.is_some();
    let optional = optional || param.is(K::BlockParameter);
    let stated = Param { name: cx.b.out.str(name.text()), ty_text: None, ty: None, optional, kind };
    cx.b.def_mut(def).params.push(stated);
    let value = default.map(|default| cx.b.body.value(default));
    let from = cx.b.def(def).span.start;
    super::binds::note_local(cx, name);
    cx.b.bind(BindingKind::Param, name.text(), None, value, from);
}

/// The visibility that a word such as `private` sets.
pub(super) fn parse_visibility(word: &str) -> Option<Visibility> {
    match word {
        "private" | "private_class_method" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" => Some(Visibility::Public),
        _ => None,
    }
}

/// `private :a, :b`.
pub(super) fn restrict_methods<'a>(cx: &mut Context<'a>, list: Node<'a>, visibility: Visibility) {
    let holder = cx.b.scope();
    for name in list.children().filter(|name| name.is(K::Symbol)).take(64) {
        if let Some(def) = cx.b.find_def(holder, name.text().trim_start_matches(':')) {
            cx.b.def_mut(def).visibility = visibility;
            if visibility == Visibility::Private {
                let flags = cx.b.def(def).flags.0 & !DefFlags::EXPORTED.0;
                cx.b.def_mut(def).flags = DefFlags(flags);
            }
        }
    }
}

/// `attr_reader :a, :b`.
pub(super) fn add_attributes<'a>(cx: &mut Context<'a>, word: &str, list: Node<'a>) {
    let holder = cx.b.scope();
    let visibility = cx.state.visibility.get(&holder).copied().unwrap_or(Visibility::Public);
    for name in list.children().filter(|name| name.is(K::Symbol)).take(255) {
        let text = name.text().trim_start_matches(':');
        let new = NewDef::new(SymbolKind::Property, text, name, name).signature(format!("{word} :{text}"));
        let def = cx.b.leaf(new);
        cx.b.def_mut(def).visibility = visibility;
        if visibility != Visibility::Private {
            cx.b.flag(def, DefFlags::EXPORTED);
        }
    }
}

/// `return x`.
pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let (Some(def), Some(value)) = (cx.b.callable(), node.first().and_then(Node::first)) {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}
