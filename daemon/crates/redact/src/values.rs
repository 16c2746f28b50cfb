//! Decides which values are worth masking: not words, labels, placeholders or paths.

use super::names::{self, Sort};

/// The length of the shortest literal that is masked.
pub(super) const SHORTEST: usize = 4;
/// The least characters of a value that looks random.
const RANDOM: usize = 8;
/// How many bytes of a value are looked at.
const LOOKED_AT: usize = 1 << 10;

/// Values that are common words in programs, whatever name they are assigned to.
const WORDS: &[&str] = &[
    "any",
    "auto",
    "bool",
    "boolean",
    "bytes",
    "char",
    "const",
    "default",
    "disabled",
    "empty",
    "enabled",
    "false",
    "hidden",
    "int",
    "integer",
    "missing",
    "nil",
    "none",
    "null",
    "number",
    "object",
    "optional",
    "required",
    "str",
    "string",
    "text",
    "true",
    "undefined",
    "unknown",
    "varchar",
];

/// The name that a value is assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) sort: Sort,
    pub(super) name: &'a [u8],
    /// Whether the value is only next to the name: compared with it, or the next argument. It is not assigned to the
    /// name.
    pub(super) beside: bool,
}

impl Named<'_> {
    /// Whether the content of a literal is a secret.
    pub(super) fn takes(self, value: &str) -> bool {
        let value = value_prefix(value);
        if value.len() < SHORTEST || !value.bytes().any(|b| b.is_ascii_alphanumeric()) {
            return false;
        }
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        match self.sort {
            Sort::Pin => return digits == value.len() && digits <= 8,
            Sort::Session => return is_session(value),
            Sort::Folder if is_path(value) => return false,
            _ => {}
        }
        if WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
            || self.labels(value)
            || is_sentence(value)
        {
            return false;
        }
        if let Some(rest) = without_placeholders(value) {
            return rest.split(|c: char| !c.is_ascii_alphanumeric()).any(is_mixed);
        }
        let plain = digits == 0 && is_plain(value);
        let words = plain
            && value
                .trim_matches(|c: char| !c.is_ascii_alphanumeric())
                .contains(|c: char| !c.is_ascii_alphanumeric());
        match (self.sort, self.beside) {
            (Sort::Token, true) => !plain,
            (Sort::Token, false) => !words,
            // Identifiers next to a name are names too, but a phrase may be a passphrase.
            (_, true) => !words || value.contains(' '),
            (_, false) => true,
        }
    }

    /// Whether a bare word is a secret. Only a word that looks random counts, because bare words have no clear end.
    pub(super) fn takes_bare(self, value: &str) -> bool {
        let least = if self.sort == Sort::Secret { 6 } else { RANDOM };
        self.sort != Sort::Pin
            && (self.sort != Sort::Session || is_session(value))
            && is_random(value, least)
            && !is_own_id(value)
            && !(self.sort == Sort::Folder && is_path(value))
    }

    /// Whether a value only repeats the name it is assigned to, as labels do: `verbose_name="password"`.
    fn labels(self, value: &str) -> bool {
        let letters =
            value.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation() || c == ' ');
        if letters.bytes().any(|b| b.is_ascii_digit()) {
            return false;
        }
        let (said, name) = (names::fold_name(letters.as_bytes()), names::fold_name(self.name));
        let name = name
            .get(..name.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |at| at + 1))
            .unwrap_or_default();
        if !said.is_empty() && name.ends_with(&said) && (letters.len() == value.len() || self.beside) {
            return true;
        }
        // `("new_password1", "new_password2")`, `PASSWORD_TOKEN = "_password_token"`.
        let of_words = letters.contains(['_', '-', ' ', '.']);
        (self.beside || self.sort == Sort::Token) && of_words && names::sort_of(letters.as_bytes()).is_some()
    }
}

fn value_prefix(value: &str) -> &str {
    value.get(..value.floor_char_boundary(LOOKED_AT)).unwrap_or(value)
}

/// Whether `value` is one of the daemon's own ids, versions or etags, which follow all sorts of words in answers.
fn is_own_id(value: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let behind = |marks: &[&str], mark: char, most: usize| {
        value.split_once(mark).is_some_and(|(first, rest)| {
            marks.contains(&first) && (10..=most).contains(&rest.len()) && digits(rest)
        })
    };
    behind(&["s", "h", "sp", "m", "art", "as", "f", "op"], '_', 24)
        || behind(&["minimal", "signature", "deps", "compact", "full"], '-', 10)
        || value.strip_prefix('v').is_some_and(|n| n.len() == 13 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether one of the pieces of a cookie or of a session's id looks random: `sessionid=38afes7a8; theme=dark`.
fn is_session(value: &str) -> bool {
    let value = without_placeholders(value).unwrap_or_else(|| value.to_owned());
    !is_own_id(&value) && value.split(|c: char| !c.is_ascii_alphanumeric()).any(looks_random)
}

/// Whether letters and digits are mixed in one piece, unlike in any word.
pub(super) fn looks_random(value: &str) -> bool {
    is_random(value, RANDOM)
}

fn is_random(value: &str, least: usize) -> bool {
    let value = value_prefix(value);
    value.len() >= least && !value.contains(char::is_whitespace) && is_mixed(value) && !is_technical(value)
}

/// Whether a value has at least four characters, with letters and digits among them.
pub(super) fn is_mixed(value: &str) -> bool {
    value.len() >= SHORTEST
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether all digits of a value belong to well-known terms: `Int32Array`, `sha256_hex`, `oauth2-client`.
fn is_technical(value: &str) -> bool {
    const TERMS: &[&str] = &[
        "aes128", "aes256", "base32", "base58", "base64", "blake3", "ed25519", "es256", "float32", "float64",
        "hs256", "http2", "int128", "int16", "int32", "int64", "int8", "ipv4", "ipv6", "md5", "oauth1",
        "oauth2", "pbkdf2", "pkcs12", "pkcs8", "rs256", "sha1", "sha224", "sha256", "sha384", "sha512",
        "utf16", "utf8", "x509",
    ];
    if value.len() > 64 || !value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
        return false;
    }
    let mut rest = value.to_ascii_lowercase();
    for term in TERMS {
        if rest.contains(term) {
            rest = rest.replace(term, "");
        }
    }
    !rest.bytes().any(|b| b.is_ascii_digit())
}

/// Whether letters look like those of words: all of one case, or capitals only at the beginnings of words.
fn is_plain(value: &str) -> bool {
    let bytes = value.as_bytes();
    let raised =
        bytes.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    value.is_ascii() && raised * 4 <= value.len()
}

/// Whether a value is a sentence for people to read. A passphrase has no small words.
fn is_sentence(value: &str) -> bool {
    const SMALL: &[&str] = &[
        "a", "an", "and", "be", "for", "in", "is", "must", "not", "of", "or", "that", "the", "this", "to",
        "your",
    ];
    let mut words = value.split_whitespace();
    value.starts_with(|c: char| c.is_uppercase())
        && !value.bytes().any(|b| b.is_ascii_digit())
        && words.clone().count() >= 4
        && words.any(|word| SMALL.contains(&word))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~', '.', '$']) || value.as_bytes().get(1) == Some(&b':')
}

/// Returns a value without its placeholders: `%s`, `%(name)s`, `{name}`, `${NAME}`, `<name>`, `$NAME`. None if it has
/// none.
fn without_placeholders(value: &str) -> Option<String> {
    if !value.contains(['%', '{', '$', '<']) {
        return None;
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    let mut any = false;
    while let Some(at) = rest.find(['%', '{', '$', '<']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // `ab$cd` is a password, `$cd` is a variable.
        let within = from.starts_with('$') && before.ends_with(|c: char| c.is_ascii_alphanumeric());
        let length = if within { 1 } else { placeholder_len(from) };
        any |= length > 1;
        rest = from.get(length..).unwrap_or_default();
        out.push(' ');
    }
    out.push_str(rest);
    any.then_some(out)
}

/// Returns the length of the placeholder at the start of a text; 1 if there is none.
fn placeholder_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let closed = |open: usize, by: u8| {
        let inside = bytes.get(open..).unwrap_or_default();
        let end = inside.iter().take(names::LONGEST).position(|b| *b == by)?;
        let named = inside.get(..end)?.iter().all(|b| *b != b'\n' && *b != b'"' && *b != b'{');
        named.then_some(open + end + 1)
    };
    let word = |from: usize| {
        let length = bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        let named = bytes.get(from..from + length).unwrap_or_default();
        (length > 0 && !named.iter().any(u8::is_ascii_digit)).then_some(from + length)
    };
    let length = match (bytes.first(), bytes.get(1)) {
        (Some(b'%'), Some(b'(')) => closed(2, b')').map(|end| end + 1),
        (Some(b'%'), Some(b'{')) | (Some(b'$'), Some(b'{' | b'(')) => {
            closed(2, if bytes[1] == b'(' { b')' } else { b'}' })
        }
        (Some(b'%'), Some(b's' | b'd' | b'r' | b'v' | b'q' | b'x' | b'i' | b'u' | b'p' | b'f' | b'@')) => {
            // `ab%def` is a password, `%s:%s` is none.
            (!bytes.get(2).is_some_and(u8::is_ascii_alphanumeric)).then_some(2)
        }
        (Some(b'%'), Some(b'A'..=b'Z')) => closed(1, b'%'),
        (Some(b'{'), Some(b'{')) => closed(2, b'}').map(|end| end + 1),
        (Some(b'{'), _) => closed(1, b'}'),
        (Some(b'<'), _) => closed(1, b'>'),
        // A password may begin with `$`: only a name without digits counts as a variable's.
        (Some(b'$'), Some(b'A'..=b'Z' | b'a'..=b'z' | b'_')) => word(1),
        _ => None,
    };
    length.unwrap_or(1).min(bytes.len())
}
