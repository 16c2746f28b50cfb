//! Variables: `local`, assignments to names and to fields.

use sdl_model::SymbolKind;
use sdl_model::facts::{BindingKind, DefFlags, DefIx, Expr, ExprIx, Lit};

use super::exprs::required;
use super::kinds::{Context, F, K, Node};
use super::names::{self, MAX_TARGETS};
use super::tables::{self, NewTable};
use super::{docs, imports, scopes};
use crate::builder::NewDef;

/// The longest line above a statement that is searched for its type.
const MAX_LINE: usize = 400;

/// One target of a statement and its value.
struct Set<'a> {
    name: Node<'a>,
    /// None where the value is one of several results of a call, or there is none.
    value: Option<Node<'a>>,
    /// The statement.
    statement: Node<'a>,
    /// The statement, or the target alone where the statement has several.
    whole: Node<'a>,
}

impl<'a> Set<'a> {
    fn table(&self) -> NewTable<'a> {
        NewTable { name: self.name, value: self.value, whole: self.whole }
    }

    fn is_alone(&self) -> bool {
        self.whole == self.statement
    }
}

fn sets<'a>(statement: Node<'a>, assignment: Node<'a>) -> Vec<Set<'a>> {
    let (targets, values) = names::targets(assignment);
    let targets: Vec<Node<'a>> = targets.take(MAX_TARGETS).collect();
    let values: Vec<Node<'a>> = values.take(MAX_TARGETS).collect();
    let alone = targets.len() == 1;
    let set = |(at, name): (usize, Node<'a>)| Set {
        name,
        value: values.get(at).map(|value| names::unwrapped(*value)),
        statement,
        whole: if alone { statement } else { name },
    };
    targets.into_iter().enumerate().map(set).collect()
}

/// `local a, b = …`.
pub(super) fn read_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let is_local = node.child_of(K::Local).is_some();
    let assignment = node.child_of(K::AssignmentStatement);
    let all = sets(node, assignment.unwrap_or(node));
    let last = assignment.and_then(|assignment| names::targets(assignment).1.last());
    for (at, set) in all.iter().enumerate() {
        // `local ok, module = pcall(require, "module")`.
        if at == 1
            && set.value.is_none()
            && let Some(call) = last
            && imports::bind_tried(cx, set.name, call)
        {
            continue;
        }
        if is_local { declare_local(cx, set) } else { set_global(cx, set) }
    }
}

/// Whether `set` needs no definition or binding of its own: the function literal is the definition, an import binds it.
fn is_bound_otherwise<'a>(cx: &mut Context<'a>, set: &Set<'a>) -> bool {
    let Some(value) = set.value else { return false };
    value.is(K::FunctionDefinition) || imports::bind_module(cx, set.name, value)
}

/// Whether the file adds members to a module that it requires and returns.
fn is_more_of_module<'a>(cx: &Context<'a>, set: &Set<'a>) -> bool {
    let text = set.name.text();
    let is_required = set.value.is_some_and(|value| required(value).is_some());
    is_required
        && cx.state.function().is_none()
        && cx.state.survey.returned.as_deref() == Some(text)
        && cx.state.survey.has_members(text, (0, u32::MAX))
}

fn declare_local<'a>(cx: &mut Context<'a>, set: &Set<'a>) {
    let text = set.name.text();
    let end = scopes::block_end(cx, set.statement);
    scopes::shadow_receiver(cx, text, (set.statement.end(), end));
    let reach = cx.state.reach(set.statement);
    if !is_more_of_module(cx, set) && is_bound_otherwise(cx, set) {
        return;
    }
    if set.value.is_none() && cx.state.survey.is_function(text, reach) {
        cx.state.forward.insert((cx.b.scope(), text.to_owned()));
        return;
    }
    let in_function = cx.state.function().is_some();
    if is_table(cx, set, reach) {
        let kind = if in_function { SymbolKind::Variable } else { SymbolKind::Class };
        open_table(cx, set, kind);
        return;
    }
    if cx.b.scope() == DefIx::MODULE && !in_function && set.statement.parent_kind() == Some(K::Chunk) {
        add_variable(cx, set, cx.state.survey.is_exported(text));
        return;
    }
    let value = set.value.map(|value| cx.b.body.value(value));
    let ty = stated_type(cx, set.statement);
    cx.b.bind_within(BindingKind::Local, text, ty, value, (set.statement.end(), end));
}

/// `---@type T` right above a statement that is no definition.
fn stated_type<'a>(cx: &mut Context<'a>, statement: Node<'a>) -> Option<ExprIx> {
    let src = statement.src();
    let from = src.floor_char_boundary((statement.start() as usize).saturating_sub(MAX_LINE));
    let before = src.get(from..statement.start() as usize)?.trim_end();
    let line = before.get(before.rfind('\n').map_or(0, |at| at + 1)..)?;
    if !line.trim_start().starts_with("---@type") {
        return None;
    }
    docs::value_type(&mut cx.b.body, line)
}

/// Whether a name is set to a table that gets members.
fn is_table<'a>(cx: &Context<'a>, set: &Set<'a>, reach: (u32, u32)) -> bool {
    let text = set.name.text();
    let is_literal = |value: Node<'_>| value.is(K::TableConstructor) || names::calls(value, "setmetatable");
    let in_function = cx.state.function().is_some();
    let returned = !in_function && cx.state.survey.returned.as_deref() == Some(text);
    let held = |value: Node<'_>| {
        let of_call = names::calls(value, "setmetatable") && !in_function;
        names::holds_functions(value) || (of_call && names::arguments(value).any(names::holds_functions))
    };
    if set.value.is_some_and(held) || (returned && set.value.is_some_and(is_literal)) {
        return true;
    }
    let is_plain = set.value.is_some_and(|value| value.is(K::TableConstructor));
    if !in_function && is_plain && cx.state.survey.has_functions(text) {
        return true;
    }
    if !cx.state.survey.has_members(text, reach) {
        return false;
    }
    // An object that a function makes belongs to the class of its metatable.
    !in_function || is_plain
}

/// Opens or adds the definition of a table with members.
fn open_table<'a>(cx: &mut Context<'a>, set: &Set<'a>, kind: SymbolKind) {
    let text = set.name.text();
    let table = set.table();
    let is_seen = kind == SymbolKind::Class && cx.state.survey.is_exported(text);
    let def = if set.is_alone() {
        cx.b.open(table.new_def(kind, text))
    } else {
        cx.b.leaf(NewDef::new(kind, text, set.name, set.whole))
    };
    scopes::show(cx, def, is_seen);
    if kind == SymbolKind::Variable {
        scopes::hand_out(cx, def);
    }
    complete_table(cx, set, def);
}

fn complete_table<'a>(cx: &mut Context<'a>, set: &Set<'a>, def: DefIx) {
    cx.state.declared.insert(set.name.start());
    if set.is_alone() {
        set.table().complete(cx, def);
    }
    if cx.b.def(def).kind == SymbolKind::Variable
        && let Some(value) = set.value
    {
        let value = cx.b.body.value(value);
        cx.b.add_value(def, value, set.statement.start());
    }
}

/// Adds a variable of the file's top level.
fn add_variable<'a>(cx: &mut Context<'a>, set: &Set<'a>, is_seen: bool) {
    let text = set.name.text();
    let def = match scopes::top_level(cx, text) {
        Some(def) => def,
        None => {
            let kind = if shouts(text) { SymbolKind::Constant } else { SymbolKind::Variable };
            let def = cx.b.leaf_of(DefIx::MODULE, NewDef::new(kind, text, set.name, set.whole));
            cx.state.declared.insert(set.name.start());
            scopes::show(cx, def, is_seen);
            docs::read_doc(cx, def, set.whole);
            let comments = docs::comments_of(cx, def, set.whole);
            cx.b.def_mut(def).ty = docs::value_type(&mut cx.b.out, comments);
            def
        }
    };
    add_value(cx, def, set);
}

fn add_value<'a>(cx: &mut Context<'a>, def: DefIx, set: &Set<'a>) {
    let holds = matches!(cx.b.def(def).kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
    if let Some(value) = set.value.filter(|value| holds && !value.is(K::FunctionDefinition)) {
        // `part = part or require "part"`.
        let is_own = |node: &Node<'_>| node.is(K::Identifier) && node.text() == cx.b.name_of(def);
        let other = value.child(F::Left).filter(is_own).and_then(|_| value.child(F::Right));
        let value = other.filter(|_| value.child_of(K::Or).is_some()).unwrap_or(value);
        let shape =
            if is_later_name(cx, def, value) { cx.b.body.lit(Lit::Object) } else { cx.b.body.value(value) };
        cx.b.add_value(def, shape, set.statement.start());
    }
}

/// Whether `value`, which the top-level name `def` is set to, is a name that the file declares only with `def` or after
/// it, so that a global of the library is meant: `local type = type`.
fn is_later_name<'a>(cx: &Context<'a>, def: DefIx, value: Node<'a>) -> bool {
    let text = value.text();
    value.is(K::Identifier)
        && (text == cx.b.name_of(def)
            || (cx.state.survey.is_local_function(text)
                && scopes::forward_scope(cx, text).is_none()
                && scopes::top_level(cx, text).is_none()))
}

fn shouts(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
}

/// `a, b.c = …`.
pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if node.parent_kind() == Some(K::VariableDeclaration) {
        return;
    }
    for set in sets(node, node) {
        match names::member_parts(set.name) {
            Some((table, name)) => set_field(cx, &set, table, name),
            None if set.name.is(K::Identifier) => set_name(cx, &set),
            None => {}
        }
    }
}

fn set_name<'a>(cx: &mut Context<'a>, set: &Set<'a>) {
    let text = set.name.text();
    if set.value.is_some_and(|value| value.is(K::FunctionDefinition)) {
        return;
    }
    if scopes::is_local(cx, text) {
        set_local(cx, set);
    } else if let Some(def) = scopes::top_level(cx, text) {
        let is_new = cx.b.def(def).kind == SymbolKind::Variable && cx.b.scope() == DefIx::MODULE;
        if is_new && is_table(cx, set, (0, u32::MAX)) {
            cx.b.def_mut(def).kind = SymbolKind::Class;
        }
        match set.value.filter(|_| cx.b.def(def).kind == SymbolKind::Class) {
            Some(value) => tables::read_later_value(cx, def, text, value),
            None => add_value(cx, def, set),
        }
    } else {
        set_global(cx, set);
    }
}

/// A local of the innermost definition gets another value. After the block of the assignment it may have either.
fn set_local<'a>(cx: &mut Context<'a>, set: &Set<'a>) {
    let (text, from) = (set.name.text(), set.statement.end());
    let Some(value) = set.value.filter(|value| !value.is(K::Nil)) else { return };
    let value = cx.b.body.value(value);
    let Some((old, to)) = cx.b.latest_local(text) else {
        let to = scopes::block_end(cx, set.statement);
        if cx.b.is_bound(text) {
            cx.b.bind_within(BindingKind::Local, text, None, Some(value), (from, to));
        }
        return;
    };
    let block_end = scopes::block_end(cx, set.statement).min(to);
    cx.b.bind_within(BindingKind::Local, text, None, Some(value), (from, block_end));
    if block_end < to {
        let either = cx.b.body.either(vec![old, value]);
        cx.b.bind_within(BindingKind::Local, text, None, Some(either), (block_end, to));
    }
}

/// A name that no `local` declares: every file sees it.
fn set_global<'a>(cx: &mut Context<'a>, set: &Set<'a>) {
    if is_bound_otherwise(cx, set) || set.name.text() == "_ENV" {
        return;
    }
    let at_top = cx.b.scope() == DefIx::MODULE;
    if is_table(cx, set, (0, u32::MAX)) && at_top {
        let def = cx.b.open(set.table().new_def(SymbolKind::Class, set.name.text()));
        scopes::show(cx, def, true);
        complete_table(cx, set, def);
    } else {
        add_variable(cx, set, true);
    }
}

/// `M.x = …`, `self.x = …`.
fn set_field<'a>(cx: &mut Context<'a>, set: &Set<'a>, table: Node<'a>, name: Node<'a>) {
    let text = names::name_text(name);
    let Some(value) = set.value else { return };
    if value.is(K::FunctionDefinition) {
        cx.state.declared.insert(name.start());
        return;
    }
    if text == "__index" {
        cx.state.declared.insert(name.start());
        tables::read_index(cx, table, value);
        return;
    }
    let Some(owner) = owner_of(cx, table).filter(|owner| !cx.state.survey.has_method(owner, text)) else {
        return;
    };
    let key = (owner.clone(), text.to_owned());
    if let Some(def) = cx.state.fields.get(&key).copied() {
        add_value(cx, def, set);
        return;
    }
    cx.state.declared.insert(name.start());
    let dotted = format!("{owner}.{text}");
    let is_plain = value.is(K::TableConstructor) && cx.state.survey.has_functions(&dotted);
    let is_class =
        is_plain || names::holds_functions(value) || cx.state.survey.has_members(&dotted, (0, u32::MAX));
    let new_table = NewTable { name, value: set.value, whole: set.whole };
    let def = if is_class && set.is_alone() {
        cx.b.open_of(DefIx::MODULE, new_table.new_def(SymbolKind::Class, text))
    } else {
        let new = NewDef::new(SymbolKind::Field, text, name, set.whole);
        cx.b.leaf_of(DefIx::MODULE, new)
    };
    cx.state.fields.insert(key, def);
    tables::set_owner(cx, def, &owner, text);
    show_field(cx, def, &owner, text);
    if cx.b.def(def).kind == SymbolKind::Class {
        new_table.complete(cx, def);
        return;
    }
    docs::read_doc(cx, def, set.whole);
    let comments = docs::comments_of(cx, def, set.whole);
    cx.b.def_mut(def).ty = docs::value_type(&mut cx.b.out, comments);
    let value = cx.b.body.value(value);
    cx.b.add_value(def, value, set.statement.start());
}

fn show_field(cx: &mut Context<'_>, def: DefIx, owner: &str, name: &str) {
    let class = cx.b.find_def(DefIx::MODULE, names::root_of(owner));
    let exported = class.is_some_and(|class| cx.b.def(class).flags.has(DefFlags::EXPORTED));
    scopes::show_member(cx, def, owner, name);
    if !exported {
        let flags = cx.b.def(def).flags.without(DefFlags::EXPORTED);
        cx.b.def_mut(def).flags = flags;
    }
}

/// The dotted name of the table of the file that gets a field of `table`: the table itself, or the class of the object
/// that `table` is.
fn owner_of<'a>(cx: &Context<'a>, table: Node<'a>) -> Option<String> {
    let dotted = names::dotted(table)?;
    if cx.b.body.is_receiver(dotted) {
        return cx.state.function()?.receiver.clone().filter(|owner| scopes::class_of(cx, owner).is_some());
    }
    if scopes::class_of(cx, dotted).is_some() {
        return Some(dotted.to_owned());
    }
    // `local self = setmetatable({}, M)`.
    let (value, _) = cx.b.latest_local(dotted)?;
    let Expr::New(class) = cx.b.body.expr(value) else { return None };
    let class = match cx.b.body.expr(*class) {
        Expr::SelfRef => cx.state.function()?.receiver.clone()?,
        _ => cx.b.body.arena().dotted(*class)?,
    };
    scopes::class_of(cx, &class).map(|_| class)
}

/// `for i = 1, n`.
pub(super) fn bind_counter<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let range = (node.end(), node.parent().unwrap_or(node).end());
    let value = cx.b.body.lit(Lit::Int);
    scopes::shadow_receiver(cx, name.text(), range);
    cx.b.bind_within(BindingKind::Local, name.text(), None, Some(value), range);
}

/// `for k, v in pairs(t)`.
pub(super) fn bind_loop<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let range = (node.end(), node.parent().unwrap_or(node).end());
    let (names, values) = (node.child_of(K::VariableList), node.child_of(K::ExpressionList));
    let iterated = values.and_then(Node::first);
    let element = iterated.and_then(|call| {
        let of_table = names::calls(call, "pairs") || names::calls(call, "ipairs");
        names::arguments(call).next().filter(|_| of_table)
    });
    let element = element.map(|table| {
        let table = cx.b.body.value(table);
        cx.b.body.add(Expr::Iter(table))
    });
    for (at, name) in names.into_iter().flat_map(Node::children).take(MAX_TARGETS).enumerate() {
        if !name.is(K::Identifier) {
            continue;
        }
        scopes::shadow_receiver(cx, name.text(), range);
        let value = element.filter(|_| at == 1);
        cx.b.bind_within(BindingKind::Local, name.text(), None, value, range);
    }
}
