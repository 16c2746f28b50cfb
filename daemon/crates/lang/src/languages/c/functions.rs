//! Functions: their definitions, and their declarations before them.

use sdl_model::SymbolKind;
use sdl_model::facts::{DefFlags, DefIx};

use super::declarators::{Declared, function_shape, last_name};
use super::kinds::{Context, F, K, Node};
use super::state::{read_bounds, read_generics, set_visibility, with_template};
use super::{names, params};
use crate::builder::NewDef;
use crate::builder::text::fold_line;
use crate::driver::Visit;

pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(declared) = node.child(F::Declarator).and_then(Declared::of) else { return Visit::Into };
    // The parser makes this of a statement after broken code.
    let statement = matches!(declared.name.text(), "if" | "for" | "while" | "switch" | "else");
    if declared.function.is_none() || statement {
        return Visit::Into;
    }
    let body = node.child(F::Body);
    open_function(cx, node, &declared, body);
    Visit::Into
}

/// Opens the function that `declared` declares in `node`: a definition if it has a body.
pub(super) fn open_function<'a>(
    cx: &mut Context<'a>,
    node: Node<'a>,
    declared: &Declared<'a>,
    body: Option<Node<'a>>,
) -> DefIx {
    let last = last_name(declared.name).unwrap_or(declared.name);
    let list = declared.function.and_then(|function| function.child(F::Parameters));
    let mut text = last.text();
    if last.is(K::OperatorCast) {
        // `operator bool() const`: up to the parameters.
        let end = last.child(F::Declarator).map_or(last.end(), Node::start);
        text = cx.b.slice(last.start(), end).trim_end();
    }
    // In the old style, the parameters' types are between the list and the body.
    let old_style: Vec<Node<'a>> = node.children().filter(|child| child.is(K::Declaration)).collect();
    let qualified = declared.name.is(K::QualifiedIdentifier);
    let scope = cx.b.scope();
    let in_type = cx.b.def(scope).kind.is_type();
    let is_bare = !in_type && old_style.is_empty() && node.child(F::Type).is_none();
    let made = made_by_macro(text, list).filter(|_| is_bare);
    let test = made.filter(|_| is_test(text));
    if let Some((_, name)) = made {
        text = name.text();
    }
    let defined = body.is_some()
        || node.children().any(|child| child.is(K::DefaultMethodClause) || child.is(K::DeleteMethodClause));
    let mut owner = if qualified { names::scope_of(&mut cx.b.out, declared.name) } else { None };
    let class = if qualified { last_scope(declared.name) } else { in_type.then(|| cx.b.name_of(scope)) };
    let kind = match class {
        Some(class) if class == text => SymbolKind::Constructor,
        Some(_) if owner.is_some() || in_type => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let qualifier = owner.map(|_| scope_text(declared.name, last));
    // A fixture's members are visible in its tests.
    if let Some((fixture, _)) = made.filter(|(fixture, name)| fixture != name) {
        owner = Some(cx.b.out.type_name(fixture.text()));
    }
    let whole = with_template(node);
    let mut new = NewDef::new(kind, text, last, whole).header_from(node.start()).body(body);
    if body.is_some()
        && let Some(first) = node.child_of(K::FieldInitializerList)
    {
        new = new.header_to(first.start());
    }
    let def = cx.b.open(new.without_comments_in(list));
    if let Some(owner) = owner {
        cx.b.def_mut(def).owner = Some(owner);
    }
    if let Some(qualifier) = qualifier {
        let qualified = format!("{qualifier}{text}");
        let outer = cx.b.def(scope).qualified;
        let outer = cx.b.out.text(outer);
        let qualified = if outer.is_empty() { qualified } else { format!("{outer}::{qualified}") };
        cx.b.def_mut(def).qualified = cx.b.out.str(&qualified);
    }
    read_generics(cx, def, node);
    read_bounds(cx, def, node);
    let flags = function_flags(node, declared, in_type, defined, cx.b.scope_kind());
    cx.b.flag(def, flags);
    if test.is_some() || (kind == SymbolKind::Function && text.starts_with("test_")) {
        cx.b.flag(def, DefFlags::TEST);
    }
    if made.is_none()
        && let Some(list) = list
    {
        params::read_params(cx, def, list, &old_style);
    }
    read_result(cx, def, node, declared);
    set_visibility(cx, def, node, flags.has(DefFlags::STATIC) && !in_type && owner.is_none());
    def
}

fn function_flags(
    node: Node<'_>,
    declared: &Declared<'_>,
    in_type: bool,
    defined: bool,
    _kind: SymbolKind,
) -> DefFlags {
    let mut flags = DefFlags::default();
    if !defined {
        flags = flags.with(DefFlags::ABSTRACT);
    }
    for child in node.children() {
        if child.is(K::StorageClass) && child.text() == "static" {
            flags = flags.with(DefFlags::STATIC);
        }
        let text = || child.text();
        if matches!(child.kind(), K::AttributeSpecifier | K::AttributeDeclaration)
            && text().contains("deprecated")
        {
            flags = flags.with(DefFlags::DEPRECATED);
        }
    }
    let overrides =
        |of: Node<'_>| of.children().any(|child| child.is(K::VirtualSpecifier) && child.text() == "override");
    if in_type && (overrides(node) || declared.function.is_some_and(overrides)) {
        flags = flags.with(DefFlags::OVERRIDE);
    }
    flags
}

/// The stated result type.
fn read_result<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>, declared: &Declared<'a>) {
    let trailing =
        declared.function.and_then(|function| function.child_of(K::TrailingReturnType)).and_then(Node::first);
    let Some(ty) = trailing.or_else(|| node.child(F::Type)) else { return };
    if ty.is(K::PlaceholderType) {
        return;
    }
    let text = if trailing.is_some() {
        fold_line(ty.text(), 200)
    } else {
        // With the stars and ampersands that are before the name.
        let end = declared.function.map_or(declared.name.start(), Node::start);
        fold_line(cx.b.slice(ty.start(), end), 200)
    };
    let mut shape = cx.b.out.ty(ty);
    if let Some(of) = declared.callable {
        shape = function_shape(&mut cx.b.out, shape, of);
    }
    let text = cx.b.out.str(&text);
    let def = cx.b.def_mut(def);
    def.ret_text = Some(text);
    def.ret = Some(shape);
}

/// The last name of a qualified name's scope.
fn last_scope(qualified: Node<'_>) -> Option<&str> {
    let mut at = qualified;
    let mut scope = None;
    for _ in 0..16 {
        if !at.is(K::QualifiedIdentifier) {
            break;
        }
        scope = at.child(F::Scope).or(scope);
        at = at.child(F::Name)?;
    }
    let scope = scope?;
    Some(if scope.is(K::TemplateType) { scope.child(F::Name)?.text() } else { scope.text() })
}

/// The text before the last name, without template arguments and white space: `ns::Type::`.
fn scope_text(qualified: Node<'_>, last: Node<'_>) -> String {
    let src = qualified.src().get(qualified.start() as usize..last.start() as usize).unwrap_or("");
    let mut depth = 0u32;
    let mut text = String::with_capacity(src.len());
    for c in src.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => text.push(c),
            _ => {}
        }
    }
    text.trim_start_matches(':').to_owned()
}

/// The first name and the last of the first two, for a function that a macro makes of names: `TEST(Suite, Name) { …
/// }`.
fn made_by_macro<'a>(macro_name: &str, list: Option<Node<'a>>) -> Option<(Node<'a>, Node<'a>)> {
    if !super::mask::is_upper_case(macro_name.as_bytes()) {
        return None;
    }
    let mut named = list?.children().take(8).map(|param| {
        let ty = param.child(F::Type).filter(|_| param.is(K::ParameterDeclaration))?;
        (ty.is(K::TypeIdentifier) && param.child(F::Declarator).is_none()).then_some(ty)
    });
    let first = named.next()??;
    let second = named.next();
    // More arguments may be anything.
    match second {
        None => Some((first, first)),
        Some(second) => second.map(|second| (first, second)),
    }
}

fn is_test(macro_name: &str) -> bool {
    macro_name.split('_').any(|word| matches!(word, "TEST" | "TESTCASE" | "FIXTURE"))
}

/// `friend …`: its declaration belongs to the namespace around the class, and is usually repeated there.
pub(super) fn read_friend<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(function) = node.child_of(K::FunctionDefinition) else { return Visit::Skip };
    let Some(declared) = function.child(F::Declarator).and_then(Declared::of) else { return Visit::Skip };
    if declared.function.is_none() {
        return Visit::Skip;
    }
    // A friend that is defined here is found by its arguments; in the outline it stays with the class.
    let _ = cx;
    Visit::Into
}
