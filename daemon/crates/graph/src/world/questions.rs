//! The questions whose answers are derived from others.

use crate::values::{DefRef, FileIx, ModRef, Sym};

/// A derived question. It names everything that its answer is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// What the import of a file binds that has this number.
    Import(FileIx, u32),
    /// What a name means inside a module, seen from outside.
    ModuleMember(ModRef, Sym),
    /// The module that a text names in a scope.
    Module(DefRef, Sym),
    /// What the language makes visible under a name in a scope, without an import.
    Implicit(DefRef, Sym),
    /// The struct, union or enumeration that has a tag in what a file includes.
    Tagged(FileIx, Sym),
    /// What a name with its namespaces before it leads to, seen from a namespace.
    Spelled(DefRef, Sym),
    /// What holds more of a path where an import binds a function, too.
    Behind(DefRef, Sym),
    /// The namespaces that a namespace of a file sees.
    NamespacesSeen(DefRef),
    /// The namespace that a type is in.
    NamespaceOf(DefRef),
    /// The files of a package that is a folder.
    PackageFiles { dir: Sym, with_tests: bool },
    /// The files that a file includes, directly or not.
    Included { from: FileIx, for_all_systems: bool },
    /// The manifest of the package that has a name.
    PackageManifest(Sym),
    /// The project that has a name.
    Project(Sym),
    /// The root of the crate that a name stands for, seen from below a manifest.
    CrateRoot { nearest: Option<FileIx>, name: Sym },
    /// A manifest or root at or above a folder.
    CrateFolder { which: u32, dir: Sym },
    /// What a type inherits from.
    Line(DefRef),
    /// The member of a type that has a name; one that can be called is preferred if that is asked.
    TypeMember { class: DefRef, name: Sym, called: bool },
    /// The type that owns an impl block or a member.
    Owner(DefRef),
    /// The type of a variable.
    Variable(DefRef),
    /// What calling a function gives, reached through a type.
    Result(DefRef, Option<DefRef>),
    /// The type that an alias stands for.
    Alias(DefRef),
    /// What a function builds by its stated type.
    Constructed(DefRef),
    /// The type of a local of the file that is being resolved.
    Local(u32),
}
