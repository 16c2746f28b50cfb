//! Variables: definitions at the top level, bindings elsewhere.

use sdl_model::facts::{BindingKind, DefFlags, DefIx, EffectKind, Expr, ExprIx};
use sdl_model::{Lang, SymbolKind, Visibility};

use super::calls::unwrap_value;
use super::exports::add_chained_export;
use super::headers::{is_short, with_header};
use super::kinds::{Context, F, K, Node};
use super::state::{Holder, Local};
use super::{held, hooks, imports, jsdoc, names, objects, patterns, tables};
use crate::builder::NewDef;

/// How many statements after an object are searched for functions that are added to it.
const MAX_FOLLOWING: usize = 40;

/// One declarator and its context.
struct Declared<'a> {
    node: Node<'a>,
    /// The `const …` that it is in.
    declaration: Node<'a>,
    /// The statement, if it declares nothing else; otherwise the declarator.
    whole: Node<'a>,
    name: Node<'a>,
    value: Option<Node<'a>>,
    /// The value without casts and the like.
    inner: Option<Node<'a>>,
    is_const: bool,
}

pub(super) fn read_declarator<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(name), Some(declaration)) = (node.child(F::Name), node.parent()) else { return };
    let single = declaration.children().filter(|part| part.is(K::VariableDeclarator)).nth(1).is_none();
    let value = node.child(F::Value);
    let declared = Declared {
        node,
        declaration,
        whole: if single { names::declaring_statement(declaration) } else { node },
        name,
        value,
        inner: value.map(unwrap_value),
        is_const: declaration.child_of(K::Const).is_some(),
    };
    let top = is_top(cx, declaration);
    if let Some(value) = value
        && imports::required_variable(cx, name, value)
    {
        if top {
            note_exports(cx, declaration);
        }
        return;
    }
    if let Some(value) = value.filter(|value| value.is(K::AssignmentExpression)) {
        add_chained_export(cx, name, value);
    }
    if !name.is(K::Identifier) {
        read_pattern(cx, &declared, top);
        return;
    }
    if let Some(inner) = declared.inner {
        let kind = match inner.kind() {
            kind if kind.is_function_value() => Some(SymbolKind::Function),
            K::Class => Some(SymbolKind::Class),
            _ => None,
        };
        if let Some(kind) = kind {
            open_held(cx, &declared, kind, inner, top);
            return;
        }
    }
    if top { read_variable(cx, &declared) } else { bind_local(cx, &declared) }
}

fn note_exports(cx: &mut Context<'_>, declaration: Node<'_>) {
    cx.state.is_module |= names::declaring_statement(declaration).is(K::ExportStatement);
}

/// Whether `declaration` is at the top level of a module or namespace.
fn is_top(cx: &Context<'_>, declaration: Node<'_>) -> bool {
    if cx.state.in_function() {
        return false;
    }
    let Some(parent) = names::declaring_statement(declaration).parent() else { return false };
    match parent.kind() {
        K::Program | K::Error => true,
        K::StatementBlock => parent
            .parent_kind()
            .is_some_and(|kind| matches!(kind, K::InternalModule | K::Module | K::AmbientDeclaration)),
        // A `var` is visible outside its block.
        _ => declaration.is(K::VariableDeclaration),
    }
}

/// Opens the function or class that a variable holds.
fn open_held<'a>(
    cx: &mut Context<'a>,
    declared: &Declared<'a>,
    kind: SymbolKind,
    inner: Node<'a>,
    top: bool,
) {
    let from = if declared.whole == declared.node { declared.node } else { declared.declaration };
    let new = NewDef::new(kind, declared.name.text(), declared.name, declared.whole);
    let new =
        if kind == SymbolKind::Class { new.body(inner.child(F::Body)) } else { with_header(new, inner) };
    let def = cx.b.open(new.header_from(from.start()));
    if top {
        names::mark_exported(cx, def, names::declaring_statement(declared.declaration));
    } else {
        mark_local(cx, def);
    }
    if let Some(ty) = declared.node.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
        stated_result(cx, def);
    }
    cx.state.hold(inner, Holder::of(def));
}

/// If a function's variable has a function type, sets the function's result to the one that type states.
fn stated_result(cx: &mut Context<'_>, def: DefIx) {
    if let Some(ty) = cx.b.def(def).ty
        && let Expr::Callable(_, ret) = cx.b.out.expr(ty)
    {
        cx.b.def_mut(def).ret = *ret;
    }
}

fn mark_local(cx: &mut Context<'_>, def: DefIx) {
    cx.b.flag(def, DefFlags::LOCAL);
    cx.b.def_mut(def).visibility = Visibility::Private;
}

/// Reads a variable that others can name.
fn read_variable<'a>(cx: &mut Context<'a>, declared: &Declared<'a>) {
    let kind = if declared.is_const { SymbolKind::Constant } else { SymbolKind::Variable };
    let from = if declared.whole == declared.node { declared.node } else { declared.declaration };
    let mut new =
        NewDef::new(kind, declared.name.text(), declared.name, declared.whole).header_from(from.start());
    if let Some(value) = declared.value.filter(|value| !is_short(*value)) {
        // Literal text stays out of signatures, because it may be long, or secret.
        new = new.header_to(value.start());
    } else if declared.whole != declared.node {
        new = new.header_to(declared.declaration.end());
    }
    // `var a` twice is one variable.
    let scope = cx.b.scope();
    tables::note_table(cx, declared.name.text(), declared.inner);
    let may_change =
        declared.inner.is_some_and(|inner| matches!(inner.kind(), K::Identifier | K::Object | K::Array));
    if scope == DefIx::MODULE && (may_change || !declared.is_const) {
        bind_module_variable(cx, declared);
    }
    let def = match cx.b.find_def(scope, declared.name.text()) {
        Some(def) if matches!(cx.b.def(def).kind, SymbolKind::Constant | SymbolKind::Variable) => def,
        _ => {
            let def = cx.b.open(new);
            names::mark_exported(cx, def, names::declaring_statement(declared.declaration));
            def
        }
    };
    if let Some(ty) = declared.node.child(F::TypeField) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(ty));
    }
    if cx.lang == Lang::JavaScript {
        jsdoc::apply_variable_doc(cx, def);
    }
    if let Some(value) = declared.value {
        // Members from `...other` are not the object's own, and those with a number for a key are no definitions.
        let is_apart = |part: Node<'_>| {
            part.is(K::SpreadElement) || part.child(F::Key).is_some_and(|key| key.is(K::Number))
        };
        let spreads = declared
            .inner
            .is_some_and(|inner| inner.is(K::Object) && inner.children().take(64).any(is_apart));
        let shape = if spreads { cx.b.body.object_value(value) } else { cx.b.body.value(value) };
        cx.b.add_value(def, shape, declared.node.start());
        objects::hold_objects(cx, value, Holder::of(def));
    }
}

/// The value of a variable at the top of the module, from here on. It counts where the variable is set more than once.
/// The members of an object are definitions.
fn bind_module_variable<'a>(cx: &mut Context<'a>, declared: &Declared<'a>) {
    let value = declared.value.filter(|_| declared.inner.is_none_or(|inner| !inner.is(K::Object)));
    let value = value.map(|value| cx.b.body.value(value));
    let range = (declared.node.end(), cx.b.scope_end());
    cx.b.bind_in(DefIx::MODULE, declared.name.text(), value, range);
}

/// `[a, b] = value`, `({ a, b } = value)`, for variables that are declared elsewhere.
pub(super) fn read_pattern_assignment<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    left: Node<'a>,
    right: Node<'a>,
) {
    let value = cx.b.body.object_value(right);
    for part in patterns::pattern_parts(cx, left, Some(value), None) {
        let name = part.name.text();
        match declared_in(cx, name, node.start()) {
            Some((scope, local)) => cx.b.bind_in(scope, name, part.value, (node.end(), local.range.1)),
            None => set_global(cx, node, name, part.value),
        }
    }
}

/// The range in which a local variable is known.
fn local_scope(cx: &Context<'_>, declaration: Node<'_>, from: u32) -> (u32, u32) {
    let whole = cx.b.scope_end();
    let around = declaration.parent();
    if declaration.is(K::VariableDeclaration) || around.is_none() {
        // To the end of the function. For an anonymous one, that is the end of its node.
        let function = declaration.ancestors().take(64).find(|node| node.kind().is_function());
        let end = function.map_or(whole, |function| function.end());
        let own = function.is_none_or(|function| function.child(F::Body).map(Node::start) == body_start(cx));
        return (from, if own { whole } else { end });
    }
    let block = around.unwrap_or(declaration);
    let own = body_start(cx) == Some(block.start()) || block.is(K::Program);
    (from, if own { whole } else { block.end() })
}

fn body_start(cx: &Context<'_>) -> Option<u32> {
    cx.b.def(cx.b.scope()).body_start
}

/// A variable of a function or block.
fn bind_local<'a>(cx: &mut Context<'a>, declared: &Declared<'a>) {
    let name = declared.name.text();
    let scope = cx.b.scope();
    let stated = declared.node.child(F::TypeField);
    let range = local_scope(cx, declared.declaration, declared.node.end());
    let text = cx.b.body.str(name);
    let has_functions = |inner: Node<'_>| objects::has_functions(inner) || is_filled(inner, declared);
    if let Some(inner) = declared.inner.filter(|inner| stated.is_none() && has_functions(*inner)) {
        // An object with functions becomes a definition, not a local with a type.
        let new = NewDef::new(SymbolKind::Variable, name, declared.name, declared.whole);
        let def = cx.b.leaf_of(scope, new.signature(name.to_owned()));
        mark_local(cx, def);
        let shape = cx.b.body.object_value(inner);
        if matches!(cx.b.body.expr(shape), Expr::Record(_)) {
            cx.b.add_value(def, shape, declared.node.start());
        }
        cx.state.hold(inner, Holder::of(def));
        return;
    }
    let documented =
        if cx.lang == Lang::JavaScript { jsdoc::preceding_type(cx, declared.whole) } else { None };
    let ty = stated.map(|ty| cx.b.body.ty(ty)).or(documented).filter(|ty| !cx.b.body.is_unknown(*ty));
    let pending = declared.value.is_none() && ty.is_none();
    cx.state.declare(scope, text, Local { range, pending });
    if let Some(value) = declared.value {
        hooks::note_name(cx, name, value);
    }
    if !pending {
        let value = declared.value.map(|value| cx.b.body.object_value(value));
        cx.b.bind_within(BindingKind::Local, name, ty, value, range);
    }
}

/// Whether `inner`, the object that a variable is declared with, gets functions in the statements that follow:
/// `const self = {}; self.run = () => …`.
fn is_filled(inner: Node<'_>, declared: &Declared<'_>) -> bool {
    if !inner.is(K::Object) {
        return false;
    }
    let name = declared.name.text();
    let fills = |statement: Node<'_>| {
        let assignment = statement.first().filter(|inner| inner.is(K::AssignmentExpression))?;
        let left = assignment.child(F::Left).filter(|left| left.is(K::MemberExpression))?;
        let object = left.child(F::ObjectField).filter(|object| object.is(K::Identifier))?;
        let value = unwrap_value(assignment.child(F::Right)?);
        (object.text() == name && value.kind().is_function_value()).then_some(())
    };
    let mut next = declared.declaration.next_sibling();
    for _ in 0..MAX_FOLLOWING {
        let Some(statement) = next else { break };
        if statement.is(K::ExpressionStatement) && fills(statement).is_some() {
            return true;
        }
        next = statement.next_sibling();
    }
    false
}

/// `const { a, b } = …`.
fn read_pattern<'a>(cx: &mut Context<'a>, declared: &Declared<'a>, top: bool) {
    let annotation = declared.node.child(F::TypeField).and_then(Node::first);
    let value = match annotation {
        Some(ty) => {
            let ty = cx.b.body.ty(ty);
            Some(cx.b.body.add(Expr::New(ty)))
        }
        None => declared.value.map(|value| cx.b.body.value(value)),
    };
    if declared.value.is_some_and(|value| matches!(value.text(), "process.env" | "import.meta.env")) {
        for key in declared.name.children().filter_map(|part| match part.kind() {
            K::PairPattern => part.child(F::Key),
            K::ObjectAssignmentPattern => part.child(F::Left),
            K::ShorthandPattern => Some(part),
            _ => None,
        }) {
            cx.b.reference(sdl_model::facts::RefForm::Config, key.text(), key.start(), None, 0);
        }
    }
    if !top {
        let range = local_scope(cx, declared.declaration, declared.node.end());
        patterns::bind_pattern(cx, BindingKind::Local, declared.name, value, annotation, range);
        return;
    }
    let kind = if declared.is_const { SymbolKind::Constant } else { SymbolKind::Variable };
    for part in patterns::pattern_parts(cx, declared.name, value, annotation) {
        let text = part.name.text();
        let new = NewDef::new(kind, text, part.name, declared.whole).signature(text.to_owned());
        let def = cx.b.leaf(new);
        names::mark_exported(cx, def, names::declaring_statement(declared.declaration));
        if let Some(value) = part.value {
            cx.b.add_value(def, value, declared.node.start());
        }
    }
}

/// `name = value` for a variable that is declared elsewhere.
pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>, left: Node<'a>, right: Node<'a>) {
    let name = left.text();
    let function = Some(unwrap_value(right)).filter(|inner| inner.kind().is_function_value());
    let found = declared_in(cx, name, node.start());
    match found {
        Some((scope, local)) => {
            let text = cx.b.body.str(name);
            if function.is_none() || !local.pending {
                let value = Some(cx.b.body.value(right)).filter(|value| !is_null(cx, *value));
                let from = if local.pending { local.range.0 } else { node.end() };
                cx.b.bind_in(scope, name, value, (from, local.range.1));
            }
            cx.state.declare(scope, text, Local { pending: false, ..local });
        }
        None => assign_global(cx, node, name, right),
    }
    if let Some(inner) = function {
        // A function in a variable that was declared and not set before becomes a definition of the function that
        // declares it, not a variable.
        let scope = found.filter(|(_, local)| local.pending).map_or(cx.b.scope(), |(scope, _)| scope);
        let new = NewDef::new(SymbolKind::Function, name, left, node);
        let def = cx.b.open_of(scope, with_header(new, inner));
        mark_local(cx, def);
        cx.state.hold(inner, Holder::of(def));
    }
}

/// An assignment to a name that is not local: a variable of the module, if it has one of that name.
fn assign_global<'a>(cx: &mut Context<'a>, node: Node<'a>, name: &str, right: Node<'a>) {
    let shape = cx.b.body.value(right);
    set_global(cx, node, name, Some(shape));
}

/// Sets the module's variable `name` to `value`, or makes a variable of it that nothing declares.
fn set_global<'a>(cx: &mut Context<'a>, node: Node<'a>, name: &str, value: Option<ExprIx>) {
    let top = !cx.state.in_function();
    let range = (node.end(), cx.b.def(DefIx::MODULE).span.end);
    let found = cx.b.find_def(DefIx::MODULE, name);
    let is_name = value.is_some_and(|value| matches!(cx.b.body.expr(value), Expr::Name(_)));
    if found.is_none() && is_name {
        cx.b.bind_in(DefIx::MODULE, name, value, range);
    }
    let Some(def) = found.filter(|def| is_variable(cx, *def)) else { return };
    let Some(value) = value else { return };
    if top {
        cx.b.bind_in(DefIx::MODULE, name, Some(value), range);
    }
    cx.b.add_value(def, value, node.start());
    if let Some(function) = cx.b.callable() {
        cx.b.effect(function, EffectKind::GlobalState, name);
    }
}

fn is_null(cx: &Context<'_>, ix: ExprIx) -> bool {
    matches!(cx.b.body.expr(ix), Expr::Lit(sdl_model::facts::Lit::Null) | Expr::Unknown)
}

fn is_variable(cx: &Context<'_>, def: DefIx) -> bool {
    matches!(cx.b.def(def).kind, SymbolKind::Variable | SymbolKind::Constant)
}

/// The definition that has `name` as a local variable.
fn declared_in(cx: &mut Context<'_>, name: &str, at: u32) -> Option<(DefIx, Local)> {
    let text = cx.b.body.lookup(name)?;
    let mut scope = Some(cx.b.scope());
    // People don't nest more deeply than this.
    for _ in 0..32 {
        let def = scope?;
        if let Some(local) = cx.state.local(def, text, at) {
            return Some((def, *local));
        }
        scope = cx.b.def(def).parent;
    }
    None
}

/// `for (const x of list)`, `for (const key in object)`.
pub(super) fn for_in<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    if node.child(F::Kind).is_none() {
        return;
    }
    let between = node.src().get(left.end() as usize..right.start() as usize).unwrap_or("");
    let value = if between.trim_start().starts_with("of") {
        let list = cx.b.body.value(right);
        held::iterate_over(cx, right);
        Some(cx.b.body.add(Expr::Iter(list)))
    } else {
        None
    };
    patterns::bind_pattern(cx, BindingKind::Local, left, value, None, (left.start(), node.end()));
}

/// `catch (error)`.
pub(super) fn bind_catch<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(parameter) = node.child(F::Parameter) {
        patterns::bind_pattern(
            cx,
            BindingKind::Local,
            parameter,
            None,
            None,
            (parameter.start(), node.end()),
        );
    }
}
