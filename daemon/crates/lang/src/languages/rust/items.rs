//! Items: definitions.

use sdl_model::facts::{BaseKind, DefFlags, DefIx, Expr};
use sdl_model::{SymbolKind, Visibility};

use super::blocks::block_tail;
use super::docs::inner_doc;
use super::headers::{new_def, new_named_def, set_visibility};
use super::kinds::{Context, F, K, Node};
use super::names::plain_name;
use super::types::type_head;
use super::{generics, members, params};

/// Opens `item`; `whole` is `item` or the first attribute before it. None if the item defines nothing.
pub(super) fn read_item<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let def = match item.kind() {
        K::FunctionItem | K::FunctionSignature => read_function(cx, item, whole)?,
        K::ImplItem => read_impl(cx, item, whole)?,
        K::TraitItem => read_trait(cx, item, whole)?,
        K::StructItem | K::UnionItem | K::EnumItem => read_data_type(cx, item, whole)?,
        K::TypeItem | K::AssociatedType => type_alias(cx, item, whole)?,
        K::EnumVariant => members::read_variant(cx, item, whole)?,
        K::FieldDeclaration => members::read_field(cx, item, whole)?,
        K::ConstItem | K::StaticItem => members::read_constant(cx, item, whole)?,
        K::MacroDefinition => macro_rules(cx, item, whole)?,
        K::ModItem => read_module(cx, item, whole)?,
        _ => return None,
    };
    // Cut off, because a module's own documentation (`//!`) does not describe the first item in it.
    let start = cx.b.def(def).span.start;
    if matches!(cx.b.slice(start, start + 3), "//!" | "/*!") {
        cx.b.def_mut(def).doc = None;
    }
    Some(def)
}

fn read_function<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let outer = cx.b.scope_kind();
    let member = matches!(outer, SymbolKind::Trait | SymbolKind::Impl);
    let kind = if member { SymbolKind::Method } else { SymbolKind::Function };
    let list = item.child(F::Parameters);
    let body = item.child(F::Body);
    let new = new_def(kind, name, item, whole).body(body).without_comments_in(list);
    let def = cx.b.open(new);
    set_visibility(cx, def, item);
    if item.child_of(K::FunctionModifiers).is_some_and(|all| all.child_of(K::Async).is_some()) {
        cx.b.flag(def, DefFlags::ASYNC);
    }
    if body.is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    let has_receiver = list.is_some_and(|list| params::read_params(cx, def, list));
    if member && !has_receiver {
        cx.b.flag(def, DefFlags::STATIC);
    }
    generics::read_generics(cx, def, item);
    params::read_result(cx, def, item);
    if cx.b.def(def).ret.is_some()
        && let Some(tail) = body.and_then(block_tail)
    {
        let shape = cx.b.body.value(tail);
        cx.b.returns(def, shape, tail.start());
    }
    Some(def)
}

fn read_impl<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let ty = item.child(F::TypeField)?;
    let name = type_head(ty);
    let base = item.child(F::Trait);
    let new =
        new_named_def(SymbolKind::Impl, plain_name(name.text()), name, item, whole).body(item.child(F::Body));
    let def = cx.b.open(new);
    cx.b.def_mut(def).visibility = Visibility::Public;
    let owner = cx.b.out.ty(ty);
    // The reference is kept, because `impl T for &X` is another block than `impl T for X`.
    let owner = if ty.is(K::ReferenceType) { cx.b.out.add(Expr::Unwrap(owner)) } else { owner };
    cx.b.def_mut(def).owner = Some(owner);
    if let Some(base) = base {
        let shape = cx.b.out.ty(base);
        cx.b.base(def, BaseKind::Implements, shape, base.start());
    }
    generics::read_generics(cx, def, item);
    Some(def)
}

fn read_trait<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let def = cx.b.open(new_def(SymbolKind::Trait, name, item, whole).body(item.child(F::Body)));
    set_visibility(cx, def, item);
    for bound in item.child(F::Bounds).into_iter().flat_map(Node::children) {
        generics::add_supertrait(cx, def, bound);
    }
    generics::read_generics(cx, def, item);
    Some(def)
}

fn read_data_type<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let kind = match item.kind() {
        K::StructItem => SymbolKind::Struct,
        K::UnionItem => SymbolKind::Union,
        _ => SymbolKind::Enum,
    };
    let body = item.child(F::Body);
    let listed = body.filter(|body| body.is(K::OrderedFields));
    let mut new = new_def(kind, name, item, whole).without_comments_in(listed);
    if listed.is_none() {
        new = new.body(body);
    }
    let def = cx.b.open(new);
    set_visibility(cx, def, item);
    generics::read_generics(cx, def, item);
    if let Some(listed) = listed {
        members::read_tuple_fields(cx, listed);
    }
    Some(def)
}

fn type_alias<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let def = cx.b.open(new_def(SymbolKind::Type, name, item, whole));
    set_visibility(cx, def, item);
    generics::read_generics(cx, def, item);
    if let Some(target) = item.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(target));
    } else {
        cx.b.flag(def, DefFlags::ABSTRACT);
        // A value of it has the members that its bounds have.
        if let Some(bounds) = item.child(F::Bounds) {
            cx.b.def_mut(def).ty = generics::bounds_shape(&mut cx.b.out, bounds);
        }
    }
    Some(def)
}

fn macro_rules<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    let new = new_def(SymbolKind::Macro, name, item, whole).header_to(name.end());
    let def = cx.b.open(new);
    cx.b.def_mut(def).visibility = Visibility::Internal;
    Some(def)
}

/// `#[macro_export]`.
pub(super) fn export_macro(cx: &mut Context<'_>, def: DefIx) {
    if cx.b.def(def).kind == SymbolKind::Macro {
        cx.b.def_mut(def).visibility = Visibility::Public;
    }
}

fn read_module<'a>(cx: &mut Context<'a>, item: Node<'a>, whole: Node<'a>) -> Option<DefIx> {
    let name = item.child(F::Name)?;
    // `mod x;` is an import.
    let body = item.child(F::Body)?;
    let def = cx.b.open(new_def(SymbolKind::Namespace, name, item, whole).body(Some(body)));
    set_visibility(cx, def, item);
    if cx.b.def(def).doc.is_none()
        && let Some(doc) = inner_doc(body)
    {
        cx.b.doc(def, &doc);
    }
    Some(def)
}

/// Marks the definitions that other files may use: public ones in public ones.
pub(super) fn mark_exports(cx: &mut Context<'_>) {
    for at in 1..cx.b.defs().len() {
        let ix = DefIx(at as u32);
        let def = cx.b.def(ix);
        if def.flags.has(DefFlags::LOCAL) || def.kind == SymbolKind::Impl {
            continue;
        }
        let parent = cx.b.def(def.parent.unwrap_or(DefIx::MODULE));
        let reachable = parent.kind == SymbolKind::Impl || parent.flags.has(DefFlags::EXPORTED);
        let seen = matches!(def.visibility, Visibility::Public | Visibility::Internal);
        if reachable && seen {
            cx.b.flag(ix, DefFlags::EXPORTED);
        }
    }
}
