//! Using directives and namespaces.

use sdl_model::facts::{DefFlags, ImportKind};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use super::types::split_type_name;
use crate::builder::NewDef;
use crate::driver::Visit;

/// A namespace block that is the whole file states the file's package, as `namespace X;` does.
pub(super) fn sole_namespace(cx: &mut Context<'_>, root: Node<'_>) {
    let mut only = None;
    for part in root.children() {
        match part.kind() {
            K::NamespaceDeclaration if only.is_none() => only = Some(part),
            K::NamespaceDeclaration
            | K::FileScopedNamespace
            | K::ClassDeclaration
            | K::StructDeclaration
            | K::RecordDeclaration
            | K::InterfaceDeclaration
            | K::EnumDeclaration
            | K::DelegateDeclaration
            | K::PreprocIf => return,
            _ => {}
        }
    }
    if let Some(only) = only
        && let Some(name) = only.child(F::Name)
    {
        cx.b.package(&dotted_name(name));
        cx.state.whole = Some(only.ix());
    }
}

/// A name as text, without white space.
fn dotted_name(name: Node<'_>) -> String {
    let text = name.text();
    text.strip_prefix("global::").unwrap_or(text).chars().filter(|c| !c.is_whitespace()).collect()
}

pub(super) fn file_scoped<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    if let Some(name) = node.child(F::Name) {
        cx.b.package(&dotted_name(name));
    }
    Visit::Skip
}

/// `namespace A.B { … }` beside other declarations.
pub(super) fn read_namespace<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    if cx.state.whole == Some(node.ix()) {
        return;
    }
    let Some(name) = node.child(F::Name) else { return };
    let mut parts: Vec<Node<'a>> = Vec::new();
    let mut at = name;
    // `A.B.C` is C in (B in A).
    for _ in 0..16 {
        if at.is(K::QualifiedName) {
            parts.extend(at.child(F::Name));
            match at.child(F::Qualifier) {
                Some(outer) => at = outer,
                None => break,
            }
        } else {
            parts.push(at);
            break;
        }
    }
    for part in parts.into_iter().rev() {
        let new = NewDef::new(SymbolKind::Namespace, part.text(), part, node).body(node.child(F::Body));
        let def = cx.b.open(new);
        cx.b.def_mut(def).visibility = Visibility::Public;
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// `using A.B;`, `using static A.C;`, `using X = A.C;`, each also with `global` for the whole project.
pub(super) fn read_using<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    let Some(last) = node.children().filter(|part| !part.is(K::EqualSign)).last() else { return Visit::Skip };
    let global = node.text().starts_with("global");
    let at = node.start();
    let import = match node.child(F::Name) {
        Some(local) if local != last => {
            let Some((_, name)) = split_type_name(last) else {
                return read_using_alias(cx, node, local, last);
            };
            if last.child_of(K::TypeArgumentList).is_some() || last.text().contains('<') {
                return read_using_alias(cx, node, local, last);
            }
            let whole = dotted_name(last);
            let module = whole.rsplit_once('.').map_or("", |(module, _)| module);
            cx.b.import(ImportKind::Named, module, Some(name.text()), Some(local.text()), at)
        }
        _ => cx.b.import(ImportKind::Wildcard, &dotted_name(last), None, None, at),
    };
    import.reexport = global;
    Visit::Skip
}

/// `using X = List<T>`: a type under a name of its own.
fn read_using_alias<'a>(cx: &mut Context<'a>, node: Node<'a>, name: Node<'a>, target: Node<'a>) -> Visit {
    let def = cx.b.leaf(NewDef::new(SymbolKind::Type, name.text(), name, node));
    let ty = cx.b.out.ty(target);
    let def = cx.b.def_mut(def);
    def.visibility = Visibility::Private;
    def.ty = Some(ty);
    Visit::Skip
}
