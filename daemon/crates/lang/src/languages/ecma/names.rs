//! Names of definitions, their visibility, and the starts of their statements.

use std::collections::HashSet;

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, F, K, Node};
use crate::builder::text::clean_comment;

/// Documentation at the start of the file that a blank line separates from the next item.
pub(super) fn module_doc(cx: &mut Context<'_>, root: Node<'_>) {
    let text = root.src();
    let text = if text.starts_with("#!") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(end) = text.find("*/").filter(|_| text.starts_with("/**")) else { return };
    let (block, rest) = text.split_at(end + 2);
    let gap = rest.get(..rest.len() - rest.trim_start().len()).unwrap_or("");
    let is_own = gap.bytes().filter(|byte| *byte == b'\n').count() > 1
        || ["@file", "@module", "@license", "@overview", "@packageDocumentation"]
            .iter()
            .any(|tag| block.contains(tag));
    if let Some(doc) = clean_comment(block.get(..block.len().min(4_000)).unwrap_or(block)).filter(|_| is_own)
    {
        cx.b.doc(DefIx::MODULE, &doc);
    }
}

/// The statement that declares `node`, with `export` and `declare` before it.
pub(super) fn declaring_statement(mut node: Node<'_>) -> Node<'_> {
    while let Some(parent) = node.parent() {
        let around = match parent.kind() {
            K::ExportStatement => matches!(node.field(), F::Declaration | F::Value),
            K::AmbientDeclaration => !node.is(K::StatementBlock),
            _ => false,
        };
        if !around {
            break;
        }
        node = parent;
    }
    node
}

/// The node that the statement `node` declares.
pub(super) fn declared_node(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..4 {
        node = match node.kind() {
            K::ExportStatement => node.child(F::Declaration).or_else(|| node.child(F::Value))?,
            K::AmbientDeclaration => node.children().find(|part| !part.is(K::Declare))?,
            _ => break,
        };
    }
    Some(node)
}

/// Where the header of `node` starts: after its decorators.
pub(super) fn header_start(node: Node<'_>) -> u32 {
    node.children().take_while(|part| part.is(K::Decorator)).last().map_or(node.start(), Node::end)
}

/// Marks `def`, which the statement `whole` declares, as exported if others may use it.
pub(super) fn mark_exported(cx: &mut Context<'_>, def: DefIx, whole: Node<'_>) {
    let parent = cx.b.def(def).parent.unwrap_or(DefIx::MODULE);
    if cx.state.in_function() {
        // An enclosing function without a name is no definition, but its content is out of reach all the same.
        cx.b.flag(def, DefFlags::LOCAL);
    }
    let mut exported = whole.is(K::ExportStatement);
    if exported {
        if parent == DefIx::MODULE {
            cx.state.is_module = true;
        }
        if whole.child_of(K::Default).is_some() {
            cx.b.flag(def, DefFlags::DEFAULT_EXPORT);
        }
    }
    // In an ambient namespace everything is exported, and in `declare global` everything is known everywhere.
    exported |= (cx.b.def(parent).kind == SymbolKind::Namespace
        && cx.b.def(parent).flags.has(DefFlags::ABSTRACT))
        || is_global(whole);
    if exported {
        cx.b.flag(def, DefFlags::EXPORTED);
    } else {
        cx.b.def_mut(def).visibility = Visibility::Private;
    }
}

/// Whether the statement `whole` is directly in `declare global { … }`.
fn is_global(whole: Node<'_>) -> bool {
    let block = whole.parent().filter(|parent| parent.is(K::StatementBlock));
    block.and_then(|block| block.parent()).is_some_and(|around| around.is(K::AmbientDeclaration))
}

/// Marks `def`, a member of a type whose name is `text`, by its modifiers.
pub(super) fn mark_member<'a>(cx: &mut Context<'a>, def: DefIx, node: Node<'a>, text: &str) {
    let mut flags = DefFlags::default();
    let mut visibility = by_name(text);
    let mut decorators = Vec::new();
    for part in node.children() {
        match part.kind() {
            K::Static | K::StaticGet => flags = flags.with(DefFlags::STATIC),
            K::Abstract => flags = flags.with(DefFlags::ABSTRACT),
            K::OverrideModifier => flags = flags.with(DefFlags::OVERRIDE),
            K::AccessibilityModifier => {
                visibility = match part.text() {
                    "private" => Visibility::Private,
                    "protected" => Visibility::Protected,
                    _ => Visibility::Public,
                };
            }
            K::Decorator => decorators.push(part),
            _ => {}
        }
    }
    cx.b.flag(def, flags);
    cx.b.def_mut(def).visibility = visibility;
    for decorator in decorators {
        add_decorator(cx, def, decorator);
    }
    mark_deprecated(cx, def);
}

/// By convention a leading underscore makes a name private; a hash does so by rule.
pub(super) fn by_name(name: &str) -> Visibility {
    if name.starts_with('#') {
        Visibility::Private
    } else if name.starts_with('_') && name.len() > 1 && !name.starts_with("__") {
        Visibility::Protected
    } else {
        Visibility::Public
    }
}

pub(super) fn add_decorator<'a>(cx: &mut Context<'a>, def: DefIx, decorator: Node<'a>) {
    if let Some(inner) = decorator.first() {
        let shape = cx.b.out.value(inner);
        cx.b.def_mut(def).decorators.push(shape);
    }
}

/// Marks `def` if its documentation calls it deprecated.
pub(super) fn mark_deprecated(cx: &mut Context<'_>, def: DefIx) {
    let doc = cx.b.def(def).doc;
    if doc.is_some_and(|doc| cx.b.out.text(doc).contains("@deprecated")) {
        cx.b.flag(def, DefFlags::DEPRECATED);
    }
}

/// Marks the definitions that others may use: those exported apart from their definition, members of exported ones,
/// and everything at the top level of a file that is no module.
pub(super) fn mark_exports(cx: &mut Context<'_>) {
    let named: HashSet<_> = cx.b.exports().iter().map(|export| export.local).collect();
    let default: HashSet<_> = {
        let name = cx.b.out.lookup("default");
        cx.b.exports().iter().filter(|export| Some(export.name) == name).map(|export| export.local).collect()
    };
    let is_script = !cx.state.is_module && named.is_empty();
    for at in 1..cx.b.defs().len() {
        let ix = DefIx(at as u32);
        mark_deprecated(cx, ix);
        let def = cx.b.def(ix);
        if def.flags.has(DefFlags::LOCAL) {
            continue;
        }
        let parent = def.parent.unwrap_or(DefIx::MODULE);
        if parent == DefIx::MODULE && def.owner.is_none() {
            if def.flags.has(DefFlags::EXPORTED) {
                continue;
            }
            if default.contains(&def.name) {
                cx.b.flag(ix, DefFlags::DEFAULT_EXPORT);
            }
            if is_script || named.contains(&cx.b.def(ix).name) {
                cx.b.flag(ix, DefFlags::EXPORTED);
                cx.b.def_mut(ix).visibility = Visibility::Public;
            }
        } else if cx.b.def(parent).kind != SymbolKind::Namespace
            && def.visibility == Visibility::Public
            && (cx.b.def(parent).flags.has(DefFlags::EXPORTED) || def.owner.is_some())
        {
            cx.b.flag(ix, DefFlags::EXPORTED);
        }
    }
    if cx.state.has_tests {
        cx.b.flag(DefIx::MODULE, DefFlags::TEST);
    }
    for import in cx.b.imports_mut() {
        import.reexport |= import.local.is_some_and(|local| named.contains(&local));
    }
}
