//! Functions: declared, and literals that a name or a field is set to.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx};

use super::kinds::{Context, F, K, Node};
use super::state::Holder;
use super::survey::{assigned_to, is_declared};
use super::{docs, names, params, scopes, tables};
use crate::builder::NewDef;
use crate::builder::text::fold_line;

/// A function with a name.
struct Named<'a> {
    name: Node<'a>,
    /// The statement or field.
    whole: Node<'a>,
    function: Node<'a>,
}

impl<'a> Named<'a> {
    fn text(&self) -> &'a str {
        names::name_text(self.name)
    }

    fn new_def(&self, kind: SymbolKind) -> NewDef<'a> {
        let list = self.function.child(F::ParametersField);
        let new = NewDef::new(kind, self.text(), self.name, self.whole);
        let new = new.body(self.function.child(F::Body)).without_comments_in(list);
        // An empty body may have no node.
        match list {
            Some(list) => new.header_to(list.end()),
            None => new,
        }
    }

    /// Reads the parameters and the documentation of `def`. `receiver` is the table that `self` belongs to.
    fn complete(&self, cx: &mut Context<'a>, def: DefIx, receiver: Option<String>) {
        cx.state.declared.insert(self.name.start());
        let is_member = cx.b.def(def).kind == SymbolKind::Method;
        let colon = self.name.parent_kind() == Some(K::MethodIndex);
        let written = params::receiver(self.function, self.text()).filter(|_| is_member && !colon);
        let own = written.or(if colon { Some("self") } else { None });
        if let Some(own) = own {
            cx.b.set_receiver(own, def, false);
        } else if is_member {
            cx.b.flag(def, DefFlags::STATIC);
        }
        docs::read_doc(cx, def, self.whole);
        let comments = docs::comments_of(cx, def, self.whole);
        if let Some((ty, text)) = docs::return_type(&mut cx.b.out, comments) {
            let text = cx.b.out.str(&fold_line(text, 200));
            let def = cx.b.def_mut(def);
            (def.ret, def.ret_text) = (Some(ty), Some(text));
        }
        cx.state.enter_function(self.function, Some(def), receiver.filter(|_| own.is_some()));
        params::read_params(cx, def, self.function, written, comments);
        if is_test(self.text()) && !cx.b.def(def).flags.has(DefFlags::LOCAL) {
            cx.b.flag(def, DefFlags::TEST);
        }
    }
}

/// Whether a function of that name is run by a library for tests.
fn is_test(name: &str) -> bool {
    name.strip_prefix("test").is_some_and(|rest| rest.starts_with(|c: char| !c.is_lowercase()))
}

/// `function f()`, `local function f()`, `function M.f()`, `function M:f()`.
pub(super) fn read_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    match names::member_parts(name) {
        Some((table, member)) => {
            let named = Named { name: member, whole: node, function: node };
            open_member(cx, &named, table);
        }
        None => {
            let named = Named { name, whole: node, function: node };
            open_function(cx, &named, node.child_of(K::Local).is_some());
        }
    }
}

/// A function that has a name of its own. `declared` is whether the statement declares the name.
fn open_function<'a>(cx: &mut Context<'a>, named: &Named<'a>, declared: bool) {
    let text = named.text();
    let scope = cx.b.scope();
    let of = if declared { Some(scope) } else { scopes::forward_scope(cx, text) };
    let known = if of.is_none() { scopes::top_level(cx, text) } else { None };
    let is_global = of.is_none() && known.is_none() && !scopes::is_local(cx, text);
    let parent = match of {
        Some(parent) => parent,
        None if is_global || known.is_some() => DefIx::MODULE,
        None => scope,
    };
    let was_seen = known.is_some_and(|known| cx.b.def(known).flags.has(DefFlags::EXPORTED));
    let is_seen = is_global || was_seen || (parent == DefIx::MODULE && cx.state.survey.is_exported(text));
    let def = cx.b.open_of(parent, named.new_def(SymbolKind::Function));
    scopes::show(cx, def, is_seen);
    named.complete(cx, def, None);
}

/// A function that is a member of `table`.
fn open_member<'a>(cx: &mut Context<'a>, named: &Named<'a>, table: Node<'a>) {
    let own = table.is(K::Identifier) && cx.b.body.is_receiver(table.text());
    let receiver = cx.state.function().and_then(|around| around.receiver.clone());
    let dotted = match receiver.filter(|_| own) {
        Some(receiver) => receiver,
        None => match names::dotted(table) {
            Some(dotted) => dotted.to_owned(),
            None => return open_anonymous(cx, named.function),
        },
    };
    open_member_of(cx, named, dotted);
}

fn open_member_of<'a>(cx: &mut Context<'a>, named: &Named<'a>, dotted: String) {
    let is_local = scopes::is_local(cx, names::root_of(&dotted));
    let parent = if is_local { cx.b.scope() } else { DefIx::MODULE };
    let def = cx.b.open_of(parent, named.new_def(SymbolKind::Method));
    scopes::hand_out(cx, def);
    tables::set_owner(cx, def, &dotted, named.text());
    scopes::show_member(cx, def, &dotted, named.text());
    named.complete(cx, def, Some(dotted));
}

/// A function literal: a definition where a name or a field is set to it, else part of the definition around it.
pub(super) fn read_literal<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // What the file returns is open already.
    if cx.state.function().is_some_and(|around| around.range.0 == node.ix()) {
        return;
    }
    if let Some(target) = assigned_to(node) {
        let Some(statement) = target.ancestors().nth(1) else { return open_anonymous(cx, node) };
        let declared = is_declared(target);
        let outer = statement.parent().filter(|_| declared).unwrap_or(statement);
        let several =
            statement.child_of(K::ExpressionList).is_some_and(|list| list.children().nth(1).is_some());
        // Of several in one statement each is just its own text.
        let whole = if several { node } else { outer };
        match names::member_parts(target) {
            Some((table, name)) => {
                open_member(cx, &Named { name, whole, function: node }, table);
            }
            None if target.is(K::Identifier) => {
                open_function(cx, &Named { name: target, whole, function: node }, declared);
            }
            None => open_anonymous(cx, node),
        }
        return;
    }
    match node.parent() {
        Some(field) if field.is(K::Field) => read_field_function(cx, node, field),
        _ => open_anonymous(cx, node),
    }
}

/// `name = function` in a table.
fn read_field_function<'a>(cx: &mut Context<'a>, node: Node<'a>, field: Node<'a>) {
    let holder = field.parent().and_then(|constructor| cx.state.holder(constructor)).cloned();
    let name = field.child(F::Name).filter(|name| matches!(name.kind(), K::Identifier | K::String));
    let (Some(name), Some(holder)) = (name, holder) else { return open_anonymous(cx, node) };
    let named = Named { name, whole: field, function: node };
    let parent = match holder {
        Holder::Def(def) => def,
        Holder::Module => DefIx::MODULE,
        Holder::Function => cx.b.scope(),
        Holder::Table(dotted) => return open_member_of(cx, &named, dotted),
    };
    let def = cx.b.open_of(parent, named.new_def(SymbolKind::Method));
    let flags = cx.b.def(parent).flags;
    let is_seen = parent == DefIx::MODULE || flags.has(DefFlags::EXPORTED);
    scopes::show(cx, def, is_seen);
    named.complete(cx, def, None);
}

fn open_anonymous<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    cx.state.enter_function(node, None, None);
    params::bind_params(cx, node);
}

/// A function that is all that the file returns.
pub(super) fn open_whole<'a>(cx: &mut Context<'a>, statement: Node<'a>, function: Node<'a>, name: &'a str) {
    let list = function.child(F::ParametersField);
    let new = NewDef::new(SymbolKind::Function, name, function, statement).body(function.child(F::Body));
    let new = match list {
        Some(list) => new.header_to(list.end()),
        None => new,
    };
    let def = cx.b.open_of(DefIx::MODULE, new);
    cx.b.flag(def, DefFlags::DEFAULT_EXPORT);
    scopes::show(cx, def, true);
    docs::read_doc(cx, def, statement);
    let comments = docs::comments_of(cx, def, statement);
    cx.state.enter_function(function, Some(def), None);
    params::read_params(cx, def, function, None, comments);
}
