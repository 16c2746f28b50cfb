//! The half of a file's facts that other files can see.

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
    /// The definition whose body contains it.
    pub scope: DefIx,
    /// Its form.
    pub kind: ImportKind,
    /// The module as written, including leading dots.
    pub module: StrIx,
    /// The name that is taken from it, for [`ImportKind::Named`]: `b` in `from a import b as c`.
    pub name: Option<StrIx>,
    /// The local name it is bound to: `c` in `from a import b as c`. For a dotted module without alias, the first
    /// part.
    pub local: Option<StrIx>,
    /// Whether it also exports what it binds (`export … from`, `pub use`).
    pub reexport: bool,
    /// The build condition around it, as written: `feature = "std"` in Rust.
    pub condition: Option<StrIx>,
    /// Its line.
    pub line: u32,
}

/// A name that is exported apart from its definition, under its own or another name: `export { a as b }`, `__all__`,
/// `module.exports = { a }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Export {
    /// The local name.
    pub local: StrIx,
    /// The name visible to others; `default` for the default export.
    pub name: StrIx,
}

/// The kind of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum ManifestKind {
    PackageJson,
    TsConfig,
    GoMod,
    Cargo,
    PyProject,
    Composer,
    Maven,
    Gradle,
    MsBuild,
    SetupScript,
    GemSpec,
    Gemfile,
    Requirements,
    GradleCatalog,
}

/// The settings in a manifest that decide how modules are found, and the versions that it states. Some manifests are
/// programs, such as `setup.py`: their literals are here beside what other facts say of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its kind.
    pub kind: ManifestKind,
    /// The package's, module's or crate's name.
    pub name: Option<StrIx>,
    /// Entries, key and value, in the file's order: `baseUrl`, `paths:@app/*` → `src/*`, `exports:./x`, `main`,
    /// `module`, `lib.path`, `workspaces`, `replace:…`, `version`, `asks:…`.
    pub entries: Vec<(StrIx, StrIx)>,
}

impl Manifest {
    /// Whether an entry states a version: the package's own (`version`, `workspace.version`), or the one that it asks
    /// for of another (`asks:name`). No such entry decides how modules are found.
    pub fn states_version(key: &str) -> bool {
        matches!(key, "version" | "workspace.version") || key.starts_with("asks:")
    }
}

/// The half of a file's facts that other files can see.
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
    /// The exports apart from definitions.
    pub exports: Vec<Export>,
    /// The package or namespace that the whole file declares.
    pub package: Option<StrIx>,
    /// Set for manifests, and for programs that are some.
    pub manifest: Option<Manifest>,
    /// The number of lines.
    pub lines: u32,
    /// The number of places that the parser could not read.
    pub errors: u32,
    /// Hash of everything that another file's resolution can see here: everything above except lines, spans, bodies,
    /// documentation, invariants, effects and a generator's mark.
    pub interface: u64,
}

impl Outline {
    /// An outline without definitions.
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

    /// Whether the file bears a generator's mark. The resolution of other files does not depend on it.
    pub fn is_generated(&self) -> bool {
        self.def(DefIx::MODULE).is_some_and(|module| module.flags.has(DefFlags::GENERATED))
    }

    /// Finds a symbol of `file`, whose outline this is. Linear in the number of definitions.
    pub fn find(&self, file: FileId, symbol: SymbolId) -> Option<DefIx> {
        self.iter().find(|(_, def)| file.symbol(def.key) == symbol).map(|(ix, _)| ix)
    }
}
