//! Literals that are assigned to something named like a secret: `password = "…"`, `"apiKey": "…"`, `DB_TOKEN=…`.
//!
//! One pass over the bytes without a grammar. It remembers whether the last name was that of a secret and whether an
//! operator that assigns or compares a value has followed. A literal after that is masked if it looks like a secret.

use std::ops::Range;

use super::names::{self, Sort};
use super::quotes::{self, Quote, is_apostrophe, is_name};
use super::values::{self, Named};
use super::{MASK, lists};

/// Maximum number of bytes of a bare value.
const LONGEST_BARE: usize = 512;
/// Maximum number of bytes between the tags of an element.
const LONGEST_ELEMENT: usize = 300;

/// Calls that wrap a literal, such as `String("…")`. The literal is the same secret.
const WRAPPERS: &[&str] =
    &["from", "just", "of", "password", "secret", "secretstr", "secretstring", "some", "string"];

/// A secret's name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    sort: Sort,
    /// Its place in the text.
    at: Range<usize>,
    /// See [`Named::beside`].
    beside: bool,
}

/// The state after the last token.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Nothing relevant.
    Idle,
    /// A secret's name.
    Named(Name, After),
    /// A secret's name, and an operator that gives it a value.
    Given(Name, Value),
}

/// How a value may follow a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// By an operator.
    Operator,
    /// As the next item: the name is quoted, and the first argument of a call or an option of a command.
    Comma,
    /// As the first argument: the name is that of a call that sets the secret.
    Call,
}

/// How much of the value has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    /// Nothing has followed the operator yet.
    fresh: bool,
    /// The next literal is compared with something and is not the value.
    compared: bool,
    /// A literal has been read: the next operator assigns another value.
    seen: bool,
    /// How many brackets are open around the next token.
    depth: u32,
}

const FRESH: Value = Value { fresh: true, compared: false, seen: false, depth: 0 };

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    state: State,
    /// The last byte before `at` that is no white space.
    before: u8,
    /// Whether a line has ended since the operator. Then only a literal can be its value, because a bare word may
    /// begin the next statement.
    below: bool,
    /// Whether the next token is the name of a macro: its value follows without an operator.
    defines: bool,
    /// The quote of a text that is still open on this line, and the state to return to at its end.
    open: Option<(u8, State)>,
    /// The last name.
    word: Range<usize>,
    /// Whether one of several names in a row is a secret's.
    listed: bool,
    found: &'a mut Vec<Range<usize>>,
}

/// Finds assigned secrets in `text` and adds their ranges to `found`.
pub(super) fn find_assigned(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if !names::may_name(bytes) {
        return;
    }
    let mut scan = Scan {
        text,
        bytes,
        at: 0,
        state: State::Idle,
        before: b'\n',
        below: false,
        defines: false,
        open: None,
        word: 0..0,
        listed: false,
        found,
    };
    while let Some(&byte) = bytes.get(scan.at) {
        scan.step(byte);
        if !byte.is_ascii_whitespace() {
            scan.before = byte;
        }
    }
}

impl Scan<'_> {
    fn step(&mut self, byte: u8) {
        match byte {
            // A lifetime.
            b'\'' if matches!(self.before, b'&' | b'<' | b'+') || is_apostrophe(self.bytes, self.at) => {
                self.at += 1;
            }
            b'"' | b'\'' if self.open.as_ref().is_some_and(|(open, _)| *open == byte) => {
                self.state = self.open.take().map_or(State::Idle, |(_, state)| state);
                self.at += 1;
            }
            b'"' | b'\'' | b'`' => self.quoted(Quote { byte, escapes: 0 }),
            b'\\' => match Quote::at(self.bytes, self.at) {
                Some(quote) => self.quoted(quote),
                None => self.at += 1,
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'0'..=b'9' => self.number(),
            b'=' | b':' | b'!' | b'>' | b'?' | b'~' => self.operator(byte),
            b'|' => self.otherwise(),
            b',' => self.comma(),
            b'(' | b'[' | b'{' | b')' | b']' | b'}' => self.bracket(byte),
            b';' => {
                self.state = State::Idle;
                self.listed = false;
                self.at += 1;
            }
            b'\n' => self.line_end(),
            // A closing tag, as in `<th>Password:</th>`.
            b'<' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                self.state = State::Idle;
                self.at += 1;
            }
            // Masked already.
            b'*' if matches!(self.state, State::Given(_, Value { fresh: true, .. }))
                && self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(MASK.as_bytes())) =>
            {
                self.state = State::Idle;
                self.at += MASK.len();
            }
            _ => self.at += 1,
        }
    }

    fn named(&self, name: &Name) -> Named<'_> {
        let bytes = self.bytes.get(name.at.clone()).unwrap_or_default();
        Named { sort: name.sort, name: bytes, beside: name.beside }
    }

    /// Handles a quote that doesn't end an open text.
    fn quoted(&mut self, quote: Quote) {
        let at = self.at;
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Given(name, value) => self.literal(quote, name, value),
            state => match quotes::quoted_name(self.bytes, at, quote) {
                Some(inside) => {
                    self.at = inside.end + quote.width();
                    let name = self.bytes.get(inside.clone()).unwrap_or_default();
                    let after = match self.before {
                        b'(' => After::Comma,
                        _ if name.starts_with(b"-") => After::Comma,
                        _ => After::Operator,
                    };
                    if self.login(name, self.bytes.get(self.at).copied()) {
                        return;
                    }
                    self.state = match names::sort_of(name) {
                        Some(sort) => State::Named(Name { sort, at: inside, beside: false }, after),
                        None => State::Idle,
                    };
                }
                None => {
                    // An escaped quote opens nothing, because the text around it is open already.
                    if quote.escapes == 0 {
                        self.enter(quote, State::Idle);
                    } else {
                        self.at += quote.width();
                        self.state = state;
                    }
                }
            },
        }
    }

    /// Goes on inside a text; `state` is restored after its end.
    fn enter(&mut self, quote: Quote, state: State) {
        let triple =
            self.bytes.get(self.at..self.at + 3).is_some_and(|it| it.iter().all(|b| *b == quote.byte));
        if triple || quote.byte == b'`' || quote.escapes > 0 || self.open.is_some() {
            self.at += if triple && quote.escapes == 0 { 3 } else { quote.width() };
            self.state = state;
        } else {
            self.open = Some((quote.byte, state));
            self.at += 1;
        }
    }

    /// Handles a literal where a secret's value may be.
    fn literal(&mut self, quote: Quote, name: Name, value: Value) {
        let (content, end) = quotes::read_literal(self.text, self.at, quote);
        let inside = self.text.get(content.clone()).unwrap_or_default();
        let direct = value.fresh || value.depth == 0;
        let begins = matches!(self.before, b'=' | b'(' | b',') || self.before == b':' && !self.below;
        if inside.contains('\n') && !(value.fresh && begins)
            || !inside.bytes().any(|b| b.is_ascii_alphanumeric())
        {
            // This quote ends a text that mentioned a secret. It begins none.
            self.at += quote.width();
            return;
        }
        let named = self.named(&name);
        let masked = !value.compared && named.takes(inside) && (direct || values::looks_random(inside));
        let next =
            State::Given(name, Value { fresh: false, compared: false, seen: !value.compared, ..value });
        if masked {
            self.found.push(content);
        }
        if masked || inside.len() < values::SHORTEST {
            self.at = end;
            self.state = next;
        } else {
            self.enter(quote, next);
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let length = self.bytes.get(start..).unwrap_or_default().iter().take_while(|b| is_name(**b)).count();
        self.at = start + length;
        let name = self.bytes.get(start..self.at).unwrap_or_default();
        let next = self.bytes.get(self.at).copied();
        let last = std::mem::replace(&mut self.word, start..self.at);
        if matches!(next, Some(b'(' | b'=' | b':' | b' ')) && self.login(name, next) {
            return;
        }
        // In `"\ntoken: …"` the name is `token`, not `ntoken`, because the `n` belongs to the escape.
        let escaped = start > 0 && self.bytes.get(start - 1) == Some(&b'\\') && b"nrt".contains(&name[0]);
        let sort = names::sort_of(name).or_else(|| names::sort_of(name.get(1..).filter(|_| escaped)?));
        if sort.is_none() && matches!(self.state, State::Idle) {
            self.defines = self.before == b'#' && name == b"define";
            self.below &= !self.defines;
            return;
        }
        let prefix = name.len() <= 3 && matches!(next, Some(b'"' | b'\'' | b'#' | b'`'));
        let defines = self.before == b'#' && name == b"define";
        let state = std::mem::replace(&mut self.state, State::Idle);
        self.state = match (state, sort) {
            (State::Given(name, value @ Value { fresh: true, .. }), None) if !self.below => {
                match self.bare(start, &name) {
                    Some(end) => {
                        self.found.push(start..end);
                        self.at = end;
                        State::Idle
                    }
                    // A string's prefix: `b"…"`, `r#"…"#`.
                    None if prefix && self.ends_no_text(next) => State::Given(name, value),
                    None => State::Given(name, Value { fresh: false, ..value }),
                }
            }
            (State::Given(name, value), None) if prefix && self.ends_no_text(next) => {
                State::Given(name, value)
            }
            (State::Given(name, value), None) => State::Given(name, Value { fresh: false, ..value }),
            // A wrapper around the value: `Secret("…")`.
            (State::Given(name, value), Some(_)) if next == Some(b'(') => {
                State::Given(name, Value { fresh: false, ..value })
            }
            // `name="password" value="…"`
            (State::Named(named, after), None)
                if name.eq_ignore_ascii_case(b"value") && self.before == b'"' =>
            {
                State::Named(named, after)
            }
            // `environ["PASSWORD"] or "V"`
            (State::Named(named, _), None) if name == b"or" => {
                State::Given(Name { beside: true, ..named }, FRESH)
            }
            (_, Some(sort)) => self.secret(start, sort, &last),
            (_, None) => State::Idle,
        };
        self.defines = defines;
        self.below &= !defines;
    }

    /// Whether a quote begins a text and does not end the open one.
    fn ends_no_text(&self, quote: Option<u8>) -> bool {
        self.open.as_ref().is_none_or(|(open, _)| Some(*open) != quote)
    }

    /// Handles the name of a secret, which ends here.
    fn secret(&mut self, start: usize, sort: Sort, last: &Range<usize>) -> State {
        let bytes = self.bytes;
        let name = Name { sort, at: start..self.at, beside: false };
        let word = bytes.get(start..self.at).unwrap_or_default();
        let (before, next) = (start.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(self.at));
        let behind = bytes.get(self.at + 1);
        self.listed |= self.before == b',' || next == Some(&b',');
        if self.defines {
            return State::Given(name, FRESH);
        }
        match (before, next) {
            (Some(b'<' | b'.' | b'-' | b':'), Some(b'>')) => self.element(name),
            (Some(b'<'), Some(b' ')) => self.element(name),
            // `--password V`
            (Some(b'-'), Some(b' ')) if is_option(bytes, start) => State::Given(name, FRESH),
            // `WITH PASSWORD 'V'`
            (_, Some(b' ')) if behind == Some(&b'\'') && word.eq_ignore_ascii_case(b"password") => {
                let last = bytes.get(last.clone()).unwrap_or_default();
                let given = ["with", "by", "encrypted", "identified"]
                    .iter()
                    .any(|it| last.eq_ignore_ascii_case(it.as_bytes()));
                if given { State::Given(name, FRESH) } else { State::Named(name, After::Operator) }
            }
            (_, Some(b'(')) if names::is_setter(word) => State::Named(name, After::Call),
            // `.password("V")`, `Password("V")`
            (before, Some(b'('))
                if names::is_whole(word) && (before == Some(&b'.') || word[0].is_ascii_uppercase()) =>
            {
                State::Named(Name { beside: true, ..name }, After::Call)
            }
            _ => State::Named(name, After::Operator),
        }
    }

    /// `<password>V</password>`: masks the text between the tags.
    fn element(&mut self, name: Name) -> State {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(LONGEST_ELEMENT)).unwrap_or_default();
        let before = self.bytes.get(name.at.start.saturating_sub(40)..name.at.end).unwrap_or_default();
        let content = (|| {
            let tag = before.get(before.iter().rposition(|b| *b == b'<')? + 1..)?;
            let start = rest.iter().position(|b| *b == b'>')? + 1;
            let length = rest.get(start..)?.iter().position(|b| *b == b'<')?;
            let closing = rest.get(start + length..)?.strip_prefix(b"</")?.strip_prefix(tag)?;
            (closing.first() == Some(&b'>')).then_some(self.at + start..self.at + start + length)
        })();
        match content {
            Some(content) if self.named(&name).takes(self.text.get(content.clone()).unwrap_or_default()) => {
                self.at = content.end;
                self.found.push(content);
                State::Idle
            }
            _ => State::Named(name, After::Operator),
        }
    }

    /// Handles a call or a pair whose password is recognized only by its position.
    fn login(&mut self, name: &[u8], next: Option<u8>) -> bool {
        let Some(index) = names::password_argument(name) else { return false };
        let named = Named { sort: Sort::Secret, name: b"password", beside: false };
        let content = match next {
            Some(b'(') => lists::literal_argument(self.text, self.at + 1, index, named),
            Some(b'=' | b':' | b' ') if name.eq_ignore_ascii_case(b"auth") => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let gap = rest.iter().take(4).take_while(|b| matches!(b, b'=' | b':' | b' ')).count();
                let opens = matches!(rest.get(gap), Some(b'(' | b'['));
                opens.then(|| lists::credential_pair(self.text, self.at + gap + 1, named)).flatten()
            }
            _ => None,
        };
        content.is_some_and(|content| {
            self.at = content.end;
            self.found.push(content);
            self.state = State::Idle;
            true
        })
    }

    fn number(&mut self) {
        let start = self.at;
        if let State::Given(name, Value { fresh: true, .. }) = &self.state
            && !self.below
            && let Some(end) = self.bare(start, name)
        {
            self.found.push(start..end);
            self.at = end;
            self.state = State::Idle;
            return;
        }
        let rest = self.bytes.get(start..).unwrap_or_default();
        self.at += rest.iter().take_while(|b| is_name(**b)).count();
    }

    /// Returns the end of a bare value that looks random, as in shell scripts and comments. Names, calls and paths
    /// don't count.
    fn bare(&self, start: usize, name: &Name) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        let is_value = |b: &u8| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'-' | b'+' | b'/' | b'=' | b'!' | b'@' | b'%' | b'^' | b'*' | b'#')
        };
        let length = rest.iter().take(LONGEST_BARE).take_while(|b| is_value(b)).count();
        let value = self.text.get(start..start + length)?;
        let next = rest.get(length).copied();
        let within = next.is_some() && !self.ends_no_text(next);
        let code = matches!(next, Some(b'(' | b'.' | b'[' | b':' | b'<' | b'"' | b'\'')) && !within;
        // In a text that was cut off here, this may be the start of one.
        let cut = length > 0 && self.text.get(start + length..).is_some_and(|rest| rest.starts_with('…'));
        let named = self.named(name);
        let path = name.sort == Sort::Folder && self.before == b'/';
        let asked =
            self.asked(name, start, next) && named.takes(value.split(['=', '#']).next().unwrap_or_default());
        if code || path || !(cut || asked || named.takes_bare(value)) {
            return None;
        }
        // A value over the limit is still masked to its end.
        Some(start + rest.iter().take_while(|b| is_value(b)).count())
    }

    /// Whether the name is in the query of an address, in a list of settings or in the environment, directly joined to
    /// its value: `?password=V`, `DB_PASSWORD=V`.
    fn asked(&self, name: &Name, start: usize, end: Option<u8>) -> bool {
        let mark = name.at.start.checked_sub(1).and_then(|at| self.bytes.get(at));
        let listed = matches!(mark, Some(b'?' | b'&' | b';'));
        let word = self.bytes.get(name.at.clone()).unwrap_or_default();
        let of_environment = mark.is_none_or(u8::is_ascii_whitespace)
            && !word.iter().any(u8::is_ascii_lowercase)
            && end.is_none_or(|end| end.is_ascii_whitespace());
        (listed || of_environment)
            && self.bytes.get(name.at.end) == Some(&b'=')
            && start == name.at.end + 1
            && name.sort == Sort::Secret
    }

    fn operator(&mut self, byte: u8) {
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let comparison = ["===", "!==", "==", "!=", "=~", "!~", "~="];
        if let Some(operator) = comparison.iter().find(|it| rest.starts_with(it.as_bytes())) {
            self.at += operator.len();
            self.below = false;
            self.state = match std::mem::replace(&mut self.state, State::Idle) {
                State::Named(name, _) => State::Given(Name { beside: true, ..name }, FRESH),
                State::Given(name, value) => {
                    State::Given(name, Value { fresh: false, compared: true, ..value })
                }
                State::Idle => State::Idle,
            };
            return;
        }
        let (last, next) = (at.checked_sub(1).and_then(|at| self.bytes.get(at)), self.bytes.get(at + 1));
        // `::` joins names, `):` ends a header, and some bytes are operators only next to another one.
        let path = match byte {
            b':' => next == Some(&b':') || matches!(self.before, b':' | b')'),
            b'!' => true,
            b'>' => !matches!(last, Some(b'=' | b'-')),
            b'?' => !matches!(next, Some(b':' | b'?' | b'=')) && last != Some(&b'?'),
            b'~' => last != Some(&b'='),
            _ => false,
        };
        self.below = false;
        self.at += 1;
        if byte == b'='
            && std::mem::take(&mut self.listed)
            && let Some((values, end)) = lists::assigned_secrets(self.text, at)
        {
            self.found.extend(values);
            self.at = end;
            self.state = State::Idle;
            return;
        }
        if path {
            return;
        }
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Named(name, _) => State::Given(name, FRESH),
            // Within a call only the argument named as the value counts: `Secret(value="V", label="…")`.
            State::Given(_, Value { seen: true, depth: 0, .. }) if byte == b'=' => State::Idle,
            State::Given(name, value) => {
                let fresh =
                    value.depth == 0 || byte != b'=' || self.word_is(&["default", "text", "val", "value"]);
                State::Given(name, Value { fresh, compared: false, ..value })
            }
            State::Idle => State::Idle,
        };
    }

    /// `process.env.PASSWORD || "V"`
    fn otherwise(&mut self) {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"||")) {
            self.at += 1;
            return;
        }
        self.at += 2;
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Named(name, _) => State::Given(Name { beside: true, ..name }, FRESH),
            state => state,
        };
    }

    fn word_is(&self, words: &[&str]) -> bool {
        let word = self.bytes.get(self.word.clone()).unwrap_or_default();
        words.iter().any(|it| word.eq_ignore_ascii_case(it.as_bytes()))
    }

    fn comma(&mut self) {
        self.below = false;
        self.at += 1;
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Named(name, After::Comma) => State::Given(Name { beside: true, ..name }, FRESH),
            State::Given(name, value) if value.depth > 0 => State::Given(name, value),
            _ => State::Idle,
        };
    }

    fn bracket(&mut self, byte: u8) {
        self.at += 1;
        if matches!(self.state, State::Idle) {
            return;
        }
        let wraps = self.word.end + 1 == self.at && self.word_is(WRAPPERS);
        let state = std::mem::replace(&mut self.state, State::Idle);
        self.state = match (byte, state) {
            (b'(', State::Named(name, After::Call)) => State::Given(name, FRESH),
            // `String::from("V")`, `Some("V")`
            (b'(', State::Given(name, value)) if wraps => {
                State::Given(name, Value { fresh: true, depth: value.depth + 1, ..value })
            }
            // A value in brackets of its own counts like one without.
            (b'(', State::Given(name, value)) => {
                State::Given(name, Value { depth: value.depth + u32::from(!value.fresh), ..value })
            }
            (b')', State::Given(name, value)) if value.depth > 0 => {
                State::Given(name, Value { fresh: false, depth: value.depth - 1, ..value })
            }
            (b')', state @ State::Named(..)) => state,
            // `config["password"] = …`.
            (b']', state @ State::Named(..)) => state,
            _ => State::Idle,
        };
    }

    fn line_end(&mut self) {
        // A value may be on the line after its operator.
        self.below = true;
        self.open = None;
        self.listed = false;
        self.at += 1;
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Given(name, value) if value.fresh || value.depth > 0 => State::Given(name, value),
            _ => State::Idle,
        };
    }
}

/// Whether the word that begins at `start` ends an option of a command: `--db-password`.
fn is_option(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(40)..start).unwrap_or_default();
    let length = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    before.get(before.len() - length..).is_some_and(|option| option.starts_with(b"--"))
}
