//! Classes, interfaces, enumerations, aliases, namespaces.

use sdl_model::facts::{BaseKind, DefFlags, DefIx};
use sdl_model::{Lang, SymbolKind, Visibility};

use super::calls::unwrap_value;
use super::headers::is_short;
use super::keys::property_name;
use super::kinds::{Context, F, K, Node};
use super::methods::open_decorated;
use super::state::{self, Holder, This};
use super::{functions, jsdoc, names, types};
use crate::builder::NewDef;
use crate::driver::Visit;

/// `class …`, declared or in the place of a value.
pub(super) fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(held) = cx.state.take_holder(node) {
        return enter_class(cx, node, held.def);
    }
    let declares = !node.is(K::Class);
    let whole = if declares { names::declaring_statement(node) } else { node };
    // A class without a name is distinguished by its position.
    let name = node.child(F::Name);
    let text = name.map_or("class", Node::text);
    let new = NewDef::new(SymbolKind::Class, text, name.unwrap_or(node), whole)
        .body(node.child(F::Body))
        .header_from(names::header_start(node));
    let def = cx.b.open(new);
    if declares {
        names::mark_exported(cx, def, whole);
    } else {
        cx.b.flag(def, DefFlags::LOCAL.with(DefFlags::NAMELESS));
        cx.b.def_mut(def).visibility = Visibility::Private;
    }
    enter_class(cx, node, def)
}

/// Opens the class that an export statement with decorators declares: the decorators belong to the class.
pub(super) fn read_decorated_class<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let class = names::declared_node(node)
        .filter(|class| matches!(class.kind(), K::ClassDeclaration | K::AbstractClassDeclaration | K::Class));
    let Some(class) = class else { return };
    let name = class.child(F::Name);
    let new = NewDef::new(SymbolKind::Class, name.map_or("default", Node::text), name.unwrap_or(class), node)
        .body(class.child(F::Body))
        .header_from(class.start());
    let def = cx.b.open(new);
    names::mark_exported(cx, def, node);
    for decorator in node.children().filter(|part| part.is(K::Decorator)) {
        names::add_decorator(cx, def, decorator);
    }
    cx.state.hold(class, Holder::of(def));
}

/// Completes `def`, whose class is `node`, and enters it.
fn enter_class<'a>(cx: &mut Context<'a>, node: Node<'a>, def: DefIx) -> Visit {
    if node.is(K::AbstractClassDeclaration) {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    for decorator in node.children().filter(|part| part.is(K::Decorator)) {
        names::add_decorator(cx, def, decorator);
    }
    functions::read_generics(cx, def, node);
    if cx.lang == Lang::JavaScript {
        jsdoc::apply_class_doc(cx, def);
    }
    if let Some(heritage) = node.child_of(K::ClassHeritage) {
        for part in heritage.children() {
            match part.kind() {
                K::ExtendsClause => {
                    let mut parts = part.children().peekable();
                    while let Some(value) = parts.next() {
                        let args = parts.next_if(|next| next.is(K::TypeArguments));
                        add_superclass(cx, def, value, args);
                    }
                }
                K::ImplementsClause => {
                    for ty in part.children() {
                        add_base_type(cx, def, ty, BaseKind::Implements);
                    }
                }
                _ => add_superclass(cx, def, part, None),
            }
        }
    }
    state::enter_body(cx, node, Some(def), false, Some(This::of(def, false)));
    Visit::IntoThenLeave
}

fn add_superclass<'a>(cx: &mut Context<'a>, def: DefIx, value: Node<'a>, args: Option<Node<'a>>) {
    let mut shape = cx.b.out.value(value);
    if let Some(args) = args {
        let args = cx.b.out.types(args.children());
        shape = cx.b.out.add(sdl_model::facts::Expr::Generic(shape, args));
    }
    if !cx.b.out.is_unknown(shape) {
        cx.b.base(def, BaseKind::Extends, shape, value.start());
    }
    // `extends mixin(Base)`: whatever the mixin does, the class also derives from the mixin's argument.
    if value.is(K::CallExpression) {
        let args = value.child(F::Arguments).map(Node::children).into_iter().flatten();
        for arg in args.filter(|arg| matches!(arg.kind(), K::Identifier | K::MemberExpression)).take(4) {
            let shape = cx.b.out.value(arg);
            cx.b.base(def, BaseKind::Mixin, shape, arg.start());
        }
    }
}

fn add_base_type<'a>(cx: &mut Context<'a>, def: DefIx, ty: Node<'a>, kind: BaseKind) {
    let shape = cx.b.out.ty(ty);
    if !cx.b.out.is_unknown(shape) {
        cx.b.base(def, kind, shape, ty.start());
    }
}

/// Whether `node`, a name, is a base of a class or interface, and so not a reference.
pub(super) fn is_base(node: Node<'_>) -> bool {
    let at = match node.parent() {
        Some(parent) if parent.is(K::GenericType) && node.field() == F::Name => parent,
        _ => node,
    };
    match at.parent_kind() {
        Some(K::ExtendsClause | K::ImplementsClause | K::ExtendsTypeClause) => true,
        Some(K::ClassHeritage) => matches!(at.kind(), K::Identifier | K::MemberExpression),
        _ => false,
    }
}

pub(super) fn static_block<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let class = cx.b.scope();
    state::enter_body(cx, node, None, true, Some(This::of(class, true)));
    Visit::IntoThenLeave
}

/// A decorator of a method, which is before it.
pub(super) fn read_decorator<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(body) = node.parent().filter(|body| body.is(K::ClassBody)) else { return Visit::Into };
    if cx.state.is_folded(body, node) {
        return Visit::Into;
    }
    let mut decorators = vec![node];
    let mut next = node.next_sibling();
    while let Some(other) = next.filter(|other| other.is(K::Decorator)) {
        decorators.push(other);
        next = other.next_sibling();
    }
    let Some(method) = next.filter(|next| next.is(K::MethodDefinition)) else { return Visit::Into };
    open_decorated(cx, method, &decorators);
    Visit::Into
}

/// A field of a class.
pub(super) fn read_field<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name).or_else(|| node.child(F::Property)) else { return };
    let text = property_name(name);
    let value = node.child(F::Value);
    let inner = value.map(unwrap_value);
    let function = inner.filter(|inner| inner.kind().is_function_value());
    let kind = if function.is_some() { SymbolKind::Method } else { SymbolKind::Field };
    let mut new = NewDef::new(kind, text, name, node).header_from(names::header_start(node));
    if let Some(function) = function {
        new = new.body(function.child(F::Body)).without_comments_in(function.child(F::Parameters));
        let list = function.child(F::Parameters).or_else(|| function.child(F::Parameter));
        new = new.header_to(function.child(F::ReturnType).or(list).unwrap_or(name).end());
    } else if let Some(value) = value.filter(|value| !is_short(*value)) {
        new = new.header_to(value.start());
    }
    let def = cx.b.open(new);
    names::mark_member(cx, def, node, text);
    if let Some(ty) = node.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
    if let Some(inner) = inner {
        if function.is_none() {
            let shape = cx.b.body.value(inner);
            cx.b.add_value(def, shape, node.start());
        }
        cx.state.hold(inner, Holder::of(def));
    }
    if cx.lang == Lang::JavaScript && function.is_none() {
        jsdoc::apply_variable_doc(cx, def);
    }
}

/// A property of an interface or of an alias's object type.
pub(super) fn read_property<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let held = match node.parent_kind() {
        Some(K::InterfaceBody) => true,
        _ => cx.state.object(node.ix()).is_some_and(|open| open.holder.is_some()),
    };
    let Some(name) = node.child(F::Name).filter(|_| held) else { return };
    let text = property_name(name);
    let def = cx.b.open(NewDef::new(SymbolKind::Field, text, name, node));
    names::mark_member(cx, def, node, text);
    if let Some(ty) = node.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
}

pub(super) fn read_interface<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let whole = names::declaring_statement(node);
    let new = NewDef::new(SymbolKind::Interface, name.text(), name, whole)
        .body(node.child(F::Body))
        .header_from(node.start());
    let def = cx.b.open(new);
    names::mark_exported(cx, def, whole);
    functions::read_generics(cx, def, node);
    for base in node.child_of(K::ExtendsTypeClause).map(Node::children).into_iter().flatten() {
        add_base_type(cx, def, base, BaseKind::Extends);
    }
}

pub(super) fn read_type_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(value)) = (node.child(F::Name), node.child(F::Value)) else { return };
    let whole = names::declaring_statement(node);
    let new = NewDef::new(SymbolKind::Type, name.text(), name, whole).header_from(node.start());
    let def = cx.b.open(new);
    names::mark_exported(cx, def, whole);
    functions::read_generics(cx, def, node);
    cx.b.def_mut(def).ty = Some(cx.b.out.ty(value));
    for members in types::object_types(value) {
        cx.state.hold(members, Holder::of(def));
    }
}

/// `import A = B.C`.
pub(super) fn import_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let mut parts = node.children();
    let (Some(name), Some(target)) = (parts.next(), parts.next()) else { return Visit::Skip };
    let whole = names::declaring_statement(node);
    let def = cx.b.leaf(NewDef::new(SymbolKind::Type, name.text(), name, whole).header_from(node.start()));
    names::mark_exported(cx, def, whole);
    cx.b.def_mut(def).ty = Some(cx.b.out.ty(target));
    Visit::Skip
}

pub(super) fn read_enum<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let whole = names::declaring_statement(node);
    let new = NewDef::new(SymbolKind::Enum, name.text(), name, whole)
        .body(node.child(F::Body))
        .header_from(node.start());
    let def = cx.b.open(new);
    names::mark_exported(cx, def, whole);
}

/// A member of an enumeration, with a value or without.
pub(super) fn enum_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.is(K::EnumAssignment) {
        if let Some(name) = node.child(F::Name) {
            cx.b.open(NewDef::new(SymbolKind::EnumMember, property_name(name), name, node));
        }
    } else if node.is_in(K::EnumBody, F::Name) {
        cx.b.leaf(NewDef::new(SymbolKind::EnumMember, property_name(node), node, node));
    }
}

/// `namespace a.b {…}`, `declare module 'x' {…}`.
pub(super) fn read_namespace<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let whole = names::declaring_statement(node);
    // An expression statement holds a namespace that is not exported.
    let whole = whole.parent().filter(|parent| parent.is(K::ExpressionStatement)).unwrap_or(whole);
    let ambient = whole.is(K::AmbientDeclaration) || whole.child_of(K::AmbientDeclaration).is_some();
    let mut parts: Vec<Node<'a>> = name
        .descendants()
        .filter(|part| matches!(part.kind(), K::Identifier | K::PropertyIdentifier))
        .collect();
    if !name.is(K::NestedIdentifier) || parts.is_empty() {
        parts = vec![name];
    }
    for (at, part) in parts.into_iter().take(8).enumerate() {
        let new = NewDef::new(SymbolKind::Namespace, property_name(part), part, whole)
            .body(node.child(F::Body))
            .header_from(node.start());
        let def = cx.b.open(new);
        if ambient {
            cx.b.flag(def, DefFlags::ABSTRACT);
        }
        if at == 0 {
            names::mark_exported(cx, def, whole);
        } else {
            cx.b.flag(def, DefFlags::EXPORTED);
        }
    }
}
