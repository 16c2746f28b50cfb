//! The grammar, walked once. A [`Build`] decides the form of the result.

use std::borrow::Cow;
use std::ops::Range;

/// The kinds of faults in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A key that the object has already: `{"a": 1, "a": 2}`.
    Twice,
    /// Half of a surrogate pair.
    Lone,
    /// Anything else: the text is not JSON, or nested too deep.
    Broken,
}

/// The reason why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct BadJson {
    /// The kind of fault.
    pub fault: Fault,
    /// The same for a person.
    pub what: String,
    /// Where it begins.
    pub at: usize,
    /// The offset up to which the text was read.
    pub end: usize,
}

/// Builds the result of reading a text.
pub(crate) trait Build<'t> {
    /// A value.
    type Value;
    /// The members of an object so far.
    type Members: Default;
    /// The items of an array so far.
    type Items: Default;
    /// Whether the text of strings is needed. That of keys always is.
    const KEEPS_TEXT: bool;

    /// `null`, or a boolean.
    fn word(&mut self, word: Option<bool>) -> Self::Value;
    /// A number as it is written.
    fn number(&mut self, text: &'t str) -> Result<Self::Value, String>;
    /// A string; empty if texts are not wanted.
    fn string(&mut self, text: Cow<'t, str>) -> Self::Value;
    /// A key, before its value is read. Returns whether the object has it already.
    #[allow(clippy::ptr_arg, reason = "a borrowed key is kept without copying it")]
    fn key(&mut self, members: &mut Self::Members, key: &Cow<'t, str>, depth: usize) -> bool;
    /// A member, once its value was read at `place`.
    fn member(&mut self, members: &mut Self::Members, key: Cow<'t, str>, value: Self::Value, place: Place);
    /// An item.
    fn item(&mut self, items: &mut Self::Items, value: Self::Value);
    /// An object whose members were read.
    fn object(&mut self, members: Self::Members) -> Self::Value;
    /// An array whose items were read.
    fn array(&mut self, items: Self::Items) -> Self::Value;
    /// A text that JSON allows but readers treat differently, such as `{"a": 1, "a": 2}`. The reader goes on after
    /// `Ok`.
    fn ambiguous(&mut self, bad: BadJson) -> Result<(), BadJson>;
}

/// Where a value is.
pub(crate) struct Place {
    /// Its bytes.
    pub(crate) span: Range<usize>,
    /// How many objects and arrays are around the object that it is a member of.
    pub(crate) depth: usize,
}

/// Reads one value that fills `text` but for white space around it. Linear in the length.
pub(crate) fn read<'t, B: Build<'t>>(
    text: &'t str,
    build: &mut B,
    max_depth: usize,
) -> Result<B::Value, BadJson> {
    let mut reader = Reader { text, at: 0, max_depth };
    let value = reader.value(build, 0)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.bad("more text after the value"));
    }
    Ok(value)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    max_depth: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bad(&self, what: impl Into<String>) -> BadJson {
        BadJson { fault: Fault::Broken, what: what.into(), at: self.at, end: self.at }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), BadJson> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.bad(match self.peek() {
            None => format!("the text ends where '{}' is expected", char::from(byte)),
            Some(_) => format!("'{}' expected", char::from(byte)),
        }))
    }

    fn value<B: Build<'t>>(&mut self, build: &mut B, depth: usize) -> Result<B::Value, BadJson> {
        if depth > self.max_depth {
            return Err(self.bad(format!("nesting deeper than {}", self.max_depth)));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(build, depth),
            Some(b'[') => self.array(build, depth),
            Some(b'"') => {
                let text = self.string(build, B::KEEPS_TEXT)?;
                Ok(build.string(text))
            }
            Some(b't') => self.word("true").map(|()| build.word(Some(true))),
            Some(b'f') => self.word("false").map(|()| build.word(Some(false))),
            Some(b'n') => self.word("null").map(|()| build.word(None)),
            Some(b'-' | b'0'..=b'9') => self.number(build),
            Some(_) => Err(self.bad("not the start of a JSON value")),
            None => Err(self.bad("the text ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), BadJson> {
        if self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.bad("not the start of a JSON value"))
    }

    fn object<B: Build<'t>>(&mut self, build: &mut B, depth: usize) -> Result<B::Value, BadJson> {
        self.at += 1;
        let mut members = B::Members::default();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(build.object(members));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.bad("a key in double quotes expected"));
            }
            let at = self.at;
            let key = self.string(build, true)?;
            if build.key(&mut members, &key, depth) {
                let shown: String = key.chars().take(60).collect();
                let what = format!("the key {shown:?} occurs twice in one object");
                build.ambiguous(BadJson { fault: Fault::Twice, what, at, end: self.at })?;
            }
            self.space();
            self.expect(b':')?;
            self.space();
            let start = self.at;
            let value = self.value(build, depth + 1)?;
            build.member(&mut members, key, value, Place { span: start..self.at, depth });
            self.space();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b'}')?;
                return Ok(build.object(members));
            }
        }
    }

    fn array<B: Build<'t>>(&mut self, build: &mut B, depth: usize) -> Result<B::Value, BadJson> {
        self.at += 1;
        let mut items = B::Items::default();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(build.array(items));
        }
        loop {
            let value = self.value(build, depth + 1)?;
            build.item(&mut items, value);
            self.space();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b']')?;
                return Ok(build.array(items));
            }
        }
    }

    fn digits(&mut self) -> Result<(), BadJson> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == from { Err(self.bad("a digit expected")) } else { Ok(()) }
    }

    fn number<B: Build<'t>>(&mut self, build: &mut B) -> Result<B::Value, BadJson> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.text.get(from..self.at).unwrap_or_default();
        build.number(text).map_err(|what| BadJson { fault: Fault::Broken, what, at: from, end: self.at })
    }

    /// A string; empty unless `kept`. Borrowed where it holds no escapes.
    fn string<B: Build<'t>>(&mut self, build: &mut B, kept: bool) -> Result<Cow<'t, str>, BadJson> {
        self.at += 1;
        let mut out = Cow::Borrowed("");
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20);
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err(self.bad("the text ends inside a string"));
            };
            if kept && plain > 0 {
                // This cut is between characters, because the byte at which it stops is ASCII.
                let plain = rest.get(..plain).unwrap_or_default();
                match &mut out {
                    Cow::Borrowed("") => out = Cow::Borrowed(plain),
                    out => out.to_mut().push_str(plain),
                }
            }
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    let escaped = self.escape(build)?;
                    if kept {
                        out.to_mut().push(escaped);
                    }
                }
                _ => return Err(self.bad("a control character inside a string must be escaped")),
            }
        }
    }

    fn escape<B: Build<'t>>(&mut self, build: &mut B) -> Result<char, BadJson> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(build, start);
            }
            _ => return Err(self.bad("not an escape that JSON knows")),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode<B: Build<'t>>(&mut self, build: &mut B, start: usize) -> Result<char, BadJson> {
        let first = self.hex4()?;
        let mut code = first;
        if (0xD800..=0xDBFF).contains(&first)
            && self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u")
        {
            let after_first = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xDC00..=0xDFFF).contains(&second) {
                code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            } else {
                // It is an escape of its own.
                self.at = after_first;
            }
        }
        if let Some(c) = char::from_u32(code) {
            return Ok(c);
        }
        let what = "a lone surrogate, which no text contains,".to_owned();
        build.ambiguous(BadJson { fault: Fault::Lone, what, at: start, end: self.at })?;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, BadJson> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let code = digits.and_then(|digits| {
            digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
        });
        let code = code.ok_or_else(|| self.bad("four hexadecimal digits expected"))?;
        self.at += 4;
        Ok(code)
    }
}
