//! What the world sees of a file.

use serde::{Deserialize, Serialize};

use super::{Arena, Def, DefFlags, DefIx, StrIx};
use crate::{FileId, Lang, SymbolId};

/// The form of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImportKind {
    /// Binds a module: `import a.b`, `import * as ns`, `require(…)`, Go's `import "x"`.
    Module,
    /// Binds one name of a module.
    Named,
    /// Binds the module's default export.
    Default,
    /// Binds every public name of a module.
    Wildcard,
    /// Binds nothing.
    SideEffect,
    /// Textual inclusion of a local file: `#include "x"`, `source x`, `require_once`.
    Include,
    /// Textual inclusion of a system file: `#include <x>`.
    SystemInclude,
}

/// One import; `from m import a, b` is two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Import {
    /// The definition in whose body it stands.
    pub scope: DefIx,
    /// Its form.
    pub kind: ImportKind,
    /// The module as written, leading dots and all.
    pub module: StrIx,
    /// The name that is taken from it, for [`ImportKind::Named`].
    pub name: Option<StrIx>,
    /// The local name it is bound to. For a dotted module without alias, the first part.
    pub local: Option<StrIx>,
    /// Whether it also exports what it binds (`export … from`, `pub use`).
    pub reexport: bool,
    /// Under which condition of a build it stands, as written: `feature = "std"` in Rust.
    pub condition: Option<StrIx>,
    /// Its line.
    pub line: u32,
}

/// A name exported under its own or another name apart from its definition: `export { a as b }`, `__all__`,
/// `module.exports = { a }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Export {
    /// The local name.
    pub local: StrIx,
    /// The name others see; `default` for the default export.
    pub name: StrIx,
}

/// Which file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ManifestKind {
    PackageJson,
    TsConfig,
    GoMod,
    Cargo,
    PyProject,
    Composer,
}

/// How a manifest says that modules are found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Which file.
    pub kind: ManifestKind,
    /// The package's, module's or crate's name.
    pub name: Option<StrIx>,
    /// Entries, key and value, in the file's order: `baseUrl`, `paths:@app/*` → `src/*`, `exports:./x`, `main`, `module`,
    /// `lib.path`, `workspaces`, `replace:…`.
    pub entries: Vec<(StrIx, StrIx)>,
}

/// What the world sees of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The language.
    pub lang: Lang,
    /// Texts and expressions of this half.
    pub arena: Arena,
    /// The definitions, outer before inner, in the order of the text. The first is the module.
    pub defs: Vec<Def>,
    /// The imports.
    pub imports: Vec<Import>,
    /// The exports that stand apart from definitions.
    pub exports: Vec<Export>,
    /// The package or namespace that the whole file declares.
    pub package: Option<StrIx>,
    /// Set for manifests.
    pub manifest: Option<Manifest>,
    /// How many lines.
    pub lines: u32,
    /// How many places the parser could not make sense of.
    pub errors: u32,
    /// Hash of all that another file's resolution can see here: everything above but lines, spans, bodies,
    /// documentation, invariants, effects and a generator's mark.
    pub interface: u64,
}

impl Outline {
    /// One that says nothing.
    pub fn empty(lang: Lang) -> Self {
        Self {
            lang,
            arena: Arena::default(),
            defs: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            package: None,
            manifest: None,
            lines: 1,
            errors: 0,
            interface: 0,
        }
    }

    /// The text at `ix`.
    pub fn str(&self, ix: StrIx) -> &str {
        self.arena.str(ix)
    }

    /// The definition at `ix`.
    pub fn def(&self, ix: DefIx) -> Option<&Def> {
        self.defs.get(ix.0 as usize)
    }

    /// The definitions with their indexes.
    pub fn iter(&self) -> impl Iterator<Item = (DefIx, &Def)> {
        self.defs.iter().enumerate().map(|(i, def)| (DefIx(i as u32), def))
    }

    /// Whether the file bears a generator's mark. What others' resolution sees does not depend on it.
    pub fn is_generated(&self) -> bool {
        self.def(DefIx::MODULE).is_some_and(|module| module.flags.has(DefFlags::GENERATED))
    }

    /// Finds a symbol of `file`, whose outline this is. Linear in the number of definitions.
    pub fn find(&self, file: FileId, symbol: SymbolId) -> Option<DefIx> {
        self.iter().find(|(_, def)| file.symbol(def.key) == symbol).map(|(ix, _)| ix)
    }
}
