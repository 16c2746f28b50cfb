//! The token of one run: in the address that is printed, and nowhere else.

/// Bytes of chance.
const BYTES: usize = 32;

/// A token, by its hash.
#[derive(Debug)]
pub(crate) struct Token(blake3::Hash);

impl Token {
    /// Draws a token. Returns it with its text.
    pub(crate) fn draw() -> Result<(Self, String), getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((Self::of(&text), text))
    }

    pub(crate) fn of(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// Whether a text is the token. By hashes, which are compared in constant time.
    pub(crate) fn is(&self, presented: &str) -> bool {
        blake3::hash(presented.as_bytes()) == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_a_long_token_of_its_own() {
        let ((token, text), (_, other)) = (Token::draw().unwrap(), Token::draw().unwrap());
        assert_eq!(text.len(), 2 * BYTES);
        assert!(text != other && token.is(&text));
        for wrong in ["", &text[1..], &format!("{text} "), &text.to_uppercase().replace('A', "B"), &other] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
    }
}
