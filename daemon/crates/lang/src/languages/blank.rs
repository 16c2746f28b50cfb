//! Text that is hidden from a grammar.

use std::ops::Range;

/// Replaces `place` with white space, keeping line breaks; does nothing for a place that the text does not have.
pub(super) fn blank_range(text: &mut [u8], place: Range<usize>) {
    for byte in text.get_mut(place).unwrap_or_default() {
        if !matches!(*byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::blank_range;

    #[test]
    fn lines_stay() {
        let mut text = *b"ab\r\ncd\n";
        blank_range(&mut text, 1..6);
        assert_eq!(&text, b"a \r\n  \n");
        blank_range(&mut text, 5..99);
        assert_eq!(&text, b"a \r\n  \n");
    }
}
