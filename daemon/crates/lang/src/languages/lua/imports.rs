//! `require` and `dofile`.

use sdl_model::facts::{DefIx, ImportKind};

use super::exprs::{module_name, named_module, required};
use super::kinds::{Context, F, K, Node};
use super::names;

/// A local or global name that is set to a module, or to a member of one. Returns whether it is.
pub(super) fn bind_module<'a>(cx: &mut Context<'a>, name: Node<'a>, value: Node<'a>) -> bool {
    let value = names::unwrapped(value);
    let (call, member) = match value.kind() {
        K::DotIndex => match names::member_parts(value) {
            Some((table, member)) => (table, Some(member)),
            None => return false,
        },
        _ => (value, None),
    };
    let Some(module) = required(call) else { return false };
    cx.state.bound_calls.insert(call.ix());
    let (kind, member) = match member {
        Some(member) => {
            cx.state.declared.insert(member.start());
            (ImportKind::Named, Some(member.text()))
        }
        None => (ImportKind::Module, None),
    };
    cx.b.import(kind, &module, member, Some(name.text()), name.start());
    true
}

/// `local ok, name = pcall(require, "module")`.
pub(super) fn bind_tried<'a>(cx: &mut Context<'a>, name: Node<'a>, call: Node<'a>) -> bool {
    if !names::calls(call, "pcall") {
        return false;
    }
    let mut arguments = names::arguments(call);
    let is_require =
        arguments.next().is_some_and(|callee| callee.is(K::Identifier) && callee.text() == "require");
    let Some(module) = arguments.next().filter(|_| is_require).and_then(named_module) else { return false };
    cx.b.import(ImportKind::Module, &module, None, Some(name.text()), name.start());
    true
}

/// A call of `require` whose module no name is bound to.
pub(super) fn read_require<'a>(cx: &mut Context<'a>, call: Node<'a>) {
    let Some(module) = required(call).filter(|_| !cx.state.bound_calls.contains(&call.ix())) else { return };
    if matches!(call.parent_kind(), Some(K::Block | K::Chunk)) {
        cx.b.import(ImportKind::SideEffect, &module, None, None, call.start());
    } else if cx.state.required.insert(module.clone()) {
        let local = module_name(&module);
        // The value may leave the function.
        cx.b.import(ImportKind::Module, &module, None, Some(&local), call.start()).scope = DefIx::MODULE;
    }
}

/// `dofile("part.lua")`: its names become those of this file.
pub(super) fn read_dofile<'a>(cx: &mut Context<'a>, call: Node<'a>) {
    let path = names::arguments(call).next().filter(|path| path.is(K::String));
    if let Some(path) = path.and_then(|path| path.child(F::Content)) {
        cx.b.import(ImportKind::Include, path.text(), None, None, call.start());
    }
}
