//! Variables, fields and locals.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, ExprIx};

use super::declarators::{Declared, declared_shape, is_deduced, last_name};
use super::kinds::{Context, F, K, Node, is_cpp};
use super::state::set_visibility;
use super::{functions, names, params};
use crate::builder::NewDef;
use crate::driver::Visit;

/// Whether a type is written out in place and has no name: `struct { int n; } point;`. The first variable or field of that type
/// holds its members.
fn has_no_name(ty: Node<'_>) -> bool {
    matches!(ty.kind(), K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier)
        && ty.child(F::Body).is_some()
        && ty.child(F::Name).is_none()
}

/// How long a variable's statement may be to serve as its signature.
const SHORT: u32 = 80;

fn has_storage_class(node: Node<'_>, word: &str) -> bool {
    node.children().any(|child| child.is(K::StorageClass) && child.text() == word)
}

fn is_const(node: Node<'_>) -> bool {
    let word = |child: Node<'_>| matches!(child.text(), "const" | "constexpr" | "constinit");
    node.children().any(|child| child.is(K::TypeQualifier) && word(child))
}

/// The initial value of `declarator`.
fn value_of<'a>(node: Node<'a>, declarator: Node<'a>) -> Option<Node<'a>> {
    if declarator.is(K::InitDeclarator) { declarator.child(F::Value) } else { node.child(F::Value) }
}

/// A declaration of functions, variables or locals.
pub(super) fn read_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    // The parameters of a function in the old style.
    if node.parent_kind() == Some(K::FunctionDefinition) {
        return Visit::Into;
    }
    let in_body = cx.b.callable().is_some();
    for declarator in node.children_in(F::Declarator) {
        let Some(declared) = Declared::of(declarator) else { continue };
        match declared.function {
            Some(function) if in_body && is_object(cx, &declared, function) => {
                bind_local(cx, node, declarator, &declared);
            }
            // A function that is declared inside another one is described elsewhere.
            Some(_) if in_body => {}
            Some(_) => read_prototype(cx, node, declarator, &declared),
            None if in_body => bind_local(cx, node, declarator, &declared),
            None => read_variable(cx, node, declarator, &declared),
        }
    }
    Visit::Into
}

/// `Foo x(a, b);` in a function reads as a declaration of a function.
pub(super) fn is_object(cx: &Context<'_>, declared: &Declared<'_>, function: Node<'_>) -> bool {
    let Some(list) = function.child(F::Parameters).filter(|_| is_cpp(cx)) else { return false };
    let mut params = list.children().peekable();
    declared.name.is(K::Identifier)
        && params.peek().is_some()
        && params.all(|param| {
            param.is(K::ParameterDeclaration)
                && param.child(F::Declarator).is_none()
                && param.child(F::Type).is_some_and(|ty| ty.is(K::TypeIdentifier))
        })
}

fn read_prototype<'a>(cx: &mut Context<'a>, node: Node<'a>, declarator: Node<'a>, declared: &Declared<'a>) {
    // Only the first declarator's span covers the others. A later one is a leaf beside it.
    let first = node.child(F::Declarator) == Some(declarator);
    if first {
        functions::open_function(cx, node, declared, None);
    }
}

fn read_variable<'a>(cx: &mut Context<'a>, node: Node<'a>, declarator: Node<'a>, declared: &Declared<'a>) {
    let Some(name) = last_name(declared.name).filter(|name| !name.is(K::StructuredBinding)) else { return };
    if name.text().is_empty() {
        return;
    }
    let in_type = cx.b.scope_kind().is_type();
    let kind = if is_const(node) && !declared.pointer {
        SymbolKind::Constant
    } else if in_type {
        SymbolKind::Field
    } else {
        SymbolKind::Variable
    };
    let value = value_of(node, declarator);
    let scope = owner_scope(cx, node);
    let mut new = NewDef::new(kind, name.text(), name, node);
    if let Some(value) = value.filter(|value| !is_simple(*value) || node.end() - node.start() > SHORT) {
        new = new.header_to(value.start());
    } else if let Some(body) = node.child(F::Type).and_then(|ty| ty.child(F::Body)) {
        new = new.header_to(body.start());
    }
    // Only the first declarator's definition holds the statement's inner definitions.
    let first = node.child(F::Declarator) == Some(declarator);
    let ty = node.child(F::Type);
    let written_out = ty.is_some_and(|ty| ty.child(F::Body).is_some() && !has_no_name(ty));
    let def = if first && !written_out { cx.b.open_of(scope, new) } else { cx.b.leaf_of(scope, new) };
    if declared.name.is(K::QualifiedIdentifier) {
        cx.b.def_mut(def).owner = names::scope_of(&mut cx.b.out, declared.name);
    }
    let cpp = is_cpp(cx);
    if let Some(ty) = ty.filter(|ty| !is_deduced(*ty) && !has_no_name(*ty)) {
        let ty = declared_shape(&mut cx.b.out, ty, declared, cpp);
        cx.b.def_mut(def).ty = Some(ty);
    }
    if let Some(value) = value {
        let value = cx.b.body.value(value);
        cx.b.add_value(def, value, node.start());
    }
    if has_storage_class(node, "static") {
        cx.b.flag(def, DefFlags::STATIC);
    }
    if has_storage_class(node, "extern") && value.is_none() {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    set_visibility(cx, def, node, has_storage_class(node, "static") && !in_type);
}

/// The definition that the variables of `node` belong to. While the first of several is open, the others are its
/// siblings.
fn owner_scope(cx: &Context<'_>, node: Node<'_>) -> DefIx {
    let scope = cx.b.scope();
    let def = cx.b.def(scope);
    let beside = matches!(def.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
        && def.span.end >= node.end()
        && def.span.start <= node.start()
        && scope != DefIx::MODULE;
    if beside { def.parent.unwrap_or(DefIx::MODULE) } else { scope }
}

fn is_simple(value: Node<'_>) -> bool {
    matches!(
        value.kind(),
        K::NumberLiteral
            | K::CharLiteral
            | K::True
            | K::False
            | K::Null
            | K::Identifier
            | K::QualifiedIdentifier
    )
}

/// A local: known to the end of its block.
fn bind_local<'a>(cx: &mut Context<'a>, node: Node<'a>, declarator: Node<'a>, declared: &Declared<'a>) {
    let value = value_of(node, declarator);
    if let Some(lambda) = value.filter(|value| value.is(K::LambdaExpression)) {
        bound_lambda(cx, declared.name, lambda, declarator);
        return;
    }
    let cpp = is_cpp(cx);
    let ty = node
        .child(F::Type)
        .filter(|ty| !is_deduced(*ty))
        .map(|ty| declared_shape(&mut cx.b.body, ty, declared, cpp));
    // The value adds nothing to a stated type.
    let value = value.filter(|value| !matches!(value.kind(), K::InitializerList | K::ArgumentList));
    let value = value.map(|value| cx.b.body.value(value));
    let to = block_end(cx, node);
    bind_names(cx, declared.name, ty, value, (declarator.end(), to));
}

/// Binds `name`, or each of the names of a structured binding.
fn bind_names<'a>(
    cx: &mut Context<'a>,
    name: Node<'a>,
    ty: Option<ExprIx>,
    value: Option<ExprIx>,
    (from, to): (u32, u32),
) {
    if !name.is(K::StructuredBinding) {
        cx.b.bind_within(BindingKind::Local, name.text(), ty, value, (from, to));
        return;
    }
    for (at, part) in name.children().enumerate() {
        let item = value.map(|value| cx.b.body.add(Expr::Item(value, at.min(255) as u8)));
        cx.b.bind_within(BindingKind::Local, part.text(), None, item, (from, to));
    }
}

/// The end of the block that `node` is in.
fn block_end(cx: &Context<'_>, node: Node<'_>) -> u32 {
    let block = node.ancestors().find(|around| {
        matches!(
            around.kind(),
            K::CompoundStatement
                | K::ForStatement
                | K::ForRangeLoop
                | K::LambdaExpression
                | K::FunctionDefinition
        ) || (around.is(K::IfStatement) && node.parent_kind() == Some(K::ConditionClause))
    });
    let scope_end = cx.b.scope_end();
    match block {
        // A function's own block: to the end of the function.
        Some(block) if block.parent_kind() == Some(K::FunctionDefinition) => scope_end,
        Some(block) => block.end().min(scope_end),
        None => scope_end,
    }
}

/// `auto f = [](…) {…};`
fn bound_lambda<'a>(cx: &mut Context<'a>, name: Node<'a>, lambda: Node<'a>, declarator: Node<'a>) {
    let new = NewDef::new(SymbolKind::Function, name.text(), name, declarator).body(lambda.child(F::Body));
    let def = cx.b.open(new);
    cx.state.lambda = Some(lambda.ix());
    let Some(function) = lambda.child(F::Declarator) else { return };
    if let Some(list) = function.child(F::Parameters) {
        params::read_params(cx, def, list, &[]);
    }
    if let Some(ty) = function.child_of(K::TrailingReturnType).and_then(Node::first) {
        let text = cx.b.out.str(ty.text());
        let shape = cx.b.out.ty(ty);
        cx.b.def_mut(def).ret_text = Some(text);
        cx.b.def_mut(def).ret = Some(shape);
    }
}

/// `for (const auto& x : all)`.
pub(super) fn for_range<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(declared) = node.child(F::Declarator).and_then(Declared::of) else { return };
    let cpp = is_cpp(cx);
    let ty = node
        .child(F::Type)
        .filter(|ty| !is_deduced(*ty))
        .map(|ty| declared_shape(&mut cx.b.body, ty, &declared, cpp));
    let value = node.child(F::Right).map(|right| cx.b.body.value(right));
    let value = value.map(|value| cx.b.body.add(Expr::Iter(value)));
    bind_names(cx, declared.name, ty, value, (declared.name.end(), node.end()));
}

/// `[x = f()]`.
pub(super) fn bind_capture<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    let to = node.ancestors().find(|around| around.is(K::LambdaExpression)).map_or(node.end(), Node::end);
    let value = cx.b.body.value(right);
    cx.b.bind_within(BindingKind::Local, left.text(), None, Some(value), (node.start(), to));
}

/// A member of a type: fields and the declarations of methods.
pub(super) fn read_field<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let scope = cx.b.scope();
    for declarator in node.children_in(F::Declarator) {
        let Some(declared) = Declared::of(declarator) else { continue };
        if declared.function.is_some() {
            if node.child(F::Declarator) == Some(declarator) {
                functions::open_function(cx, node, &declared, None);
            }
        } else {
            add_field(cx, scope, node, &declared);
        }
    }
    Visit::Into
}

fn add_field<'a>(cx: &mut Context<'a>, scope: DefIx, node: Node<'a>, declared: &Declared<'a>) {
    let is_static = has_storage_class(node, "static");
    let kind = if is_static && is_const(node) { SymbolKind::Constant } else { SymbolKind::Field };
    let mut new = NewDef::new(kind, declared.name.text(), declared.name, node);
    if let Some(body) = node.child(F::Type).and_then(|ty| ty.child(F::Body)) {
        new = new.header_to(body.start());
    }
    let ty = node.child(F::Type);
    let holds = ty.is_some_and(has_no_name) && cx.b.scope() == scope;
    let def = if holds {
        cx.b.open(new)
    } else if cx.b.scope() == scope {
        cx.b.leaf(new)
    } else {
        cx.b.leaf_of(scope, new)
    };
    let cpp = is_cpp(cx);
    if let Some(ty) = ty.filter(|ty| !is_deduced(*ty) && !has_no_name(*ty)) {
        let ty = declared_shape(&mut cx.b.out, ty, declared, cpp);
        cx.b.def_mut(def).ty = Some(ty);
    }
    if let Some(value) = node.child(F::DefaultValue) {
        let value = cx.b.body.value(value);
        cx.b.add_value(def, value, node.start());
    }
    if is_static {
        cx.b.flag(def, DefFlags::STATIC);
    }
    set_visibility(cx, def, node, false);
}
