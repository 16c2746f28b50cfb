//! Items passed to a macro that emits them: `cfg_if_unix! { pub mod unix; }`, `pin_project! { struct S { … } }`.
//!
//! To the grammar, a macro's arguments are tokens. Where an item is allowed and the tokens read as whole items, white
//! space replaces the macro's name and braces, so that the items parse as items.

use std::borrow::Cow;
use std::ops::Range;

use crate::languages::blank::blank_range;

/// Deeper than people nest such macros; bounds the work.
const MAX_DEPTH: usize = 4;

/// `bytes` with white space in place of the macros around items.
pub(super) fn mask_source(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !opens_macro(bytes) {
        return Cow::Borrowed(bytes);
    }
    let mut out: Option<Vec<u8>> = None;
    let mut scan = Scan { bytes, at: 0 };
    // For each open brace: whether it holds items, and whether it belongs to a macro that is masked.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut masked = 0;
    let mut head = Head::default();
    while let Some(token) = scan.next() {
        let in_items = open.last().is_none_or(|(items, _)| *items);
        match token {
            Token::Word(place) if in_items => head.word(bytes, place),
            Token::Word(_) => {}
            Token::Mark(b'{', at) => {
                let name = head.called.take().filter(|_| in_items && head.paren == 0);
                let name = name.filter(|_| masked < MAX_DEPTH);
                let accepted = name.and_then(|name| Some((name, macro_marks(bytes, at + 1)?)));
                if let Some((name, marks)) = accepted {
                    let out = out.get_or_insert_with(|| bytes.to_vec());
                    blank_range(out, name.start..at + 1);
                    marks.into_iter().for_each(|mark| blank_range(out, mark));
                    open.push((true, true));
                    masked += 1;
                } else {
                    open.push((in_items && head.holds_items, false));
                }
                head = Head::default();
            }
            Token::Mark(b'}', at) => {
                if let Some((_, true)) = open.pop() {
                    masked -= 1;
                    blank_range(out.get_or_insert_with(|| bytes.to_vec()), at..at + 1);
                }
                head = Head::default();
            }
            Token::Mark(mark, _) if in_items => head.mark(mark),
            Token::Mark(..) => {}
        }
    }
    out.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// Whether `name! {` occurs anywhere.
fn opens_macro(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'!').any(|(at, _)| {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        rest.trim_ascii_start().first() == Some(&b'{')
            && at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|byte| is_word(*byte))
    })
}

/// The text read since the last item ended.
#[derive(Default)]
struct Head {
    /// The path that may be a macro's name.
    path: Option<Range<usize>>,
    /// The same, after its `!`.
    called: Option<Range<usize>>,
    /// Whether an item has begun, and whether items are in its braces.
    begun: bool,
    holds_items: bool,
    paren: u32,
}

impl Head {
    fn word(&mut self, bytes: &[u8], place: Range<usize>) {
        self.called = None;
        if self.paren > 0 {
            return;
        }
        match bytes.get(place.clone()).unwrap_or_default() {
            b"mod" | b"impl" | b"trait" if !self.begun => {
                self.begun = true;
                self.holds_items = true;
            }
            b"extern" if !self.begun => self.holds_items = true,
            b"pub" | b"unsafe" | b"crate" if self.path.is_none() => {}
            b"fn" | b"struct" | b"enum" | b"union" | b"const" | b"static" | b"type" | b"use"
            | b"macro_rules" => {
                self.begun = true;
                self.holds_items = false;
            }
            _ if self.begun => {}
            _ => {
                let start = self.path.as_ref().map_or(place.start, |path| path.start);
                self.path = Some(start..place.end);
            }
        }
    }

    fn mark(&mut self, mark: u8) {
        match mark {
            b'!' if !self.begun => self.called = self.path.take(),
            b':' => {}
            b'(' | b'[' => {
                self.paren += 1;
                self.called = None;
            }
            b')' | b']' => self.paren = self.paren.saturating_sub(1),
            b';' if self.paren == 0 => *self = Self::default(),
            _ => self.called = None,
        }
    }
}

/// Replaces the word that an item begins with, for a macro call.
const CALL: &[u8] = b"!";
/// The first word of a macro's definition.
const RULES: &[u8] = b"macro_rules";

/// The macro's own syntax among the items between the brace before `from` and its partner: marks like `#full` after a
/// type's name and `@section name` on a line in a block. None if the rest does not read as whole items.
fn macro_marks(bytes: &[u8], from: usize) -> Option<Vec<Range<usize>>> {
    let mut scan = Scan { bytes, at: from };
    let mut items = Items {
        marks: Vec::new(),
        open: Vec::new(),
        item: None,
        words: 0,
        any: false,
        before: b'{',
        hash: None,
    };
    while let Some(token) = scan.next() {
        match token {
            Token::Word(place) => items.word(bytes.get(place.clone()).unwrap_or_default(), place.end)?,
            Token::Mark(b'}', _) if items.open.is_empty() => {
                let whole = items.hash.is_none() && items.any && items.item.is_none();
                return whole.then_some(items.marks);
            }
            Token::Mark(mark, at) => items.mark(mark, at, &mut scan)?,
        }
    }
    None
}

/// The items read so far in a macro's braces. Its methods return none for tokens that no item has.
struct Items<'a> {
    /// The macro's own syntax.
    marks: Vec<Range<usize>>,
    open: Vec<u8>,
    /// The word that the present item began with, and how many words came after it.
    item: Option<&'a [u8]>,
    words: usize,
    /// Whether there was an item other than a macro call.
    any: bool,
    /// The previous mark, `w` for a word.
    before: u8,
    /// The position of a `#` right before.
    hash: Option<usize>,
}

impl<'a> Items<'a> {
    /// Reads the word that ends at `end`.
    fn word(&mut self, word: &'a [u8], end: usize) -> Option<()> {
        let in_head = self.open.is_empty() && matches!(self.item, Some(b"struct" | b"enum" | b"union"));
        if let Some(at) = self.hash.filter(|_| in_head) {
            self.marks.push(at..end);
            self.hash = None;
            return Some(());
        }
        let in_rules = self.item == Some(RULES);
        if !in_rules || self.open.is_empty() && self.before != b'!' {
            if self.hash.is_some() || self.before == b'@' {
                return None;
            }
            self.item_word(word)?;
        }
        self.before = b'w';
        Some(())
    }

    fn item_word(&mut self, word: &'a [u8]) -> Option<()> {
        let outside = self.open.is_empty();
        match self.item {
            None if outside => self.begin(word),
            Some(CALL) if outside && self.before != b':' => return None,
            Some(b"const") if outside && matches!(word, b"fn" | b"unsafe" | b"async" | b"extern") => {
                self.item = Some(b"fn");
            }
            // Items are not allowed in the head of another.
            Some(_) if outside && matches!(word, b"struct" | b"enum" | b"trait" | b"mod" | b"use") => {
                return None;
            }
            Some(b"fn") if *self.open == [b'('] && word == b"in" && self.before == b'w' => return None,
            _ => self.words += 1,
        }
        Some(())
    }

    /// Begins an item with its first word.
    fn begin(&mut self, word: &'a [u8]) {
        let item: &'a [u8] = match word {
            b"pub" | b"unsafe" | b"async" | b"default" | b"extern" => return,
            b"const" | b"fn" | b"struct" | b"enum" | b"union" | b"trait" | b"impl" | b"mod" | b"use"
            | b"type" | RULES => word,
            // A macro call among them.
            _ => CALL,
        };
        self.item = Some(item);
        self.words = 0;
    }

    /// Reads the mark at `at`, and with it the line of a mark that belongs to the macro's own syntax.
    fn mark(&mut self, mark: u8, at: usize, scan: &mut Scan<'_>) -> Option<()> {
        let in_rules = self.item == Some(RULES);
        if self.hash.is_some() && !in_rules && !matches!(mark, b'[' | b'!') {
            return None;
        }
        self.hash = (mark == b'#').then_some(at);
        match mark {
            b'$' | b'@' if in_rules && !self.open.is_empty() => {}
            b'$' => return None,
            b'@' if *self.open == [b'{'] && matches!(self.item, Some(b"trait" | b"impl")) => {
                scan.at = marked_line(scan.bytes, at)?;
                self.marks.push(at..scan.at);
                return Some(());
            }
            b'@' if matches!(self.before, b'{' | b'}' | b';' | b',') => return None,
            _ if self.open.is_empty() && self.item == Some(CALL) => self.call_mark(mark)?,
            b'(' | b'[' | b'{' => self.open.push(mark),
            b')' | b']' | b'}' => self.close(mark)?,
            _ if self.open.is_empty() => self.head_mark(mark, at, scan.bytes)?,
            _ => {}
        }
        self.before = mark;
        Some(())
    }

    /// A mark of a macro call, which has only a path before its brackets.
    fn call_mark(&mut self, mark: u8) -> Option<()> {
        match mark {
            b'!' if self.before == b'w' => {}
            b'(' | b'[' | b'{' if self.before == b'!' => self.open.push(mark),
            b'(' | b'[' | b'{' | b'=' | b'.' | b',' | b'|' | b'?' | b'#' | b'<' | b'@' => return None,
            b')' | b']' => return None,
            b';' => self.item = None,
            _ => {}
        }
        Some(())
    }

    /// Only well nested text ends before the file does, so that each part is read once.
    fn close(&mut self, mark: u8) -> Option<()> {
        let partner = match mark {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        if self.open.pop() != Some(partner) {
            return None;
        }
        let ends = |item: &[u8]| item != b"use" && item != b"const" && item != b"type";
        if mark == b'}' && self.open.is_empty() && self.item.is_some_and(ends) {
            self.any |= self.item != Some(CALL);
            self.item = None;
        }
        Some(())
    }

    /// A mark outside of brackets.
    fn head_mark(&mut self, mark: u8, at: usize, bytes: &[u8]) -> Option<()> {
        match mark {
            b';' => self.any |= self.item.take()? != CALL,
            b'>' if self.before == b'=' && at > 0 && bytes.get(at - 1) == Some(&b'=') => return None,
            // `struct Flags: u8 { … }` and the like are the macro's own syntax.
            b':' if self.words == 1
                && self.before == b'w'
                && matches!(self.item, Some(b"struct" | b"enum" | b"union")) =>
            {
                return None;
            }
            b'?' | b'=' | b'.' | b',' | b'|' if self.item.is_none() => return None,
            _ => {}
        }
        Some(())
    }
}

/// The end of the line that begins with the mark at `from`; none if the line holds more than names and brackets.
fn marked_line(bytes: &[u8], from: usize) -> Option<usize> {
    let line = bytes.get(from + 1..)?;
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii_end();
    let plain = |byte: &u8| is_word(*byte) || matches!(byte, b' ' | b'\t' | b'[' | b']' | b'(' | b')');
    let opened = |open: u8, close: u8| {
        let count = |wanted: u8| line.split(|byte| *byte == wanted).count();
        count(open) == count(close)
    };
    let is_mark = line.iter().all(plain) && line.first().is_some_and(|byte| is_word(*byte));
    (is_mark && opened(b'[', b']') && opened(b'(', b')')).then_some(from + 1 + line.len())
}

/// A part of the text that is neither white space, comment nor literal.
enum Token {
    Word(Range<usize>),
    Mark(u8, usize),
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'/' if self.byte(1) == b'/' => self.until(|byte| byte == b'\n'),
                b'/' if self.byte(1) == b'*' => self.comment(),
                b'"' => self.string(),
                b'\'' => self.quote(),
                byte if is_word(byte) => {
                    let start = self.at;
                    self.until(|byte| !is_word(byte));
                    let word = start..self.at;
                    if !self.raw(&word) {
                        return Some(Token::Word(word));
                    }
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                mark => {
                    self.at += 1;
                    return Some(Token::Mark(mark, self.at - 1));
                }
            }
        }
    }

    fn until(&mut self, ends: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
    }

    fn comment(&mut self) {
        let mut depth = 0_u32;
        while self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.byte(0) {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        self.at += 1;
        if self.byte(0) == b'\\' {
            self.at += 2;
            self.until(|byte| byte == b'\'' || byte == b'\n');
            self.at += 1;
        } else {
            let end = (1..=4).find(|ahead| self.byte(*ahead) == b'\'');
            match end {
                Some(end) if end == 1 || self.byte(0) >= 0x80 => self.at += end + 1,
                _ => self.until(|byte| !is_word(byte)),
            }
        }
    }

    /// Whether `word` opens a raw string, or a raw name, whose mark is skipped.
    fn raw(&mut self, word: &Range<usize>) -> bool {
        if !matches!(self.bytes.get(word.clone()), Some(b"r" | b"br" | b"cr")) {
            return false;
        }
        let hashes = self.bytes.get(self.at..).unwrap_or_default().iter().take_while(|b| **b == b'#').count();
        if self.byte(hashes) != b'"' {
            self.at += hashes;
            return hashes > 0;
        }
        self.at += hashes + 1;
        while self.at < self.bytes.len() {
            self.until(|byte| byte == b'"');
            self.at += 1;
            if (0..hashes).all(|ahead| self.byte(ahead) == b'#') {
                self.at += hashes;
                break;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        String::from_utf8_lossy(&mask_source(text.as_bytes())).into_owned()
    }

    #[test]
    fn items_of_a_macro_are_items() {
        assert_eq!(masked("cfg_rt! { pub mod rt; }"), "          pub mod rt;  ");
        assert_eq!(
            masked("a::b! { struct S<T> { #[pin] t: T, } }"),
            "        struct S<T> { #[pin] t: T, }  "
        );
        assert_eq!(masked("c! { fn f() { for x in y {} } }"), "     fn f() { for x in y {} }  ");
        assert_eq!(
            masked("c! { a::p! { struct S; } type T = S; }"),
            "             struct S;   type T = S;  "
        );
        let rules = "macro_rules! m { ($x:ident @ #$y) => { fn $x() {} } }";
        assert_eq!(masked(&format!("c! {{ {rules} fn f() {{}} }}")), format!("     {rules} fn f() {{}}  "));
        assert_eq!(masked("impl S { c! { fn f(&self) {} } }"), "impl S {      fn f(&self) {}   }");
    }

    #[test]
    fn marks_of_a_macro_are_left_out() {
        assert_eq!(masked("r! { pub struct S #full { a: A } }"), "     pub struct S       { a: A }  ");
        assert_eq!(
            masked("r! { trait T {\n @escape [type A]\n @section self\n fn f(); } }"),
            "     trait T {\n                 \n              \n fn f(); }  "
        );
    }

    #[test]
    fn what_reads_otherwise_stays() {
        for text in [
            "bitflags! { struct F: u8 { const A = 1; } }",
            "thread_local! { static A: u8 = 1; }",
            "lazy_static! { static ref A: u8 = 1; }",
            "fn f() { select! { fn g() {} } }",
            "rule! { trait T { @section x fn f(); } }",
            "rule! { fn f() { quote(#full) } }",
            "macro_rules! m { ($x:ident) => { fn $x() {} } }",
            "proptest! { fn f(x in 0..3) { } }",
            "m! { fn f() { } ?= 3 }",
            "m! { a => b }",
            "// m! { fn f() {} }\nfn g() { \"m! { fn h() {} }\"; }",
            "m! { fn f() {",
            "wrap! { impl (Iterator) for struct S { a: u8 } }",
            "m! { fn f( { } }",
            "m!{}",
            "m! { S { a: u8 } fn f() {} }",
            "m! { a => b } fn f() {}",
            "m! { a::b!(c); }",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
