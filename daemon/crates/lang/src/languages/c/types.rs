//! Types that are written out, and namespaces.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, DefFlags, DefIx};

use super::declarators::Declared;
use super::kinds::{Context, F, K, Node, is_cpp};
use super::state::{read_bounds, read_generics, set_visibility, with_template};
use crate::builder::NewDef;
use crate::driver::Visit;

/// Deepest nesting of conditional directives around a member of an enumeration.
const MAX_CONDITIONS: usize = 16;

/// `struct X { … }`. Without a body it refers to a type that is written out elsewhere.
pub(super) fn read_type_specifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(body) = node.child(F::Body) else { return };
    let kind = match node.kind() {
        K::StructSpecifier => SymbolKind::Struct,
        K::UnionSpecifier => SymbolKind::Union,
        K::ClassSpecifier => SymbolKind::Class,
        _ => SymbolKind::Enum,
    };
    cx.state.enter_type(node);
    let Some((name, text)) = name_of(node) else {
        // Its members belong to the type around it.
        return;
    };
    let own_name = node.child(F::Name).is_some();
    let whole = with_template(node);
    let new = NewDef::new(kind, text, name, whole).header_from(node.start()).body(Some(body));
    let outer = if own_name { scope_of_types(cx) } else { cx.b.scope() };
    // A typedef's comment is above the typedef.
    let new = match node.parent().filter(|around| around.is(K::TypeDefinition)) {
        Some(around) => new.starting_with(around),
        None => new,
    };
    let def = cx.b.open_of(outer, new);
    // `class Outer::Inner { … }`: `Outer` declares it.
    if let Some(scope) = node
        .child(F::Name)
        .filter(|name| name.is(K::QualifiedIdentifier))
        .and_then(|name| name.child(F::Scope))
    {
        let ty = cx.b.out.ty(scope);
        cx.b.def_mut(def).owner = Some(ty);
    }
    read_generics(cx, def, node);
    read_bounds(cx, def, node);
    publish_type(cx, def, node);
    if let Some(clause) = node.child_of(K::BaseClassClause) {
        for base in clause.children() {
            if matches!(base.kind(), K::TypeIdentifier | K::QualifiedIdentifier | K::TemplateType) {
                let ty = cx.b.out.ty(base);
                cx.b.base(def, BaseKind::Extends, ty, base.start());
            }
        }
    }
}

/// The scope that the name of a type or of an enumeration's member belongs to: in C never a type.
fn scope_of_types(cx: &Context<'_>) -> DefIx {
    let mut scope = cx.b.scope();
    if is_cpp(cx) {
        return scope;
    }
    // A variable or field may hold the members of a type without a name.
    let holds = |kind: SymbolKind| {
        kind.is_type() || matches!(kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::Constant)
    };
    while scope != DefIx::MODULE && holds(cx.b.def(scope).kind) {
        scope = cx.b.def(scope).parent.unwrap_or(DefIx::MODULE);
    }
    scope
}

/// It has the access of the type around it, whose members come before its own.
fn publish_type<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>) {
    let inner = cx.state.take_innermost();
    set_visibility(cx, def, node, false);
    cx.state.put_innermost(inner);
}

/// The name of a type that is written out: its own, or that of the typedef around it.
fn name_of(node: Node<'_>) -> Option<(Node<'_>, &str)> {
    if let Some(name) = node.child(F::Name) {
        let last = super::declarators::last_name(name)?;
        return Some((last, last.text()));
    }
    let around = node.parent()?;
    if !around.is(K::TypeDefinition) {
        return None;
    }
    let declared = around.children_in(F::Declarator).find_map(|declarator| {
        Declared::of(declarator).filter(|declared| declared.callable.is_none() && !declared.pointer)
    })?;
    Some((declared.name, declared.name.text()))
}

pub(super) fn read_enum_member<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    // The constants of an enumeration without a name are on their own.
    let (kind, scope) = if cx.b.scope_kind() == SymbolKind::Enum {
        (SymbolKind::EnumMember, cx.b.scope())
    } else {
        (SymbolKind::Constant, scope_of_types(cx))
    };
    let def = cx.b.open_of(scope, NewDef::new(kind, name.text(), name, node));
    if kind == SymbolKind::EnumMember {
        let parent = cx.b.def(def).parent.unwrap_or(DefIx::MODULE);
        let visibility = cx.b.def(parent).visibility;
        let exported = cx.b.def(parent).flags.has(DefFlags::EXPORTED);
        cx.b.def_mut(def).visibility = visibility;
        if exported {
            cx.b.flag(def, DefFlags::EXPORTED);
        }
        if is_scoped(node) {
            cx.b.flag(def, DefFlags::STATIC);
        }
    } else {
        set_visibility(cx, def, node, false);
    }
    if let Some(value) = node.child(F::Value) {
        let shape = cx.b.body.value(value);
        cx.b.add_value(def, shape, node.start());
    }
}

/// Whether a member is of an `enum class` or an `enum struct`. It may be inside of conditional directives.
fn is_scoped(member: Node<'_>) -> bool {
    let mut around = std::iter::successors(member.parent(), |node| node.parent());
    let ty = around.by_ref().take(MAX_CONDITIONS).find(|node| node.is(K::EnumSpecifier));
    ty.is_some_and(|ty| ty.child_of(K::ClassToken).or(ty.child_of(K::StructToken)).is_some())
}

/// Skips a class's bases, which are in its definition; the arguments of templates are types that it uses.
pub(super) fn bases_left_out<'a>(_cx: &mut Context<'a>, _node: Node<'a>) -> Visit {
    Visit::Skip
}

/// `namespace a::b { … }`: each part holds the next. One without a name, or an inline one, adds nothing to the names in
/// it.
pub(super) fn read_namespace<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else {
        if !opened_by_macro(cx, node) {
            cx.state.enter_unnamed(node);
        }
        return;
    };
    if node.child_of(K::Inline).is_some() {
        return;
    }
    let mut parts = Vec::new();
    if name.is(K::NestedNamespaceSpecifier) {
        parts.extend(name.descendants().filter(|part| part.is(K::NamespaceIdentifier)).take(16));
    } else {
        parts.push(name);
    }
    for part in parts {
        let def =
            cx.b.open(NewDef::new(SymbolKind::Namespace, part.text(), part, node).body(node.child(F::Body)));
        set_visibility(cx, def, node, false);
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// A namespace that a macro opens: the ones that its body names.
fn opened_by_macro<'a>(cx: &mut Context<'a>, node: Node<'a>) -> bool {
    let text = node.text();
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let Some((from, to)) = text.get(..end).and_then(|name| cx.state.opening_macros.get(name)).copied() else {
        return false;
    };
    let names = super::mask::opened_namespaces(cx.b.slice(from, to).as_bytes()).unwrap_or_default();
    for name in names.iter().filter_map(|name| std::str::from_utf8(name).ok()) {
        let new = NewDef::new(SymbolKind::Namespace, name, node, node).body(node.child(F::Body));
        let def = cx.b.open(new);
        set_visibility(cx, def, node, false);
        cx.b.flag(def, DefFlags::EXPORTED);
    }
    true
}
