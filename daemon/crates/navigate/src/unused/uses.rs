//! How code uses a symbol that it does not name, and where it can name it.

use sdl_model::facts::DefFlags;
use sdl_model::lang::{Reach, Uses};
use sdl_model::{Outline, SymbolKind, Visibility};
use sdl_retrieve::Sym;

fn uses_of(outline: &Outline) -> &'static Uses {
    &outline.lang.traits().uses
}

/// Whether code calls it as a member by its name alone, whatever the type of the value.
pub(super) fn is_called_by_name(sym: &Sym) -> bool {
    uses_of(sym.outline()).by_name_alone
}

/// Whether code outside may call a member on a value that it is given, although no type from outside states it.
pub(super) fn may_be_called_outside(sym: &Sym) -> bool {
    sym.def().visibility == Visibility::Public && is_called_by_name(sym)
}

/// Whether code outside may run a member of a type that derives from one of outside: not if it is private, unless the library
/// runs it by its name.
pub(super) fn may_be_run_outside(sym: &Sym) -> bool {
    let uses = uses_of(sym.outline());
    sym.def().visibility != Visibility::Private
        || !uses.members_keep
        || uses.run_by_library.binary_search(&sym.name()).is_ok()
}

/// The file or folder outside of which code can't name a symbol: a path, which ends in `/` for a folder. None if code
/// can name it anywhere. `is_shared` holds for a file that others include or import.
pub(super) fn region_of(sym: &Sym, is_member: bool, is_shared: bool) -> Option<String> {
    let (def, traits) = (sym.def(), sym.outline().lang.traits());
    if is_member && !traits.uses.members_keep {
        return None;
    }
    let is_local =
        def.flags.has(DefFlags::LOCAL) && (sym.kind().is_type() || sym.kind() == SymbolKind::Function);
    let reach = match def.visibility {
        _ if is_local && !is_member => Reach::File,
        // The text of an included file becomes a part of another.
        _ if is_shared && traits.names.shared_by_include => Reach::Anywhere,
        Visibility::Private => traits.uses.private,
        Visibility::Internal => traits.uses.internal,
        Visibility::Public | Visibility::Protected => Reach::Anywhere,
    };
    let path = sym.path();
    match reach {
        Reach::Module if sym.outline().imports.is_empty() && sym.outline().exports.is_empty() => None,
        Reach::File | Reach::Module => Some(path.to_owned()),
        Reach::Folder => Some(path.get(..=path.rfind('/')?)?.to_owned()),
        Reach::Anywhere => None,
    }
}

/// Whether code with this word, followed by `next` and after `before`, looks names up while it runs.
pub(super) fn looks_names_up(outline: &Outline, word: &str, before: Option<u8>, next: Option<u8>) -> bool {
    let uses = uses_of(outline);
    let is_bare_call = before != Some(b'.') && next == Some(b'(');
    uses.lookups.binary_search(&word).is_ok()
        || (is_bare_call && uses.lookup_functions.binary_search(&word).is_ok())
}

/// Whether a symbol's file only states what others may use.
pub(super) fn is_declaration(sym: &Sym) -> bool {
    uses_of(sym.outline()).declarations.iter().any(|end| sym.path().ends_with(end))
}

/// Whether a runner of tests calls a definition of this name in a file of tests.
pub(super) fn is_run_around_tests(sym: &Sym) -> bool {
    sym.is_test() && uses_of(sym.outline()).around_tests.binary_search(&sym.name()).is_ok()
}

/// Whether the exports of a symbol's file are used in the repository alone, because the file belongs to tests. A file
/// `test.py` or a folder `testing` may be a part of a package that helps others with their tests.
pub(super) fn is_for_own_tests(sym: &Sym) -> bool {
    sym.is_test()
        && !matches!(sym.row().path.stem(), "test" | "tests")
        && !sym.path().split('/').any(|folder| folder == "testing")
}
