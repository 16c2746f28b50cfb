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
}

/// Languages whose definitions can see each other. A call from one family to another is never guessed.
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
    /// File extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub names: &'static [&'static str],
    /// Programs named in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// How the names of test files end, before the extension: `Test` in `ParserTest.java`.
    pub test_suffixes: &'static [&'static str],
    /// Tests may be in the same file as the code they test.
    pub inline_tests: bool,
}

/// How names are looked up.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Names {
    /// The separator between the parts of a qualified name.
    pub separator: &'static str,
    /// Every name that a file uses is defined in it, imported by it, or built in.
    pub is_closed: bool,
    /// A name that nothing in sight defines is defined outside the repository.
    pub missing_is_external: bool,
    /// Members of the enclosing type can be named without a receiver.
    pub implicit_receiver: bool,
    /// A variable, a method and a type of the same name are three separate things.
    pub kept_apart: bool,
    /// Types and modules have a namespace of their own, so no local variable hides them.
    pub type_namespace: bool,
    /// A type and a value may share a name. A definition that only states a type has no value.
    pub types_beside_values: bool,
    /// A function's name can be used as a type.
    pub functions_name_types: bool,
    /// A local belongs to the whole function, also before it is set.
    pub hoists: bool,
    /// Each binding of a local declares a new one, so a local of an inner block hides those around it.
    pub block_scopes: bool,
    /// Functions and classes are variables, which any statement may set again.
    pub rebindable: bool,
    /// Code in a nested module does not see the names of the modules around it.
    pub closed_modules: bool,
    /// Names that a file imports one by one take precedence over those that its package defines.
    pub imports_first: bool,
    /// An import replaces a definition of the same name that every supported version of the language excludes.
    pub import_replaces_left_out: bool,
    /// The body of a type is a scope. Else its members are reached only through a receiver or the type's name.
    pub types_are_scopes: bool,
    /// Names visible without an import come from included files.
    pub shared_by_include: bool,
    /// Namespaces are declared inside files, so the visible names depend on the place in the file.
    pub namespaces_in_files: bool,
    /// A namespace may have an alias.
    pub namespace_aliases: bool,
    /// `struct name` and `name` are two separate things.
    pub struct_tags: bool,
    /// Macros replace text, and conditional directives choose the code that is compiled.
    pub preprocessor: bool,
    /// Anonymous objects may hold methods, and anonymous functions may hold functions.
    pub anonymous_objects: bool,
    /// `exports` and `module.exports` are the module itself.
    pub commonjs: bool,
    /// Attributes such as `#[cfg(…)]` choose the code that is compiled.
    pub conditional_items: bool,
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
    /// Declarations of one name in one scope make up one definition.
    pub merges_declarations: bool,
    /// Whether a type may be written in several places.
    pub parts: Parts,
    /// Blocks outside of a type, such as `impl`, give it members and traits.
    pub impl_blocks: bool,
    /// A named type is a new type, with the members of its underlying type.
    pub distinct_aliases: bool,
    /// A generic parameter without a bound has no members. Traits may name types, which their implementations define.
    pub trait_bounds: bool,
    /// Names of bases that list a type's generic parameters: `Generic[T]`.
    pub generic_bases: &'static [&'static str],
    /// In a list of generic parameters, a name is followed by its bound without a mark between them: `[T any]`.
    pub bound_follows_name: bool,
    /// Types of pointers that own their target. Constructing such a pointer does not construct a value of the target
    /// type.
    pub owning_pointers: &'static [&'static str],
    /// A pointer is used like its target.
    pub transparent_pointers: bool,
    /// Operators that dereference a pointer or an iterator.
    pub dereference: &'static [&'static str],
    /// Functions and classes have a `prototype`, and any object can be one.
    pub prototypes: bool,
    /// Any function can be a constructor.
    pub constructor_functions: bool,
    /// An interface with one method can be the type of a function.
    pub functional_interfaces: bool,
    /// Reading a field may run `__get__` of the value it holds.
    pub descriptors: bool,
    /// An abstract class may be a protocol, which only describes how its values are used.
    pub protocols: bool,
    /// A member of an enumeration may have a body of its own. Code inside that body sees its names.
    pub enum_bodies: bool,
    /// A function without a stated type gets it from its context, for example from the variable or property that holds
    /// it.
    pub contextual: bool,
    /// A parameter without a stated type gets it from the method that is overridden.
    pub inherited_parameters: bool,
    /// A number converts to any other number, and a value converts to any type with a constructor that takes it.
    pub converts: bool,
    /// Iterating a map yields its keys. Else it yields pairs.
    pub maps_iterate_keys: bool,
    /// A type for a value that may be missing also holds an error.
    pub results_hold_errors: bool,
    /// The parameters of a callback that iterates a map.
    pub map_entries: MapEntries,
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
    /// Any file of the type's package may hold its members.
    pub across_package: bool,
    /// A function is declared in its type and may be defined anywhere.
    pub out_of_line: bool,
    /// A type and its instances may each have a member of the same name.
    pub two_sided: bool,
    /// A bare name in a method means a member of the same side: of the type, or of its instances.
    pub bare_names_have_sides: bool,
    /// Static members are reached only through the type, not through its instances.
    pub static_needs_type: bool,
    /// A mixin's code sees the members of the type that includes it, and a bare call in it may be to one of them.
    pub mixins: bool,
    /// The members of the module of this name inside a mixin become members of the including type itself.
    pub mixin_class_methods: Option<&'static str>,
    /// Functions that extend a type from outside it.
    pub extensions: ExtensionForm,
    /// A private definition at the top level of a file is visible in that file alone.
    pub private_to_file: bool,
    /// The member that constructing a value of a type calls.
    pub constructor: Constructor,
    /// A class is the property `constructor` of its objects, and `super(…)` means the base class.
    pub constructor_property: bool,
    /// A struct has a constructor without parameters, whatever others it declares.
    pub default_constructors: bool,
    /// The method that runs when a value is called.
    pub call_operator: Option<&'static str>,
    /// The method that runs for a subscript.
    pub subscript: Option<&'static str>,
    /// The method that returns an iterator.
    pub iterator: Option<&'static str>,
    /// The method of an iterator that returns the next element.
    pub next: Option<&'static str>,
    /// Methods that every value has.
    pub universal: &'static [&'static str],
    /// A base from outside the repository is assumed to have the members that only an interface declares.
    pub outside_implements: bool,
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

/// Functions that extend a type from outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionForm {
    /// There are none.
    None,
    /// Static methods of any class in a visible namespace. The value is their first argument.
    StaticMethods,
    /// Functions that state their receiver's type, visible in their package and where they are imported.
    Receivers,
}

/// Which definitions a call can lead to.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Calls {
    /// Whether functions of one name in one scope differ by their parameters.
    pub overloads: Overloads,
    /// Inherited overloads are tried where none of the type's own accepts the arguments.
    pub inherits_overloads: bool,
    /// A function that does not accept the arguments does not hide one of an outer scope that does.
    pub overloads_across_scopes: bool,
    /// An overload that calls its own name with the same number of arguments calls the one of its base.
    pub overloads_delegate: bool,
    /// Constructing a value from a single value of the same type copies it.
    pub copies: bool,
    /// A decorator runs code. Else it is an annotation.
    pub decorators_run: bool,
    /// Decorating with a class only names the class. It does not construct a value of it.
    pub decorating_class_is_named: bool,
    /// The suffix that an attribute may omit, such as `Attribute` in `[Test]` for `TestAttribute`.
    pub attribute_suffix: Option<&'static str>,
    /// `f[T](…)` calls `f`.
    pub subscripts_instantiate: bool,
    /// Anonymous functions may be run on a receiver, whose members they name without a receiver of their own.
    pub lambda_receivers: bool,
    /// Calling an alias of a type from outside the repository calls that type's constructor.
    pub aliases_of_outside: bool,
    /// A function without a body in the repository is from outside, whoever declares it.
    pub bodiless_is_external: bool,
    /// A function without a stated return type returns nothing.
    pub unstated_result_is_none: bool,
    /// Parameters that take the remaining arguments are written `*args` and `**options`.
    pub stars_mark_rest: bool,
    /// Traits in scope add methods to values.
    pub traits_in_scope: bool,
    /// A call has exactly as many arguments as its function has parameters.
    pub checks_arity: bool,
    /// Of several methods of a name, the one in the same file is guessed.
    pub guesses_near: bool,
    /// An edge to one of several methods of a name is recorded as a call. Else it is a reference.
    pub same_name_is_call: bool,
    /// The same, where the repository has only one method of the name.
    pub only_name_is_call: bool,
    /// Kinds of symbol that run nothing themselves when they are called, because other code may set the value they
    /// hold.
    pub inert: &'static [crate::SymbolKind],
    /// Constructing a value of a type runs code. Else `Point { x: 1 }` and `Point(1)` only fill in fields.
    pub types_run: bool,
    /// Which variables count as the function that they are set to.
    pub holders: NameHolders,
    /// When a local that is called certainly has the value it was set to.
    pub locals: CalledLocals,
    /// A function that is held by a name can hold other functions, which are reached through it.
    pub functions_hold_functions: bool,
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

/// Which variables count as the function or class that they are set to by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameHolders {
    /// None.
    None,
    /// Variables and fields.
    Variables,
    /// Properties of object literals.
    Properties,
}

/// When a local that is called certainly has the value it was set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalledLocals {
    /// Never: its type may be wider.
    Unsure,
    /// Where the text sets it by name, in every branch.
    ByText,
    /// Where it is not a parameter and was set by name.
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
            stdlib: Library::PLAIN,
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
    /// Names that are not found are looked up by all the parts written before them.
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
    /// The members of a type are inside it.
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
