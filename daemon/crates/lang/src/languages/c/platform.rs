//! Which branch of a condition of the preprocessor a build takes by default: for Linux, by GCC, on x86-64.
//!
//! What compilers predefine is known; other names are, where they say which system they are for, what it has, or what is
//! to be left out. The rest depends on settings that the text does not show.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use sdl_model::Lang;

/// Longest condition that is looked at.
const LONGEST: usize = 2_000;
/// Deepest parentheses in one.
const DEPTH: u8 = 32;

/// What is known of a macro: its value where there is one, that it has none, or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Number(i64),
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
        truth.map_or(Self::Unknown, |truth| Self::Number(i64::from(truth)))
    }
}

/// What decides conditions: the language, and what the file has defined so far.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) lang: Lang,
    pub(super) own: Option<&'k HashSet<u64>>,
}

/// What stands for a name among those that a file has defined.
pub(super) fn key(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Whether a macro of that name is defined; none where that is up to settings.
fn is_defined(name: &str, known: Known<'_>) -> Option<bool> {
    if known.own.is_some_and(|own| own.contains(&key(name))) {
        return Some(true);
    }
    let lang = known.lang;
    match name {
        "__cplusplus" => return Some(lang == Lang::Cpp),
        "__linux__" | "__linux" | "linux" | "__gnu_linux__" | "__unix__" | "__unix" | "unix" | "__GNUC__"
        | "__x86_64__" | "__x86_64" | "__amd64__" | "__amd64" | "__ELF__" | "__LP64__" | "_LP64"
        | "__STDC__" => return Some(true),
        "sun" | "__sun" | "__sun__" | "_AIX" | "_AIX32" | "__MACH__" | "__BEOS__" | "__QNX__" | "__hpux"
        | "__sgi" | "__osf__" | "__MVS__" | "__PASE__" | "__BORLANDC__" | "__WATCOMC__" | "__TURBOC__"
        | "__SUNPRO_C" | "__SUNPRO_CC" | "__xlC__" | "__DJGPP__" | "__VMS" | "__CYGWIN32__" | "_M_IX86"
        | "_M_X64" | "_M_AMD64" | "_M_ARM" | "_M_ARM64" | "__DragonFly__" | "_WIN32_WCE" | "__i386__"
        | "__i386" | "__arm__" | "__aarch64__" | "__powerpc__" | "__powerpc64__" | "__ppc__" | "__mips__"
        | "__sparc__" | "__sparc" | "__s390__" | "__riscv" | "__ia64__" | "__alpha__" | "__wasm__"
        | "__OBJC__" | "_MSC_VER" | "__CUDACC__" | "__INTEL_COMPILER" => return Some(false),
        _ => {}
    }
    if names_other_system(name) {
        return Some(false);
    }
    match (says_what_is_there(name), says_what_is_not(name)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// `HAVE_POLL`: what the system has, which is most of what anyone asks for. Libraries are another matter.
fn says_what_is_there(name: &str) -> bool {
    name.split('_').any(|word| word == "HAVE") && !name.split('_').any(|word| word.starts_with("LIB"))
}

/// `NO_THREADS`, `MEM_DEBUG`: who builds a thing as it is by default leaves nothing out and puts nothing in to look for
/// mistakes.
fn says_what_is_not(name: &str) -> bool {
    let is_left_out = |word| {
        matches!(
            word,
            "NO" | "WITHOUT" | "DISABLE" | "DISABLED" | "UNITTEST" | "UNITTESTS" | "FUZZ" | "FUZZING"
        )
    };
    // `X_DEBUG_C` has a module for it; `X_DEBUG` debugs X.
    let debugs = name.ends_with("DEBUG") && !name.ends_with("NDEBUG");
    debugs || name.split('_').any(is_left_out)
}

/// Whether one of the words of a name is that of a system or compiler of elsewhere: `_WIN32`, `HAVE_WINDOWS_H`.
fn names_other_system(name: &str) -> bool {
    name.split('_').any(|word| {
        matches!(
            word.to_ascii_uppercase().as_str(),
            "WIN32"
                | "WIN64"
                | "WINDOWS"
                | "WINNT"
                | "WINCE"
                | "WINRT"
                | "MSVC"
                | "MINGW"
                | "MINGW32"
                | "MINGW64"
                | "CYGWIN"
                | "APPLE"
                | "DARWIN"
                | "MACOS"
                | "MACOSX"
                | "OSX"
                | "FREEBSD"
                | "NETBSD"
                | "OPENBSD"
                | "SOLARIS"
                | "SUNOS"
                | "AIX"
                | "HPUX"
                | "HAIKU"
                | "OS2"
                | "OS390"
                | "VMS"
                | "MSDOS"
                | "AMIGA"
                | "ANDROID"
                | "EMSCRIPTEN"
                | "KQUEUE"
                | "EVPORT"
                | "DEVPOLL"
                | "POLLSET"
                | "IOCP"
                | "SETPROCTITLE"
        )
    })
}

/// Whether the condition `text` of an `#if` or `#elif` holds; none where that is up to settings.
pub(super) fn holds(text: &str, known: Known<'_>) -> Option<bool> {
    let text = text.get(..LONGEST).unwrap_or(text);
    let mut at = Reader { rest: text, known };
    let value = at.any(0);
    at.skip_space();
    if at.rest.is_empty() { value.holds() } else { None }
}

/// Whether the branch that a directive begins, its `#` included, is taken; none where that is up to settings.
pub(super) fn is_taken(directive: &str, known: Known<'_>) -> Option<bool> {
    let text = directive.trim_start_matches('#').trim_start();
    let len = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = text.split_at_checked(len)?;
    let name = rest.split_ascii_whitespace().next().unwrap_or("");
    match word {
        "if" | "elif" => holds(rest, known),
        "ifdef" | "elifdef" => is_defined(name, known),
        "ifndef" | "elifndef" => is_defined(name, known).map(|defined| !defined),
        _ => None,
    }
}

struct Reader<'t> {
    rest: &'t str,
    known: Known<'t>,
}

impl<'t> Reader<'t> {
    /// White space, comments, and ends of lines that go on.
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
            return Value::of(is_defined(name, self.known));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
            return digits.parse().map_or(Value::Unknown, Value::Number);
        }
        match is_defined(word, self.known) {
            Some(false) => Value::Undefined,
            Some(true) if says_what_is_there(word) => Value::Number(1),
            // What is predefined has a value, which differs.
            _ => Value::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const C: Known<'_> = Known { lang: Lang::C, own: None };

    #[test]
    fn what_a_file_defines_is_defined() {
        let own = HashSet::from([key("VERBOSE")]);
        let known = Known { own: Some(&own), ..C };
        assert_eq!(holds("defined(VERBOSE)", known), Some(true));
        assert_eq!(is_taken("#ifndef VERBOSE", known), Some(false));
        assert_eq!(holds("defined(QUIET)", known), None);
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
        ] {
            assert_eq!(holds(text, C), holds_there, "{text}");
        }
        assert_eq!(is_taken("#ifndef _WIN32", C), Some(true));
        assert_eq!(is_taken("# ifdef USE_DARWIN", C), Some(false));
        assert_eq!(is_taken("#ifdef __cplusplus", Known { lang: Lang::Cpp, own: None }), Some(true));
        assert_eq!(is_taken("#else", C), None);
    }

    #[test]
    fn hostile_conditions_end() {
        assert_eq!(holds(&"(".repeat(100_000), C), None);
        assert_eq!(holds(&"!".repeat(100_000), C), None);
    }
}
