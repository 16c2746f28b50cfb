//! Imports and exports.

use sdl_model::facts::ImportKind;

use super::calls::{required_module, required_name, unwrap_value};
use super::exports::add_default_export;
use super::keys::{property_name, string_content};
use super::kinds::{Context, F, K, Node};
use super::names;
use super::state::Holder;
use crate::driver::Visit;

/// `import …`.
pub(super) fn read_import<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    cx.state.is_module = true;
    if let Some(clause) = node.child_of(K::ImportRequireClause) {
        let (name, source) = (clause.child_of(K::Identifier), clause.child(F::Source));
        if let (Some(name), Some(source)) = (name, source) {
            let local = Some(name.text());
            let import = cx.b.import(ImportKind::Module, string_content(source), None, local, name.start());
            import.reexport = names::declaring_statement(node).is(K::ExportStatement);
        }
        return Visit::Skip;
    }
    let Some(module) = node.child(F::Source).map(string_content) else { return Visit::Skip };
    let Some(clause) = node.child_of(K::ImportClause) else {
        cx.b.import(ImportKind::SideEffect, module, None, None, node.start());
        return Visit::Skip;
    };
    for part in clause.children() {
        match part.kind() {
            K::Identifier => {
                cx.b.import(ImportKind::Default, module, None, Some(part.text()), part.start());
            }
            K::NamespaceImport => {
                if let Some(name) = part.child_of(K::Identifier) {
                    cx.b.import(ImportKind::Module, module, None, Some(name.text()), name.start());
                }
            }
            K::NamedImports => {
                for specifier in part.children().filter(|part| part.is(K::ImportSpecifier)) {
                    let Some(name) = specifier.child(F::Name) else { continue };
                    let local = specifier.child(F::Alias).unwrap_or(name).text();
                    let name = property_name(name);
                    cx.b.import(ImportKind::Named, module, Some(name), Some(local), specifier.start());
                }
            }
            _ => {}
        }
    }
    Visit::Skip
}

/// `export …`.
pub(super) fn read_export<'a>(cx: &mut Context<'a>, node: Node<'a>) -> Visit {
    cx.state.is_module = true;
    if let Some(source) = node.child(F::Source) {
        add_reexport(cx, node, string_content(source));
        return Visit::Skip;
    }
    if let Some(clause) = node.child_of(K::ExportClause) {
        for (name, alias) in export_specifiers(clause) {
            cx.b.export(name, alias);
        }
        return Visit::Skip;
    }
    if node.child(F::Declaration).is_some() {
        if node.child_of(K::Decorator).is_some() {
            super::classes::read_decorated_class(cx, node);
        }
        return Visit::Into;
    }
    // `export default value`, `export = value`; `export as namespace X` is irrelevant within this repository.
    let value = node.child(F::Value).or_else(|| {
        let plain = node.text().get(6..).is_some_and(|rest| rest.trim_start().starts_with('='));
        node.first().filter(|_| plain)
    });
    match value {
        Some(value) if value.is(K::Identifier) => cx.b.export(value.text(), "default"),
        Some(value) => add_default_export(cx, value, node),
        None => return Visit::Skip,
    }
    Visit::Into
}

fn add_reexport<'a>(cx: &mut Context<'a>, node: Node<'a>, module: &str) {
    let at = node.start();
    if let Some(clause) = node.child_of(K::ExportClause) {
        for (name, alias) in export_specifiers(clause) {
            cx.b.import(ImportKind::Named, module, Some(name), Some(alias), at).reexport = true;
        }
    } else if let Some(namespace) = node.child_of(K::NamespaceExport) {
        let local = namespace.children().find(|part| !part.is(K::Star)).map(property_name);
        cx.b.import(ImportKind::Module, module, None, local, at).reexport = true;
    } else {
        cx.b.import(ImportKind::Wildcard, module, None, None, at).reexport = true;
    }
}

/// The names in an export clause, each with its exported name.
fn export_specifiers(clause: Node<'_>) -> impl Iterator<Item = (&str, &str)> {
    clause.children().filter(|part| part.is(K::ExportSpecifier)).filter_map(|specifier| {
        // `default` is a token and has no field in every grammar.
        let name = specifier.child(F::Name).map_or("default", property_name);
        let alias = match specifier.child(F::Alias) {
            Some(alias) if !alias.text().is_empty() => property_name(alias),
            _ => match specifier.text().rsplit_once(" as ") {
                // Some grammars don't take a word that is reserved elsewhere for a name.
                Some((_, alias)) if alias.chars().all(|c| c.is_ascii_alphabetic()) => alias,
                _ => name,
            },
        };
        (!name.is_empty()).then_some((name, alias))
    })
}

/// The module that a value loads: the call, its module, and the member taken of it.
fn loaded_module(value: Node<'_>) -> Option<(Node<'_>, &str, Option<&str>)> {
    let mut at = value;
    let mut member = None;
    for _ in 0..4 {
        at = unwrap_value(at);
        match at.kind() {
            K::AwaitExpression => at = at.first()?,
            K::MemberExpression if member.is_none() => {
                member = Some(at.child(F::Property)?.text());
                at = at.child(F::ObjectField)?;
            }
            K::CallExpression => {
                if let Some(module) = required_module(at) {
                    return Some((at, module, member));
                }
                // Helpers that compilers put around a `require`.
                let callee = at.child(F::Function).filter(|callee| callee.is(K::Identifier))?;
                let helper = callee.text().contains("importDefault")
                    || callee.text().contains("importStar")
                    || callee.text().starts_with("_interopRequire");
                at = at.child(F::Arguments).filter(|_| helper)?.first()?;
            }
            _ => return None,
        }
    }
    None
}

/// `const x = require('…')` and the like: a variable that is an import. Returns whether it was one.
pub(super) fn required_variable<'a>(cx: &mut Context<'a>, name: Node<'a>, value: Node<'a>) -> bool {
    let Some((call, module, member)) = loaded_module(value) else { return false };
    // `import('…')` without `await` is a promise of the module; a member taken of it is the promise's.
    let at = name.start();
    match (name.kind(), member) {
        (K::Identifier, None) => {
            cx.b.import(ImportKind::Module, module, None, Some(name.text()), at);
        }
        (K::Identifier, Some("default")) => {
            cx.b.import(ImportKind::Default, module, None, Some(name.text()), at);
        }
        (K::Identifier, Some(member)) => {
            cx.b.import(ImportKind::Named, module, Some(member), Some(name.text()), at);
        }
        (K::ObjectPattern, None) => {
            let parts: Option<Vec<_>> = name.children().map(bound_property).collect();
            let Some(parts) = parts else { return false };
            for (property, local) in parts {
                let at = local.start();
                let kind = if property == "default" { ImportKind::Default } else { ImportKind::Named };
                let property = Some(property).filter(|_| kind == ImportKind::Named);
                cx.b.import(kind, module, property, Some(local.text()), at);
            }
        }
        _ => return false,
    }
    cx.state.hold(call, Holder::of(sdl_model::facts::DefIx::MODULE));
    true
}

/// A property that is bound to a name, without anything else.
fn bound_property(part: Node<'_>) -> Option<(&str, Node<'_>)> {
    match part.kind() {
        K::ShorthandPattern => Some((part.text(), part)),
        K::ObjectAssignmentPattern => bound_property(part.child(F::Left)?),
        K::PairPattern => {
            let key = part.child(F::Key).filter(|key| !key.is(K::ComputedPropertyName))?;
            let value = part.child(F::Value).filter(|value| value.is(K::Identifier))?;
            Some((property_name(key), value))
        }
        _ => None,
    }
}

/// `require('…')`, `import('…')` where no variable takes it.
pub(super) fn read_require<'a>(cx: &mut Context<'a>, node: Node<'a>) {
    let Some(module) = required_module(node) else { return };
    if cx.state.take_holder(node).is_some() {
        return;
    }
    if node.parent_kind() == Some(K::ExpressionStatement) {
        cx.b.import(ImportKind::SideEffect, module, None, None, node.start());
        return;
    }
    let local = required_name(module);
    cx.b.import(ImportKind::Module, module, None, Some(&local), node.start());
}
