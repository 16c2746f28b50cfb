//! Reading one version.

use std::ops::ControlFlow;

use sdl_model::facts::{Def, DefFlags, Inclusion};
use sdl_model::{Edge, FileId, FileRow, InEdge, Lang, RelPath, SymbolId, SymbolKind, Version};

use crate::{ResolutionCounts, Result};

/// A definition found by its simple name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameHit {
    /// The symbol.
    pub symbol: SymbolId,
    /// The file that defines it.
    pub file: FileId,
    /// The symbol's kind.
    pub kind: SymbolKind,
    /// Known without opening its file.
    pub flags: HitFlags,
}

impl NameHit {
    /// The definition `def` of a file.
    pub fn of(file: FileId, def: &Def) -> Self {
        Self { symbol: file.symbol(def.key), file, kind: def.kind, flags: HitFlags::of(def.flags) }
    }
}

/// Properties of a definition by which a search for its name leaves it out, so that its file need not be opened.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct HitFlags(u8);

impl HitFlags {
    /// Has no body, for example a prototype: [`DefFlags::ABSTRACT`].
    pub const DECLARED: Self = Self(1);
    /// [`DefFlags::STATIC`], such as a function for its own file in C.
    pub const STATIC: Self = Self(1 << 1);
    /// [`DefFlags::LEFT_OUT`].
    pub const LEFT_OUT: Self = Self(1 << 2);

    /// Those of a definition.
    pub fn of(flags: DefFlags) -> Self {
        let all = [
            (DefFlags::ABSTRACT, Self::DECLARED),
            (DefFlags::STATIC, Self::STATIC),
            (DefFlags::LEFT_OUT, Self::LEFT_OUT),
        ];
        Self(all.into_iter().filter(|(flag, _)| flags.has(*flag)).fold(0, |sum, (_, bit)| sum | bit.0))
    }

    /// Whether `flag` is set.
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// As a number below 8.
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// The flags of such a number; higher bits are left out.
    pub(crate) fn from_bits(bits: u8) -> Self {
        Self(bits & 0b111)
    }
}

/// The file that defines a symbol, and the symbol's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolHome {
    /// The file that defines it.
    pub file: FileId,
    /// The symbol's kind.
    pub kind: SymbolKind,
}

/// The answer to a lookup by simple name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// All of them, sorted.
    All(Vec<NameHit>),
    /// More than [`crate::NAME_LIMIT`].
    TooMany,
}

/// One posting of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermHit {
    /// The symbol.
    pub symbol: SymbolId,
    /// See [`crate::Posting::impact`].
    pub impact: u8,
    /// See [`crate::Posting::flags`].
    pub flags: u16,
}

/// Totals of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counters {
    /// Files with facts.
    pub files: u64,
    /// Symbols, modules included.
    pub symbols: u64,
    /// Edges.
    pub edges: u64,
    /// Files that failed to parse.
    pub failed: u64,
    /// Skipped files: reason's wire name and count, sorted, without zeros.
    pub skipped: Vec<(String, u64)>,
    /// Files with facts by language's wire name, sorted, without zeros.
    pub languages: Vec<(String, u64)>,
    /// How references came out.
    pub resolution: ResolutionCounts,
    /// Files with facts that bear a generator's mark.
    pub generated: u64,
}

/// One version of one repository, read. Implemented by a snapshot (a read transaction) and by a batch (which sees
/// its own writes).
pub trait View {
    /// The version that is read; for a batch the one it builds on.
    fn version(&self) -> Version;
    /// A file's row.
    fn file(&self, file: FileId) -> Result<Option<FileRow>>;
    /// Every file (indexed, skipped, failed) whose path starts with `prefix`, in order of path, until `each` breaks.
    fn files_under(&self, prefix: &str, each: &mut dyn FnMut(FileId, &str) -> ControlFlow<()>) -> Result<()>;
    /// The indexed files with this last part, sorted.
    fn files_named(&self, file_name: &str) -> Result<Vec<FileId>>;
    /// The indexed files directly in this folder (empty: the root), sorted.
    fn files_in_dir(&self, dir: &str) -> Result<Vec<FileId>>;
    /// The files that declare this package, sorted.
    fn files_of_package(&self, package: &str) -> Result<Vec<FileId>>;
    /// The files that may import this module or one inside of it, sorted; all that do are among them. None if this state
    /// does not record it.
    fn files_importing(&self, _module: &str) -> Result<Option<Vec<FileId>>> {
        Ok(None)
    }
    /// The language of an indexed file and the files that it includes as text. None if this state does not record it.
    fn inclusions(&self, _file: FileId) -> Result<Option<(Lang, Vec<Inclusion>)>> {
        Ok(None)
    }
    /// The id under which [`Self::file`] knows the file at this path, if there is one.
    fn file_id(&self, path: &RelPath) -> FileId {
        FileId::of(path)
    }
    /// Where a symbol is defined, and what it is.
    fn symbol_home(&self, symbol: SymbolId) -> Result<Option<SymbolHome>>;
    /// The file that defines a symbol.
    fn symbol_file(&self, symbol: SymbolId) -> Result<Option<FileId>> {
        Ok(self.symbol_home(symbol)?.map(|home| home.file))
    }
    /// The definitions of a simple name (modules, impls and locals left out).
    fn named(&self, name: &str) -> Result<Named>;
    /// All definitions of a simple name, at most `limit`, sorted.
    fn named_up_to(&self, name: &str, limit: usize) -> Result<Vec<NameHit>>;
    /// A symbol's outgoing edges, sorted.
    fn out_edges(&self, symbol: SymbolId) -> Result<Vec<Edge>>;
    /// A symbol's incoming edges, sorted, at most `limit`.
    fn in_edges(&self, symbol: SymbolId, limit: usize) -> Result<Vec<InEdge>>;
    /// How many incoming edges a symbol has.
    fn fan_in(&self, symbol: SymbolId) -> Result<u64>;
    /// The files that mention `name` somewhere without a known meaning, where some definition has this name; sorted.
    /// None if more than [`crate::MAX_ASKING_FILES`] asked for the name, or this state does not record it.
    fn unresolved_files(&self, name: &str) -> Result<Option<Vec<FileId>>>;
    /// How many symbols have the term.
    fn term_count(&self, term: &str) -> Result<u64>;
    /// The symbols that have the term, sorted by id, some at a time, until `each` breaks.
    fn postings(&self, term: &str, each: &mut dyn FnMut(&[TermHit]) -> ControlFlow<()>) -> Result<()>;
    /// The postings that the term has for some symbols, which are sorted; in no particular order. Where these are few beside
    /// all postings of the term, for example 50 of 90,000, it takes much less time than reading all.
    fn postings_among(&self, term: &str, symbols: &[SymbolId], each: &mut dyn FnMut(TermHit)) -> Result<()> {
        let mut wanted = symbols.iter().copied().peekable();
        self.postings(term, &mut |hits| {
            for hit in hits {
                while wanted.next_if(|symbol| *symbol < hit.symbol).is_some() {}
                if wanted.next_if_eq(&hit.symbol).is_some() {
                    each(*hit);
                }
            }
            if wanted.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    }
    /// The terms that start with `prefix`, in order, until `each` breaks.
    fn terms(&self, prefix: &str, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<()>;
    /// The first term that is not before `from`, in order. For a caller that leaves out most terms: reading all names of Linux takes a
    /// third of a second, and this a few microseconds.
    fn term_from(&self, from: &str) -> Result<Option<String>>;
    /// Totals.
    fn counters(&self) -> Result<Counters>;
}
