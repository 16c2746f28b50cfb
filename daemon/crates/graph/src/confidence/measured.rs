//! Reads the table of what was measured.

use std::collections::HashMap;

use sdl_model::Lang;

/// The table's text.
pub(super) const LINES: &str = include_str!("measured.tsv");

/// Families of languages that are measured apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Python,
    Ecma,
    Rust,
    Go,
    Jvm,
    C,
    Cpp,
    CSharp,
    Kotlin,
    Php,
    Ruby,
}

impl Family {
    /// All of them, in order.
    pub(super) const ALL: [Self; 11] = [
        Self::Python,
        Self::Ecma,
        Self::Rust,
        Self::Go,
        Self::Jvm,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Kotlin,
        Self::Php,
        Self::Ruby,
    ];

    /// The family of a language; none where no truth covers it.
    pub(super) fn of(lang: Lang) -> Option<Self> {
        Some(match lang {
            Lang::Python => Self::Python,
            Lang::JavaScript | Lang::TypeScript | Lang::Tsx => Self::Ecma,
            Lang::Rust => Self::Rust,
            Lang::Go => Self::Go,
            Lang::Java => Self::Jvm,
            Lang::C => Self::C,
            Lang::Cpp => Self::Cpp,
            Lang::CSharp => Self::CSharp,
            Lang::Kotlin => Self::Kotlin,
            Lang::Php => Self::Php,
            Lang::Ruby => Self::Ruby,
            _ => return None,
        })
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "python" => Self::Python,
            "ecma" => Self::Ecma,
            "rust" => Self::Rust,
            "go" => Self::Go,
            "jvm" => Self::Jvm,
            "c" => Self::C,
            "cpp" => Self::Cpp,
            "csharp" => Self::CSharp,
            "kotlin" => Self::Kotlin,
            "php" => Self::Php,
            "ruby" => Self::Ruby,
            _ => return None,
        })
    }
}

/// What compilers said of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) right: u32,
    pub(super) wrong: u32,
    /// Calls that the compiler could not resolve.
    pub(super) open: u32,
}

impl Counts {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
            open: self.open + other.open,
        }
    }

    /// The share that was right, as if `expected` had been seen in `weight` edges more. Open calls count as half right,
    /// if at all.
    pub(super) fn share(self, with_open: bool, expected: f64, weight: f64) -> f64 {
        let open = if with_open { f64::from(self.open) } else { 0.0 };
        let right = f64::from(self.right) + open / 2.0;
        let all = f64::from(self.right) + f64::from(self.wrong) + open;
        (right + expected * weight) / (all + weight)
    }
}

/// Counts by rule and family. A line that is not understood is left out; a test sees to it that there is none.
pub(super) fn rows() -> HashMap<(&'static str, Family), Counts> {
    LINES.lines().filter_map(row).collect()
}

fn row(line: &'static str) -> Option<((&'static str, Family), Counts)> {
    let mut columns = line.split('\t');
    let (rule, family) = (columns.next()?, Family::from_name(columns.next()?)?);
    let mut count = || columns.next()?.parse().ok();
    Some(((rule, family), Counts { right: count()?, wrong: count()?, open: count()? }))
}
