//! Definitions: functions, classes, variables, fields.

use sdl_model::facts::{BaseKind, BindingKind, DefFlags, DefIx, Expr, ExprIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::{binds, conditions, hooks, params, tables, types};
use crate::builder::NewDef;
use crate::builder::text::{clean_docstring, fold_line};
use crate::driver::Visit;

/// How long a variable's statement may be to serve as its signature.
const SHORT_VALUE: usize = 60;

pub(super) fn module_doc(cx: &mut Context<'_>, root: Node<'_>) {
    add_docstring(cx, DefIx::MODULE, root);
}

/// Sets the documentation of `def` to the docstring at the start of `block`.
fn add_docstring(cx: &mut Context<'_>, def: DefIx, block: Node<'_>) {
    let Some(statement) = block.first().filter(|first| first.is(K::ExpressionStatement)) else { return };
    let Some(text) = statement.first().filter(|text| text.is(K::String)) else { return };
    cx.b.doc_span(statement.start(), statement.end());
    if let Some(doc) = clean_docstring(types::string_content(text)) {
        cx.b.doc(def, &doc);
    }
}

pub(super) fn read_decorated<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(definition) = node.child(F::Definition) {
        self::read_definition(cx, definition, node);
    }
}

/// Opens `node`, a function or a class; `whole` is `node` or the decorated definition around it.
pub(super) fn read_definition<'a>(cx: &mut Context<'a>, node: Node<'a>, whole: Node<'a>) {
    let Some(name) = node.child(F::Name) else { return };
    let decorators: Vec<Node<'a>> =
        whole.children().filter(|child| child.is(K::Decorator)).filter_map(Node::first).collect();
    let def = if node.is(K::ClassDefinition) {
        read_class(cx, node, whole, name)
    } else {
        read_function(cx, node, whole, name, &decorators)
    };
    for decorator in decorators {
        let shape = cx.b.out.value(decorator);
        cx.b.def_mut(def).decorators.push(shape);
    }
    conditions::mark_left_out(cx, def, whole.start());
    cx.b.def_mut(def).visibility = name_visibility(name.text(), cx.b.def(def).kind);
    if let Some(generics) = node.child(F::TypeParameters) {
        cx.b.def_mut(def).generics = Some(cx.b.out.str(&fold_line(generics.text(), 200)));
    }
    if let Some(body) = node.child(F::Body) {
        add_docstring(cx, def, body);
    }
}

fn read_class<'a>(cx: &mut Context<'a>, node: Node<'a>, whole: Node<'a>, name: Node<'a>) -> DefIx {
    let supers = node.child(F::Superclasses);
    let bases = || supers.into_iter().flat_map(Node::children).filter(|base| !base.is(K::KeywordArgument));
    let last_parts = || bases().filter_map(|base| last_part(base));
    let is_enum = last_parts().any(|base| {
        matches!(
            base,
            "Enum"
                | "IntEnum"
                | "StrEnum"
                | "Flag"
                | "IntFlag"
                | "ReprEnum"
                | "TextChoices"
                | "IntegerChoices"
                | "Choices"
        )
    });
    let kind = if is_enum { SymbolKind::Enum } else { SymbolKind::Class };
    let header_end = supers.or_else(|| node.child(F::TypeParameters)).unwrap_or(name).end();
    let new = NewDef::new(kind, name.text(), name, whole)
        .header_from(node.start())
        .body(node.child(F::Body))
        .header_to(header_end)
        .without_comments_in(supers);
    let in_test = name.text().starts_with("Test") || last_parts().any(|base| base.ends_with("TestCase"));
    let def = cx.b.open(new);
    for base in bases() {
        let ty = cx.b.out.ty(base);
        if !cx.b.out.is_unknown(ty) {
            cx.b.base(def, BaseKind::Extends, ty, base.start());
        }
    }
    if in_test {
        cx.b.flag(def, DefFlags::TEST);
    }
    if last_parts().any(|base| base == "ABC" || base == "Protocol") {
        cx.b.flag(def, DefFlags::ABSTRACT);
    }
    def
}

/// The last part of the plain or dotted name in `node`, without type arguments and calls.
fn last_part(node: Node<'_>) -> Option<&str> {
    match node.kind() {
        K::Identifier => Some(node.text()),
        K::Attribute => node.child(F::AttributeName).map(Node::text),
        K::Subscript => node.child(F::Value).filter(|value| !value.is(K::Subscript)).and_then(last_part),
        K::Call => node.child(F::Function).filter(|value| !value.is(K::Call)).and_then(last_part),
        _ => None,
    }
}

fn read_function<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    whole: Node<'a>,
    name: Node<'a>,
    decorators: &[Node<'a>],
) -> DefIx {
    let text = name.text();
    let scope = cx.b.scope();
    let method = cx.b.scope_kind().is_type();
    let mut flags = DefFlags::default();
    let mut is_property = false;
    for decorator in decorators.iter().filter_map(|node| last_part(*node)) {
        match decorator {
            "staticmethod" => flags = flags.with(DefFlags::STATIC),
            "classmethod" => flags = flags.with(DefFlags::CLASS_METHOD),
            "setter" | "getter" | "deleter" | "reify" => is_property = true,
            // By custom, decorators that make properties have such a name, for example `cached_property`.
            name if name.ends_with("property") => is_property = true,
            "abstractmethod" | "overload" => flags = flags.with(DefFlags::ABSTRACT),
            "override" => flags = flags.with(DefFlags::OVERRIDE),
            "deprecated" => flags = flags.with(DefFlags::DEPRECATED),
            _ => {}
        }
    }
    if node.child_of(K::Async).is_some() {
        flags = flags.with(DefFlags::ASYNC);
    }
    if text.starts_with("test") && (!method || cx.b.def(scope).flags.has(DefFlags::TEST)) {
        flags = flags.with(DefFlags::TEST);
    }
    let kind = match (method, text) {
        (false, _) => SymbolKind::Function,
        (true, "__init__") => SymbolKind::Constructor,
        (true, _) if is_property => SymbolKind::Property,
        (true, _) => SymbolKind::Method,
    };
    let list = node.child(F::Parameters);
    let result = node.child(F::ReturnType);
    let new = NewDef::new(kind, text, name, whole)
        .header_from(node.start())
        .body(node.child(F::Body))
        .header_to(result.or(list).unwrap_or(name).end())
        .without_comments_in(list);
    let def = cx.b.open(new);
    cx.b.flag(def, flags);
    let takes_class = flags.has(DefFlags::CLASS_METHOD)
        || matches!(text, "__new__" | "__init_subclass__" | "__class_getitem__");
    let receiver_of = (method && !flags.has(DefFlags::STATIC)).then_some((scope, takes_class));
    if let Some(list) = list {
        params::read_params(cx, def, list, receiver_of);
    }
    if let Some(result) = result {
        cx.b.def_mut(def).ret_text = Some(cx.b.out.str(&fold_line(result.text(), 200)));
        // `def f(self: T) -> T`.
        let itself = list.filter(|_| receiver_of.is_some()).and_then(Node::first).is_some_and(|receiver| {
            let stated = receiver.child(F::TypeField).map_or("", Node::text);
            stated == result.text() || of_type(stated) == Some(result.text())
        });
        let ret = if itself { cx.b.out.add(Expr::SelfType) } else { cx.b.out.ty(result) };
        cx.b.def_mut(def).ret = Some(ret);
    }
    def
}

/// The `T` of `type[T]`.
fn of_type(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('[')?;
    matches!(name, "type" | "Type" | "typing.Type" | "t.Type").then(|| rest.strip_suffix(']'))?
}

pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    // `a = b = c` is read as a whole, from the first target.
    if node.parent_kind() == Some(K::Assignment) {
        return;
    }
    let mut targets = Vec::new();
    let mut value = Some(node);
    while let Some(chained) = value.filter(|value| value.is(K::Assignment)) {
        targets.extend(chained.child(F::Left));
        value = chained.child(F::Right);
    }
    let stated = node.child(F::TypeField);
    let kind = cx.b.scope_kind();
    let mut statement = Statement { node, stated, value, opened: false };
    if kind == SymbolKind::Module || kind.is_type() {
        if targets.first().is_some_and(|target| target.text() == "__all__") {
            export_strings(cx, node);
        }
        for target in targets.iter().filter(|_| kind == SymbolKind::Module) {
            bind_module_variable(cx, &statement, *target);
        }
        for target in targets {
            read_variable(cx, &mut statement, target);
        }
        return;
    }
    for target in targets {
        bind_local(cx, &mut statement, target);
    }
}

/// A target at the top of a module: the value from here on. It counts where the variable is set more than once.
fn bind_module_variable<'a>(cx: &mut Context<'a>, statement: &Statement<'a>, target: Node<'a>) {
    if target.is(K::Subscript) {
        tables::set_entry(cx, target, statement.value, statement.node.end());
    } else if statement.stated.is_none() && !target.is(K::Attribute) {
        let value = statement.value.map(|value| cx.b.body.value(value));
        binds::bind_pattern(cx, target, value, statement.node.end(), None);
    }
}

/// An assignment.
struct Statement<'a> {
    node: Node<'a>,
    stated: Option<Node<'a>>,
    value: Option<Node<'a>>,
    /// Whether one of its targets is an open definition, which holds the nested ones.
    opened: bool,
}

impl<'a> Statement<'a> {
    fn whole(&self) -> Node<'a> {
        self.node.parent().filter(|parent| parent.is(K::ExpressionStatement)).unwrap_or(self.node)
    }

    fn new_def(&self, kind: SymbolKind, name: Node<'a>, text: &'a str) -> NewDef<'a> {
        let whole = self.whole();
        let new = NewDef::new(kind, text, name, whole);
        let simple = |value: Node<'_>| {
            matches!(
                value.kind(),
                K::Integer | K::Float | K::True | K::False | K::NoneLiteral | K::Identifier | K::Attribute
            )
        };
        match self.value {
            // Literal text stays out of signatures, because it may be long, or secret.
            Some(value) if !simple(value) || whole.end() - whole.start() > SHORT_VALUE as u32 => {
                new.header_to(value.start())
            }
            _ => new,
        }
    }
}

/// A target in a module or a class: a definition the first time, and one more value of it after that.
fn read_variable<'a>(cx: &mut Context<'a>, statement: &mut Statement<'a>, target: Node<'a>) {
    if !target.is(K::Identifier) {
        // `module.name = …`, `table[key] = …` define nothing here.
        if matches!(target.kind(), K::Attribute | K::Subscript) {
            return;
        }
        let value = statement.value.map(|value| cx.b.body.value(value));
        for (at, part) in target.children().enumerate().filter(|(_, part)| part.is(K::Identifier)) {
            let scope = cx.b.scope();
            if cx.b.find_def(scope, part.text()).is_some() {
                continue;
            }
            let new = statement.new_def(variable_kind(cx, part.text()), part, part.text());
            let def = cx.b.leaf(new.signature(part.text().to_owned()));
            cx.b.def_mut(def).visibility = name_visibility(part.text(), cx.b.def(def).kind);
            if let Some(value) = value {
                let item = binds::element_at(cx, value, at);
                cx.b.add_value(def, item, statement.node.start());
            }
        }
        return;
    }
    let name = target.text();
    // Nested definitions belong to the first target; the other targets are its siblings.
    let scope = if statement.opened { cx.b.def(cx.b.scope()).parent } else { Some(cx.b.scope()) };
    let scope = scope.unwrap_or(DefIx::MODULE);
    let def = match cx.b.find_def(scope, name) {
        Some(def) => def,
        None if statement.opened => {
            let kind = cx.b.scope_kind();
            cx.b.leaf_of(scope, statement.new_def(kind, target, name))
        }
        None => {
            statement.opened = true;
            if let Some(lambda) = statement.value.filter(|value| value.is(K::Lambda)) {
                bound_lambda(cx, statement, target, lambda)
            } else {
                let kind = variable_kind(cx, name);
                cx.b.open(statement.new_def(kind, target, name))
            }
        }
    };
    cx.b.def_mut(def).visibility = name_visibility(name, cx.b.def(def).kind);
    if let Some(value) = statement.value.filter(|value| statement.stated.is_none() && is_alias(name, *value))
    {
        let target = cx.b.out.ty(value);
        let def = cx.b.def_mut(def);
        if def.value.is_none() && def.ty.is_none() {
            def.kind = SymbolKind::Type;
            def.ty = Some(target);
            return;
        }
    }
    if let Some(stated) = statement.stated {
        if last_part(stated.first().unwrap_or(stated)).is_some_and(|name| name.ends_with("TypeAlias")) {
            let target = statement.value.map(|value| cx.b.out.ty(value));
            let def = cx.b.def_mut(def);
            def.kind = SymbolKind::Type;
            def.ty = target;
            return;
        }
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(stated));
    }
    if let Some(value) = statement.value.filter(|value| !value.is(K::Lambda)) {
        let shape = cx.b.body.value(value);
        cx.b.add_value(def, shape, statement.node.start());
    }
}

/// Whether `name = value` gives a type another name: `Graph = dict[str, Node]`.
fn is_alias(name: &str, value: Node<'_>) -> bool {
    let named = name.trim_start_matches('_');
    let is_type_name = named.starts_with(char::is_uppercase) && named.contains(char::is_lowercase);
    let base = || value.child(F::Value).and_then(last_part);
    is_type_name && value.is(K::Subscript) && base().is_some_and(|base| FORMS.contains(&base))
}

/// Generic forms that make a type of their arguments.
const FORMS: [&str; 44] = [
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "Collection",
    "Coroutine",
    "DefaultDict",
    "Deque",
    "Dict",
    "FrozenSet",
    "Generator",
    "Iterable",
    "Iterator",
    "List",
    "Mapping",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Optional",
    "OrderedDict",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "Union",
    "deque",
    "defaultdict",
    "dict",
    "frozenset",
    "list",
    "set",
    "tuple",
    "type",
    "ChainMap",
    "Counter",
    "AbstractSet",
    "ItemsView",
    "KeysView",
    "ValuesView",
    "ContextManager",
    "AsyncContextManager",
    "Reversible",
    "Container",
];

/// Opens a lambda that is bound to a name.
fn bound_lambda<'a>(
    cx: &mut Context<'a>,
    statement: &Statement<'a>,
    target: Node<'a>,
    lambda: Node<'a>,
) -> DefIx {
    let kind = if cx.b.scope_kind().is_type() { SymbolKind::Method } else { SymbolKind::Function };
    let class = cx.b.scope();
    let body = lambda.child(F::Body);
    let new = NewDef::new(kind, target.text(), target, statement.whole()).body(body);
    let def = cx.b.open(new);
    if let Some(list) = lambda.child(F::Parameters) {
        params::read_params(cx, def, list, (kind == SymbolKind::Method).then_some((class, false)));
    }
    if let Some(body) = body {
        let shape = cx.b.body.value(body);
        cx.b.returns(def, shape, body.start());
    }
    def
}

/// A target in a function: a local, or a field of the receiver.
fn bind_local<'a>(cx: &mut Context<'a>, statement: &mut Statement<'a>, target: Node<'a>) {
    let from = statement.node.end();
    match target.kind() {
        K::Attribute => {
            let value = statement.value.map(|value| field_value(cx, value));
            add_field(cx, statement, target, value);
        }
        K::Identifier => {
            if let Some(lambda) = statement.value.filter(|value| value.is(K::Lambda) && !statement.opened) {
                let known = cx.b.find_def(cx.b.scope(), target.text()).is_some();
                if !known {
                    statement.opened = true;
                    bound_lambda(cx, statement, target, lambda);
                    return;
                }
            }
            let ty = statement.stated.map(|stated| cx.b.body.ty(stated));
            if let Some(value) = statement.value {
                hooks::note_name(cx, target.text(), value);
            }
            let value = statement.value.map(|value| cx.b.body.value(value));
            cx.b.bind(BindingKind::Local, target.text(), ty, value, from);
            set_global(cx, target.text(), value, statement.node.start());
        }
        K::Subscript => tables::set_entry(cx, target, statement.value, from),
        _ => {
            let value = statement.value.map(|value| cx.b.body.value(value));
            binds::bind_pattern(cx, target, value, from, None);
            // `self.a, self.b = …`.
            if matches!(target.kind(), K::PatternList | K::TuplePattern) {
                for (at, part) in target.children().enumerate().filter(|(_, part)| part.is(K::Attribute)) {
                    let item = value.map(|value| binds::element_at(cx, value, at));
                    add_field(cx, statement, part, item);
                }
            }
        }
    }
}

/// Adds `value` to the values of the module's variable `name`, where the function around has declared it `global`.
fn set_global(cx: &mut Context<'_>, name: &str, value: Option<ExprIx>, at: u32) {
    let is_global = cx.state.globals.contains(&(cx.b.scope(), name.to_owned()));
    let Some(value) = value.filter(|_| is_global) else { return };
    let Some(def) = cx.b.find_def(DefIx::MODULE, name) else { return };
    if matches!(cx.b.def(def).kind, SymbolKind::Variable | SymbolKind::Constant) {
        cx.b.add_value(def, value, at);
    }
}

/// The value that a field is set to. A function inside the method is given by the method's name and its own, because
/// others don't see it.
fn field_value<'a>(cx: &mut Context<'a>, value: Node<'a>) -> ExprIx {
    let scope = cx.b.scope();
    let inner = Some(value.text())
        .filter(|_| value.is(K::Identifier))
        .and_then(|name| cx.b.find_def(scope, name))
        .filter(|def| cx.b.def(*def).kind == SymbolKind::Function);
    if inner.is_none() {
        return cx.b.body.value(value);
    }
    let around = cx.b.name_of(scope).to_owned();
    let around = cx.b.body.type_name(&around);
    cx.b.body.attr(around, value.text())
}

/// `self.x = …` in a method.
fn add_field<'a>(cx: &mut Context<'a>, statement: &Statement<'a>, target: Node<'a>, value: Option<ExprIx>) {
    let (Some(object), Some(name)) = (target.child(F::Object), target.child(F::AttributeName)) else {
        return;
    };
    let Some(class) = cx.b.receiver_type().filter(|_| cx.b.body.is_receiver(object.text())) else { return };
    let text = name.text();
    let ty = statement.stated.map(|stated| cx.b.body.ty(stated));
    cx.b.bind(BindingKind::Field, text, ty, value, statement.node.end());
    let def = match cx.b.find_def(class, text) {
        Some(def) => def,
        None => cx.b.leaf_of(class, statement.new_def(SymbolKind::Field, name, text)),
    };
    if cx.b.def(def).kind.is_callable() {
        return;
    }
    cx.b.def_mut(def).visibility = name_visibility(text, SymbolKind::Field);
    if let (None, Some(stated)) = (cx.b.def(def).ty, statement.stated) {
        cx.b.def_mut(def).ty = Some(cx.b.out.ty(stated));
    }
    if let Some(value) = value {
        cx.b.add_value(def, value, statement.node.start());
    }
}

pub(super) fn read_augmented_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if cx.b.scope() == DefIx::MODULE && node.child(F::Left).is_some_and(|left| left.text() == "__all__") {
        export_strings(cx, node);
    }
}

/// `type X = Y`.
pub(super) fn type_alias<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let (Some(left), Some(right)) = (node.child(F::Left), node.child(F::Right)) else { return Visit::Into };
    let mut name = left;
    while let Some(inner) = name.first() {
        name = inner;
    }
    let def = cx.b.open(NewDef::new(SymbolKind::Type, name.text(), name, node));
    cx.b.def_mut(def).ty = Some(cx.b.out.ty(right));
    cx.b.def_mut(def).visibility = name_visibility(name.text(), SymbolKind::Type);
    Visit::Into
}

/// Exports the names that `node` contains as text.
pub(super) fn export_strings(cx: &mut Context<'_>, node: Node<'_>) {
    cx.state.has_all = true;
    for text in node.descendants().filter(|node| node.is(K::String)).take(4_096) {
        let name = types::string_content(text);
        cx.b.export(name, name);
    }
}

fn variable_kind(cx: &Context<'_>, name: &str) -> SymbolKind {
    let shouts = name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase);
    match cx.b.scope_kind() {
        SymbolKind::Enum if !name.starts_with('_') => SymbolKind::EnumMember,
        _ if shouts => SymbolKind::Constant,
        SymbolKind::Module => SymbolKind::Variable,
        _ => SymbolKind::Field,
    }
}

fn name_visibility(name: &str, kind: SymbolKind) -> Visibility {
    let member = matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
    if name.starts_with("__") && name.ends_with("__") && name.len() > 4 {
        Visibility::Public
    } else if name.starts_with("__") && member {
        Visibility::Private
    } else if name.starts_with('_') && name.len() > 1 {
        if member { Visibility::Protected } else { Visibility::Internal }
    } else {
        Visibility::Public
    }
}

/// Marks the definitions that others may use: the names in `__all__`, or every public name where there is no
/// `__all__`, and public members of those.
pub(super) fn mark_exports(cx: &mut Context<'_>) {
    let named: std::collections::HashSet<_> = cx.b.exports().iter().map(|export| export.local).collect();
    for at in 1..cx.b.defs().len() {
        let ix = DefIx(at as u32);
        let def = cx.b.def(ix);
        if def.flags.has(DefFlags::LOCAL) {
            continue;
        }
        let parent = def.parent.unwrap_or(DefIx::MODULE);
        let exported = if parent == DefIx::MODULE {
            if cx.state.has_all { named.contains(&def.name) } else { def.visibility == Visibility::Public }
        } else {
            def.visibility == Visibility::Public && cx.b.def(parent).flags.has(DefFlags::EXPORTED)
        };
        if exported {
            cx.b.flag(ix, DefFlags::EXPORTED);
        }
    }
    if cx.state.has_all {
        for import in cx.b.imports_mut() {
            import.reexport |= import.local.is_some_and(|local| named.contains(&local));
        }
    }
}
