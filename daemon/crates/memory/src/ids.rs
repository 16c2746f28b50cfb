//! Ids in letters and digits.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Returns a number as 13 letters and digits, in the order of the numbers.
pub fn encode_number(number: u64) -> String {
    (0..13).rev().map(|digit| char::from(ALPHABET[(number >> (digit * 5)) as usize & 31])).collect()
}

/// The last id of a change that needs no digits beyond the number.
const LAST_SHORT: u64 = 0x3f;

/// Returns the id of something that was made in this millisecond, in this revision of the store, as the nth of its change. Ids are in the
/// order in which they are made.
pub(crate) fn id_in_time(prefix: &str, at_ms: u64, revision: u64, nth: u64) -> String {
    let number = (at_ms << 22) | ((revision & 0xffff) << 6) | nth.min(LAST_SHORT);
    let short = format!("{prefix}{}", encode_number(number));
    // More digits, because a text sorts after its beginning and before the next number.
    if nth <= LAST_SHORT { short } else { short + &encode_number(nth - LAST_SHORT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_tell_numbers_apart() {
        assert_eq!(encode_number(0), "0000000000000");
        assert_eq!(encode_number(33), "0000000000011");
        assert_ne!(encode_number(u64::MAX), encode_number(u64::MAX - 1));
    }

    #[test]
    fn ids_are_in_the_order_of_time() {
        let ids =
            [(5, 1, 0), (5, 1, 1), (5, 1, 63), (5, 1, 64), (5, 1, 65), (5, 1, 5_000), (5, 2, 0), (6, 0, 0)]
                .map(|(at, rev, n)| id_in_time("x_", at, rev, n));
        assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
    }
}
