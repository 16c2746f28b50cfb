//! The properties of a posting's symbol, in 16 bits.

use sdl_model::SymbolKind;
use sdl_model::facts::{Def, DefFlags};
use sdl_model::lang::is_test_path;

/// The properties of a posting's symbol and of its term there: the kind in the low five bits, then the bits below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Flags(pub(crate) u16);

const KIND: u16 = 31;
const EXPORTED: u16 = 1 << 5;
const TEST: u16 = 1 << 6;
const LOCAL: u16 = 1 << 7;
/// In a file that is not part of the product, see [`is_aside_path`], or in generated code.
const ASIDE: u16 = 1 << 8;
/// The flags that [`Flags::prior`] depends on.
pub(crate) const PRIOR_FLAGS: u16 = KIND | EXPORTED | TEST | LOCAL | ASIDE;
/// Of the posting alone: whether its term is in the name, in the owners' names, in the path.
const IN_NAME: u16 = 1 << 9;
const IN_OWNER: u16 = 1 << 10;
const IN_PATH: u16 = 1 << 11;
/// The number of words in the name, less one, in two bits. The highest value means that or more.
const WORDS_AT: u16 = 12;
const MOST_WORDS: usize = 4;
/// The length class of the definition, in two bits: see [`Flags::length`].
const LENGTH_AT: u16 = 14;

/// The properties that a path gives to all definitions of its file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    test: bool,
    aside: bool,
}

impl Place {
    pub(crate) fn of(path: &str) -> Self {
        Self { test: is_test_path(path), aside: is_aside_path(path) }
    }
}

/// The kinds of symbols that a search wants as much as any others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wants {
    /// Tests.
    pub(crate) tests: bool,
    /// Examples, documentation, benchmarks, generated code and the like.
    pub(crate) aside: bool,
}

impl Flags {
    pub(crate) fn of(def: &Def, place: Place) -> Self {
        let length = length_class(def.span.end_line.saturating_sub(def.span.start_line));
        Self(Self::of_brief(def.kind, def.flags, place).0 | length << LENGTH_AT)
    }

    /// The same without the length, which a list does not show.
    pub(crate) fn of_brief(kind: SymbolKind, flags: DefFlags, place: Place) -> Self {
        let kind = SymbolKind::ALL.iter().position(|known| *known == kind).unwrap_or(0) as u16;
        let mut bits = kind & KIND;
        if flags.has(DefFlags::EXPORTED) {
            bits |= EXPORTED;
        }
        if flags.has(DefFlags::TEST) {
            bits |= TEST;
        }
        if flags.has(DefFlags::LOCAL) {
            bits |= LOCAL;
        }
        if flags.has(DefFlags::GENERATED) {
            bits |= ASIDE;
        }
        Self(bits).placed(place)
    }

    /// The same in a file of that path.
    pub(crate) fn placed(self, place: Place) -> Self {
        let bit = |set: bool, bit: u16| if set { bit } else { 0 };
        Self(self.0 | bit(place.test, TEST) | bit(place.aside, ASIDE))
    }

    /// The same for one posting: whether its term is in the name, in the owners' names, in the path, and the number of
    /// words in the name.
    pub(crate) fn of_term(self, [name, owner, path]: [bool; 3], words: usize) -> Self {
        let bit = |set: bool, bit: u16| if set { bit } else { 0 };
        let words = (words.clamp(1, MOST_WORDS) - 1) as u16;
        Self(self.0 | bit(name, IN_NAME) | bit(owner, IN_OWNER) | bit(path, IN_PATH) | words << WORDS_AT)
    }

    pub(crate) fn in_name(self) -> bool {
        self.0 & IN_NAME != 0
    }

    pub(crate) fn in_owner(self) -> bool {
        self.0 & IN_OWNER != 0
    }

    pub(crate) fn in_path(self) -> bool {
        self.0 & IN_PATH != 0
    }

    /// The number of words in the name, at most four.
    pub(crate) fn words(self) -> u16 {
        (self.0 >> WORDS_AT & 3) + 1
    }

    /// The length class of the definition: 0 below 4 lines, 1 below 16, 2 below 64, else 3.
    pub(crate) fn length(self) -> u16 {
        self.0 >> LENGTH_AT
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

    pub(crate) fn aside(self) -> bool {
        self.0 & ASIDE != 0
    }

    /// How likely a symbol with these properties is the wanted one, at most 1.
    pub(crate) fn prior(self) -> f32 {
        self.prior_for(Wants::default())
    }

    /// The same for a search that states which other kinds it wants.
    pub(crate) fn prior_for(self, wants: Wants) -> f32 {
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
        let test = match (self.test(), wants.tests) {
            (false, _) => 1.0,
            (true, false) => 0.45,
            (true, true) => 0.8,
        };
        let aside = match (self.aside(), wants.aside) {
            (false, _) => 1.0,
            (true, false) => 0.5,
            (true, true) => 0.9,
        };
        let local = if self.local() { 0.7 } else { 1.0 };
        let exported = if self.exported() { 1.0 } else { 0.97 };
        kind * test * aside * local * exported
    }
}

/// The length class of a definition that ends this number of lines below its first one.
fn length_class(below: u32) -> u16 {
    match below {
        0..3 => 0,
        3..15 => 1,
        15..63 => 2,
        _ => 3,
    }
}

/// Whether a path looks like that of a file outside the product, such as `examples/demo.py`, `docs/conf.py` or
/// `node_modules/x/index.js`.
pub(crate) fn is_aside_path(path: &str) -> bool {
    let (dirs, file) = path.rsplit_once('/').unwrap_or(("", path));
    let anywhere = |dir: &str| {
        matches!(
            dir,
            "example"
                | "examples"
                | "sample"
                | "samples"
                | "demo"
                | "demos"
                | "sandbox"
                | "playground"
                | "doc"
                | "docs"
                | "documentation"
                | "bench"
                | "benches"
                | "benchmark"
                | "benchmarks"
                | "benchsuite"
                | "fuzz"
                | "fuzzing"
                | "vendor"
                | "vendored"
                | "third_party"
                | "thirdparty"
                | "third-party"
                | "node_modules"
                | "dist"
                | "generated"
        )
    };
    // These are also names of modules further down.
    let outermost = |dir: &str| {
        matches!(dir, "build" | "out" | "scripts" | "script" | "ci" | "tools" | "hack" | "contrib")
    };
    let first = dirs.split('/').next().unwrap_or("");
    outermost(first)
        || dirs.split('/').any(anywhere)
        || [".min.", ".pb.", "_pb2.", ".generated."].iter().any(|mark| file.contains(mark))
}

#[cfg(test)]
mod tests {
    use sdl_model::facts::StrIx;

    use super::*;

    #[test]
    fn every_kind_fits() {
        for (i, kind) in SymbolKind::ALL.into_iter().enumerate() {
            assert_eq!(Flags(i as u16 | EXPORTED).kind(), kind);
        }
    }

    #[test]
    fn a_posting_tells_of_its_term() {
        let flags = Flags(EXPORTED | ASIDE | 4).of_term([true, false, true], 9);
        assert!(flags.in_name() && !flags.in_owner() && flags.in_path() && flags.aside());
        assert_eq!((flags.words(), flags.kind()), (4, SymbolKind::ALL[4]));
        assert_eq!(Flags(4).of_term([false, true, false], 0).words(), 1);
        assert!(flags.prior() < flags.prior_for(Wants { aside: true, tests: false }));
    }

    #[test]
    fn generated_code_ranks_aside_in_every_folder() {
        let written = Def::new(StrIx(0), SymbolKind::Function);
        let generated = Def { flags: DefFlags::GENERATED, ..written.clone() };
        let flags = |def: &Def, path: &str| Flags::of(def, Place::of(path));
        assert!(!flags(&written, "src/a.go").aside() && flags(&generated, "src/a.go").aside());
        assert_eq!(flags(&generated, "src/a.go"), flags(&written, "src/a.pb.go"), "one demotion, not two");
        assert_eq!(flags(&generated, "src/a.pb.go"), flags(&written, "src/a.pb.go"));
    }

    #[test]
    fn lengths_fit_beside_the_rest() {
        for (lines, class) in [(1, 0), (3, 0), (4, 1), (15, 1), (16, 2), (63, 2), (64, 3), (9_000, 3)] {
            let mut def = Def::new(StrIx(0), SymbolKind::Method);
            (def.span.start_line, def.span.end_line) = (7, 6 + lines);
            let flags = Flags::of(&def, Place::default()).of_term([true; 3], 4);
            assert_eq!(
                (flags.length(), flags.words(), flags.kind()),
                (class, 4, SymbolKind::Method),
                "{lines}"
            );
        }
    }

    #[test]
    fn aside_paths() {
        for path in
            ["examples/a.py", "pkg/docs/conf.py", "dist/a.js", "lib/a.min.js", "tools/x.py", "a/vendor/b.go"]
        {
            assert!(is_aside_path(path), "{path}");
        }
        for path in ["src/tools/a.rs", "src/build/mod.rs", "document.py", "src/sampler/a.rs", "a.js"] {
            assert!(!is_aside_path(path), "{path}");
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
