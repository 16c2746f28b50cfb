//! References.

use sdl_model::facts::{Expr, RefForm};

use super::declarators::last_name;
use super::exprs::{arg_count, made_type, scope_and_name, stated_result};
use super::kinds::{Context, F, K, Node, is_cpp};
use super::mask::is_upper_case;
use super::vars;
use crate::driver::Visit;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: usize = 120;
/// Arguments of a macro that are looked at.
const MOST_ARGUMENTS: usize = 16;

/// Reads the side effects, configuration and assertions that a call shows. Its callee is a node of its own.
pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(callee) = node.child(F::Function) else { return };
    let text = callee.text();
    if text.len() <= LONG_CALLEE
        && matches!(callee.kind(), K::Identifier | K::QualifiedIdentifier | K::FieldExpression)
    {
        cx.b.effect_of(text);
    }
    let arguments = node.child(F::Arguments);
    match text {
        "getenv" | "std::getenv" | "secure_getenv" => {
            if let Some(key) = arguments.and_then(Node::first).filter(|key| key.is(K::StringLiteral)) {
                let name = key.text().trim_matches('"');
                cx.b.reference(RefForm::Config, name, key.start() + 1, None, 0);
            }
        }
        "abort" | "std::abort" | "std::terminate" => super::invariants::add_failure(cx, node),
        _ if text.ends_with("assert") || text.ends_with("ASSERT") => super::invariants::add_failure(cx, node),
        _ => {}
    }
    if let Some(ty) = made_type(callee) {
        add_construction(cx, ty, arguments);
    }
}

pub(super) fn read_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(ty) = node.child(F::Type) {
        add_construction(cx, ty, node.child(F::Arguments));
    }
}

/// `T{…}`, `(T){…}`.
pub(super) fn read_compound_literal<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(ty) = node.child(F::Type) {
        add_construction(cx, ty, node.child(F::Value));
    }
}

/// Adds a reference to the constructor of `ty`, and skips the type's own name when the walk reaches it.
pub(super) fn add_construction<'a>(cx: &mut Context<'a>, ty: Node<'a>, args: Option<Node<'a>>) {
    let ty = if ty.is(K::TypeDescriptor) { ty.child(F::Type).unwrap_or(ty) } else { ty };
    let (recv, name) = match ty.kind() {
        K::QualifiedIdentifier => scope_and_name(&mut cx.b.body, ty),
        K::TemplateType | K::TypeIdentifier => (None, last_name(ty)),
        K::StructSpecifier | K::UnionSpecifier => {
            (None, ty.child(F::Name).filter(|_| ty.child(F::Body).is_none()))
        }
        _ => return,
    };
    let Some(name) = name.filter(|name| name.is(K::TypeIdentifier) || name.is(K::Identifier)) else { return };
    cx.b.reference(RefForm::Construct, name.text(), name.start(), recv, arg_count(args));
    note_arguments(cx, args, name.start());
    cx.state.constructed = Some(name.ix());
}

/// A member or base that a constructor initialises.
pub(super) fn field_initializer<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.first() else { return };
    let list = node.children().nth(1);
    let is_field = name.is(K::FieldIdentifier) && {
        let text = name.text();
        let class = cx.b.def(cx.b.scope()).parent;
        let stated = class.is_some_and(|class| cx.b.find_def(class, text).is_some());
        stated || text.ends_with('_') || text.starts_with(|c: char| c.is_lowercase() || c == '_')
    };
    if is_field {
        let this = cx.b.body.add(Expr::SelfRef);
        cx.b.reference(RefForm::Attr, name.text(), name.start(), Some(this), 0);
        return;
    }
    let (recv, last) = match name.kind() {
        K::QualifiedIdentifier => scope_and_name(&mut cx.b.body, name),
        _ => (None, last_name(name)),
    };
    if let Some(last) = last {
        cx.b.reference(RefForm::Construct, last.text(), last.start(), recv, arg_count(list));
        note_arguments(cx, list, last.start());
        cx.state.constructed = Some(name.ix());
    }
}

/// `a.b`, `a->b`.
pub(super) fn read_member<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(object), Some(field)) = (node.child(F::Argument), node.child(F::Field)) else {
        return Visit::Into;
    };
    if field.is(K::QualifiedIdentifier) {
        // `x->Base::f()`: the walk finds the qualified name.
        return Visit::Into;
    }
    let Some(name) = last_name(field).filter(|name| !name.is(K::DestructorName)) else { return Visit::Into };
    let recv = cx.b.body.value(object);
    let call = call_of(node);
    let form = if call.is_some() { RefForm::MethodCall } else { RefForm::Attr };
    let list = call.and_then(|call| call.child(F::Arguments));
    cx.b.reference(form, name.text(), name.start(), Some(recv), arg_count(list));
    note_arguments(cx, list, name.start());
    Visit::Into
}

/// Records the values of the arguments in `list`, for the reference at byte `at`. Not for C, where one name is one
/// function.
fn note_arguments<'a>(cx: &mut Context<'a>, list: Option<Node<'a>>, at: u32) {
    if is_cpp(cx)
        && let Some(list) = list.filter(|list| !list.is(K::ParameterList))
    {
        cx.b.given(at, list.children());
    }
}

/// The call of `node`, if it is called.
fn call_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..6 {
        let parent = at.parent()?;
        match parent.kind() {
            K::CallExpression if at.field() == F::Function => {
                return Some(parent);
            }
            // `(f)(x)`, `(*f)(x)`.
            K::ParenthesizedExpression | K::PointerExpression => at = parent,
            K::TemplateFunction if at.field() == F::Name => at = parent,
            _ => return None,
        }
    }
    None
}

/// `a::b`.
pub(super) fn read_qualified_name<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if is_declared(node) {
        return Visit::Skip;
    }
    if node.parent().is_some_and(|around| around.is(K::FieldInitializer)) {
        return Visit::Skip;
    }
    // `space::Foo x(…)`.
    if let Some(args) = initializer_arguments(cx, node) {
        add_construction(cx, node, Some(args));
        return visit_template_arguments(cx, node);
    }
    let (recv, name) = scope_and_name(&mut cx.b.body, node);
    let Some(name) = name.filter(|name| cx.state.constructed != Some(name.ix())) else {
        return visit_template_arguments(cx, node);
    };
    let stated = stated_result(node).is_some();
    let text = name.text();
    match (call_of(node), recv) {
        _ if stated => {}
        (Some(call), recv) => {
            let list = call.child(F::Arguments);
            let form = if recv.is_some() { RefForm::PathCall } else { RefForm::Call };
            cx.b.reference(form, text, name.start(), recv, arg_count(list));
            note_arguments(cx, list, name.start());
        }
        (None, recv) => {
            let form = if name.is(K::TypeIdentifier) {
                RefForm::Type
            } else if recv.is_some() {
                RefForm::Attr
            } else {
                RefForm::Value
            };
            cx.b.reference(form, text, name.start(), recv, 0);
        }
    }
    visit_template_arguments(cx, node)
}

/// The template arguments in a qualified name hold types of their own; its names do not.
fn visit_template_arguments(cx: &mut Context<'_>, node: Node<'_>) -> Visit {
    let _ = cx;
    if node.descendants().any(|inner| inner.is(K::TemplateArgumentList)) { Visit::Into } else { Visit::Skip }
}

/// Whether `node` is part of the names of a qualified name.
fn is_part(node: Node<'_>) -> bool {
    let mut at = node;
    for _ in 0..8 {
        let Some(parent) = at.parent() else { return false };
        match parent.kind() {
            K::QualifiedIdentifier => return true,
            K::TemplateFunction | K::TemplateType | K::TemplateMethod if at.field() == F::Name => at = parent,
            K::DependentName => at = parent,
            _ => return false,
        }
    }
    false
}

/// Whether `node` is a name in its own declaration.
fn is_declared(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        K::FunctionDeclarator
        | K::PointerDeclarator
        | K::PointerTypeDeclarator
        | K::ArrayDeclarator
        | K::InitDeclarator
        | K::ParameterDeclaration
        | K::OptionalParameter
        | K::VariadicParameterDeclaration
        | K::Declaration
        | K::FieldDeclaration
        | K::TypeDefinition
        | K::ForRangeLoop
        | K::FunctionDefinition => {
            node.field() == F::Declarator || (parent.is(K::FunctionDeclarator) && node.is(K::Identifier))
        }
        K::ReferenceDeclarator
        | K::ParenthesizedDeclarator
        | K::AttributedDeclarator
        | K::VariadicDeclarator
        | K::StructuredBinding
        | K::ParameterList
        | K::DestructorName
        | K::OperatorName
        | K::LambdaCaptureInitializer
        | K::TypeParameter
        | K::VariadicTypeParameter
        | K::Attribute => !parent.is(K::LambdaCaptureInitializer) || node.field() == F::Left,
        K::TemplateFunction => node.field() == F::Name && is_declared(parent),
        K::OptionalTypeParameter | K::AliasDeclaration | K::ConceptDefinition | K::Enumerator => {
            node.field() == F::Name
        }
        K::StructSpecifier | K::UnionSpecifier | K::ClassSpecifier | K::EnumSpecifier => {
            node.field() == F::Name && parent.child(F::Body).is_some()
        }
        // A condition of the preprocessor is about how the program is built.
        K::PreprocIfdef | K::PreprocElifdef => node.field() == F::Name,
        K::Error => true,
        _ => false,
    }
}

/// Whether `node` is in a condition of the preprocessor.
fn in_condition(node: Node<'_>) -> bool {
    let mut at = node;
    for _ in 0..12 {
        let Some(parent) = at.parent() else { return false };
        match parent.kind() {
            K::PreprocIf | K::PreprocElif => return at.field() == F::Condition,
            K::BinaryExpression
            | K::UnaryExpression
            | K::ParenthesizedExpression
            | K::CallExpression
            | K::ArgumentList
            | K::PreprocDefined => at = parent,
            _ => return false,
        }
    }
    false
}

/// If a name is a whole argument of what looks like a macro call: the argument's index and the call.
fn argument_of_macro(node: Node<'_>) -> Option<(u8, Node<'_>)> {
    let list = node.parent().filter(|list| list.is(K::ArgumentList))?;
    let call = list.parent().filter(|call| call.is(K::CallExpression))?;
    let callee = call.child(F::Function).filter(|callee| callee.is(K::Identifier))?;
    if !is_upper_case(callee.text().as_bytes()) {
        return None;
    }
    let at = list.children().take(MOST_ARGUMENTS).position(|child| child == node)?;
    Some((at as u8, call))
}

/// Whether `node` is a macro that makes a name of its argument: `PREFIX` in `PREFIX(scan)(x)`.
fn makes_name(node: Node<'_>) -> bool {
    let Some(call) = node.parent().filter(|call| call.is(K::CallExpression)) else { return false };
    let alone = |list: Node<'_>| {
        let mut all = list.children();
        all.next().is_some_and(|one| one.is(K::Identifier)) && all.next().is_none()
    };
    is_upper_case(node.text().as_bytes())
        && call.is_in(K::CallExpression, F::Function)
        && call.child(F::Arguments).is_some_and(alone)
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if is_declared(node) || is_part(node) || in_condition(node) || cx.state.constructed == Some(node.ix()) {
        return;
    }
    let name = node.text();
    if let Some((at, call)) = argument_of_macro(node) {
        // `PREFIX(scan)(x)`: the macro makes a name of its argument.
        if call.is_in(K::CallExpression, F::Function) {
            let args = call.parent().and_then(|whole| whole.child(F::Arguments));
            cx.b.reference(RefForm::Call, name, node.start(), None, arg_count(args));
        } else {
            // The macro may call it.
            let callee = cx.b.body.name(call.child(F::Function).map_or("", Node::text));
            let recv = cx.b.body.add(Expr::Passed(callee, at, u8::MAX));
            cx.b.reference(RefForm::Macro, name, node.start(), Some(recv), 0);
        }
        return;
    }
    match call_of(node) {
        Some(_) if makes_name(node) => cx.b.reference(RefForm::Value, name, node.start(), None, 0),
        Some(call) => {
            let args = call.child(F::Arguments);
            let whole = node.parent().filter(|around| around.is(K::TemplateFunction)).unwrap_or(node);
            if stated_result(whole).is_none() {
                cx.b.reference(RefForm::Call, name, node.start(), None, arg_count(args));
                note_arguments(cx, args, node.start());
            }
        }
        None => cx.b.reference(RefForm::Value, name, node.start(), None, 0),
    }
}

pub(super) fn type_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if is_declared(node) || is_part(node) || cx.state.constructed == Some(node.ix()) {
        return;
    }
    // `Foo x(…)` and `Foo x{…}` build one.
    if let Some(args) = initializer_arguments(cx, node) {
        cx.b.reference(RefForm::Construct, node.text(), node.start(), None, arg_count(Some(args)));
        note_arguments(cx, Some(args), node.start());
        return;
    }
    cx.b.reference(RefForm::Type, node.text(), node.start(), None, 0);
}

/// The arguments with which the declaration whose type `node` names builds a value.
fn initializer_arguments<'a>(cx: &Context<'a>, node: Node<'a>) -> Option<Node<'a>> {
    if !is_cpp(cx) {
        return None;
    }
    let ty = node.parent().filter(|around| around.is(K::TemplateType)).unwrap_or(node);
    let declaration = ty.parent().filter(|around| around.is(K::Declaration) && ty.field() == F::Type)?;
    let declarator = declaration.child(F::Declarator)?;
    match declarator.kind() {
        K::InitDeclarator => {
            let value = declarator.child(F::Value)?;
            let plain = declarator.child(F::Declarator).is_some_and(|name| name.is(K::Identifier));
            (plain && matches!(value.kind(), K::ArgumentList | K::InitializerList)).then_some(value)
        }
        K::FunctionDeclarator => {
            let declared = super::declarators::Declared::of(declarator)?;
            let function = declared.function?;
            let inside = cx.b.callable().is_some() && vars::is_object(cx, &declared, function);
            function.child(F::Parameters).filter(|_| inside)
        }
        _ => None,
    }
}
