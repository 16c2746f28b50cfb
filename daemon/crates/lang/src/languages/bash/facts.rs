//! Functions, variables, commands, inclusion of files.

use sdl_model::facts::{BindingKind, DefFlags, DefIx, ImportKind, RefForm};
use sdl_model::{SymbolKind, Visibility};

use super::exprs;
use super::kinds::{Context, F, K, Node};
use crate::builder::NewDef;

pub(super) fn read_function<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField) else { return };
    let new = NewDef::new(SymbolKind::Function, name.text(), name, node).body(node.child(F::Body));
    let def = cx.b.open(new);
    // A function is known everywhere once the function around it has run.
    cx.b.flag(def, DefFlags::EXPORTED);
    if name.text().starts_with("test_") {
        cx.b.flag(def, DefFlags::TEST);
    }
}

/// `name args…`.
pub(super) fn read_command<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField).and_then(Node::first).filter(|name| name.is(K::Word)) else {
        return;
    };
    let text = name.text();
    if matches!(text, "source" | ".") {
        if let Some(path) = node.child(F::Argument) {
            cx.b.import(ImportKind::Include, exprs::unquoted_text(path), None, None, node.start());
        }
        return;
    }
    cx.b.effect_of(text);
    let args = node.children_in(F::Argument).take(255).count();
    match text {
        // Callbacks by name.
        "trap" => {
            if let Some(handler) = node.child(F::Argument).filter(|handler| !handler.is(K::Concatenation)) {
                let name = exprs::unquoted_text(handler);
                if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
                    cx.b.reference(RefForm::Value, name, handler.start(), None, 0);
                }
            }
        }
        "read" => {
            for target in node.children_in(F::Argument).filter(|arg| arg.is(K::Word)).take(16) {
                if !target.text().starts_with('-') {
                    cx.b.bind(BindingKind::Local, target.text(), None, None, target.end());
                }
            }
        }
        "exit" => {
            if let Some(def) = cx.b.callable() {
                cx.b.invariant(def, node.text().get(..120).unwrap_or(node.text()));
            }
        }
        _ if !is_builtin(text) => cx.b.reference(RefForm::Call, text, name.start(), None, args),
        _ => {}
    }
}

fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        ":" | "["
            | "alias"
            | "break"
            | "builtin"
            | "cd"
            | "command"
            | "continue"
            | "echo"
            | "eval"
            | "exec"
            | "false"
            | "let"
            | "printf"
            | "pwd"
            | "return"
            | "set"
            | "shift"
            | "shopt"
            | "test"
            | "true"
            | "type"
            | "wait"
    )
}

/// Whether `node`, a declaration inside a function, makes a local name.
fn is_local(node: Node<'_>) -> bool {
    let word = node.first().map(Node::kind);
    let global = node.children().take(4).any(|part| part.is(K::Word) && part.text().starts_with("-g"));
    matches!(word, Some(K::Local | K::Declare | K::Typeset)) && !global
}

/// `local x`, `declare -a x`: names that are given no value.
pub(super) fn read_declaration<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let inside = cx.b.callable().is_some();
    for name in node.children().filter(|part| part.is(K::VariableName)) {
        if inside && is_local(node) {
            cx.b.bind(BindingKind::Local, name.text(), None, None, name.start());
        }
    }
}

/// `x=…`, `local x=…`, `export X=…`.
pub(super) fn read_assignment<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(name) = node.child(F::NameField).filter(|name| name.is(K::VariableName)) else { return };
    let Some(parent) = node.parent() else { return };
    // `X=1 cmd` sets it for the command alone.
    if parent.is(K::Command) {
        return;
    }
    let declared = parent.is(K::DeclarationCommand);
    let inside = cx.b.callable().is_some();
    let value = node.child(F::Value);
    if inside && declared && is_local(parent) {
        let value = value.map(|value| cx.b.body.value(value));
        cx.b.bind(BindingKind::Local, name.text(), None, value, node.end());
        return;
    }
    let word = parent.first().filter(|_| declared).map(Node::kind);
    if word == Some(K::Export) {
        cx.b.effect_of("export");
    }
    // The first assignment outside functions declares it.
    if inside || cx.b.find_def(DefIx::MODULE, name.text()).is_some() {
        return;
    }
    let kind = if word == Some(K::Readonly) { SymbolKind::Constant } else { SymbolKind::Variable };
    // Values stay out of signatures, because they may be long, or secret: `TOKEN=…`.
    let mut new = NewDef::new(kind, name.text(), name, node).header_to(name.end());
    if declared {
        let single = parent.children().filter(|part| part.is(K::VariableAssignment)).nth(1).is_none();
        if single {
            new = new.starting_with(parent).header_from(parent.start());
        }
    }
    let def = cx.b.open(new);
    cx.b.flag(def, DefFlags::EXPORTED);
    cx.b.def_mut(def).visibility = Visibility::Public;
    if let Some(value) = value {
        cx.b.def_mut(def).value = Some(cx.b.out.value(value));
    }
}

/// `for x in …`.
pub(super) fn for_loop<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if let Some(name) = node.child(F::Variable) {
        cx.b.bind(BindingKind::Local, name.text(), None, None, name.start());
    }
}

/// `$x`, `${x:-…}`: a variable of the script, or one of the environment (by convention in capitals) that nothing sets.
pub(super) fn read_expansion<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let holder = node.child_of(K::Subscript).unwrap_or(node);
    let Some(name) = holder.child_of(K::VariableName) else { return };
    let text = name.text();
    // `$1`, an argument.
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return;
    }
    let environment = text.len() > 1
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !text.starts_with("BASH_")
        && cx.b.find_def(DefIx::MODULE, text).is_none();
    let form = if environment { RefForm::Config } else { RefForm::Value };
    cx.b.reference(form, text, name.start(), None, 0);
}
