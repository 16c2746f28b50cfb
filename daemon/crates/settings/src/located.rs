//! A strict JSON reader that keeps where each value and key is, because errors name line and column.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

/// Objects and arrays inside each other. Settings need about 8.
const MAX_DEPTH: usize = 64;

/// A value, and its first byte.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) at: usize,
    pub(crate) value: Json,
}

#[derive(Debug)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Located>),
    Object(Vec<Member>),
}

/// A key, its first byte, and its value.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) at: usize,
    pub(crate) value: Located,
}

/// The reason why a text is not strict JSON.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Located {
    /// The same value without places.
    pub(crate) fn to_value(&self) -> Value {
        match &self.value {
            Json::Null => Value::Null,
            Json::Bool(is) => Value::Bool(*is),
            Json::Number(number) => Value::Number(number.clone()),
            Json::Text(text) => Value::String(text.clone()),
            Json::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Json::Object(members) => {
                let pairs = members.iter().map(|member| (member.key.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// The kind of value, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Reads one value that fills `text` but for white space around it. No key occurs twice in an object.
pub(crate) fn read_located(text: &str) -> Result<Located, Fault> {
    let mut reader = Reader { text, at: 0, path: String::new() };
    reader.skip_space();
    if reader.peek().is_none() {
        return Err(reader.fault("the text is empty; write {\"mcpServers\": {}}"));
    }
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end of the text"));
    }
    Ok(value)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    path: String,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { at: self.at, path: self.path.clone(), message: message.into() }
    }

    /// Says that something else was found than `wanted`. Names the mistakes that people make in hand-written JSON.
    fn unexpected(&self, wanted: &str) -> Fault {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let why = match rest.chars().next() {
            None => return self.fault(format!("the text ends where {wanted} is expected")),
            Some('/') if rest.starts_with("//") || rest.starts_with("/*") => {
                "comments are not allowed in JSON; remove it".to_owned()
            }
            Some('#') => "comments are not allowed in JSON; remove it".to_owned(),
            Some('}' | ']') if self.follows_comma() => {
                "a comma before the end is not allowed in JSON; remove it".to_owned()
            }
            Some('\'') => "JSON has double quotes only".to_owned(),
            Some('\u{feff}') => "the text begins with a byte order mark; save it without".to_owned(),
            Some(other) => format!("{wanted} is expected, not {other:?}"),
        };
        self.fault(why)
    }

    fn follows_comma(&self) -> bool {
        self.text.get(..self.at).is_some_and(|before| before.trim_end().ends_with(','))
    }

    fn value(&mut self, depth: usize) -> Result<Located, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} objects and arrays inside each other")));
        }
        let at = self.at;
        let value = match self.peek() {
            Some(b'{') => Json::Object(self.object(depth)?),
            Some(b'[') => Json::List(self.list(depth)?),
            Some(b'"') => Json::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Json::Number(self.number()?),
            Some(b't' | b'f' | b'n') => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Located { at, value })
    }

    fn word(&mut self) -> Result<Json, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (word, value) in [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)]
        {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        let digits = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let number = serde_json::from_str(digits).map_err(|_| {
            let shown: String = digits.chars().take(40).collect();
            self.fault(format!("{shown:?} is no JSON number"))
        })?;
        self.at += digits.len();
        Ok(number)
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(0..0x20) => {
                    return Err(self.fault("a line break or tab in a string is written \\n or \\t"));
                }
                Some(_) => self.at += 1,
                None => {
                    self.at = start;
                    return Err(self.fault("the string has no end; close it with a double quote"));
                }
            }
        }
        self.at += 1;
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|_| {
            self.at = start;
            self.fault("a wrong escape in a string; a backslash itself is written \\\\")
        })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Located>, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(items);
        }
        loop {
            self.skip_space();
            let outer = self.path.len();
            self.path.push_str(&format!("[{}]", items.len()));
            items.push(self.value(depth + 1)?);
            self.path.truncate(outer);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
        self.at += 1;
        Ok(items)
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>, Fault> {
        self.at += 1;
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(members);
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let at = self.at;
            let key = self.string()?;
            let outer = self.path.len();
            push_key(&mut self.path, &key);
            if !seen.insert(key.clone()) {
                self.at = at;
                return Err(self.fault("the key occurs twice in one object; keep one"));
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            self.skip_space();
            let value = self.value(depth + 1)?;
            members.push(Member { key, at, value });
            self.path.truncate(outer);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
        self.at += 1;
        Ok(members)
    }
}

/// Appends a key to a path: `.fs`, or `["a b"]` for one that a dot could not set apart.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let is_plain = !key.is_empty()
        && key.len() <= 80
        && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-$@".contains(c));
    if is_plain {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        let shown: String = key.chars().take(80).collect();
        path.push_str(&format!("[{shown:?}]"));
    }
}
