//! Functions, methods, closures, their parameters and return values.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, Param, ParamKind};

use super::kinds::{Context, F, K, Node};
use super::{classes, docs};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(name) = node.child(F::NameField) {
        open_function(cx, node, name, SymbolKind::Function);
    }
}

pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let holder = cx.b.scope();
    let constructs = name.text().eq_ignore_ascii_case("__construct");
    let kind = if constructs { SymbolKind::Constructor } else { SymbolKind::Method };
    let def = open_function(cx, node, name, kind);
    if node.child(F::Body).is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    if name.text().starts_with("test") && cx.b.def(holder).flags.has(DefFlags::TEST) {
        cx.b.flag(def, DefFlags::TEST);
    }
    cx.b.set_receiver("$this", holder, false);
    if let Some(list) = node.child(F::Parameters) {
        for param in list.children().filter(|param| param.is(K::PropertyPromotion)).take(64) {
            read_param_property(cx, holder, param);
        }
    }
}

fn open_function<'a>(cx: &mut Context<'a>, node: Node<'a>, name: Node<'a>, kind: SymbolKind) -> DefIx {
    let list = node.child(F::Parameters);
    let new = NewDef::new(kind, name.text(), name, node)
        .header_from(classes::header_start(node))
        .body(node.child(F::Body))
        .without_comments_in(list);
    let def = cx.b.open(new);
    classes::apply_modifiers(cx, def, node);
    if let Some(ret) = node.child(F::ReturnType) {
        cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold_line(ret.text(), 200)));
        cx.b.def_mut(def).ret = Some(cx.b.out.ty(ret));
    }
    let doc = docs::preceding_doc(node);
    if docs::says_more(node.child(F::ReturnType))
        && let Some(ty) = doc.and_then(|doc| docs::tagged_type(doc, "@return", None))
        && let Some(ty) = docs::parse_type(&mut cx.b.out, ty)
    {
        cx.b.def_mut(def).ret = Some(ty);
    }
    for param in list.into_iter().flat_map(Node::children).take(255) {
        let Some(name) = param_name(param) else { continue };
        let ty = param.child(F::TypeField);
        let ty_text = ty.map(|ty| cx.b.out.str(&fold_line(ty.text(), 200)));
        let rest = param.is(K::VariadicParameter);
        let said = doc
            .filter(|_| docs::says_more(ty))
            .and_then(|doc| docs::tagged_type(doc, "@param", Some(name)))
            .and_then(|ty| docs::parse_type(&mut cx.b.out, ty));
        let stated = Param {
            name: cx.b.out.str(name),
            ty_text,
            ty: said.or_else(|| ty.map(|ty| cx.b.out.ty(ty))),
            optional: rest || param.child(F::DefaultValue).is_some(),
            kind: if rest { ParamKind::Rest } else { ParamKind::Positional },
        };
        cx.b.def_mut(def).params.push(stated);
    }
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    bind_params(cx, node, range);
    def
}

fn param_name(param: Node<'_>) -> Option<&str> {
    let param = matches!(param.kind(), K::SimpleParameter | K::VariadicParameter | K::PropertyPromotion)
        .then_some(param)?;
    Some(param.child(F::NameField)?.text().trim_start_matches(['&', ' ']))
}

fn bind_params<'a>(cx: &mut Context<'a>, node: Node<'a>, (from, to): (u32, u32)) {
    let doc = docs::preceding_doc(node);
    for param in node.child(F::Parameters).into_iter().flat_map(Node::children).take(255) {
        let Some(name) = param_name(param) else { continue };
        let said = doc
            .filter(|_| docs::says_more(param.child(F::TypeField)))
            .and_then(|doc| docs::tagged_type(doc, "@param", Some(name)))
            .and_then(|ty| docs::parse_type(&mut cx.b.body, ty));
        let mut ty = said.or_else(|| param.child(F::TypeField).map(|ty| cx.b.body.ty(ty)));
        if let (Some(of), true) = (ty, param.is(K::VariadicParameter)) {
            ty = Some(cx.b.body.add(Expr::Index(of)));
        }
        let value = param.child(F::DefaultValue).filter(|_| ty.is_none());
        let value = value.map(|value| cx.b.body.value(value));
        cx.b.bind_within(BindingKind::Param, name, ty, value, (from, to));
    }
}

/// `public int $x` among a constructor's parameters: also a property.
fn read_param_property<'a>(cx: &mut Context<'a>, holder: DefIx, param: Node<'a>) {
    let Some(name) = param.child(F::NameField) else { return };
    let text = name.text().trim_start_matches(['&', ' ', '$']);
    let new = NewDef::new(SymbolKind::Field, text, name, param)
        .header_from(classes::header_start(param))
        .header_to(name.end());
    let def = cx.b.leaf_of(holder, new);
    classes::apply_modifiers(cx, def, param);
    let ty = param.child(F::TypeField);
    let said = docs::preceding_doc(param)
        .and_then(|doc| docs::tagged_type(doc, "@var", None))
        .or_else(|| {
            let method = param.ancestors().take(4).find(|around| around.is(K::MethodDeclaration))?;
            docs::tagged_type(docs::preceding_doc(method)?, "@param", Some(name.text()))
        })
        .filter(|_| docs::says_more(ty))
        .and_then(|ty| docs::parse_type(&mut cx.b.out, ty));
    if let Some(ty) = said.or_else(|| ty.map(|ty| cx.b.out.ty(ty))) {
        cx.b.def_mut(def).ty = Some(ty);
    }
}

/// A closure is no definition; its bindings are known inside it.
pub(super) fn read_closure<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    bind_params(cx, node, (node.start(), node.end()));
}

/// `return x;`, `yield x`.
pub(super) fn read_return<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // Whether the innermost function is a definition, not a closure.
    let around = node.ancestors().take(256).find(|around| {
        matches!(
            around.kind(),
            K::AnonymousFunction
                | K::ArrowFunction
                | K::FunctionDefinition
                | K::MethodDeclaration
                | K::PropertyHook
        )
    });
    let Some(def) = cx.b.callable() else { return };
    if !around.is_some_and(|around| matches!(around.kind(), K::FunctionDefinition | K::MethodDeclaration)) {
        return;
    }
    if node.is(K::Yield) {
        cx.b.flag(def, DefFlags::GENERATOR);
    } else if let Some(value) = node.first() {
        let shape = cx.b.body.value(value);
        cx.b.returns(def, shape, node.start());
    }
}
