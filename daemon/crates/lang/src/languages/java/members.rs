//! Methods, constructors, fields, and local variables, which look like fields.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, ExprIx};

use super::kinds::{Context, F, K, Node};
use super::{binds, invariants, modifiers, params, types};
use crate::builder::text::fold_line;
use crate::builder::{Half, NewDef};

/// How long a field's statement may be to serve as its signature.
const SHORT_VALUE: u32 = 80;

pub(super) fn read_method<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let holder = cx.b.scope();
    let def = open_function(cx, node, name, SymbolKind::Method);
    if let Some(ret) = node.child(F::TypeField) {
        let dimensions = node.child(F::DimensionsField);
        cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold_line(ret.text(), 200)));
        let shape = cx.b.out.ty(ret);
        cx.b.def_mut(def).ret = Some(types::array_shape(&mut cx.b.out, shape, dimensions));
    }
    if node.child(F::Body).is_none() && !modifiers::has_modifier(node, K::Native) {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    // Before annotations, tests were found by name.
    if name.text().starts_with("test") && cx.b.def(holder).flags.has(DefFlags::TEST) {
        cx.b.flag(def, DefFlags::TEST);
    }
}

pub(super) fn read_constructor<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let def = open_function(cx, node, name, SymbolKind::Constructor);
    if node.is(K::CompactConstructor) {
        let record = node.ancestors().take(3).find(|around| around.is(K::RecordDeclaration));
        if let Some(list) = record.and_then(|record| record.child(F::Parameters)) {
            params::read_params(cx, def, list);
        }
    }
}

fn open_function<'a>(cx: &mut Context<'a>, node: Node<'a>, name: Node<'a>, kind: SymbolKind) -> DefIx {
    let list = node.child(F::Parameters);
    let mut new = NewDef::new(kind, name.text(), name, node)
        .header_from(modifiers::header_start(node))
        .body(node.child(F::Body))
        .without_comments_in(list);
    // The default value of an annotation's element.
    if let Some(default) = node.child_of(K::Default) {
        new = new.header_to(default.start());
    }
    let def = cx.b.open(new);
    modifiers::apply_modifiers(cx, def, node);
    modifiers::read_generics(cx, def, node);
    if let Some(list) = list {
        params::read_params(cx, def, list);
    }
    if let Some(throws) = node.child_of(K::Throws) {
        invariants::read_throws_clause(cx, def, throws);
    }
    def
}

/// `x = …` of a field, a constant of an interface, or a local variable.
pub(super) fn read_declarator<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(statement), Some(name)) = (node.parent(), node.child(F::Name)) else { return };
    match statement.kind() {
        K::FieldDeclaration | K::ConstantDeclaration => add_field(cx, node, statement, name),
        K::LocalVariable => {
            let ty = stated_shape(&mut cx.b.body, node, statement);
            let value = node.child(F::Value).filter(|_| ty.is_none());
            let value = value.map(|value| cx.b.body.value(value));
            let to = binds::scope_end(cx, statement);
            cx.b.bind_within(BindingKind::Local, name.text(), ty, value, (name.end(), to));
        }
        _ => {}
    }
}

fn stated_shape<'a>(half: &mut Half<'a>, node: Node<'a>, statement: Node<'a>) -> Option<ExprIx> {
    let ty = half.ty(types::stated_type(statement.child(F::TypeField))?);
    Some(types::array_shape(half, ty, node.child(F::DimensionsField)))
}

fn add_field<'a>(cx: &mut Context<'a>, node: Node<'a>, statement: Node<'a>, name: Node<'a>) {
    let constant = statement.is(K::ConstantDeclaration)
        || modifiers::has_modifier(statement, K::Static) && modifiers::has_modifier(statement, K::Final);
    let kind = if constant { SymbolKind::Constant } else { SymbolKind::Field };
    let many = statement.children_in(F::Declarator).nth(1).is_some();
    let value = node.child(F::Value);
    let whole = if many { node } else { statement };
    let mut new = NewDef::new(kind, name.text(), name, whole);
    let start = modifiers::header_start(statement);
    if many {
        let first = statement.child(F::Declarator).map_or(node.start(), Node::start);
        let header = fold_line(cx.b.slice(start, first), 300);
        new = new.signature(format!("{header} {}", name.text()));
    } else {
        new = new.header_from(start);
        // Literal text stays out of signatures, because it may be long, or secret.
        let simple = |value: &Node<'_>| {
            matches!(
                value.kind(),
                K::DecimalInteger
                    | K::HexInteger
                    | K::DecimalFloat
                    | K::CharacterLiteral
                    | K::True
                    | K::False
                    | K::NullLiteral
                    | K::Identifier
                    | K::FieldAccess
            )
        };
        if let Some(value) = value.filter(|value| !simple(value) || value.end() - start > SHORT_VALUE) {
            new = new.header_to(value.start());
        }
    }
    let def = cx.b.open(new);
    modifiers::apply_modifiers(cx, def, statement);
    if statement.is(K::ConstantDeclaration) {
        cx.b.flag(def, DefFlags::STATIC);
    }
    cx.b.def_mut(def).ty = stated_shape(&mut cx.b.out, node, statement);
    if let Some(value) = value {
        cx.b.def_mut(def).value = Some(cx.b.out.value(value));
    }
}
