//! The columns of the table of languages.
//!
//! Each group has a `PLAIN` value in which nothing is special; a row states what differs from it.

/// Everything that tells one language from another, but for its grammar.
#[derive(Debug)]
pub struct Traits {
    /// The name on the wire and in settings.
    pub name: &'static str,
    /// The languages whose definitions can see each other.
    pub family: Family,
    /// The languages whose edges were measured together with its own; none where no truth covers it.
    pub measured_as: Option<&'static str>,
    /// Which files are written in it.
    pub files: Files,
    /// How bare and qualified names are looked up.
    pub names: Names,
    /// How types are made up.
    pub types: Types,
    /// How members are found.
    pub members: Members,
    /// What a call may lead to.
    pub calls: Calls,
    /// What its standard library's methods give.
    pub library: Library,
}

/// Languages whose definitions can see each other: a call across the border is never guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Family {
    Bash,
    C,
    DotNet,
    Ecma,
    Go,
    Jvm,
    /// Settings that say how modules are found.
    Manifest,
    Php,
    Python,
    Ruby,
    Rust,
    /// A shallow language, by its name.
    Shallow(&'static str),
}

/// Which files are written in a language.
#[derive(Debug)]
pub struct Files {
    /// ExtensionForm, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Whole names.
    pub names: &'static [&'static str],
    /// Programs in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// How the names of files with tests end, before the extension: `Test` in `ParserTest.java`.
    pub test_suffixes: &'static [&'static str],
    /// Tests may be beside what they test, in the same file.
    pub inline_tests: bool,
}

/// How names are looked up.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Names {
    /// What joins the parts of a qualified name.
    pub separator: &'static str,
    /// Every name that a file uses is defined in it, imported by it, or built in.
    pub is_closed: bool,
    /// A name that nothing in sight defines belongs to something outside the repository.
    pub missing_is_external: bool,
    /// Members of the enclosing type can be named without a receiver.
    pub implicit_receiver: bool,
    /// A variable, a method and a type of one name are three things.
    pub kept_apart: bool,
    /// Types and modules have names of their own, which no local variable hides.
    pub type_namespace: bool,
    /// A type and a value may share a name; what only states a type has no value.
    pub types_beside_values: bool,
    /// A function's name can stand for a type.
    pub functions_name_types: bool,
    /// A local belongs to all of its function, also before it is set.
    pub hoists: bool,
    /// Each binding of a local declares one, so that one in an inner block hides those around it.
    pub block_scopes: bool,
    /// Functions and classes are variables that any statement may set again.
    pub rebindable: bool,
    /// Code in a nested module does not see the names around it.
    pub closed_modules: bool,
    /// What a file imports by name comes before what its package defines.
    pub imports_first: bool,
    /// An import stands in for a definition that no supported version of the language takes.
    pub import_replaces_left_out: bool,
    /// The body of a type is no scope: its members are reached through a receiver or the type's name.
    pub types_are_scopes: bool,
    /// What is visible without an import comes from files that are included.
    pub shared_by_include: bool,
    /// Namespaces are declared inside files, so what is visible depends on the place in the file.
    pub namespaces_in_files: bool,
    /// A namespace may be given another name.
    pub namespace_aliases: bool,
    /// `struct name` and `name` are two things.
    pub struct_tags: bool,
    /// Macros replace text, and branches of them choose what is compiled.
    pub preprocessor: bool,
    /// Objects without a name hold methods, and functions without a name hold functions.
    pub anonymous_objects: bool,
    /// `exports` and `module.exports` are the module.
    pub commonjs: bool,
    /// Attributes such as `#[cfg(…)]` choose what is compiled.
    pub conditional_items: bool,
    /// When a name is spelled with the namespaces before it.
    pub qualified: Qualified,
}

/// When a dotted name is taken for one that spells out its namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualified {
    /// Never: each part is looked up in the one before it.
    Never,
    /// Where nothing in sight has the name of its first part.
    UnknownRoot,
    /// Before anything else: what comes before the separator is a namespace.
    First,
    /// Wherever its parts lead nowhere, from the namespaces around outwards.
    Always,
}

/// How types are made up.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Types {
    /// Declarations of one name in one scope make up one thing.
    pub merges_declarations: bool,
    /// Whether a type may be written in several places.
    pub parts: Parts,
    /// Blocks outside of a type give it members and traits.
    pub impl_blocks: bool,
    /// A named type is a type of its own, with the members of what it is made of.
    pub distinct_aliases: bool,
    /// A generic parameter without a bound has no members, and traits name types that implementations fill in.
    pub trait_bounds: bool,
    /// Names of bases that list a type's generic parameters: `Generic[T]`.
    pub generic_bases: &'static [&'static str],
    /// In a list of generic parameters, each name comes before what is said of it without a mark: `[T any]`.
    pub bound_follows_name: bool,
    /// Pointers that own what they point to; making one makes nothing of that type.
    pub owning_pointers: &'static [&'static str],
    /// A pointer is used as what it points to.
    pub transparent_pointers: bool,
    /// Operators that give what a pointer or an iterator leads to.
    pub dereference: &'static [&'static str],
    /// Functions and classes have a `prototype`, and any object can be one.
    pub prototypes: bool,
    /// Any function can build objects.
    pub constructor_functions: bool,
    /// An interface with one method is the type of a function.
    pub functional_interfaces: bool,
    /// Reading a field may run `__get__` of what it holds.
    pub descriptors: bool,
    /// An abstract class may only say how its values are used.
    pub protocols: bool,
    /// A member of an enumeration may have a body of its own, whose names the code inside sees.
    pub enum_bodies: bool,
    /// A function without a stated type has that of what holds it.
    pub contextual: bool,
    /// A parameter without a stated type has that of the method it overrides.
    pub inherited_parameters: bool,
    /// A number converts to any other, and a value to what its constructors take.
    pub converts: bool,
    /// Going over a map gives its keys. Else it gives pairs.
    pub maps_iterate_keys: bool,
    /// A value that may be missing holds an error instead.
    pub results_hold_errors: bool,
    /// What a function is given that goes over a map.
    pub map_entries: MapEntries,
}

/// What a function is given that goes over a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapEntries {
    /// Nothing is known.
    Unknown,
    /// A key, then a value.
    KeyValue,
    /// A value, then a key.
    ValueKey,
    /// A key, then a value, by these methods alone.
    KeyValueBy(&'static [&'static str]),
}

/// Whether a type may be written in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// In one place.
    Whole,
    /// In several, each of which says so.
    Partial,
    /// Any type may be opened again.
    Reopened,
}

/// How members are found.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Members {
    /// Members of a type may be outside of it, in other files.
    pub open: bool,
    /// Members outside of their type state its name.
    pub name_their_owner: bool,
    /// Any file of the type's package may hold them.
    pub across_package: bool,
    /// A function is declared in its type and defined anywhere.
    pub out_of_line: bool,
    /// A type and its instances may each have a member of one name.
    pub two_sided: bool,
    /// A bare name in a method means a member of the same side: the type's or its instances'.
    pub bare_names_have_sides: bool,
    /// What a type itself has is not reached through its instances.
    pub static_needs_type: bool,
    /// A mixin's text sees what the type holds that takes it in, and a bare call in it may be that type's.
    pub mixins: bool,
    /// What a mixin holds under this name extends the type that takes it in.
    pub mixin_class_methods: Option<&'static str>,
    /// Functions that extend a type from outside of it.
    pub extensions: ExtensionForm,
    /// What a private definition at the top of a file is seen by: that file alone.
    pub private_to_file: bool,
    /// The constructor.
    pub constructor: Constructor,
    /// A class is the property `constructor` of its objects, and `super(…)` means the class that is extended.
    pub constructor_property: bool,
    /// A struct has a constructor without parameters, whatever others it declares.
    pub default_constructors: bool,
    /// The method that calling a value calls.
    pub call_operator: Option<&'static str>,
    /// The method that a subscript calls.
    pub subscript: Option<&'static str>,
    /// The method that gives an iterator.
    pub iterator: Option<&'static str>,
    /// The method of an iterator that gives the next element.
    pub next: Option<&'static str>,
    /// Methods that every value has.
    pub universal: &'static [&'static str],
    /// What just an interface asks for, a base from outside is taken to have.
    pub outside_implements: bool,
}

/// What building a value of a type calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constructor {
    /// Nothing that the type declares.
    None,
    /// The member of this name.
    Named(&'static str),
    /// The member that has the type's name.
    TypeName,
}

/// Functions that extend a type from outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionForm {
    /// There are none.
    None,
    /// Static methods of any class in a namespace in sight; the value is their first argument.
    StaticMethods,
    /// Functions that name their receiver's type, seen in their package and where they are imported.
    Receivers,
}

/// What a call may lead to.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Calls {
    /// Whether functions of one name in one place differ by their parameters.
    pub overloads: Overloads,
    /// Overloads that a type inherits are looked at where none of its own takes the arguments.
    pub inherits_overloads: bool,
    /// What does not take the arguments does not hide what does, in scopes further out.
    pub overloads_across_scopes: bool,
    /// An overload that calls its own name with the same number of arguments hands on to its base's.
    pub overloads_delegate: bool,
    /// Building a value of one of its own type copies that.
    pub copies: bool,
    /// What a class is decorated with runs. Else it is an annotation.
    pub decorators_run: bool,
    /// A class that decorates is named, and not built.
    pub decorating_class_is_named: bool,
    /// What an attribute's name leaves off at its end.
    pub attribute_suffix: Option<&'static str>,
    /// `f[T](…)` calls `f`.
    pub subscripts_instantiate: bool,
    /// Anonymous functions may be run on something, whose members they name.
    pub lambda_receivers: bool,
    /// Calling another name of a type from outside calls that type's constructor.
    pub aliases_of_outside: bool,
    /// What has no body in the repository is from outside, whoever declares it.
    pub bodiless_is_external: bool,
    /// A function that states no result gives none.
    pub unstated_result_is_none: bool,
    /// Parameters that take what is left are written `*args` and `**options`.
    pub stars_mark_rest: bool,
    /// Traits in scope give values methods.
    pub traits_in_scope: bool,
    /// A call has as many arguments as its function has parameters.
    pub checks_arity: bool,
    /// Of several methods of a name, the one in the same file is guessed.
    pub guesses_near: bool,
    /// An edge to one of several methods of a name is as good as a call. Else it is a reference.
    pub same_name_is_call: bool,
    /// The same where the repository has one method of the name.
    pub only_name_is_call: bool,
    /// Kinds that run nothing when they are called: what they hold, others may set.
    pub inert: &'static [crate::SymbolKind],
    /// Building a value of a type runs code. Else `Point { x: 1 }` and `Point(1)` only fill in what they name.
    pub types_run: bool,
    /// Which variables stand for the function that they are set to.
    pub holders: NameHolders,
    /// When a local that is called surely is what it was set to.
    pub locals: CalledLocals,
    /// A function that is held by a name can hold others, which are reached through it.
    pub functions_hold_functions: bool,
}

/// What the methods of a standard library give, where that differs by language.
#[derive(Debug)]
pub struct Library {
    /// Methods that give the value itself, or one of its type.
    pub keeps_value: &'static [&'static str],
    /// Looking something up gives an option.
    pub optional_lookups: bool,
    /// Iterators are used as pointers to elements.
    pub pointer_iterators: bool,
    /// Of a receiver that nothing is known of, `map` is a list's.
    pub maps_are_of_lists: bool,
    /// Of a receiver that nothing is known of, `then` is a promise's.
    pub promises: bool,
    /// Members of built-in types, for languages without rules of their own.
    pub builtin_members: &'static [&'static str],
}

/// Whether functions of one name in one place differ by their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overloads {
    /// A name has one function.
    None,
    /// A function may be declared several times and has one body.
    Declarations,
    /// Each is a function of its own.
    Functions,
}

/// Which variables stand for the function or class that they are set to by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameHolders {
    /// None.
    None,
    /// Variables and fields.
    Variables,
    /// Properties of objects as they are written.
    Properties,
}

/// When a local that is called surely is what it was set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalledLocals {
    /// Never: its type may be wider.
    Unsure,
    /// Where the text sets it by name, in each branch.
    ByText,
    /// Where it is no parameter and was set by name.
    Declared,
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
            library: Library::PLAIN,
        }
    }
}

impl Files {
    /// Files with these extensions.
    pub const fn of(extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..Self::PLAIN }
    }

    /// No files.
    pub const PLAIN: Self =
        Self { extensions: &[], names: &[], interpreters: &[], test_suffixes: &[], inline_tests: false };
}

impl Names {
    /// Names that lead nowhere are looked for by all that is written before them.
    pub const SHALLOW: Self = Self { qualified: Qualified::Always, ..Self::PLAIN };

    /// Names are looked up in scopes, then in imports.
    pub const PLAIN: Self = Self {
        separator: ".",
        is_closed: false,
        missing_is_external: false,
        implicit_receiver: false,
        kept_apart: false,
        type_namespace: false,
        types_beside_values: false,
        functions_name_types: true,
        hoists: false,
        block_scopes: false,
        rebindable: false,
        closed_modules: false,
        imports_first: false,
        import_replaces_left_out: false,
        types_are_scopes: true,
        shared_by_include: false,
        namespaces_in_files: false,
        namespace_aliases: false,
        struct_tags: false,
        preprocessor: false,
        anonymous_objects: false,
        commonjs: false,
        conditional_items: false,
        qualified: Qualified::Never,
    };
}

impl Types {
    /// A type is written in one place and is used as its name says.
    pub const PLAIN: Self = Self {
        merges_declarations: false,
        parts: Parts::Whole,
        impl_blocks: false,
        distinct_aliases: false,
        trait_bounds: false,
        generic_bases: &[],
        bound_follows_name: false,
        owning_pointers: &[],
        transparent_pointers: false,
        dereference: &[],
        prototypes: false,
        constructor_functions: false,
        functional_interfaces: false,
        descriptors: false,
        protocols: false,
        enum_bodies: false,
        contextual: false,
        inherited_parameters: false,
        converts: false,
        maps_iterate_keys: false,
        results_hold_errors: false,
        map_entries: MapEntries::Unknown,
    };
}

impl Members {
    /// A type's members are inside it.
    pub const PLAIN: Self = Self {
        open: false,
        name_their_owner: false,
        across_package: false,
        out_of_line: false,
        two_sided: false,
        bare_names_have_sides: false,
        static_needs_type: false,
        mixins: false,
        mixin_class_methods: None,
        extensions: ExtensionForm::None,
        private_to_file: false,
        constructor: Constructor::None,
        constructor_property: false,
        default_constructors: false,
        call_operator: None,
        subscript: None,
        iterator: None,
        next: None,
        universal: &[],
        outside_implements: false,
    };
}

impl Library {
    /// What is common to all.
    pub const PLAIN: Self = Self {
        keeps_value: &[],
        optional_lookups: false,
        pointer_iterators: false,
        maps_are_of_lists: false,
        promises: false,
        builtin_members: &[],
    };
}

impl Calls {
    /// A call leads to the function of its name.
    pub const PLAIN: Self = Self {
        overloads: Overloads::None,
        inherits_overloads: false,
        overloads_across_scopes: false,
        overloads_delegate: false,
        copies: false,
        decorators_run: true,
        decorating_class_is_named: false,
        attribute_suffix: None,
        subscripts_instantiate: false,
        lambda_receivers: false,
        aliases_of_outside: false,
        bodiless_is_external: false,
        unstated_result_is_none: false,
        stars_mark_rest: false,
        traits_in_scope: false,
        checks_arity: true,
        guesses_near: true,
        same_name_is_call: true,
        only_name_is_call: true,
        inert: &[],
        types_run: true,
        holders: NameHolders::None,
        locals: CalledLocals::Declared,
        functions_hold_functions: false,
    };
}
