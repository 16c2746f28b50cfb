//! The languages that facts are taken from, and the table of their differences.
//!
//! [`Lang::traits`] is the only place for a fact about a language: for example its extensions, its test files, its
//! rules for names. Code outside of a language's own folders asks the table and never names a language.

mod paths;
mod shallow;
mod traits;

/// The rows of the deep languages, a file for each family.
mod rows {
    pub(super) mod c;
    pub(super) mod dotnet;
    pub(super) mod ecma;
    pub(super) mod go;
    pub(super) mod jvm;
    pub(super) mod lua;
    pub(super) mod php;
    pub(super) mod python;
    pub(super) mod ruby;
    pub(super) mod rust;
    pub(super) mod scripts;
}

use serde::{Deserialize, Serialize};

pub use paths::{is_source_name, is_test_path};
pub use traits::{
    Calls, Constructor, Family, Files, Guesses, Library, MapEntries, Members, Names, OpenBlocks, Overloads,
    ParameterNames, Parts, Qualified, Reach, TestRunner, Traits, Types, Uses,
};

/// Declares [`Lang`]: a language in a line, with its stored number and its row of the table.
macro_rules! languages {
    ($($(#[$doc:meta])* $name:ident = $number:literal => $row:expr,)*) => {
        /// A language. The numbers are stored: never reuse one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Lang {
            $($(#[$doc])* $name = $number,)*
        }

        impl Lang {
            /// Every language, in order of number.
            pub const ALL: [Self; [$($number),*].len()] = [$(Self::$name),*];

            /// How the language differs from others.
            pub const fn traits(self) -> &'static Traits {
                match self {
                    $(Self::$name => const { &$row },)*
                }
            }
        }
    };
}

languages! {
    Bash = 1 => rows::scripts::BASH,
    C = 2 => rows::c::C,
    Cpp = 3 => rows::c::CPP,
    CSharp = 4 => rows::dotnet::CSHARP,
    Go = 5 => rows::go::GO,
    Java = 6 => rows::jvm::JAVA,
    JavaScript = 7 => rows::ecma::JAVASCRIPT,
    Kotlin = 8 => rows::jvm::KOTLIN,
    Php = 9 => rows::php::PHP,
    Python = 10 => rows::python::PYTHON,
    Ruby = 11 => rows::ruby::RUBY,
    Rust = 12 => rows::rust::RUST,
    TypeScript = 13 => rows::ecma::TYPESCRIPT,
    Tsx = 14 => rows::ecma::TSX,
    /// Files that say how modules are found: `package.json`, `tsconfig.json`, `go.mod`, `Cargo.toml`, …
    Manifest = 15 => rows::scripts::MANIFEST,

    // Read as the TypeScript or JavaScript of their scripts.
    Vue = 16 => Traits { name: "vue", files: Files::of(&["vue"]), ..rows::ecma::TYPESCRIPT },
    Svelte = 17 => Traits { name: "svelte", files: Files::of(&["svelte"]), ..rows::ecma::TYPESCRIPT },

    Lua = 20 => rows::lua::LUA,

    // Shallow languages, each a pack of `sdl-lang`.
    Swift = 18 => Traits {
        names: Names { implicit_receiver: true, functions_name_types: false, ..Names::SHALLOW },
        members: Members {
            open: true,
            name_their_owner: true,
            constructor: Constructor::Named("init"),
            ..Members::PLAIN
        },
        stdlib: Library { builtin_members: shallow::SWIFT_MEMBERS, ..Library::PLAIN },
        ..Traits::shallow("swift", Files::of(&["swift"]))
    },
    Scala = 19 => Traits {
        names: Names { implicit_receiver: true, is_closed: true, ..Names::SHALLOW },
        // A class and the object of its name.
        types: Types { merges_declarations: true, ..Types::PLAIN },
        stdlib: Library { builtin_members: shallow::SCALA_MEMBERS, ..Library::PLAIN },
        ..Traits::shallow("scala", Files { test_suffixes: &["Spec", "Suite", "Test"], ..Files::of(&["sc", "scala"]) })
    },
    Dart = 21 => Traits {
        names: Names {
            implicit_receiver: true,
            is_closed: true,
            functions_name_types: false,
            ..Names::SHALLOW
        },
        members: Members { constructor: Constructor::TypeName, ..Members::PLAIN },
        stdlib: Library { builtin_members: shallow::DART_MEMBERS, ..Library::PLAIN },
        ..Traits::shallow("dart", Files { interpreters: &["dart"], ..Files::of(&["dart"]) })
    },
    Elixir = 22 => Traits {
        names: Names { is_closed: true, ..Names::SHALLOW },
        ..Traits::shallow("elixir", Files { interpreters: &["elixir"], ..Files::of(&["ex", "exs"]) })
    },
    Zig = 23 => Traits {
        names: Names { is_closed: true, ..Names::SHALLOW },
        calls: Calls { types_run: false, ..Calls::PLAIN },
        ..Traits::shallow("zig", Files { inline_tests: true, ..Files::of(&["zig"]) })
    },
    Protobuf = 24 => Traits {
        names: Names { is_closed: true, ..Names::SHALLOW },
        ..Traits::shallow("protobuf", Files::of(&["proto"]))
    },
    R = 25 => Traits {
        members: Members {
            // `Stack$set("public", "peek", …)` is outside of `Stack`.
            open: true,
            name_their_owner: true,
            // `x$stack()` never means `print.stack`, a function outside of all types.
            static_needs_type: true,
            constructor: Constructor::Named("initialize"),
            ..Members::PLAIN
        },
        // Last parts of names in the standard library: `file.exists(x)` doesn't call a method `exists`.
        stdlib: Library {
            builtin_members: &[
                "access", "adjust", "append", "arg", "args", "array", "call", "case", "cases", "character", "class",
                "col", "colors", "copy", "create", "default", "dirs", "env", "equal", "exists", "exit", "expand",
                "fail", "file", "files", "frame", "fun", "function", "grid", "image", "info", "int", "link", "list",
                "matrix", "max", "min", "mode", "name", "names", "numeric", "object", "off", "omit", "package",
                "packages", "parent", "path", "profile", "remove", "rename", "show", "size", "sleep", "table",
                "test", "time", "unique", "url", "vars", "vector",
            ],
            ..Library::PLAIN
        },
        ..Traits::shallow("r", Files { interpreters: &["Rscript"], ..Files::of(&["r"]) })
    },
}

impl Lang {
    /// Whether its facts come from a pack of queries, and its edges from what all languages have in common.
    pub const fn is_shallow(self) -> bool {
        matches!(self.traits().family, Family::Shallow(_))
    }

    /// Whether its files become part of each other as text, for example by `#include`.
    pub const fn includes_text(self) -> bool {
        matches!(self, Self::C | Self::Cpp)
    }

    /// The name on the wire and in settings.
    pub const fn name(self) -> &'static str {
        self.traits().name
    }

    /// Whether files of it hold code, as opposed to settings that say how modules are found.
    pub fn has_code(self) -> bool {
        self.traits().family != Family::Manifest
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.name() == name)
    }

    /// The language of that stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| *lang as u8 == number)
    }

    /// The language whose files have this extension, which is in lower case and without its dot.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::first_listing(|files| files.extensions, extension)
    }

    /// The language of files with this whole name, such as `Gemfile`.
    pub fn from_file_name(name: &str) -> Option<Self> {
        Self::first_listing(|files| files.names, name)
    }

    /// The language that the program in a `#!` line runs. `program` has no folder and no version, such as `python` of
    /// `/usr/bin/python3.12`.
    pub fn from_interpreter(program: &str) -> Option<Self> {
        Self::first_listing(|files| files.interpreters, program)
    }

    fn first_listing(list: fn(&Files) -> &'static [&'static str], wanted: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| list(&lang.traits().files).contains(&wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for lang in Lang::ALL {
            assert_eq!(Lang::from_name(lang.name()), Some(lang));
            assert_eq!(Lang::from_number(lang as u8), Some(lang));
        }
    }

    #[test]
    fn no_two_languages_claim_a_file() {
        for list in [
            |files: &Files| files.extensions,
            |files: &Files| files.names,
            |files: &Files| files.interpreters,
        ] {
            let mut all: Vec<&str> =
                Lang::ALL.into_iter().flat_map(|lang| list(&lang.traits().files)).copied().collect();
            let listed = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), listed);
        }
    }

    #[test]
    fn words_of_uses_are_sorted_for_their_search() {
        for uses in Lang::ALL.into_iter().map(|lang| &lang.traits().uses) {
            for words in [uses.lookups, uses.lookup_functions, uses.around_tests, uses.run_by_library] {
                assert!(words.is_sorted(), "{words:?}");
            }
        }
    }

    #[test]
    fn extensions_are_lower_case() {
        let all = Lang::ALL.into_iter().flat_map(|lang| lang.traits().files.extensions);
        for extension in all {
            assert_eq!(*extension, extension.to_ascii_lowercase());
        }
    }

    /// The names in a list of the README: `C# (`csharp`)` is csharp, `Go` is go.
    fn listed(start: &str) -> Vec<String> {
        let page = include_str!("../../../../../README.md");
        let list = page.split_once(start).map_or("", |(_, rest)| rest);
        let list = list.split('.').next().unwrap_or_default();
        let mut names = Vec::new();
        for item in list.split_inclusive([')', ',']) {
            match item.split_once('`') {
                Some((_, quoted)) => names.extend(quoted.split('`').next().map(str::to_owned)),
                None => names.push(item.trim_matches([',', ')', ' ', '\n']).to_lowercase()),
            }
        }
        names.retain(|name| !name.is_empty());
        names.sort();
        names
    }

    #[test]
    fn the_readme_lists_the_languages() {
        let named = |wanted: fn(&Lang) -> bool| {
            let all = Lang::ALL.into_iter().filter(|lang| lang.has_code() && wanted(lang));
            let mut names: Vec<String> = all.map(|lang| lang.name().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(listed("Languages read in depth: "), named(|lang| !lang.is_shallow()));
        assert_eq!(listed("Shallow languages: "), named(|lang| lang.is_shallow()));
    }
}
