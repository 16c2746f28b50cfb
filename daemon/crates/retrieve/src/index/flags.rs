//! What a posting says of its symbol, in 16 bits.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefFlags};

/// What a posting says of its symbol: kind in the low five bits, then exported, test, local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Flags(pub(crate) u16);

const KIND: u16 = 31;
const EXPORTED: u16 = 1 << 5;
const TEST: u16 = 1 << 6;
const LOCAL: u16 = 1 << 7;

impl Flags {
    pub(crate) fn of(def: &Def, in_test_file: bool) -> Self {
        let kind = SymbolKind::ALL.iter().position(|kind| *kind == def.kind).unwrap_or(0) as u16;
        let mut bits = kind & KIND;
        if def.flags.has(DefFlags::EXPORTED) {
            bits |= EXPORTED;
        }
        if in_test_file || def.flags.has(DefFlags::TEST) {
            bits |= TEST;
        }
        if def.flags.has(DefFlags::LOCAL) {
            bits |= LOCAL;
        }
        Self(bits)
    }

    pub(crate) fn kind(self) -> SymbolKind {
        SymbolKind::ALL.get((self.0 & KIND) as usize).copied().unwrap_or(SymbolKind::Module)
    }

    pub(crate) fn exported(self) -> bool {
        self.0 & EXPORTED != 0
    }

    pub(crate) fn test(self) -> bool {
        self.0 & TEST != 0
    }

    pub(crate) fn local(self) -> bool {
        self.0 & LOCAL != 0
    }

    /// How likely a symbol of this sort is what someone looks for, 1 at most.
    pub(crate) fn prior(self) -> f32 {
        let kind = match self.kind() {
            SymbolKind::Function
            | SymbolKind::Method
            | SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Macro => 1.0,
            SymbolKind::Constructor | SymbolKind::Enum | SymbolKind::Union | SymbolKind::Property => 0.95,
            SymbolKind::Type => 0.8,
            SymbolKind::Constant | SymbolKind::Namespace => 0.75,
            SymbolKind::Module | SymbolKind::Variable => 0.65,
            SymbolKind::Field | SymbolKind::EnumMember => 0.55,
            SymbolKind::Impl => 0.1,
        };
        let test = if self.test() { 0.45 } else { 1.0 };
        let local = if self.local() { 0.7 } else { 1.0 };
        let exported = if self.exported() { 1.0 } else { 0.97 };
        kind * test * local * exported
    }
}

/// Whether a path looks like a test's, by the conventions of the common languages.
pub fn is_test_path(path: &str) -> bool {
    let (dirs, file) = path.rsplit_once('/').unwrap_or(("", path));
    if dirs.split('/').any(|dir| {
        matches!(dir, "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "testdata" | "e2e")
    }) {
        return true;
    }
    let stem = file.split('.').next().unwrap_or(file);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "test" | "tests" | "conftest")
        || file.contains(".test.")
        || file.contains(".spec.")
        || [".java", ".kt", ".cs", ".php"].iter().any(|ext| {
            file.strip_suffix(ext).is_some_and(|name| {
                name.ends_with("Test") || name.ends_with("Tests") || name.ends_with("TestCase")
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_fits() {
        for (i, kind) in SymbolKind::ALL.into_iter().enumerate() {
            assert_eq!(Flags(i as u16 | EXPORTED).kind(), kind);
        }
    }

    #[test]
    fn test_paths() {
        for path in [
            "tests/a.py",
            "src/test/java/A.java",
            "pkg/a_test.go",
            "a.spec.ts",
            "src/__tests__/a.js",
            "FooTest.java",
            "test_x.py",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in
            ["src/contest.py", "latest.rs", "django/db/models.py", "src/attestation/a.ts", "Testable.java"]
        {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
