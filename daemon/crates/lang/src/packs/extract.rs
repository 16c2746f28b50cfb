//! The extractor of shallow languages: turns the queries' results into facts.

use sdl_model::facts::{
    BaseKind, BindingKind, DefFlags, DefIx, Expr, ExprIx, ImportKind, Param, ParamKind, RefForm,
};
use sdl_model::{Lang, SymbolKind, Visibility};
use tree_sitter::Tree;

use super::context::{Context, Node, State, arg_count, part_node};
use super::query::{Form, Mark, Part, Receiver, Role};
use super::shapes::{type_shape, value_shape};
use super::{Pack, Shallow};
use crate::ExtractError;
use crate::builder::text::{clean_comment, fold_line};
use crate::builder::{EffectTable, Half, NewDef, Shapes};
use crate::driver::{Language, Visit};
use crate::flow::Flow;
use crate::kinds::KindNames;
use crate::syntax::Syntax;

/// The longest text of a type that is shown.
const MAX_TYPE: usize = 200;
/// The longest stretch that is searched before a name for words like `public`, and after it for the start of a body.
const MAX_HEADER: usize = 400;
/// Maximum number of parameters of one definition.
const MAX_PARAMS: usize = 64;

impl<P: Pack> Syntax for Shallow<P> {
    type K = P::K;
    type F = P::F;

    fn is_comment(kind: P::K) -> bool {
        kind != P::K::OTHER && kind != P::K::ERROR
    }
}

impl<P: Pack> Shapes for Shallow<P> {
    fn value<'a>(half: &mut Half<'a>, _node: Node<'a, P>) -> ExprIx {
        half.unknown()
    }

    fn ty<'a>(half: &mut Half<'a>, node: Node<'a, P>) -> ExprIx {
        type_shape(half, P::SPEC, node.text())
    }
}

impl<P: Pack> Language for Shallow<P> {
    type State = State;

    const FLOW: Flow = P::FLOW;

    fn effects() -> &'static EffectTable {
        static NONE: EffectTable = EffectTable::new(&[]);
        &NONE
    }

    fn survey(lang: Lang, tree: &Tree, src: &[u8]) -> Result<State, ExtractError> {
        let query = P::query(&tree.language());
        Ok(State { marks: query.marks(lang, tree, src)?, ..State::default() })
    }

    fn enter<'a>(cx: &mut Context<'a, P>, node: Node<'a, P>) -> Visit {
        let Some(marks) = cx.state.marks.get(&node.ix()) else { return Visit::Into };
        let marks = marks.clone();
        let mut imports = marks.iter().filter(|mark| mark.role == Role::Import).peekable();
        if imports.peek().is_some() {
            imports.for_each(|mark| read_import(cx, node, mark));
            return Visit::Skip;
        }
        let mut opened = false;
        for mark in marks {
            match mark.role {
                Role::Skip => return Visit::Skip,
                Role::Import => {}
                Role::Package => {
                    let text: String = node.text().chars().filter(|c| !c.is_whitespace()).collect();
                    cx.b.package(&text);
                    return Visit::Skip;
                }
                Role::Export => cx.b.export(node.text(), "default"),
                Role::Definition(kind) if !opened => opened = read_definition(cx, node, &mark, kind),
                Role::Definition(_) => {}
                Role::Reference(form) => read_reference(cx, node, &mark, form),
                Role::Local => bind_local(cx, node, &mark),
                Role::Parameter => read_param(cx, node, &mark),
                Role::Returns => read_stated_type(cx, node, true),
                Role::Type => read_stated_type(cx, node, false),
                Role::Base => read_base(cx, node, BaseKind::Extends),
                Role::Implements => read_base(cx, node, BaseKind::Implements),
                Role::Docs => read_docs(cx, node, &mark),
            }
        }
        Visit::Into
    }
}

/// A name without its quotes.
fn plain_name(text: &str) -> &str {
    text.trim_matches(['`', '"', '\''])
}

/// Opens a definition; false if it is only a local name here.
fn read_definition<'a, P: Pack>(
    cx: &mut Context<'a, P>,
    node: Node<'a, P>,
    mark: &Mark,
    mut kind: SymbolKind,
) -> bool {
    let owner = part_node(node, mark, Part::Owner);
    let Some(at) = part_node(node, mark, Part::Name).or(owner).or(mark.props.name.map(|_| node)) else {
        return false;
    };
    let inside = cx.b.callable().is_some();
    let is_value = matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field);
    if inside && (is_value || mark.props.local) {
        bind_local(cx, node, mark);
        return false;
    }
    if !cx.state.used.insert(at.start()) {
        return false;
    }
    let outer = cx.b.scope_kind();
    let is_member = outer.is_type() || outer == SymbolKind::Impl;
    kind = match kind {
        SymbolKind::Function if is_member || mark.props.in_owner => SymbolKind::Method,
        SymbolKind::Variable if is_member => SymbolKind::Field,
        kind => kind,
    };
    let whole = mark.props.name.unwrap_or(plain_name(at.text()));
    let name = whole.rsplit('.').next().unwrap_or(whole);
    let body = part_node(node, mark, Part::Body);
    let mut new = NewDef::new(kind, name, at, node).body(body);
    // Where the grammar has no node for a body.
    let from = if at.ix() == node.ix() { node.start() } else { at.end() };
    if body.is_none()
        && kind != SymbolKind::Variable
        && let Some(brace) = header_after(cx.b.slice(from, node.end())).find(" {")
    {
        new = new.header_to(from + brace as u32);
    }
    // `local a, b = 1, 2`: the second is beside the first, although the first's node is around it.
    let scope = cx.b.def(cx.b.scope());
    let beside = scope.parent.filter(|_| is_value && scope.kind == SymbolKind::Variable);
    let def = match beside {
        Some(parent) => cx.b.open_of(parent, new),
        None => cx.b.open(new),
    };
    if let Some(owner) = owner {
        let owner = type_shape(&mut cx.b.out, P::SPEC, owner.text());
        cx.b.def_mut(def).owner = Some(owner);
    }
    // `function M.f()` is a member of the table that `M` holds, `defmodule A.B` names all that it is in.
    let before = owner.filter(|_| mark.props.in_owner).map(|owner| format!("{}.{name}", owner.text()));
    let spelled = before.or_else(|| (whole.len() > name.len()).then(|| whole.to_owned()));
    if let Some(spelled) = spelled {
        let parent = cx.b.scope_parent_name(def);
        let qualified = if parent.is_empty() { spelled } else { format!("{parent}.{spelled}") };
        let qualified = cx.b.out.str(&qualified);
        cx.b.def_mut(def).qualified = qualified;
    }
    let (visibility, is_public) = name_visibility(cx, node, mark, at, kind);
    let mut flags = DefFlags(mark.props.flags);
    if is_public {
        flags = flags.with(DefFlags::EXPORTED);
    }
    cx.b.def_mut(def).visibility = visibility;
    cx.b.flag(def, flags);
    if let Some(doc) = cx.state.docs.take() {
        cx.b.doc(def, &doc);
    }
    if let Some(of) = part_node(node, mark, Part::Of) {
        set_stated(cx, def, of, kind.is_callable());
    }
    if let Some(value) = part_node(node, mark, Part::Value) {
        let shape = value_shape(cx, value);
        if !cx.b.body.is_unknown(shape) {
            cx.b.add_value(def, shape, value.start());
        }
    }
    true
}

/// The part of a definition's text after its name that can be its header.
fn header_after(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_HEADER)).unwrap_or_default()
}

/// The visibility of the definition whose name is the node `at`, and whether other files may use it.
fn name_visibility<'a, P: Pack>(
    cx: &Context<'a, P>,
    node: Node<'a, P>,
    mark: &Mark,
    at: Node<'a, P>,
    kind: SymbolKind,
) -> (Visibility, bool) {
    let spec = P::SPEC;
    let from = node.start().max(at.start().saturating_sub(MAX_HEADER as u32));
    let from = (from..=at.start()).find(|at| node.src().is_char_boundary(*at as usize)).unwrap_or(from);
    let header = cx.b.slice(from, at.start());
    let has = |words: &[&str]| {
        !words.is_empty()
            && header.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| words.contains(&word))
    };
    let by_name = !spec.private_prefix.is_empty() && at.text().starts_with(spec.private_prefix);
    // Fields and the members of enumerations are as public as their type.
    let is_inner = matches!(kind, SymbolKind::Field | SymbolKind::EnumMember);
    let needs_word = !spec.public_words.is_empty() && !is_inner && !has(spec.public_words);
    let is_public = mark.props.is_public.unwrap_or(!by_name && !needs_word && !has(spec.private_words));
    (if is_public { Visibility::Public } else { Visibility::Private }, is_public)
}

/// A name of the function around.
fn bind_local<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, mark: &Mark) {
    let Some(name) = part_node(node, mark, Part::Name) else { return };
    if !cx.state.used.insert(name.start()) {
        return;
    }
    let ty = part_node(node, mark, Part::Of).map(|of| type_shape(&mut cx.b.body, P::SPEC, of.text()));
    let value = part_node(node, mark, Part::Value).map(|value| value_shape(cx, value));
    cx.b.bind(BindingKind::Local, plain_name(name.text()), ty, value, name.start());
}

fn read_param<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, mark: &Mark) {
    let def = cx.b.scope();
    let kind = cx.b.def(def).kind;
    if !(kind.is_callable() || kind.is_type()) || cx.b.def(def).params.len() >= MAX_PARAMS {
        return;
    }
    let name = part_node(node, mark, Part::Name);
    if !cx.state.params.insert(node.ix()) {
        return;
    }
    if let Some(name) = name
        && !cx.state.used.insert(name.start())
    {
        return;
    }
    let text = name.map_or("", |name| plain_name(name.text()));
    let of = part_node(node, mark, Part::Of);
    let is_receiver = mark.props.param == ParamKind::Receiver || P::SPEC.own.contains(&text);
    let param = Param {
        name: cx.b.out.str(text),
        ty_text: of.map(|of| cx.b.out.str(&fold_line(of.text(), MAX_TYPE))),
        ty: of.map(|of| type_shape(&mut cx.b.out, P::SPEC, of.text())),
        optional: part_node(node, mark, Part::Default).is_some(),
        kind: if is_receiver { ParamKind::Receiver } else { mark.props.param },
    };
    cx.b.def_mut(def).params.push(param);
    if kind.is_callable() {
        let ty = of.map(|of| type_shape(&mut cx.b.body, P::SPEC, of.text()));
        cx.b.bind(BindingKind::Param, text, ty, None, node.start());
    }
}

/// A type that the innermost definition states: its result type or its own.
fn read_stated_type<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, returned: bool) {
    let def = cx.b.scope();
    if def != DefIx::MODULE {
        set_stated(cx, def, node, returned);
    }
}

fn set_stated<'a, P: Pack>(cx: &mut Context<'a, P>, def: DefIx, node: Node<'a, P>, returned: bool) {
    let ty = type_shape(&mut cx.b.out, P::SPEC, node.text());
    if returned {
        let text = cx.b.out.str(&fold_line(node.text(), MAX_TYPE));
        let def = cx.b.def_mut(def);
        def.ret = def.ret.or(Some(ty));
        def.ret_text = def.ret_text.or(Some(text));
    } else {
        let def = cx.b.def_mut(def);
        def.ty = def.ty.or(Some(ty));
    }
}

fn read_base<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, kind: BaseKind) {
    let def = cx.b.scope();
    if def != DefIx::MODULE {
        let ty = type_shape(&mut cx.b.out, P::SPEC, node.text());
        cx.b.base(def, kind, ty, node.start());
    }
}

fn read_docs<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, mark: &Mark) {
    let text = part_node(node, mark, Part::Value).map_or(node.text(), Node::text);
    let text = text.trim_start_matches(|c: char| c == '~' || c.is_alphabetic());
    let doc = clean_comment(text.trim_matches(['"', '\'']));
    cx.b.doc_span(node.start(), node.end());
    match (mark.props.around, doc) {
        (true, Some(doc)) => {
            let def = cx.b.scope();
            cx.b.doc(def, &doc);
        }
        (_, doc) => cx.state.docs = doc,
    }
}

fn read_reference<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, mark: &Mark, form: RefForm) {
    let name = part_node(node, mark, Part::Name).unwrap_or(node);
    // A type by its path: `a.b.C<D>`.
    let text = plain_name(name.text()).trim_start_matches('.');
    let text = text.get(..text.find(['<', '[', ' ', '\n']).unwrap_or(text.len())).unwrap_or("");
    let (path, last) = text.rsplit_once('.').unwrap_or(("", text));
    let end = name.text().find(text).map_or(0, |at| at + text.len());
    let at = (name.start() + end as u32).saturating_sub(last.len() as u32);
    if last.is_empty() || !cx.state.used.insert(at) {
        return;
    }
    let receiver = part_node(node, mark, Part::Receiver);
    let recv = match mark.props.receiver {
        Some(Receiver::Own) => Some(cx.b.body.add(Expr::SelfRef)),
        Some(Receiver::Base) => Some(cx.b.body.add(Expr::SuperRef)),
        None => receiver.map(|receiver| value_shape(cx, receiver)),
    };
    let arguments = part_node(node, mark, Part::Arguments);
    let args = arg_count(node, arguments) + usize::from(mark.props.extra);
    let recv = if recv.is_none() && !path.is_empty() && form != RefForm::Decorator {
        Some(cx.b.body.dotted(path))
    } else {
        recv
    };
    let form = match form {
        RefForm::Call if recv.is_some() => RefForm::MethodCall,
        form => form,
    };
    cx.b.reference(form, last, at, recv, args);
}

fn read_import<'a, P: Pack>(cx: &mut Context<'a, P>, node: Node<'a, P>, mark: &Mark) {
    let Some(module) = part_node(node, mark, Part::Module) else { return };
    let end = mark.module_end().and_then(|at| node.at(at)).unwrap_or(module).end();
    let text = cx.b.slice(module.start(), end).trim().trim_matches(['"', '\'', '<', '>', '`']);
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let name = part_node(node, mark, Part::Name).map(|name| plain_name(name.text()));
    let alias = part_node(node, mark, Part::Alias).map(|alias| plain_name(alias.text()));
    let last = |text: &str| -> String {
        let file = text.rsplit('/').next().unwrap_or(text);
        file.rsplit(['.', ':']).next().unwrap_or(file).to_owned()
    };
    let at = node.start();
    let import = match (mark.props.form, name) {
        (Form::Wildcard, _) => cx.b.import(ImportKind::Wildcard, &text, None, None, at),
        (Form::Include, _) => cx.b.import(ImportKind::Include, &text, None, None, at),
        (Form::SideEffect, _) => cx.b.import(ImportKind::SideEffect, &text, None, None, at),
        (Form::Last, _) if let Some((base, name)) = text.rsplit_once('.') => {
            cx.b.import(ImportKind::Named, base, Some(name), Some(alias.unwrap_or(name)), at)
        }
        (_, Some(name)) => {
            let local = last(name);
            cx.b.import(ImportKind::Named, &text, Some(name), Some(alias.unwrap_or(&local)), at)
        }
        (_, None) => {
            let local = last(&text);
            cx.b.import(ImportKind::Module, &text, None, Some(alias.unwrap_or(&local)), at)
        }
    };
    import.reexport = mark.props.reexport;
}
