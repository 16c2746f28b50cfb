//! The languages, each in a file and a test of its own.

macro_rules! languages {
    ($($name:ident,)*) => {
        $(
            mod $name;

            #[test]
            fn $name() {
                super::check(&$name::SYNTAX);
            }
        )*
    };
}

languages! {
    bash,
    c,
    cpp,
    csharp,
    go,
    java,
    javascript,
    kotlin,
    lua,
    php,
    python,
    ruby,
    rust,
    typescript,
}

/// The language of tests that one language is enough for.
pub(super) const ONE: &super::Syntax = &python::SYNTAX;
