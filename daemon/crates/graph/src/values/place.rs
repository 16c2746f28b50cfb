//! Where a name leads.

use sdl_model::Lang;

use super::{DefRef, FileIx, Sym};

/// A module, of whichever kind the language has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ModRef {
    /// A file.
    File(FileIx),
    /// A namespace inside a file.
    Inline(DefRef),
    /// All files of a folder that are in a language.
    Dir(Lang, Sym),
    /// All files that declare a package, which languages of one family share.
    Package(Lang, Sym),
}

/// Where a name leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To a definition.
    Def(DefRef),
    /// To a module.
    Module(ModRef),
    /// Out of the repository.
    External,
    /// Nowhere.
    Missing,
}

impl Place {
    /// This, or `other()` if it leads nowhere.
    pub(crate) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self == Self::Missing { other() } else { self }
    }

    /// Whether it is in the repository.
    pub(crate) fn is_found(self) -> bool {
        matches!(self, Self::Def(_) | Self::Module(_))
    }
}
