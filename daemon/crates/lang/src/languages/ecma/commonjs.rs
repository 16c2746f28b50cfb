//! Assignments that define: `exports.f = …`, `module.exports = …`, `X.prototype.m = …`, `this.x = …`.

use sdl_model::facts::{BaseKind, BindingKind, DefFlags, DefIx, ImportKind};
use sdl_model::{SymbolKind, Visibility};

use super::calls::{required_module, unwrap_value};
use super::exports::{add_default_export, is_exports};
use super::headers::{is_short, with_header};
use super::keys::property_name;
use super::kinds::{Context, F, K, Node};
use super::state::{self, Holder};
use super::{exprs, functions, names, objects, tables, vars};
use crate::builder::NewDef;

/// The longest part of a computed name that is kept.
const MAX_NAME: usize = 60;

/// The target of an assignment.
enum Target<'a> {
    /// `module.exports`.
    Module,
    /// `exports.name`, `module.exports.name`.
    Export(Node<'a>),
    /// `X.prototype`.
    Prototype(Node<'a>),
    /// `X.prototype.name`, `X.name`: a member of X and its name.
    Member(Node<'a>, Node<'a>, bool),
    /// `this.name`.
    Field(Node<'a>),
}

fn assignment_target(left: Node<'_>) -> Option<Target<'_>> {
    let (object, name) = (left.child(F::ObjectField)?, left.child(F::Property)?);
    if left.end() - left.start() < 24 && left.text() == "module.exports" {
        return Some(Target::Module);
    }
    if is_exports(object) {
        return Some(Target::Export(name));
    }
    if object.is(K::This) {
        return Some(Target::Field(name));
    }
    if name.text() == "prototype" {
        return Some(Target::Prototype(object));
    }
    let of_prototype = object.child(F::Property).is_some_and(|property| property.text() == "prototype");
    match object.child(F::ObjectField).filter(|_| of_prototype && object.is(K::MemberExpression)) {
        Some(class) => Some(Target::Member(class, name, false)),
        None => Some(Target::Member(object, name, true)),
    }
}

pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return };
    if left.is(K::Identifier) {
        if left.text() == "exports" {
            return;
        }
        vars::read_assignment(cx, node, left, right);
        return;
    }
    if matches!(left.kind(), K::ArrayPattern | K::ObjectPattern) {
        vars::read_pattern_assignment(cx, node, left, right);
        return;
    }
    tables::set_entry(cx, node, left, right);
    if left.is(K::SubscriptExpression) {
        read_computed_member(cx, node, left, right);
        return;
    }
    if !left.is(K::MemberExpression) {
        return;
    }
    let assigned = Assigned { node, right, inner: unwrap_value(right) };
    match assignment_target(left) {
        Some(Target::Module) => whole_module(cx, &assigned),
        Some(Target::Export(name)) => add_named_export(cx, &assigned, name),
        Some(Target::Prototype(class)) => {
            let owner = cx.b.out.value(class);
            let def = resolve_name(cx, class).map_or(DefIx::MODULE, |(scope, _)| scope);
            objects::hold_objects(cx, right, Holder { def, owner: Some(owner), exported: false });
        }
        Some(Target::Member(class, name, is_static)) => {
            add_class_member(cx, &assigned, class, name, is_static)
        }
        Some(Target::Field(name)) => add_this_field(cx, &assigned, name),
        None => {}
    }
}

/// The definition that `name` refers to here, and the one that it is in.
fn resolve_name(cx: &Context<'_>, name: Node<'_>) -> Option<(DefIx, DefIx)> {
    let text = Some(name).filter(|name| name.is(K::Identifier))?.text();
    let mut scope = cx.b.scope();
    // People don't nest more deeply than this.
    for _ in 0..32 {
        let holds = matches!(cx.b.def(scope).kind, SymbolKind::Module | SymbolKind::Namespace)
            || cx.b.def(scope).kind.is_callable();
        if let Some(def) = cx.b.find_def(scope, text).filter(|_| holds) {
            return Some((scope, def));
        }
        scope = cx.b.def(scope).parent?;
    }
    None
}

/// `X.prototype[name] = function …`, `table[key] = () => …`: a separate function, whatever its name.
fn read_computed_member<'a>(cx: &mut Context<'a>, node: Node<'a>, left: Node<'a>, right: Node<'a>) {
    let assigned = Assigned { node, right, inner: unwrap_value(right) };
    let (Some(object), Some(index)) = (left.child(F::ObjectField), left.child(F::Index)) else { return };
    if !assigned.is_function_or_class() {
        return;
    }
    let class = object
        .child(F::ObjectField)
        .filter(|_| object.child(F::Property).is_some_and(|property| property.text() == "prototype"))
        .filter(|class| matches!(class.kind(), K::Identifier | K::MemberExpression));
    if index.is(K::String)
        && let Some(class) = class
    {
        add_class_member(cx, &assigned, class, index, false);
        return;
    }
    let text = node.src().get(object.end() as usize..left.end() as usize).unwrap_or("").trim_start();
    let text = text.trim_start_matches("?.");
    let text = text.get(..text.floor_char_boundary(MAX_NAME)).unwrap_or(text);
    let kind = assigned.kind(SymbolKind::Method, SymbolKind::Field);
    let owner = class.map(|class| cx.b.out.value(class));
    let is_this = object.is(K::This) && assigned.inner.kind().is_function_value();
    let def = cx.b.open(assigned.new_def(kind, text, left));
    cx.b.flag(def, DefFlags::LOCAL);
    cx.b.def_mut(def).visibility = Visibility::Private;
    cx.b.def_mut(def).owner = owner.filter(|_| !is_this);
    cx.state.hold(assigned.inner, Holder::of(def));
}

/// One assignment.
struct Assigned<'a> {
    node: Node<'a>,
    right: Node<'a>,
    inner: Node<'a>,
}

impl<'a> Assigned<'a> {
    fn whole(&self) -> Node<'a> {
        self.node.parent().filter(|parent| parent.is(K::ExpressionStatement)).unwrap_or(self.node)
    }

    /// The definition of the assigned value, with the kind that it has there.
    fn new_def(&self, kind: SymbolKind, text: &'a str, name: Node<'a>) -> NewDef<'a> {
        let new = NewDef::new(kind, text, name, self.whole());
        if self.inner.kind().is_function_value() {
            with_header(new, self.inner)
        } else if self.inner.is(K::Class) {
            new.body(self.inner.child(F::Body))
        } else if is_short(self.right) {
            new
        } else {
            new.header_to(self.right.start())
        }
    }

    /// The kind of the definition that the value makes: `function` if it is one.
    fn kind(&self, function: SymbolKind, other: SymbolKind) -> SymbolKind {
        match self.inner.kind() {
            kind if kind.is_function_value() => function,
            K::Class => SymbolKind::Class,
            _ => other,
        }
    }

    fn is_function_or_class(&self) -> bool {
        self.inner.kind().is_function_value() || self.inner.is(K::Class)
    }
}

/// `module.exports = …`.
fn whole_module<'a>(cx: &mut Context<'a>, assigned: &Assigned<'a>) {
    cx.state.is_module = true;
    let inner = assigned.inner;
    match inner.kind() {
        K::Identifier => cx.b.export(inner.text(), "default"),
        K::Object => {
            if cx.lang == sdl_model::Lang::JavaScript {
                cx.state.exported_type = super::jsdoc::before_outline(cx, assigned.whole());
            }
            cx.state.hold(inner, Holder { def: DefIx::MODULE, owner: None, exported: true });
        }
        K::CallExpression if required_module(inner).is_some() => {
            if let Some(module) = required_module(inner) {
                add_reexport(cx, module, assigned.node.start());
                cx.state.hold(inner, Holder::of(DefIx::MODULE));
            }
        }
        // `module.exports = new Thing()`.
        _ => add_default_export(cx, assigned.right, assigned.whole()),
    }
}

fn add_reexport(cx: &mut Context<'_>, module: &str, at: u32) {
    cx.b.import(ImportKind::Wildcard, module, None, None, at).reexport = true;
    cx.b.import(ImportKind::Module, module, None, Some("default"), at).reexport = true;
}

/// `exports.name = …`.
fn add_named_export<'a>(cx: &mut Context<'a>, assigned: &Assigned<'a>, name: Node<'a>) {
    let (text, inner) = (name.text(), assigned.inner);
    cx.state.is_module = true;
    if text == "__esModule" || inner.is(K::Undefined) || assigned.right.is(K::UnaryExpression) {
        return;
    }
    if inner.is(K::Identifier) {
        cx.b.export(inner.text(), text);
        return;
    }
    if let Some(module) = required_module(inner) {
        cx.b.import(ImportKind::Module, module, None, Some(text), name.start()).reexport = true;
        cx.state.hold(inner, Holder::of(DefIx::MODULE));
        return;
    }
    // `const a = (exports.b = …)`.
    if let Some(variable) = declared_with(assigned.node) {
        cx.b.export(variable, text);
        return;
    }
    let other = if inner.is(K::MemberExpression) { SymbolKind::Field } else { SymbolKind::Constant };
    let kind = assigned.kind(SymbolKind::Function, other);
    let def = cx.b.open_of(DefIx::MODULE, assigned.new_def(kind, text, name));
    cx.b.flag(def, DefFlags::EXPORTED);
    if assigned.is_function_or_class() {
        cx.state.hold(inner, Holder::of(def));
    } else {
        let shape = cx.b.body.value(assigned.right);
        cx.b.add_value(def, shape, assigned.node.start());
        objects::hold_objects(cx, assigned.right, Holder::of(def));
    }
}

/// The variable that is declared with `assignment` as its value.
fn declared_with(assignment: Node<'_>) -> Option<&str> {
    let mut at = assignment;
    for _ in 0..4 {
        let parent = at.parent()?;
        match parent.kind() {
            K::ParenthesizedExpression | K::AssignmentExpression => at = parent,
            K::VariableDeclarator => {
                return parent.child(F::Name).filter(|name| name.is(K::Identifier)).map(Node::text);
            }
            _ => return None,
        }
    }
    None
}

/// `X.prototype.name = …`, `X.name = …`.
fn add_class_member<'a>(
    cx: &mut Context<'a>,
    assigned: &Assigned<'a>,
    class: Node<'a>,
    name: Node<'a>,
    is_static: bool,
) {
    let home = resolve_name(cx, class);
    // A property counts only if its value is a definition or names one; on a prototype, every property counts.
    if is_static && !assigned.is_function_or_class() && !objects::has_functions(assigned.inner) {
        let is_name = assigned.right.is(K::Identifier) || assigned.right.is(K::MemberExpression);
        let of_class = home.is_some_and(|(scope, of)| {
            let kind = cx.b.def(of).kind;
            scope == DefIx::MODULE && (kind == SymbolKind::Class || kind == SymbolKind::Function)
        });
        if !(is_name && of_class) || cx.b.find_def(DefIx::MODULE, class.text()).is_none() {
            return;
        }
        let owner = cx.b.out.value(class);
        let def = cx.b.leaf_of(DefIx::MODULE, assigned.new_def(SymbolKind::Field, name.text(), name));
        objects::set_owner(cx, def, Holder { def: DefIx::MODULE, owner: Some(owner), exported: false });
        cx.b.flag(def, DefFlags::STATIC);
        let shape = cx.b.body.value(assigned.right);
        cx.b.add_value(def, shape, assigned.node.start());
        return;
    }
    let owner_is_known =
        matches!(class.kind(), K::Identifier | K::MemberExpression) && (!is_static || home.is_some());
    let kind = assigned.kind(SymbolKind::Method, SymbolKind::Field);
    // Members that a function adds to its own functions and objects.
    if let Some((_, of)) = home.filter(|(scope, _)| is_static && *scope != DefIx::MODULE)
        && !cx.b.def(of).kind.is_type()
    {
        let def = cx.b.open_of(of, assigned.new_def(kind, name.text(), name));
        cx.b.flag(def, DefFlags::LOCAL);
        cx.b.def_mut(def).visibility = Visibility::Private;
        cx.state.hold(assigned.inner, Holder::of(def));
        return;
    }
    if !owner_is_known {
        if !assigned.is_function_or_class() {
            return;
        }
        let def = cx.b.open(assigned.new_def(kind, name.text(), name));
        cx.b.flag(def, DefFlags::LOCAL);
        cx.b.def_mut(def).visibility = Visibility::Private;
        cx.state.hold(assigned.inner, Holder::of(def));
        return;
    }
    let owner = cx.b.out.value(class);
    let scope = home.map_or(DefIx::MODULE, |(scope, _)| scope);
    let def = cx.b.open_of(scope, assigned.new_def(kind, property_name(name), name));
    objects::set_owner(cx, def, Holder { def: scope, owner: Some(owner), exported: false });
    if is_static {
        cx.b.flag(def, DefFlags::STATIC);
    }
    if assigned.is_function_or_class() || is_static {
        cx.state.hold(assigned.inner, Holder::of(def));
    } else {
        let shape = cx.b.body.value(assigned.right);
        cx.b.add_value(def, shape, assigned.node.start());
    }
}

/// `this.name = …`.
fn add_this_field<'a>(cx: &mut Context<'a>, assigned: &Assigned<'a>, name: Node<'a>) {
    let known = cx.b.body.is_receiver(exprs::THIS);
    let of = cx.b.receiver_type().filter(|of| known && holds_fields(cx, *of));
    let text = name.text();
    let Some(class) = of else {
        if assigned.is_function_or_class() {
            let kind = assigned.kind(SymbolKind::Method, SymbolKind::Field);
            let def = cx.b.open(assigned.new_def(kind, text, name));
            cx.b.flag(def, DefFlags::LOCAL);
            cx.b.def_mut(def).visibility = Visibility::Private;
            cx.state.hold(assigned.inner, Holder::of(def));
        }
        return;
    };
    let value = cx.b.body.value(assigned.right);
    cx.b.bind(BindingKind::Field, text, None, Some(value), assigned.node.end());
    let known = cx.b.find_def(class, text);
    if assigned.is_function_or_class() && known.is_none_or(|def| !cx.b.def(def).kind.is_callable()) {
        let kind = assigned.kind(SymbolKind::Method, SymbolKind::Field);
        let def = cx.b.open_of(class, assigned.new_def(kind, text, name));
        make_reachable(cx, def, text);
        cx.state.hold(assigned.inner, Holder::of(def));
        return;
    }
    let def = match known {
        Some(def) => def,
        None => {
            let def = cx.b.leaf_of(class, assigned.new_def(SymbolKind::Field, text, name));
            make_reachable(cx, def, text);
            if cx.lang == sdl_model::Lang::JavaScript {
                super::jsdoc::apply_variable_doc(cx, def);
            }
            objects::hold_objects(cx, assigned.right, Holder::of(def));
            def
        }
    };
    if !cx.b.def(def).kind.is_callable() {
        cx.b.add_value(def, value, assigned.node.start());
    }
}

/// Marks `def`, a member that a constructor gives to the object it builds: though inside a function, it can be
/// reached.
fn make_reachable(cx: &mut Context<'_>, def: DefIx, name: &str) {
    let of = cx.b.def(def).parent.unwrap_or(DefIx::MODULE);
    if state::is_inner(cx, of) && cx.b.def(of).kind == SymbolKind::Function {
        return;
    }
    let def = cx.b.def_mut(def);
    def.visibility = names::by_name(name);
    def.flags = DefFlags(def.flags.0 & !DefFlags::LOCAL.0);
}

/// Whether assignments may create fields of `of`. An object or an alias lists its fields in its own text.
fn holds_fields(cx: &Context<'_>, of: DefIx) -> bool {
    let kind = cx.b.def(of).kind;
    kind == SymbolKind::Class
        || (kind == SymbolKind::Function
            && (!state::is_inner(cx, of) || functions::names_class(cx.b.name_of(of))))
}

/// `Object.assign(X.prototype, {…})`: the members of the objects after the first are those of X.
pub(super) fn mixed_in<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let (Some(callee), Some(args)) = (node.child(F::Function), node.child(F::Arguments)) else { return };
    let assigns = callee.end() - callee.start() < 24
        && matches!(callee.text(), "Object.assign" | "Object.defineProperties" | "extend" | "_.extend");
    let Some(Target::Prototype(class)) =
        args.first().filter(|first| assigns && first.is(K::MemberExpression)).and_then(assignment_target)
    else {
        return;
    };
    let owner = cx.b.out.value(class);
    for arg in args.children().skip(1).take(8).filter(|arg| arg.is(K::Object)) {
        cx.state.hold(arg, Holder { def: DefIx::MODULE, owner: Some(owner), exported: false });
    }
    let Some((_, def)) = resolve_name(cx, class).filter(|(_, def)| cx.b.def(*def).kind == SymbolKind::Class)
    else {
        return;
    };
    // The members of a mixin are set after those that the class inherits.
    let mixins = args.children().skip(1).take(8).filter_map(|arg| match arg.kind() {
        K::Identifier => Some(arg),
        // `Mixin.prototype`.
        K::MemberExpression if arg.child(F::Property).is_some_and(|name| name.text() == "prototype") => {
            arg.child(F::ObjectField).filter(|class| class.is(K::Identifier))
        }
        _ => None,
    });
    for mixin in mixins {
        let ty = cx.b.out.type_name(mixin.text());
        cx.b.base(def, BaseKind::Mixin, ty, mixin.start());
        cx.b.def_mut(def).bases.rotate_right(1);
    }
}

/// Whether `left` is the target of an assignment and only names the value being defined.
pub(super) fn only_defines(left: Node<'_>) -> bool {
    let Some(assignment) = left.parent().filter(|_| left.is_in(K::AssignmentExpression, F::Left)) else {
        return false;
    };
    let function = assignment
        .child(F::Right)
        .map(unwrap_value)
        .is_some_and(|right| right.kind().is_function_value() || right.is(K::Class));
    function || matches!(assignment_target(left), Some(Target::Module | Target::Export(_)))
}
