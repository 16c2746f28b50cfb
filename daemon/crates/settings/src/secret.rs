//! A value that nobody may see.

use zeroize::Zeroizing;

/// A text that is shown nowhere. It has no `Debug`, `Display` or serialized form, and its memory is overwritten when it
/// is dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes over a text.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text, for the process or request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}
