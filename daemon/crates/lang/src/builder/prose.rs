//! The text of comments and literals, for search.

use sdl_model::facts::Prose;

use super::Builder;

/// Maximum number of bytes of one comment or literal that are read.
const LONGEST: usize = 600;
/// Maximum number of bytes that are kept of one definition's prose.
const MOST: usize = 4_000;
/// A chunk without white space of this length with a digit in it is a hash or data, such as `9f86d081884c7d659a2f`,
/// not words.
const CHUNK: usize = 20;
/// Longer chunks are never words.
const LONGEST_CHUNK: usize = 60;

impl Builder<'_> {
    /// Adds a comment or text literal of the innermost open definition.
    pub(crate) fn prose(&mut self, start: u32, end: u32) {
        self.prose.0.push((self.scope(), start, end));
    }

    /// Returns all prose as facts.
    pub(super) fn take_prose(&mut self) -> Vec<Prose> {
        let said = std::mem::take(&mut self.prose.0);
        let mut room: Vec<u32> = vec![MOST as u32; self.defs.len()];
        let mut prose = Vec::with_capacity(said.len());
        let mut text = String::new();
        for (scope, start, end) in said {
            text.clear();
            words_of(self.slice(start, end), &mut text);
            let Some(left) = room.get_mut(scope.0 as usize).filter(|left| **left > 0) else { continue };
            if !text.is_empty() {
                *left = left.saturating_sub(text.len() as u32);
                let text = self.body.str(&text);
                prose.push(Prose { scope, text });
            }
        }
        prose
    }
}

/// The chunks of a text that may be words, with a blank between them.
fn words_of(text: &str, out: &mut String) {
    for chunk in text.get(..text.floor_char_boundary(LONGEST)).unwrap_or("").split_ascii_whitespace() {
        let bytes = chunk.as_bytes();
        let no_word = bytes.len() > LONGEST_CHUNK
            || bytes.len() >= CHUNK && bytes.iter().any(u8::is_ascii_digit)
            || !bytes
                .windows(2)
                .any(|two| two.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80));
        if no_word {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn words_stay_and_data_goes() {
        let of = |text: &str| {
            let mut out = String::new();
            words_of(text, &mut out);
            out
        };
        assert_eq!(of("// Close the\n   stream (see #12)"), "Close the stream (see");
        assert_eq!(of("\"sk_test_51HaXyZ0123456789abcdef\""), "");
        assert_eq!(of("'%d: 10'"), "");
        assert_eq!(of(&"größe ".repeat(1_000)).len(), "größe ".len() * (600 / "größe ".len()) - 1);
    }
}
