//! Parameters.

use sdl_model::facts::{BindingKind, DefIx, Expr, ExprIx, Param, ParamKind, parameter_at};
use sdl_model::{Lang, Visibility};

use super::calls::required_module;
use super::keys::property_name;
use super::kinds::{Context, F, K, Node};
use super::written_params::{Written, written_params};
use super::{jsdoc, patterns};
use crate::builder::MAX_ELEMENTS;
use crate::builder::text::fold_line;

/// In [`Expr::Passed`], in place of an argument: the parameter is the callee's own; in place of a parameter: the argument
/// itself is meant.
const OWN: u8 = 255;

/// Adds the parameters of `function` to `def`.
pub(super) fn add_params<'a>(cx: &mut Context<'a>, def: DefIx, function: Node<'a>) {
    if !cx.b.def(def).params.is_empty() {
        return;
    }
    for param in written_params(function) {
        let named = matches!(param.pattern.kind(), K::Identifier | K::This);
        let name = if named { param.pattern.text() } else { "" };
        let mut ty = param.ty.map(|ty| cx.b.out.ty(ty));
        if param.kind == ParamKind::Rest {
            // `...rest: T[]` takes many T.
            ty = ty.map(|ty| match cx.b.out.expr(ty) {
                Expr::Index(element) => *element,
                _ => ty,
            });
        }
        let stated = Param {
            name: cx.b.out.str(name),
            ty_text: param.ty.map(|ty| {
                let text = ty.text().trim_start_matches(':').trim_start();
                cx.b.out.str(&fold_line(text, 200))
            }),
            ty,
            optional: param.optional,
            kind: param.kind,
        };
        cx.b.def_mut(def).params.push(stated);
    }
}

/// Binds the parameters of `function`, whose definition `def` is the innermost open one.
pub(super) fn bind_params<'a>(cx: &mut Context<'a>, def: DefIx, function: Node<'a>) {
    let range = (cx.b.def(def).span.start, cx.b.scope_end());
    for (at, param) in written_params(function).enumerate() {
        let value = match param.default.filter(|_| param.ty.is_none()) {
            Some(default) => Some(cx.b.body.value(default)),
            None if param.ty.is_none() => known_param_type(cx, def, function, param, at),
            None => None,
        };
        bind_one(cx, param, Some(at), value, range);
        read_param_property(cx, def, param);
    }
}

/// Binds `param`, the one at `place` of a function with a name.
fn bind_one<'a>(
    cx: &mut Context<'a>,
    param: Written<'a>,
    place: Option<usize>,
    value: Option<ExprIx>,
    range: (u32, u32),
) {
    let ty = param.ty.map(|ty| cx.b.body.ty(ty));
    match param.pattern.kind() {
        K::Identifier | K::This => {
            let ty = ty.filter(|ty| !cx.b.body.is_unknown(*ty));
            let name = param.pattern.text();
            cx.b.bind_within(BindingKind::Param, name, ty, value, range);
        }
        _ => {
            let whole = match ty {
                Some(ty) => Some(cx.b.body.add(Expr::New(ty))),
                None => value,
            };
            // What calls pass for an object that is taken apart.
            let whole = whole.or_else(|| {
                let name = place.filter(|_| param.pattern.is(K::ObjectPattern)).map(parameter_at)?;
                cx.b.bind_within(BindingKind::Param, &name, None, None, range);
                Some(cx.b.body.type_name(&name))
            });
            let annotation = param.ty.and_then(Node::first);
            patterns::bind_pattern(cx, BindingKind::Param, param.pattern, whole, annotation, range);
        }
    }
}

/// A constructor's parameter that is a field as well.
fn read_param_property<'a>(cx: &mut Context<'a>, def: DefIx, param: Written<'a>) {
    let Some(node) = param.pattern.parent().filter(|node| {
        node.children()
            .any(|part| matches!(part.kind(), K::AccessibilityModifier | K::Readonly | K::OverrideModifier))
    }) else {
        return;
    };
    let Some(class) = cx.b.def(def).parent.filter(|class| cx.b.def(*class).kind.is_type()) else { return };
    let name = param.pattern;
    let new = crate::builder::NewDef::new(sdl_model::SymbolKind::Field, name.text(), name, node);
    let field = cx.b.leaf_of(class, new);
    let ty = param.ty.map(|ty| cx.b.out.ty(ty));
    let modifier = node.child_of(K::AccessibilityModifier).map_or("", Node::text);
    let def = cx.b.def_mut(field);
    def.ty = ty;
    def.visibility = match modifier {
        "private" => Visibility::Private,
        "protected" => Visibility::Protected,
        _ => Visibility::Public,
    };
}

/// Binds the parameters of a function without a name, known in it alone.
pub(super) fn bind_anonymous_params<'a>(cx: &mut Context<'a>, function: Node<'a>) {
    let range = (function.start(), function.end());
    for (at, param) in written_params(function).enumerate() {
        let value = match param.default {
            Some(default) => Some(cx.b.body.value(default)),
            None if param.ty.is_none() => passed_param_type(cx, function, at),
            None => None,
        };
        bind_one(cx, param, None, value, range);
    }
}

/// The known type of parameter `at` of `function`, for which the code states no type. The sources are the
/// documentation of a destructured parameter, or a call that takes the object around the function.
fn known_param_type<'a>(
    cx: &mut Context<'a>,
    def: DefIx,
    function: Node<'a>,
    param: Written<'a>,
    at: usize,
) -> Option<ExprIx> {
    if cx.lang == Lang::JavaScript
        && !param.pattern.is(K::Identifier)
        && let Some(ty) = jsdoc::param_type(cx, def, at)
    {
        return Some(cx.b.body.add(Expr::New(ty)));
    }
    if let Some(given) = handed_back(cx, function, at) {
        return Some(given);
    }
    let (member, name) = match function.parent().filter(|pair| pair.is(K::Pair)) {
        Some(pair) => (pair, pair.child(F::Key)?),
        None => (function, function.child(F::Name)?),
    };
    let object = member.parent().filter(|object| object.is(K::Object))?;
    let (callee, arg) = callee_and_position(cx, object)?;
    let object = cx.b.body.add(Expr::Passed(callee, arg, OWN));
    let member = cx.b.body.attr(object, property_name(name));
    Some(cx.b.body.add(Expr::Passed(member, OWN, at.min(254) as u8)))
}

/// The type of parameter `at` of `function`, an argument of a call, as the callee states it for the values that it
/// passes.
fn passed_param_type<'a>(cx: &mut Context<'a>, function: Node<'a>, at: usize) -> Option<ExprIx> {
    if let Some(given) = handed_back(cx, function, at) {
        return Some(given);
    }
    let call = function.parent().filter(|arguments| arguments.is(K::Arguments))?.parent()?;
    let callee = call.child(F::Function).or_else(|| call.child(F::Constructor))?;
    // `import('…').then((module) => …)`.
    if let Some(object) = callee
        .child(F::ObjectField)
        .filter(|object| at == 0 && object.is(K::CallExpression) && required_module(*object).is_some())
    {
        return Some(cx.b.body.value(object));
    }
    let (callee, arg) = callee_and_position(cx, function)?;
    Some(cx.b.body.add(Expr::Passed(callee, arg, at.min(254) as u8)))
}

/// The type of parameter `at` of `function`, from the stated result of the function that returns it.
fn handed_back<'a>(cx: &mut Context<'a>, function: Node<'a>, at: usize) -> Option<ExprIx> {
    let parent = function.parent()?;
    let around = match parent.kind() {
        K::ReturnStatement => parent.ancestors().take(16).find(|node| node.kind().is_function())?,
        K::ArrowFunction if function.field() == F::Body => parent,
        _ => return None,
    };
    let ret = cx.b.body.ty(around.child(F::ReturnType)?);
    if cx.b.body.is_unknown(ret) {
        return None;
    }
    let value = cx.b.body.add(Expr::New(ret));
    Some(cx.b.body.add(Expr::Passed(value, OWN, at.min(254) as u8)))
}

/// The callee or constructor of the call that has `value` as an argument, and the argument's index.
fn callee_and_position<'a>(cx: &mut Context<'a>, value: Node<'a>) -> Option<(ExprIx, u8)> {
    let arguments = value.parent().filter(|arguments| arguments.is(K::Arguments))?;
    let arg = arguments.children().take(MAX_ELEMENTS).position(|one| one == value)?;
    let call = arguments.parent()?;
    let callee = call.child(F::Function).or_else(|| call.child(F::Constructor))?;
    let mut shape = cx.b.body.value(callee);
    if cx.b.body.is_unknown(shape) {
        return None;
    }
    if call.is(K::NewExpression) {
        shape = cx.b.body.add(Expr::New(shape));
    }
    Some((shape, arg as u8))
}
