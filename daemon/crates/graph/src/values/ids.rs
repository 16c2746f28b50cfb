//! The numbers of texts, files and definitions while a batch is resolved.

use sdl_model::facts::DefIx;

/// An interned text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Sym(pub(crate) u32);

/// An opened file's place in its [`World`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileIx(pub(crate) u32);

/// A definition of an opened file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DefRef {
    pub(crate) file: FileIx,
    pub(crate) def: DefIx,
}
