//! Tables with members: classes, modules, objects.

use sdl_model::SymbolKind;
use sdl_model::facts::{BaseKind, BindingKind, DefFlags, DefIx, Expr, ExprIx};

use super::exprs::{indexed, module_name, required};
use super::kinds::{Context, F, K, Node};
use super::state::Holder;
use super::{docs, names, scopes};
use crate::builder::NewDef;

/// Methods that derive a class. An object that gets methods of its own is one, too.
const DERIVING: [&str; 6] = ["extend", "subclass", "derive", "inherit", "inherits", "new"];

/// A name that is set to a table with members.
pub(super) struct NewTable<'a> {
    pub(super) name: Node<'a>,
    pub(super) value: Option<Node<'a>>,
    /// The statement, or the name alone where the statement has several.
    pub(super) whole: Node<'a>,
}

impl<'a> NewTable<'a> {
    /// The definition, whose header ends before the table's fields.
    pub(super) fn new_def(&self, kind: SymbolKind, text: &'a str) -> NewDef<'a> {
        let new = NewDef::new(kind, text, self.name, self.whole);
        match self.value {
            Some(value) if value.is(K::TableConstructor) => new.header_to(value.start()),
            _ => new,
        }
    }

    /// Reads the bases of `def`, makes the fields of the table its members, and reads its documentation.
    pub(super) fn complete(&self, cx: &mut Context<'a>, def: DefIx) {
        docs::read_doc(cx, def, self.whole);
        let comments = docs::comments_of(cx, def, self.whole);
        if let Some(bases) = docs::class_bases(&mut cx.b.out, comments) {
            bases.into_iter().for_each(|base| add_base(cx, def, base, self.name.start()));
        }
        let Some(value) = self.value else { return };
        if value.is(K::TableConstructor) {
            // A metatable: its objects have the members of the table that it names.
            read_metatable(cx, def, value);
            cx.state.hold(value, Holder::Def(def));
        } else if names::calls(value, "setmetatable") {
            let mut arguments = names::arguments(value);
            if let Some(table) = arguments.next().filter(|table| table.is(K::TableConstructor)) {
                cx.state.hold(table, Holder::Def(def));
            }
            if let Some(metatable) = arguments.next() {
                read_metatable(cx, def, metatable);
                cx.state.hold(metatable, Holder::Def(def));
            }
        } else if let Some(module) = required(value) {
            // A module that gets more members.
            let base = cx.b.out.type_name(&module_name(&module));
            add_base(cx, def, base, value.start());
        } else if value.is(K::FunctionCall)
            && let Some(base) = derived_from(value)
        {
            let base = cx.b.out.ty(base);
            add_base(cx, def, base, value.start());
        }
    }
}

/// The table `def` gets its `value` after its name was declared.
pub(super) fn read_later_value<'a>(cx: &mut Context<'a>, def: DefIx, name: &str, value: Node<'a>) {
    if names::calls(value, "setmetatable") {
        let mut arguments = names::arguments(value);
        if let Some(table) = arguments.next().filter(|table| table.is(K::TableConstructor)) {
            cx.state.hold(table, Holder::Table(name.to_owned()));
        }
        if let Some(metatable) = arguments.next() {
            read_metatable(cx, def, metatable);
            cx.state.hold(metatable, Holder::Table(name.to_owned()));
        }
    } else if value.is(K::TableConstructor) {
        read_metatable(cx, def, value);
        cx.state.hold(value, Holder::Table(name.to_owned()));
    }
}

/// The class that `call`, of a library of classes, derives from: `class(Base)`, `class("Name", Base)`,
/// `Base:extend()`.
fn derived_from(call: Node<'_>) -> Option<Node<'_>> {
    let callee = call.child(F::Name)?;
    if let Some((table, name)) = names::member_parts(callee)
        && callee.is(K::MethodIndex)
        && DERIVING.contains(&name.text())
    {
        return Some(table).filter(|table| names::dotted(*table).is_some());
    }
    let last = names::dotted(callee)?.rsplit('.').next()?;
    let makes_class = last.to_ascii_lowercase().ends_with("class");
    names::arguments(call).take(2).find(|base| makes_class && names::dotted(*base).is_some())
}

fn add_base(cx: &mut Context<'_>, def: DefIx, base: ExprIx, at: u32) {
    let is_own = matches!(cx.b.out.expr(base), Expr::Name(name) if *name == cx.b.def(def).name);
    let is_known = cx.b.def(def).bases.iter().any(|known| known.ty == base);
    if !is_own && !is_known && !cx.b.out.is_unknown(base) {
        cx.b.base(def, BaseKind::Extends, base, at);
    }
}

/// The table whose metatable is `metatable` finds missing members there.
fn read_metatable<'a>(cx: &mut Context<'a>, def: DefIx, metatable: Node<'a>) {
    let base = match metatable.kind() {
        K::TableConstructor => indexed(metatable),
        _ => Some(metatable).filter(|base| names::dotted(*base).is_some()),
    };
    if let Some(base) = base {
        let base = cx.b.out.ty(base);
        add_base(cx, def, base, metatable.start());
    }
}

/// `setmetatable(M, …)` of a table of the file gives it a base. Of a local, it makes that an object.
pub(super) fn read_setmetatable<'a>(cx: &mut Context<'a>, call: Node<'a>) {
    let mut arguments = names::arguments(call);
    let (Some(table), Some(metatable)) = (arguments.next(), arguments.next()) else { return };
    let Some(dotted) = names::dotted(table) else { return };
    if let Some(def) = scopes::class_of(cx, dotted) {
        if metatable.is(K::TableConstructor) {
            cx.state.hold(metatable, Holder::Table(dotted.to_owned()));
        }
        read_metatable(cx, def, metatable);
        return;
    }
    if table.is(K::Identifier) && scopes::is_local(cx, dotted) {
        let ty = cx.b.body.ty(metatable);
        if !cx.b.body.is_unknown(ty) {
            let object = cx.b.body.add(Expr::New(ty));
            let to = cx.b.latest_local(dotted).map_or(cx.b.scope_end(), |(_, to)| to);
            let range = (call.end(), to);
            cx.b.bind_within(BindingKind::Local, dotted, None, Some(object), range);
        }
    }
}

/// `M.__index = Base`.
pub(super) fn read_index<'a>(cx: &mut Context<'a>, table: Node<'a>, value: Node<'a>) {
    let class = names::dotted(table).and_then(|dotted| scopes::class_of(cx, dotted));
    if let (Some(def), Some(_)) = (class, names::dotted(value)) {
        let base = cx.b.out.ty(value);
        add_base(cx, def, base, value.start());
    }
}

/// States that `def` is the member `name` of the table that `dotted` spells.
pub(super) fn set_owner(cx: &mut Context<'_>, def: DefIx, dotted: &str, name: &str) {
    let mut parts = dotted.split('.');
    let mut owner = cx.b.out.type_name(parts.next().unwrap_or_default());
    for part in parts {
        owner = cx.b.out.attr(owner, part);
    }
    let around = cx.b.def(def).parent.map_or("", |parent| cx.b.out.text(cx.b.def(parent).qualified));
    let qualified =
        if around.is_empty() { format!("{dotted}.{name}") } else { format!("{around}.{dotted}.{name}") };
    let qualified = cx.b.out.str(&qualified);
    let def = cx.b.def_mut(def);
    def.owner = Some(owner);
    def.qualified = qualified;
}

/// A field of a table constructor whose members are definitions.
pub(super) fn read_field<'a>(cx: &mut Context<'a>, field: Node<'a>) {
    let Some(constructor) = field.parent() else { return };
    let Some(holder) = cx.state.holder(constructor).cloned() else { return };
    let (Some(name), Some(value)) = (field.child(F::Name), field.child(F::Value)) else { return };
    // The function literal itself is the member.
    if !matches!(name.kind(), K::Identifier | K::String) || value.is(K::FunctionDefinition) {
        return;
    }
    let text = names::name_text(name);
    cx.state.declared.insert(name.start());
    let table = NewTable { name, value: Some(value), whole: field };
    let is_class = names::holds_functions(value);
    match holder {
        Holder::Def(holder) => {
            let local = cx.b.def(holder).flags.has(DefFlags::LOCAL);
            if is_class {
                let kind = if local { SymbolKind::Variable } else { SymbolKind::Class };
                let def = cx.b.open_of(holder, table.new_def(kind, text));
                let flags = cx.b.def(holder).flags;
                scopes::show(cx, def, flags.has(DefFlags::EXPORTED));
                table.complete(cx, def);
            } else if !local && text != "__index" {
                let def = cx.b.leaf_of(holder, NewDef::new(SymbolKind::Field, text, name, field));
                let flags = cx.b.def(holder).flags;
                scopes::show(cx, def, flags.has(DefFlags::EXPORTED));
                docs::read_doc(cx, def, field);
                let value = cx.b.body.value(value);
                cx.b.add_value(def, value, field.start());
            }
        }
        Holder::Table(_) | Holder::Function => {}
        Holder::Module => {
            if value.is(K::Identifier) {
                cx.b.export(value.text(), text);
                return;
            }
            let kind = if is_class { SymbolKind::Class } else { SymbolKind::Field };
            let def = cx.b.open_of(DefIx::MODULE, table.new_def(kind, text));
            scopes::show(cx, def, true);
            if is_class {
                table.complete(cx, def);
            } else {
                let value = cx.b.body.value(value);
                cx.b.add_value(def, value, field.start());
            }
        }
    }
}
