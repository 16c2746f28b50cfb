//! Which branch of a condition of the preprocessor a build takes by default: for Linux, by GCC, on x86-64.
//!
//! Compilers' predefined macros are known, and so are limits of the system's headers and the macros that the file
//! itself defines. Other names are known if they name a system, a feature of the system, or a part to leave out. The
//! rest depends on settings that the text does not show: there, [`Taken::Likely`] is the choice of most builds.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use sdl_model::Lang;

use super::predefined::{is_enabled, is_predefined, limit_value, says_what_is_there};

/// The longest condition that is read.
const LONGEST: usize = 2_000;
/// The deepest parentheses in one.
const DEPTH: u8 = 32;

/// The known value of a macro: a value, no value, or unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Number(i128),
    Undefined,
    Unknown,
}

impl Value {
    fn holds(self) -> Option<bool> {
        match self {
            Self::Number(n) => Some(n != 0),
            Self::Undefined => Some(false),
            Self::Unknown => None,
        }
    }

    fn of(truth: Option<bool>) -> Self {
        truth.map_or(Self::Unknown, |truth| Self::Number(i128::from(truth)))
    }
}

/// The macros that a file has defined so far, whatever the settings, with their values where those are numbers.
pub(super) type Defined = HashMap<u64, Option<i128>>;

/// The facts that decide conditions: the language, and the macros that the file has defined so far.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) lang: Lang,
    pub(super) own: Option<&'k Defined>,
    /// Whether settings are assumed to be as their names ask for.
    pub(super) settings: bool,
}

impl Known<'_> {
    fn own(&self, name: &str) -> Option<Value> {
        let value = self.own?.get(&name_key(name))?;
        Some(value.map_or(Value::Unknown, Value::Number))
    }

    /// Whether a macro of that name is defined; none where that depends on settings.
    fn is_defined(&self, name: &str) -> Option<bool> {
        let own = self.own(name).map(|_| true);
        let limit = || limit_value(name).map(|_| true);
        own.or_else(|| is_predefined(name, self.lang))
            .or_else(limit)
            .or_else(|| (self.settings && is_enabled(name)).then_some(true))
    }

    fn value_of(&self, name: &str) -> Value {
        if let Some(own) = self.own(name) {
            return own;
        }
        if let Some(limit) = limit_value(name) {
            return Value::Number(limit);
        }
        match self.is_defined(name) {
            Some(false) => Value::Undefined,
            Some(true) if says_what_is_there(name) || is_enabled(name) => Value::Number(1),
            // A predefined macro has a value, which differs between builds.
            _ => Value::Unknown,
        }
    }
}

/// The number in `text`, as the preprocessor reads it.
pub(super) fn parse_number(text: &str) -> Option<i128> {
    let digits = text.trim().trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

/// The key of a name in [`Defined`].
pub(super) fn name_key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Whether a build takes a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Every build for Linux takes it, or none does.
    Surely(bool),
    /// Builds do or don't by default: a setting decides.
    Likely(bool),
    Unknown,
}

impl Taken {
    /// Compares the result with settings unknown to the result with settings as their names ask for.
    pub(super) fn of(holds: impl Fn(bool) -> Option<bool>) -> Self {
        match holds(false) {
            Some(holds) => Self::Surely(holds),
            None => holds(true).map_or(Self::Unknown, Self::Likely),
        }
    }
}

/// Whether the condition `text` of an `#if` or `#elif` holds; none where that depends on settings.
pub(super) fn condition_holds(text: &str, known: Known<'_>) -> Option<bool> {
    let text = text.get(..LONGEST).unwrap_or(text);
    let mut at = Reader { rest: text, known };
    let value = at.any(0);
    at.skip_space();
    if at.rest.is_empty() { value.holds() } else { None }
}

/// Whether the branch that a directive begins, its `#` included, is taken; none where that depends on settings.
pub(super) fn is_taken(directive: &str, known: Known<'_>) -> Option<bool> {
    let text = directive.trim_start_matches('#').trim_start();
    let len = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at_checked(len)?;
    let name = rest.split_ascii_whitespace().next().unwrap_or("");
    match word {
        "if" | "elif" => condition_holds(rest, known),
        "ifdef" | "elifdef" => known.is_defined(name),
        "ifndef" | "elifndef" => known.is_defined(name).map(|defined| !defined),
        _ => None,
    }
}

struct Reader<'t> {
    rest: &'t str,
    known: Known<'t>,
}

impl<'t> Reader<'t> {
    /// Skips white space, comments, and line continuations.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
            self.rest = if let Some(comment) = rest.strip_prefix("/*") {
                comment.split_once("*/").map_or("", |(_, behind)| behind)
            } else if let Some(comment) = rest.strip_prefix("//") {
                comment.split_once('\n').map_or("", |(_, behind)| behind)
            } else {
                self.rest = rest;
                return;
            };
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        self.skip_space();
        let len = self.rest.bytes().take_while(|c| *c == b'_' || c.is_ascii_alphanumeric()).count();
        let (word, rest) = self.rest.split_at_checked(len).filter(|(word, _)| !word.is_empty())?;
        self.rest = rest;
        Some(word)
    }

    fn any(&mut self, depth: u8) -> Value {
        let mut value = self.all(depth);
        while self.eat("||") {
            let other = self.all(depth);
            value = Value::of(match (value.holds(), other.holds()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            });
        }
        value
    }

    fn all(&mut self, depth: u8) -> Value {
        let mut value = self.compared(depth);
        while self.eat("&&") {
            let other = self.compared(depth);
            value = Value::of(match (value.holds(), other.holds()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            });
        }
        value
    }

    fn compared(&mut self, depth: u8) -> Value {
        let left = self.one(depth);
        for operator in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.eat(operator) {
                let right = self.one(depth);
                let number = |value| match value {
                    Value::Number(n) => Some(n),
                    Value::Undefined => Some(0),
                    Value::Unknown => None,
                };
                let (Some(a), Some(b)) = (number(left), number(right)) else { return Value::Unknown };
                return Value::of(Some(match operator {
                    "==" => a == b,
                    "!=" => a != b,
                    "<=" => a <= b,
                    ">=" => a >= b,
                    "<" => a < b,
                    _ => a > b,
                }));
            }
        }
        left
    }

    fn one(&mut self, depth: u8) -> Value {
        if depth > DEPTH {
            self.rest = "?";
            return Value::Unknown;
        }
        self.skip_space();
        if self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.eat("!");
            let inner = self.one(depth + 1);
            return Value::of(inner.holds().map(|holds| !holds));
        }
        if self.eat("(") {
            let inner = self.any(depth + 1);
            if !self.eat(")") {
                self.rest = "?";
            }
            return inner;
        }
        let Some(word) = self.word() else { return Value::Unknown };
        if word == "defined" {
            let parens = self.eat("(");
            let name = self.word().unwrap_or("");
            if parens && !self.eat(")") {
                self.rest = "?";
            }
            return Value::of(self.known.is_defined(name));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return parse_number(word).map_or(Value::Unknown, Value::Number);
        }
        // Linux uses these to ask whether a feature is built in or a module.
        if matches!(word, "IS_ENABLED" | "IS_BUILTIN" | "IS_REACHABLE" | "IS_MODULE") && self.eat("(") {
            let name = self.word().unwrap_or("");
            if !self.eat(")") {
                self.rest = "?";
            }
            return Value::of(self.known.is_defined(name).filter(|_| word != "IS_MODULE"));
        }
        self.known.value_of(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const C: Known<'_> = Known { lang: Lang::C, own: None, settings: false };

    #[test]
    fn what_a_file_defines_is_defined() {
        let own = HashMap::from([
            (name_key("VERBOSE"), None),
            (name_key("LEVEL"), Some(2)),
            (name_key("HUNT"), Some(0)),
        ]);
        let known = Known { own: Some(&own), ..C };
        assert_eq!(condition_holds("defined(VERBOSE)", known), Some(true));
        assert_eq!(condition_holds("VERBOSE", known), None);
        assert_eq!(condition_holds("LEVEL > 1", known), Some(true));
        assert_eq!(condition_holds("HUNT", known), Some(false));
        assert_eq!(is_taken("#ifndef VERBOSE", known), Some(false));
        assert_eq!(condition_holds("defined(QUIET)", known), None);
    }

    #[test]
    fn conditions_of_systems() {
        for (text, holds_there) in [
            ("defined(_WIN32)", Some(false)),
            ("!defined _WIN32 && defined(__linux__)", Some(true)),
            ("defined(GIT_THREADS) && defined(GIT_WIN32)", Some(false)),
            ("defined(__APPLE__) || defined(__linux__)", Some(true)),
            ("defined(__APPLE__) || USE_IT", None),
            ("(NGX_HAVE_FIONBIO)", Some(true)),
            ("HAVE_DECL_X == 0", Some(false)),
            ("HAVE_LIBATOMIC", None),
            ("defined HAVE_KQUEUE", Some(false)),
            ("defined(NO_PTHREADS)", Some(false)),
            ("defined(HAVE_NO_X)", None),
            ("defined(MEMDEBUG) || NGX_DEBUG", Some(false)),
            ("defined(NDEBUG)", None),
            ("_MSC_VER >= 1900", Some(false)),
            ("!(defined(_AIX) || /* no */ defined(__sun))", Some(true)),
            ("__GNUC__ > 3", None),
            ("0", Some(false)),
            ("1", Some(true)),
            ("(", None),
            ("A(x) && 0", None),
            ("UINT_MAX == ULONG_MAX", Some(false)),
            ("ULONG_MAX > 0xffffffff", Some(true)),
            ("LDBL_MANT_DIG == 53 && LDBL_MAX_EXP == 1024", Some(false)),
            ("__BYTE_ORDER == __BIG_ENDIAN", Some(false)),
            ("defined(CONFIG_SMP)", None),
            ("ARCH_AARCH64", Some(false)),
        ] {
            assert_eq!(condition_holds(text, C), holds_there, "{text}");
        }
        assert_eq!(is_taken("#ifndef _WIN32", C), Some(true));
        assert_eq!(is_taken("# ifdef USE_DARWIN", C), Some(false));
        assert_eq!(is_taken("#ifdef __cplusplus", Known { lang: Lang::Cpp, ..C }), Some(true));
        assert_eq!(is_taken("#else", C), None);
    }

    #[test]
    fn a_setting_is_likely_what_its_name_asks_for() {
        let taken = |text| Taken::of(|settings| condition_holds(text, Known { settings, ..C }));
        for (text, expected) in [
            ("ENABLE_HISTORY", Taken::Likely(true)),
            ("!ENABLE_HISTORY || _WIN32", Taken::Likely(false)),
            ("defined(CONFIG_SMP) && defined(__linux__)", Taken::Likely(true)),
            ("IS_ENABLED(CONFIG_NET)", Taken::Likely(true)),
            ("IS_MODULE(CONFIG_NET)", Taken::Unknown),
            ("CONFIG_NO_HZ", Taken::Surely(false)),
            ("G_ENABLE_DEBUG", Taken::Surely(false)),
            ("USE_GNUTLS", Taken::Unknown),
            ("__linux__ && 1", Taken::Unknown),
            ("defined(__linux__)", Taken::Surely(true)),
        ] {
            assert_eq!(taken(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_conditions_end() {
        assert_eq!(condition_holds(&"(".repeat(100_000), C), None);
        assert_eq!(condition_holds(&"!".repeat(100_000), C), None);
    }
}
