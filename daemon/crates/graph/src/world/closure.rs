//! Files that include each other as text: the values that the world keeps of them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sdl_model::{FileId, RelPath, SymbolKind};

use super::memo::AskIx;
use crate::hash::NumberMap;
use crate::values::Sym;

/// A file's inclusions, with the number of the question.
type KnownIncluder = (AskIx, Option<Rc<Includer>>);
/// Files with their paths.
pub(super) type Paths = Rc<[(RelPath, FileId)]>;

/// The files that define a name, each once, with the kinds of the definitions; none if there are too many.
pub(super) type Definers = Option<Rc<[(FileId, Kinds)]>>;

/// Kinds of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// Those kinds for which `is_one` holds.
    pub(crate) fn of(is_one: impl Fn(SymbolKind) -> bool) -> Self {
        SymbolKind::ALL.into_iter().filter(|kind| is_one(*kind)).fold(Self::default(), Self::with)
    }

    /// These and one more.
    pub(super) fn with(self, kind: SymbolKind) -> Self {
        Self(self.0 | 1 << kind as u32)
    }

    /// Whether a kind is one of them.
    pub(super) fn has(self, kind: SymbolKind) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }

    /// Whether both have a kind.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Answers about included files.
#[derive(Default)]
pub(super) struct Known {
    pub(super) files: RefCell<NumberMap<u64, KnownIncluder>>,
    pub(super) paths: RefCell<HashMap<Box<str>, Paths>>,
    /// Questions after a name, perhaps in a type of a name.
    pub(super) asks: RefCell<NumberMap<(Option<Sym>, Sym), AskIx>>,
    pub(super) definers: RefCell<NumberMap<Sym, Definers>>,
}

/// A file of C or C++, and the files that it includes.
pub(crate) struct Includer {
    /// Its path.
    pub(crate) path: RelPath,
    /// What it includes, as written (see [`sdl_model::facts::Inclusion::text`]), and whether a build for Linux takes it.
    pub(crate) inclusions: Vec<(Sym, bool)>,
}

/// The files that a file includes, directly or not, in the order in which they are searched. For example, a driver of Linux
/// includes 250.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    files: Vec<FileId>,
    places: NumberMap<u64, usize>,
}

impl Closure {
    /// These files, in this order.
    pub(crate) fn new(files: Vec<FileId>) -> Self {
        let places = files.iter().enumerate().map(|(place, file)| (file.0, place)).collect();
        Self { files, places }
    }

    /// The files, in order.
    pub(crate) fn files(&self) -> &[FileId] {
        &self.files
    }

    /// Whether the file is one of them.
    pub(crate) fn has(&self, file: FileId) -> bool {
        self.places.contains_key(&file.0)
    }

    /// Where the file is among them.
    pub(super) fn place(&self, file: FileId) -> Option<usize> {
        self.places.get(&file.0).copied()
    }
}
