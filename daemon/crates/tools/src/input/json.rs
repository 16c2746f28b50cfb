//! A strict JSON reader. Where two readers of one text could differ it refuses: duplicate keys, lone surrogates, bytes
//! that are not UTF-8. Also keeps hostile nesting off the stack.

use serde_json::{Map, Number, Value};

/// Deeper nesting than this is refused. No action's arguments need more than a few levels.
const MAX_DEPTH: usize = 64;

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub(crate) struct BadJson {
    pub(crate) what: String,
    pub(crate) at: usize,
}

/// Reads one JSON value that fills `bytes` but for white space around it. Linear in the length.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, BadJson> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| BadJson { what: "bytes that are not UTF-8".into(), at: e.valid_up_to() })?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.bad("more text after the value"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bad(&self, what: impl Into<String>) -> BadJson {
        BadJson { what: what.into(), at: self.at }
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

    fn value(&mut self, depth: usize) -> Result<Value, BadJson> {
        if depth > MAX_DEPTH {
            return Err(self.bad(format!("nesting deeper than {MAX_DEPTH}")));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.bad("not the start of a JSON value")),
            None => Err(self.bad("the text ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, BadJson> {
        if self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.bad("not the start of a JSON value"))
    }

    fn object(&mut self, depth: usize) -> Result<Value, BadJson> {
        self.at += 1;
        let mut map = Map::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(map));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.bad("a key in double quotes expected"));
            }
            let key_at = self.at;
            let key = self.string()?;
            self.space();
            self.expect(b':')?;
            let value = self.value(depth + 1)?;
            if map.contains_key(&key) {
                let shown: String = key.chars().take(60).collect();
                return Err(BadJson {
                    what: format!("the key {shown:?} stands twice in one object"),
                    at: key_at,
                });
            }
            map.insert(key, value);
            self.space();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b'}')?;
                return Ok(Value::Object(map));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, BadJson> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else {
                self.expect(b']')?;
                return Ok(Value::Array(items));
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

    fn number(&mut self) -> Result<Value, BadJson> {
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
        text.parse::<Number>().map(Value::Number).map_err(|e| BadJson { what: e.to_string(), at: from })
    }

    fn string(&mut self) -> Result<String, BadJson> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20);
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err(self.bad("the text ends inside a string"));
            };
            // The stop is an ASCII byte, so this cut lies between characters.
            out.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => self.escape(&mut out)?,
                _ => return Err(self.bad("a control character inside a string must be escaped")),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), BadJson> {
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
                out.push(self.unicode(start)?);
                return Ok(());
            }
            _ => return Err(self.bad("not an escape that JSON knows")),
        };
        self.at += 1;
        out.push(escaped);
        Ok(())
    }

    fn unicode(&mut self, start: usize) -> Result<char, BadJson> {
        let lone = || BadJson { what: "a lone surrogate, which no text contains,".into(), at: start };
        let first = self.hex4()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if self.text.as_bytes().get(self.at..self.at + 2) != Some(b"\\u") {
                    return Err(lone());
                }
                self.at += 2;
                let second = self.hex4()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(lone());
                }
                0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(lone)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_what_two_readers_would_read_differently() {
        for (text, what) in [
            (r#"{"a":1,"a":2}"#, "stands twice"),
            ("{\"a\":1,\"\\u0061\":2}", "stands twice"),
            (r#"{"x":{"b":1,"b":1}}"#, "stands twice"),
            (r#""\ud800""#, "lone surrogate"),
            (r#""\ud800\u0041""#, "lone surrogate"),
            (r#""\udc00""#, "lone surrogate"),
            ("\"a\nb\"", "control character"),
            ("[1,]", "not the start"),
            ("01", "more text"),
            ("{} {}", "more text"),
            ("\"abc", "ends inside"),
            ("\u{feff}{}", "not the start"),
            ("nul", "not the start"),
            ("-", "digit expected"),
        ] {
            let error = parse(text.as_bytes()).expect_err(text);
            assert!(error.to_string().contains(what), "{text}: {error}");
        }
        assert!(parse(b"\"\xff\"").is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err(), "nesting");
    }

    #[test]
    fn keeps_numbers_and_text_exactly() {
        let text = r#"{"big":123456789012345678901234567890,"f":1.50,"e":1e5,"s":"ü😀\ud83d\ude00\n"}"#;
        let value = parse(text.as_bytes()).unwrap();
        assert_eq!(value["big"].to_string(), "123456789012345678901234567890");
        assert_eq!(value["f"].to_string(), "1.50");
        assert_eq!(value["s"], json!("ü😀😀\n"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,8}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_back_what_serde_json_writes(value in any_json()) {
            prop_assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn accepts_nothing_that_serde_json_refuses(text in r#"[\[\]{}",:\\0-9a-fnrtul.eE+ -]{0,40}"#) {
            if let Ok(value) = parse(text.as_bytes()) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
            }
        }

        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
