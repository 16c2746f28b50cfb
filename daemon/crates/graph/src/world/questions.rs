//! The questions whose answers are derived from others.

use crate::values::{DefRef, FileIx, ModRef, Sym};

/// A derived question. It names all inputs of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// The place that the import with this number binds.
    Import(FileIx, u32),
    /// The meaning of a name inside a module, seen from outside.
    ModuleMember(ModRef, Sym),
    /// The module that a text names in a scope.
    Module(DefRef, Sym),
    /// The definition of a name that the language makes visible in a scope, without an import.
    Implicit(DefRef, Sym),
    /// The struct, union or enumeration with a tag among the files that a file includes.
    Tagged(FileIx, Sym),
    /// The meaning of a name that is written with its namespaces, seen from a namespace.
    Spelled(DefRef, Sym),
    /// The module or type with more of a path inside, where an import also binds a function of that name.
    Behind(DefRef, Sym),
    /// The namespaces that a namespace of a file sees.
    NamespacesSeen(DefRef),
    /// The namespace that a type is in.
    NamespaceOf(DefRef),
    /// The files of a package that is a folder.
    PackageFiles { dir: Sym, with_tests: bool },
    /// The files that a file loads, directly or not.
    Loaded(FileIx),
    /// The file that an inclusion means, as a file with this id writes it.
    Inclusion(u64, Sym),
    /// The files that one with this id includes, directly or not.
    Included { from: u64, for_all_systems: bool },
    /// The files that one with this id includes itself.
    IncludedBy { file: u64, for_all_systems: bool },
    /// The manifest of the package that has a name.
    PackageManifest(Sym),
    /// The project that has a name.
    Project(Sym),
    /// The root of the crate that a name denotes, seen from below a manifest.
    CrateRoot { nearest: Option<FileIx>, name: Sym },
    /// A manifest or root at or above a folder.
    CrateFolder { which: u32, dir: Sym },
    /// The types that a type inherits from.
    Line(DefRef),
    /// The member of a type with a name. On request, one that can be called is preferred.
    TypeMember { class: DefRef, name: Sym, called: bool },
    /// The type that owns an impl block or a member.
    Owner(DefRef),
    /// The type of a variable.
    Variable(DefRef),
    /// The return type of a function, reached through a type.
    Result(DefRef, Option<DefRef>),
    /// The value that the name of a decorated function denotes.
    Decorated(DefRef),
    /// The function that the decorators of a function put in its place.
    Wrapper(DefRef),
    /// The type that an alias names.
    Alias(DefRef),
    /// The type that a function constructs, by its stated type.
    Constructed(DefRef),
    /// The type of a local of the file that is being resolved.
    Local(u32),
}

impl Question {
    /// The work that it takes apart from the questions inside it.
    pub(super) fn work(self) -> u32 {
        match self {
            // A file may include hundreds of files that each include dozens. These are looked up once for all references, so no
            // reference pays for them: the first would spend all of its work, and each later one as much as the answer cost.
            Self::Inclusion(..) | Self::IncludedBy { .. } => 0,
            _ => 1,
        }
    }
}
