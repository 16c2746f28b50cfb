//! The languages that facts are taken from.

use serde::{Deserialize, Serialize};

/// A language. The numbers are stored: never reuse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Lang {
    Bash = 1,
    C = 2,
    Cpp = 3,
    CSharp = 4,
    Go = 5,
    Java = 6,
    JavaScript = 7,
    Kotlin = 8,
    Php = 9,
    Python = 10,
    Ruby = 11,
    Rust = 12,
    TypeScript = 13,
    Tsx = 14,
    /// Files that say how modules are found: `package.json`, `tsconfig.json`, `go.mod`, `Cargo.toml`, …
    Manifest = 15,
}

impl Lang {
    /// Every language, in order of number.
    pub const ALL: [Self; 15] = [
        Self::Bash,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Kotlin,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::TypeScript,
        Self::Tsx,
        Self::Manifest,
    ];

    /// The name on the wire and in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Go => "go",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Kotlin => "kotlin",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::TypeScript => "typescript",
            Self::Tsx => "tsx",
            Self::Manifest => "manifest",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.name() == name)
    }

    /// The language of that stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| *lang as u8 == number)
    }
}
