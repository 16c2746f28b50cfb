//! What a name belongs to here: a local of a function around, a table of the file, or every file.

use sdl_model::facts::{DefFlags, DefIx};
use sdl_model::{SymbolKind, Visibility};

use super::kinds::{Context, K, Node};
use super::names;

/// Most functions around that are looked at.
const MAX_DEPTH: usize = 32;

/// Whether `name` is a local, a parameter or a definition of a function around, or a local of a block at the top of the
/// file.
pub(super) fn is_local(cx: &Context<'_>, name: &str) -> bool {
    let bound = cx.b.body.lookup(name);
    let mut scope = cx.b.scope();
    for _ in 0..MAX_DEPTH {
        if bound.is_some_and(|name| cx.b.binding_before(scope, name, usize::MAX).is_some()) {
            return true;
        }
        if scope == DefIx::MODULE {
            return false;
        }
        if cx.b.find_def(scope, name).is_some_and(|def| !is_member(cx, def)) {
            return true;
        }
        scope = cx.b.def(scope).parent.unwrap_or(DefIx::MODULE);
    }
    true
}

/// The definition in which `local` declares `name` before a function gets it.
pub(super) fn forward_scope(cx: &Context<'_>, name: &str) -> Option<DefIx> {
    let mut scope = cx.b.scope();
    for _ in 0..MAX_DEPTH {
        if cx.state.forward.contains(&(scope, name.to_owned())) {
            return Some(scope);
        }
        scope = cx.b.def(scope).parent?;
    }
    None
}

fn is_member(cx: &Context<'_>, def: DefIx) -> bool {
    cx.b.def(def).owner.is_some() || matches!(cx.b.def(def).kind, SymbolKind::Method | SymbolKind::Field)
}

/// The definition of the file's top level that `name` means here.
pub(super) fn top_level(cx: &Context<'_>, name: &str) -> Option<DefIx> {
    if is_local(cx, name) {
        return None;
    }
    cx.b.find_def(DefIx::MODULE, name).filter(|def| !is_member(cx, *def))
}

/// The table of the file's top level that `dotted` means here.
pub(super) fn class_of(cx: &Context<'_>, dotted: &str) -> Option<DefIx> {
    let root = names::root_of(dotted);
    let def = if root.len() == dotted.len() {
        top_level(cx, dotted)
    } else if is_local(cx, root) {
        None
    } else {
        let (table, name) = dotted.rsplit_once('.')?;
        cx.state.fields.get(&(table.to_owned(), name.to_owned())).copied()
    };
    def.filter(|def| cx.b.def(*def).kind == SymbolKind::Class)
}

/// One past the last byte at which a name declared by `statement` is known: its block's end.
pub(super) fn block_end(cx: &Context<'_>, statement: Node<'_>) -> u32 {
    let Some(block) = statement.parent() else { return cx.b.scope_end() };
    let of_def = match block.kind() {
        K::Chunk => true,
        K::Block => block.parent().is_some_and(|around| {
            matches!(around.kind(), K::FunctionDeclaration | K::FunctionDefinition)
                && cx
                    .state
                    .function()
                    .is_some_and(|inner| inner.range.0 == around.ix() && inner.def.is_some())
        }),
        _ => false,
    };
    if of_def { cx.b.scope_end() } else { block.end() }
}

/// Who sees `def`, a name of the file that no `local` declares, or that the file returns.
pub(super) fn show(cx: &mut Context<'_>, def: DefIx, is_seen: bool) {
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    cx.b.def_mut(def).visibility = if is_seen && !local { Visibility::Public } else { Visibility::Private };
    if is_seen && !local {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// Whoever gets the object that a function makes sees `def`: the object, or a member of it.
pub(super) fn hand_out(cx: &mut Context<'_>, def: DefIx) {
    let flags = cx.b.def(def).flags.without(DefFlags::LOCAL);
    cx.b.def_mut(def).flags = flags;
}

/// The object that `name` means here, if a function around makes it.
pub(super) fn object_around(cx: &Context<'_>, name: &str) -> Option<DefIx> {
    let mut scope = cx.b.scope();
    for _ in 0..MAX_DEPTH {
        let bound = cx.b.body.lookup(name).and_then(|name| cx.b.binding_before(scope, name, usize::MAX));
        if scope == DefIx::MODULE || bound.is_some() {
            return None;
        }
        if let Some(def) = cx.b.find_def(scope, name) {
            return Some(def).filter(|def| cx.b.def(*def).kind == SymbolKind::Variable);
        }
        scope = cx.b.def(scope).parent?;
    }
    None
}

/// Who sees `def`, the member `name` of the table that `dotted` spells: whoever sees the table. By custom, a name that
/// begins with an underscore is for the table's own code.
pub(super) fn show_member(cx: &mut Context<'_>, def: DefIx, dotted: &str, name: &str) {
    let hidden = name.starts_with('_') && !name.starts_with("__");
    let root = names::root_of(dotted);
    let of_exported = match top_level(cx, root) {
        Some(table) => cx.b.def(table).flags.has(DefFlags::EXPORTED),
        None => !is_local(cx, root),
    };
    let local = cx.b.def(def).flags.has(DefFlags::LOCAL);
    cx.b.def_mut(def).visibility = if hidden { Visibility::Internal } else { Visibility::Public };
    if of_exported && !hidden && !local {
        cx.b.flag(def, DefFlags::EXPORTED);
    }
}

/// Notes that a local has the receiver's name: between the two bytes the name is the local's.
pub(super) fn shadow_receiver(cx: &mut Context<'_>, name: &str, range: (u32, u32)) {
    if cx.b.body.is_receiver(name) {
        cx.state.receiver_hidden = Some(range);
    }
}

/// Gives the receiver's name at byte `at` the meaning that it has there.
pub(super) fn hide_receiver(cx: &mut Context<'_>, at: u32, (from, to): (u32, u32)) {
    if at >= to {
        cx.state.receiver_hidden = None;
    }
    cx.b.hide_receiver((from..to).contains(&at));
}
