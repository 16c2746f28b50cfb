//! One column: numbers in the form that takes the fewest bits, or texts end to end.

use super::error::Fault;
use crate::codec::varint::{put_varint, take_varint};

/// As they are.
const PLAIN: u64 = 0;
/// As differences to the one before.
const DELTA: u64 = 1;
/// As differences to the greatest number of their newtype so far. A new text has the number after the greatest.
const BELOW: u64 = 2;
/// In eight bytes each: hashes.
const WIDE: u64 = 3;
/// All are the same.
const SAME: u64 = 4;
/// Texts.
pub(super) const TEXT: u64 = 5;
/// The number of modes.
const MODES: u64 = 8;

/// The values of a column that is written.
#[derive(Default)]
pub(super) struct Column {
    /// The numbers, each with one more than the greatest of its newtype at that time.
    numbers: Vec<(u64, u64)>,
    text: Vec<u8>,
}

impl Column {
    pub(super) fn push(&mut self, number: u64, above: u64) {
        self.numbers.push((number, above));
    }

    pub(super) fn push_text(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Appends the column to `out`; its mode and length to `head`.
    pub(super) fn write(&self, head: &mut Vec<u8>, out: &mut Vec<u8>) {
        let start = out.len();
        let mode = if self.numbers.is_empty() {
            out.extend_from_slice(&self.text);
            TEXT
        } else {
            let mode = self.mode();
            self.write_numbers(mode, out);
            mode
        };
        put_varint(head, (out.len() - start) as u64 * MODES + mode);
    }

    fn mode(&self) -> u64 {
        let Some((first, _)) = self.numbers.first() else { return PLAIN };
        if self.numbers.iter().all(|(number, _)| number == first) {
            return SAME;
        }
        let (mut plain, mut delta, mut below) = (0_u64, 0_u64, 0_u64);
        let mut last = 0;
        for (number, above) in &self.numbers {
            plain += bits(*number);
            delta += bits(difference(*number, last));
            below += bits(difference(*above, *number));
            last = *number;
        }
        let least = plain.min(delta).min(below);
        if least > 56 * self.numbers.len() as u64 {
            WIDE
        } else if plain == least {
            PLAIN
        } else if delta == least {
            DELTA
        } else {
            BELOW
        }
    }

    fn write_numbers(&self, mode: u64, out: &mut Vec<u8>) {
        let mut last = 0;
        for (number, above) in &self.numbers {
            match mode {
                DELTA => put_varint(out, difference(*number, last)),
                BELOW => put_varint(out, difference(*above, *number)),
                WIDE => out.extend_from_slice(&number.to_le_bytes()),
                _ => put_varint(out, *number),
            }
            last = *number;
            if mode == SAME {
                return;
            }
        }
    }
}

/// A column that is read.
#[derive(Clone, Copy)]
pub(super) struct Stored<'b> {
    mode: u64,
    rest: &'b [u8],
    last: u64,
}

impl<'b> Stored<'b> {
    /// Takes a column's mode and length from `head`, and its bytes from `columns`.
    pub(super) fn take(head: &mut &'b [u8], columns: &mut &'b [u8]) -> Result<Self, Fault> {
        let word = take_number(head)?;
        let len = usize::try_from(word / MODES).map_err(|_| Fault::new("a column that is too long"))?;
        let (rest, more) = columns.split_at_checked(len).ok_or_else(cut_off)?;
        *columns = more;
        Ok(Self { mode: word % MODES, rest, last: 0 })
    }

    /// The next number. `above` is one more than the greatest number of its newtype so far.
    pub(super) fn number(&mut self, above: u64) -> Result<u64, Fault> {
        let number = match self.mode {
            PLAIN => take_number(&mut self.rest)?,
            DELTA => self.last.wrapping_add(undo_difference(take_number(&mut self.rest)?)),
            BELOW => above.wrapping_sub(undo_difference(take_number(&mut self.rest)?)),
            WIDE => {
                let (number, rest) = self.rest.split_first_chunk::<8>().ok_or_else(cut_off)?;
                self.rest = rest;
                u64::from_le_bytes(*number)
            }
            SAME => {
                let mut again = self.rest;
                take_number(&mut again)?
            }
            _ => return Err(Fault::new("a number in a column of texts")),
        };
        self.last = number;
        Ok(number)
    }

    /// The next text, with this number of bytes.
    pub(super) fn text(&mut self, len: usize) -> Result<&'b str, Fault> {
        if self.mode != TEXT {
            return Err(Fault::new("a text in a column of numbers"));
        }
        let (text, rest) = self.rest.split_at_checked(len).ok_or_else(cut_off)?;
        self.rest = rest;
        std::str::from_utf8(text).map_err(|_| Fault::new("a text that is not UTF-8"))
    }

    /// The number of bytes that are left.
    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether all of it was read.
    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty() || self.mode == SAME
    }
}

fn bits(number: u64) -> u64 {
    u64::from(64 - number.leading_zeros()) + 1
}

/// The difference, folded so that small ones of both signs are small numbers.
fn difference(a: u64, b: u64) -> u64 {
    let difference = a.wrapping_sub(b).cast_signed();
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn undo_difference(folded: u64) -> u64 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

fn cut_off() -> Fault {
    Fault::new("a column that is cut off")
}

/// Takes a number, which must be there.
pub(super) fn take_number(bytes: &mut &[u8]) -> Result<u64, Fault> {
    take_varint(bytes).ok_or_else(cut_off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_in_every_mode() {
        let lists: [&[(u64, u64)]; 5] = [
            &[(5, 1 << 40), (100, 1 << 40), (3, 1 << 40)],
            &[(1_000_000, 0), (1_000_001, 0), (1_000_003, 0)],
            &[(70_000, 70_000), (70_001, 70_001), (3_000, 3_001), (70_002, 70_002)],
            &[(u64::MAX / 3, 0), (u64::MAX / 5, 0), (u64::MAX / 7 * 6, 0)],
            &[(9, 1), (9, 2)],
        ];
        let mut modes = Vec::new();
        for list in lists {
            let mut column = Column::default();
            list.iter().for_each(|(number, above)| column.push(*number, *above));
            let (mut head, mut bytes) = (Vec::new(), Vec::new());
            column.write(&mut head, &mut bytes);
            let mut stored = Stored::take(&mut &head[..], &mut &bytes[..]).unwrap();
            for (number, above) in list {
                assert_eq!(stored.number(*above).unwrap(), *number);
            }
            assert!(stored.is_done());
            modes.push(stored.mode);
        }
        assert_eq!(modes, [PLAIN, DELTA, BELOW, WIDE, SAME]);
    }
}
