//! Numbers of a length that depends on their size.

/// Appends a number, seven bits to a byte, low ones first.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes such a number from the front; none if it is cut off, or too long.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        for number in [0, 1, 0x7f, 0x80, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, number);
            let mut rest = &bytes[..];
            assert_eq!((take_varint(&mut rest), rest.len()), (Some(number), 0));
            assert_eq!(take_varint(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take_varint(&mut &[0x80; 11][..]), None);
    }
}
