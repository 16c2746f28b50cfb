//! Which of Rust's alternatives a default build includes. A definition under a `#[cfg(…)]` that does not hold there is
//! excluded, if there is another one of its name.

use sdl_model::facts::{DefIx, Expr};

use super::crates;
use crate::world::{FileIndex, FileIx, World};

/// Most nested conditions that are followed.
const DEPTH: u8 = 16;

/// Whether a default build excludes `def`.
pub(super) fn leaves_out(w: &World<'_>, at: FileIx, file: &FileIndex, def: DefIx) -> bool {
    let arena = &file.outline.arena;
    let stated = file.outline.def(def);
    stated.is_some_and(|def| {
        def.decorators.iter().any(|decorator| {
            let Expr::Generic(name, args) = arena.expr(*decorator) else { return false };
            match (arena.expr(*name), args.first().map(|arg| arena.expr(*arg))) {
                (Expr::Name(name), Some(Expr::Name(text))) if arena.str(*name) == "cfg" => {
                    condition_fails(w, at, arena.str(*text))
                }
                _ => false,
            }
        })
    })
}

/// Whether a default build excludes an import.
pub(super) fn leaves_out_import(w: &World<'_>, at: FileIx, file: &FileIndex, import: u32) -> bool {
    let condition = file.import(import).and_then(|import| import.condition);
    condition.is_some_and(|text| condition_fails(w, at, file.outline.str(text)))
}

/// Whether the condition `text` does not hold for the file `at`.
fn condition_fails(w: &World<'_>, at: FileIx, text: &str) -> bool {
    let mut reader = Reader { text };
    let has = |feature: &str| crates::has_feature(w, at, feature).map_or(Holds::Unknown, Holds::from);
    reader.condition(&has, 0) == Some(Holds::No) && reader.text.is_empty()
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
    Unknown,
}

impl From<bool> for Holds {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, mark: char) -> bool {
        match self.text.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.text = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        let text = self.text.trim_start();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.text = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    /// Whether the next condition holds, if that can be known. None if this is not a condition.
    fn condition(&mut self, has: &impl Fn(&str) -> Holds, depth: u8) -> Option<Holds> {
        let name = self.word().filter(|_| depth < DEPTH)?;
        if self.eat('(') {
            let mut parts = Vec::new();
            while !self.eat(')') {
                parts.push(self.condition(has, depth + 1)?);
                if !self.eat(',') && !self.text.starts_with(')') {
                    return None;
                }
            }
            return Some(match (name, parts.as_slice()) {
                ("all", parts) if parts.contains(&Holds::No) => Holds::No,
                ("any", parts) if parts.contains(&Holds::Yes) => Holds::Yes,
                ("all" | "any", parts) if parts.contains(&Holds::Unknown) => Holds::Unknown,
                ("all", _) => Holds::Yes,
                ("any", _) | ("not", [Holds::Yes]) => Holds::No,
                ("not", [Holds::No]) => Holds::Yes,
                ("not", [Holds::Unknown]) => Holds::Unknown,
                _ => return None,
            });
        }
        if self.eat('=') {
            let rest = self.text.strip_prefix('"')?;
            let (value, rest) = rest.split_once('"')?;
            self.text = rest.trim_start();
            return Some(if name == "feature" { has(value) } else { is_default(name, value).into() });
        }
        Some(matches!(name, "unix" | "debug_assertions").into())
    }
}

/// Whether `name = "value"` holds for the system of a default build.
fn is_default(name: &str, value: &str) -> bool {
    matches!(
        (name, value),
        ("target_os", "linux")
            | ("target_family", "unix")
            | ("target_arch", "x86_64")
            | ("target_pointer_width", "64")
            | ("target_env", "gnu")
            | ("target_endian", "little")
            | ("target_vendor", "unknown")
            | ("panic", "unwind")
            | ("target_feature", "sse" | "sse2")
            | ("target_has_atomic", _)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Option<Holds> {
        let mut reader = Reader { text };
        let has = |feature: &str| match feature {
            "std" => Holds::Yes,
            "unknown" => Holds::Unknown,
            _ => Holds::No,
        };
        reader.condition(&has, 0).filter(|_| reader.text.is_empty())
    }

    #[test]
    fn conditions_of_a_build_by_default() {
        for (text, expected) in [
            ("feature = \"std\"", Holds::Yes),
            ("not(feature = \"std\")", Holds::No),
            ("all(feature = \"std\", feature = \"other\")", Holds::No),
            ("any(windows, feature = \"std\",)", Holds::Yes),
            ("any(windows, feature = \"unknown\")", Holds::Unknown),
            ("all(feature = \"unknown\", test)", Holds::No),
            ("target_os = \"macos\"", Holds::No),
            ("not(loom)", Holds::Yes),
        ] {
            assert_eq!(holds(text), Some(expected), "{text}");
        }
        for text in ["", "not(unix", "all(unix windows)", "odd(unix)", "unix)", "feature = std"] {
            assert_eq!(holds(text), None, "{text}");
        }
        assert_eq!(holds(&"not(".repeat(10_000)), None);
    }
}
