//! References.

use sdl_model::facts::{Expr, RefForm};

use super::kinds::{Context, F, K, Node};
use super::types::{plain_name, split_type_name};
use super::{exprs, invariants};
use crate::driver::Visit;

/// The longest callee that is looked up as a whole for side effects.
const LONG_CALLEE: usize = 120;

pub(super) fn read_call<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(callee) = node.child(F::Function) else { return Visit::Into };
    let text = callee.text();
    // `nameof` turns a name into text and does not use it.
    if text == "nameof" {
        return Visit::Skip;
    }
    if text.len() <= LONG_CALLEE {
        cx.b.effect_of(text);
        invariants::read_check(cx, node, text);
        let name = text.rsplit('.').next().unwrap_or(text);
        let name = name.split('<').next().unwrap_or(name);
        let reads = matches!(
            name,
            "GetEnvironmentVariable"
                | "SetEnvironmentVariable"
                | "GetConnectionString"
                | "GetRequiredSection"
        ) || matches!(name, "GetValue" | "GetSection") && is_config(text);
        if reads {
            let first = node.child(F::Arguments).and_then(Node::first).and_then(Node::first);
            add_config_ref(cx, first);
        }
    }
    Visit::Into
}

/// Whether the part before the last dot has a name like settings.
fn is_config(callee: &str) -> bool {
    let of = callee.rsplit_once('.').map_or(callee, |(of, _)| of);
    let last = of.rsplit('.').next().unwrap_or(of).trim_start_matches('_').to_ascii_lowercase();
    matches!(last.as_str(), "config" | "configuration" | "settings" | "appsettings" | "connectionstrings")
}

fn add_config_ref<'a>(cx: &mut Context<'a>, key: Option<Node<'a>>) {
    if let Some((key, text)) = key.and_then(|key| Some((key, exprs::string_content(key)?))) {
        cx.b.reference(RefForm::Config, text, key.start(), None, 0);
    }
}

/// `configuration["key"]`.
pub(super) fn element_access<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(of) =
        node.child(F::ExpressionField).filter(|of| matches!(of.kind(), K::Identifier | K::MemberAccess))
    else {
        return;
    };
    if of.text().len() <= LONG_CALLEE && is_config(&format!("{}.x", of.text())) {
        add_config_ref(cx, node.child(F::Subscript).and_then(Node::first).and_then(Node::first));
    }
}

/// `new T(…)`.
pub(super) fn read_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(ty) = node.child(F::TypeField) {
        let at = split_type_name(ty).map_or(ty.start(), |(_, name)| name.start());
        add_construction(cx, ty, at, exprs::arg_count(node));
        note_arguments(cx, Some(node), at);
        if let Some((_, name)) = split_type_name(ty) {
            cx.b.effect_of(name.text());
        }
    }
}

/// `new(…)`, where the text around it states the type.
pub(super) fn implicit_creation<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(ty) = exprs::target_type(node) {
        add_construction(cx, ty, node.start(), exprs::arg_count(node));
        note_arguments(cx, Some(node), node.start());
    }
}

pub(super) fn add_construction<'a>(cx: &mut Context<'a>, ty: Node<'a>, at: u32, args: usize) {
    let Some((of, name)) = split_type_name(ty) else { return };
    let recv = of.map(|of| cx.b.body.ty(of));
    cx.b.reference(RefForm::Construct, plain_name(name.text()), at, recv, args);
}

/// `: this(…)`, `: base(…)`.
pub(super) fn constructor_initializer<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let class = node.ancestors().take(8).find(|around| {
        matches!(around.kind(), K::ClassDeclaration | K::StructDeclaration | K::RecordDeclaration)
    });
    let Some(class) = class else { return };
    let args = exprs::arg_count(node);
    if let Some(this) = node.child_of(K::This) {
        if let Some(name) = class.child(F::Name) {
            cx.b.reference(RefForm::Construct, plain_name(name.text()), this.start(), None, args);
            note_arguments(cx, Some(node), this.start());
        }
    } else if let Some(base) =
        class.child_of(K::BaseList).and_then(|list| list.children().find(|ty| split_type_name(*ty).is_some()))
    {
        let at = node.child_of(K::BaseToken).unwrap_or(node).start();
        add_construction(cx, base, at, args);
        note_arguments(cx, Some(node), at);
    }
}

/// `record A(int X) : B(X)`.
pub(super) fn primary_base<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(ty) = node.child(F::TypeField) {
        add_construction(cx, ty, ty.start(), exprs::arg_count(node));
    }
}

/// `[A(…)]`.
pub(super) fn read_attribute<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some((of, name)) = node.child(F::Name).and_then(split_type_name) else { return };
    let recv = of.map(|of| cx.b.body.ty(of));
    let args = node.children().find(|part| part.field() == F::None).map_or(0, |list| list.children().count());
    cx.b.reference(RefForm::Decorator, plain_name(name.text()), name.start(), recv, args);
}

/// `a.b`.
pub(super) fn member_access<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(of), Some(name)) = (node.child(F::ExpressionField), node.child(F::Name)) else { return };
    let recv = cx.b.body.value(of);
    add_member_ref(cx, node, name, recv);
}

/// The `.b` of `a?.b`.
pub(super) fn member_binding<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let Some(whole) = node.parent().filter(|whole| whole.is(K::ConditionalAccess)) else { return };
    let recv = cx.b.body.value_or_unknown(whole.child(F::Condition));
    add_member_ref(cx, whole, name, recv);
}

fn add_member_ref<'a>(cx: &mut Context<'a>, whole: Node<'a>, name: Node<'a>, recv: sdl_model::facts::ExprIx) {
    let name = if name.is(K::GenericName) { name.first().unwrap_or(name) } else { name };
    let (form, args) = match reference_form(whole) {
        (RefForm::Call, args) => (RefForm::MethodCall, args),
        _ => (RefForm::Attr, 0),
    };
    cx.b.reference(form, plain_name(name.text()), name.start(), Some(recv), args);
    note_arguments(cx, call_of(whole), name.start());
}

/// `A.B` as a type, or where the grammar can't tell.
pub(super) fn read_qualified_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.parent().is_some_and(|around| matches!(around.kind(), K::QualifiedName | K::AliasQualifiedName)) {
        // In a value `A.B.C`, each step may be a member; for a type, the last name is enough.
        if node
            .ancestors()
            .take(200)
            .find(|around| !around.is(K::QualifiedName))
            .is_none_or(|around| !around.is(K::MemberAccess))
        {
            return;
        }
    }
    let Some((of, name)) = split_type_name(node) else { return };
    if is_declared(node) || is_base(node) || is_constructed(node) {
        return;
    }
    if is_type(node) {
        let recv = of.map(|of| cx.b.body.ty(of));
        cx.b.reference(RefForm::Type, plain_name(name.text()), name.start(), recv, 0);
    } else if let Some(of) = of {
        let recv = cx.b.body.value(of);
        add_member_ref(cx, node, name, recv);
    }
}

/// `F<T>`.
pub(super) fn generic_name<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.first() else { return };
    read_simple_name(cx, node, name);
}

pub(super) fn read_identifier<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // A preprocessor condition names no symbol of the program.
    let condition =
        node.field() == F::Condition && matches!(node.parent_kind(), Some(K::PreprocIf | K::PreprocElif));
    if !condition && node.parent_kind() != Some(K::GenericName) {
        read_simple_name(cx, node, node);
    }
}

/// The name `name`, which is all of `node` except arguments.
fn read_simple_name<'a>(cx: &mut Context<'a>, node: Node<'a>, name: Node<'a>) {
    let Some(parent) = node.parent() else { return };
    let text = plain_name(name.text());
    match parent.kind() {
        // Parts of a name that has been read as a whole.
        K::QualifiedName => {
            let value = parent
                .ancestors()
                .take(200)
                .find(|around| !around.is(K::QualifiedName))
                .is_some_and(|around| matches!(around.kind(), K::MemberAccess | K::Invocation));
            if !value || node.field() == F::Name {
                return;
            }
        }
        K::AliasQualifiedName | K::MemberBinding => return,
        K::MemberAccess if node.field() == F::Name => return,
        // A named argument or a member that is set: only a resolver knows its owner.
        K::Argument | K::AttributeArgument if node.field() == F::Name => return,
        _ => {}
    }
    if is_declared(node) || is_base(node) || is_constructed(node) {
        return;
    }
    if is_type(node) {
        if !(text == "var" || text == "dynamic") {
            cx.b.reference(RefForm::Type, text, name.start(), None, 0);
        }
        return;
    }
    // `new T { Name = … }`.
    if let Some(recv) = initialized_object(cx, node) {
        cx.b.reference(RefForm::Attr, text, name.start(), Some(recv), 0);
        return;
    }
    let (form, args) = reference_form(node);
    cx.b.reference(form, text, name.start(), None, args);
    note_arguments(cx, call_of(node), name.start());
}

/// The object that has the member `node`, which is on the left of an assignment in an initializer.
fn initialized_object<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Option<sdl_model::facts::ExprIx> {
    let parent = node.parent()?;
    if parent.is(K::WithInitializer) {
        let of = parent.parent().filter(|_| parent.first() == Some(node))?;
        return Some(cx.b.body.value_or_unknown(of.first()));
    }
    let list = parent.parent().filter(|list| list.is(K::Initializer))?;
    if !node.is_in(K::Assignment, F::Left) {
        return None;
    }
    let creation = list.parent()?;
    match creation.kind() {
        K::ObjectCreation => {
            let ty = cx.b.body.ty_or_unknown(creation.child(F::TypeField));
            Some(cx.b.body.add(Expr::New(ty)))
        }
        K::ImplicitObjectCreation => Some(cx.b.body.value(creation)),
        _ => Some(cx.b.body.unknown()),
    }
}

/// Whether `node` is a name that is being declared, or a label.
fn is_declared(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        K::ImplicitParameter
        | K::TuplePattern
        | K::ParenthesizedDesignation
        | K::VarPattern
        | K::JoinInto => true,
        K::Labeled | K::LetClause | K::TypeConstraints => parent.first() == Some(node),
        K::JoinClause => parent.children().find(|part| part.field() != F::TypeField) == Some(node),
        K::Goto | K::NamespaceDeclaration | K::Attribute | K::ExplicitInterface => true,
        K::PropertyPattern => true,
        K::Subpattern => parent.first() == Some(node) && parent.children().nth(1).is_some(),
        K::PrimaryBase => true,
        K::PreprocPragma => true,
        K::AnonymousObject => node.next_sibling().is_some_and(|next| next.is(K::EqualSign)),
        K::Foreach => node.field() == F::Left && parent.child(F::TypeField).is_some(),
        K::MemberAccess | K::QualifiedName | K::MemberBinding => false,
        _ => node.field() == F::Name,
    }
}

/// Whether `node` is a type that another one derives from: a base, not a reference.
fn is_base(node: Node<'_>) -> bool {
    matches!(node.parent_kind(), Some(K::BaseList | K::PrimaryBase))
}

/// Whether `node` names the type of a construction or an attribute, which has its reference already.
fn is_constructed(node: Node<'_>) -> bool {
    node.is_in(K::ObjectCreation, F::TypeField) || node.parent_kind() == Some(K::Attribute)
}

/// Whether `node` is in a place where only a type is allowed.
fn is_type(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match node.field() {
        F::TypeField | F::Returns => return true,
        F::Right => return matches!(parent.kind(), K::AsExpression | K::IsExpression),
        _ => {}
    }
    matches!(parent.kind(), K::TypeArgumentList | K::TypePattern | K::TypeOf | K::TypeParameterConstraint)
}

/// The call of `callee`.
fn call_of(callee: Node<'_>) -> Option<Node<'_>> {
    callee.parent().filter(|_| callee.is_in(K::Invocation, F::Function))
}

/// The arguments of `call`, of the reference at byte `at`; named ones are in any order.
fn note_arguments<'a>(cx: &mut Context<'a>, call: Option<Node<'a>>, at: u32) {
    let list = call.and_then(|call| call.child(F::Arguments).or_else(|| call.child_of(K::ArgumentList)));
    if let Some(list) = list
        && !list.children().take(8).any(|one| one.child(F::Name).is_some())
    {
        cx.b.given(at, list.children());
    }
}

/// How the value of `node` is used.
fn reference_form(node: Node<'_>) -> (RefForm, usize) {
    match node.parent() {
        Some(call) if node.is_in(K::Invocation, F::Function) => (RefForm::Call, exprs::arg_count(call)),
        _ => (RefForm::Value, 0),
    }
}
