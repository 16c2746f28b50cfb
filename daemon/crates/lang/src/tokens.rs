//! A file's tokens without its trivia.
//!
//! Comments, white space and the choices that formatters make change nothing here; everything else does. If
//! indentation has a meaning, it shows in the tree: the nodes that hold the tokens are recorded beside them.
//!
//! Text counts even where the grammar has no node for it, such as text that a mask hides from the parser or the inside
//! of some literals: everything except white space and comments is recorded.

use std::ops::Range;

/// The kind of a recorded stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A node of that kind begins.
    Open(u16),
    /// A node ends.
    Close,
    /// A token.
    Text,
    /// A text literal that means the same in either kind of quotes.
    Quoted,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    start: u32,
    end: u32,
    what: What,
}

impl Event {
    /// Its position in the order of the walk. Never decreases from one event to the next.
    fn at(self) -> u32 {
        if self.what == What::Close { self.end } else { self.start }
    }
}

/// The choices that a language's formatters may make.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// A statement may end with a semicolon or without.
    pub optional_semicolons: bool,
    /// `'a'` and `"a"` are the same text.
    pub either_quote: bool,
}

/// The properties of a node kind that the recorder needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// A literal: one token, white space and all.
    pub(crate) is_literal: bool,
    /// A last comma before the closing bracket has a meaning.
    pub(crate) comma_counts: bool,
    /// A semicolon right below it separates.
    pub(crate) semicolon_counts: bool,
}

impl Form {
    /// By the name that the grammars' authors gave the kind.
    pub(crate) fn of(name: &str, is_named: bool) -> Self {
        // `"a" "b"` is two literals, and the white space between them is that of code.
        let joined = name.starts_with("concatenated") || name.starts_with("chained");
        let literal = ["string", "heredoc", "nowdoc", "char", "rune", "regex"];
        Self {
            is_literal: is_named && !joined && literal.iter().any(|word| name.contains(word)),
            comma_counts: name.contains("subscript") || name == "token_tree",
            semicolon_counts: name == "for_statement" || name == "empty_statement",
        }
    }
}

/// A file's tokens and the nodes around them, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    events: Vec<Event>,
}

/// Comments that tools and compilers obey.
fn is_directive(text: &[u8], at: u32) -> bool {
    let starts = |mark: &str| text.starts_with(mark.as_bytes());
    starts("//go:")
        || starts("//export ")
        || starts("// +build ")
        || starts("//+build ")
        || starts("# frozen_string_literal:")
        || (at == 0 && starts("#!"))
}

/// Records tokens along one walk over a tree.
#[derive(Debug)]
pub(crate) struct Recorder<'s> {
    src: &'s [u8],
    style: Style,
    events: Vec<Event>,
    /// The text before this is recorded or is trivia.
    seen: u32,
    /// The forms of the open nodes, outer before inner.
    open: Vec<Form>,
    /// The number of nodes that are open around the current literal or comment.
    whole: Option<usize>,
    /// Whether the node that the walk entered last is a literal or a comment.
    is_whole: bool,
}

impl<'s> Recorder<'s> {
    pub(crate) fn new(src: &'s [u8], style: Style) -> Self {
        Self {
            src,
            style,
            events: Vec::with_capacity(src.len() / 3 + 16),
            seen: 0,
            open: Vec::with_capacity(64),
            whole: None,
            is_whole: false,
        }
    }

    fn text(&self, span: Range<u32>) -> &'s [u8] {
        self.src.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Records the text before `at` that belongs to no node, word by word.
    fn catch_up(&mut self, at: u32) {
        let mut word: Option<u32> = None;
        for place in self.seen..=at {
            let byte = self.src.get(place as usize).filter(|_| place < at);
            let next = self.src.get(place as usize + 1);
            // A backslash before a line break joins two lines.
            let joins = byte == Some(&b'\\') && matches!(next, Some(b'\n' | b'\r'));
            let is_blank = joins || byte.is_none_or(u8::is_ascii_whitespace);
            if !is_blank {
                word.get_or_insert(place);
            } else if let Some(start) = word.take() {
                self.push(start, place, What::Text);
            }
        }
        self.seen = self.seen.max(at);
    }

    fn push(&mut self, start: u32, end: u32, what: What) {
        if what == What::Text && self.ends_with_idle_comma(start, end) {
            self.events.pop();
        }
        self.events.push(Event { start, end, what });
    }

    /// Whether the token from `start` to `end` is a closing bracket after a redundant comma: one with something before
    /// it.
    fn ends_with_idle_comma(&self, start: u32, end: u32) -> bool {
        if !matches!(self.text(start..end), b")" | b"]" | b"}") {
            return false;
        }
        let is_text = |event: &Event, among: &[&[u8]]| {
            event.what == What::Text && among.contains(&self.text(event.start..event.end))
        };
        let [.., before, comma] = self.events.as_slice() else { return false };
        is_text(comma, &[b","])
            && !is_text(before, &[b",", b"(", b"[", b"{"])
            && !self.open.last().is_some_and(|form| form.comma_counts)
    }

    /// Records that the walk enters a node.
    pub(crate) fn enter(&mut self, id: u16, form: Form, span: Range<u32>, is_comment: bool, is_leaf: bool) {
        self.is_whole = false;
        if self.whole.is_some() {
            return;
        }
        let Range { start, end } = span;
        self.catch_up(start);
        if !(is_comment || form.is_literal || is_leaf) {
            self.push(start, end, What::Open(id));
            return;
        }
        let text = self.text(span);
        self.seen = self.seen.max(end);
        if is_comment {
            self.is_whole = true;
            if is_directive(text, start) {
                self.push(start, end, What::Text);
            }
        } else if form.is_literal {
            self.is_whole = true;
            self.push(start, end, if self.style.either_quote { What::Quoted } else { What::Text });
        } else {
            let token = text.trim_ascii();
            let separates = || self.open.last().is_some_and(|form| form.semicolon_counts);
            let is_trivia = match token {
                b"" | b"\\" => true,
                b";" => self.style.optional_semicolons && !separates(),
                _ => false,
            };
            if !is_trivia {
                let from = start + (text.len() - text.trim_ascii_start().len()) as u32;
                self.push(from, from + token.len() as u32, What::Text);
            }
        }
    }

    /// Records that the walk descends to the children of the node it entered last, which is of `form`.
    pub(crate) fn descend(&mut self, form: Form) {
        if self.is_whole && self.whole.is_none() {
            self.whole = Some(self.open.len());
        }
        self.is_whole = false;
        self.open.push(form);
    }

    /// Records that the walk leaves the node `span`, after its children.
    pub(crate) fn leave(&mut self, span: Range<u32>) {
        self.open.pop();
        if let Some(depth) = self.whole {
            if self.open.len() == depth {
                self.whole = None;
            }
            return;
        }
        self.catch_up(span.end);
        self.push(span.start, span.end, What::Close);
    }

    pub(crate) fn finish(mut self) -> Tokens {
        self.catch_up(self.src.len() as u32);
        Tokens { events: self.events }
    }
}

impl Tokens {
    /// Hashes the tokens of `span` without those in `apart` and in `docs`, both in order; `src` is the file. None if
    /// there is no token.
    pub(crate) fn hash(
        &self,
        src: &[u8],
        span: Range<u32>,
        apart: &[(u32, u32)],
        docs: &[(u32, u32)],
    ) -> Option<u64> {
        let mut bytes = Vec::with_capacity(256);
        let mut is_empty = true;
        let mut from = span.start;
        let ends = apart.iter().copied().chain([(span.end, span.end)]);
        let is_doc = |event: &Event| {
            let before = docs.get(..docs.partition_point(|doc| doc.0 <= event.start)).unwrap_or_default();
            before.last().is_some_and(|doc| event.start >= doc.0 && event.end <= doc.1)
        };
        for (until, next) in ends {
            if from < until {
                let first = self.events.partition_point(|event| event.at() < from);
                let piece = self.events.iter().skip(first).take_while(|event| event.at() <= until);
                // A node around a separate definition is in no piece: it appears and disappears with that definition.
                let piece = piece.filter(|event| event.start >= from && event.end <= until);
                for event in piece.filter(|event| !is_doc(event)) {
                    is_empty &= !matches!(event.what, What::Text | What::Quoted);
                    event.write(src, &mut bytes);
                }
            }
            from = from.max(next);
        }
        let hash = blake3::hash(&bytes);
        let first = hash.as_bytes().first_chunk::<8>().filter(|_| !is_empty)?;
        Some(u64::from_be_bytes(*first))
    }
}

impl Event {
    /// Appends a form that differs for different tokens.
    fn write(self, src: &[u8], out: &mut Vec<u8>) {
        let text = src.get(self.start as usize..self.end as usize).unwrap_or_default();
        // No text holds the bytes that begin these: they are not UTF-8.
        match self.what {
            What::Open(kind) => {
                out.push(0xfe);
                out.extend_from_slice(&kind.to_le_bytes());
            }
            What::Close => out.push(0xfd),
            What::Text => {
                out.push(0xff);
                out.extend_from_slice(text);
            }
            What::Quoted => {
                out.push(0xff);
                let at = out.len();
                out.extend_from_slice(text);
                if let Some(quotes) = plain_quotes(text) {
                    for place in quotes {
                        if let Some(quote) = out.get_mut(at + place) {
                            *quote = b'"';
                        }
                    }
                }
            }
        }
    }
}

/// The positions of the two quotes of a literal such as `'a'` or `b'a'`, if the other quotes would do as well.
fn plain_quotes(text: &[u8]) -> Option<[usize; 2]> {
    let first = text.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let last = text.len().checked_sub(1).filter(|last| *last > first)?;
    let inside = text.get(first + 1..last)?;
    let is_plain = text.get(first) == Some(&b'\'')
        && text.get(last) == Some(&b'\'')
        && !inside.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
    is_plain.then_some([first, last])
}
