//! The columns of the table of languages.
//!
//! Each group has a `PLAIN` value in which nothing is special. A row states only how its language differs from that.

/// The properties that tell one language from another, except for its grammar.
#[derive(Debug)]
pub struct Traits {
    /// The name on the wire and in settings.
    pub name: &'static str,
    /// The languages whose definitions can see each other.
    pub family: Family,
    /// The group of languages with which its edges were measured, by name. None where no reference data covers it.
    pub measured_as: Option<&'static str>,
    /// Which files are written in it.
    pub files: Files,
    /// How bare and qualified names are looked up.
    pub names: Names,
    /// How types are declared and used.
    pub types: Types,
    /// How members are found.
    pub members: Members,
    /// Which definitions a call can lead to.
    pub calls: Calls,
    /// The return types of its standard library's methods.
    pub stdlib: Library,
    /// How code uses definitions without their names.
    pub uses: Uses,
}

/// Languages whose definitions can see each other. A call from one family to another is never guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// One or several deep languages, by a name that they share.
    Deep(&'static str),
    /// Settings that say how modules are found.
    Manifest,
    /// A shallow language, by its name.
    Shallow(&'static str),
}

/// Which files are written in a language.
#[derive(Debug)]
pub struct Files {
    /// File extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub names: &'static [&'static str],
    /// Programs named in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// How the names of test files end, before the extension: `Test` in `ParserTest.java`.
    pub test_suffixes: &'static [&'static str],
    /// Tests may be in the same file as the code they test, as in Rust and Zig.
    pub inline_tests: bool,
    /// What usually runs its tests.
    pub runner: TestRunner,
}

/// What runs tests, and how a single test is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestRunner {
    /// pytest: `tests/test_app.py::TestApp::test_run`.
    Pytest,
    /// `cargo test`: `walk::tests::finds_all`.
    Cargo,
    /// `go test`: `TestRun`.
    Go,
    /// Jest, Vitest and others that select tests by file.
    Jest,
    /// JUnit under Maven or Gradle: `AppTest#runs`.
    JUnit,
    /// None that is known: tests are named by their file.
    ByFile,
}

/// How names are looked up.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Names {
    /// The separator between the parts of a qualified name.
    pub separator: &'static str,
    /// Every name that a file uses is defined in it, imported by it, or built in, for example in Python or Rust. In C
    /// it may come from any included file.
    pub is_closed: bool,
    /// A name that nothing in sight defines is defined outside the repository.
    pub missing_is_external: bool,
    /// Members of the enclosing type can be named without a receiver, such as `close()` for `this.close()` in Java.
    pub implicit_receiver: bool,
    /// A function's name can be used as a type, as in old JavaScript: `new Session()` for `function Session() {}`.
    pub functions_name_types: bool,
    /// A local belongs to the whole function, also before it is set, for example in Python.
    pub hoists: bool,
    /// Each binding of a local declares a new one, so a local of an inner block hides those around it: `let x` in
    /// Rust.
    pub block_scopes: bool,
    /// The body of a type is a scope. Else its members are reached only through a receiver or the type's name.
    pub types_are_scopes: bool,
    /// The members of an enumeration are names in the scope around it, too: `RED` of `enum color { RED }` in C. Those marked
    /// [`crate::facts::DefFlags::STATIC`] are not.
    pub enumerators_around: bool,
    /// Names visible without an import come from included files.
    pub shared_by_include: bool,
    /// Namespaces are declared inside files, so the visible names depend on the place in the file, as in C# and C++.
    pub namespaces_in_files: bool,
    /// When a dotted name is read as one that spells out its namespace.
    pub qualified: Qualified,
}

/// When a dotted name is read as one that spells out its namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualified {
    /// Never: each part is looked up in the one before it.
    Never,
    /// Where nothing in sight has the name of its first part.
    UnknownRoot,
    /// Before anything else: the part before the separator is a namespace.
    First,
    /// Wherever its parts lead nowhere. The namespaces around it are tried from the innermost outwards.
    Always,
}

/// How types are declared and used.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Types {
    /// Declarations of one name in one scope make up one definition, such as an interface and a class in TypeScript.
    pub merges_declarations: bool,
    /// Whether a type may be written in several places.
    pub parts: Parts,
    /// Blocks outside of a type, such as Rust's `impl`, give it members and traits.
    pub impl_blocks: bool,
    /// Names of bases that list a type's generic parameters: `Generic[T]`.
    pub generic_bases: &'static [&'static str],
    /// Where in an entry of a list of generic parameters its name is.
    pub parameter_names: ParameterNames,
    /// A type satisfies an interface by its methods alone, as in Go.
    pub satisfied_by_methods: bool,
    /// An interface with one method can be the type of a function, such as Java's `Runnable`.
    pub functional_interfaces: bool,
    /// Iterating a map yields its keys, as in Python. Otherwise it yields pairs.
    pub maps_iterate_keys: bool,
    /// A type for a value that may be missing also holds an error, such as Rust's `Result`.
    pub results_hold_errors: bool,
    /// The parameters of a callback that iterates a map.
    pub map_entries: MapEntries,
}

/// Where in an entry of a list of generic parameters its name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterNames {
    /// At its end, or before a mark such as a colon: `class T`, `T: Bound`.
    Last,
    /// At its start, followed by its bound: `[T any]`.
    First,
}

/// The parameters of a callback that iterates a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapEntries {
    /// Unknown.
    Unknown,
    /// A key, then a value.
    KeyValue,
    /// A value, then a key.
    ValueKey,
    /// A key, then a value, but only for these methods.
    KeyValueBy(&'static [&'static str]),
}

/// Whether a type may be written in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// In one place.
    Whole,
    /// In several places, each marked as a part.
    Partial,
    /// Any type may be opened again.
    Reopened,
}

/// How members are found.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Members {
    /// Members may be outside of their type, also in other files.
    pub open: bool,
    /// Members outside of their type name it.
    pub name_their_owner: bool,
    /// Any file of the type's package may contain its members, as in Go.
    pub across_package: bool,
    /// A type and its instances may each have a member of the same name, as in JavaScript and Ruby.
    pub two_sided: bool,
    /// Static members are reached only through the type, not through its instances.
    pub static_needs_type: bool,
    /// The member that constructing a value of a type calls.
    pub constructor: Constructor,
    /// The method that runs when a value is called, such as Python's `__call__`.
    pub call_operator: Option<&'static str>,
    /// The method that runs for a subscript, such as Python's `__getitem__`.
    pub subscript: Option<&'static str>,
    /// The method that returns an iterator.
    pub iterator: Option<&'static str>,
    /// The method of an iterator that returns the next element.
    pub next: Option<&'static str>,
}

/// The member that constructing a value of a type calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constructor {
    /// No member of the type.
    None,
    /// The member of this name.
    Named(&'static str),
    /// The member with the type's own name.
    TypeName,
}

/// Which definitions a call can lead to.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Calls {
    /// Whether functions of one name in one scope differ by their parameters.
    pub overloads: Overloads,
    /// Inherited overloads are tried where none of the type's own accepts the arguments.
    pub inherits_overloads: bool,
    /// A function without a stated return type returns nothing, as in Go and Rust.
    pub unstated_result_is_none: bool,
    /// Parameters that take the remaining arguments are written `*args` and `**options`.
    pub stars_mark_rest: bool,
    /// Which guesses of a method by its name are recorded as calls. The others are references.
    pub guesses: Guesses,
    /// Kinds of symbol that run nothing themselves when they are called, because other code may set the value they
    /// hold.
    pub inert: &'static [crate::SymbolKind],
    /// Constructing a value of a type runs code. Else `Point { x: 1 }` and `Point(1)` only fill in fields.
    pub types_run: bool,
    /// A variable or field counts as the function or class that it is set to by name: `handler = handle_request` in
    /// Python.
    pub variables_hold: bool,
}

/// The return types of a standard library's methods, where they differ by language.
#[derive(Debug)]
pub struct Library {
    /// Methods that return the value itself, or another of its type.
    pub keeps_value: &'static [&'static str],
    /// Lookups return an option.
    pub optional_lookups: bool,
    /// Iterators are used like pointers to elements.
    pub pointer_iterators: bool,
    /// On a receiver of unknown type, `map` is assumed to be a list's.
    pub maps_are_of_lists: bool,
    /// On a receiver of unknown type, `then` is assumed to be a promise's.
    pub promises: bool,
    /// Members of built-in types, for languages without rules of their own.
    pub builtin_members: &'static [&'static str],
}

/// How definitions are used by code that does not name them, and how far their names reach.
#[derive(Debug)]
pub struct Uses {
    /// Members are called by their names alone, on values of any type. So code outside of the repository may call those of
    /// a value that it is given, such as `seekable` of an object that is passed as a file.
    pub by_name_alone: bool,
    /// Words by which code looks names up while it runs, wherever they are. Sorted.
    pub lookups: &'static [&'static str],
    /// Functions of the language that do so, where they are called without a receiver. Sorted.
    pub lookup_functions: &'static [&'static str],
    /// Members that a runner of tests calls around tests, in files of tests. Sorted.
    pub around_tests: &'static [&'static str],
    /// Private members that the library of the language runs by their names. Sorted.
    pub run_by_library: &'static [&'static str],
    /// Where code can name a private definition.
    pub private: Reach,
    /// Where code can name what its package, crate or module alone may use.
    pub internal: Reach,
    /// Members of types keep to this too. Else any code may name them on a value.
    pub members_keep: bool,
    /// How the names of files end that only state what others may use.
    pub declarations: &'static [&'static str],
    /// Blocks that let others use their definitions.
    pub open_blocks: OpenBlocks,
}

/// Blocks that let others use their definitions in ways that are not seen, so that nobody can be sure of their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenBlocks {
    /// None.
    None,
    /// The braces of a macro, which may use it: `quickcheck! { fn holds() … }`.
    Macros,
    /// Declarations for all files or for a module of others: `declare global { … }`.
    Ambient,
}

/// Where code can name a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In its file.
    File,
    /// In its file, if that imports or exports anything; else everywhere, as other scripts of a page see its names.
    Module,
    /// In the folder of its file and below it.
    Folder,
    /// Everywhere, or by custom alone not everywhere.
    Anywhere,
}

/// Which guesses of a method by its name are recorded as calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guesses {
    /// All.
    All,
    /// Those of the only method of the name, and of the only one in the same file.
    Only,
    /// None.
    None,
}

/// Whether functions of one name in one scope differ by their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overloads {
    /// A name has one function.
    None,
    /// A function may be declared several times but has only one body.
    Declarations,
    /// Each declaration is a function of its own.
    Functions,
}

impl Traits {
    /// A shallow language: nothing is special, and nothing was measured together with it.
    pub const fn shallow(name: &'static str, files: Files) -> Self {
        Self {
            name,
            family: Family::Shallow(name),
            measured_as: None,
            files,
            names: Names::SHALLOW,
            types: Types::PLAIN,
            members: Members::PLAIN,
            calls: Calls::PLAIN,
            stdlib: Library::PLAIN,
            uses: Uses::PLAIN,
        }
    }
}

impl Files {
    /// Files with these extensions.
    pub const fn of(extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..Self::PLAIN }
    }

    /// No files.
    pub const PLAIN: Self = Self {
        extensions: &[],
        names: &[],
        interpreters: &[],
        test_suffixes: &[],
        inline_tests: false,
        runner: TestRunner::ByFile,
    };
}

impl Names {
    /// Names that are not found are looked up by all the parts written before them.
    pub const SHALLOW: Self = Self { qualified: Qualified::Always, ..Self::PLAIN };

    /// Names are looked up in scopes, then in imports.
    pub const PLAIN: Self = Self {
        separator: ".",
        is_closed: false,
        missing_is_external: false,
        implicit_receiver: false,
        functions_name_types: true,
        hoists: false,
        block_scopes: false,
        types_are_scopes: true,
        enumerators_around: false,
        shared_by_include: false,
        namespaces_in_files: false,
        qualified: Qualified::Never,
    };
}

impl Types {
    /// A type is written in one place and is used as its name says.
    pub const PLAIN: Self = Self {
        merges_declarations: false,
        parts: Parts::Whole,
        impl_blocks: false,
        generic_bases: &[],
        parameter_names: ParameterNames::Last,
        satisfied_by_methods: false,
        functional_interfaces: false,
        maps_iterate_keys: false,
        results_hold_errors: false,
        map_entries: MapEntries::Unknown,
    };
}

impl Members {
    /// The members of a type are inside it.
    pub const PLAIN: Self = Self {
        open: false,
        name_their_owner: false,
        across_package: false,
        two_sided: false,
        static_needs_type: false,
        constructor: Constructor::None,
        call_operator: None,
        subscript: None,
        iterator: None,
        next: None,
    };
}

impl Library {
    /// The values shared by most languages.
    pub const PLAIN: Self = Self {
        keeps_value: &[],
        optional_lookups: false,
        pointer_iterators: false,
        maps_are_of_lists: false,
        promises: false,
        builtin_members: &[],
    };
}

impl Uses {
    /// Names reach everywhere, and nothing is known to look them up.
    pub const PLAIN: Self = Self {
        by_name_alone: false,
        lookups: &[],
        lookup_functions: &[],
        around_tests: &[],
        run_by_library: &[],
        private: Reach::Anywhere,
        internal: Reach::Anywhere,
        members_keep: false,
        declarations: &[],
        open_blocks: OpenBlocks::None,
    };
}

impl Calls {
    /// A call leads to the function of its name.
    pub const PLAIN: Self = Self {
        overloads: Overloads::None,
        inherits_overloads: false,
        unstated_result_is_none: false,
        stars_mark_rest: false,
        guesses: Guesses::All,
        inert: &[],
        types_run: true,
        variables_hold: false,
    };
}
