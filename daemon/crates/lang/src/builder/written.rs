//! Types in texts, such as quotes and documentation. The parts of reading them that all languages share.

use sdl_model::facts::ExprIx;

use super::{Half, MAX_ELEMENTS};

/// Types nested deeper than this are not read.
const MAX_DEPTH: u32 = 16;

/// A text that a type is read from.
pub(crate) struct Written<'h, 'a, 't> {
    /// The half of the facts that gets the shapes.
    pub(crate) half: &'h mut Half<'a>,
    /// The text still to be read.
    pub(crate) rest: &'t str,
    /// Characters that separate tokens.
    blank: fn(char) -> bool,
    depth: u32,
}

impl<'h, 'a, 't> Written<'h, 'a, 't> {
    /// A reader at the start of `text`.
    pub(crate) fn new(half: &'h mut Half<'a>, text: &'t str, blank: fn(char) -> bool) -> Self {
        Self { half, rest: text, blank, depth: 0 }
    }

    /// The text still to be read, from the next token on.
    pub(crate) fn ahead(&self) -> &'t str {
        self.rest.trim_start_matches(self.blank)
    }

    /// Whether all has been read.
    pub(crate) fn is_done(&self) -> bool {
        self.ahead().is_empty()
    }

    /// Whether `token` comes next. If so, it is consumed.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        match self.ahead().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The result of `read`, which may call this again; none beyond a depth that nobody writes.
    pub(crate) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.depth > MAX_DEPTH { None } else { read(self) };
        self.depth -= 1;
        found
    }

    /// The items before `end`, separated by commas, each read by `item`.
    pub(crate) fn list(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Option<ExprIx>,
    ) -> Option<Vec<ExprIx>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(item(self)?);
            if !self.eat(",") {
                if !self.eat(end) {
                    return None;
                }
                break;
            }
        }
        items.truncate(MAX_ELEMENTS);
        Some(items)
    }
}
